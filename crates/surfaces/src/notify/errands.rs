//! The programs that wait for their turn to tell somebody.
//!
//! What is told of one request waits as long as that is open: there are at most as many as questions are open, times the
//! occasions of each. Of the words to the desktop the newest are kept.

use std::collections::VecDeque;

use pointsman_model::RequestId;

use super::watchman::Occasion;

/// Words to the desktop that wait for their turn; of more the oldest are dropped, since newer ones say as much.
const DESKTOP_WAITING_MAX: usize = 16;

/// A program that is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Errand {
    /// One that is told of a request.
    Of {
        command: Vec<Box<str>>,
        id: RequestId,
        occasion: Occasion,
    },
    /// The program that tells the desktop.
    Desktop { command: Vec<Box<str>> },
}

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Errands(VecDeque<Errand>);

impl Errands {
    /// One more waits, behind the others.
    pub(super) fn push(&mut self, errand: Errand) {
        if is_for_desktop(&errand) {
            let waiting = self.0.iter().filter(|errand| is_for_desktop(errand));
            if waiting.count() >= DESKTOP_WAITING_MAX
                && let Some(oldest) = self.0.iter().position(is_for_desktop)
            {
                self.0.remove(oldest);
            }
        }
        self.0.push_back(errand);
    }

    /// The next one's turn has come.
    pub(super) fn pop(&mut self) -> Option<Errand> {
        self.0.pop_front()
    }

    /// Drops what was to be told of requests that are no longer open.
    pub(super) fn keep(&mut self, is_open: impl Fn(RequestId) -> bool) {
        self.0.retain(|errand| match errand {
            Errand::Of { id, .. } => is_open(*id),
            Errand::Desktop { .. } => true,
        });
    }
}

fn is_for_desktop(errand: &Errand) -> bool {
    match errand {
        Errand::Desktop { .. } => true,
        Errand::Of { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::RunId;

    fn of(number: u32) -> Errand {
        Errand::Of {
            command: vec!["tell".into()],
            id: RequestId::new(RunId::FIRST, number),
            occasion: Occasion::Waits,
        }
    }

    fn desktop(number: usize) -> Errand {
        Errand::Desktop {
            command: vec![number.to_string().into()],
        }
    }

    fn all(mut errands: Errands) -> Vec<Errand> {
        std::iter::from_fn(|| errands.pop()).collect()
    }

    #[test]
    fn what_has_ended_waits_for_no_turn() {
        let mut errands = Errands::default();
        for errand in [of(1), desktop(1), of(2), of(1)] {
            errands.push(errand);
        }
        errands.keep(|id| id.number() != 1);
        assert_eq!(all(errands), [desktop(1), of(2)]);
    }

    #[test]
    fn the_desktop_is_left_the_newest_words() {
        let mut errands = Errands::default();
        errands.push(of(1));
        for number in 0..DESKTOP_WAITING_MAX + 2 {
            errands.push(desktop(number));
        }
        let kept = all(errands);
        assert_eq!(kept.len(), DESKTOP_WAITING_MAX + 1);
        assert_eq!(kept[..2], [of(1), desktop(2)]);
    }
}
