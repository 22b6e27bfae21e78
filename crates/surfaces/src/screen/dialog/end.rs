//! How requests have ended that somebody has in front of them.

use pointsman_model::{RequestId, WallTime};

use crate::screen::draw::short;
use crate::screen::sheet::{Line, Tone};

/// How a request has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::screen) struct End {
    pub(in crate::screen) id: RequestId,
    /// How and by whom, in few words.
    pub(in crate::screen) words: String,
    pub(in crate::screen) at: WallTime,
}

impl End {
    /// The words, and how long ago that was.
    pub(in crate::screen) fn told(&self, now: WallTime) -> String {
        format!("{}, {} ago", self.words, short(now.since(self.at)))
    }
}

/// Those that are out of what is being made, a line each.
pub(super) fn gone_lines(gone: &[End]) -> Vec<Line> {
    let line = |end: &End| {
        Line::told(
            Tone::Notice,
            format!("{} is out of it: {}", end.id, end.words),
        )
    };
    gone.iter().map(line).collect()
}
