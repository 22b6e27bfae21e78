//! A screen for tests: a state, a clock that tests move, keys written as text, and what is drawn as
//! text.

use std::sync::Arc;

use pointsman_approvals::{Epoch, OpenRequest};
use pointsman_ledger::{
    CallEnded, CallLeft, CallStarted, LedgerRecord, RecordBody, Seq, WorkerEnd, WorkerEnded,
    WorkerSpawned,
};
use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, CallId, CallState, Digest, Lineage, LineageStep,
    Millis, ModeInForce, Origin, Outcome, PermissionMode, PermissionRequest, Surface, ToolSet,
    Verdict, VerdictKind, WallTime, WorkerId,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

use super::draw::draw;
use super::event::{Effect, Event};
use super::key::Key;
use super::look::Look;
use super::state::State;
use crate::fixture;

/// What an agent may write to have it taken for a line of ours.
pub(super) const FAKES: [&str; 16] = [
    "who   faked",
    "task  faked",
    "Bash would run in faked",
    "rewritten by a hook: faked",
    "would do faked",
    "runs `faked`",
    "! part of faked",
    "asked because faked",
    "what could go wrong: faked",
    "risk low: faked",
    "what checks say of it: faked",
    "a person has to answer this: faked",
    "the way here: faked",
    "3    did faked",
    "with nobody there: faked",
    "13:59:59.000  w5-1 c5-1 r5-1     allowed by faked",
];

/// No row of these begins with a fake, whatever blanks stand before it.
#[track_caller]
pub(super) fn nothing_faked<'a>(rows: impl IntoIterator<Item = &'a str>) {
    for row in rows {
        let row = row.trim_start();
        let faked = FAKES.into_iter().find(|fake| row.starts_with(fake));
        assert_eq!(faked, None, "{row}");
    }
}

/// See the module's words.
pub(super) struct Stage {
    pub(super) state: State,
    pub(super) now: WallTime,
    /// All that was to be done, in order.
    pub(super) effects: Vec<Effect>,
    written: i64,
}

impl Stage {
    pub(super) fn new(width: u16, height: u16) -> Self {
        Self::with_jobs(width, height, &[])
    }

    pub(super) fn with_jobs(width: u16, height: u16, jobs: &[&str]) -> Self {
        let jobs: Vec<String> = jobs.iter().map(|job| (*job).to_owned()).collect();
        Self {
            state: State::new(fixture::run(), &jobs, Size::new(width, height)),
            now: WallTime(1_000),
            effects: Vec::new(),
            written: 0,
        }
    }

    pub(super) fn take(&mut self, event: Event) -> &mut Self {
        self.effects.extend(self.state.handle(event, self.now));
        self
    }

    pub(super) fn wait(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus(Millis(millis));
        self
    }

    /// A frame is drawn, and the person looks at it.
    pub(super) fn see(&mut self) -> &mut Self {
        self.take(Event::Drawn).wait(250)
    }

    pub(super) fn asks(&mut self, mut request: PermissionRequest) -> &mut Self {
        request.opened_at = self.now;
        self.take(Event::Shown(open(request)))
    }

    /// Presses keys at a person's pace, each after a look at the screen: `<esc>`, `<C-y>` and the
    /// like, everything else as it stands.
    pub(super) fn press(&mut self, keys: &str) -> &mut Self {
        for key in read_keys(keys) {
            self.see();
            self.take(Event::Key(key));
        }
        self.take(Event::Drawn)
    }

    /// A request ends elsewhere, or by an answer of this terminal.
    pub(super) fn ends(
        &mut self,
        request: &PermissionRequest,
        surface: Surface,
        kind: VerdictKind,
    ) -> &mut Self {
        let verdict = Verdict {
            kind,
            by: Answerer::Person { surface },
            at: self.now,
            digest: request.digest,
        };
        self.take(Event::Closed(request.id, Arc::new(verdict)))
    }

    /// Carries all answers that were sent since the last time, as the requests' service would.
    pub(super) fn answers_get_in(&mut self) -> &mut Self {
        for (request, kind) in self.answers() {
            self.ends(&request, Surface::Terminal, kind);
        }
        self.effects
            .retain(|effect| !matches!(effect, Effect::Answer(..)));
        self
    }

    /// The answers that were sent.
    pub(super) fn answers(&self) -> Vec<(Arc<PermissionRequest>, VerdictKind)> {
        let answers = self.effects.iter().filter_map(|effect| match effect {
            Effect::Answer(open, kind) => Some((Arc::clone(&open.request), kind.clone())),
            _ => None,
        });
        answers.collect()
    }

    /// Writes a record.
    pub(super) fn record(&mut self, body: RecordBody) -> &mut Self {
        self.written += 1;
        let record = LedgerRecord {
            seq: Seq(self.written),
            run: fixture::run(),
            number: self.written.cast_unsigned(),
            at: self.now,
            body,
            prev: Digest::of(b"before"),
            hash: Digest::of(b"this"),
        };
        self.take(Event::Record(Arc::new(record)))
    }

    pub(super) fn spawned(&mut self, lineage: &Lineage) -> &mut Self {
        self.record(RecordBody::WorkerSpawned(Box::new(WorkerSpawned {
            lineage: lineage.clone(),
            task: "mend the links".into(),
            origin: Origin::Foreground,
            call: None,
            mode: ModeInForce::root(PermissionMode::Default),
            tools: ToolSet::All,
            folder: AbsPath::parse("/w/proj").unwrap(),
            handler: pointsman_model::HandlerKind::Coordinator,
            context: Digest::of(b"context"),
            attended: Attended::Yes,
            depth_left: 2,
        })))
    }

    pub(super) fn runs(&mut self, request: &PermissionRequest) -> &mut Self {
        self.record(RecordBody::CallStarted(Box::new(CallStarted {
            worker: request.lineage.agent().worker,
            call: request.call.clone(),
            folder: request.folder.clone(),
            request: None,
            digest: request.digest,
        })))
    }

    pub(super) fn call_ends(
        &mut self,
        request: &PermissionRequest,
        outcome: Option<Outcome>,
        text: &str,
    ) -> &mut Self {
        self.record(RecordBody::CallEnded(CallEnded {
            worker: request.lineage.agent().worker,
            call: request.call.id,
            state: CallState::Success,
            outcome,
            text: text.into(),
            exit_code: Some(0),
            took: Some(Millis(1_200)),
            left: CallLeft::default(),
        }))
    }

    pub(super) fn worker_ends(
        &mut self,
        worker: WorkerId,
        end: WorkerEnd,
        text: &str,
    ) -> &mut Self {
        self.record(RecordBody::WorkerEnded(WorkerEnded {
            worker,
            end,
            text: text.into(),
        }))
    }

    /// What is on the screen, without the blanks at the ends of rows.
    pub(super) fn text(&self) -> String {
        let buffer = self.buffer(Look::Plain);
        let width = usize::from(buffer.area.width.max(1));
        let rows = buffer.content.chunks(width).map(|cells| {
            let mut row = String::new();
            let mut skip = 0;
            for cell in cells {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                row.push_str(cell.symbol());
                skip = usize::from(super::sheet::text_width(cell.symbol())).saturating_sub(1);
            }
            row.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn buffer(&self, look: Look) -> Buffer {
        self.buffer_of(self.state.size, look)
    }

    /// What is drawn on a terminal that has another size than the one it has told.
    pub(super) fn buffer_of(&self, size: Size, look: Look) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        draw(&self.state, self.now, look, &mut buffer);
        buffer
    }
}

/// A request as the board has it.
pub(super) fn open(request: PermissionRequest) -> Arc<OpenRequest> {
    Arc::new(OpenRequest {
        request: Arc::new(request),
        epoch: Epoch::FIRST,
        shown: true,
        touched: false,
        advice: Vec::new(),
        explanation: None,
    })
}

/// An agent of the fixtures' run.
pub(super) fn step(number: u32, label: &str) -> LineageStep {
    LineageStep {
        worker: WorkerId::new(fixture::run(), number),
        label: label.into(),
        agent: AgentName::new("steps"),
    }
}

/// A request of another agent: equal to others of the same command.
pub(super) fn request_of(number: u32, command: &str, lineage: &Lineage) -> PermissionRequest {
    PermissionRequest {
        lineage: lineage.clone(),
        call: pointsman_model::ExecutedCall {
            id: CallId::new(fixture::run(), number + 100),
            ..fixture::request(number, command).call
        },
        ..fixture::request(number, command)
    }
}

fn read_keys(keys: &str) -> Vec<Key> {
    let mut read = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let (key, length) = match rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((name, _)) => (named(name), name.len() + 2),
            None => (Key::Char(first), first.len_utf8()),
        };
        read.push(key);
        rest = &rest[length..];
    }
    read
}

fn named(name: &str) -> Key {
    match name {
        "enter" => Key::Enter,
        "esc" => Key::Esc,
        "tab" => Key::Tab,
        "bs" => Key::Backspace,
        "up" => Key::Up,
        "down" => Key::Down,
        "left" => Key::Left,
        "right" => Key::Right,
        "pgdn" => Key::PageDown,
        "home" => Key::Home,
        "end" => Key::End,
        chord => Key::Chord(chord.strip_prefix("C-").unwrap().chars().next().unwrap()),
    }
}
