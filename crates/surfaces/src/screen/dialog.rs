//! A request in front of the person: how far it was read, and which answer is being made.
//!
//! It covers exactly the requests it was opened with. Nothing is approved before the whole sheet was
//! before the person's eyes, and never by a key that one presses for other things: the answer is
//! made in a panel and sent by a chord.

mod allow;
mod confirm;
mod deny;
mod edit;
mod end;
mod form;
mod lift;

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::{Millis, RequestId, VerdictKind, WallTime, WorkerId};
use ratatui::layout::Rect;

use self::allow::AllowPanel;
use self::confirm::ConfirmPanel;
use self::deny::DenyPanel;
use self::edit::EditPanel;
pub(super) use self::end::End;
use self::end::gone_lines;
pub(super) use self::form::Form;
use self::lift::LiftPanel;
use super::event::Effect;
use super::field::Pasted;
use super::key::Key;
use super::layout;
use super::queue::{Place, Queue, Weight, Which};
use super::scroll::Scroll;
use super::sheet::{RequestSheet, Row, request_sheet, wrap};

/// Everyday keys within this time after a request came before the person's eyes were meant for
/// something else.
pub(super) const GRACE: Millis = Millis(200);

/// The chord that sends a yes.
pub(super) const SEND: Key = Key::Chord('y');

/// An answer that is made and not sent.
pub(super) type Answer = (Arc<OpenRequest>, VerdictKind);

/// Whether something was before the person's eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eyes {
    NotYet,
    Saw,
}

/// Which panel is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Making {
    Nothing,
    Allow,
    Confirm,
    Deny,
    Edit,
    Lift,
}

/// What the person is making.
#[derive(Debug)]
pub(super) enum Panel {
    Allow(AllowPanel),
    Confirm(ConfirmPanel),
    Deny(DenyPanel),
    Edit(EditPanel),
    Lift(LiftPanel),
}

impl Panel {
    /// Whether this key in it says yes.
    fn says_yes_by(&self, key: Key) -> bool {
        match self {
            Self::Allow(_) | Self::Edit(_) | Self::Lift(_) => key == SEND,
            Self::Confirm(_) => key == Key::Enter,
            Self::Deny(_) => false,
        }
    }
}

/// What a key in the dialog came to, for the screen to carry on with.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// Do this.
    Do(Effect),
    /// Tell this.
    Say(String),
    /// Go back to the overview.
    Back,
    /// Open the request after this one, or the one before it.
    Next,
    Before,
    /// Show the agent's transcript.
    Transcript(WorkerId),
    /// Ask what to stop.
    Stop(WorkerId),
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Dialog {
    /// The list that it was opened from.
    pub(super) which: Which,
    pub(super) place: Place,
    /// The requests that answers may be for, the drawn one first.
    pub(super) covered: Vec<Arc<OpenRequest>>,
    weight: Weight,
    sheet: RequestSheet,
    rows: Rows,
    scroll: Scroll,
    since: Option<WallTime>,
    touched: Eyes,
    panel: Option<(Panel, Eyes, Scroll)>,
    /// An edited input that was put aside.
    draft: Option<EditPanel>,
    /// How those that it covers have ended, in the order of their ends.
    ends: Vec<End>,
}

/// The sheet in rows of a width; so many of them, the first ones, have to be seen before a yes.
#[derive(Debug)]
struct Rows {
    width: u16,
    needed: usize,
    all: Vec<Row>,
}

impl Rows {
    fn of(sheet: &RequestSheet, width: u16) -> Self {
        let mut all = wrap(&sheet.needed, width);
        let needed = all.len();
        all.extend(wrap(&sheet.further, width));
        Self { width, needed, all }
    }
}

/// What a panel did with a key.
#[derive(Debug)]
enum Turn {
    /// It goes on.
    Stay,
    /// Another answer is being made now: it is to be seen before it is sent.
    Changed,
    /// It closes, and nothing was answered.
    Close,
    /// It says why it can't.
    Fault(String),
    /// These answers are to be sent.
    Send(Vec<Answer>),
    /// It is none of its keys.
    Other,
}

impl Dialog {
    /// Opens the group at `place` of a list, with the requests that are in it now.
    pub(super) fn open((which, place): (Which, Place), queue: &Queue, width: u16) -> Option<Self> {
        let group = queue.get(place)?;
        let covered = group.open.clone();
        covered.first()?;
        let before = group.before.clone();
        let sheet = request_sheet(&covered, before.as_ref(), &[]);
        Some(Self {
            which,
            place,
            weight: group.weight,
            rows: Rows::of(&sheet, width),
            sheet,
            covered,
            scroll: Scroll::new(),
            since: None,
            touched: Eyes::NotYet,
            panel: None,
            draft: None,
            ends: Vec::new(),
        })
    }

    /// The drawn request: the first that is open still, else the first.
    pub(super) fn drawn_request(&self, queue: &Queue) -> Option<&Arc<OpenRequest>> {
        let open = |open: &&Arc<OpenRequest>| queue.place_of(open.request.id).is_some();
        self.covered.iter().find(open).or(self.covered.first())
    }

    /// Whether it covers this request.
    pub(super) fn covers(&self, id: RequestId) -> bool {
        self.covered.iter().any(|open| open.request.id == id)
    }

    /// How many of those that it covers are open still.
    pub(super) fn left(&self, queue: &Queue) -> usize {
        let covered = self.covered.iter();
        covered
            .filter(|open| queue.place_of(open.request.id).is_some())
            .count()
    }

    /// Which answer is being made.
    pub(super) fn making(&self) -> Making {
        match &self.panel {
            None => Making::Nothing,
            Some((Panel::Allow(_), ..)) => Making::Allow,
            Some((Panel::Confirm(_), ..)) => Making::Confirm,
            Some((Panel::Deny(_), ..)) => Making::Deny,
            Some((Panel::Edit(_), ..)) => Making::Edit,
            Some((Panel::Lift(_), ..)) => Making::Lift,
        }
    }

    /// Whether an answer is being made.
    pub(super) fn has_panel(&self) -> bool {
        self.panel.is_some()
    }

    /// Whether all that it covers have ended.
    pub(super) fn is_over(&self, queue: &Queue) -> bool {
        self.left(queue) == 0
    }

    /// One of those that it may cover has ended. It is no part of any answer from here on, and what is being made says so;
    /// nothing takes its place.
    pub(super) fn ended(&mut self, end: End, queue: &Queue) {
        if !self.covers(end.id) {
            return;
        }
        match &mut self.panel {
            Some((Panel::Allow(panel), ..)) => panel.ended(&end),
            Some((Panel::Confirm(panel), ..)) => panel.ended(&end),
            Some((Panel::Deny(panel), ..)) => panel.ended(&end),
            Some((Panel::Edit(_) | Panel::Lift(_), ..)) | None => {}
        }
        self.ends.push(end);
        let same = self.write_anew(queue);
        self.scroll.grew(same);
    }

    /// How one of those that it covers has ended, if that was told.
    pub(super) fn end_of(&self, id: RequestId) -> Option<&End> {
        self.ends.iter().find(|end| end.id == id)
    }

    /// How the last of those that it covers has ended.
    pub(super) fn last_end(&self) -> Option<&End> {
        self.ends.last()
    }

    /// Why a request takes no answer.
    fn not_open(&self, id: RequestId, now: WallTime) -> String {
        match self.end_of(id) {
            Some(end) => format!("{id}: {}", end.told(now)),
            None => format!("{id} is not open any more"),
        }
    }

    /// A checker said something of one of the covered requests. Whoever has read the rest may answer: what is said
    /// beside a question delays no answer.
    pub(super) fn refresh(&mut self, queue: &Queue) {
        let same = self.write_anew(queue);
        self.scroll.grew(same);
    }

    /// Writes the sheet as the queue has it now; gives how many of its first rows are as they were.
    fn write_anew(&mut self, queue: &Queue) -> usize {
        let Some(group) = queue.get(self.place) else {
            return self.rows.all.len();
        };
        for covered in &mut self.covered {
            let id = covered.request.id;
            if let Some(now) = group.open.iter().find(|open| open.request.id == id) {
                *covered = Arc::clone(now);
            }
        }
        self.sheet = request_sheet(&self.covered, group.before.as_ref(), &self.ends);
        let rows = Rows::of(&self.sheet, self.rows.width);
        let both = rows.all.iter().zip(&self.rows.all);
        let same = both.take_while(|(new, old)| new == old).count();
        self.rows = rows;
        same
    }

    /// The sheet says of the call what it did not: that is to be read before a yes, whatever was read till now.
    pub(super) fn says_more(&mut self, queue: &Queue) {
        let same = self.write_anew(queue);
        self.scroll.reads_otherwise(same);
        self.look_again();
    }

    /// The screen has another size: what was read in part is to be read again, and the panel is to
    /// be seen again.
    pub(super) fn resize(&mut self, width: u16) {
        if self.rows.width != width {
            self.rows = Rows::of(&self.sheet, width);
            self.scroll.rewrapped();
        }
        self.since = None;
        if let Some((_, eyes, scroll)) = &mut self.panel {
            *eyes = Eyes::NotYet;
            *scroll = Scroll::new();
        }
    }

    /// Nothing counts before it was drawn again.
    pub(super) fn look_again(&mut self) {
        self.since = None;
        if let Some((_, eyes, _)) = &mut self.panel {
            *eyes = Eyes::NotYet;
        }
    }

    /// The panel as it is drawn.
    pub(super) fn form(&self) -> Option<Form> {
        let (panel, ..) = self.panel.as_ref()?;
        let width = self.rows.width;
        Some(match panel {
            Panel::Allow(panel) => panel.form(&self.covered, width),
            Panel::Confirm(panel) => panel.form(width),
            Panel::Deny(panel) => panel.form(width),
            Panel::Edit(panel) => panel.form(&self.covered, width),
            Panel::Lift(panel) => panel.form(width),
        })
    }

    /// Where sheet and panel stand.
    pub(super) fn areas(&self, body: Rect, form: Option<&Form>) -> layout::Dialog {
        match form {
            None => layout::Dialog::alone(body, self.rows.all.len()),
            Some(form) => layout::Dialog::with_panel(body, form.body.len(), form.field_rows()),
        }
    }

    /// The rows of the sheet, and which is at the top.
    pub(super) fn sheet(&self, height: u16) -> (&[Row], usize) {
        let rows = &self.rows.all;
        (rows, self.scroll.top(rows.len(), usize::from(height)))
    }

    /// The row of the panel's body at the top.
    pub(super) fn panel_top(&self, rows: usize, height: u16) -> usize {
        let scroll = self.panel.as_ref().map(|(_, _, scroll)| scroll);
        scroll.map_or(0, |scroll| scroll.top(rows, usize::from(height)))
    }

    /// How many rows of the sheet are still to be seen before a yes.
    pub(super) fn unseen(&self) -> usize {
        self.scroll.unseen(self.rows.needed)
    }

    /// Whether a panel is open that was not before the person's eyes yet.
    pub(super) fn has_new_panel(&self) -> bool {
        let panel = self.panel.as_ref();
        panel.is_some_and(|(_, eyes, _)| *eyes == Eyes::NotYet)
    }

    /// It was put before the person's eyes at `now`.
    pub(super) fn drawn(&mut self, body: Rect, now: WallTime) {
        self.since.get_or_insert(now);
        let form = self.form();
        let areas = self.areas(body, form.as_ref());
        if let (Some(form), Some((_, eyes, scroll))) = (form, &mut self.panel) {
            *eyes = Eyes::Saw;
            let rows = form.body.len();
            scroll.drawn(rows, rows, usize::from(areas.panel.height));
        }
        let height = usize::from(areas.sheet.height);
        if height > 0 {
            self.scroll
                .drawn(self.rows.needed, self.rows.all.len(), height);
        }
    }

    /// Takes a pasted text. It goes where a text is being written, and is dropped everywhere else.
    pub(super) fn paste(&mut self, text: &str, now: WallTime) -> Pasted {
        if self.in_grace(now) {
            return Pasted::Nowhere;
        }
        match &mut self.panel {
            Some((Panel::Deny(panel), ..)) => panel.paste(text),
            Some((Panel::Edit(panel), ..)) => panel.paste(text),
            Some((Panel::Allow(panel), ..)) => panel.paste(text),
            Some((Panel::Confirm(_) | Panel::Lift(_), ..)) | None => Pasted::Nowhere,
        }
    }

    fn in_grace(&self, now: WallTime) -> bool {
        self.since.is_none_or(|since| now.since(since) < GRACE)
    }

    /// Takes a key at `now`.
    pub(super) fn key(&mut self, key: Key, queue: &Queue, body: Rect, now: WallTime) -> Vec<Wish> {
        // The chord that sends is the whole act: it counts in the grace too, in a panel that was seen.
        if self.in_grace(now) && !(key == SEND && self.panel.is_some()) {
            return Vec::new();
        }
        let mut wishes = self.touch(now, queue);
        // Only what scrolls has to know how the panel lies: a long text is not laid out for each letter of it.
        let form = key.step().and_then(|_| self.form());
        let areas = self.areas(body, form.as_ref());
        wishes.extend(match self.panel.take() {
            Some(panel) => self.panel_key(panel, form.as_ref(), key, queue, (areas, now)),
            None => self.sheet_key(key, queue, (areas.sheet, now)),
        });
        wishes
    }

    /// A key after the grace: from here on no automatic answer gets in before the person.
    fn touch(&mut self, now: WallTime, queue: &Queue) -> Vec<Wish> {
        if self.touched == Eyes::Saw || self.in_grace(now) {
            return Vec::new();
        }
        self.touched = Eyes::Saw;
        if self.which == Which::Refused {
            return Vec::new();
        }
        let open = self
            .covered
            .iter()
            .filter(|open| queue.answerable(open.request.id));
        open.map(|open| Wish::Do(Effect::Touch(open.request.id)))
            .collect()
    }

    fn sheet_key(&mut self, key: Key, queue: &Queue, (sheet, now): (Rect, WallTime)) -> Vec<Wish> {
        if let Some(step) = key.step() {
            let (rows, height) = (self.rows.all.len(), usize::from(sheet.height));
            self.scroll.step(step, rows, height);
            return Vec::new();
        }
        let Some(drawn) = self.drawn_request(queue).map(Arc::clone) else {
            return vec![Wish::Back];
        };
        let agent = drawn.request.lineage.agent().worker;
        match key {
            Key::Esc | Key::Left | Key::Char('q') => return vec![Wish::Back],
            Key::Enter if self.is_over(queue) => return vec![Wish::Next],
            Key::Char('n') => return vec![Wish::Next],
            Key::Char('p') => return vec![Wish::Before],
            Key::Char('t') => return vec![Wish::Transcript(agent)],
            Key::Char('s') => return vec![Wish::Stop(agent)],
            _ => {}
        }
        let panel = match (self.which, key) {
            (Which::Refused, Key::Char('e' | 'd' | 'x')) => {
                let text = "the classifier has refused it; `a` lifts that";
                return vec![Wish::Say(text.into())];
            }
            (_, Key::Char('a' | 'e' | 'd' | 'x')) if !queue.answerable(drawn.request.id) => {
                return vec![Wish::Say(self.not_open(drawn.request.id, now))];
            }
            (_, Key::Char('a' | 'e')) if !self.scroll.is_whole() => {
                return vec![Wish::Say(
                    "read it to its end first: ↓ or the blank goes on".into(),
                )];
            }
            (Which::Refused, Key::Char('a')) => Panel::Lift(LiftPanel::new(&drawn)),
            (Which::Waiting, Key::Char('a')) => {
                Panel::Allow(AllowPanel::new(&self.answerable(queue)))
            }
            (Which::Waiting, Key::Char('e')) => {
                let draft = self.draft.take();
                Panel::Edit(draft.unwrap_or_else(|| EditPanel::new(&drawn)))
            }
            (Which::Waiting, Key::Char('d')) => Panel::Deny(DenyPanel::this(
                &self.answerable(queue),
                &queue.below(agent),
            )),
            (Which::Waiting, Key::Char('x')) => Panel::Deny(DenyPanel::agents(
                &self.answerable(queue),
                &queue.below(agent),
            )),
            _ => return Vec::new(),
        };
        self.panel = Some((panel, Eyes::NotYet, Scroll::new()));
        Vec::new()
    }

    /// The covered requests that can be answered now, the drawn one first.
    fn answerable(&self, queue: &Queue) -> Vec<Arc<OpenRequest>> {
        let open = |open: &&Arc<OpenRequest>| queue.answerable(open.request.id);
        self.covered.iter().filter(open).map(Arc::clone).collect()
    }

    fn panel_key(
        &mut self,
        (mut panel, eyes, mut scroll): (Panel, Eyes, Scroll),
        form: Option<&Form>,
        key: Key,
        queue: &Queue,
        (areas, now): (layout::Dialog, WallTime),
    ) -> Vec<Wish> {
        let sends = key == SEND || key == Key::Enter;
        if sends && eyes == Eyes::NotYet {
            self.panel = Some((panel, eyes, scroll));
            return Vec::new();
        }
        let unread = if panel.says_yes_by(key) && !self.scroll.is_whole() {
            Some("it says more than it did: Esc, and read it to its end first")
        } else if panel.says_yes_by(key) && !scroll.is_whole() {
            Some("this was not all in view yet: PgDn goes on")
        } else {
            None
        };
        if let Some(text) = unread {
            self.panel = Some((panel, eyes, scroll));
            return vec![Wish::Say(text.into())];
        }
        let turn = match &mut panel {
            Panel::Allow(panel) => panel.key(key),
            Panel::Confirm(panel) => panel.key(key),
            Panel::Deny(panel) => panel.key(key),
            Panel::Edit(panel) => panel.key(key),
            Panel::Lift(panel) => panel.key(key),
        };
        match turn {
            Turn::Stay => {
                self.panel = Some((panel, eyes, scroll));
                Vec::new()
            }
            Turn::Changed => {
                self.panel = Some((panel, Eyes::NotYet, Scroll::new()));
                Vec::new()
            }
            Turn::Other => {
                if let (Some(step), Some(form)) = (key.step(), form) {
                    let height = usize::from(areas.panel.height);
                    scroll.step(step, form.body.len(), height);
                }
                self.panel = Some((panel, eyes, scroll));
                Vec::new()
            }
            Turn::Fault(text) => {
                self.panel = Some((panel, eyes, scroll));
                vec![Wish::Say(text)]
            }
            Turn::Close => {
                match panel {
                    Panel::Edit(edit) => self.draft = Some(edit),
                    Panel::Confirm(confirm) => {
                        self.panel = Some((confirm.back(), Eyes::NotYet, Scroll::new()));
                    }
                    Panel::Allow(_) | Panel::Deny(_) | Panel::Lift(_) => {}
                }
                Vec::new()
            }
            Turn::Send(answers) => self.send(panel, answers, queue, now),
        }
    }

    /// Sends the answers, or asks for the second act that a grave one takes.
    fn send(
        &mut self,
        panel: Panel,
        answers: Vec<Answer>,
        queue: &Queue,
        now: WallTime,
    ) -> Vec<Wish> {
        let first = answers.first().map(|(open, _)| open.request.id);
        let open: Vec<Answer> = answers
            .into_iter()
            .filter(|(open, _)| queue.answerable(open.request.id))
            .collect();
        if open.is_empty() {
            let why = first.map_or_else(
                || "none of them is open any more".into(),
                |id| self.not_open(id, now),
            );
            return vec![Wish::Say(format!("{why}; nothing was sent"))];
        }
        let takes_two = match &panel {
            Panel::Allow(_) | Panel::Lift(_) => self.weight == Weight::Grave,
            // The request was weighed, and what the person wrote instead was not.
            Panel::Edit(_) => true,
            Panel::Confirm(_) | Panel::Deny(_) => false,
        };
        if takes_two {
            let confirm = Panel::Confirm(ConfirmPanel::new(open, self.weight, panel));
            self.panel = Some((confirm, Eyes::NotYet, Scroll::new()));
            return Vec::new();
        }
        let effect = |(open, kind): Answer| match self.which {
            Which::Waiting => Effect::Answer(open, kind),
            Which::Refused => Effect::Lift(open.request.id),
        };
        open.into_iter().map(effect).map(Wish::Do).collect()
    }
}
