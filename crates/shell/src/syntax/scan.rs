//! Gear one: lines made of plain words and simple quotes, joined by `;`, `&&`, `||` and `|`.
//!
//! One pass, no second opinion: what it accepts leaves nothing to read in two ways. For everything
//! else it gives up, and the full parser reads the line from the start. Both make the same tree.

use super::command::RESERVED;
use super::parser::{Tree, range};
use super::{Command, Item, Link, Piece, Pieces, Script, Simple, Word};
use crate::limits::{PARTS_MAX, SCAN_BYTES_MAX};

/// What a byte is to the scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a plain word.
    Plain,
    /// A blank.
    Blank,
    /// `;`, `&` or `|`.
    Operator,
    Single,
    Double,
    /// Anything else: not for this gear.
    Other,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Other; 256];
    let mut at = 0;
    while at < 256 {
        #[expect(
            clippy::indexing_slicing,
            clippy::cast_possible_truncation,
            reason = "evaluated when compiled, where it can't fail unseen"
        )]
        {
            table[at] = class(at as u8);
        }
        at += 1;
    }
    table
}

const fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Class::Plain,
        b'_' | b'-' | b'.' | b'/' | b',' | b':' | b'@' | b'%' | b'+' | b'=' | b'~' => Class::Plain,
        b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b'^' | b'!' | b'#' => Class::Plain,
        b' ' | b'\t' => Class::Blank,
        b';' | b'&' | b'|' => Class::Operator,
        b'\'' => Class::Single,
        b'"' => Class::Double,
        _ => Class::Other,
    }
}

/// Reads a line, when it is one for this gear.
pub(crate) fn scan(source: &str) -> Option<Tree<'_>> {
    if source.len() > SCAN_BYTES_MAX {
        return None;
    }
    let mut scanner = Scanner {
        source,
        at: 0,
        parts: 0,
    };
    let items = scanner.items()?;
    Some(Tree {
        script: Script {
            items,
            span: range(0, source.len()),
        },
        documents: Vec::new(),
        continued: Vec::new(),
        doubt: None,
    })
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    parts: u32,
}

impl<'a> Scanner<'a> {
    fn class(&self, at: usize) -> Option<(u8, Class)> {
        let byte = *self.source.as_bytes().get(at)?;
        Some((byte, *CLASSES.get(usize::from(byte))?))
    }

    fn skip_blanks(&mut self) {
        while let Some((_, Class::Blank)) = self.class(self.at) {
            self.at += 1;
        }
    }

    fn items(&mut self) -> Option<Vec<Item<'a>>> {
        let mut items = Vec::with_capacity(1);
        loop {
            self.skip_blanks();
            if self.at == self.source.len() {
                return Some(items);
            }
            items.push(Item {
                command: self.chain()?,
                background: false,
            });
            match self.operator() {
                None if self.at == self.source.len() => return Some(items),
                Some(";") => self.at += 1,
                _ => return None,
            }
        }
    }

    /// The operator here.
    fn operator(&self) -> Option<&'a str> {
        let (_, Class::Operator) = self.class(self.at)? else {
            return None;
        };
        let rest = self.source.get(self.at..)?;
        ["&&", "||", ";;", ";&", "|&", ";", "|", "&"]
            .into_iter()
            .find(|operator| rest.starts_with(operator))
    }

    fn chain(&mut self) -> Option<Command<'a>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let link = match self.operator() {
                Some("&&") => Link::And,
                Some("||") => Link::Or,
                _ => break,
            };
            self.at += 2;
            rest.push((link, self.pipeline()?));
        }
        Some(if rest.is_empty() {
            first
        } else {
            Command::Chain(Box::new(first), rest)
        })
    }

    fn pipeline(&mut self) -> Option<Command<'a>> {
        let first = self.simple()?;
        if self.operator() != Some("|") {
            return Some(first);
        }
        let mut commands = vec![first];
        while self.operator() == Some("|") {
            self.at += 1;
            commands.push(self.simple()?);
        }
        Some(Command::Pipeline(commands))
    }

    fn simple(&mut self) -> Option<Command<'a>> {
        self.skip_blanks();
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return None;
        }
        let start = self.at;
        let mut words = Vec::with_capacity(8);
        let mut end = start;
        loop {
            self.skip_blanks();
            match self.class(self.at) {
                None | Some((_, Class::Operator)) => break,
                Some((b'#', _)) => return None,
                Some(_) => {}
            }
            let word = self.word()?;
            if words.is_empty() {
                let name = word.bare()?;
                let subscript = name.len() > 1 && name.contains('[');
                if subscript || name.contains('=') || RESERVED.contains(&name) {
                    return None;
                }
            }
            words.push(word);
            end = self.at;
        }
        if words.is_empty() {
            return None;
        }
        Some(Command::Simple(Simple {
            words,
            span: range(start, end),
            ..Simple::default()
        }))
    }

    fn word(&mut self) -> Option<Word<'a>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        while let Some((_, class)) = self.class(self.at) {
            match class {
                Class::Plain => {
                    let from = self.at;
                    while let Some((_, Class::Plain)) = self.class(self.at) {
                        self.at += 1;
                    }
                    pieces.push(Piece::Text(self.source.get(from..self.at)?.into()));
                }
                Class::Single => {
                    let from = self.at + 1;
                    let len = self.source.get(from..)?.find('\'')?;
                    let text = self.source.get(from..from + len)?;
                    pieces.push(Piece::Quoted(text.into()));
                    self.at = from + len + 1;
                }
                Class::Double => {
                    let from = self.at + 1;
                    let len = self.source.get(from..)?.find(['"', '$', '`', '\\'])?;
                    if self.source.as_bytes().get(from + len) != Some(&b'"') {
                        return None;
                    }
                    let text = self.source.get(from..from + len)?;
                    pieces.push(Piece::Quoted(text.into()));
                    self.at = from + len + 1;
                }
                Class::Blank | Class::Operator => break,
                Class::Other => return None,
            }
        }
        Some(Word {
            pieces,
            span: range(start, self.at),
        })
    }
}
