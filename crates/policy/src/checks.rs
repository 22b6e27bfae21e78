//! What must hold for any rule and any settings file, each as a function over one text.
//!
//! The fuzzer and the ordinary tests call the same functions. They are no part of the product: the
//! crate has them in its own tests and with the feature `checks`.

#[cfg(test)]
mod tests;

use pointsman_model::{AbsPath, PermissionRule, RuleBehavior, RuleText};

use crate::parse_rule;
use crate::settings::{Loaded, MemoryFiles, SettingsPlaces, Standing, add_rules, load};

/// Behaviors, in the order of a settings file.
const BEHAVIORS: [RuleBehavior; 3] = [RuleBehavior::Allow, RuleBehavior::Ask, RuleBehavior::Deny];

/// A rule that is read, printed and read again is the same rule, with the same faults.
///
/// # Errors
/// How they differ.
pub fn rules_survive_printing(text: &str) -> Result<(), String> {
    let Ok(rule) = parse_rule(text) else {
        return Ok(());
    };
    let printed = rule.to_string();
    let again = parse_rule(&printed).map_err(|error| format!("{printed:?}: {error}"))?;
    if again != rule || again.to_string() != printed {
        return Err(format!("{rule:?}\nprinted {printed:?}\nread {again:?}"));
    }
    for behavior in BEHAVIORS {
        if rule.fault(behavior) != again.fault(behavior) {
            return Err(format!("{printed:?} has another fault as {behavior}"));
        }
    }
    Ok(())
}

/// A settings file of any bytes is read to the end, and its rules, written to a new file, are read
/// as the same rules. A file that rules are added to keeps those that it had.
///
/// # Errors
/// How they differ.
pub fn settings_survive_printing(bytes: &[u8]) -> Result<(), String> {
    let loaded = loaded(bytes);
    if loaded.standing != Standing::Clean {
        // What can't be read whole asks for everything; nothing is said of its rules.
        return Ok(());
    }
    let first = rules(&loaded);
    let mut printed = String::from("{}\n");
    for behavior in BEHAVIORS {
        let texts: Vec<RuleText> = loaded
            .rules
            .iter()
            .filter(|rule| rule.behavior == behavior && rule.place.is_some())
            .map(|rule| rule.text.clone())
            .collect();
        if let Ok(text) = add_rules(&printed, behavior, &texts) {
            printed = text;
        } else {
            // A rule that has no effect is not kept; one that has is, alone.
            for text in texts {
                if let Ok(text) = add_rules(&printed, behavior, &[text]) {
                    printed = text;
                }
            }
        }
    }
    let again = rules(&self::loaded(printed.as_bytes()));
    if let Some(lost) = again.iter().find(|rule| !first.contains(rule)) {
        return Err(format!("{lost:?} came of nothing in {printed}"));
    }
    if let Some(lost) = first.iter().find(|(behavior, text)| {
        keeps(*behavior, text) && !again.contains(&(*behavior, text.clone()))
    }) {
        return Err(format!("{lost:?} is lost in {printed}"));
    }
    added(bytes, &first)
}

/// Whether a file is given the rule when it is to be kept.
fn keeps(behavior: RuleBehavior, text: &str) -> bool {
    parse_rule(text).is_ok_and(|rule| rule.fault(behavior).is_none())
}

fn added(bytes: &[u8], first: &[(RuleBehavior, String)]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(());
    };
    for behavior in BEHAVIORS {
        let rule = RuleText::new("Bash(pointsman-never *)");
        let Ok(longer) = add_rules(text, behavior, &[rule]) else {
            continue;
        };
        let again = rules(&loaded(longer.as_bytes()));
        if !again.contains(&(behavior, "Bash(pointsman-never *)".into())) {
            return Err(format!("the added {behavior} does not count in {longer}"));
        }
        if let Some(lost) = first.iter().find(|rule| !again.contains(rule)) {
            return Err(format!(
                "{lost:?} is lost by adding to {behavior}: {longer}"
            ));
        }
    }
    Ok(())
}

fn loaded(bytes: &[u8]) -> Loaded {
    let path = |text: &str| AbsPath::parse(text).unwrap_or_else(|_| AbsPath::root());
    let home = path("/home/dev");
    let files = MemoryFiles::new().with(home.join(".claude/settings.json"), bytes);
    load(&SettingsPlaces::of_project(path("/w/proj"), home), &files)
}

fn rules(loaded: &Loaded) -> Vec<(RuleBehavior, String)> {
    let told = |rule: &PermissionRule| (rule.behavior, rule.text.to_string());
    let in_file = loaded.rules.iter().filter(|rule| rule.place.is_some());
    in_file.map(told).collect()
}
