//! The shape of a case.

use std::collections::BTreeMap;

use pointsman_model::PermissionDecision;
use serde::Deserialize;
use serde_json::value::RawValue;

/// One line.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) id: String,
    /// The only settings in force.
    pub(super) settings: Option<Box<RawValue>>,
    pub(super) mode: Option<String>,
    #[serde(default)]
    pub(super) context: Context,
    pub(super) parent: Option<Parent>,
    pub(super) cwd: String,
    pub(super) home: String,
    #[serde(default)]
    pub(super) fs: Files,
    pub(super) tool: String,
    pub(super) input: Box<RawValue>,
    pub(super) expected: Option<PermissionDecision>,
    pub(super) observed: Option<PermissionDecision>,
    #[serde(default)]
    pub(super) also_ok: Vec<PermissionDecision>,
}

/// What exists beside the folders of the case and the files that its input names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Files {
    pub(super) files: BTreeMap<String, String>,
    pub(super) symlinks: BTreeMap<String, String>,
    pub(super) case_insensitive: bool,
    pub(super) git_config: BTreeMap<String, String>,
    pub(super) git_tracked: Option<Vec<String>>,
    pub(super) hard_links: BTreeMap<String, String>,
    pub(super) settings_root: Option<String>,
}

/// What the calling agent was started with beside its mode. A name that means nothing here is a slip, and the case is
/// told to be none.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Context {
    pub(super) sandbox: Sandbox,
    pub(super) attended: Answerers,
    pub(super) mode_by: ModeBy,
    pub(super) ask: Vec<String>,
    pub(super) deny: Vec<String>,
}

/// Whether its commands run in the sandbox.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sandbox {
    #[default]
    Off,
    On,
    AutoAllow,
}

/// Whether someone can answer.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub(super) enum Answerers {
    #[default]
    There,
    Nobody,
}

impl From<bool> for Answerers {
    fn from(attended: bool) -> Self {
        if attended { Self::There } else { Self::Nobody }
    }
}

/// On whose word an agent has its own mode.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ModeBy {
    Person,
    #[default]
    Agent,
}

/// The agent that spawned the one that calls, or that one's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parent {
    pub(super) mode: Option<String>,
    #[serde(default)]
    pub(super) mode_by: ModeBy,
    pub(super) cwd: Option<String>,
    pub(super) parent: Option<Box<Parent>>,
}
