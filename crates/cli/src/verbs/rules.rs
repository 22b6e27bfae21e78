//! The rules and the mode in force: all settings, and on top what the command line says.

use pointsman_model::{
    AbsPath, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
};
use pointsman_policy::parse_rule;
use pointsman_policy::settings::{DiskFiles, Loaded, load};

use crate::arguments::RuleArguments;
use crate::failure::Failure;
use crate::place::Place;

/// What settings and command line say together.
pub(super) struct Given {
    /// All settings files.
    pub(super) loaded: Loaded,
    /// The rules of the command line.
    pub(super) rules: Vec<PermissionRule>,
    /// The mode of agents that are given none.
    pub(super) mode: PermissionMode,
}

impl Given {
    /// All rules, those of the command line last.
    pub(super) fn all_rules(&self) -> Vec<PermissionRule> {
        self.loaded
            .rules
            .iter()
            .chain(&self.rules)
            .cloned()
            .collect()
    }
}

/// Reads them.
pub(super) fn read(arguments: &RuleArguments, place: &Place) -> Result<Given, Failure> {
    let mut files = Vec::new();
    for file in &arguments.settings {
        let path = place.path(file)?;
        if !path.as_path().is_file() {
            return Err(Failure::bad_input(format!(
                "there is no settings file `{}`",
                file.display()
            ))
            .hint("check the path after `--settings`"));
        }
        files.push(path);
    }
    let loaded = load(&place.settings(files), &DiskFiles);
    let mut rules = Vec::new();
    for (behavior, texts) in [
        (RuleBehavior::Allow, &arguments.allow),
        (RuleBehavior::Ask, &arguments.ask),
        (RuleBehavior::Deny, &arguments.deny),
    ] {
        for text in texts {
            rules.push(rule(behavior, text, &place.folder)?);
        }
    }
    let mode = arguments
        .mode
        .or(loaded.default_mode.as_ref().map(|set| set.mode))
        .unwrap_or(PermissionMode::Default);
    Ok(Given {
        loaded,
        rules,
        mode,
    })
}

fn rule(behavior: RuleBehavior, text: &str, anchor: &AbsPath) -> Result<PermissionRule, Failure> {
    parse_rule(text).map_err(|error| {
        let failure =
            Failure::of(&error).at(format!("--{behavior} {text}: column {}", error.column()));
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    Ok(PermissionRule {
        behavior,
        text: RuleText::new(text),
        source: RuleSource::CliArg,
        place: None,
        anchor: anchor.clone(),
    })
}
