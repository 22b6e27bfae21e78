//! Going from one request, transcript or list to another.

use std::mem;

use pointsman_model::WorkerId;

use super::super::dialog::Dialog;
use super::super::event::Effect;
use super::super::queue::{Group, Place};
use super::super::transcript::Transcript;
use super::{State, View};

impl State {
    pub(super) fn go_on_from_here(&mut self, way: Way) -> Vec<Effect> {
        match &self.view {
            View::Request(dialog) => self.go_on(dialog.place, way),
            View::Overview | View::Transcript(..) => Vec::new(),
        }
    }

    /// Opens the neighbour of a place, or the overview when there is none that is open.
    pub(super) fn go_on(&mut self, from: Place, way: Way) -> Vec<Effect> {
        self.refresh();
        let which = self.overview.which;
        let mut at = from;
        for _ in 0..self.list(which).len() {
            let next = match way {
                Way::After => self.overview.after(at),
                Way::Before => self.overview.before(at),
            };
            let Some(next) = next else { break };
            let is_open = |group: &Group| !group.open.is_empty();
            if next != from && self.list(which).get(next).is_some_and(is_open) {
                return self.open(next);
            }
            at = next;
        }
        // Equal ones that came after it was opened are another question.
        let is_answered = match &self.view {
            View::Request(dialog) => dialog.place == from && dialog.is_over(self.list(which)),
            View::Overview | View::Transcript(..) => false,
        };
        let has_more = |group: &Group| !group.open.is_empty();
        if is_answered && self.list(which).get(from).is_some_and(has_more) {
            return self.open(from);
        }
        let over = self
            .list(which)
            .get(from)
            .is_none_or(|group| group.open.is_empty());
        if over {
            self.view = View::Overview;
            self.overview.waiting.on = None;
        }
        Vec::new()
    }

    /// Puts a request before the person. What was typed before was meant for something else.
    pub(super) fn open(&mut self, place: Place) -> Vec<Effect> {
        self.overview.waiting.on = Some(place);
        let which = self.overview.which;
        let at = (which, place);
        let Some(dialog) = Dialog::open(at, self.list(which), self.size.width) else {
            return Vec::new();
        };
        self.view = View::Request(Box::new(dialog));
        vec![Effect::DropInput]
    }

    pub(super) fn show_transcript(&mut self, worker: WorkerId) -> Vec<Effect> {
        let mut transcript = Transcript::new(worker);
        transcript.resize(self.size.width);
        let behind = match mem::replace(&mut self.view, View::Overview) {
            View::Request(dialog) => Some(dialog),
            View::Overview | View::Transcript(..) => None,
        };
        self.view = View::Transcript(Box::new(transcript), behind);
        vec![Effect::Load(worker)]
    }

    /// Goes back to where the transcript was opened. A request is as it was left, with what was read and written of it;
    /// it is to be seen again before a key counts.
    pub(super) fn leave_transcript(&mut self) -> Vec<Effect> {
        let View::Transcript(_, Some(mut dialog)) = mem::replace(&mut self.view, View::Overview)
        else {
            return Vec::new();
        };
        dialog.resize(self.size.width);
        dialog.look_again();
        self.view = View::Request(dialog);
        vec![Effect::DropInput]
    }
}

/// To which neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    After,
    Before,
}
