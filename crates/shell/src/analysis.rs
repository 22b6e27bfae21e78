//! From a line to its effects: the way through gears, second opinion and walk.

use compact_str::CompactString;
use pointsman_model::{
    AbsPath, Effect, EffectKind, EffectView, Effects, Opaque, OpaqueWhy, Span, first_hidden,
};

use crate::limits::{LINE_CHARS_MAX, PARSE_BYTES_MAX};
use crate::sink::settle;
use crate::state::State;
use crate::syntax::{Tree, Unreadable, parse, scan};
use crate::walk::{Input, Scene, Walker};
use crate::{opinion, risk};

/// Where a line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder it starts in.
    pub folder: AbsPath,
    /// What `~` and `$HOME` stand for.
    pub home: AbsPath,
    /// Whether programs answer to names in another case.
    pub case: NameCase,
}

/// What a file system takes `RM` for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameCase {
    /// Another name than `rm`.
    Counts,
    /// The same name.
    Folds,
}

/// What a line would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Its effects, in reading order.
    pub effects: Effects,
    /// Its simple commands, in reading order: an effect's `part` counts in this list.
    pub parts: Vec<Part>,
}

/// A simple command of the line, as a person would draw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As it is spelled, runs of blanks made one.
    pub text: CompactString,
    /// Where it stands.
    pub span: Span,
    /// The part that it stands in or is started by, by number; none for those of the line itself.
    pub within: Option<u32>,
    /// How it hangs on that part.
    pub nesting: Nesting,
}

/// How a part hangs on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// A command of the line itself.
    Line,
    /// In a substitution in one of its words or redirects.
    Substitution,
    /// It is what the other starts: `sudo x`, `find -exec x`.
    Wrapped,
    /// In a text that the other runs: `sh -c 'x'`, `eval 'x'`.
    Script,
    /// In the body of the function that it calls.
    Function,
}

/// Reads a line and lists what it would do. Never panics; needs time in proportion to the line's
/// length, and has one Opaque effect for a line beyond its limits.
#[must_use]
pub fn analyse(line: &str, at: &Surroundings) -> Analysis {
    let whole = Span {
        start: 0,
        end: u32::try_from(line.len()).unwrap_or(u32::MAX),
    };
    let mut walker = Walker::new(at);
    walker.sink.expect(line.len());
    if first_hidden(line).is_some() {
        walker
            .sink
            .opaque(0, EffectView::Sure, OpaqueWhy::HiddenCharacter, line, whole);
    }
    if line.len() > LINE_CHARS_MAX && line.chars().nth(LINE_CHARS_MAX).is_some() {
        walker
            .sink
            .opaque(0, EffectView::Sure, OpaqueWhy::TooLong, line, whole);
    }
    match read(line) {
        Ok(tree) => {
            let scene = Scene {
                source: line,
                documents: &tree.documents,
                anchor: None,
                within: None,
                nesting: Nesting::Line,
                view: EffectView::Sure,
                depth: 0,
            };
            let mut state = State::new(&at.folder);
            walker.script(&scene, &tree.script, &mut state, &Input::default());
            if let Some(doubt) = tree.doubt {
                walker.sink.opaque(0, EffectView::Sure, doubt, line, whole);
            }
        }
        Err(Unreadable { why, .. }) => {
            walker.sink.opaque(0, EffectView::Sure, why, line, whole);
        }
    }
    let mut sink = walker.sink;
    if sink.full {
        sink.effects.push(Effect {
            kind: EffectKind::Opaque(Opaque {
                why: OpaqueWhy::TooMany,
                text: line.into(),
                span: Some(whole),
            }),
            view: EffectView::Sure,
            part: 0,
        });
    }
    settle(&mut sink.effects, &sink.sets, line);
    risk::mark(&mut sink.effects, &at.home);
    let code = sink.code();
    Analysis {
        effects: Effects {
            list: sink.effects,
            line: Some(one_blank(line).into()),
            code,
        },
        parts: sink.parts,
    }
}

/// The line, trimmed, with runs of blanks made one.
fn one_blank(line: &str) -> String {
    let blank = |byte: &u8| matches!(*byte, b' ' | b'\t' | b'\n');
    let bytes = line.as_bytes();
    let ends = bytes.first().is_some_and(blank) || bytes.last().is_some_and(blank);
    if !ends && !line.contains('\t') && !line.contains("  ") {
        return line.to_owned();
    }
    let mut text = String::with_capacity(line.len());
    for word in line.split([' ', '\t']).filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    if text.starts_with('\n') || text.ends_with('\n') {
        return text.trim_matches('\n').to_owned();
    }
    text
}

/// Reads a text by the first gear that can; what the full parser reads is looked at by another one.
pub(crate) fn read(text: &str) -> Result<Tree<'_>, Unreadable> {
    if let Some(tree) = scan(text) {
        return Ok(tree);
    }
    if text.len() > PARSE_BYTES_MAX {
        return Err(Unreadable {
            why: OpaqueWhy::TooLong,
            at: 0,
        });
    }
    let mut tree = parse(text)?;
    if !opinion::agrees(text, &tree) {
        tree.doubt = Some(OpaqueWhy::Disagreement);
    }
    Ok(tree)
}

/// Reads a text that is a part of one that was read before: nobody's opinion is needed any more.
pub(crate) fn read_again(text: &str) -> Result<Tree<'_>, Unreadable> {
    match scan(text) {
        Some(tree) => Ok(tree),
        None => parse(text),
    }
}

#[cfg(test)]
mod carriers;
#[cfg(test)]
mod files;
#[cfg(test)]
mod git;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod viewers;
