//! The shape of a case.

use std::collections::BTreeMap;

use pointsman_model::PermissionDecision;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One line.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) id: String,
    #[serde(default)]
    pub(super) settings: Settings,
    #[serde(default = "default_mode")]
    pub(super) mode: String,
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

/// The only settings in force.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Settings {
    #[serde(default)]
    pub(super) permissions: Permissions,
}

/// Lists hold what people write, so that one wrong entry costs no more than itself.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Permissions {
    pub(super) allow: Value,
    pub(super) ask: Value,
    pub(super) deny: Value,
    pub(super) additional_directories: Vec<String>,
    pub(super) disable_bypass_permissions_mode: Option<String>,
    pub(super) disable_auto_mode: Option<String>,
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

fn default_mode() -> String {
    "default".into()
}
