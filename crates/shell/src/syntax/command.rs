//! Simple commands: assignments, words, redirects.

use pointsman_model::OpaqueWhy;

use super::heredoc::Tabs;
use super::parser::{Attempt, Parser, Read};
use super::{
    Assign, AssignValue, Command, Function, Piece, Pieces, Redirect, RedirectKind, Simple, Word,
};

/// Words that mean something else in front of a command.
pub(super) const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Builtins whose arguments may be array assignments.
const DECLARERS: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

impl<'a> Parser<'a> {
    /// Reads one command.
    pub(super) fn command(&mut self) -> Read<Command<'a>> {
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            return self.deeper(Self::parenthesized);
        }
        match self.bare() {
            Some(
                "if" | "while" | "until" | "for" | "case" | "select" | "{" | "[[" | "function"
                | "coproc",
            ) => self.deeper(Self::compound),
            Some("then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}") => self.syntax(),
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Read<Command<'a>> {
        self.count_part()?;
        let start = self.at;
        let mut end = start;
        let mut simple = Simple::default();
        let mut declares = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                end = self.at;
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'#') => break,
                Some(b'(') => match self.function_definition(&mut simple)? {
                    Some(function) => return Ok(function),
                    None => return self.syntax(),
                },
                _ => {}
            }
            if simple.words.is_empty() || declares {
                let word_start = self.at;
                let place = if declares {
                    Place::Argument
                } else {
                    Place::Front
                };
                if let Some(assign) = self.assignment(place)? {
                    if simple.words.is_empty() {
                        simple.assignments.push(assign);
                    } else {
                        self.declared(&mut simple, assign, word_start);
                    }
                    end = self.at;
                    continue;
                }
            }
            let word = self.word()?;
            self.refuse_hidden_reserved(&simple, &word)?;
            if simple.words.is_empty() {
                declares = word.bare().is_some_and(|name| DECLARERS.contains(&name));
            }
            simple.words.push(word);
            end = self.at;
        }
        let none = simple.words.is_empty() && simple.assignments.is_empty();
        if none && simple.redirects.is_empty() {
            return self.syntax();
        }
        simple.span = super::parser::range(start, end);
        Ok(Command::Simple(simple))
    }

    /// An assignment among the arguments of `declare` and kin: kept as an argument with its text,
    /// and, for what is expanded in it, as an assignment.
    fn declared(&mut self, simple: &mut Simple<'a>, assign: Assign<'a>, start: usize) {
        match assign.value {
            AssignValue::One(value) if assign.index.is_none() => {
                // A plain word too: its name, its sign, and the value's pieces.
                let sign = self.slice(start, value.span.start as usize);
                let mut pieces = value.pieces.into_vec();
                match pieces.first_mut() {
                    Some(Piece::Text(first)) => *first = format!("{sign}{first}").into(),
                    _ => pieces.insert(0, Piece::Text(sign.into())),
                }
                simple.words.push(Word {
                    pieces: pieces.into(),
                    span: self.range_from(start),
                });
            }
            AssignValue::One(_) | AssignValue::Array(_) => {
                simple.words.push(Word {
                    pieces: Pieces::of(Piece::Quoted(self.slice(start, self.at).into())),
                    span: self.range_from(start),
                });
                simple.declared.push(assign);
            }
        }
    }

    /// A reserved word that a continued line parts is still one for Bash.
    fn refuse_hidden_reserved(&self, simple: &Simple<'a>, word: &Word<'a>) -> Read<()> {
        if !simple.words.is_empty() || !simple.assignments.is_empty() || word.pieces.len() < 2 {
            return Ok(());
        }
        let mut joined = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => joined.push_str(text),
                Piece::Quoted(_)
                | Piece::Parameter(_)
                | Piece::Substitution(_)
                | Piece::Process(_)
                | Piece::Arithmetic(_) => return Ok(()),
            }
        }
        if RESERVED.contains(&joined.as_str()) {
            return self.unknown();
        }
        Ok(())
    }

    /// `name ()` and what follows, when that is what stands here.
    fn function_definition(&mut self, simple: &mut Simple<'a>) -> Read<Option<Command<'a>>> {
        if !simple.assignments.is_empty() || !simple.redirects.is_empty() {
            return Ok(None);
        }
        let [name] = simple.words.as_slice() else {
            return Ok(None);
        };
        let [Piece::Text(name)] = name.pieces.as_slice() else {
            return Ok(None);
        };
        let name = name.clone();
        self.at += 1;
        self.skip_blanks();
        if self.peek() != Some(b')') {
            return Ok(None);
        }
        self.at += 1;
        self.function_body(name).map(Some)
    }

    pub(super) fn function_body(&mut self, name: std::borrow::Cow<'a, str>) -> Read<Command<'a>> {
        self.skip_lines()?;
        match self.deeper(Self::command)? {
            body @ Command::Compound(_) => Ok(Command::Function(Box::new(Function { name, body }))),
            Command::Simple(_)
            | Command::Pipeline(_)
            | Command::Chain(..)
            | Command::Not(_)
            | Command::Time(..)
            | Command::Function(_)
            | Command::Coproc(..)
            | Command::Empty => self.syntax(),
        }
    }

    /// An assignment, when one begins here.
    fn assignment(&mut self, place: Place) -> Read<Option<Assign<'a>>> {
        let start = self.at;
        let name_end = start + name_len(self.rest());
        let name = self.slice(start, name_end);
        if name.is_empty() || !self.may_try(Attempt::Assignment) {
            return Ok(None);
        }
        self.at = name_end;
        let mut index = None;
        if self.peek() == Some(b'[') {
            if place == Place::Argument {
                self.at = start;
                return Ok(None);
            }
            index = match self.subscript() {
                Ok(word) => Some(word),
                Err(error) if error.why == OpaqueWhy::Syntax => return self.unknown(),
                Err(error) => return Err(error),
            };
        }
        let append = self.peek() == Some(b'+') && self.look(1) == Some(b'=');
        if append {
            self.at += 1;
        }
        if self.peek() != Some(b'=') {
            if self.sees("\\\n") && self.assigns_across_lines(start) {
                return self.unknown();
            }
            if index.is_some() {
                self.go_back(start, Attempt::Assignment)?;
            }
            self.at = start;
            return Ok(None);
        }
        self.at += 1;
        let value = if self.peek() == Some(b'(') {
            self.array()?
        } else {
            AssignValue::One(self.word()?)
        };
        Ok(Some(Assign {
            name,
            index,
            append,
            value,
            span: self.range_from(start),
        }))
    }

    /// Whether what begins at `start` is an assignment once its continued lines are joined.
    fn assigns_across_lines(&self, start: usize) -> bool {
        let text = self.slice(start, self.limit);
        let mut behind = text
            .split("\\\n")
            .flat_map(str::bytes)
            .skip_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        matches!(
            (behind.next(), behind.next()),
            (Some(b'=' | b'['), _) | (Some(b'+'), Some(b'='))
        )
    }

    fn array(&mut self) -> Read<AssignValue<'a>> {
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            self.skip_lines()?;
            match self.peek() {
                Some(b')') => break,
                None | Some(b';' | b'&' | b'|' | b'(') => return self.syntax(),
                Some(b'<' | b'>') if self.look(1) != Some(b'(') => return self.syntax(),
                _ => elements.push(self.word()?),
            }
        }
        self.at += 1;
        if !self.at_word_end() {
            return self.syntax();
        }
        Ok(AssignValue::Array(elements))
    }

    /// A redirect, when one begins here.
    pub(super) fn redirect(&mut self) -> Read<Option<Redirect<'a>>> {
        // What most words begin with begins no redirect.
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'{' | b'0'..=b'9')) {
            return Ok(None);
        }
        let start = self.at;
        let descriptor = self.descriptor();
        if descriptor.is_none() && self.keeps_descriptor_in_list() {
            return self.unknown();
        }
        let behind = descriptor.map_or(0, str::len);
        let Some((kind, width)) = operator(self.slice(start + behind, self.limit)) else {
            return Ok(None);
        };
        if descriptor.is_some() && self.look(behind) == Some(b'&') {
            return Ok(None);
        }
        self.at = start + behind + width;
        if self.sees("\\\n") {
            return self.unknown();
        }
        let copies = matches!(kind, RedirectKind::CopyIn | RedirectKind::CopyOut);
        if copies && self.peek() == Some(b'-') {
            // `>&-` is one operator: what is glued to it is the next word.
            let from = self.at;
            self.at += 1;
            let sign = self.slice(from, self.at);
            return Ok(Some(Redirect {
                kind,
                descriptor: descriptor.map(|text| text.trim_matches(['{', '}'])),
                target: Word {
                    pieces: Pieces::of(Piece::Text(sign.into())),
                    span: self.range_from(from),
                },
                span: self.range_from(start),
            }));
        }
        self.skip_blanks();
        let descriptor = descriptor.map(|text| text.trim_matches(['{', '}']));
        if kind == RedirectKind::Document {
            let tabs = if self.slice(start + behind, start + behind + 3) == "<<-" {
                Tabs::Drop
            } else {
                Tabs::Keep
            };
            return self.document(start, descriptor, tabs).map(Some);
        }
        let target = self.word()?;
        if target.pieces.is_empty() {
            return self.syntax();
        }
        Ok(Some(Redirect {
            kind,
            descriptor,
            target,
            span: self.range_from(start),
        }))
    }

    /// `{name[subscript]}` glued to an operator: Bash computes the subscript.
    fn keeps_descriptor_in_list(&self) -> bool {
        let Some(inner) = self.rest().strip_prefix('{') else {
            return false;
        };
        let name = name_len(inner);
        let list = name > 0 && inner.as_bytes().get(name) == Some(&b'[');
        list && ["]}<", "]}>"].iter().any(|end| inner.contains(end))
    }

    /// `2` or `{name}`, when a redirect's operator is glued to it.
    fn descriptor(&self) -> Option<&'a str> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let end = if digits > 0 {
            digits
        } else {
            let inner = rest.strip_prefix('{')?;
            let name = name_len(inner);
            if name == 0 || inner.as_bytes().get(name) != Some(&b'}') {
                return None;
            }
            name + 2
        };
        let behind = rest.get(end..)?;
        let operator = behind.starts_with(['<', '>']);
        let process = behind.starts_with("<(") || behind.starts_with(">(");
        (operator && !process).then(|| rest.get(..end)).flatten()
    }
}

/// Where an assignment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front of a command: a bracket behind its name opens a subscript, over blanks, operators and
    /// line feeds.
    Front,
    /// Among the arguments of `declare` and kin: a bracket is a part of a word like any other.
    Argument,
}

/// The redirect operator at the start of `text`, and its width.
fn operator(text: &str) -> Option<(RedirectKind, usize)> {
    use RedirectKind::{Append, CopyIn, CopyOut, Document, HereString, Read, ReadWrite, Write};
    const OPERATORS: [(&str, RedirectKind); 12] = [
        ("<<<", HereString),
        ("<<-", Document),
        ("<<", Document),
        ("<&", CopyIn),
        ("<>", ReadWrite),
        ("<", Read),
        (">>", Append),
        (">|", Write),
        (">&", CopyOut),
        (">", Write),
        ("&>>", Append),
        ("&>", Write),
    ];
    if text.starts_with("<(") || text.starts_with(">(") {
        return None;
    }
    OPERATORS
        .iter()
        .find(|(spelled, _)| text.starts_with(spelled))
        .map(|(spelled, kind)| (*kind, spelled.len()))
}

/// The length of the variable name at the start of `text`.
pub(super) fn name_len(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => text
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count(),
        _ => 0,
    }
}
