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

/// Characters that would not be drawn, by their numbers.
pub(super) fn written_out(sign: &str) -> String {
    let mut written = String::new();
    for char in sign.chars() {
        // Writing into a String can't fail.
        let _ = write!(written, "‹U+{:04X}›", u32::from(char));
    }
    written
}
