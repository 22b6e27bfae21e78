//! Records of calls: as they were asked for, hooked, decided, started and ended.

use pointsman_model::{
    AbsPath, CallId, CallState, Digest, Effects, ExecutedCall, GrantId, GroupFacts, HookedCall,
    JsonText, Judgement, Millis, Outcome, RecordedCall, RequestId, RequestedCall, WorkerId,
};
use serde::{Deserialize, Serialize};

/// An agent asked for a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRequested {
    /// Who.
    pub worker: WorkerId,
    /// The call as the agent gave it.
    pub call: RequestedCall,
}

/// What a hook's turn came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookCame {
    /// It had nothing to say.
    Nothing,
    /// It allowed.
    Allow,
    /// It denied.
    Deny,
    /// It wants a question.
    Ask,
    /// It halts the run.
    Halt,
    /// It failed, which is never a yes.
    Failed,
}

/// One hook's turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookReport {
    /// The hook.
    pub hook: Box<str>,
    /// What it came to.
    pub came: HookCame,
    /// What it said, or how it failed.
    pub text: Box<str>,
    /// How long it took.
    pub took: Millis,
}

/// The PreToolUse hooks had their turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallHooked {
    /// Who calls.
    pub worker: WorkerId,
    /// The call as the hooks saw it.
    pub call: HookedCall,
    /// Each hook's turn.
    pub hooks: Vec<HookReport>,
    /// The input they made of it, when they rewrote it.
    pub rewritten: Option<JsonText>,
}

/// The hooks of an event other than PreToolUse had their turn: those that were asked to answer a
/// question, or were told of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HooksTold {
    /// The event, by its name in settings.
    pub event: Box<str>,
    /// The agent it is about; nothing when it is about the whole run.
    pub worker: Option<WorkerId>,
    /// The call it is about, if it is about one.
    pub call: Option<CallId>,
    /// Each hook's turn.
    pub hooks: Vec<HookReport>,
}

/// The ladder answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDecided {
    /// Who calls.
    pub worker: WorkerId,
    /// The call as it would run.
    pub call: ExecutedCall,
    /// The call as the transcript keeps it.
    pub recorded: RecordedCall,
    /// Where it would run.
    pub folder: AbsPath,
    /// What it would do.
    pub effects: Effects,
    /// The answer, with reason and trail.
    pub judgement: Judgement,
    /// The fingerprint of the context it was judged under (law 16).
    pub context: Digest,
    /// The grants that the overlay named then.
    pub grants: Vec<GrantId>,
}

/// A call was started. From here on it is never started again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStarted {
    /// Who calls.
    pub worker: WorkerId,
    /// The call as it runs.
    pub call: ExecutedCall,
    /// Where it runs.
    pub folder: AbsPath,
    /// The request whose verdict let it pass; nothing when the ladder did.
    pub request: Option<RequestId>,
    /// The fingerprint compared with the verdict's before the start (law 10).
    pub digest: Digest,
}

/// A call came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEnded {
    /// Who called.
    pub worker: WorkerId,
    /// The call.
    pub call: CallId,
    /// Its end state.
    pub state: CallState,
    /// How its question, or the question it never became, ended; nothing when it ran or failed by itself.
    pub outcome: Option<Outcome>,
    /// What the agent was told, cut to a bound by the writer of the record.
    pub text: Box<str>,
    /// The exit code of its program.
    pub exit_code: Option<i32>,
    /// How long it ran; nothing when it never started.
    pub took: Option<Millis>,
    /// What it left with its agent beside the text.
    #[serde(default, skip_serializing_if = "CallLeft::is_nothing")]
    pub left: CallLeft,
}

/// What a call leaves with its agent beside a text: an agent whose leader dies goes on from there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLeft {
    /// The folder that it moved the agent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<AbsPath>,
    /// A file's content that the agent has seen by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<SeenFile>,
}

impl CallLeft {
    fn is_nothing(&self) -> bool {
        self.moved_to.is_none() && self.seen.is_none()
    }
}

/// A file's content as an agent has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// The file, symbolic links followed.
    pub path: AbsPath,
    /// The fingerprint of its content.
    pub content: Digest,
}

/// A call started in a run whose leader died, and its result was never seen. It is not repeated by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallUnknown {
    /// Who called.
    pub worker: WorkerId,
    /// The call.
    pub call: CallId,
}

/// A process group was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessGroupStarted {
    /// For whom.
    pub worker: Option<WorkerId>,
    /// For which call; nothing for hooks outside of a call.
    pub call: Option<CallId>,
    /// The group.
    pub group: GroupFacts,
    /// The program.
    pub program: Box<str>,
}

/// A process group is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessGroupEnded {
    /// For which call it ran.
    pub call: Option<CallId>,
    /// The group.
    pub group: GroupFacts,
    /// How it ended.
    pub text: Box<str>,
}
