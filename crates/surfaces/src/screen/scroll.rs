//! How far a text was read: which rows are in view, and up to which row all have been.

use super::key::Step;

/// Up to where a text has been before the person's eyes, from its beginning and without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Rows(usize),
    Whole,
}

/// See the module's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scroll {
    top: usize,
    seen: Seen,
}

impl Scroll {
    /// At the beginning of a text of which nothing was seen.
    pub(super) fn new() -> Self {
        Self {
            top: 0,
            seen: Seen::Rows(0),
        }
    }

    /// Takes a step in a text of `rows` rows of which `height` are in view.
    pub(super) fn step(&mut self, step: Step, rows: usize, height: usize) {
        let last = rows.saturating_sub(height);
        self.top = step.from(self.top.min(last), last, height.saturating_sub(1));
    }

    /// The row at the top.
    pub(super) fn top(&self, rows: usize, height: usize) -> usize {
        self.top.min(rows.saturating_sub(height))
    }

    /// The rows in view were put before the person's eyes; of all `rows` the first `needed` count.
    /// Jumping over rows does not count as seeing them.
    pub(super) fn drawn(&mut self, needed: usize, rows: usize, height: usize) {
        let Seen::Rows(seen) = self.seen else { return };
        let top = self.top(rows, height);
        if top > seen {
            return;
        }
        let seen = seen.max(top.saturating_add(height));
        self.seen = if seen >= needed {
            Seen::Whole
        } else {
            Seen::Rows(seen)
        };
    }

    /// The text was wrapped anew: what was seen in part has to be seen again.
    pub(super) fn rewrapped(&mut self) {
        if let Seen::Rows(_) = self.seen {
            self.seen = Seen::Rows(0);
            self.top = 0;
        }
    }

    /// The text is another one from row `same` on, and what is new of it has to be seen like all the rest.
    pub(super) fn reads_otherwise(&mut self, same: usize) {
        self.seen = Seen::Rows(match self.seen {
            Seen::Rows(seen) => seen.min(same),
            Seen::Whole => same,
        });
        self.top = self.top.min(same);
    }

    /// Something was added to the text from row `same` on. A text that was seen whole stays so.
    pub(super) fn grew(&mut self, same: usize) {
        if let Seen::Rows(_) = self.seen {
            self.reads_otherwise(same);
        }
    }

    /// Whether all of it was seen.
    pub(super) fn is_whole(&self) -> bool {
        self.seen == Seen::Whole
    }

    /// How many rows are still to be seen.
    pub(super) fn unseen(&self, rows: usize) -> usize {
        match self.seen {
            Seen::Rows(seen) => rows.saturating_sub(seen),
            Seen::Whole => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumping_to_the_end_is_not_reading_to_the_end() {
        let mut scroll = Scroll::new();
        scroll.drawn(30, 30, 10);
        assert_eq!(scroll.unseen(30), 20);
        scroll.step(Step::Last, 30, 10);
        scroll.drawn(30, 30, 10);
        assert_eq!(scroll.unseen(30), 20);
        scroll.step(Step::First, 30, 10);
        for _ in 0..3 {
            scroll.step(Step::PageDown, 30, 10);
            scroll.drawn(30, 30, 10);
        }
        assert!(scroll.is_whole());
        scroll.rewrapped();
        assert!(scroll.is_whole());
    }

    #[test]
    fn a_text_that_became_another_one_is_seen_as_far_as_it_is_the_same() {
        let mut whole = Scroll::new();
        whole.drawn(8, 8, 10);
        let mut grown = whole.clone();
        grown.grew(3);
        assert!(grown.is_whole());
        whole.reads_otherwise(3);
        assert_eq!(whole.unseen(30), 27);
        let mut part = Scroll::new();
        part.drawn(30, 30, 10);
        part.step(Step::PageDown, 30, 10);
        part.drawn(30, 30, 10);
        part.grew(15);
        assert_eq!(part.unseen(30), 15);
        part.grew(4);
        // Row 4 is in view again: what is new of it can't be passed by without a step back.
        assert_eq!((part.unseen(30), part.top(30, 10)), (26, 4));
    }

    #[test]
    fn what_may_be_read_need_not_be() {
        let mut scroll = Scroll::new();
        scroll.drawn(10, 30, 10);
        assert!(scroll.is_whole());
    }

    #[test]
    fn a_text_that_fits_is_seen_at_once_but_not_before_it_was_drawn() {
        let mut scroll = Scroll::new();
        assert!(!scroll.is_whole());
        scroll.drawn(4, 4, 10);
        assert!(scroll.is_whole());
    }
}
