//! `updatedPermissions`: what a hook wants changed beyond the call it was asked about.

use pointsman_model::{RuleBehavior, RuleSource};

use super::super::wish::HookUpdate;
use super::wire;
use crate::strict::Object;

/// An update, and where the hook wants it kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hooks) struct Update {
    pub(in crate::hooks) update: HookUpdate,
    /// The session, or one of the three settings that a person edits; never the managed ones.
    pub(in crate::hooks) destination: RuleSource,
}

/// Reads a list of updates. One that can't be read makes the whole answer unreadable, as with other
/// hosts of the same hooks.
pub(super) fn read(updates: Option<&[Object<wire::Update>]>) -> Result<Vec<Update>, String> {
    updates.unwrap_or_default().iter().map(one).collect()
}

fn one(Object(update): &Object<wire::Update>) -> Result<Update, String> {
    Ok(Update {
        update: what(update)?,
        destination: destination(update.destination.as_deref())?,
    })
}

fn what(update: &wire::Update) -> Result<HookUpdate, String> {
    match update.kind.as_str() {
        "addRules" => Ok(HookUpdate::AddRules {
            behavior: behavior(update.behavior.as_deref())?,
            rules: update
                .rules
                .iter()
                .map(|Object(rule)| rule.text())
                .collect(),
        }),
        "setMode" => {
            let mode = update.mode.as_deref().unwrap_or_default();
            let mode = mode.parse().map_err(|error| format!("{error}"))?;
            Ok(HookUpdate::SetMode(mode))
        }
        "addDirectories" => Ok(HookUpdate::AddDirectories(
            update
                .directories
                .iter()
                .map(|folder| folder.as_str().into())
                .collect(),
        )),
        kind @ ("replaceRules" | "removeRules" | "removeDirectories") => {
            Ok(HookUpdate::TakeBack(kind.into()))
        }
        other => Err(format!("`{other}` is no update of permissions")),
    }
}

fn behavior(text: Option<&str>) -> Result<RuleBehavior, String> {
    match text {
        Some("allow") => Ok(RuleBehavior::Allow),
        Some("deny") => Ok(RuleBehavior::Deny),
        Some("ask") => Ok(RuleBehavior::Ask),
        _ => Err("a rule to add allows, denies or asks".into()),
    }
}

fn destination(text: Option<&str>) -> Result<RuleSource, String> {
    match text {
        None | Some("session") => Ok(RuleSource::Session),
        Some("userSettings") => Ok(RuleSource::UserSettings),
        Some("projectSettings") => Ok(RuleSource::ProjectSettings),
        Some("localSettings") => Ok(RuleSource::LocalSettings),
        Some(other) => Err(format!("permissions can't be kept in `{other}`")),
    }
}
