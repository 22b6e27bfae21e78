//! Keys: to whatever has them, and what is done for it.

use pointsman_model::{RequestId, VerdictKind, WallTime};

use super::super::dialog::Wish;
use super::super::draw::help_end;
use super::super::event::Effect;
use super::super::key::Key;
use super::super::layout;
use super::super::overview::{Heights, Move, Typing};
use super::super::queue::{Sent, Which};
use super::super::stop::{Again, StopBox, StopTurn};
use super::super::transcript::Read;
use super::ends::Together;
use super::moves::Way;
use super::{Course, Hands, Over, Seat, State, View};
use crate::roster::{Doing, JobRow, Node};
use crate::shown;

impl State {
    pub(super) fn key(&mut self, key: Key, now: WallTime) -> Vec<Effect> {
        match key {
            Key::Chord('l') => return vec![Effect::Redraw],
            Key::Chord('z') => {
                self.hands = Hands::Away;
                return vec![Effect::Pause];
            }
            _ => {}
        }
        let body = self.body();
        match (&mut self.over, key) {
            (Over::Stop(_), key) => return self.stop_key(key),
            (_, Key::Chord('c')) if self.course == Course::Stopping => {
                return vec![Effect::Interrupt];
            }
            (_, Key::Chord('c')) => {
                self.over = Over::Stop(StopBox::run(self.again()));
                return Vec::new();
            }
            (Over::Help(top), key) => {
                match key.step() {
                    Some(step) => *top = step.from(*top, help_end(body), 10),
                    None => self.over = Over::Nothing,
                }
                return Vec::new();
            }
            (Over::Nothing, _) => {}
        }
        if !layout::fits(self.size) {
            if (key, self.seat) == (Key::Char('q'), Seat::Attached) {
                self.seat = Seat::Left;
            }
            return Vec::new();
        }
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
            View::Transcript(transcript, _) => {
                let height = usize::from(body.height.saturating_sub(1));
                match transcript.key(key, height) {
                    Read::Back => return self.leave_transcript(),
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
                self.notice.answer(text);
                Vec::new()
            }
            StopTurn::Close => {
                self.over = Over::Nothing;
                Vec::new()
            }
            StopTurn::Leave => {
                self.over = Over::Nothing;
                self.seat = Seat::Left;
                Vec::new()
            }
            StopTurn::Do(effect) => {
                self.over = Over::Nothing;
                if effect == Effect::StopRun {
                    self.course = Course::Stopping;
                    self.notice.answer("stopping the run");
                }
                vec![effect]
            }
        }
    }

    fn overview_key(&mut self, key: Key) -> Vec<Effect> {
        let areas = self.overview_areas();
        let heights = Heights {
            agents: layout::Overview::entries(areas.tree),
            waiting: layout::Overview::entries(areas.queue),
        };
        let typing = self.overview.typing;
        let came = self.overview.key(key, heights);
        if typing == Typing::Filter {
            self.keep_to_filter();
        }
        match came {
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
                        self.notice.answer("Ctrl-C stops the run; a closed terminal leaves it on, for `pointsman attach`");
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
                let text = "no classifier has refused anything that can be lifted";
                self.notice.answer(text);
            }
        }
    }

    /// Carries out what the dialog wishes.
    fn grant(&mut self, wishes: Vec<Wish>) -> Vec<Effect> {
        let mut effects = Vec::new();
        let answered = |wish: &Wish| match wish {
            Wish::Do(Effect::Answer(open, _)) => Some(open.request.id),
            _ => None,
        };
        let answered: Vec<RequestId> = wishes.iter().filter_map(answered).collect();
        for wish in wishes {
            match wish {
                Wish::Do(effect) => {
                    match &effect {
                        Effect::Answer(open, kind) => {
                            self.queue.sent(open.request.id, Sent::of(kind));
                            let whom = match answered.as_slice() {
                                [] | [_] => open.request.id.to_string(),
                                [first, .., last] => {
                                    format!("{} from {first} to {last}:", answered.len())
                                }
                            };
                            self.notice.answer(format!("{whom} {}", sending(kind)));
                        }
                        Effect::Lift(id) => self.refused.list.sent(*id, Sent::Lift),
                        _ => {}
                    }
                    effects.push(effect);
                }
                Wish::Say(text) => self.notice.answer(text),
                Wish::Back => self.view = View::Overview,
                Wish::Next => effects.extend(self.go_on_from_here(Way::After)),
                Wish::Before => effects.extend(self.go_on_from_here(Way::Before)),
                Wish::Transcript(worker) => effects.extend(self.show_transcript(worker)),
                Wish::Stop(worker) => self.ask_stop(Node::Agent(worker)),
            }
        }
        if !answered.is_empty() {
            self.together = Together::of(answered);
        }
        effects
    }

    /// Asks whether to stop what a row stands for: that, never more of the run.
    fn ask_stop(&mut self, node: Node) {
        let agent = self
            .roster
            .worker_at(node)
            .and_then(|worker| Some((worker, self.roster.agent(worker)?)));
        let stop = match (node, agent, self.waiting_job(node)) {
            (Node::Leader, ..) => StopBox::run(self.again()),
            (_, Some((worker, agent)), _) if !matches!(agent.doing, Doing::Ended { .. }) => {
                let who = shown::line(&agent.lineage.to_string());
                StopBox::agent(worker, who, self.again())
            }
            (_, _, Some(job)) => StopBox::job(job.name.clone(), self.again()),
            (Node::Job(_) | Node::Agent(_), _, None) => {
                let text = "it is not at work: there is nothing to stop";
                self.notice.answer(text);
                return;
            }
        };
        self.over = Over::Stop(stop);
    }

    /// The job of that row, when it waits for its first try or for one more.
    fn waiting_job(&self, node: Node) -> Option<&JobRow> {
        let Node::Job(at) = node else {
            return None;
        };
        let job = self.roster.job(at).filter(|job| job.end.is_none())?;
        let last = job.worker.and_then(|worker| self.roster.agent(worker));
        match last.map(|agent| &agent.doing) {
            // However that try ended: a person may have ordered one more.
            None | Some(Doing::Ended { .. }) => Some(job),
            Some(Doing::Working | Doing::AtModel { .. } | Doing::Running { .. }) => None,
        }
    }

    /// What one more Ctrl-C does.
    fn again(&self) -> Again {
        match self.seat {
            Seat::Leading => Again::StopsRun,
            Seat::Attached | Seat::Left => Again::Leaves,
        }
    }
}

/// What is told while an answer is on its way to the disk.
fn sending(kind: &VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Allow { .. } => "a yes is on its way",
        VerdictKind::Deny { .. } => "a no is on its way",
        VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => "is being ended",
    }
}
