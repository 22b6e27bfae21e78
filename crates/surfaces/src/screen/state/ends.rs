//! How requests end: by whom, and what becomes of what the person has in front of them.

use pointsman_model::{Answerer, RequestId, Surface, Verdict, WallTime};

use super::super::dialog::End;
use super::super::event::Effect;
use super::super::queue::{Closed, Which};
use super::moves::Way;
use super::{State, View};
use crate::render::{verdict_line_by, verdict_words_by};

/// Whose an answer is that came from a terminal and not from this one.
const ANOTHER_SCREEN: &str = "a person at another screen";

/// What was answered in one go, and how much of it has got in.
#[derive(Debug, Default)]
pub(super) struct Together {
    sent: Vec<RequestId>,
    got_in: usize,
}

impl Together {
    /// These are on their way.
    pub(super) fn of(sent: Vec<RequestId>) -> Self {
        Self { sent, got_in: 0 }
    }

    /// One has got in; gives how many of how many, where it was not alone.
    fn gets_in(&mut self, id: RequestId) -> Option<(usize, usize)> {
        if self.sent.len() < 2 || !self.sent.contains(&id) {
            return None;
        }
        self.got_in = self.got_in.saturating_add(1);
        Some((self.got_in, self.sent.len()))
    }
}

impl State {
    /// A request has ended. The dialog goes on to the next one only when the person's own answer
    /// ended all that it covers. Another screen in front of the same run answers by the same name: the person's own is
    /// what was on its way from here and says the same.
    pub(super) fn closed(
        &mut self,
        id: RequestId,
        verdict: &Verdict,
        now: WallTime,
    ) -> Vec<Effect> {
        let by_screen = verdict.by
            == Answerer::Person {
                surface: Surface::Terminal,
            };
        let here = by_screen && self.queue.has_sent(id, &verdict.kind);
        let by = if by_screen && !here {
            ANOTHER_SCREEN.to_owned()
        } else {
            verdict.by.to_string()
        };
        let words = verdict_line_by(verdict, &by);
        if self.queue.close(id, words.clone()) == Closed::Unknown {
            return Vec::new();
        }
        let end = End {
            id,
            words: verdict_words_by(verdict, &by),
            at: verdict.at,
        };
        let together = if here {
            self.together.gets_in(id)
        } else {
            None
        };
        let told = match together {
            Some((count, all)) => format!("{count} of {all} {}: {id} just now", end.words),
            None => format!("{id} {words}"),
        };
        self.notice.news(told, now);
        if let Some(dialog) = self.view.dialog_mut()
            && dialog.which == Which::Waiting
        {
            dialog.ended(end, &self.queue);
        }
        match &self.view {
            View::Request(dialog)
                if here
                    && dialog.which == Which::Waiting
                    && dialog.covers(id)
                    && dialog.is_over(&self.queue) =>
            {
                self.go_on(dialog.place, Way::After)
            }
            View::Request(_) | View::Overview | View::Transcript(..) => Vec::new(),
        }
    }

    /// An answer of this screen's was not the verdict. Who was first is told in this screen's own words where it is known:
    /// the others' name this terminal as they do all.
    pub(super) fn did_not_get_in(&mut self, id: RequestId, text: &str, now: WallTime) {
        self.queue.unsent(id);
        let end = self.view.dialog_mut().and_then(|dialog| dialog.end_of(id));
        let told = match end {
            Some(end) => format!("{id} was answered before: {}", end.told(now)),
            None => format!("{id} {text}"),
        };
        self.notice.fault(told, now);
    }
}

#[cfg(test)]
mod tests;
