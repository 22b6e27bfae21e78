//! What one agent's calls leave behind for its next ones.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pointsman_ledger::SeenFile;
use pointsman_model::{AbsPath, Digest, JsonText, ToolName};
use tokio::sync::Notify;

use crate::dispatch::AskedCall;
use crate::{PastAgent, PastCall};

/// So often may the same call be refused in the same way before the agent is halted. A model that was told the
/// reason four times and asks a fifth time is in a loop.
pub(super) const REFUSALS_EQUAL_MAX: u32 = 5;

/// Why an agent has to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt {
    /// Who says so.
    pub cause: HaltCause,
    /// The reason, for people.
    pub reason: String,
}

/// Who halts an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HaltCause {
    /// A hook, the whole run.
    Hook(Box<str>),
    /// A hook, this agent alone.
    Interrupt(Box<str>),
    /// The classifier could not judge what it asked for, and nobody was there.
    Unjudged,
    /// The limit on equal refusals.
    EqualRefusals,
}

/// The state. Held for moments only, never across an await.
pub(super) struct AgentState {
    inner: Mutex<Inner>,
    /// Told when the agent has to stop.
    halting: Notify,
}

struct Inner {
    folder: AbsPath,
    seen: HashMap<AbsPath, Digest>,
    refusals: HashMap<Digest, u32>,
    halted: Option<Halt>,
    /// How often hooks made it go on, one after the other.
    held: u32,
    /// Whether hooks know that it wants to stop.
    stop_told: bool,
    /// What it did before its leader died, as far as it has not asked for it again.
    past: Vec<PastCall>,
}

impl AgentState {
    pub(super) fn new(folder: AbsPath) -> Self {
        Self {
            inner: Mutex::new(Inner {
                folder,
                seen: HashMap::new(),
                refusals: HashMap::new(),
                halted: None,
                held: 0,
                stop_told: false,
                past: Vec::new(),
            }),
            halting: Notify::new(),
        }
    }

    /// What the agent did before its leader died.
    pub(super) fn remember(&self, past: PastAgent) {
        let mut inner = self.lock();
        if let Some(folder) = past.folder {
            inner.folder = folder;
        }
        let seen = past.seen.into_iter();
        inner
            .seen
            .extend(seen.map(|file| (file.path, file.content)));
        inner.past = past.calls;
    }

    pub(super) fn asked_before(&self) -> Vec<AskedCall> {
        let asked = |call: &PastCall| AskedCall {
            tool: call.tool.clone(),
            input: call.input.clone(),
        };
        self.lock().past.iter().map(asked).collect()
    }

    /// The earliest call of the past that is the same as this one; each is given once. The agent is in the folder then
    /// in which it was.
    pub(super) fn recall(&self, tool: &ToolName, input: &JsonText) -> Option<PastCall> {
        let mut inner = self.lock();
        let same = |call: &PastCall| call.tool == *tool && call.input == *input;
        let at = inner.past.iter().position(same)?;
        let call = inner.past.remove(at);
        // What comes next of the past tells where the agent was after this one.
        let next = inner.past.get(at).and_then(|next| next.folder.clone());
        let moved_to = || call.left.moved_to.clone();
        if let Some(folder) = next.or_else(moved_to).or_else(|| call.folder.clone()) {
            inner.folder = folder;
        }
        if let Some(seen) = &call.left.seen {
            inner.seen.insert(seen.path.clone(), seen.content);
        }
        Some(call)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that can panic runs under the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn folder(&self) -> AbsPath {
        self.lock().folder.clone()
    }

    pub(super) fn move_to(&self, folder: AbsPath) {
        self.lock().folder = folder;
    }

    pub(super) fn seen(&self, path: &AbsPath) -> Option<Digest> {
        self.lock().seen.get(path).copied()
    }

    pub(super) fn saw(&self, file: SeenFile) {
        self.lock().seen.insert(file.path, file.content);
    }

    pub(super) fn halted(&self) -> Option<Halt> {
        self.lock().halted.clone()
    }

    /// The first reason stands.
    pub(super) fn halt(&self, halt: Halt) {
        self.lock().halted.get_or_insert(halt);
        self.halting.notify_waiters();
    }

    /// Comes back once the agent has to stop. Cancel safe.
    pub(super) async fn halting(&self) -> Halt {
        loop {
            // Listening before looking: a halt between the two is not missed.
            let told = self.halting.notified();
            if let Some(halt) = self.halted() {
                return halt;
            }
            told.await;
        }
    }

    /// How often hooks made the agent go on before, now that it wants to stop.
    pub(super) fn stopping(&self) -> u32 {
        let mut inner = self.lock();
        inner.stop_told = true;
        inner.held
    }

    /// Hooks make the agent go on.
    pub(super) fn held(&self) {
        let mut inner = self.lock();
        inner.held += 1;
        inner.stop_told = false;
    }

    pub(super) fn is_stop_told(&self) -> bool {
        self.lock().stop_told
    }

    /// Counts a refusal; gives the count of those that are equal to it.
    pub(super) fn refused(&self, fingerprint: Digest) -> u32 {
        let mut inner = self.lock();
        let count = inner.refusals.entry(fingerprint).or_insert(0);
        *count += 1;
        *count
    }
}
