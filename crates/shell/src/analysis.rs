//! From a line to its effects: the way through gears, second opinion and walk.

use pointsman_model::{
    AbsPath, Effect, EffectKind, EffectView, Effects, Opaque, OpaqueWhy, Run, RunNature, Span,
    Word, WordValue,
};

use crate::syntax::{Command, Piece, Unreadable, parse, scan};

/// Where a line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder it starts in.
    pub folder: AbsPath,
    /// What `~` and `$HOME` stand for.
    pub home: AbsPath,
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
    pub text: Box<str>,
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
    let mut analysis = Analysis {
        effects: Effects {
            list: Vec::new(),
            line: Some(line.split_whitespace().collect::<Vec<_>>().join(" ").into()),
        },
        parts: Vec::new(),
    };
    let tree = match scan(line).map_or_else(|| parse(line), Ok) {
        Ok(tree) => tree,
        Err(Unreadable { why, .. }) => {
            analysis.effects.list.push(opaque(why, line));
            return analysis;
        }
    };
    for item in &tree.script.items {
        list(&item.command, line, at, &mut analysis);
    }
    analysis
}

fn opaque(why: OpaqueWhy, line: &str) -> Effect {
    Effect {
        kind: EffectKind::Opaque(Opaque {
            why,
            text: line.into(),
            span: None,
        }),
        view: EffectView::Sure,
        part: 0,
    }
}

fn list(command: &Command<'_>, line: &str, at: &Surroundings, into: &mut Analysis) {
    match command {
        Command::Pipeline(commands) => commands.iter().for_each(|one| list(one, line, at, into)),
        Command::Chain(first, rest) => {
            list(first, line, at, into);
            rest.iter().for_each(|(_, one)| list(one, line, at, into));
        }
        Command::Simple(simple) if simple.assignments.is_empty() && simple.redirects.is_empty() => {
            let argv: Option<Vec<Word>> = simple
                .words
                .iter()
                .map(|word| {
                    let mut text = String::new();
                    for piece in &word.pieces {
                        match piece {
                            Piece::Text(piece) if !piece.contains(['*', '?', '[', '{', '~']) => {
                                text.push_str(piece);
                            }
                            Piece::Quoted(piece) => text.push_str(piece),
                            _ => return None,
                        }
                    }
                    Some(Word {
                        value: WordValue::Literal(text.into()),
                        source: word.span.of(line).into(),
                        span: word.span.span(),
                    })
                })
                .collect();
            let Some(argv) = argv else {
                into.effects
                    .list
                    .push(opaque(OpaqueWhy::UnknownConstruct, line));
                return;
            };
            let text: Box<str> = argv
                .iter()
                .map(|word| &*word.source)
                .collect::<Vec<_>>()
                .join(" ")
                .into();
            let part = u32::try_from(into.parts.len()).unwrap_or(u32::MAX);
            into.parts.push(Part {
                text: text.clone(),
                span: simple.span.span(),
                within: None,
                nesting: Nesting::Line,
            });
            into.effects.list.push(Effect {
                kind: EffectKind::Run(Run {
                    argv,
                    canonical: None,
                    assignments: Vec::new(),
                    text,
                    folder: pointsman_model::PathValue::Known(at.folder.clone()),
                    nature: RunNature::Program,
                    span: simple.span.span(),
                    risks: Vec::new(),
                }),
                view: EffectView::Sure,
                part,
            });
        }
        _ => into
            .effects
            .list
            .push(opaque(OpaqueWhy::UnknownConstruct, line)),
    }
}
