//! Stopping an agent, a job or the run: a word to be typed out, or Ctrl-C twice for the run. Whoever sits at a run of another
//! process leaves it by that, and it goes on.

use pointsman_model::WorkerId;

use super::dialog::Eyes;
use super::event::Effect;
use super::field::{Field, Lines, Took};
use super::key::Key;

/// What is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// An agent with all below it, and who that is.
    Agent(WorkerId, String),
    /// A job that is not at work, by its name.
    Job(String),
    /// Nothing: the person leaves a run that goes on without them.
    Leave,
    Run,
}

/// What Ctrl-C does while the box is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    StopsRun,
    Leaves,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct StopBox {
    targets: Vec<Target>,
    at: usize,
    again: Again,
    eyes: Eyes,
    pub(super) field: Field,
}

/// What a key came to.
#[derive(Debug, PartialEq)]
pub(super) enum StopTurn {
    Stay,
    Close,
    Fault(&'static str),
    Do(Effect),
    /// The person leaves the run on.
    Leave,
}

/// The word that stops.
const WORD: &str = "stop";

impl StopBox {
    /// Asks whether to stop the run; where it can be left instead, that comes first.
    pub(super) fn run(again: Again) -> Self {
        let targets = match again {
            Again::StopsRun => vec![Target::Run],
            Again::Leaves => vec![Target::Leave, Target::Run],
        };
        Self::of(targets, again)
    }

    /// Asks whether to stop this agent; the run may be chosen.
    pub(super) fn agent(worker: WorkerId, who: String, again: Again) -> Self {
        Self::of(vec![Target::Agent(worker, who), Target::Run], again)
    }

    /// Asks whether to stop this job, which is not at work; the run may be chosen.
    pub(super) fn job(name: String, again: Again) -> Self {
        Self::of(vec![Target::Job(name), Target::Run], again)
    }

    fn of(targets: Vec<Target>, again: Again) -> Self {
        Self {
            targets,
            at: 0,
            again,
            eyes: Eyes::NotYet,
            field: Field::new(Lines::One, ""),
        }
    }

    /// It was put before the person's eyes: from here on Ctrl-C is one more.
    pub(super) fn drawn(&mut self) {
        self.eyes = Eyes::Saw;
    }

    /// See [`Again`].
    pub(super) fn again(&self) -> Again {
        self.again
    }

    /// What would be stopped.
    pub(super) fn target(&self) -> &Target {
        self.targets.get(self.at).unwrap_or(&Target::Run)
    }

    /// Whether there is something else to choose.
    pub(super) fn has_choice(&self) -> bool {
        self.targets.len() > 1
    }

    pub(super) fn key(&mut self, key: Key) -> StopTurn {
        match key {
            Key::Esc => StopTurn::Close,
            Key::Chord('c') => match (self.eyes, self.again) {
                // A key that is held down asks once.
                (Eyes::NotYet, _) => StopTurn::Stay,
                (Eyes::Saw, Again::StopsRun) => StopTurn::Do(Effect::StopRun),
                (Eyes::Saw, Again::Leaves) => StopTurn::Leave,
            },
            Key::Tab => {
                self.at = self.at.saturating_add(1) % self.targets.len().max(1);
                StopTurn::Stay
            }
            Key::Enter if *self.target() == Target::Leave => match self.eyes {
                Eyes::NotYet => StopTurn::Stay,
                Eyes::Saw => StopTurn::Leave,
            },
            Key::Enter if self.field.text().trim() == WORD => match self.target() {
                Target::Agent(worker, _) => StopTurn::Do(Effect::StopWorker(*worker)),
                Target::Job(name) => StopTurn::Do(Effect::StopJob(name.clone())),
                Target::Run => StopTurn::Do(Effect::StopRun),
                Target::Leave => StopTurn::Leave,
            },
            Key::Enter => StopTurn::Fault("`stop` is to be typed out; nothing was stopped"),
            key => match self.field.take(key) {
                Took::Taken | Took::Left => StopTurn::Stay,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::RunId;

    #[test]
    fn only_the_word_or_a_second_ctrl_c_stops() {
        let worker = WorkerId::new(RunId::FIRST, 4);
        let typed = |keys: &str, last| {
            let mut stop = StopBox::agent(worker, "docs".into(), Again::StopsRun);
            assert_eq!(stop.key(Key::Chord('c')), StopTurn::Stay);
            stop.drawn();
            for key in keys.chars() {
                assert_eq!(stop.key(Key::Char(key)), StopTurn::Stay);
            }
            stop.key(last)
        };
        assert!(matches!(typed("", Key::Enter), StopTurn::Fault(_)));
        assert!(matches!(typed("sto", Key::Enter), StopTurn::Fault(_)));
        assert_eq!(
            typed("stop", Key::Enter),
            StopTurn::Do(Effect::StopWorker(worker))
        );
        assert_eq!(typed("x", Key::Chord('c')), StopTurn::Do(Effect::StopRun));
        let mut stop = StopBox::agent(worker, "docs".into(), Again::StopsRun);
        let _ = stop.key(Key::Tab);
        assert_eq!(stop.target(), &Target::Run);
    }
    #[test]
    fn who_can_leave_stops_nothing_by_ctrl_c() {
        let mut stop = StopBox::run(Again::Leaves);
        assert_eq!(stop.key(Key::Enter), StopTurn::Stay);
        stop.drawn();
        assert_eq!(stop.key(Key::Chord('c')), StopTurn::Leave);
        assert_eq!(stop.key(Key::Enter), StopTurn::Leave);
        let _ = stop.key(Key::Tab);
        assert_eq!(stop.key(Key::Chord('c')), StopTurn::Leave);
        for key in "stop".chars() {
            let _ = stop.key(Key::Char(key));
        }
        assert_eq!(stop.key(Key::Enter), StopTurn::Do(Effect::StopRun));
    }
}
