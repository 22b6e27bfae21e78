//! Text between double quotes, and text that is read like it: here-documents, arithmetic, subscripts.

use super::parser::{Parser, Read};
use super::word::Quoting;
use super::{Piece, Pieces, Word};
use crate::work;

impl<'a> Parser<'a> {
    /// Reads a double-quoted string; the opening quote is next.
    pub(super) fn double(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 1;
        let before = pieces.len();
        loop {
            match self.peek() {
                None => return self.syntax(),
                Some(b'"') => break,
                Some(_) => self.expanding(pieces, Escapes::Double)?,
            }
        }
        self.at += 1;
        if pieces.len() == before {
            pieces.push(Piece::Quoted("".into()));
        }
        Ok(())
    }

    /// Reads the body of an unquoted here-document: all of what is left.
    pub(super) fn document_text(&mut self) -> Read<Word<'a>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        while self.peek().is_some() {
            self.expanding(&mut pieces, Escapes::Document)?;
        }
        Ok(Word {
            pieces,
            span: self.range_from(start),
        })
    }

    /// One piece of text in which only `$`, backticks and backslashes mean something.
    fn expanding(&mut self, pieces: &mut Pieces<'a>, escapes: Escapes) -> Read<()> {
        work::count(1);
        match self.peek() {
            Some(b'$') => self.dollar(pieces, Quoting::Double),
            Some(b'`') => self.backtick(pieces, Quoting::Double),
            Some(b'\\') => {
                let start = self.at;
                match self.look(1) {
                    Some(b'\n') => {
                        self.at += 2;
                        return Ok(());
                    }
                    Some(b'"') if escapes == Escapes::Document => self.at += 1,
                    Some(b'$' | b'`' | b'\\' | b'"') => {
                        self.at += 2;
                        pieces.push(Piece::Quoted(self.slice(start + 1, self.at).into()));
                        return Ok(());
                    }
                    _ => self.at += 1,
                }
                pieces.push(Piece::Quoted(self.slice(start, self.at).into()));
                Ok(())
            }
            _ => {
                let rest = self.rest();
                let quote = escapes == Escapes::Double;
                let len = rest
                    .bytes()
                    .position(|byte| matches!(byte, b'$' | b'`' | b'\\') || (quote && byte == b'"'))
                    .unwrap_or(rest.len());
                pieces.push(Piece::Quoted(self.slice(self.at, self.at + len).into()));
                self.at += len;
                Ok(())
            }
        }
    }

    /// Reads an arithmetic expression up to `))` and takes that. `None`, with the place unchanged
    /// in no way, when the parentheses do not close as one: it is a subshell in a subshell then.
    pub(super) fn arithmetic(&mut self) -> Read<Option<Word<'a>>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        let mut open = 0_u32;
        loop {
            match self.peek() {
                None => return Ok(None),
                Some(b'(') => open += 1,
                Some(b')') if open == 0 => {
                    if self.look(1) != Some(b')') {
                        return Ok(None);
                    }
                    let word = Word {
                        pieces,
                        span: self.range_from(start),
                    };
                    self.at += 2;
                    return Ok(Some(word));
                }
                Some(b')') => open -= 1,
                Some(b';') => {}
                _ => {
                    if !self.computed(&mut pieces)? {
                        return Ok(None);
                    }
                    continue;
                }
            }
            self.at += 1;
            pieces.push(Piece::Text(self.slice(self.at - 1, self.at).into()));
        }
    }

    /// Reads `[...]` behind a name; the bracket is next.
    pub(super) fn subscript(&mut self) -> Read<Word<'a>> {
        self.at += 1;
        let start = self.at;
        let mut pieces = Pieces::new();
        let mut open = 0_u32;
        loop {
            match self.peek() {
                Some(b'[') => open += 1,
                Some(b']') if open == 0 => break,
                Some(b']') => open -= 1,
                Some(b'\'') => {
                    self.piece(&mut pieces)?;
                    continue;
                }
                None | Some(b'\n') => return self.syntax(),
                Some(b' ' | b'\t' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>') => {}
                _ => {
                    if !self.computed(&mut pieces)? {
                        return self.unknown();
                    }
                    continue;
                }
            }
            self.at += 1;
            pieces.push(Piece::Text(self.slice(self.at - 1, self.at).into()));
        }
        let word = Word {
            pieces,
            span: self.range_from(start),
        };
        self.at += 1;
        Ok(word)
    }

    /// One piece of an expression; `false` for what has no place in one.
    fn computed(&mut self, pieces: &mut Pieces<'a>) -> Read<bool> {
        match self.peek() {
            Some(b'$') => self.dollar(pieces, Quoting::Double)?,
            Some(b'`') => self.backtick(pieces, Quoting::Double)?,
            Some(b'"') => self.double(pieces)?,
            Some(b'\\') if self.look(1) == Some(b'\n') => self.at += 2,
            Some(b'\'' | b'\\') | None => return Ok(false),
            Some(_) => self.plain(pieces, |byte| {
                matches!(
                    byte,
                    b'$' | b'`' | b'"' | b'\\' | b'\'' | b'(' | b')' | b'[' | b']' | b';'
                ) || matches!(byte, b' ' | b'\t' | b'\n' | b'&' | b'|' | b'<' | b'>')
            }),
        }
        Ok(true)
    }
}

/// What a backslash escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Between double quotes.
    Double,
    /// In a here-document, where a double quote is plain text.
    Document,
}
