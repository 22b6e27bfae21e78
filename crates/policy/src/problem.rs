//! What is wrong with a rule or a settings file, and how much it matters (law 7).

use std::fmt;

use pointsman_model::FilePlace;
use serde::Serialize;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Warning,
    /// An allow was dropped alone; calls that it would have allowed are asked for.
    DroppedAllow,
    /// A deny or ask can't be read, or a file can't: an unattended run doesn't start, an attended one asks for
    /// everything that is not yet decided.
    StopsUnattended,
}

/// One problem, told like a good compiler tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How much it matters.
    pub severity: Severity,
    /// Where; nothing when it does not stand in a file.
    pub place: Option<FilePlace>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}
