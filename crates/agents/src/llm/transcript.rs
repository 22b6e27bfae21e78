//! The conversation on the ledger: written turn by turn in its tidied form, and read back to be gone on with.

use std::collections::HashMap;
use std::time::Duration;

use pointsman_ledger::{
    AppendError, LedgerRecord, ModelSpent, RecordBody, Speaker, TurnPart, TurnTaken,
};
use pointsman_llm::{
    ModelPart, OtherPart, PersonPart, ResultKind, Spent, ToolInputText, ToolResult, ToolUse, Turn,
    Usage,
};
use pointsman_model::{CallId, CallState, Millis, ToolName, WorkerId};
use pointsman_tools::{AskedCall, Dispatch};

/// Writes down what is said in one conversation.
#[derive(Debug, Default)]
pub(super) struct Scribe {
    number: u32,
}

impl Scribe {
    /// The scribe of a conversation whose turns up to that number are on record.
    pub(super) fn after(written: u32) -> Self {
        Self { number: written }
    }

    /// Writes down turns that another agent's conversation came with.
    pub(super) async fn begin(
        &mut self,
        dispatch: &Dispatch,
        turns: &[Turn],
    ) -> Result<(), AppendError> {
        for turn in turns {
            let (speaker, parts) = match turn {
                Turn::Model(parts) => (Speaker::Model, said(dispatch, parts)),
                Turn::Person(parts) => (Speaker::Person, told(parts, &HashMap::new())),
            };
            self.write(dispatch, speaker, parts, None).await?;
        }
        Ok(())
    }

    /// The model said this, for that much.
    pub(super) async fn model(
        &mut self,
        dispatch: &Dispatch,
        parts: &[ModelPart],
        spent: Spent,
    ) -> Result<(), AppendError> {
        let parts = said(dispatch, parts);
        self.write(dispatch, Speaker::Model, parts, Some(on_record(spent)))
            .await
    }

    /// The model is told this; `calls` are the calls that its uses became, by their ids.
    pub(super) async fn person(
        &mut self,
        dispatch: &Dispatch,
        parts: &[PersonPart],
        calls: &HashMap<String, CallId>,
    ) -> Result<(), AppendError> {
        self.write(dispatch, Speaker::Person, told(parts, calls), None)
            .await
    }

    async fn write(
        &mut self,
        dispatch: &Dispatch,
        speaker: Speaker,
        parts: Vec<TurnPart>,
        spent: Option<ModelSpent>,
    ) -> Result<(), AppendError> {
        self.number = self.number.saturating_add(1);
        let seat = dispatch.seat();
        let turn = TurnTaken {
            worker: seat.worker,
            number: self.number,
            speaker,
            parts,
            spent,
        };
        seat.ledger.note(seat.run, turn).await
    }
}

fn on_record(spent: Spent) -> ModelSpent {
    ModelSpent {
        calls: spent.calls,
        input: spent.usage.input,
        output: spent.usage.output,
        cache_read: spent.usage.cache_read,
        cache_write: spent.usage.cache_write,
        waited: Millis::from(spent.time),
    }
}

/// What its record says that was spent; the price of it is not on record.
#[must_use]
pub fn spent_of(recorded: &ModelSpent) -> Spent {
    Spent {
        calls: recorded.calls,
        usage: Usage {
            input: recorded.input,
            output: recorded.output,
            cache_read: recorded.cache_read,
            cache_write: recorded.cache_write,
        },
        time: Duration::from_millis(recorded.waited.0),
        ..Spent::default()
    }
}

fn said(dispatch: &Dispatch, parts: &[ModelPart]) -> Vec<TurnPart> {
    let part = |part: &ModelPart| match part {
        ModelPart::Text(text) => TurnPart::Text { text: text.clone() },
        ModelPart::Use(tool_use) => TurnPart::Use {
            id: tool_use.id.clone(),
            tool: tool_use.name.clone(),
            input: input(dispatch, tool_use),
        },
        ModelPart::Other(other) => TurnPart::Other {
            text: other.as_str().into(),
        },
    };
    parts.iter().map(part).collect()
}

fn input(dispatch: &Dispatch, tool_use: &ToolUse) -> String {
    match (&tool_use.input, ToolName::parse(&tool_use.name)) {
        (ToolInputText::Object(input), Ok(tool)) => {
            let asked = AskedCall {
                tool,
                input: input.clone(),
            };
            dispatch.tidied(&asked).as_str().into()
        }
        (ToolInputText::Object(input), Err(_)) => input.as_str().into(),
        (ToolInputText::Broken(text), _) => text.clone(),
    }
}

fn told(parts: &[PersonPart], calls: &HashMap<String, CallId>) -> Vec<TurnPart> {
    let part = |part: &PersonPart| match part {
        PersonPart::Text(text) => TurnPart::Text { text: text.clone() },
        PersonPart::Result(result) => match calls.get(&result.id) {
            Some(call) => TurnPart::Result {
                id: result.id.clone(),
                call: *call,
            },
            None => TurnPart::NotRun {
                id: result.id.clone(),
                text: result.text.clone(),
            },
        },
    };
    parts.iter().map(part).collect()
}

/// A conversation as its records have it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedConversation {
    /// Its turns; none when there was no conversation.
    pub turns: Vec<Turn>,
    /// The number of the last turn that is on record. There may be fewer above: what a person said meanwhile is one
    /// turn with what the model was told before.
    pub written: u32,
}

/// The conversation of an agent as its records have it, to be gone on with.
#[must_use]
pub fn conversation_of<'a>(
    records: impl IntoIterator<Item = &'a LedgerRecord> + Clone,
    worker: WorkerId,
) -> RecordedConversation {
    let mut ends = HashMap::new();
    for record in records.clone() {
        if let RecordBody::CallEnded(ended) = &record.body {
            let kind = match ended.state {
                CallState::Success => ResultKind::Done,
                CallState::Validating
                | CallState::AwaitingApproval
                | CallState::Scheduled
                | CallState::Executing
                | CallState::Error
                | CallState::Cancelled => ResultKind::NotDone,
            };
            ends.insert(ended.call, (ended.text.to_string(), kind));
        }
    }
    let turns = records.into_iter().filter_map(|record| match &record.body {
        RecordBody::TurnTaken(turn) if turn.worker == worker => Some(turn),
        _ => None,
    });
    let mut conversation: Vec<Turn> = Vec::new();
    let mut written = 0;
    for turn in turns {
        written = written.max(turn.number);
        match (conversation.last_mut(), read(turn, &ends)) {
            // What a person said meanwhile is one turn with what the model was told before.
            (Some(Turn::Person(before)), Turn::Person(parts)) => before.extend(parts),
            (_, turn) => conversation.push(turn),
        }
    }
    RecordedConversation {
        turns: conversation,
        written,
    }
}

type Ends = HashMap<CallId, (String, ResultKind)>;

fn read(turn: &TurnTaken, ends: &Ends) -> Turn {
    match turn.speaker {
        Speaker::Model => Turn::Model(turn.parts.iter().filter_map(model_part).collect()),
        Speaker::Person => {
            let parts = turn.parts.iter();
            Turn::Person(parts.filter_map(|part| person_part(part, ends)).collect())
        }
    }
}

fn model_part(part: &TurnPart) -> Option<ModelPart> {
    match part {
        TurnPart::Text { text } => Some(ModelPart::Text(text.clone())),
        TurnPart::Use { id, tool, input } => Some(ModelPart::Use(ToolUse {
            id: id.clone(),
            name: tool.clone(),
            input: ToolInputText::read(input.clone()),
        })),
        TurnPart::Other { text } => OtherPart::kept(text).map(ModelPart::Other),
        TurnPart::Result { .. } | TurnPart::NotRun { .. } => None,
    }
}

fn person_part(part: &TurnPart, ends: &Ends) -> Option<PersonPart> {
    let result = |id: &str, text: String, kind| {
        Some(PersonPart::Result(ToolResult {
            id: id.into(),
            text,
            kind,
        }))
    };
    match part {
        TurnPart::Text { text } => Some(PersonPart::Text(text.clone())),
        TurnPart::Result { id, call } => match ends.get(call) {
            Some((text, kind)) => result(id, text.clone(), *kind),
            None => result(
                id,
                "What came of it is not on record: look before you ask for it again.".into(),
                ResultKind::NotDone,
            ),
        },
        TurnPart::NotRun { id, text } => result(id, text.clone(), ResultKind::NotDone),
        TurnPart::Use { .. } | TurnPart::Other { .. } => None,
    }
}
