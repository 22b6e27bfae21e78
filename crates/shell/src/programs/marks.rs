//! What the arguments of a command look like from afar: one pass over them, so that an option or a
//! word of a table which can't be among them is never looked for.
//!
//! A mark may be there for something else; where one is missing, nothing that it stands for is there.

use crate::field::Field;

/// Marks of the arguments of one command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The letters of those that begin with a dash.
    letters: u128,
    /// The first three bytes of all.
    starts: u64,
    /// The texts of all that are known.
    words: u64,
    /// One of them has a colon in it.
    pub(super) colon: bool,
}

impl Marks {
    pub(super) fn of(args: &[Field]) -> Self {
        let mut marks = Self::default();
        for field in args {
            let prefix = field.prefix().as_bytes();
            marks.starts |= start(prefix);
            if let [b'-', letters @ ..] = prefix {
                for letter in letters {
                    marks.letters |= bit(*letter);
                }
            }
            if let Some(text) = field.text() {
                marks.words |= word(text);
            }
            marks.colon |= prefix.contains(&b':');
        }
        marks
    }

    /// Whether the option may be among them, however it is spelled: with its value glued to it or behind
    /// `=`, in a bundle of letters, shortened.
    pub(super) fn may_have(self, option: &str) -> bool {
        match option.as_bytes() {
            [b'-', letter] => self.letters & bit(*letter) != 0,
            long if long.len() > 2 => self.starts & start(long) != 0,
            _ => true,
        }
    }

    /// Whether one of these words or options may be among them.
    pub(super) fn may_have_any(self, words: &[&str]) -> bool {
        words.iter().any(|one| {
            if one.starts_with('-') {
                self.may_have(one)
            } else {
                self.words & word(one) != 0
            }
        })
    }
}

/// The mark of a letter; one for all bytes that are none.
fn bit(letter: u8) -> u128 {
    1 << (letter & 127)
}

/// The mark of what begins with these three bytes.
fn start(bytes: &[u8]) -> u64 {
    match bytes {
        [one, two, three, ..] => {
            1 << ((one.wrapping_mul(7) ^ two.wrapping_mul(29)).wrapping_add(*three) & 63)
        }
        _ => 0,
    }
}

/// The mark of this text.
fn word(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()].map(|byte| byte.copied().unwrap_or(0));
    let [first, last] = ends.map(usize::from);
    1 << ((first * 3 + last + bytes.len() * 5) & 63)
}

#[cfg(test)]
mod tests {
    use pointsman_model::Span;
    use proptest::prelude::*;

    use super::*;
    use crate::programs::values;

    fn fields(texts: &[String]) -> Vec<Field> {
        let span = Span { start: 0, end: 0 };
        texts.iter().map(|text| Field::made(text, span)).collect()
    }

    proptest! {
        /// Marks only spare work: what has a value among the arguments is never passed over.
        #[test]
        fn what_is_there_is_marked(
            texts in prop::collection::vec("[-a-e=é]{0,7}", 0..6),
            option in "-[a-e]|--[a-e]{1,6}|-[a-e]{2,4}|[a-e]{1,4}",
        ) {
            let args = fields(&texts);
            let marks = Marks::of(&args);
            if !values(&args, &option).is_empty() {
                prop_assert!(marks.may_have(&option));
            }
            if texts.contains(&option) {
                prop_assert!(marks.may_have_any(&[&option]));
            }
        }
    }

    #[test]
    fn what_is_not_there_is_seldom_marked() {
        let texts = ["test", "--workspace", "-q", "a:b"].map(str::to_owned);
        let marks = Marks::of(&fields(&texts));
        assert!(marks.colon);
        for option in ["-x", "--config", "--target-dir"] {
            assert!(!marks.may_have(option), "{option}");
        }
        assert!(!marks.may_have_any(&["new", "init"]));
    }
}
