//! What is wrong with a job file: one problem, its place, and what would be right.

use pointsman_model::FilePlace;

/// One thing that is wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct JobFileProblem {
    place: FilePlace,
    message: Box<str>,
    hint: Option<Box<str>>,
}

impl JobFileProblem {
    pub(crate) fn new(place: FilePlace, message: &str, hint: Option<&str>) -> Self {
        Self {
            place,
            message: message.into(),
            hint: hint.map(Into::into),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &FilePlace {
        &self.place
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What would be right, as far as it can be guessed.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}
