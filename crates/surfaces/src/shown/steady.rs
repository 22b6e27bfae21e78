//! Signs whose width terminals disagree about, written out.
//!
//! A screen writes only what differs from the frame before, each cell where it counts that it is. A terminal that draws a
//! sign wider or narrower than it is counted has the rest of the row elsewhere, and what an agent wrote stays on the screen
//! where it is somebody else's turn. Sure are single characters, and letters with marks of no width; not so flags,
//! pictures that are joined or coloured, selectors of a form, key caps, and syllables of single sounds.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// `text` with all characters written out, as `‹U+1F1E6›`, that terminals draw in different widths where they stand.
/// Borrowed when there are none.
pub(crate) fn steady(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.graphemes(true).all(is_steady) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().saturating_add(16));
    for sign in text.graphemes(true) {
        if is_steady(sign) {
            shown.push_str(sign);
            continue;
        }
        // Whatever stands behind something written out stands for itself.
        let mut is_apart = true;
        for char in sign.chars() {
            if is_apart && stands_alone(char) {
                shown.push(char);
                is_apart = false;
            } else {
                shown.push_str(&written_out(char));
                is_apart = true;
            }
        }
    }
    Cow::Owned(shown)
}

/// A character by its number.
pub(crate) fn written_out(char: char) -> String {
    format!("‹U+{:04X}›", u32::from(char))
}

/// Whether all terminals draw a sign equally wide.
fn is_steady(sign: &str) -> bool {
    let mut chars = sign.chars();
    let Some(first) = chars.next() else {
        return true;
    };
    let rest = chars.as_str();
    if rest.is_empty() {
        return !is_unsure(first);
    }
    // Letters of their own column that only count as one sign with the one before.
    let own_columns = |char| matches!(char, '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}');
    let is_mark = |char: char| char.width() == Some(0) && !is_unsure(char);
    if is_unsure(first) || !rest.chars().all(|char| is_mark(char) || own_columns(char)) {
        return false;
    }
    rest.chars().any(own_columns) || sign.width() == first.width().unwrap_or(0)
}

/// Whether a character takes its own columns wherever it stands.
fn stands_alone(char: char) -> bool {
    !is_unsure(char)
        && char.width().is_some_and(|width| width > 0)
        && format!("a{char}").graphemes(true).nth(1).is_some()
}

/// Characters that some terminals join to a neighbour, and others don't.
fn is_unsure(char: char) -> bool {
    matches!(char,
        // Halves of flags, and tags behind one.
        '\u{1f1e6}'..='\u{1f1ff}' | '\u{e0020}'..='\u{e007f}'
        // Colours of skin.
        | '\u{1f3fb}'..='\u{1f3ff}'
        // The joint of two pictures, the form of one, the key cap.
        | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{20e3}'
        // The later sounds of a syllable.
        | '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::visible;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(steady(text), expect, "{text:?}");
    }

    #[test]
    fn signs_that_terminals_draw_in_different_widths_are_written_out() {
        check("🇦🇷", "‹U+1F1E6›‹U+1F1F7›");
        check("x🇦", "x‹U+1F1E6›");
        check("👍\u{1f3fd}", "👍‹U+1F3FD›");
        check("👨\u{200d}👩", "👨‹U+200D›👩");
        check("⚠\u{fe0f}", "⚠‹U+FE0F›");
        check("1\u{fe0f}\u{20e3}", "1‹U+FE0F›‹U+20E3›");
        check("1\u{20e3}", "1‹U+20E3›");
        check("\u{1112}\u{1161}\u{11ab}", "\u{1112}‹U+1161›‹U+11AB›");
        check("葛\u{e0100}", "葛‹U+E0100›");
        // A vowel with a column of its own, in some tables.
        check("\u{915}\u{93f}", "\u{915}‹U+093F›");
        check("\u{915}\u{94d}\u{937}", "\u{915}‹U+094D›\u{937}");
    }

    #[test]
    fn signs_that_all_terminals_draw_alike_stay() {
        for text in [
            "git push",
            "häßlich, e\u{301}t\u{e9}",
            "漢字 한글",
            "👍 done ✅ → ⚠",
            "ｶ\u{ff9e}",
            "น\u{e49}\u{e33}",
            "tab\tand │ ‹U+202E›",
        ] {
            assert!(matches!(steady(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn nothing_unsteady_is_left_after_it() {
        let joined = [
            '\u{a0}'..='\u{33ff}',
            '\u{a000}'..='\u{d7ff}',
            '\u{f900}'..='\u{1faff}',
        ];
        for char in joined.into_iter().flatten() {
            for text in [
                format!("a{char}b"),
                format!("{char}{char}"),
                format!("👍{char}👍"),
            ] {
                let shown = visible(&text);
                let shown = steady(&shown);
                assert!(shown.graphemes(true).all(is_steady), "{text:?} {shown:?}");
            }
        }
    }
}
