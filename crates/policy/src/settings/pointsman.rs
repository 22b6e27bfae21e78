//! pointsman's own settings: the object under the key `pointsman` of its settings files.

mod models;
mod notify;
mod reading;

use pointsman_model::{Millis, RuleSource, Surface};
use serde::Serialize;

pub use self::notify::{Escalation, NotifySettings, QuietHours};
pub use models::{Amount, ModelBudget, ModelDialect, ModelPrices, ModelSetting};

/// pointsman's own settings, of all files together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PointsmanSettings {
    /// How long a question stays open before it ends as expired; nothing when no file says.
    pub deadline: Option<Millis>,
    /// Whether runs are to be unattended though someone is there.
    pub unattended: Presence,
    /// The surfaces that count as someone being there even without a terminal.
    pub surfaces: Vec<Surface>,
    /// The classifier that may say yes in the handlers; off unless the person's own or the managed
    /// settings name one.
    pub classifier: Option<ClassifierSettings>,
    /// The model that explains open questions to people; off unless the same settings name one.
    pub explainer: Option<ExplainerSettings>,
    /// What becomes of questions when the terminal of a run is closed.
    pub hangup: Hangup,
    /// How a person is told that something waits; the bell and the terminal's own means alone when
    /// no file says.
    pub notify: NotifySettings,
}

/// What becomes of the questions of a run whose terminal is closed. The run itself goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hangup {
    /// They wait to their deadline for somebody who attaches or answers by command.
    #[default]
    Wait,
    /// They are refused: nobody is there.
    Refuse,
}

/// Whether a file says that nobody is to be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// No file says so: a terminal or a named surface decides.
    #[default]
    AsFound,
    /// Nobody is asked, whoever is there.
    Unattended,
}

/// Who judges open questions beside people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassifierSettings {
    /// By what means.
    pub by: ClassifierBy,
    /// How long one judgement may take, all attempts together.
    pub timeout: Millis,
    /// How long one attempt at a model may take; where it is left out, as long as the judgement.
    pub attempt_timeout: Option<Millis>,
    /// What it is told beside the action.
    pub guidance: GuidanceSettings,
    /// Whose file names it: the person's or the managed settings.
    pub source: RuleSource,
}

/// What a classifier is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassifierBy {
    /// A program.
    Program {
        /// The program and its arguments; no shell reads them.
        command: Vec<Box<str>>,
    },
    /// A model.
    Model(ModelSetting),
}

/// What a person tells a classifier, in prose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GuidanceSettings {
    /// What is usual here: hosts, tools, habits.
    pub environment: Vec<Box<str>>,
    /// What may pass.
    pub allow: Vec<Box<str>>,
    /// What may not, whatever else is said.
    pub refuse: Vec<Box<str>>,
}

/// The model that explains open questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainerSettings {
    /// Which.
    pub model: ModelSetting,
    /// How long one explanation may take, all attempts together.
    pub timeout: Millis,
    /// Whose file names it.
    pub source: RuleSource,
}
