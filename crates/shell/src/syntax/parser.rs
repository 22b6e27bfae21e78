//! The full parser: where it stands in the text, its limits, and the grammar of lists.
//!
//! It reads what Bash reads with its default options. What it does not know it refuses; it never
//! skips. Recursion is bounded by [`DEPTH_MAX`].

use std::collections::BTreeSet;

use pointsman_model::OpaqueWhy;

use super::heredoc::Pending;
use super::{Command, Item, Link, Range, Script, Unreadable, Word};
use crate::limits::{AGAIN_PER_BYTE, DEPTH_MAX, PARTS_MAX};
use crate::work;

/// What reading gives.
pub(super) type Read<T> = Result<T, Unreadable>;

/// A parsed line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tree<'a> {
    pub(crate) script: Script<'a>,
    /// The bodies of here-documents, in the order of their operators; a redirect of kind
    /// `Document` names its body by number in its target's span start.
    pub(crate) documents: Vec<Word<'a>>,
    /// The continued lines inside of operators, in reading order: `&\⏎&` is `&&`.
    pub(crate) continued: Vec<Range>,
    /// Why the tree may not be what Bash reads.
    pub(crate) doubt: Option<OpaqueWhy>,
}

/// Reads a whole line.
pub(crate) fn parse(source: &str) -> Read<Tree<'_>> {
    let mut parser = Parser::new(source);
    let script = parser.script(&End::Input)?;
    // Those whose body would begin behind the end of the text have none.
    parser.read_documents()?;
    Ok(Tree {
        script,
        documents: parser.documents,
        continued: parser.continued,
        doubt: None,
    })
}

/// What is tried at a place before it is read as something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attempt {
    /// `((` or `$((` as the start of an expression.
    Arithmetic,
    /// An assignment.
    Assignment,
}

/// What ends a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the text, or of the part of it that is read.
    Input,
    /// `)`
    Paren,
    /// One of these reserved words.
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    Arm,
}

/// The state of reading.
pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    /// The next byte.
    pub(super) at: usize,
    /// Where reading ends.
    pub(super) limit: usize,
    depth: u32,
    parts: u32,
    /// Bytes that have been read in vain, to be read again.
    again: usize,
    /// Places where an attempt has failed, so that what stands around it does not repeat it.
    refused: BTreeSet<(usize, Attempt)>,
    /// Here-documents whose bodies begin behind the next line feed.
    pub(super) pending: Vec<Pending>,
    pub(super) documents: Vec<Word<'a>>,
    /// The continued lines inside of operators.
    continued: Vec<Range>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            limit: source.len(),
            depth: 0,
            parts: 0,
            again: 0,
            refused: BTreeSet::new(),
            pending: Vec::new(),
            documents: Vec::new(),
            continued: Vec::new(),
        }
    }

    /// The byte `ahead` of the next one.
    pub(super) fn look(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at >= self.limit {
            return None;
        }
        self.source.as_bytes().get(at).copied()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.look(0)
    }

    /// Whether the text goes on with `text`.
    pub(super) fn sees(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.slice(self.at, self.limit)
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    pub(super) fn range_from(&self, start: usize) -> Range {
        range(start, self.at)
    }

    pub(super) fn refuse(&self, why: OpaqueWhy) -> Unreadable {
        Unreadable {
            why,
            at: u32::try_from(self.at).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn syntax<T>(&self) -> Read<T> {
        Err(self.refuse(OpaqueWhy::Syntax))
    }

    pub(super) fn unknown<T>(&self) -> Read<T> {
        Err(self.refuse(OpaqueWhy::UnknownConstruct))
    }

    /// Reads something one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEPTH_MAX {
            return Err(self.refuse(OpaqueWhy::TooDeep));
        }
        self.depth += 1;
        let got = read(self);
        self.depth -= 1;
        got
    }

    /// Reads a script inside a word: here-documents of the outside wait meanwhile.
    pub(super) fn inner_script(&mut self, end: &End) -> Read<Script<'a>> {
        let start = self.at;
        let waiting = std::mem::take(&mut self.pending);
        let script = self.deeper(|parser| parser.script(end))?;
        // Bash's versions differ on where a body begins when a substitution ends its line first.
        let spans_lines = || self.slice(start, self.at).contains('\n');
        if !self.pending.is_empty() || (!waiting.is_empty() && spans_lines()) {
            return self.unknown();
        }
        self.pending = waiting;
        Ok(script)
    }

    /// Whether the attempt is worth making here.
    pub(super) fn may_try(&self, attempt: Attempt) -> bool {
        !self.refused.contains(&(self.at, attempt))
    }

    /// Goes back to `start`, where the attempt has failed.
    pub(super) fn go_back(&mut self, start: usize, attempt: Attempt) -> Read<()> {
        self.again += self.at.saturating_sub(start);
        if self.again > AGAIN_PER_BYTE * self.source.len() {
            return Err(self.refuse(OpaqueWhy::TooMany));
        }
        self.refused.insert((start, attempt));
        self.at = start;
        Ok(())
    }

    pub(super) fn count_part(&mut self) -> Read<()> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Err(self.refuse(OpaqueWhy::TooMany));
        }
        Ok(())
    }

    /// Skips blanks and continued lines.
    pub(super) fn skip_blanks(&mut self) {
        work::count(1);
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.look(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    /// Skips a comment, if one begins here.
    pub(super) fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            let rest = self.rest();
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Takes a line feed, and the here-documents behind it.
    pub(super) fn line_feed(&mut self) -> Read<()> {
        self.at += 1;
        if self.pending.is_empty() {
            return Ok(());
        }
        self.read_documents()
    }

    /// Skips blanks, comments and line feeds.
    pub(super) fn skip_lines(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.line_feed()?;
        }
    }

    /// The word here, when it is a plain one that nothing is glued to: what reserved words are.
    pub(super) fn bare(&self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest
            .bytes()
            .position(|byte| {
                matches!(
                    byte,
                    b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                ) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`')
            })
            .unwrap_or(rest.len());
        work::count(end);
        match rest.as_bytes().get(end) {
            Some(b'\\') if rest.get(end..).is_some_and(|tail| tail.starts_with("\\\n")) => None,
            Some(b'\'' | b'"' | b'\\' | b'$' | b'`') => None,
            _ => rest.get(..end).filter(|word| !word.is_empty()),
        }
    }

    /// Takes the reserved word, which must be here.
    pub(super) fn expect(&mut self, word: &str) -> Read<()> {
        if self.bare() != Some(word) {
            return self.syntax();
        }
        self.at += word.len();
        Ok(())
    }

    fn ends(&self, end: &End) -> bool {
        match end {
            End::Input => self.at >= self.limit,
            End::Paren => self.peek() == Some(b')'),
            End::Words(words) => self.bare().is_some_and(|word| words.contains(&word)),
            End::Arm => self.sees(";;") || self.sees(";&") || self.bare() == Some("esac"),
        }
    }

    /// Reads commands up to, and without, what ends them.
    pub(super) fn script(&mut self, end: &End) -> Read<Script<'a>> {
        let start = self.at;
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            if self.ends(end) {
                break;
            }
            if self.at >= self.limit {
                return self.syntax();
            }
            let command = self.chain()?;
            self.skip_blanks();
            let mut background = false;
            match self.peek() {
                Some(b';') if !matches!(self.look(1), Some(b';' | b'&')) => self.at += 1,
                Some(b'&') if self.pair().1 != Some(b'&') => {
                    self.at += 1;
                    background = true;
                }
                Some(b'\n' | b'#') | None => {}
                _ if self.ends(end) => {}
                _ => return self.syntax(),
            }
            self.no_split_operator()?;
            items.push(Item {
                command,
                background,
            });
        }
        Ok(Script {
            items,
            span: self.range_from(start),
        })
    }

    /// Reads commands that must not be none.
    pub(super) fn body(&mut self, end: &End) -> Read<Script<'a>> {
        let script = self.script(end)?;
        if script.items.is_empty() {
            return self.syntax();
        }
        Ok(script)
    }

    /// The next byte, the one behind it, and where that one ends: Bash joins continued lines before it looks
    /// for operators.
    fn pair(&self) -> (Option<u8>, Option<u8>, usize) {
        let mut ahead = 1;
        while self.look(ahead) == Some(b'\\') && self.look(ahead + 1) == Some(b'\n') {
            ahead += 2;
        }
        (self.peek(), self.look(ahead), ahead + 1)
    }

    /// Takes an operator of two characters that ends `width` bytes on.
    fn take_pair(&mut self, width: usize) {
        if width > 2 {
            self.continued.push(range(self.at + 1, self.at + width - 1));
        }
        self.at += width;
    }

    /// Refuses an operator whose characters a continued line parts where that is not looked for: `>\⏎>`.
    fn no_split_operator(&self) -> Read<()> {
        let mut ahead = 0;
        while self.look(ahead) == Some(b'\\') && self.look(ahead + 1) == Some(b'\n') {
            ahead += 2;
        }
        if ahead > 0 && matches!(self.look(ahead), Some(b';' | b'&' | b'|' | b'<' | b'>')) {
            return self.unknown();
        }
        Ok(())
    }

    fn chain(&mut self) -> Read<Command<'a>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let (first, second, width) = self.pair();
            let link = match (first, second) {
                (Some(b'&'), Some(b'&')) => Link::And,
                (Some(b'|'), Some(b'|')) => Link::Or,
                _ => break,
            };
            self.take_pair(width);
            self.no_split_operator()?;
            self.skip_lines()?;
            rest.push((link, self.pipeline()?));
        }
        Ok(if rest.is_empty() {
            first
        } else {
            Command::Chain(Box::new(first), rest)
        })
    }

    fn pipeline(&mut self) -> Read<Command<'a>> {
        self.skip_blanks();
        match self.bare() {
            Some("!") => {
                self.at += 1;
                let inner = self.deeper(Self::prefixed)?;
                return Ok(Command::Not(Box::new(inner)));
            }
            Some("time") => return self.timed(),
            _ => {}
        }
        let first = self.command()?;
        self.skip_blanks();
        match self.pair() {
            (Some(b'|'), Some(b'|'), _) => return Ok(first),
            (Some(b'|'), ..) => {}
            _ => return Ok(first),
        }
        let mut commands = vec![first];
        loop {
            self.skip_blanks();
            match self.pair() {
                (Some(b'|'), Some(b'|'), _) => break,
                (Some(b'|'), Some(b'&'), width) => self.take_pair(width),
                (Some(b'|'), ..) => self.at += 1,
                _ => break,
            }
            self.no_split_operator()?;
            self.skip_lines()?;
            commands.push(match self.bare() {
                Some("time") => self.timed()?,
                Some("!") => return self.syntax(),
                _ => self.command()?,
            });
        }
        Ok(Command::Pipeline(commands))
    }

    /// What follows `!` or `time`: a pipeline, or nothing.
    fn prefixed(&mut self) -> Read<Command<'a>> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'#') => Ok(Command::Empty),
            _ => self.pipeline(),
        }
    }

    fn timed(&mut self) -> Read<Command<'a>> {
        let start = self.at;
        self.at += "time".len();
        self.skip_blanks();
        if self.bare() == Some("-p") {
            self.at += 2;
            self.skip_blanks();
        }
        if self.bare() == Some("--") {
            self.at += 2;
            self.skip_blanks();
        }
        if self.peek() == Some(b'-') {
            return self.unknown();
        }
        let span = self.range_from(start);
        let inner = self.deeper(Self::prefixed)?;
        Ok(Command::Time(Box::new(inner), span))
    }
}

/// A range; lines longer than `u32` are refused long before.
pub(super) fn range(start: usize, end: usize) -> Range {
    Range {
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: u32::try_from(end).unwrap_or(u32::MAX),
    }
}
