//! How many columns a text takes, counted as it is drawn: what counts as seen has to be what is on the screen.
//!
//! A terminal draws signs, each of one or more characters. A sign may take more columns than its characters one by one:
//! a selector that asks for the picture of a character makes it wider.

use std::fmt::Write as _;

use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// A character on the screen.
#[derive(Debug, Clone, Copy)]
pub(in crate::screen) struct Cell(pub(in crate::screen) char);

/// How many columns a character takes at most; one that has no width of its own joins the one before it.
pub(in crate::screen) fn cell_width(cell: Cell) -> u16 {
    match cell.0 {
        // They widen what stands before them.
        '\u{fe0f}' | '\u{ff9e}' | '\u{ff9f}' => 1,
        other => u16::try_from(other.width().unwrap_or(0)).unwrap_or(0),
    }
}

/// The signs of a text as they are drawn, one after the other.
pub(super) fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true)
}

/// How many columns a text takes.
pub(in crate::screen) fn text_width(text: &str) -> u16 {
    let signs = graphemes(text).filter(|sign| !sign.contains(char::is_control));
    signs.fold(0, |sum, sign| sum.saturating_add(sign.cell_width()))
}

/// The text up to `width` columns; a `…` in its last one when something is cut.
pub(in crate::screen) fn clip(text: &str, width: u16) -> String {
    if text_width(text) <= width {
        return text.into();
    }
    let mut clipped = String::new();
    let mut left = width.saturating_sub(1);
    for sign in graphemes(text) {
        let wide = text_width(sign);
        if wide > left {
            break;
        }
        left = left.saturating_sub(wide);
        clipped.push_str(sign);
    }
    clipped.push('…');
    clipped
}

/// The text up to `width` columns, without its middle when it is longer: what it is about comes first in a message, and
/// what to do after its last colons and semicolons. A text without such an end is clipped.
pub(in crate::screen) fn clip_middle(text: &str, width: u16) -> String {
    const GAP: &str = " … ";
    if text_width(text) <= width {
        return text.into();
    }
    let room = width.saturating_sub(text_width(GAP));
    let most = room.saturating_mul(3) / 4;
    let parts = text.match_indices([':', ';']);
    let mut ends = parts.filter_map(|(at, _)| text.get(at..)?.get(1..)?.strip_prefix(' '));
    let Some(end) = ends.find(|end| text_width(end) <= most) else {
        return clip(text, width);
    };
    let mut left = room.saturating_sub(text_width(end));
    let fits = |sign: &&str| match left.checked_sub(text_width(sign)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let start: String = graphemes(text).take_while(fits).collect();
    // Up to the end of a word, where there are words.
    let start = start.rsplit_once(' ').map_or(&*start, |(words, _)| words);
    format!("{start}{GAP}{end}")
}

/// Characters that would not be drawn, by their numbers.
pub(super) fn written_out(sign: &str) -> String {
    let mut written = String::new();
    for char in sign.chars() {
        // Writing into a String can't fail.
        let _ = write!(written, "‹U+{:04X}›", u32::from(char));
    }
    written
}
