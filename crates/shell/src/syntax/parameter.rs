//! Parameter expansions: `$x` and `${x...}`.

use super::command::name_len;
use super::parser::{Parser, Read};
use super::word::Quoting;
use super::{Cut, Form, Parameter, Piece, Pieces, Word};

impl<'a> Parser<'a> {
    /// Reads `$x` or `$?`; the dollar sign is next, and something that names a parameter behind it.
    pub(super) fn unbraced(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) {
        self.at += 1;
        let start = self.at;
        self.at += name_len(self.rest()).max(1);
        pieces.push(Piece::Parameter(Box::new(Parameter {
            name: self.slice(start, self.at),
            form: Form::Plain,
            index: None,
            words: Vec::new(),
            quoted: quoting == Quoting::Double,
        })));
    }

    /// Reads `${...}`; the dollar sign is next.
    pub(super) fn braced(&mut self, pieces: &mut Pieces<'a>, quoting: Quoting) -> Read<()> {
        self.at += 2;
        let mut form = Form::Plain;
        if self.peek() == Some(b'#') && !matches!(self.look(1), Some(b'}')) {
            // `${#}` is the count of parameters; `${#-x}` and kin mean things that nobody writes.
            if !self.look(1).is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'*')
            }) {
                return self.unknown();
            }
            form = Form::Length;
            self.at += 1;
        } else if self.peek() == Some(b'!') && !matches!(self.look(1), Some(b'}')) {
            form = Form::Indirect;
            self.at += 1;
        }
        let start = self.at;
        let len = match self.peek() {
            Some(first) if first.is_ascii_digit() => {
                self.rest().bytes().take_while(u8::is_ascii_digit).count()
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
            _ => name_len(self.rest()),
        };
        if len == 0 {
            return self.unknown();
        }
        self.at += len;
        let name = self.slice(start, self.at);
        let index = match self.peek() {
            Some(b'[') => Some(self.subscript()?),
            _ => None,
        };
        let mut words = Vec::new();
        if self.peek() != Some(b'}') {
            let operator = self.operator()?;
            match form {
                Form::Plain => form = operator,
                Form::Length => return self.unknown(),
                _ => {}
            }
            words.push(self.until_brace(quoting, form)?);
        }
        self.at += 1;
        pieces.push(Piece::Parameter(Box::new(Parameter {
            name,
            form,
            index,
            words,
            quoted: quoting == Quoting::Double,
        })));
        Ok(())
    }

    fn operator(&mut self) -> Read<Form> {
        let colon = self.peek() == Some(b':');
        let form = match if colon { self.look(1) } else { self.peek() } {
            Some(b'-') => Form::Default,
            Some(b'=') => Form::Assign,
            Some(b'?') => Form::Error,
            Some(b'+') => Form::Other,
            // What follows a colon otherwise is an offset.
            Some(_) if colon => {
                self.at += 1;
                return Ok(Form::Cut(Cut::Slice));
            }
            Some(byte @ (b'#' | b'%' | b'/' | b'^' | b',')) => {
                self.at += 1;
                return Ok(Form::Cut(match byte {
                    b'#' => Cut::Front,
                    b'%' => Cut::Back,
                    b'/' => Cut::Replace,
                    b'^' => Cut::Upper,
                    _ => Cut::Lower,
                }));
            }
            Some(b'@') => {
                let form = match self.look(1) {
                    Some(b'P') => Form::Prompt,
                    _ => Form::Transform,
                };
                self.at += 1;
                return Ok(form);
            }
            // `${!x*}` lists names.
            Some(b'*') => Form::Indirect,
            _ => return self.unknown(),
        };
        self.at += if colon { 2 } else { 1 };
        Ok(form)
    }

    /// Reads up to the closing brace, without it.
    fn until_brace(&mut self, quoting: Quoting, form: Form) -> Read<Word<'a>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        loop {
            match self.peek() {
                None => return self.syntax(),
                Some(b'}') => break,
                Some(b'\'') if quoting == Quoting::Double => {
                    self.plain_quotes(&mut pieces, form)?
                }
                Some(b'\\') if self.look(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if quoting == Quoting::Double => {
                    let start = self.at;
                    let Some(next) = self.slice(start + 1, self.limit).chars().next() else {
                        return self.syntax();
                    };
                    self.at += 1 + next.len_utf8();
                    let plain = matches!(next, '$' | '`' | '"' | '\\' | '}' | '/');
                    let from = if plain { start + 1 } else { start };
                    pieces.push(Piece::Quoted(self.slice(from, self.at).into()));
                }
                Some(b'$') => self.dollar(&mut pieces, quoting)?,
                Some(b'`') => self.backtick(&mut pieces, quoting)?,
                Some(b'<' | b'>') if self.look(1) == Some(b'(') => {
                    if quoting == Quoting::Double {
                        return self.unknown();
                    }
                    self.piece(&mut pieces)?;
                }
                Some(b'\'' | b'"' | b'\\') => self.piece(&mut pieces)?,
                Some(_) => self.plain(&mut pieces, |byte| {
                    matches!(
                        byte,
                        b'}' | b'\'' | b'"' | b'\\' | b'$' | b'`' | b'<' | b'>'
                    )
                }),
            }
        }
        Ok(Word {
            pieces,
            span: self.range_from(start),
        })
    }

    /// Single quotes in a word between double quotes. They quote nothing in a default, where Bash keeps them as
    /// they are; whether they quote elsewhere, or hide a brace, depends on operator and version.
    fn plain_quotes(&mut self, pieces: &mut Pieces<'a>, form: Form) -> Read<()> {
        let behind = self.slice(self.at + 1, self.limit);
        let len = behind.find('\'').unwrap_or(0);
        let inside = behind.get(..len).unwrap_or("");
        let kept = matches!(
            form,
            Form::Default | Form::Assign | Form::Error | Form::Other
        );
        if !kept || len == 0 || inside.contains(['}', '{', '$', '`', '"', '\\', '\n']) {
            return self.unknown();
        }
        let start = self.at;
        self.at += len + 2;
        pieces.push(Piece::Quoted(self.slice(start, self.at).into()));
        Ok(())
    }
}
