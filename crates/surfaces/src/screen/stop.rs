//! Stopping an agent or the run: a word to be typed out, or Ctrl-C twice for the run.

use pointsman_model::WorkerId;

use super::event::Effect;
use super::field::{Field, Lines, Took};
use super::key::Key;

/// What is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// An agent with all below it, and who that is.
    Agent(WorkerId, String),
    Run,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct StopBox {
    targets: Vec<Target>,
    at: usize,
    pub(super) field: Field,
}

/// What a key came to.
#[derive(Debug, PartialEq)]
pub(super) enum StopTurn {
    Stay,
    Close,
    Fault(&'static str),
    Do(Effect),
}

/// The word that stops.
const WORD: &str = "stop";

impl StopBox {
    /// Asks whether to stop the run.
    pub(super) fn run() -> Self {
        Self {
            targets: vec![Target::Run],
            at: 0,
            field: Field::new(Lines::One, ""),
        }
    }

    /// Asks whether to stop this agent; the run may be chosen.
    pub(super) fn agent(worker: WorkerId, who: String) -> Self {
        Self {
            targets: vec![Target::Agent(worker, who), Target::Run],
            ..Self::run()
        }
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
            Key::Chord('c') => StopTurn::Do(Effect::StopRun),
            Key::Tab => {
                self.at = self.at.saturating_add(1) % self.targets.len().max(1);
                StopTurn::Stay
            }
            Key::Enter if self.field.text().trim() == WORD => StopTurn::Do(match self.target() {
                Target::Agent(worker, _) => Effect::StopWorker(*worker),
                Target::Run => Effect::StopRun,
            }),
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
            let mut stop = StopBox::agent(worker, "docs".into());
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
        let mut stop = StopBox::agent(worker, "docs".into());
        let _ = stop.key(Key::Tab);
        assert_eq!(stop.target(), &Target::Run);
    }
}
