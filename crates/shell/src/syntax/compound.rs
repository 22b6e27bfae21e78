//! Compound commands.

use super::command::name_len;
use super::parser::{Attempt, End, Parser, Read};
use super::{Body, Command, Compound, LoopKind, Piece, Pieces, Redirect, Word};

impl<'a> Parser<'a> {
    /// Reads what begins with a parenthesis: `(( ))` or a subshell.
    pub(super) fn parenthesized(&mut self) -> Read<Command<'a>> {
        let start = self.at;
        if self.look(1) == Some(b'(') && self.may_try(Attempt::Arithmetic) {
            self.at += 2;
            if let Some(expression) = self.deeper(Self::arithmetic)? {
                return self.closed(start, Body::Arithmetic(expression));
            }
            self.go_back(start, Attempt::Arithmetic)?;
        }
        self.at += 1;
        let script = self.body(&End::Paren)?;
        self.at += 1;
        self.closed(start, Body::Subshell(script))
    }

    /// A compound command whose body has been read; its redirects follow.
    fn closed(&mut self, start: usize, body: Body<'a>) -> Read<Command<'a>> {
        let mut redirects: Vec<Redirect<'a>> = Vec::new();
        let mut end = self.at;
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
            end = self.at;
        }
        Ok(Command::Compound(Box::new(Compound {
            body,
            redirects,
            span: super::parser::range(start, end),
        })))
    }

    /// Reads a command that begins with a reserved word.
    pub(super) fn compound(&mut self) -> Read<Command<'a>> {
        let start = self.at;
        let word = self.bare().unwrap_or("");
        self.at += word.len();
        let body = match word {
            "{" => {
                let script = self.body(&End::Words(&["}"]))?;
                self.expect("}")?;
                Body::Group(script)
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                let condition = self.body(&End::Words(&["do"]))?;
                let body = self.do_done()?;
                let kind = match word {
                    "while" => LoopKind::While,
                    _ => LoopKind::Until,
                };
                Body::Loop {
                    kind,
                    condition,
                    body,
                }
            }
            "for" => self.for_loop()?,
            "select" => {
                let (name, words) = self.loop_words()?;
                let body = self.loop_body()?;
                Body::Select { name, words, body }
            }
            "case" => self.case()?,
            "[[" => self.condition()?,
            "function" => return self.function(),
            "coproc" => return self.coprocess(),
            _ => return self.syntax(),
        };
        self.closed(start, body)
    }

    fn do_done(&mut self) -> Read<super::Script<'a>> {
        self.expect("do")?;
        let body = self.body(&End::Words(&["done"]))?;
        self.expect("done")?;
        Ok(body)
    }

    fn conditional(&mut self) -> Read<Body<'a>> {
        let mut arms = Vec::new();
        loop {
            let condition = self.body(&End::Words(&["then"]))?;
            self.expect("then")?;
            let body = self.body(&End::Words(&["elif", "else", "fi"]))?;
            arms.push((condition, body));
            match self.bare() {
                Some("elif") => self.at += "elif".len(),
                Some("else") => {
                    self.at += "else".len();
                    let otherwise = self.body(&End::Words(&["fi"]))?;
                    self.expect("fi")?;
                    return Ok(Body::If {
                        arms,
                        otherwise: Some(otherwise),
                    });
                }
                _ => {
                    self.expect("fi")?;
                    return Ok(Body::If {
                        arms,
                        otherwise: None,
                    });
                }
            }
        }
    }

    fn for_loop(&mut self) -> Read<Body<'a>> {
        self.skip_blanks();
        if self.sees("((") {
            self.at += 2;
            let Some(expression) = self.deeper(Self::arithmetic)? else {
                return self.syntax();
            };
            self.skip_blanks();
            if self.peek() == Some(b';') {
                self.at += 1;
            }
            let body = self.loop_body()?;
            return Ok(Body::ForArithmetic { expression, body });
        }
        let (name, words) = self.loop_words()?;
        let body = self.loop_body()?;
        Ok(Body::For { name, words, body })
    }

    /// `do ... done`, or the old `{ ... }`.
    fn loop_body(&mut self) -> Read<super::Script<'a>> {
        self.skip_lines()?;
        if self.bare() == Some("{") {
            self.at += 1;
            let body = self.body(&End::Words(&["}"]))?;
            self.expect("}")?;
            return Ok(body);
        }
        self.do_done()
    }

    /// `NAME in words;` or `NAME;`
    fn loop_words(&mut self) -> Read<(&'a str, Option<Vec<Word<'a>>>)> {
        self.skip_blanks();
        let name = self.bare().unwrap_or("");
        if name.is_empty() || name_len(name) != name.len() {
            return self.unknown();
        }
        self.at += name.len();
        self.skip_blanks();
        let mut words = None;
        if self.peek() == Some(b';') {
            self.at += 1;
            return Ok((name, words));
        }
        self.skip_lines()?;
        if self.bare() == Some("in") {
            self.at += 2;
            let mut listed = Vec::new();
            loop {
                self.skip_blanks();
                match self.peek() {
                    Some(b';') => {
                        self.at += 1;
                        break;
                    }
                    Some(b'\n' | b'#') => break,
                    _ if self.at_word_end() => return self.syntax(),
                    _ => listed.push(self.word()?),
                }
            }
            words = Some(listed);
        }
        Ok((name, words))
    }

    fn case(&mut self) -> Read<Body<'a>> {
        self.skip_blanks();
        let word = self.word()?;
        if word.pieces.is_empty() {
            return self.syntax();
        }
        self.skip_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.bare() == Some("esac") {
                break;
            }
            if self.peek() == Some(b'(') {
                self.at += 1;
                self.skip_blanks();
            }
            let mut patterns = Vec::new();
            loop {
                let pattern = self.word()?;
                if pattern.pieces.is_empty() {
                    return self.syntax();
                }
                patterns.push(pattern);
                self.skip_blanks();
                match self.peek() {
                    Some(b'|') => self.at += 1,
                    Some(b')') => break,
                    _ => return self.syntax(),
                }
                self.skip_blanks();
            }
            self.at += 1;
            let script = self.script(&End::Arm)?;
            arms.push((patterns, script));
            match self.rest() {
                rest if rest.starts_with(";;&") => self.at += 3,
                rest if rest.starts_with(";;") || rest.starts_with(";&") => self.at += 2,
                _ => {}
            }
        }
        self.expect("esac")?;
        Ok(Body::Case { word, arms })
    }

    /// The words between `[[` and `]]`.
    fn condition(&mut self) -> Read<Body<'a>> {
        let mut words: Vec<Word<'a>> = Vec::new();
        loop {
            self.skip_lines()?;
            let start = self.at;
            let pattern = match words.last().and_then(Word::bare) {
                Some("=~") => Some(Pattern::Regex),
                Some("==" | "=" | "!=") => Some(Pattern::Glob),
                _ => None,
            };
            if let Some(pattern) = pattern {
                let word = self.pattern(pattern)?;
                words.push(word);
                continue;
            }
            if self.bare() == Some("]]") {
                self.at += 2;
                break;
            }
            let operator = match (self.peek(), self.look(1)) {
                (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => 2,
                (Some(b'<' | b'>'), Some(b'(')) => 0,
                (Some(b'(' | b')' | b'<' | b'>'), _) => 1,
                (None | Some(b';' | b'&' | b'|'), _) => return self.syntax(),
                _ => 0,
            };
            if operator > 0 {
                self.at += operator;
                words.push(Word {
                    pieces: Pieces::of(Piece::Text(self.slice(start, self.at).into())),
                    span: self.range_from(start),
                });
                continue;
            }
            words.push(self.word()?);
        }
        if words.is_empty() {
            return self.syntax();
        }
        Ok(Body::Condition(words))
    }

    /// A word behind a comparison, in which parentheses may stand.
    fn pattern(&mut self, kind: Pattern) -> Read<Word<'a>> {
        let start = self.at;
        let mut pieces = Pieces::new();
        let mut open = 0_u32;
        loop {
            match self.peek() {
                None | Some(b'\n') => return self.syntax(),
                Some(b' ' | b'\t') if open == 0 => break,
                Some(b'(') if kind == Pattern::Regex || extended(&pieces) || open > 0 => open += 1,
                Some(b'(') => return self.syntax(),
                Some(b')') if open == 0 => break,
                Some(b')') => open -= 1,
                Some(b'|') if kind == Pattern::Regex || open > 0 => {}
                Some(b' ' | b'\t') if kind == Pattern::Regex => {}
                Some(b' ' | b'\t' | b'<' | b'>') => return self.unknown(),
                Some(b';' | b'&' | b'|') => break,
                Some(b'\\') if self.look(1) == Some(b'\n') => return self.unknown(),
                _ => {
                    self.piece(&mut pieces)?;
                    continue;
                }
            }
            self.at += 1;
            pieces.push(Piece::Text(self.slice(self.at - 1, self.at).into()));
        }
        if pieces.is_empty() {
            return self.syntax();
        }
        Ok(Word {
            pieces,
            span: self.range_from(start),
        })
    }

    /// `function name [()] body`
    fn function(&mut self) -> Read<Command<'a>> {
        self.skip_blanks();
        let name = self.bare().unwrap_or("");
        if name.is_empty() {
            return self.unknown();
        }
        self.at += name.len();
        self.skip_blanks();
        if self.sees("()") {
            self.at += 2;
        } else if self.peek() == Some(b'(') {
            // `function f (a)` has a subshell for its body; `function f ( )` has not.
            let inside = self
                .slice(self.at + 1, self.limit)
                .trim_start_matches([' ', '\t']);
            if inside.starts_with(')') {
                return self.unknown();
            }
        }
        self.function_body(name.into())
    }

    /// `coproc [NAME] command`
    fn coprocess(&mut self) -> Read<Command<'a>> {
        self.skip_blanks();
        let word = self.bare().unwrap_or("");
        let behind = self.slice(self.at + word.len(), self.limit);
        let mut name = None;
        if !word.is_empty() && name_len(word) == word.len() && behind.starts_with([' ', '\t']) {
            let next = behind.trim_start_matches([' ', '\t']);
            let first = next.split([' ', '\t', '\n', ';', '(']).next().unwrap_or("");
            let compound = next.starts_with('(')
                || matches!(
                    first,
                    "{" | "if" | "while" | "until" | "for" | "case" | "select" | "[["
                );
            if compound && !super::command::RESERVED.contains(&word) {
                name = Some(word);
                self.at += word.len();
                self.skip_blanks();
            }
        }
        let command = self.command()?;
        Ok(Command::Coproc(name, Box::new(command)))
    }
}

/// What a word behind a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Glob,
    Regex,
}

/// Whether the next parenthesis opens an extended pattern.
fn extended(pieces: &[Piece<'_>]) -> bool {
    match pieces.last() {
        Some(Piece::Text(text)) => text.ends_with(['?', '*', '+', '@', '!']),
        _ => false,
    }
}
