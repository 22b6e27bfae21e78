//! The screen as a plain state machine: events in, effects out, no terminal and no clock.
//!
//! A new request changes lists and numbers, never the view: requests are opened by the person alone,
//! or follow the one that they have just answered.

mod ends;
mod keys;
mod moves;

use std::collections::HashSet;
use std::sync::Arc;

use pointsman_approvals::{Advice, OpenRequest};
use pointsman_ledger::LedgerRecord;
use pointsman_model::{Explanation, Millis, RequestId, RunId, WallTime, WorkerId};
use pointsman_swarm::RunEvent;
use ratatui::layout::{Rect, Size};

use self::ends::Together;
use super::before::{self, Before};
use super::dialog::{Dialog, GRACE};
use super::event::{Effect, Event};
use super::field::Pasted;
use super::layout::{self, Frame};
use super::notice::Notice;
use super::overview::{self, Overview};
use super::preview::{Made, Preview};
use super::queue::{Added, Place, Queue, Which};
use super::refused::Refused;
use super::scene::Scene;
use super::stop::StopBox;
use super::transcript::{self, Transcript};
use crate::roster::Roster;
use crate::shown;

/// The bell rings at most this often, however many requests come.
const RING_EVERY: Millis = Millis(5_000);

/// Requests whose wait is told with a frame. While the terminal is lent no frame comes.
const FRESH_MAX: usize = 1_024;

/// What the person looks at.
#[derive(Debug)]
pub(super) enum View {
    Overview,
    Request(Box<Dialog>),
    /// With the request that it was opened from, which is gone back to.
    Transcript(Box<Transcript>, Option<Box<Dialog>>),
}

impl View {
    /// The request that the person is at: in view, or behind a transcript.
    fn dialog(&self) -> Option<&Dialog> {
        match self {
            Self::Overview => None,
            Self::Request(dialog) => Some(dialog),
            Self::Transcript(_, behind) => behind.as_deref(),
        }
    }

    /// See [`View::dialog`].
    fn dialog_mut(&mut self) -> Option<&mut Dialog> {
        match self {
            Self::Overview => None,
            Self::Request(dialog) => Some(dialog),
            Self::Transcript(_, behind) => behind.as_deref_mut(),
        }
    }
}

/// What lies over the view.
#[derive(Debug)]
pub(super) enum Over {
    Nothing,
    /// The help, with its first row.
    Help(usize),
    Stop(StopBox),
}

/// Whether the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    On,
    Stopping,
}

/// Where the person sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seat {
    /// At the run itself: this process leads it, whether or not its terminal is there.
    Leading,
    /// At a run of another process, which can be left alone.
    Attached,
    /// They have left it.
    Left,
}

/// Whose the keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hands {
    /// The person's at this screen.
    Here,
    /// The person has left it with Ctrl-Z: what is typed from there on is meant for whoever comes up behind it.
    Away,
    /// The screen is back, drawn since then. What was typed before may still be on its way, a yes among it.
    Returning(Option<WallTime>),
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct State {
    pub(super) run: RunId,
    pub(super) size: Size,
    pub(super) queue: Queue,
    pub(super) refused: Refused,
    pub(super) roster: Roster,
    pub(super) overview: Overview,
    pub(super) view: View,
    pub(super) over: Over,
    pub(super) course: Course,
    pub(super) seat: Seat,
    pub(super) hands: Hands,
    /// What happened last.
    pub(super) notice: Notice,
    preview: Option<Preview>,
    rang: Option<WallTime>,
    /// What was answered in one go.
    together: Together,
    /// When the requests were opened that came since the last frame.
    fresh: Vec<WallTime>,
}

impl State {
    /// The screen of a run with these jobs.
    pub(super) fn new(run: RunId, jobs: &[String], size: Size) -> Self {
        Self {
            run,
            size,
            queue: Queue::default(),
            refused: Refused::default(),
            roster: Roster::new(jobs),
            overview: Overview::new(),
            view: View::Overview,
            over: Over::Nothing,
            course: Course::On,
            seat: Seat::Leading,
            hands: Hands::Here,
            notice: Notice::default(),
            preview: None,
            rang: None,
            together: Together::default(),
            fresh: Vec::new(),
        }
    }

    /// Takes what came at `now`, and says what to do, in order.
    pub(super) fn handle(&mut self, event: Event, now: WallTime) -> Vec<Effect> {
        self.notice.is_now(now);
        let effects = match event {
            Event::Shown(open) => self.shown(open, now),
            Event::Listed(all) => self.listed(all, now),
            Event::Advised(id, advice) => self.advised(id, advice, now),
            Event::Explained(id, explanation) => self.explained(id, explanation),
            Event::Closed(id, verdict) => self.closed(id, &verdict, now),
            Event::Refused(id, text) => {
                self.did_not_get_in(id, &text, now);
                Vec::new()
            }
            Event::Lifted(id, text) => {
                self.refused.list.unsent(id);
                self.notice.news(text, now);
                Vec::new()
            }
            Event::Record(record) => {
                let width = self.size.width;
                self.roster.record(&record);
                self.refused.record(&record);
                if let View::Transcript(transcript, _) = &mut self.view {
                    transcript.record(&record, width);
                }
                Vec::new()
            }
            Event::Run(event) => self.run_event(&event, now),
            Event::Jobs(jobs) => {
                self.roster.take_jobs(&jobs);
                Vec::new()
            }
            Event::Loaded(worker, records) => {
                self.loaded(worker, records);
                Vec::new()
            }
            Event::Before(id, before) => {
                self.before(id, before);
                Vec::new()
            }
            Event::Key(_) | Event::Pasted(_) if !self.hands_are_here(now) => Vec::new(),
            Event::Key(key) => {
                self.notice.key_comes();
                self.key(key, now)
            }
            Event::Pasted(text) => {
                self.notice.key_comes();
                self.pasted(&text, now);
                Vec::new()
            }
            Event::TakenBack => {
                self.taken_back();
                Vec::new()
            }
            Event::Resized(size) => self.resized(size),
            Event::Drawn => {
                self.drawn(now);
                return Vec::new();
            }
            Event::Notice(text) => {
                self.notice.news(text, now);
                Vec::new()
            }
            Event::Tick => Vec::new(),
        };
        let held = [Which::Waiting, Which::Refused].map(|which| self.held(which));
        let [waiting, refused] = &held;
        self.queue.sweep(waiting);
        self.refused.list.sweep(refused);
        self.refresh();
        effects
    }

    fn refresh(&mut self) {
        let list = match self.overview.which {
            Which::Waiting => &self.queue,
            Which::Refused => &self.refused.list,
        };
        self.overview.refresh(&self.roster, list);
        self.lay_out_preview();
    }

    /// A filter has been written on: what it hides is under no cursor.
    fn keep_to_filter(&mut self) {
        self.refresh();
        self.overview.keep_to_filter(&self.roster);
    }

    /// Whether a text or an answer is being made: keys are in its midst.
    pub(super) fn is_being_written(&self) -> bool {
        match &self.view {
            View::Overview => self.overview.typing == overview::Typing::Filter,
            View::Request(dialog) => dialog.has_panel(),
            View::Transcript(reading, _) => reading.typing == transcript::Typing::Search,
        }
    }

    /// Brings what is shown of the request under the cursor up to what it is now.
    fn lay_out_preview(&mut self) {
        let which = self.overview.which;
        let area = self.overview_areas().preview;
        let (Some(area), Some(place), View::Overview) =
            (area, self.overview.waiting.on, &self.view)
        else {
            return;
        };
        let Some(group) = self.list(which).get(place) else {
            self.preview = None;
            return;
        };
        let made = Made {
            which,
            place,
            version: group.version,
            width: area.width,
        };
        let is_there = |preview: &Preview| preview.is_of(made);
        if !self.preview.as_ref().is_some_and(is_there) {
            self.preview = Some(Preview::new(made, group));
        }
    }

    /// What is shown of the request under the cursor, if there is one.
    pub(super) fn preview(&self) -> Option<&Preview> {
        self.overview.waiting.on.and(self.preview.as_ref())
    }

    /// One of the two lists of requests.
    pub(super) fn list(&self, which: Which) -> &Queue {
        match which {
            Which::Waiting => &self.queue,
            Which::Refused => &self.refused.list,
        }
    }

    /// When the requests were opened that came since this was asked last.
    pub(super) fn take_fresh(&mut self) -> Vec<WallTime> {
        std::mem::take(&mut self.fresh)
    }

    /// The body of the screen: all but its first and its last two rows.
    pub(super) fn body(&self) -> Rect {
        Frame::of(self.size).body
    }

    /// Where the two lists stand, and what is under the cursor.
    pub(super) fn overview_areas(&self) -> layout::Overview {
        layout::Overview::of(self.body(), self.overview.listed())
    }

    /// How many rows of the request in view are still to be seen before a yes.
    pub(super) fn unseen(&self) -> usize {
        match &self.view {
            View::Request(dialog) => dialog.unseen(),
            View::Overview | View::Transcript(..) => 0,
        }
    }

    /// Places of a list that the person is at.
    fn held(&self, which: Which) -> Vec<Place> {
        let dialog = self.view.dialog().filter(|dialog| dialog.which == which);
        let dialog = dialog.map(|dialog| dialog.place);
        let cursor = self.overview.waiting.on;
        let cursor = cursor.filter(|_| self.overview.which == which);
        dialog.into_iter().chain(cursor).collect()
    }

    /// The dialog, if it is that of a request that waits.
    fn dialog_of(&mut self, id: RequestId) -> Option<(&mut Dialog, &Queue)> {
        let place = self.queue.place_of(id)?;
        let dialog = self.view.dialog_mut()?;
        (dialog.which == Which::Waiting && dialog.place == place).then_some((dialog, &self.queue))
    }

    fn shown(&mut self, open: Arc<OpenRequest>, now: WallTime) -> Vec<Effect> {
        let nobody_waited = self.queue.len() == 0;
        let id = open.request.id;
        let opened_at = open.request.opened_at;
        let file = before::file_of(&open.request);
        let held = self.overview.waiting.on;
        let held = held.filter(|_| self.overview.which == Which::Waiting);
        if self.queue.add_behind(open, held) == Added::KnownBefore {
            return Vec::new();
        }
        if self.fresh.len() < FRESH_MAX {
            self.fresh.push(opened_at);
        }
        let mut effects: Vec<Effect> = file
            .into_iter()
            .map(|file| Effect::LookAt(id, file))
            .collect();
        let long_ago = self.rang.is_none_or(|rang| now.since(rang) >= RING_EVERY);
        if nobody_waited || long_ago {
            self.rang = Some(now);
            effects.push(Effect::Ring);
        }
        effects
    }

    /// What a request would write over is known now. Whoever reads it reads it anew: it says more.
    fn before(&mut self, id: RequestId, before: Before) {
        let Some(place) = self.queue.place_of(id) else {
            return;
        };
        self.queue.set_before(place, before);
        if let Some((dialog, queue)) = self.dialog_of(id) {
            dialog.says_more(queue);
        }
    }

    fn listed(&mut self, all: Vec<Arc<OpenRequest>>, now: WallTime) -> Vec<Effect> {
        let still: HashSet<RequestId> = all.iter().map(|open| open.request.id).collect();
        for id in self.queue.ids() {
            if !still.contains(&id) {
                self.queue.close(id, "it is not open any more".into());
            }
        }
        let mut effects = Vec::new();
        for open in all {
            effects.extend(self.shown(open, now));
        }
        effects
    }

    fn advised(&mut self, id: RequestId, advice: Advice, now: WallTime) -> Vec<Effect> {
        let by = shown::line(&advice.by.to_string());
        let text = format!("{id} {by} says: {}", shown::line(&advice.text));
        self.notice.news(text, now);
        self.queue.advise(id, advice);
        if let Some((dialog, queue)) = self.dialog_of(id) {
            dialog.refresh(queue);
        }
        Vec::new()
    }

    /// What a model says of a request stands in its dialog; nothing rings or moves for it.
    fn explained(&mut self, id: RequestId, explanation: Arc<Explanation>) -> Vec<Effect> {
        self.queue.explain(id, explanation);
        if let Some((dialog, queue)) = self.dialog_of(id) {
            dialog.refresh(queue);
        }
        Vec::new()
    }

    fn run_event(&mut self, event: &RunEvent, now: WallTime) -> Vec<Effect> {
        self.roster.run_event(event);
        if let RunEvent::Stopping { reason } = event {
            self.course = Course::Stopping;
            self.notice.news(shown::line(&reason.to_string()), now);
        }
        Vec::new()
    }

    fn resized(&mut self, size: Size) -> Vec<Effect> {
        if size == self.size {
            return Vec::new();
        }
        self.size = size;
        match &mut self.view {
            View::Request(dialog) => dialog.resize(size.width),
            View::Transcript(transcript, _) => transcript.resize(size.width),
            View::Overview => {}
        }
        Vec::new()
    }

    fn loaded(&mut self, worker: WorkerId, records: Vec<Arc<LedgerRecord>>) {
        let width = self.size.width;
        match &mut self.view {
            View::Transcript(transcript, _) if transcript.worker == worker => {
                transcript.loaded(records, width);
            }
            View::Transcript(..) | View::Overview | View::Request(_) => {}
        }
    }

    /// What was typed while the terminal was lent was meant for others; what is drawn is to be seen anew.
    fn taken_back(&mut self) {
        self.hands = Hands::Returning(None);
        if let View::Request(dialog) = &mut self.view {
            dialog.look_again();
        }
    }

    /// Whether what is typed now is meant for this screen.
    fn hands_are_here(&mut self, now: WallTime) -> bool {
        if let Hands::Returning(Some(drawn)) = self.hands
            && now.since(drawn) >= GRACE
        {
            self.hands = Hands::Here;
        }
        self.hands == Hands::Here
    }

    /// Whether the next frame is the first to show what a key may send.
    pub(super) fn shows_new_panel(&self) -> bool {
        matches!(&self.view, View::Request(dialog) if dialog.has_new_panel())
    }

    /// What a frame of it shows.
    pub(super) fn scene(&self) -> Scene {
        match (&self.over, &self.view) {
            (Over::Help(_), _) => Scene::Help,
            (Over::Stop(_), _) => Scene::Stop,
            (Over::Nothing, View::Overview) => Scene::Overview(self.overview.which),
            (Over::Nothing, View::Request(dialog)) => {
                Scene::Request(dialog.which, dialog.place, dialog.making())
            }
            (Over::Nothing, View::Transcript(transcript, _)) => {
                Scene::Transcript(transcript.worker)
            }
        }
    }

    /// What is on the screen was put before the person's eyes.
    fn drawn(&mut self, now: WallTime) {
        if self.hands == Hands::Returning(None) {
            self.hands = Hands::Returning(Some(now));
        }
        if let Over::Stop(stop) = &mut self.over {
            stop.drawn();
        }
        let body = self.body();
        if !layout::fits(self.size) {
            return;
        }
        if let (View::Request(dialog), Over::Nothing) = (&mut self.view, &self.over) {
            dialog.drawn(body, now);
        }
    }

    fn pasted(&mut self, text: &str, now: WallTime) {
        let pasted = match (&self.over, &mut self.view) {
            // A paste stops nothing either.
            (Over::Stop(_) | Over::Help(_), _) => Pasted::Nowhere,
            (Over::Nothing, View::Request(dialog)) => dialog.paste(text, now),
            (Over::Nothing, View::Transcript(transcript, _)) => transcript.paste(text),
            (Over::Nothing, View::Overview) => self.overview.paste(text),
        };
        if matches!(self.view, View::Overview) {
            self.keep_to_filter();
        }
        if pasted == Pasted::TooLong {
            let kib = super::field::BYTES_MAX / 1_024;
            let text = format!("a text here has at most {kib} KiB; nothing was pasted");
            self.notice.answer(text);
        }
    }
}

#[cfg(test)]
mod answers;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod never_a_yes;
#[cfg(test)]
mod read_whole;
#[cfg(test)]
mod stops;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod views;
