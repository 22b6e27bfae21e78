//! Settings: the permission rules, hooks, modes and folders that people, projects and the machine's
//! keepers wrote into files, read loudly and closed (law 7).
//!
//! [`load`] reads every file of [`SettingsPlaces`] through [`SettingsFiles`] and says what they come
//! to: [`Loaded`]. Nothing is read but what the places name, nothing is written, and no file's fault
//! ends the loading: each becomes a [`crate::Problem`] with its line and column.

mod drawing;
mod files;
mod hooks;
mod load;
mod loaded;
mod place;
mod pointsman;
mod trust;

pub use drawing::SourceTexts;
pub use files::{DiskFiles, FILE_BYTES_MAX, MemoryFiles, SettingsFiles};
pub use hooks::{HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting, HookSettings};
pub use load::load;
pub use loaded::{
    DirectorySetting, Found, Loaded, ModeSetting, Offer, SettingsFile, Standing, Switches, Whose,
};
pub use place::{Dialect, SettingsPlace, SettingsPlaces};
pub use pointsman::{ClassifierSettings, PointsmanSettings, Presence};
pub use trust::{Loosening, LooseningKind, TrustRecord};
