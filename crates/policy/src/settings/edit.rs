//! Adding rules to a settings file's text. All that stands in it stays, comments and order too.
//!
//! Only the new text is worked out here; whoever keeps it holds the file's lock and writes it whole.

use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use pointsman_model::{RuleBehavior, RuleText, visible};

use super::document::{Json, Source, parse_options};
use crate::parse_rule;

/// Why a file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddRulesError {
    /// The text is no settings file; writing over it could lose what it says.
    #[error("line {line}, column {column}: {what}; mend the file before rules are added to it")]
    NotSettings {
        /// Line, counted from 1.
        line: u32,
        /// Column in characters, counted from 1.
        column: u32,
        /// What is wrong.
        what: String,
    },
    /// A text that is no rule.
    #[error("{0}")]
    NoRule(String),
    /// The rule has no effect as an allow, so that keeping it would promise too much.
    #[error("{0}")]
    NoEffect(String),
}

/// The text of a settings file with these rules added to the list of that behavior, those that are
/// there left out. An empty text becomes a new file.
///
/// # Errors
/// When the text does not parse, has lists or objects of another kind where rules belong, or when a
/// rule is none or would have no effect. Nothing is added then.
pub fn add_rules(
    text: &str,
    behavior: RuleBehavior,
    rules: &[RuleText],
) -> Result<String, AddRulesError> {
    for rule in rules {
        let parsed =
            parse_rule(rule.as_str()).map_err(|error| AddRulesError::NoRule(error.to_string()))?;
        if let Some(fault) = parsed.fault(behavior) {
            return Err(AddRulesError::NoEffect(fault.message));
        }
    }
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let source = Source::new("", text);
    check_shape(&source, behavior)?;
    let root = CstRootNode::parse(&source.text, &parse_options())
        .map_err(|error| not_settings(&source, error.range().start, error.kind().to_string()))?;
    let list = list_of(&root.object_value_or_set(), behavior);
    for rule in rules {
        if !holds(&list, rule.as_str()) {
            list.append(CstInputValue::String(rule.as_str().into()));
        }
    }
    let mut new = root.to_string();
    if !new.ends_with('\n') {
        new.push('\n');
    }
    Ok(new)
}

/// Makes sure that nothing is put in the place of something else, and that no key comes twice: which
/// of the two lists a reader takes is not known.
fn check_shape(source: &Source, behavior: RuleBehavior) -> Result<(), AddRulesError> {
    let root = source
        .parse()
        .map_err(|error| not_settings(source, error.at, error.what))?;
    let mut value = &root;
    for key in ["permissions", behavior.as_str()] {
        let Json::Object(members) = &value.json else {
            let what = format!("this is {} where an object belongs", value.json.kind());
            return Err(not_settings(source, value.at, what));
        };
        let mut found = members.iter().filter(|member| &*member.key == key);
        let Some(member) = found.next() else {
            return Ok(());
        };
        if let Some(twice) = found.next() {
            return Err(not_settings(
                source,
                twice.key_at,
                format!("`{key}` is here twice"),
            ));
        }
        value = &member.value;
    }
    match &value.json {
        Json::List(_) => Ok(()),
        other => {
            let what = format!("this is {} where a list of rules belongs", other.kind());
            Err(not_settings(source, value.at, what))
        }
    }
}

fn not_settings(source: &Source, at: usize, what: String) -> AddRulesError {
    let place = source.place(at);
    AddRulesError::NotSettings {
        line: place.line,
        column: place.column,
        what: visible(&what).into_owned(),
    }
}

/// The list of that behavior, made where it is missing.
fn list_of(root: &CstObject, behavior: RuleBehavior) -> CstArray {
    let permissions = root.object_value_or_set("permissions");
    let is_new = permissions.array_value(behavior.as_str()).is_none();
    let list = permissions.array_value_or_set(behavior.as_str());
    if is_new {
        permissions.ensure_multiline();
        list.ensure_multiline();
    }
    list
}

fn holds(list: &CstArray, rule: &str) -> bool {
    list.elements().iter().any(|element| {
        let text = element
            .as_string_lit()
            .and_then(|text| text.decoded_value().ok());
        text.is_some_and(|text| text == rule)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOW: RuleBehavior = RuleBehavior::Allow;

    #[track_caller]
    fn check(text: &str, rules: &[&str], expect: &str) {
        let rules: Vec<RuleText> = rules.iter().map(|rule| RuleText::new(rule)).collect();
        let new = add_rules(text, ALLOW, &rules).unwrap();
        assert_eq!(new, expect);
        assert_eq!(
            add_rules(&new, ALLOW, &rules).unwrap(),
            new,
            "adding again changes nothing"
        );
    }

    #[test]
    fn comments_and_order_stay() {
        check(
            "{\n  // mine\n  \"model\": \"x\",\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\"], // never\n    \"allow\": [\n      \"Bash(ls)\", /* safe */\n    ]\n  }\n}\n",
            &["Bash(npm test *)", "Bash(ls)"],
            "{\n  // mine\n  \"model\": \"x\",\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\"], // never\n    \"allow\": [\n      \"Bash(ls)\", /* safe */\n      \"Bash(npm test *)\",\n    ]\n  }\n}\n",
        );
    }

    #[test]
    fn what_is_missing_is_made() {
        let made = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(echo \\\"a\\\" *)\"\n    ]\n  }\n}\n";
        check("", &["Bash(echo \"a\" *)"], made);
        check("{}", &["Bash(echo \"a\" *)"], made);
        check(
            "{\n\t\"permissions\": {\n\t\t\"deny\": []\n\t}\n}\n",
            &["Read"],
            "{\n\t\"permissions\": {\n\t\t\"deny\": [],\n\t\t\"allow\": [\n\t\t\t\"Read\"\n\t\t]\n\t}\n}\n",
        );
    }

    #[track_caller]
    fn check_refused(text: &str, rule: &str, expect: &str) {
        let error = add_rules(text, ALLOW, &[RuleText::new(rule)]).unwrap_err();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn a_file_that_does_not_parse_is_left_alone() {
        check_refused(
            "{\n  \"permissions\": {",
            "Read",
            "line 2, column 18: unterminated object; mend the file before rules are added to it",
        );
        check_refused(
            "[]",
            "Read",
            "line 1, column 1: this is a list where an object belongs; mend the file before rules are added to it",
        );
        check_refused(
            "{\"permissions\": {\"allow\": \"Read\"}}",
            "Read",
            "line 1, column 27: this is a string where a list of rules belongs; mend the file before rules are added to it",
        );
        check_refused(
            "{\"permissions\": {}, \"permissions\": {\"allow\": []}}",
            "Read",
            "line 1, column 21: `permissions` is here twice; mend the file before rules are added to it",
        );
        check_refused(
            "{\"a\" 1}",
            "Read",
            "line 1, column 6: expected colon after the string or word in object property; mend the file before rules are added to it",
        );
    }

    #[test]
    fn what_is_no_rule_or_allows_nothing_is_not_kept() {
        check_refused(
            "{}",
            "Bash(ls",
            "`Bash(ls` is no rule: its parenthesis is not closed at the end",
        );
        check_refused(
            "{}",
            "Write(/a)",
            "`Write(/a)` never matches: paths are governed by `Read(...)` and `Edit(...)` alone",
        );
    }
}
