//! A tool: its spec, the check of its input, its run.

use async_trait::async_trait;
use pointsman_ledger::SeenFile;
use pointsman_model::{AbsPath, Digest, ExecutedCall, JsonText, ToolInput, ToolSpec};

use crate::Seat;

/// A tool that dispatch can run. Implementations act only in [`Tool::run`], which dispatch alone calls.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What agents are told of it.
    fn spec(&self) -> &ToolSpec;

    /// Checks a raw input against the schema (rung 0 of the ladder).
    ///
    /// # Errors
    /// Everything that does not fit, each naming its field.
    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>>;

    /// Does it. The call has been admitted and its start is on the ledger.
    ///
    /// # Errors
    /// When it can't be done, or was stopped.
    ///
    /// # Cancellation safety
    /// Dropping the future stops what it started; files are changed whole or not at all.
    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError>;
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputProblem {
    /// A field that has to be there is not.
    #[error("`{field}` is missing: {meaning}")]
    Missing {
        /// The field.
        field: &'static str,
        /// What it is for.
        meaning: &'static str,
    },
    /// A field that the tool does not have.
    #[error("`{field}` is no field of this tool{}", did_you_mean(*near))]
    Unknown {
        /// The field.
        field: Box<str>,
        /// The field that is spelled most like it.
        near: Option<&'static str>,
    },
    /// A field whose value does not fit.
    #[error("`{field}` has to be {wanted}, it is {found}")]
    Unfit {
        /// The field.
        field: &'static str,
        /// What would fit.
        wanted: Box<str>,
        /// What was found.
        found: Box<str>,
    },
    /// The input as a whole can't be read.
    #[error("{0}")]
    Unreadable(Box<str>),
}

fn did_you_mean(near: Option<&'static str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}

/// What a tool finds around it when it runs.
pub struct ToolScene<'a> {
    /// The agent's place: context, ledger, stop token, environment.
    pub seat: &'a Seat,
    /// The agent's folder at this moment.
    pub folder: &'a AbsPath,
    /// The file or folder that the call names, symbolic links followed, as it was when the call was admitted.
    pub target: Option<&'a AbsPath>,
    /// What the agent has seen of `target`: the fingerprint of its content when the agent last read or wrote it.
    pub seen: Option<Digest>,
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolOutput {
    /// What the agent is told.
    pub text: String,
    /// The status a command ended with; anything but 0 makes the call an error.
    pub exit_code: Option<i32>,
    /// The folder that the agent's next call starts in, when it changed.
    pub moved_to: Option<AbsPath>,
    /// What the agent has seen by it.
    pub seen: Option<SeenFile>,
}

impl ToolOutput {
    /// An output of text alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// Why a tool did not do what it was called for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// It can't be done, or was not done in time.
    #[error("{0}")]
    Failed(String),
    /// The agent was stopped while it ran.
    #[error("{0}")]
    Stopped(String),
}
