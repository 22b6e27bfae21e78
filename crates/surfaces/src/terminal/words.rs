//! What a typed line says. Whole words only: no single key and no empty line is ever an answer.

use pointsman_model::RequestId;

use crate::session::SessionScope;

/// A line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Run it once. Grave requests want their id said with it.
    Allow { id: Option<RequestId> },
    /// Run it, and grant a proposal, counted from 1.
    Session {
        proposal: usize,
        scope: SessionScope,
    },
    /// Refuse it, with a text for the agent.
    Deny { text: Option<String> },
    /// Refuse it and end the run.
    Stop,
    /// Show the request whole.
    Show,
    /// List what is open.
    List,
    /// Turn to another request.
    TurnTo(RequestId),
    /// Nothing was said.
    Nothing,
    /// Something that is no answer.
    Unclear(String),
}

/// Reads a line.
pub(super) fn understand(line: &str) -> Said {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match (word, rest) {
        ("", _) => Said::Nothing,
        ("allow", "") => Said::Allow { id: None },
        ("allow", id) => match id.parse() {
            Ok(id) => Said::Allow { id: Some(id) },
            Err(_) => Said::Unclear(line.into()),
        },
        ("session", rest) => session(rest).unwrap_or_else(|| Said::Unclear(line.into())),
        ("deny", "") => Said::Deny { text: None },
        ("deny", text) => Said::Deny {
            text: Some(text.into()),
        },
        ("stop", "") => Said::Stop,
        ("show", "") => Said::Show,
        ("list", "") => Said::List,
        (id, "") => id
            .parse()
            .map_or_else(|_| Said::Unclear(line.into()), Said::TurnTo),
        _ => Said::Unclear(line.into()),
    }
}

/// Reads `[N] [worker|job|run]`.
fn session(rest: &str) -> Option<Said> {
    let mut words = rest.split_whitespace().peekable();
    let proposal = match words.peek().and_then(|word| word.parse().ok()) {
        Some(number) => {
            words.next();
            number
        }
        None => 1,
    };
    let scope = match words.next() {
        Some(word) => word.parse().ok()?,
        None => SessionScope::Worker,
    };
    words
        .next()
        .is_none()
        .then_some(Said::Session { proposal, scope })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::RunId;

    #[test]
    fn only_whole_words_answer() {
        for everyday in [
            "", " ", "y", "yes", "1", "a", "d", "q", "Allow", "allow it", "allowed",
        ] {
            let said = understand(everyday);
            assert!(
                matches!(said, Said::Nothing | Said::Unclear(_)),
                "`{everyday}` was taken for {said:?}"
            );
        }
    }

    #[test]
    fn answers_are_words() {
        let id = RequestId::new(RunId::new(3).unwrap(), 17);
        let session = |proposal, scope| Said::Session { proposal, scope };
        for (line, said) in [
            ("allow", Said::Allow { id: None }),
            ("allow r3-17", Said::Allow { id: Some(id) }),
            ("session", session(1, SessionScope::Worker)),
            ("session 2", session(2, SessionScope::Worker)),
            ("session job", session(1, SessionScope::Job)),
            ("session 3 run", session(3, SessionScope::Run)),
            ("session all", Said::Unclear("session all".into())),
            ("session 1 run 2", Said::Unclear("session 1 run 2".into())),
            ("deny", Said::Deny { text: None }),
            (
                "deny  use the other branch ",
                Said::Deny {
                    text: Some("use the other branch".into()),
                },
            ),
            ("stop", Said::Stop),
            ("stop it", Said::Unclear("stop it".into())),
            ("r3-17", Said::TurnTo(id)),
        ] {
            assert_eq!(understand(line), said, "`{line}`");
        }
    }
}
