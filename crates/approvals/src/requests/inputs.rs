//! Inputs that an answer puts in the place of those that were asked about: they are looked at before the answer is taken,
//! so that whoever gave it hears of a slip while the request is open still.

use std::fmt;
use std::sync::Arc;

use pointsman_model::{JsonText, ToolName};

type Check = dyn Fn(&ToolName, &JsonText) -> Result<(), Box<str>> + Send + Sync;

/// Who knows whether an input fits its tool. Without anyone all are taken here, and looked at when they are to run.
#[derive(Clone, Default)]
pub struct EditedInputs(Option<Arc<Check>>);

impl EditedInputs {
    /// Inputs that this knows about; it says what does not fit.
    pub fn checked_by(
        check: impl Fn(&ToolName, &JsonText) -> Result<(), Box<str>> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(check)))
    }

    pub(super) fn check(&self, tool: &ToolName, input: &JsonText) -> Result<(), Box<str>> {
        match &self.0 {
            None => Ok(()),
            Some(check) => check(tool, input),
        }
    }
}

impl fmt::Debug for EditedInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = self.0.as_ref().map(|_| "checked");
        f.debug_tuple("EditedInputs").field(&checked).finish()
    }
}
