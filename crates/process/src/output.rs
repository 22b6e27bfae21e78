//! What a child wrote: head and tail within a limit, and how much between them was dropped.

use std::borrow::Cow;
use std::collections::VecDeque;

/// One stream of a child's output. The first and the last half of the limit are kept, since the
/// command's start says what it did and its end says how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    cut: u64,
}

impl Output {
    /// An empty output that keeps at most `bytes_max` bytes.
    #[must_use]
    pub fn with_limit(bytes_max: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            half: bytes_max / 2,
            cut: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.half.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.cut = self.cut.saturating_add(over as u64);
    }

    /// How many bytes between head and tail were dropped.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// All bytes, when none was dropped.
    #[must_use]
    pub fn whole(&self) -> Option<Cow<'_, [u8]>> {
        if self.cut > 0 {
            None
        } else if self.tail.is_empty() {
            Some(Cow::Borrowed(&self.head))
        } else {
            Some(Cow::Owned(self.kept()))
        }
    }

    /// The text, with what is no UTF-8 replaced and a line in place of what was dropped.
    #[must_use]
    pub fn text(&self) -> String {
        if self.cut == 0 {
            return String::from_utf8_lossy(&self.kept()).into_owned();
        }
        let head = String::from_utf8_lossy(&self.head);
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let tail = String::from_utf8_lossy(&tail);
        format!("{head}\n[{} bytes left out]\n{tail}", self.cut)
    }

    /// The same within another limit, when it is the smaller one; what goes counts as dropped.
    #[must_use]
    pub fn within(mut self, bytes_max: usize) -> Self {
        let half = self.half.min(bytes_max / 2);
        if self.cut == 0 {
            let mut smaller = Self::with_limit(half * 2);
            smaller.push(&self.kept());
            return smaller;
        }
        let kept_before = self.kept_bytes();
        self.half = half;
        self.head.truncate(self.half);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        let gone = kept_before.saturating_sub(self.kept_bytes());
        self.cut = self.cut.saturating_add(gone as u64);
        self
    }

    /// How many bytes are kept.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    fn kept(&self) -> Vec<u8> {
        self.head.iter().chain(&self.tail).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(limit: usize, chunks: &[&str]) -> Output {
        let mut output = Output::with_limit(limit);
        for chunk in chunks {
            output.push(chunk.as_bytes());
        }
        output
    }

    #[test]
    fn short_output_is_kept_whole() {
        let output = pushed(8, &["abc", "", "defgh"]);
        assert_eq!(output.whole().as_deref(), Some(b"abcdefgh".as_slice()));
        assert_eq!(output.text(), "abcdefgh");
        assert_eq!(output.cut(), 0);
    }

    #[test]
    fn long_output_keeps_its_ends_and_tells_what_went() {
        for chunks in [
            &["0123456789"][..],
            &["0", "1234", "56789"],
            &["012345678", "9"],
        ] {
            let output = pushed(4, chunks);
            assert_eq!(output.text(), "01\n[6 bytes left out]\n89");
            assert_eq!(output.cut(), 6);
            assert_eq!(output.whole(), None);
        }
    }

    #[test]
    fn a_smaller_limit_counts_all_that_went() {
        let output = pushed(6, &["0123456789"]).within(4);
        assert_eq!(output.text(), "01\n[6 bytes left out]\n89");
        assert_eq!(
            pushed(6, &["01234"]).within(4).text(),
            "01\n[1 bytes left out]\n34"
        );
        assert_eq!(pushed(6, &["01234"]).within(100).text(), "01234");
    }

    #[test]
    fn memory_stays_within_the_limit() {
        let mut output = Output::with_limit(1_000);
        for _ in 0..1_000 {
            output.push(&[b'x'; 4_096]);
        }
        assert_eq!(output.kept().len(), 1_000);
        assert_eq!(output.cut(), 4_096_000 - 1_000);
    }
}
