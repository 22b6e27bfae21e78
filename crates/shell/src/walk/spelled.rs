//! Commands as they are spelled, with one blank between their words.

use compact_str::CompactString;

use super::Scene;
use crate::field::Field;
use crate::syntax::{Range, Simple};

/// The spellings of the words that the fields come of, with one blank between.
pub(super) fn joined(fields: &[Field]) -> CompactString {
    let words = || {
        let fields = fields.iter().enumerate();
        fields.filter(|(number, field)| *number == 0 || !field.continues)
    };
    let len: usize = words().map(|(_, field)| field.source.len() + 1).sum();
    let mut text = String::with_capacity(len.saturating_sub(1));
    for (number, field) in words() {
        if number > 0 {
            text.push(' ');
        }
        text.push_str(&field.source);
    }
    text.into()
}

/// The command as it is spelled, with one blank between its words.
pub(super) fn part_text(scene: &Scene<'_>, simple: &Simple<'_>) -> CompactString {
    if simple.words.is_empty() && simple.assignments.is_empty() {
        return simple.span.of(scene.source).into();
    }
    let words = simple.words.iter().map(|word| word.span);
    let assigns = simple.assignments.iter().map(|assign| assign.span);
    let of_assigns = if simple.words.is_empty() {
        usize::MAX
    } else {
        0
    };
    let spans = || assigns.clone().take(of_assigns).chain(words.clone());
    if let Some(whole) = one_blank_apart(scene, spans()) {
        return whole.into();
    }
    let len: usize = spans().map(|span| span.of(scene.source).len() + 1).sum();
    let mut text = String::with_capacity(len.saturating_sub(1));
    for span in spans() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(span.of(scene.source));
    }
    text.into()
}

/// The text from the first of these stretches to the last, when one blank is all that parts them.
fn one_blank_apart<'s>(
    scene: &Scene<'s>,
    mut spans: impl Iterator<Item = Range>,
) -> Option<&'s str> {
    let mut whole = spans.next()?;
    let source = scene.source.as_bytes();
    for span in spans {
        if span.start != whole.end + 1 || source.get(whole.end as usize) != Some(&b' ') {
            return None;
        }
        whole.end = span.end;
    }
    Some(whole.of(scene.source))
}
