//! Settings: the permission rules, hooks, modes and folders that people, projects and the machine's
//! keepers wrote into files, read loudly and closed (law 7).
//!
//! [`load`] reads every file of [`SettingsPlaces`] through [`SettingsFiles`] and says what they come
//! to: [`Loaded`]. Nothing is read but what the places name, nothing is written, and no file's fault
//! ends the loading: each becomes a [`crate::Problem`] with its line and column.

mod agent_file;
mod checkout;
mod content;
mod document;
mod drawing;
mod edit;
mod files;
mod hooks;
mod keys;
mod lint;
mod load;
mod loaded;
mod place;
mod pointsman;
mod reading;
mod schema;
mod show;
mod trust;

pub use agent_file::AgentFile;
pub use checkout::main_checkout;
pub use drawing::SourceTexts;
pub use edit::{AddRulesError, add_rules};
pub use files::{DiskFiles, FILE_BYTES_MAX, MemoryFiles, SettingsFiles};
pub use hooks::{
    HookDuty, HookEvent, HookLife, HookMatcher, HookRegex, HookRun, HookScripts, HookSetting,
    HookSettings, Naming, ROOT_VARIABLES, ScriptContent, is_bound, is_the_persons, line_with_root,
    named_scripts, named_scripts_in, take_in, with_root,
};
pub use lint::lint;
pub use load::load;
pub use loaded::{
    DirectorySetting, Found, Loaded, Lock, LockSetting, ModeSetting, Offer, SettingsFile, Standing,
    Switches, Whose,
};
pub use place::{Author, Dialect, SettingsPlaces};
pub use pointsman::{
    Amount, ClassifierBy, ClassifierSettings, Escalation, ExplainerSettings, GuidanceSettings,
    Hangup, ModelBudget, ModelDialect, ModelPrices, ModelSetting, NotifySettings,
    PointsmanSettings, Presence, QuietHours,
};
pub use schema::schema;
pub use show::{FileCount, ShownPattern, ShownRule, show};
pub use trust::{Loosening, LooseningKind, TrustRecord};

#[cfg(test)]
mod tests;
