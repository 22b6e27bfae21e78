//! Words: pieces glued together, up to a blank or an operator.

use super::parser::{Attempt, End, Parser, Read};
use super::{Piece, Pieces, Substitution, Word};
use crate::work;

impl<'a> Parser<'a> {
    /// Whether a word ends here.
    pub(super) fn at_word_end(&self) -> bool {
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => self.look(1) != Some(b'('),
            Some(_) => false,
        }
    }

    /// Reads the word here; one without pieces when none stands here.
    pub(super) fn word(&mut self) -> Read<Word<'a>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        let mut continued = false;
        while !self.at_word_end() {
            if self.peek() == Some(b'\\') && self.look(1) == Some(b'\n') {
                self.at += 2;
                continued = true;
                continue;
            }
            self.piece(&mut pieces)?;
        }
        if continued && matches!(self.peek(), Some(b'<' | b'>' | b'(')) {
            return self.unknown();
        }
        if pieces.is_empty() && continued && self.at_word_end() {
            return self.unknown();
        }
        Ok(Word {
            pieces,
            span: self.range_from(start),
        })
    }

    /// Reads one piece of an unquoted word.
    pub(super) fn piece(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        work::count(1);
        match self.peek() {
            Some(b'\'') => self.single(pieces),
            Some(b'"') => self.double(pieces),
            Some(b'\\') => self.escaped(pieces),
            Some(b'$') => self.dollar(pieces, Quoting::Bare),
            Some(b'`') => self.backtick(pieces, Quoting::Bare),
            Some(b'<' | b'>') => self.process(pieces),
            Some(_) => {
                self.plain(pieces, |byte| {
                    matches!(
                        byte,
                        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                    ) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`')
                });
                Ok(())
            }
            None => self.syntax(),
        }
    }

    /// Reads unquoted text up to a byte that `ends` it; at least one byte.
    pub(super) fn plain(&mut self, pieces: &mut Pieces<'a>, ends: impl Fn(u8) -> bool) {
        let rest = self.rest();
        let len = rest
            .bytes()
            .skip(1)
            .position(ends)
            .map_or(rest.len(), |at| at + 1);
        // A cut inside a character can't be: every byte that ends text is ASCII.
        let len = (len..=rest.len())
            .find(|len| rest.is_char_boundary(*len))
            .unwrap_or(rest.len());
        work::count(len);
        let start = self.at;
        self.at += len;
        pieces.push(Piece::Text(self.slice(start, self.at).into()));
    }

    fn single(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 1;
        let Some(len) = self.rest().find('\'') else {
            return self.syntax();
        };
        pieces.push(Piece::Quoted(self.slice(self.at, self.at + len).into()));
        self.at += len + 1;
        Ok(())
    }

    /// A backslash in front of something that is no line feed.
    fn escaped(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 1;
        let Some(next) = self.rest().chars().next() else {
            // At the very end of the text Bash keeps the backslash.
            pieces.push(Piece::Quoted("\\".into()));
            return Ok(());
        };
        let start = self.at;
        self.at += next.len_utf8();
        pieces.push(Piece::Quoted(self.slice(start, self.at).into()));
        Ok(())
    }

    /// Everything that begins with a dollar sign.
    pub(super) fn dollar(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) -> Read<()> {
        match self.look(1) {
            Some(b'(') if self.look(2) == Some(b'(') => self.arithmetic_or_script(pieces, quoting),
            Some(b'(') => self.substitution(pieces, quoting),
            Some(b'{') => self.deeper(|parser| parser.braced(pieces, quoting)),
            Some(b'\'') if quoting == Quoting::Bare => self.ansi(pieces),
            Some(b'"') if quoting == Quoting::Bare => {
                // Translated text; untranslated unless someone set up a catalogue.
                self.at += 1;
                self.double(pieces)
            }
            Some(b'[') => self.old_arithmetic(pieces),
            Some(b'\\') if self.look(2) == Some(b'\n') => self.unknown(),
            Some(next) if is_parameter(next) => {
                self.unbraced(pieces, quoting);
                Ok(())
            }
            _ => {
                self.at += 1;
                let sign = self.slice(self.at - 1, self.at);
                pieces.push(match quoting {
                    Quoting::Bare => Piece::Text(sign.into()),
                    Quoting::Double => Piece::Quoted(sign.into()),
                });
                Ok(())
            }
        }
    }

    fn arithmetic_or_script(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) -> Read<()> {
        let start = self.at;
        if self.may_try(Attempt::Arithmetic) {
            self.at += 3;
            if let Some(expression) = self.deeper(Self::arithmetic)? {
                pieces.push(Piece::Arithmetic(Box::new(expression)));
                return Ok(());
            }
            self.go_back(start, Attempt::Arithmetic)?;
        }
        self.substitution(pieces, quoting)
    }

    /// `$[...]`, the older spelling of `$((...))`.
    fn old_arithmetic(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 1;
        let expression = self.deeper(Self::subscript)?;
        if expression.span.of(self.source).contains(['\'', '"', '\\']) {
            return self.unknown();
        }
        pieces.push(Piece::Arithmetic(Box::new(expression)));
        Ok(())
    }

    fn substitution(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) -> Read<()> {
        self.at += 2;
        let script = self.inner_script(&End::Paren)?;
        self.at += 1;
        pieces.push(Piece::Substitution(Box::new(Substitution {
            script,
            quoted: quoting == Quoting::Double,
        })));
        Ok(())
    }

    /// Backticks. A body with a backslash means something else than it says, and is refused.
    pub(super) fn backtick(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) -> Read<()> {
        self.at += 1;
        let Some(len) = self.rest().find('`') else {
            return self.syntax();
        };
        let close = self.at + len;
        if self.slice(self.at, close).contains('\\') {
            return self.unknown();
        }
        let limit = std::mem::replace(&mut self.limit, close);
        let script = self.inner_script(&End::Input);
        self.limit = limit;
        let script = script?;
        self.at = close + 1;
        pieces.push(Piece::Substitution(Box::new(Substitution {
            script,
            quoted: quoting == Quoting::Double,
        })));
        Ok(())
    }

    fn process(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 2;
        let script = self.inner_script(&End::Paren)?;
        self.at += 1;
        pieces.push(Piece::Process(Box::new(script)));
        Ok(())
    }
}

/// Where a piece stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    Bare,
    Double,
}

/// Whether `$` in front of this byte begins a parameter.
fn is_parameter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}
