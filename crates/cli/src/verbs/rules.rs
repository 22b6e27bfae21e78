//! The rules and the mode in force: all settings, and on top what the command line says.

use std::path::PathBuf;

use pointsman_model::{
    AbsPath, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
};
use pointsman_policy::settings::{DiskFiles, Loaded, Offer, SettingsPlaces, load};
use pointsman_policy::{Problem, Severity, parse_rule};

use crate::arguments::RuleArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// What settings and command line say together.
pub(super) struct Given {
    /// All settings files, and the rules of the command line.
    pub(super) loaded: Loaded,
    /// The mode of agents that are given none.
    pub(super) mode: PermissionMode,
}

/// Reads them.
pub(super) fn read(arguments: &RuleArguments, place: &Place) -> Result<Given, Failure> {
    let (_, mut loaded) = settings(&arguments.settings, place)?;
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
    loaded.add_rules(rules);
    let mode = arguments
        .mode
        .or(loaded.default_mode.as_ref().map(|set| set.mode))
        .unwrap_or(PermissionMode::Default);
    let offer = match mode {
        PermissionMode::BypassPermissions => loaded.switches.bypass,
        PermissionMode::Auto => loaded.switches.auto,
        PermissionMode::Plan
        | PermissionMode::DontAsk
        | PermissionMode::Default
        | PermissionMode::AcceptEdits => Offer::Offered,
    };
    match offer {
        Offer::Offered => Ok(Given { loaded, mode }),
        Offer::Forbidden => Err(Failure::bad_input(format!(
            "the settings switch the mode `{mode}` off"
        ))
        .hint("take another one after `--mode`")),
    }
}

/// The settings that count here with these files on top, and where they were looked for.
pub(super) fn settings(
    named: &[PathBuf],
    place: &Place,
) -> Result<(SettingsPlaces, Loaded), Failure> {
    let mut files = Vec::new();
    for file in named {
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
    let mut places = place.settings(files);
    let trust = place.trust_file(&places).read();
    let damaged = match trust {
        Ok(record) => {
            places.trust = record;
            None
        }
        Err(error) => Some(Problem {
            severity: Severity::Warning,
            place: None,
            message: Failure::of(&error).what().into(),
            hint: Some(
                "what this project's files loosen is not in force; `pointsman trust` makes it anew"
                    .into(),
            ),
        }),
    };
    let mut loaded = load(&places, &DiskFiles);
    loaded.problems.extend(damaged);
    Ok((places, loaded))
}

/// Tells each problem on standard error, and in one line what waits for trust.
pub(super) fn tell(loaded: &Loaded, output: &Output) {
    for problem in &loaded.problems {
        output.note(&loaded.draw(problem));
    }
    let count = match loaded.untrusted.len() {
        0 => return,
        1 => "a line of this project's files loosens something; it is".to_owned(),
        count => format!("{count} lines of this project's files loosen something; they are"),
    };
    output.note(&format!(
        "{count} not in force until this project is trusted: see `pointsman trust`\n"
    ));
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
