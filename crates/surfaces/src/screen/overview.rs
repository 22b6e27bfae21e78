//! The overview: two lists, the tree of agents and the queue, one of which has the keys.
//!
//! The cursor stands on a thing, not on a row: whatever comes or goes, the same thing is under it,
//! at the same height as long as that can be.

use super::field::{Field, Lines, Pasted, Took};
use super::key::{Key, Step};
use super::queue::{Place, Queue, Which};
use crate::roster::{Node, Roster, Twig};

/// Which list has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Agents,
    Waiting,
}

/// A cursor in a list of `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor<T> {
    pub(super) on: Option<T>,
    /// The row at the top of the list.
    top: usize,
}

impl<T: Copy + PartialEq> Cursor<T> {
    fn new() -> Self {
        Self { on: None, top: 0 }
    }

    /// The first row to draw of `rows`, when `height` fit: the one that keeps the cursor where it is.
    pub(super) fn top(&self, rows: &[T], height: usize) -> usize {
        let last = rows.len().saturating_sub(height);
        let Some(at) = self.at(rows) else {
            return self.top.min(last);
        };
        let lowest = at.saturating_add(1).saturating_sub(height);
        self.top.clamp(lowest, at.max(lowest)).min(last)
    }

    fn at(&self, rows: &[T]) -> Option<usize> {
        let on = self.on?;
        rows.iter().position(|row| *row == on)
    }

    fn step(&mut self, step: Step, rows: &[T], height: usize) {
        let last = rows.len().saturating_sub(1);
        let to = match self.at(rows) {
            Some(at) => step.from(at, last, height.saturating_sub(1)),
            None if step == Step::Last => last,
            None => self.top.min(last),
        };
        self.on = rows.get(to).copied();
        self.top = self.top(rows, height);
    }

    /// The list was `before` and is `after`: scrolls so that what is under the cursor stays at its
    /// height on the screen.
    fn keep(&mut self, before: &[T], after: &[T]) {
        let (Some(old), Some(new)) = (self.at(before), self.at(after)) else {
            return;
        };
        self.top = self.top.saturating_add(new).saturating_sub(old);
    }
}

/// Whether keys go into the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    Filter,
    Nothing,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Overview {
    pub(super) pane: Pane,
    /// Which requests the second list shows.
    pub(super) which: Which,
    pub(super) agents: Cursor<Node>,
    pub(super) waiting: Cursor<Place>,
    pub(super) filter: Field,
    pub(super) typing: Typing,
    /// The tree as it was drawn last.
    tree: Vec<Node>,
    queue: Vec<Place>,
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Move {
    On,
    /// Open this group.
    Open(Place),
    /// Show the transcript of what this row stands for.
    Transcript(Node),
    /// Ask what to stop.
    Stop(Node),
    Other,
}

/// Why a row of the tree is there while a filter is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// The filter lets it pass, or there is none.
    Itself,
    /// One below it passes: whose it is has to be seen.
    ForOneBelow,
}

/// A row of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) twig: Twig,
    pub(super) passes: Passes,
}

/// How many rows each list has room for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights {
    pub(super) agents: usize,
    pub(super) waiting: usize,
}

impl Overview {
    /// Nothing under the cursors, the queue has the keys.
    pub(super) fn new() -> Self {
        Self {
            pane: Pane::Waiting,
            which: Which::Waiting,
            agents: Cursor::new(),
            waiting: Cursor::new(),
            filter: Field::new(Lines::One, ""),
            typing: Typing::Nothing,
            tree: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// The filter as it is compared: in lower case, without blanks around it.
    pub(super) fn wanted(&self) -> String {
        self.filter.text().trim().to_lowercase()
    }

    /// The rows of the tree that the filter lets pass, and those above them.
    pub(super) fn tree(&self, roster: &Roster) -> Vec<Branch> {
        let wanted = self.wanted();
        let mut under: Vec<(Twig, Option<Passes>)> = Vec::new();
        let mut rows = Vec::new();
        // From the last row up, so that a row is met after all below it.
        for twig in roster.tree().into_iter().rev() {
            let itself = wanted.is_empty()
                || twig.node == Node::Leader
                || node_words(twig.node, roster).contains(&wanted);
            let mut below = None;
            while let Some((deeper, passes)) = under.last() {
                if deeper.depth <= twig.depth {
                    break;
                }
                below = below.or(*passes);
                under.pop();
            }
            let passes = match (itself, below) {
                (true, _) => Some(Passes::Itself),
                (false, Some(_)) => Some(Passes::ForOneBelow),
                (false, None) => None,
            };
            under.push((twig, passes));
            rows.extend(passes.map(|passes| Branch { twig, passes }));
        }
        rows.reverse();
        rows
    }

    /// Moves a cursor whose row the filter hides to the first row that it lets pass.
    pub(super) fn keep_to_filter(&mut self, roster: &Roster) {
        if self.waiting.on.is_some_and(|on| !self.queue.contains(&on)) {
            self.waiting.on = self.queue.first().copied();
        }
        if self.agents.on.is_some_and(|on| !self.tree.contains(&on)) {
            let rows = self.tree(roster);
            let passes =
                |row: &&Branch| row.passes == Passes::Itself && row.twig.node != Node::Leader;
            self.agents.on = rows.iter().find(passes).map(|row| row.twig.node);
        }
    }

    /// The groups of the queue that the filter lets pass.
    pub(super) fn queue(&self, queue: &Queue) -> Vec<Place> {
        queue.rows(&self.wanted()).map(|(place, _)| place).collect()
    }

    /// How many requests the list holds that the filter lets pass.
    pub(super) fn listed(&self) -> usize {
        self.queue.len()
    }

    /// Brings the lists up to what there is now.
    pub(super) fn refresh(&mut self, roster: &Roster, queue: &Queue) {
        let rows = self.tree(roster);
        let tree: Vec<Node> = rows.iter().map(|row| row.twig.node).collect();
        self.agents.keep(&self.tree, &tree);
        self.tree = tree;
        let places = self.queue(queue);
        self.waiting.keep(&self.queue, &places);
        self.queue = places;
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: Key, heights: Heights) -> Move {
        if self.typing == Typing::Filter {
            return self.typed(key);
        }
        if let Some(step) = key.step() {
            match self.pane {
                Pane::Agents => self.agents.step(step, &self.tree, heights.agents),
                Pane::Waiting => self.waiting.step(step, &self.queue, heights.waiting),
            }
            return Move::On;
        }
        match (key, self.pane) {
            (Key::Tab | Key::BackTab, Pane::Agents) => self.pane = Pane::Waiting,
            (Key::Tab | Key::BackTab, Pane::Waiting) => self.pane = Pane::Agents,
            (Key::Left, _) => self.pane = Pane::Agents,
            (Key::Right, _) => self.pane = Pane::Waiting,
            (Key::Char('/'), _) => self.typing = Typing::Filter,
            (Key::Esc, _) => self.filter = Field::new(Lines::One, ""),
            (Key::Enter, Pane::Waiting) => return self.open(),
            (Key::Enter | Key::Char('t'), Pane::Agents) => {
                return self.agents.on.map_or(Move::On, Move::Transcript);
            }
            (Key::Char('s'), Pane::Agents) => {
                return Move::Stop(self.agents.on.unwrap_or(Node::Leader));
            }
            _ => return Move::Other,
        }
        Move::On
    }

    /// Shows the other list of requests; nothing of it is under the cursor.
    pub(super) fn turn_to(&mut self, which: Which) {
        if self.which != which {
            self.which = which;
            self.pane = Pane::Waiting;
            self.waiting = Cursor::new();
            self.queue = Vec::new();
        }
    }

    /// Takes a pasted text, while a filter is being typed.
    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        match self.typing {
            Typing::Filter => self.filter.paste(text),
            Typing::Nothing => Pasted::Nowhere,
        }
    }

    /// Opens what the cursor is on, if that is in the list; the first when it is on nothing.
    fn open(&self) -> Move {
        match self.waiting.on {
            Some(on) if self.queue.contains(&on) => Move::Open(on),
            Some(_) => Move::On,
            None => self.queue.first().copied().map_or(Move::On, Move::Open),
        }
    }

    fn typed(&mut self, key: Key) -> Move {
        match key {
            Key::Enter | Key::Tab => self.typing = Typing::Nothing,
            Key::Esc => {
                self.typing = Typing::Nothing;
                self.filter = Field::new(Lines::One, "");
            }
            key => match self.filter.take(key) {
                Took::Taken => {}
                Took::Left => return Move::Other,
            },
        }
        Move::On
    }

    /// The place after `place` in the list, around its end; nothing when there is no other.
    pub(super) fn after(&self, place: Place) -> Option<Place> {
        let later = self.queue.iter().find(|other| **other > place);
        let other = later.or_else(|| self.queue.iter().find(|other| **other != place));
        other.copied()
    }

    /// The place before `place`.
    pub(super) fn before(&self, place: Place) -> Option<Place> {
        let earlier = self.queue.iter().rev().find(|other| **other < place);
        let other = earlier.or_else(|| self.queue.iter().rev().find(|other| **other != place));
        other.copied()
    }
}

/// What a filter looks in, in lower case.
fn node_words(node: Node, roster: &Roster) -> String {
    match node {
        Node::Leader => String::new(),
        Node::Job(at) => roster
            .job(at)
            .map_or_else(String::new, |job| job.name.to_lowercase()),
        Node::Agent(worker) => roster.agent(worker).map_or_else(String::new, |agent| {
            agent.lineage.to_string().to_lowercase()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_the_cursor_stays_where_it_is_on_the_screen() {
        let mut cursor = Cursor::new();
        let rows: Vec<u32> = (0..20).collect();
        for _ in 0..9 {
            cursor.step(Step::Down, &rows, 5);
        }
        assert_eq!((cursor.on, cursor.top(&rows, 5)), (Some(8), 4));
        let fewer: Vec<u32> = rows.iter().copied().filter(|row| *row != 2).collect();
        cursor.keep(&rows, &fewer);
        assert_eq!((cursor.on, cursor.top(&fewer, 5)), (Some(8), 3));
        let more: Vec<u32> = [90, 91].into_iter().chain(fewer.iter().copied()).collect();
        cursor.keep(&fewer, &more);
        assert_eq!((cursor.on, cursor.top(&more, 5)), (Some(8), 5));
        let longer: Vec<u32> = more.iter().copied().chain([99]).collect();
        cursor.keep(&more, &longer);
        assert_eq!(cursor.top(&longer, 5), 5);
    }

    #[test]
    fn the_first_step_goes_to_the_first_row() {
        let mut cursor = Cursor::new();
        cursor.step(Step::Down, &[7, 8], 5);
        assert_eq!(cursor.on, Some(7));
        cursor.step(Step::Down, &[7, 8], 5);
        cursor.step(Step::Down, &[7, 8], 5);
        assert_eq!(cursor.on, Some(8));
    }
}
