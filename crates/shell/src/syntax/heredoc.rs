//! Here-documents.

use std::borrow::Cow;

use super::parser::{Parser, Read, range};
use super::{Piece, Pieces, Redirect, RedirectKind, Word};

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    delimiter: String,
    /// `<<-`: tabs in front of lines are dropped.
    strip: bool,
    /// Some part of the delimiter is quoted: the body is plain text.
    quoted: bool,
    /// Which of the tree's documents it is.
    number: usize,
}

/// What becomes of tabs in front of a body's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tabs {
    Keep,
    Drop,
}

impl<'a> Parser<'a> {
    /// Reads the delimiter behind `<<`, and remembers that a body is to come.
    pub(super) fn document(
        &mut self,
        start: usize,
        descriptor: Option<&'a str>,
        tabs: Tabs,
    ) -> Read<Redirect<'a>> {
        let (delimiter, quoted) = self.delimiter()?;
        let number = self.documents.len();
        self.documents.push(Word::default());
        self.pending.push(Pending {
            delimiter,
            strip: tabs == Tabs::Drop,
            quoted,
            number,
        });
        Ok(Redirect {
            kind: RedirectKind::Document,
            descriptor,
            target: Word {
                pieces: Pieces::new(),
                span: range(number, number),
            },
            span: self.range_from(start),
        })
    }

    fn delimiter(&mut self) -> Read<(String, bool)> {
        let mut delimiter = String::new();
        let mut quoted = false;
        let start = self.at;
        while !self.at_word_end() {
            match self.peek() {
                Some(quote @ (b'\'' | b'"')) => {
                    quoted = true;
                    self.at += 1;
                    let Some(len) = self.rest().find(char::from(quote)) else {
                        return self.syntax();
                    };
                    let inner = self.slice(self.at, self.at + len);
                    if quote == b'"' && inner.contains(['\\', '$', '`']) {
                        return self.unknown();
                    }
                    delimiter.push_str(inner);
                    self.at += len + 1;
                }
                Some(b'\\') => {
                    quoted = true;
                    self.at += 1;
                    let Some(next) = self.rest().chars().next().filter(|next| *next != '\n') else {
                        return self.unknown();
                    };
                    delimiter.push(next);
                    self.at += next.len_utf8();
                }
                Some(b'$' | b'`' | b'<' | b'>') => return self.unknown(),
                _ => {
                    let Some(next) = self.rest().chars().next() else {
                        return self.syntax();
                    };
                    delimiter.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        if self.at == start || delimiter.contains('\n') {
            return self.unknown();
        }
        Ok((delimiter, quoted))
    }

    /// Reads the bodies that begin here.
    pub(super) fn read_documents(&mut self) -> Read<()> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let (end, behind) = self.find_delimiter(&pending)?;
            let body = if pending.quoted {
                let text = self.slice(start, end);
                let mut pieces = Pieces::new();
                if !text.is_empty() {
                    pieces.push(Piece::Quoted(text.into()));
                }
                Word {
                    pieces,
                    span: range(start, end),
                }
            } else {
                let limit = std::mem::replace(&mut self.limit, end);
                let body = self.deeper(Self::document_text);
                self.limit = limit;
                body?
            };
            let body = if pending.strip {
                without_tabs(body)
            } else {
                body
            };
            if let Some(place) = self.documents.get_mut(pending.number) {
                *place = body;
            }
            self.at = behind;
        }
        Ok(())
    }

    /// Where the body ends, and where the line behind its delimiter begins.
    fn find_delimiter(&self, pending: &Pending) -> Read<(usize, usize)> {
        let mut line_start = self.at;
        loop {
            let rest = self.slice(line_start, self.limit);
            if rest.is_empty() {
                // Bash takes the end of the text for the delimiter, with a warning.
                if self.limit < self.source.len() {
                    return self.syntax();
                }
                return Ok((self.limit, self.limit));
            }
            let line_len = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..line_len).unwrap_or("");
            let stripped = if pending.strip {
                line.trim_start_matches('\t')
            } else {
                line
            };
            let behind = (line_start + line_len + 1).min(self.limit);
            if stripped == pending.delimiter {
                return Ok((line_start, behind));
            }
            // In an unquoted body a backslash glues lines, and a glued line may be the delimiter.
            let backslashes = line.len() - line.trim_end_matches('\\').len();
            if !pending.quoted && backslashes % 2 == 1 {
                let next = self.slice(behind, self.limit);
                let next_line = next.split('\n').next().unwrap_or("");
                let glued = format!("{}{next_line}", line.get(..line.len() - 1).unwrap_or(""));
                let plain = next_line.trim_start_matches('\t') == pending.delimiter;
                if plain || glued.trim_start_matches('\t') == pending.delimiter {
                    return self.unknown();
                }
            }
            line_start = behind;
        }
    }
}

/// The body without the tabs in front of its lines.
fn without_tabs(mut body: Word<'_>) -> Word<'_> {
    let mut at_line_start = true;
    for piece in &mut body.pieces {
        let Piece::Quoted(text) = piece else {
            at_line_start = false;
            continue;
        };
        let mut kept = String::with_capacity(text.len());
        for char in text.chars() {
            if char == '\t' && at_line_start {
                continue;
            }
            at_line_start = char == '\n';
            kept.push(char);
        }
        *text = Cow::Owned(kept);
    }
    body
}
