//! Inputs that an answer puts in the place of those that were asked about: they are looked at before the answer is taken,
//! so that whoever gave it hears of a slip while the request is open still.

use std::fmt;
use std::sync::Arc;

use pointsman_model::{Answerer, JsonText, PermissionRequest};

/// An input that an answer puts in the place of the one that was asked about.
#[derive(Debug, Clone, Copy)]
pub struct EditedInput<'a> {
    /// What was asked, while it is open.
    pub request: Option<&'a PermissionRequest>,
    /// The new input.
    pub input: &'a JsonText,
    /// Who wrote it.
    pub by: &'a Answerer,
}

type Check = dyn Fn(EditedInput<'_>) -> Result<(), Box<str>> + Send + Sync;

/// Who knows whether an input can run. Without anyone all are taken here, and looked at when they are to run.
#[derive(Clone, Default)]
pub struct EditedInputs(Option<Arc<Check>>);

impl EditedInputs {
    /// Inputs that this knows about; it says what does not fit.
    pub fn checked_by(
        check: impl Fn(EditedInput<'_>) -> Result<(), Box<str>> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(check)))
    }

    pub(super) fn check(&self, edited: EditedInput<'_>) -> Result<(), Box<str>> {
        match &self.0 {
            None => Ok(()),
            Some(check) => check(edited),
        }
    }
}

impl fmt::Debug for EditedInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = self.0.as_ref().map(|_| "checked");
        f.debug_tuple("EditedInputs").field(&checked).finish()
    }
}
