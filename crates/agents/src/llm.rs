//! The agent that thinks: a model that asks for tools, and is told what came of them, until it has
//! said all.
//!
//! It acts through its dispatch alone. What it is refused it is told in the words of the refusal, and
//! may go another way; what it can't read any more it is told of too. It ends truthfully: with the
//! model's last words, or with why there are none.

mod access;
mod conversation;
mod instructions;
mod notice;
mod settings;
mod transcript;
mod uses;

use std::collections::HashMap;

use async_trait::async_trait;
use pointsman_ledger::AppendError;
use pointsman_llm::{
    Client, Delta, Failure, Fault, PersonPart, Prompt, Reply, Spent, Stop, ToolUse, Turn,
};
use pointsman_model::{CallId, WorkerId};
use pointsman_tools::{Dispatch, SpawnedEnd, StopWord};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use self::conversation::{Compacted, Conversation, GO_ON, LooseEnd};
use self::notice::notice;
use self::transcript::Scribe;
use self::uses::{Use, answer, sort_again, wanted};
use crate::{Agent, AgentEnd};

pub use self::access::ModelAccess;
pub use self::instructions::{LlmRole, SubAgentChoice};
pub use self::settings::{
    BudgetSettings, ModelDialect, ModelSettings, ModelSettingsError, PriceSettings,
};
pub use self::transcript::{RecordedConversation, conversation_of, spent_of};

/// Times in a row that a model whose words were cut off is asked to go on.
const CUT_OFF_MAX: u32 = 3;

/// A reply that broke off.
struct BrokenOff {
    /// What the model is told.
    go_on: &'static str,
    /// Why its agent has failed where it went on like that.
    again_and_again: &'static str,
}

const CUT_OFF: BrokenOff = BrokenOff {
    go_on: "Your answer was cut off where its length is limited. Go on.",
    again_and_again: "the model's answer was cut off again and again",
};
const CALLED_NONE: BrokenOff = BrokenOff {
    go_on: "You stopped to call a tool, and no call came. Call it, or say what came of your task.",
    again_and_again: "the model stopped to call a tool again and again, and called none",
};

/// What an agent says while it says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSaid {
    /// Who.
    pub worker: WorkerId,
    /// What of its words.
    pub what: SaidWhat,
}

/// What an agent says of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaidWhat {
    /// A piece of them.
    Piece(Box<str>),
    /// What was said in this turn is taken back, since the stream broke.
    TakenBack,
    /// The turn is over.
    TurnEnds,
}

/// How far a thinking agent goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LlmLimits {
    /// How many turns its model may take.
    pub turns_max: u32,
    /// How many tokens one turn may have.
    pub output_tokens_max: u32,
    /// How many tokens its model reads, when that is known; the conversation is shortened before it is full.
    pub context_tokens: Option<u64>,
    /// How freely the model picks its words.
    pub temperature: Option<f32>,
}

/// The agent that thinks.
pub struct LlmAgent {
    client: Client,
    role: LlmRole,
    limits: LlmLimits,
    conversation: Conversation,
    heard_by: Option<broadcast::Sender<AgentSaid>>,
    scribe: Scribe,
    /// How many turns of the conversation are on record when the work begins.
    on_record: usize,
    /// How many turns its model has taken before.
    taken: u32,
    /// What its model has spent that is on record.
    spent: Spent,
    refusals: Vec<String>,
    /// What a person said that came too late.
    unread: Vec<String>,
}

/// Whether a person has said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Something,
}

/// Why the work does not go on.
enum Early {
    Stopped,
    Halted(String),
    Failed(String),
}

impl LlmAgent {
    /// An agent of this role that works on this task.
    #[must_use]
    pub fn new(client: Client, role: LlmRole, limits: LlmLimits, task: &str) -> Self {
        Self::resumed(client, role, limits, Vec::new(), task)
    }

    /// An agent that goes on with a conversation, as [`Self::turns`] gave it, and works on this task now. Tools that
    /// were asked for and never answered are not run: what became of them is not known here.
    #[must_use]
    pub fn resumed(
        client: Client,
        role: LlmRole,
        limits: LlmLimits,
        turns: Vec<Turn>,
        task: &str,
    ) -> Self {
        Self {
            client,
            role,
            limits,
            conversation: Conversation::resumed(turns, task),
            heard_by: None,
            scribe: Scribe::default(),
            on_record: 0,
            taken: 0,
            spent: Spent::default(),
            refusals: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// The same agent, which has lived before and whose leader died: it goes on where its records end. What it had asked
    /// for is answered by what became of it, and nothing begins by itself that had not.
    #[must_use]
    pub fn again(mut self, recorded: RecordedConversation) -> Self {
        let begun_with = self.conversation.turns();
        let written = usize::try_from(recorded.written).unwrap_or(usize::MAX);
        self.scribe = Scribe::after(recorded.written);
        if written < begun_with.len() {
            // Its leader died while what it begins with was written down.
            self.on_record = written;
            return self;
        }
        let by_model = |turns: &[Turn]| {
            let count = turns.iter().filter(|turn| matches!(turn, Turn::Model(_)));
            u32::try_from(count.count()).unwrap_or(u32::MAX)
        };
        self.taken = by_model(&recorded.turns).saturating_sub(by_model(begun_with));
        self.on_record = recorded.turns.len();
        self.conversation = Conversation::again(recorded.turns);
        self
    }

    /// The same, and whoever subscribed hears its words as it says them.
    #[must_use]
    pub fn heard_by(mut self, heard_by: broadcast::Sender<AgentSaid>) -> Self {
        self.heard_by = Some(heard_by);
        self
    }

    /// The conversation so far; can be written out, and gone on with.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        self.conversation.turns()
    }

    /// Turn after turn to the end; gives the model's last words.
    async fn converse(
        &mut self,
        dispatch: &Dispatch,
        stop: &CancellationToken,
    ) -> Result<String, Early> {
        let mut cut_off = 0;
        let new = self.conversation.turns().iter().skip(self.on_record);
        let new: Vec<Turn> = new.cloned().collect();
        let written = self.scribe.begin(dispatch, &new).await;
        written.map_err(|error| unwritten(&error))?;
        self.take_up(dispatch, stop).await?;
        for _ in self.taken..self.limits.turns_max {
            self.hear_person(dispatch).await?;
            let ended = dispatch.seat().in_background.take_ended();
            self.hear_ended(dispatch, &ended).await?;
            let reply = self.next_reply(dispatch, stop).await?;
            let spent = self.spent_since();
            let written = self.scribe.model(dispatch, &reply.parts, spent).await;
            written.map_err(|error| unwritten(&error))?;
            self.conversation.model(reply.parts.clone());
            if let Some(uses) = wanted(&reply) {
                cut_off = 0;
                self.use_tools(uses, dispatch, stop).await?;
                if reply.stop == Stop::ContextFull {
                    self.shorten("the conversation is full")?;
                }
            } else {
                match &reply.stop {
                    Stop::ToolUse if reply.text().trim().is_empty() => {
                        self.urge(dispatch, &mut cut_off, CALLED_NONE).await?;
                    }
                    // It would have ended; now there is more to do.
                    Stop::Done | Stop::ToolUse
                        if self.hear_beside(dispatch, stop).await? == Heard::Something => {}
                    Stop::Done | Stop::ToolUse => {
                        let words = reply.text();
                        match dispatch.stopping(&words).await {
                            // What was said while hooks were asked is read, too.
                            StopWord::Stops => {
                                let late = dispatch.seat().follow_ups.take_or_end();
                                if self.hear(dispatch, late).await? == Heard::Nothing {
                                    return Ok(words);
                                }
                            }
                            StopWord::GoesOn { text } => {
                                self.say(dispatch, text).await?;
                            }
                        }
                    }
                    Stop::Declined => {
                        let words = format!("the model declined: {}", reply.text());
                        return Err(Early::Failed(words));
                    }
                    Stop::OutputLimit => self.urge(dispatch, &mut cut_off, CUT_OFF).await?,
                    Stop::ContextFull => self.shorten("the conversation is full")?,
                    Stop::Other(reason) => {
                        return Err(Early::Failed(format!("the model stopped: {reason}")));
                    }
                }
            }
            self.keep_within(&reply)?;
        }
        Err(Early::Failed(format!(
            "the model took {} turns and came to no end",
            self.limits.turns_max
        )))
    }

    /// What its model has spent since this was asked last.
    fn spent_since(&mut self) -> Spent {
        let spent = self.client.spending().spent_apart();
        let before = std::mem::replace(&mut self.spent, spent);
        spent.since(before)
    }

    /// Sees to what the conversation leaves open that it goes on with.
    async fn take_up(
        &mut self,
        dispatch: &Dispatch,
        stop: &CancellationToken,
    ) -> Result<(), Early> {
        match self.conversation.loose_end() {
            LooseEnd::Nothing => Ok(()),
            // It may have waited for others.
            LooseEnd::Words => match self.hear_beside(dispatch, stop).await? {
                Heard::Something => Ok(()),
                Heard::Nothing => self.say(dispatch, GO_ON.into()).await,
            },
            LooseEnd::Uses(uses) => {
                let before = dispatch.asked_before();
                let uses = sort_again(&uses, before, |asked| dispatch.tidied(asked));
                self.use_tools(uses, dispatch, stop).await
            }
        }
    }

    /// Puts before the model what a person has said to the agent meanwhile; it is on record first.
    async fn hear_person(&mut self, dispatch: &Dispatch) -> Result<Heard, Early> {
        let words = dispatch.seat().follow_ups.take();
        self.hear(dispatch, words).await
    }

    /// Waits while agents of its own work in the background, until one has ended or a person says something.
    async fn hear_beside(
        &mut self,
        dispatch: &Dispatch,
        stop: &CancellationToken,
    ) -> Result<Heard, Early> {
        loop {
            if self.hear_person(dispatch).await? == Heard::Something {
                return Ok(Heard::Something);
            }
            let seat = dispatch.seat();
            let ended = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Early::Stopped),
                () = seat.follow_ups.waiting() => continue,
                ended = seat.in_background.next_ended() => ended,
            };
            if ended.is_empty() {
                return Ok(Heard::Nothing);
            }
            if self.hear_ended(dispatch, &ended).await? == Heard::Something {
                return Ok(Heard::Something);
            }
        }
    }

    /// Puts before the model how agents have ended that it started in the background, but for what it was told before its
    /// leader died.
    async fn hear_ended(
        &mut self,
        dispatch: &Dispatch,
        ended: &[SpawnedEnd],
    ) -> Result<Heard, Early> {
        let notices = ended.iter().map(notice);
        let environment = &dispatch.seat().environment;
        let new = notices.filter(|notice| {
            !self
                .conversation
                .has_heard(&environment.without_keys(notice))
        });
        let new = new.collect();
        self.read_out(dispatch, new).await
    }

    async fn hear(&mut self, dispatch: &Dispatch, words: Vec<Box<str>>) -> Result<Heard, Early> {
        let said = |words: Box<str>| format!("The person who looks after you says:\n{words}");
        self.read_out(dispatch, words.into_iter().map(said).collect())
            .await
    }

    async fn read_out(&mut self, dispatch: &Dispatch, words: Vec<String>) -> Result<Heard, Early> {
        if words.is_empty() {
            return Ok(Heard::Nothing);
        }
        for text in words {
            let part = PersonPart::Text(text);
            let parts = std::slice::from_ref(&part);
            let written = self.scribe.person(dispatch, parts, &HashMap::new()).await;
            written.map_err(|error| unwritten(&error))?;
            self.conversation.person_adds(part);
        }
        Ok(Heard::Something)
    }

    /// Has the model go on whose reply broke off, so many times in a row.
    async fn urge(
        &mut self,
        dispatch: &Dispatch,
        so_far: &mut u32,
        broken: BrokenOff,
    ) -> Result<(), Early> {
        if *so_far >= CUT_OFF_MAX {
            return Err(Early::Failed(broken.again_and_again.into()));
        }
        *so_far += 1;
        self.say(dispatch, broken.go_on.into()).await
    }

    /// Says something to the model that no tool gave.
    async fn say(&mut self, dispatch: &Dispatch, text: String) -> Result<(), Early> {
        self.tell(dispatch, vec![PersonPart::Text(text)], &HashMap::new())
            .await
    }

    /// Tells the model something; it is on record first.
    async fn tell(
        &mut self,
        dispatch: &Dispatch,
        parts: Vec<PersonPart>,
        calls: &HashMap<String, CallId>,
    ) -> Result<(), Early> {
        let written = self.scribe.person(dispatch, &parts, calls).await;
        written.map_err(|error| unwritten(&error))?;
        self.conversation.person(parts);
        Ok(())
    }

    /// Asks the model. A conversation that is too long is shortened, as often as that changes anything.
    async fn next_reply(
        &mut self,
        dispatch: &Dispatch,
        stop: &CancellationToken,
    ) -> Result<Reply, Early> {
        loop {
            if stop.is_cancelled() {
                return Err(Early::Stopped);
            }
            let tools = dispatch.offered();
            let prompt = Prompt {
                system: self.role.system(dispatch, &tools),
                turns: self.conversation.turns().to_vec(),
                tools,
                output_tokens_max: self.limits.output_tokens_max,
                temperature: self.limits.temperature,
                one_time_word: None,
            };
            let worker = dispatch.seat().worker;
            let heard_by = self.heard_by.clone();
            let mut listen = |delta: Delta<'_>| {
                let what = match delta {
                    Delta::Text(text) => SaidWhat::Piece(text.into()),
                    Delta::StartsOver => SaidWhat::TakenBack,
                    Delta::UseBegins { .. } => return,
                };
                say_aloud(heard_by.as_ref(), worker, what);
            };
            let asked = self.client.stream(&prompt, &mut listen);
            let reply = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Early::Stopped),
                reply = asked => reply,
            };
            match reply {
                Ok(reply) => {
                    say_aloud(self.heard_by.as_ref(), worker, SaidWhat::TurnEnds);
                    return Ok(reply);
                }
                Err(Failure {
                    fault: fault @ Fault::TooLong { .. },
                    ..
                }) => self.shorten(&fault.to_string())?,
                Err(failure) => return Err(ended_by(&failure)),
            }
        }
    }

    /// Leaves older results out, or ends truthfully when there is nothing left to leave out.
    fn shorten(&mut self, why: &str) -> Result<(), Early> {
        match self.conversation.compact() {
            Compacted::Shorter { bytes } => {
                tracing::debug!(bytes, why, "older results were left out of a conversation");
                Ok(())
            }
            Compacted::NothingLeft => Err(Early::Failed(format!(
                "{why}; all older results of tools are left out already"
            ))),
        }
    }

    /// Shortens the conversation before it is full: at nine tenths, so that a turn still fits.
    fn keep_within(&mut self, reply: &Reply) -> Result<(), Early> {
        let Some(max) = self.limits.context_tokens else {
            return Ok(());
        };
        // Some servers of the second dialect count nothing, or nothing but zeros.
        let counted = reply.usage.map(|usage| usage.total());
        let used = match counted {
            Some(0) | None => self.conversation.guessed_tokens(),
            Some(counted) => counted,
        };
        if used < max.saturating_mul(9) / 10 {
            return Ok(());
        }
        match self.conversation.compact() {
            // The server has the last word on whether it still fits.
            Compacted::Shorter { .. } | Compacted::NothingLeft => Ok(()),
        }
    }

    /// Runs what the model asks for, and puts each result where the model looks for it.
    async fn use_tools(
        &mut self,
        uses: Vec<(&ToolUse, Use)>,
        dispatch: &Dispatch,
        stop: &CancellationToken,
    ) -> Result<(), Early> {
        let asked = uses
            .iter()
            .filter_map(|(_, it)| match it {
                Use::Asked(call) => Some(call.clone()),
                Use::NotRun(_) => None,
            })
            .collect();
        let mut ends = dispatch.batch(asked).await.into_iter();
        let mut results = Vec::with_capacity(uses.len());
        let mut calls = HashMap::new();
        for (tool_use, it) in &uses {
            let end = match it {
                Use::Asked(_) => ends.next(),
                Use::NotRun(_) => None,
            };
            if let Some(end) = &end {
                calls.insert(tool_use.id.clone(), end.id);
            }
            if let Some(end) = end.as_ref().filter(|end| end.is_refusal()) {
                let first = end.text.lines().next().unwrap_or_default();
                self.refusals.push(format!("{}: {first}", tool_use.name));
            }
            results.push(PersonPart::Result(answer(tool_use, it, end)));
        }
        self.tell(dispatch, results, &calls).await?;
        if stop.is_cancelled() {
            return Err(Early::Stopped);
        }
        match dispatch.halted() {
            Some(halt) => Err(Early::Halted(halt.reason)),
            None => Ok(()),
        }
    }

    /// The end in words, with what was refused on the way.
    fn report(&self, words: &str) -> String {
        let mut text = match words.trim() {
            "" => "the model ended without a word".to_owned(),
            words => words.to_owned(),
        };
        for refusal in &self.refusals {
            text.push_str("\nrefused: ");
            text.push_str(refusal);
        }
        for unread in &self.unread {
            text.push_str("\nnot read any more: ");
            text.push_str(unread);
        }
        text
    }
}

/// Lets whoever listens hear it. Nobody listening is no failure.
fn say_aloud(heard_by: Option<&broadcast::Sender<AgentSaid>>, worker: WorkerId, what: SaidWhat) {
    if let Some(heard_by) = heard_by {
        let _ = heard_by.send(AgentSaid { worker, what });
    }
}

/// What can't be recorded does not go on.
fn unwritten(error: &AppendError) -> Early {
    Early::Failed(format!("what was said could not be recorded: {error}"))
}

/// What a model's failure means for its agent: a budget is a limit, and halts; the rest is a failure.
fn ended_by(failure: &Failure) -> Early {
    match &failure.fault {
        Fault::OverBudget(_) => Early::Halted(failure.to_string()),
        _ => Early::Failed(failure.to_string()),
    }
}

#[async_trait]
impl Agent for LlmAgent {
    async fn work(&mut self, dispatch: &Dispatch, stop: &CancellationToken) -> AgentEnd {
        let came = self.converse(dispatch, stop).await;
        for text in dispatch.seat().follow_ups.end() {
            let first = text.lines().next().unwrap_or_default();
            self.unread.push(first.to_owned());
        }
        match came {
            Ok(words) => AgentEnd::Done {
                summary: self.report(&words),
            },
            Err(Early::Failed(why)) => AgentEnd::Failed {
                reason: self.report(&why),
            },
            Err(Early::Stopped) => AgentEnd::Stopped,
            Err(Early::Halted(reason)) => AgentEnd::Halted { reason },
        }
    }
}

#[cfg(test)]
mod tests;
