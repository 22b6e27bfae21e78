//! What an agent did before its leader died. Its next leader lets it go the same way again, and what it has done is
//! not done twice: a call that came to its end is answered from the record, one that started and has no known result
//! is told as such, one that waited is taken up under its own id.

use pointsman_approvals::TakenUp;
use pointsman_ledger::{CallLeft, SeenFile};
use pointsman_model::{AbsPath, CallId, CallState, JsonText, PermissionRequest, ToolName};

use crate::CallEnd;

/// What an agent asking for a call again is told, when nobody knows what became of it.
const UNKNOWN: &str = "unknown: this call had started when the leader died, and nobody knows what it did. It is not \
    repeated; look at what it was to change before you go on.";

/// What an agent did in an earlier reign.
#[derive(Debug, Default)]
pub struct PastAgent {
    /// Where it was before the calls below; nothing when that is where it started.
    pub folder: Option<AbsPath>,
    /// The files that it had seen before them, the latest last.
    pub seen: Vec<SeenFile>,
    /// The calls that it may ask for again, in order.
    pub calls: Vec<PastCall>,
}

impl PastAgent {
    /// A call that the agent knows the end of and does not ask for again: what it left stays.
    pub fn knows(&mut self, call: PastCall) {
        self.folder = call.left.moved_to.or(call.folder).or(self.folder.take());
        self.seen.extend(call.left.seen);
    }
}

/// A call of an earlier reign.
#[derive(Debug)]
pub struct PastCall {
    /// Its id.
    pub id: CallId,
    /// The tool, as the agent named it.
    pub tool: ToolName,
    /// Its input, byte for byte.
    pub input: JsonText,
    /// The folder that the agent was in, as far as the call came to be decided.
    pub folder: Option<AbsPath>,
    /// What became of it.
    pub became: Became,
    /// What it left with the agent.
    pub left: CallLeft,
}

/// What became of a call of an earlier reign.
#[derive(Debug)]
pub enum Became {
    /// It came to its end.
    Ended(CallEnd),
    /// It had started.
    Unknown,
    /// It had not started; this is its last question, if it came to one.
    Waited(Option<PastQuestion>),
}

/// The last question of a call that had not started.
#[derive(Debug)]
pub struct PastQuestion {
    /// What was asked.
    pub request: Box<PermissionRequest>,
    /// How it stands.
    pub standing: Standing,
}

/// How a question of an earlier reign stands.
#[derive(Debug)]
pub enum Standing {
    /// Nobody has answered it, and nobody can.
    Left,
    /// It is open again, and kept so until the agent comes to the call again. It may have been answered meanwhile.
    Open(Box<TakenUp>),
    /// It has its verdict, which nobody had told its agent when the leader died.
    Closed,
}

impl PastQuestion {
    /// A question that nobody has taken up yet.
    #[must_use]
    pub fn left(request: PermissionRequest) -> Self {
        Self {
            request: Box::new(request),
            standing: Standing::Left,
        }
    }

    /// Ends it where it is open: its call is asked about anew, or needs no answer any more.
    ///
    /// # Errors
    /// When it has its verdict: it is given back.
    pub(crate) async fn supersede(self, why: &str) -> Result<(), Self> {
        let standing = match self.standing {
            Standing::Left => return Ok(()),
            Standing::Open(open) => match open.supersede(why).await {
                Ok(()) => return Ok(()),
                Err(open) => Standing::Open(open),
            },
            Standing::Closed => Standing::Closed,
        };
        Err(Self { standing, ..self })
    }
}

impl PastCall {
    /// The end that the agent hears of when nobody knows the true one.
    pub(crate) fn unknown_end(&self) -> CallEnd {
        unknown_end(self.id)
    }
}

/// The end that an agent hears of a call that was started and has no result that anybody knows.
pub(crate) fn unknown_end(id: CallId) -> CallEnd {
    CallEnd {
        id,
        state: CallState::Error,
        outcome: None,
        text: UNKNOWN.into(),
        exit_code: None,
    }
}
