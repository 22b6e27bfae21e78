//! Texts with gaps: what rules say (`git * main`) and what is known of a call (`git push <unknown>`).
//!
//! Both are byte strings in which [`GAP`] stands for any text, the empty one included. A rule surely
//! matches when it matches whatever the call's gaps become; it might match when some filling of the
//! gaps makes the two the same.

/// Stands for any text. A byte that no argument of a command holds in a call that is judged: the
/// analyser reports control characters as opaque, and the makers of subjects put [`ODD`] for it.
pub(crate) const GAP: u8 = 1;

/// Stands between two words. No argument can hold it.
pub(crate) const SEP: u8 = 0;

/// Stands for a byte that can't be kept since it has a meaning here.
pub(crate) const ODD: u8 = 2;

/// Above so many pairs of bytes, two texts count as able to meet without being compared.
const PAIRS_MAX: usize = 4_000_000;

/// A pattern: literal texts with a gap between each two.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wild {
    /// The texts and the gaps, as they are written.
    text: Box<[u8]>,
}

impl Wild {
    /// Reads a text with gaps.
    pub(crate) fn new(text: Vec<u8>) -> Self {
        Self { text: text.into() }
    }

    /// A pattern in which each `*` is a gap.
    pub(crate) fn starred(text: &str) -> Self {
        let with_gaps = plain_bytes(text).map(|byte| if byte == b'*' { GAP } else { byte });
        Self::new(with_gaps.collect())
    }

    /// Whether it has no gap.
    pub(crate) fn is_literal(&self) -> bool {
        !self.text.contains(&GAP)
    }

    /// The text before the first gap.
    pub(crate) fn literal_start(&self) -> &[u8] {
        self.text.split(|byte| *byte == GAP).next().unwrap_or(&[])
    }

    /// Whether it matches `text`, whatever the gaps of `text` become.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let mut pieces = self.text.split(|byte| *byte == GAP);
        let first = pieces.next().unwrap_or(&[]);
        let Some(mut left) = text.strip_prefix(first) else {
            return false;
        };
        let Some(mut piece) = pieces.next() else {
            return left.is_empty();
        };
        // All but the last may stand anywhere behind the one before.
        for next in pieces {
            match find(left, piece) {
                None => return false,
                Some(after) => left = after,
            }
            piece = next;
        }
        left.ends_with(piece)
    }

    /// Whether some filling of the gaps of `text` matches.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        can_meet(&self.text, text)
    }

    /// The pattern as a text with gaps.
    pub(crate) fn with_gaps(&self) -> &[u8] {
        &self.text
    }
}

/// The bytes of a text, those with a meaning here replaced.
pub(crate) fn plain_bytes(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().map(|byte| match byte {
        SEP | GAP => ODD,
        plain => plain,
    })
}

/// What stands behind the first `piece` in `text`.
fn find<'a>(text: &'a [u8], piece: &[u8]) -> Option<&'a [u8]> {
    if piece.is_empty() {
        return Some(text);
    }
    let at = text
        .windows(piece.len())
        .position(|window| window == piece)?;
    text.get(at + piece.len()..)
}

/// Whether two texts with gaps can be filled so that they are the same.
pub(crate) fn can_meet(one: &[u8], other: &[u8]) -> bool {
    if one.len().saturating_mul(other.len()) > PAIRS_MAX {
        return true;
    }
    // `row[j]`: whether what was read of `one` and the first j bytes of `other` can be made the same.
    let mut row = vec![false; other.len() + 1];
    for above in std::iter::once(None).chain(one.iter().map(Some)) {
        let mut next = Vec::with_capacity(row.len());
        for (j, left) in std::iter::once(None)
            .chain(other.iter().map(Some))
            .enumerate()
        {
            let can = match (above, left) {
                (None, None) => true,
                (Some(&GAP), _) | (_, Some(&GAP)) => {
                    (above.is_some() && get(&row, j)) || next.last() == Some(&true)
                }
                (above, left) => above == left && j > 0 && get(&row, j - 1),
            };
            next.push(can);
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}

fn get(row: &[bool], at: usize) -> bool {
    row.get(at).copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gaps(text: &str) -> Vec<u8> {
        text.bytes()
            .map(|b| if b == b'*' { GAP } else { b })
            .collect()
    }

    /// What a pattern does with a text.
    #[derive(Debug, PartialEq)]
    enum Does {
        Match,
        PerhapsMatch,
        NeverMatch,
    }
    use Does::{Match, NeverMatch, PerhapsMatch};

    #[track_caller]
    fn check(pattern: &str, text: &str, expect: Does) {
        let wild = Wild::starred(pattern);
        let does = match (wild.matches(&gaps(text)), wild.may_match(&gaps(text))) {
            (true, true) => Match,
            (false, true) => PerhapsMatch,
            (false, false) => NeverMatch,
            (true, false) => panic!("{pattern} surely but not perhaps matches {text}"),
        };
        assert_eq!(does, expect, "{pattern} and {text}");
    }

    #[test]
    fn stars_match_any_text_and_both_ends_are_anchored() {
        check("a", "a", Match);
        check("a", "ab", NeverMatch);
        check("a*", "a", Match);
        check("*a", "ba", Match);
        check("a*b*c", "axbxc", Match);
        check("a*b*c", "axcxb", NeverMatch);
        check("a*a", "a", NeverMatch);
        check("", "", Match);
        check("*", "", Match);
    }

    #[test]
    fn what_is_unknown_matches_perhaps() {
        check("rm", "*", PerhapsMatch);
        check("rm*", "*", PerhapsMatch);
        check("*", "*", Match);
        check("push --force", "push *", PerhapsMatch);
        check("push*", "push *", Match);
        check("push x", "pull *", NeverMatch);
        check("a*c", "a*b", NeverMatch);
    }

    proptest! {
        #[test]
        fn a_sure_match_is_a_possible_one(pattern in "[ab*]{0,6}", text in "[ab*]{0,6}") {
            let wild = Wild::starred(&pattern);
            prop_assert!(!wild.matches(&gaps(&text)) || wild.may_match(&gaps(&text)));
        }

        #[test]
        fn without_gaps_in_the_text_both_answers_are_one(pattern in "[ab*]{0,6}", text in "[ab]{0,6}") {
            let wild = Wild::starred(&pattern);
            prop_assert_eq!(wild.matches(text.as_bytes()), wild.may_match(text.as_bytes()));
        }

        #[test]
        fn each_filling_of_the_gaps_was_foreseen(pattern in "[ab*]{0,5}", text in "[ab*]{0,5}", filling in "[ab]{0,3}") {
            let wild = Wild::starred(&pattern);
            let filled = text.replace('*', &filling);
            if wild.matches(filled.as_bytes()) {
                prop_assert!(wild.may_match(&gaps(&text)));
            }
            if wild.matches(&gaps(&text)) {
                prop_assert!(wild.matches(filled.as_bytes()));
            }
        }

        #[test]
        fn meeting_is_mutual(one in "[ab*]{0,6}", other in "[ab*]{0,6}") {
            prop_assert_eq!(can_meet(&gaps(&one), &gaps(&other)), can_meet(&gaps(&other), &gaps(&one)));
        }
    }
}
