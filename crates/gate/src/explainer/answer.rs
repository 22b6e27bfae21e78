//! How an action is shown to the explaining model, and how its answer is read.

use pointsman_model::{ExplainedBy, Explanation, PermissionRequest, RiskLevel, first_hidden};
use serde::{Deserialize, Serialize};

use crate::classifier::effect_in_words;
use crate::strict::{self, Spelled};

/// Words of a risk.
const RISK_WORDS_MAX: usize = 15;

/// Characters of the other texts; one or two sentences.
const CHARS_MAX: usize = 500;

/// Why an explanation is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misread {
    #[error("it is not the JSON object that was asked for")]
    NotTheObject(#[source] serde_json::Error),
    #[error("`{0}` is empty, too long, or holds what can't be shown")]
    Unfit(&'static str),
    #[error("`reasoning` does not begin with `I`")]
    NotInTheAgentsVoice,
    #[error("`risk` has more than {RISK_WORDS_MAX} words")]
    TooManyWords,
}

#[derive(Serialize)]
struct Evidence<'a> {
    tool: &'a str,
    input: &'a str,
    folder: &'a str,
    task: &'a str,
    what_it_would_do: Vec<String>,
}

/// The action as evidence; nothing when it is larger than `bytes_max`.
pub(super) fn evidence(request: &PermissionRequest, bytes_max: usize) -> Option<String> {
    let evidence = Evidence {
        tool: request.call.tool.as_str(),
        input: request.call.text.as_str(),
        folder: request.folder.as_str(),
        task: &request.task,
        what_it_would_do: request.effects.list.iter().map(effect_in_words).collect(),
    };
    let text = serde_json::to_string_pretty(&evidence).ok()?;
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
    (text.len() <= bytes_max).then_some(text)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Answer {
    explanation: String,
    reasoning: String,
    risk: String,
    risk_level: Spelled<RiskLevel>,
}

/// Reads an explanation.
pub(super) fn read(text: &str) -> Result<Explanation, Misread> {
    let answer: Answer = strict::object(text.trim().as_bytes()).map_err(Misread::NotTheObject)?;
    let fields = [
        ("explanation", &answer.explanation),
        ("reasoning", &answer.reasoning),
        ("risk", &answer.risk),
    ];
    for (name, text) in fields {
        let long = text.chars().count() > CHARS_MAX;
        if text.trim().is_empty() || long || first_hidden(text).is_some() {
            return Err(Misread::Unfit(name));
        }
    }
    if !begins_with_i(&answer.reasoning) {
        return Err(Misread::NotInTheAgentsVoice);
    }
    if answer.risk.split_whitespace().count() > RISK_WORDS_MAX {
        return Err(Misread::TooManyWords);
    }
    Ok(Explanation {
        explanation: answer.explanation,
        reasoning: answer.reasoning,
        risk: answer.risk,
        risk_level: answer.risk_level.0,
        by: ExplainedBy::Model,
    })
}

/// The word itself, not a word that begins with it.
fn begins_with_i(text: &str) -> bool {
    text.strip_prefix('I')
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| !next.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"explanation":"Runs the tests.","reasoning":"I want to see whether they pass.","risk":"tests may write files","riskLevel":"LOW"}"#;

    #[test]
    fn the_object_that_was_asked_for_is_read() {
        let explanation = read(GOOD).unwrap();
        assert_eq!(explanation.risk_level, RiskLevel::Low);
        assert_eq!(explanation.by, ExplainedBy::Model);
        assert!(read(&GOOD.replace("I want", "I'd like")).is_ok());
        let fifteen = "word ".repeat(15);
        assert!(read(&GOOD.replace("tests may write files", &fifteen)).is_ok());
    }

    #[test]
    fn anything_else_is_not_shown() {
        let sixteen = "word ".repeat(16);
        let cases = [
            String::new(),
            "It runs the tests.".into(),
            format!("```json\n{GOOD}\n```"),
            GOOD.replace("I want", "It wants"),
            GOOD.replace("I want", "Interesting"),
            GOOD.replace("LOW", "low"),
            GOOD.replace("LOW", "NONE"),
            GOOD.replace("Runs the tests.", " "),
            GOOD.replace("Runs the tests.", "\\u202eRuns"),
            GOOD.replace("Runs the tests.", &"x".repeat(CHARS_MAX + 1)),
            GOOD.replace("tests may write files", &sixteen),
            GOOD.replace("riskLevel", "risk_level"),
            GOOD.replace('}', r#","verdict":"allow"}"#),
            r#"["Runs the tests.","I want to see.","files change","LOW"]"#.into(),
            GOOD.replace(r#""LOW""#, r#"{"LOW":null}"#),
            GOOD.replace(r#""LOW""#, r#"["LOW"]"#),
        ];
        for text in cases {
            assert!(read(&text).is_err(), "{text}");
        }
    }
}
