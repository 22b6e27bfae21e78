//! What one settings file says, before anyone asks whether it counts.

use pointsman_model::{AbsPath, FilePlace, Millis, PermissionMode, PermissionRule, Surface};

use super::hooks::HookSetting;
use super::pointsman::{ClassifierSettings, ExplainerSettings, Hangup, NotifySettings};
use crate::ParsedRules;

/// What one settings file says.
#[derive(Debug, Clone, Default)]
pub(super) struct FileContent {
    pub(super) rules: Vec<PermissionRule>,
    /// What they were read as.
    pub(super) parsed: ParsedRules,
    pub(super) mode: Option<Said<PermissionMode>>,
    pub(super) directories: Vec<Said<Named<AbsPath>>>,
    pub(super) hooks: Vec<HookSetting>,
    /// `disableAllHooks`; a value that is no boolean says nothing.
    pub(super) hooks_off: Option<Said<bool>>,
    /// The addresses that HTTP hooks may be sent to, where the file restricts them.
    pub(super) hook_urls: Option<Vec<Box<str>>>,
    /// The variables that headers of HTTP hooks may hold, where the file restricts them.
    pub(super) hook_env: Option<Vec<Box<str>>>,
    pub(super) bypass_forbidden: Option<FilePlace>,
    pub(super) auto_forbidden: Option<FilePlace>,
    pub(super) managed_rules_only: Option<FilePlace>,
    pub(super) managed_hooks_only: Option<FilePlace>,
    pub(super) deadline: Option<Said<Millis>>,
    pub(super) unattended: Option<Said<bool>>,
    pub(super) surfaces: Vec<Said<Surface>>,
    pub(super) classifier: Option<Said<ClassifierSettings>>,
    pub(super) notify: Option<Said<NotifySettings>>,
    pub(super) hangup: Option<Said<Hangup>>,
    pub(super) explainer: Option<Said<ExplainerSettings>>,
}

/// Something and where it is said.
#[derive(Debug, Clone)]
pub(super) struct Said<T> {
    pub(super) it: T,
    pub(super) place: FilePlace,
}

/// Something with the text it was written as.
#[derive(Debug, Clone)]
pub(super) struct Named<T> {
    pub(super) it: T,
    pub(super) written: Box<str>,
}
