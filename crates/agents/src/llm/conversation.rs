//! The conversation of an agent and its model, and how it is shortened.

use pointsman_llm::{ModelPart, PersonPart, ResultKind, ToolInputText, ToolResult, ToolUse, Turn};

use super::notice::{gone, shortened};

/// Turns whose results are kept at first, and when that was not enough.
const KEPT: [usize; 2] = [8, 2];

/// A shorter result is not worth leaving out.
const LEFT_OUT_BYTES_MIN: usize = 400;

/// See [`Conversation::guessed_tokens`].
const BYTES_PER_TOKEN: usize = 3;

/// What a model is told whose words were the last that is on record.
pub(super) const GO_ON: &str = "The work was interrupted here. Go on.";

/// What is open at the end of a conversation.
#[derive(Debug, PartialEq)]
pub(super) enum LooseEnd {
    /// Nothing: it is the model's turn.
    Nothing,
    /// The model spoke last, and asked for nothing.
    Words,
    /// The model asked for these, and was told nothing of them.
    Uses(Vec<ToolUse>),
}

/// What shortening came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compacted {
    /// So much was left out.
    Shorter { bytes: usize },
    /// There was nothing to leave out.
    NothingLeft,
}

/// A conversation. Turns of person and model take turns, and each tool use has its result in the turn
/// behind it.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    turns: Vec<Turn>,
}

impl Conversation {
    /// The same conversation that its agent had before its leader died. What its last turn asks for is not answered.
    pub(super) fn again(turns: Vec<Turn>) -> Self {
        Self { turns }
    }

    /// What the last turn leaves to be done before the model is asked again.
    pub(super) fn loose_end(&self) -> LooseEnd {
        let Some(Turn::Model(parts)) = self.turns.last() else {
            return LooseEnd::Nothing;
        };
        let uses: Vec<ToolUse> = parts
            .iter()
            .filter_map(|part| match part {
                ModelPart::Use(tool_use) => Some(tool_use.clone()),
                ModelPart::Text(_) | ModelPart::Other(_) => None,
            })
            .collect();
        if uses.is_empty() {
            LooseEnd::Words
        } else {
            LooseEnd::Uses(uses)
        }
    }

    /// A conversation to be gone on with by another agent, which works on this task now. Where it ends with tool uses,
    /// they get results that say that nothing is known of them.
    pub(super) fn resumed(turns: Vec<Turn>, task: &str) -> Self {
        let mut conversation = Self { turns };
        let unknown = match conversation.loose_end() {
            LooseEnd::Nothing | LooseEnd::Words => Vec::new(),
            LooseEnd::Uses(uses) => uses,
        };
        for tool_use in unknown {
            conversation.person_adds(PersonPart::Result(ToolResult {
                id: tool_use.id,
                text: "The work was interrupted here. Whether this ran is not known: look before \
                       you ask for it again."
                    .into(),
                kind: ResultKind::NotDone,
            }));
        }
        let gone = gone(conversation.turns());
        for words in gone.into_iter().chain([task.into()]) {
            conversation.person_adds(PersonPart::Text(words));
        }
        conversation
    }

    pub(super) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(super) fn model(&mut self, parts: Vec<ModelPart>) {
        self.turns.push(Turn::Model(parts));
    }

    pub(super) fn person(&mut self, parts: Vec<PersonPart>) {
        self.turns.push(Turn::Person(parts));
    }

    /// Adds to what the model reads next: to the turn that is the person's already, or as one.
    pub(super) fn person_adds(&mut self, part: PersonPart) {
        match self.turns.last_mut() {
            Some(Turn::Person(parts)) => parts.push(part),
            Some(_) | None => self.person(vec![part]),
        }
    }

    /// Whether the model was told exactly this.
    pub(super) fn has_heard(&self, words: &str) -> bool {
        let told = self.turns.iter().filter_map(|turn| match turn {
            Turn::Person(parts) => Some(parts),
            Turn::Model(_) => None,
        });
        told.flatten()
            .any(|part| matches!(part, PersonPart::Text(text) if text == words))
    }

    /// About how many tokens it is, for servers that don't count: one for each three bytes, which English and code
    /// stay below.
    pub(super) fn guessed_tokens(&self) -> u64 {
        let bytes: usize = self.turns.iter().map(bytes_of).sum();
        u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX)
    }

    /// Leaves the text of older results out, and says so in their place. Words, and what was asked for,
    /// stay: they are what the model needs to know where it stands.
    pub(super) fn compact(&mut self) -> Compacted {
        for kept in KEPT {
            let bytes = self.leave_out(kept);
            if bytes > 0 {
                return Compacted::Shorter { bytes };
            }
        }
        Compacted::NothingLeft
    }

    fn leave_out(&mut self, kept: usize) -> usize {
        let older = self.turns.len().saturating_sub(kept);
        let mut bytes = 0;
        for turn in self.turns.iter_mut().take(older) {
            let Turn::Person(parts) = turn else { continue };
            for part in parts {
                let result = match part {
                    PersonPart::Result(result) => result,
                    PersonPart::Text(text) => {
                        if let Some(shorter) = shortened(text)
                            && text.len() >= LEFT_OUT_BYTES_MIN
                        {
                            bytes += text.len();
                            *text = shorter;
                        }
                        continue;
                    }
                };
                if result.text.len() >= LEFT_OUT_BYTES_MIN {
                    bytes += result.text.len();
                    result.text = format!(
                        "[a result of {} bytes was left out here to save room; ask for it again if \
                         you need it]",
                        result.text.len()
                    );
                }
            }
        }
        bytes
    }
}

fn bytes_of(turn: &Turn) -> usize {
    match turn {
        Turn::Person(parts) => parts
            .iter()
            .map(|part| match part {
                PersonPart::Text(text) => text.len(),
                PersonPart::Result(result) => result.text.len(),
            })
            .sum(),
        Turn::Model(parts) => parts
            .iter()
            .map(|part| match part {
                ModelPart::Text(text) => text.len(),
                ModelPart::Use(ToolUse { name, input, .. }) => {
                    name.len().saturating_add(match input {
                        ToolInputText::Object(object) => object.as_str().len(),
                        ToolInputText::Broken(text) => text.len(),
                    })
                }
                ModelPart::Other(part) => part.as_str().len(),
            })
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(id: &str) -> Turn {
        Turn::Model(vec![ModelPart::Use(ToolUse {
            id: id.into(),
            name: "Read".into(),
            input: ToolInputText::read("{}".into()),
        })])
    }

    fn result(id: &str, bytes: usize) -> Turn {
        Turn::Person(vec![PersonPart::Result(ToolResult {
            id: id.into(),
            text: "x".repeat(bytes),
            kind: ResultKind::Done,
        })])
    }

    #[test]
    fn older_results_go_first_and_everything_else_stays() {
        let mut turns = vec![Turn::words("the task".repeat(100))];
        for number in 0..8 {
            turns.push(asks(&number.to_string()));
            turns.push(result(&number.to_string(), 1_000));
        }
        let mut conversation = Conversation::again(turns.clone());
        assert_eq!(conversation.compact(), Compacted::Shorter { bytes: 4_000 });
        assert_eq!(conversation.compact(), Compacted::Shorter { bytes: 3_000 });
        assert_eq!(conversation.compact(), Compacted::NothingLeft);
        assert_eq!(conversation.turns().len(), turns.len());
        assert_eq!(conversation.turns().first(), turns.first());
        assert_eq!(conversation.turns().last(), turns.last());
    }

    #[test]
    fn short_results_stay() {
        let turns = vec![
            Turn::words("x"),
            asks("1"),
            result("1", 399),
            asks("2"),
            asks("3"),
        ];
        let mut conversation = Conversation::again(turns);
        assert_eq!(conversation.compact(), Compacted::NothingLeft);
    }

    #[test]
    fn who_goes_on_with_a_conversation_is_told_its_own_task_last() {
        let task = PersonPart::Text("now this".into());
        let said = Turn::Model(vec![ModelPart::Text("done".into())]);
        for (turns, before) in [
            (vec![], 0),
            (vec![Turn::words("x"), said], 2),
            // Its leader ended before the model answered.
            (vec![Turn::words("x")], 0),
        ] {
            let conversation = Conversation::resumed(turns.clone(), "now this");
            let [kept @ .., Turn::Person(parts)] = conversation.turns() else {
                panic!("{conversation:?}");
            };
            assert_eq!(kept, &turns[..before]);
            assert_eq!(parts.last(), Some(&task));
        }
    }

    #[test]
    fn what_was_asked_for_before_an_interruption_is_unknown() {
        let conversation = Conversation::resumed(vec![Turn::words("x"), asks("7")], "now this");
        let Some(Turn::Person(parts)) = conversation.turns().last() else {
            panic!("no answer");
        };
        let [PersonPart::Result(result), PersonPart::Text(_)] = parts.as_slice() else {
            panic!("{parts:?}");
        };
        assert_eq!((&*result.id, result.kind), ("7", ResultKind::NotDone));
    }
}
