//! The screen as a plain state machine: events in, effects out, no terminal and no clock.
//!
//! A new request changes lists and numbers, never the view: requests are opened by the person alone,
//! or follow the one that they have just answered.

mod moves;

use std::collections::HashSet;
use std::sync::Arc;

use pointsman_approvals::{Advice, OpenRequest};
use pointsman_model::{
    Answerer, Explanation, Millis, RequestId, RunId, Surface, Verdict, VerdictKind, WallTime,
};
use pointsman_swarm::RunEvent;
use ratatui::layout::{Rect, Size};

use self::moves::Way;
use super::before::{self, Before};
use super::dialog::{Dialog, Wish};
use super::event::{Effect, Event};
use super::key::Key;
use super::layout::{self, Frame};
use super::overview::{Heights, Move, Overview};
use super::queue::{Added, Closed, Place, Queue, Which};
use super::refused::Refused;
use super::stop::{StopBox, StopTurn};
use super::transcript::{Read, Transcript};
use crate::render::verdict_line;
use crate::roster::{Node, Roster};
use crate::shown;

/// The bell rings at most this often, however many requests come.
const RING_EVERY: Millis = Millis(5_000);

/// What the person looks at.
#[derive(Debug)]
pub(super) enum View {
    Overview,
    Request(Box<Dialog>),
    Transcript(Box<Transcript>),
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
    /// At the run itself: it ends with this process.
    Leading,
    /// At a run of another process, which can be left alone.
    Attached,
    /// They have left it.
    Left,
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
    /// What happened last.
    pub(super) notice: String,
    rang: Option<WallTime>,
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
            notice: String::new(),
            rang: None,
            fresh: Vec::new(),
        }
    }

    /// Takes what came at `now`, and says what to do, in order.
    pub(super) fn handle(&mut self, event: Event, now: WallTime) -> Vec<Effect> {
        let effects = match event {
            Event::Shown(open) => self.shown(open, now),
            Event::Listed(all) => self.listed(all, now),
            Event::Advised(id, advice) => self.advised(id, advice),
            Event::Explained(id, explanation) => self.explained(id, explanation),
            Event::Closed(id, verdict) => self.closed(id, &verdict),
            Event::Refused(id, text) => {
                self.queue.unsent(id);
                self.notice = format!("{id} {text}");
                Vec::new()
            }
            Event::Lifted(id, text) => {
                self.refused.list.unsent(id);
                self.notice = text;
                Vec::new()
            }
            Event::Record(record) => {
                let width = self.size.width;
                self.roster.record(&record);
                self.refused.record(&record);
                if let View::Transcript(transcript) = &mut self.view {
                    transcript.record(&record, width);
                }
                Vec::new()
            }
            Event::Run(event) => self.run_event(&event),
            Event::Jobs(jobs) => {
                self.roster.take_jobs(&jobs);
                Vec::new()
            }
            Event::Loaded(worker, records) => {
                let width = self.size.width;
                match &mut self.view {
                    View::Transcript(transcript) if transcript.worker == worker => {
                        transcript.loaded(records, width);
                    }
                    View::Transcript(_) | View::Overview | View::Request(_) => {}
                }
                Vec::new()
            }
            Event::Before(id, before) => {
                self.before(id, before);
                Vec::new()
            }
            Event::Key(key) => self.key(key, now),
            Event::Pasted(text) => {
                self.pasted(&text, now);
                Vec::new()
            }
            Event::Resized(size) => self.resized(size),
            Event::Drawn => {
                self.drawn(now);
                return Vec::new();
            }
            Event::Notice(text) => {
                self.notice = text;
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

    /// How many rows of the request in view are still to be seen before a yes.
    pub(super) fn unseen(&self) -> usize {
        match &self.view {
            View::Request(dialog) => dialog.unseen(),
            View::Overview | View::Transcript(_) => 0,
        }
    }

    /// Places of a list that the person is at.
    fn held(&self, which: Which) -> Vec<Place> {
        let dialog = match &self.view {
            View::Request(dialog) if dialog.which == which => Some(dialog.place),
            View::Request(_) | View::Overview | View::Transcript(_) => None,
        };
        let cursor = self.overview.waiting.on;
        let cursor = cursor.filter(|_| self.overview.which == which);
        dialog.into_iter().chain(cursor).collect()
    }

    /// The dialog, if it is that of a request that waits.
    fn dialog_of(&mut self, id: RequestId) -> Option<(&mut Dialog, &Queue)> {
        let place = self.queue.place_of(id)?;
        match &mut self.view {
            View::Request(dialog) if dialog.which == Which::Waiting && dialog.place == place => {
                Some((dialog, &self.queue))
            }
            View::Request(_) | View::Overview | View::Transcript(_) => None,
        }
    }

    fn shown(&mut self, open: Arc<OpenRequest>, now: WallTime) -> Vec<Effect> {
        let nobody_waited = self.queue.len() == 0;
        let id = open.request.id;
        let opened_at = open.request.opened_at;
        let file = before::file_of(&open.request);
        if self.queue.add(open) == Added::KnownBefore {
            return Vec::new();
        }
        self.fresh.push(opened_at);
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

    fn advised(&mut self, id: RequestId, advice: Advice) -> Vec<Effect> {
        self.notice = format!(
            "{id} {} says: {}",
            shown::line(&advice.by.to_string()),
            shown::line(&advice.text)
        );
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

    /// A request has ended. The dialog goes on to the next one only when the person's own answer
    /// ended all that it covers.
    fn closed(&mut self, id: RequestId, verdict: &Verdict) -> Vec<Effect> {
        let words = verdict_line(verdict);
        let here = verdict.by
            == Answerer::Person {
                surface: Surface::Terminal,
            };
        if self.queue.close(id, words.clone()) == Closed::Unknown {
            return Vec::new();
        }
        self.notice = format!("{id} {words}");
        match &self.view {
            View::Request(dialog)
                if here
                    && dialog.which == Which::Waiting
                    && dialog.covers(id)
                    && dialog.is_over(&self.queue) =>
            {
                self.go_on(dialog.place, Way::After)
            }
            View::Request(_) | View::Overview | View::Transcript(_) => Vec::new(),
        }
    }

    fn run_event(&mut self, event: &RunEvent) -> Vec<Effect> {
        self.roster.run_event(event);
        if let RunEvent::Stopping { reason } = event {
            self.course = Course::Stopping;
            self.notice = shown::line(&reason.to_string());
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
            View::Transcript(transcript) => transcript.resize(size.width),
            View::Overview => {}
        }
        Vec::new()
    }

    /// What is on the screen was put before the person's eyes.
    fn drawn(&mut self, now: WallTime) {
        let body = self.body();
        if !layout::fits(self.size) {
            return;
        }
        if let (View::Request(dialog), Over::Nothing) = (&mut self.view, &self.over) {
            dialog.drawn(body, now);
        }
    }

    fn pasted(&mut self, text: &str, now: WallTime) {
        match (&self.over, &mut self.view) {
            // A paste stops nothing either.
            (Over::Stop(_) | Over::Help(_), _) => {}
            (Over::Nothing, View::Request(dialog)) => dialog.paste(text, now),
            (Over::Nothing, View::Transcript(transcript)) => transcript.paste(text),
            (Over::Nothing, View::Overview) => self.overview.paste(text),
        }
    }

    fn key(&mut self, key: Key, now: WallTime) -> Vec<Effect> {
        if key == Key::Chord('l') {
            return vec![Effect::Redraw];
        }
        match (&mut self.over, key) {
            (Over::Stop(_), key) => return self.stop_key(key),
            (_, Key::Chord('c')) if self.course == Course::Stopping => {
                return vec![Effect::Interrupt];
            }
            (_, Key::Chord('c')) => {
                self.over = Over::Stop(StopBox::run());
                return Vec::new();
            }
            (Over::Help(top), key) => {
                match key.step() {
                    Some(step) => *top = step.from(*top, super::draw::help_rows(), 10),
                    None => self.over = Over::Nothing,
                }
                return Vec::new();
            }
            (Over::Nothing, _) => {}
        }
        if !layout::fits(self.size) {
            return Vec::new();
        }
        let body = self.body();
        match &mut self.view {
            View::Overview => self.overview_key(key),
            View::Request(dialog) => {
                let list = match dialog.which {
                    Which::Waiting => &self.queue,
                    Which::Refused => &self.refused.list,
                };
                let wishes = dialog.key(key, list, body, now);
                // That somebody is there is no answer to a key.
                let touched = |wish: &Wish| matches!(wish, Wish::Do(Effect::Touch(_)));
                let nothing = wishes.iter().all(touched) && !dialog.has_panel();
                if nothing && key == Key::Char('?') {
                    self.over = Over::Help(0);
                }
                self.grant(wishes)
            }
            View::Transcript(transcript) => {
                let height = usize::from(body.height.saturating_sub(1));
                match transcript.key(key, height) {
                    Read::Back => self.view = View::Overview,
                    Read::Other if key == Key::Char('?') => self.over = Over::Help(0),
                    Read::On | Read::Other => {}
                }
                Vec::new()
            }
        }
    }

    fn stop_key(&mut self, key: Key) -> Vec<Effect> {
        let Over::Stop(stop) = &mut self.over else {
            return Vec::new();
        };
        match stop.key(key) {
            StopTurn::Stay => Vec::new(),
            StopTurn::Fault(text) => {
                self.notice = text.into();
                Vec::new()
            }
            StopTurn::Close => {
                self.over = Over::Nothing;
                Vec::new()
            }
            StopTurn::Do(effect) => {
                self.over = Over::Nothing;
                if effect == Effect::StopRun {
                    self.course = Course::Stopping;
                    self.notice = "stopping the run".into();
                }
                vec![effect]
            }
        }
    }

    fn overview_key(&mut self, key: Key) -> Vec<Effect> {
        let areas = layout::Overview::of(self.body());
        let heights = Heights {
            agents: layout::Overview::entries(areas.tree),
            waiting: layout::Overview::entries(areas.queue),
        };
        match self.overview.key(key, heights) {
            Move::On => Vec::new(),
            Move::Open(place) => self.open(place),
            Move::Transcript(node) => match self.roster.worker_at(node) {
                Some(worker) => self.show_transcript(worker),
                None => Vec::new(),
            },
            Move::Stop(node) => {
                self.ask_stop(node);
                Vec::new()
            }
            Move::Other => {
                match (key, self.seat) {
                    (Key::Char('?'), _) => self.over = Over::Help(0),
                    (Key::Char('c'), _) => self.turn_list(),
                    (Key::Char('q'), Seat::Attached) => self.seat = Seat::Left,
                    (Key::Char('q'), Seat::Leading) => {
                        self.notice = "the run ends with this terminal: Ctrl-C stops it; `run --detach` outlives it".into();
                    }
                    _ => {}
                }
                Vec::new()
            }
        }
    }

    /// Shows what the classifier refused, or again what waits.
    fn turn_list(&mut self) {
        match self.overview.which {
            Which::Refused => self.overview.turn_to(Which::Waiting),
            Which::Waiting if self.refused.list.len() > 0 => {
                self.overview.turn_to(Which::Refused);
            }
            Which::Waiting => {
                self.notice = "no classifier has refused anything that can be lifted".into()
            }
        }
    }

    /// Carries out what the dialog wishes.
    fn grant(&mut self, wishes: Vec<Wish>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Do(effect) => {
                    match &effect {
                        Effect::Answer(open, kind) => {
                            self.queue.sent(open.request.id);
                            self.notice = format!("{} {}", open.request.id, sending(kind));
                        }
                        Effect::Lift(id) => self.refused.list.sent(*id),
                        _ => {}
                    }
                    effects.push(effect);
                }
                Wish::Say(text) => self.notice = text,
                Wish::Back => self.view = View::Overview,
                Wish::Next => effects.extend(self.go_on_from_here(Way::After)),
                Wish::Before => effects.extend(self.go_on_from_here(Way::Before)),
                Wish::Transcript(worker) => effects.extend(self.show_transcript(worker)),
                Wish::Stop(worker) => self.ask_stop(Node::Agent(worker)),
            }
        }
        effects
    }

    fn ask_stop(&mut self, node: Node) {
        let agent = self
            .roster
            .worker_at(node)
            .and_then(|worker| Some((worker, self.roster.agent(worker)?)));
        self.over = Over::Stop(match agent {
            Some((worker, agent)) => {
                StopBox::agent(worker, shown::line(&agent.lineage.to_string()))
            }
            None => StopBox::run(),
        });
    }
}

/// What is told while an answer is on its way to the disk.
fn sending(kind: &VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Allow { .. } => "a yes is on its way",
        VerdictKind::Deny { .. } => "a no is on its way",
        VerdictKind::Ended { .. } => "is being ended",
    }
}

#[cfg(test)]
mod never_a_yes;
#[cfg(test)]
mod read_whole;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod views;
