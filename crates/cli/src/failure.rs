//! What ends a verb early: what happened, where, and what to do about it.

use std::error::Error;
use std::fmt;

/// How a verb ends for the shell that called it. The numbers are a promise (docs/exit-codes.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// All went well.
    Done,
    /// What was wanted did not come about.
    Failed,
    /// Bad arguments, settings, files or ids.
    BadInput,
    /// `check`: it would be refused. `run`: calls were refused because nobody could answer.
    Refused,
    /// `check`: it would be asked. `run`: a hook, classifier or limit halted it.
    Asks,
    /// A run's own code.
    OfRun(u8),
}

impl Code {
    /// The number.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::Refused => 3,
            Self::Asks => 4,
            Self::OfRun(code) => code,
        }
    }
}

/// Why a verb ended early.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    code: Code,
    what: String,
    place: Option<String>,
    hint: Option<String>,
}

impl Failure {
    /// Bad arguments, settings, files or ids.
    pub(crate) fn bad_input(what: impl Into<String>) -> Self {
        Self {
            code: Code::BadInput,
            what: what.into(),
            place: None,
            hint: None,
        }
    }

    /// What was wanted did not come about.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self {
            code: Code::Failed,
            ..Self::bad_input(what)
        }
    }

    /// An error with all that caused it, on one line.
    pub(crate) fn of(error: &dyn Error) -> Self {
        Self::bad_input(chain(error))
    }

    /// Says where: `file:line:column`, or a file.
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What happened, without where and what to do.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// The exit code.
    pub(crate) fn code(&self) -> Code {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.what)?;
        if let Some(place) = &self.place {
            writeln!(f, "  --> {place}")?;
        }
        if let Some(hint) = &self.hint {
            writeln!(f, "  = {hint}")?;
        }
        Ok(())
    }
}

/// An error and its causes: `the file can't be read: permission denied`.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_what_to_do() {
        let failure = Failure::bad_input("there is no tool `Bsh`")
            .at("job.toml:3:9")
            .hint("did you mean `Bash`?");
        assert_eq!(
            failure.to_string(),
            "error: there is no tool `Bsh`\n  --> job.toml:3:9\n  = did you mean `Bash`?\n"
        );
    }

    #[test]
    fn causes_are_told() {
        let error = std::fs::read("/nowhere/at/all").map_err(anyhow::Error::from);
        let error = error.unwrap_err().context("the file can't be read");
        let text = Failure::of(error.as_ref()).to_string();
        assert!(text.starts_with("error: the file can't be read: No such file"));
    }
}
