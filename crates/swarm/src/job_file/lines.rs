//! Lines and columns of a text, from byte offsets.

/// Where the lines of a text begin.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of `text`.
    pub(super) fn of(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after).collect(),
        }
    }

    /// Line and column of a byte, both counted from 1, the column in characters.
    pub(super) fn place(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..at.min(self.text.len())).unwrap_or("");
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(line), number(before.chars().count() + 1))
    }

    /// The text of a stretch of bytes; empty when it is none.
    pub(super) fn slice(&self, span: &std::ops::Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_begin_at_one() {
        let lines = Lines::of("ä = 1\nb\n");
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(3), (1, 3));
        assert_eq!(lines.place(7), (2, 1));
        assert_eq!(lines.place(999), (3, 1));
    }
}
