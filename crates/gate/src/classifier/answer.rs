//! Reading the classifier's answer: one JSON object of the form that was asked for, or nothing.

use pointsman_llm::{ModelPart, Reply};
use pointsman_model::first_hidden;
use serde::Deserialize;

use crate::strict::{self, Spelled};

/// How long a reason may be; people read it in a dialog.
const REASON_CHARS_MAX: usize = 600;

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Allow { reason: Box<str> },
    Refuse { reason: Box<str> },
}

/// Why an answer does not count.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misread {
    #[error("it is more than words")]
    NotWords,
    #[error("it is not the one JSON object that was asked for")]
    NotTheObject(#[source] serde_json::Error),
    #[error("it speaks of another action")]
    OtherAction,
    #[error("it gives no reason, or one that can't be shown")]
    NoReason,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    action: String,
    verdict: Spelled<Verdict>,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Allow,
    Refuse,
}

/// Reads a model's answer: one text, and that is read by [`read_text`].
pub(super) fn read(reply: &Reply, code: &str) -> Result<Said, Misread> {
    if reply.uses().next().is_some() {
        return Err(Misread::NotWords);
    }
    let mut texts = reply.parts.iter().filter_map(|part| match part {
        ModelPart::Text(text) => Some(text.as_str()),
        ModelPart::Use(_) | ModelPart::Other(_) => None,
    });
    let (Some(text), None) = (texts.next(), texts.next()) else {
        return Err(Misread::NotWords);
    };
    read_text(text, code)
}

/// Reads an answer about the action with that code. Words around the object, a field more or less,
/// another spelling: all of that is no answer.
pub(super) fn read_text(text: &str, code: &str) -> Result<Said, Misread> {
    let answer: Answer =
        strict::object(text.trim_ascii().as_bytes()).map_err(Misread::NotTheObject)?;
    if answer.action != code {
        return Err(Misread::OtherAction);
    }
    let reason = answer.reason.trim();
    let fits = (1..=REASON_CHARS_MAX).contains(&reason.chars().count());
    if !fits || first_hidden(reason).is_some() {
        return Err(Misread::NoReason);
    }
    let reason = reason.into();
    Ok(match answer.verdict.0 {
        Verdict::Allow => Said::Allow { reason },
        Verdict::Refuse => Said::Refuse { reason },
    })
}

#[cfg(test)]
mod tests {
    use pointsman_llm::{Stop, ToolInputText, ToolUse};
    use proptest::prelude::*;

    use super::*;

    fn reply(parts: Vec<ModelPart>) -> Reply {
        Reply {
            parts,
            stop: Stop::Done,
            usage: None,
            model: "m".into(),
        }
    }

    fn said(text: &str) -> Result<Said, Misread> {
        read(&reply(vec![ModelPart::Text(text.into())]), "c0de")
    }

    const ALLOW: &str = r#"{"action":"c0de","verdict":"allow","reason":"only lists files"}"#;

    #[test]
    fn the_object_that_was_asked_for_is_read() {
        let reason: Box<str> = "only lists files".into();
        let allow = Said::Allow {
            reason: reason.clone(),
        };
        assert_eq!(said(ALLOW).unwrap(), allow);
        assert_eq!(said(&format!("\n {ALLOW}\n")).unwrap(), allow);
        let refuse = ALLOW.replace("allow", "refuse");
        assert_eq!(said(&refuse).unwrap(), Said::Refuse { reason });
    }

    #[test]
    fn anything_else_is_no_answer() {
        let cases = [
            String::new(),
            "allow".into(),
            "yes".into(),
            "{}".into(),
            format!("```json\n{ALLOW}\n```"),
            format!("\u{a0}{ALLOW}"),
            format!("Sure: {ALLOW}"),
            format!("{ALLOW} {ALLOW}"),
            format!("[{ALLOW}]"),
            ALLOW.replace("allow", "ALLOW"),
            ALLOW.replace("allow", "allowed"),
            ALLOW.replace("c0de", "c0df"),
            ALLOW.replace("c0de", ""),
            ALLOW.replace("only lists files", " "),
            ALLOW.replace("only lists files", "\\u202e"),
            ALLOW.replace("only lists files", &"x".repeat(REASON_CHARS_MAX + 1)),
            ALLOW.replace("reason", "because"),
            ALLOW.replace('}', r#","confidence":1}"#),
            ALLOW.replace('}', r#","verdict":"refuse"}"#),
            ALLOW.replace('"', "'"),
            ALLOW.replace('}', ""),
            r#"{"action":"c0de","verdict":null,"reason":"x"}"#.into(),
            r#"{"action":"c0de","verdict":true,"reason":"x"}"#.into(),
            // A list in the order of the fields, and an object in the place of a word.
            r#"["c0de","allow","x"]"#.into(),
            r#"{"action":"c0de","verdict":{"allow":null},"reason":"x"}"#.into(),
            r#"{"action":"c0de","verdict":["allow"],"reason":"x"}"#.into(),
            r#"["c0de",{"allow":null},"x"]"#.into(),
        ];
        for text in cases {
            assert!(said(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn two_parts_or_a_tool_use_are_no_answer() {
        let text = || ModelPart::Text(ALLOW.into());
        let asks = ModelPart::Use(ToolUse {
            id: "1".into(),
            name: "Bash".into(),
            input: ToolInputText::read("{}".into()),
        });
        for parts in [vec![], vec![text(), text()], vec![text(), asks]] {
            assert!(read(&reply(parts), "c0de").is_err());
        }
    }

    proptest! {
        /// Cutting the answer off anywhere makes it no answer, never another one.
        #[test]
        fn half_an_answer_is_no_answer(at in 0..ALLOW.len()) {
            prop_assert!(said(ALLOW.get(..at).unwrap()).is_err());
        }
    }
}
