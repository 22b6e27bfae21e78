//! From syntax to fields: braces, tilde, parameters, substitutions, splitting, wildcards, in
//! Bash's order, as far as the line alone tells.

mod braces;
mod cut;

use compact_str::{CompactString, ToCompactString, format_compact};
use pointsman_model::{AbsPath, Span};

use self::braces::{joined, units};
use crate::field::{Field, Known, Shape, Unknown};
use crate::limits::{FIELD_BYTES_MAX, FIELDS_MAX, VALUE_BYTES_MAX};
use crate::state::{Folder, State, Value};
use crate::syntax::{Form, Parameter, Piece, Script, Substitution, Word};

/// What the output of a substitution is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Output {
    Text(String),
    Number,
    /// Names of files that match this pattern.
    Names(Box<str>),
    Unknown,
}

/// Works out fields at one place of the line.
pub(crate) struct Expander<'x> {
    pub(crate) source: &'x str,
    pub(crate) documents: &'x [Word<'x>],
    pub(crate) state: &'x State,
    pub(crate) home: &'x AbsPath,
    /// The folder that the line starts in.
    pub(crate) start: &'x AbsPath,
    /// Of a text that stands elsewhere: where.
    pub(crate) anchor: Option<Span>,
    /// How many substitutions inside each other are still worked out.
    pub(crate) levels: u32,
    /// What a substitution prints.
    pub(crate) output: &'x dyn Fn(&Expander<'_>, &Script<'_>) -> Output,
}

/// A piece with its value worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Atom {
    /// As spelled, unquoted.
    Bare(CompactString),
    /// Neither split nor globbed.
    Fixed(CompactString),
    /// From an unquoted expansion: split and globbed.
    Split(CompactString),
    /// Several fields, each fixed: `"${list[@]}"`.
    Each(Vec<Box<str>>),
    /// A name that matches this pattern, between double quotes or not.
    Pattern(Box<str>, bool),
    Unknown(Shape),
}

impl Expander<'_> {
    pub(crate) fn span(&self, word: &Word<'_>) -> Span {
        self.anchor.unwrap_or_else(|| word.span.span())
    }

    /// The fields that words become; `None` when they are too many or too long.
    pub(crate) fn all(&self, words: &[Word<'_>]) -> Option<Vec<Field>> {
        let mut fields = Vec::with_capacity(words.len());
        let mut bytes = 0;
        for word in words {
            let known = fields.len();
            self.fields(word, &mut fields);
            bytes += fields.iter().skip(known).map(Field::len).sum::<usize>();
            if fields.len() > FIELDS_MAX || bytes > FIELD_BYTES_MAX {
                return None;
            }
        }
        Some(fields)
    }

    /// The fields that a word of a command becomes.
    pub(crate) fn fields(&self, word: &Word<'_>, into: &mut Vec<Field>) {
        let first = into.len() + 1;
        self.fields_of(word, into);
        for field in into.iter_mut().skip(first) {
            field.continues = true;
        }
    }

    fn fields_of(&self, word: &Word<'_>, into: &mut Vec<Field>) {
        if let Some(text) = as_it_is(word) {
            into.push(self.field(word, Known::Text(text)));
            return;
        }
        let atoms = self.atoms(word);
        let braces = atoms.iter().any(|atom| match atom {
            Atom::Bare(text) => text.contains('{'),
            Atom::Fixed(_)
            | Atom::Split(_)
            | Atom::Each(_)
            | Atom::Pattern(..)
            | Atom::Unknown(_) => false,
        });
        if !braces {
            self.assemble(word, atoms, into);
            return;
        }
        match braces::expand(&units(atoms)) {
            Some(words) => {
                for units in words {
                    self.assemble(word, joined(units), into);
                }
            }
            None => into.push(self.field(word, unknown("", Shape::Many))),
        }
    }

    /// The value of a word where nothing is split or globbed: assignments, here-strings, `case`.
    pub(crate) fn value(&self, word: &Word<'_>) -> Value {
        let mut text = String::new();
        let mut atoms = self.atoms(word);
        self.tilde(&mut atoms);
        if let [Atom::Unknown(Shape::Number)] = atoms.as_slice() {
            return Value::Number;
        }
        for atom in &atoms {
            match atom {
                Atom::Bare(part) | Atom::Fixed(part) | Atom::Split(part) => text.push_str(part),
                Atom::Each(parts) => text.push_str(&parts.join(" ")),
                Atom::Pattern(..) | Atom::Unknown(_) => return Value::Unknown,
            }
        }
        if text.len() > VALUE_BYTES_MAX {
            return Value::Unknown;
        }
        Value::text(text)
    }

    /// The one field that the target of a redirect, or a value, is.
    pub(crate) fn single(&self, word: &Word<'_>) -> Field {
        let mut fields = Vec::new();
        self.fields(word, &mut fields);
        match fields.pop() {
            Some(field) if fields.is_empty() => field,
            _ => self.field(word, unknown("", Shape::Many)),
        }
    }

    pub(crate) fn field(&self, word: &Word<'_>, known: Known) -> Field {
        Field {
            known,
            source: word.span.of(self.source).into(),
            span: self.span(word),
            continues: false,
            splits: false,
        }
    }

    fn atoms(&self, word: &Word<'_>) -> Vec<Atom> {
        let mut atoms = Vec::with_capacity(word.pieces.len());
        let mut bytes = 0;
        for piece in &word.pieces {
            if bytes > VALUE_BYTES_MAX && !matches!(piece, Piece::Text(_) | Piece::Quoted(_)) {
                atoms.push(Atom::Unknown(Shape::Many));
                continue;
            }
            match piece {
                Piece::Text(text) => atoms.push(Atom::Bare(text.as_ref().into())),
                Piece::Quoted(text) => atoms.push(Atom::Fixed(text.as_ref().into())),
                Piece::Parameter(parameter) => atoms.push(self.parameter(parameter)),
                Piece::Substitution(substitution) => atoms.push(self.substitution(substitution)),
                Piece::Process(_) => atoms.push(Atom::Unknown(Shape::Process)),
                Piece::Arithmetic(expression) => atoms.push(self.arithmetic(expression)),
            }
            bytes += match atoms.last() {
                Some(Atom::Fixed(text) | Atom::Split(text)) => text.len(),
                Some(Atom::Each(items)) => items.iter().map(|item| item.len()).sum(),
                Some(Atom::Bare(_) | Atom::Pattern(..) | Atom::Unknown(_)) | None => 0,
            };
        }
        atoms
    }

    /// What a substitution prints.
    pub(crate) fn printed(&self, substitution: &Substitution<'_>) -> Output {
        match self.levels.checked_sub(1) {
            Some(levels) => (self.output)(&Expander { levels, ..*self }, &substitution.script),
            None => Output::Unknown,
        }
    }

    fn substitution(&self, substitution: &Substitution<'_>) -> Atom {
        match self.printed(substitution) {
            Output::Text(text) if substitution.quoted => Atom::Fixed(text.into()),
            Output::Text(text) => Atom::Split(text.into()),
            Output::Number => Atom::Unknown(Shape::Number),
            Output::Names(pattern) => Atom::Pattern(pattern, substitution.quoted),
            Output::Unknown if substitution.quoted => Atom::Unknown(Shape::One),
            Output::Unknown => Atom::Unknown(Shape::Many),
        }
    }

    fn arithmetic(&self, expression: &Word<'_>) -> Atom {
        match expression.pieces.as_slice() {
            [Piece::Text(text)] => match text.trim().parse::<u32>() {
                // A leading zero makes it octal.
                Ok(number) if !text.trim().starts_with('0') => {
                    Atom::Fixed(number.to_compact_string())
                }
                _ => Atom::Unknown(Shape::Number),
            },
            _ => Atom::Unknown(Shape::Number),
        }
    }

    fn parameter(&self, parameter: &Parameter<'_>) -> Atom {
        let unknown = Atom::Unknown(if parameter.quoted && !is_list(parameter) {
            Shape::One
        } else {
            Shape::Many
        });
        let value = match parameter.form {
            Form::Plain => self.variable(parameter),
            Form::Length => return Atom::Unknown(Shape::Number),
            Form::Default => match self.variable(parameter) {
                Value::Texts(texts) if texts.iter().all(|text| !text.is_empty()) => {
                    Value::Texts(texts)
                }
                Value::Number => Value::Number,
                Value::Patterns(patterns) => Value::Patterns(patterns),
                Value::Texts(_) | Value::Among(_) | Value::List(_) | Value::Unknown => {
                    return unknown;
                }
            },
            Form::Indirect => match self.state.variables.get(parameter.name) {
                Some(Value::Texts(names)) if names.len() == 1 && parameter.index.is_none() => names
                    .first()
                    .and_then(|name| self.state.variables.get(name))
                    .cloned()
                    .unwrap_or(Value::Unknown),
                _ => return unknown,
            },
            Form::Other => match (self.variable(parameter), parameter.words.as_slice()) {
                (Value::Texts(texts), [word]) if texts.iter().all(|text| !text.is_empty()) => {
                    self.value(word)
                }
                _ => return unknown,
            },
            Form::Cut(cut) => match self.cut(parameter, cut) {
                Some(text) => Value::text(text),
                None => return unknown,
            },
            Form::Assign | Form::Error | Form::Transform | Form::Prompt => return unknown,
        };
        match value {
            Value::Texts(mut texts) if texts.len() == 1 => {
                let text = texts.pop().map(CompactString::from).unwrap_or_default();
                if parameter.quoted {
                    Atom::Fixed(text)
                } else {
                    Atom::Split(text)
                }
            }
            Value::List(items) if is_list(parameter) && parameter.quoted => Atom::Each(items),
            // Nothing in them is split or stands for names of files.
            Value::List(items)
                if is_list(parameter)
                    && items.iter().all(|item| {
                        !item.is_empty() && !item.contains([' ', '\t', '\n', '*', '?', '['])
                    }) =>
            {
                Atom::Each(items)
            }
            Value::Patterns(mut patterns) if patterns.len() == 1 => {
                Atom::Pattern(patterns.pop().unwrap_or_default(), parameter.quoted)
            }
            Value::Number => Atom::Unknown(Shape::Number),
            Value::Texts(_)
            | Value::Among(_)
            | Value::List(_)
            | Value::Patterns(_)
            | Value::Unknown => unknown,
        }
    }

    fn variable(&self, parameter: &Parameter<'_>) -> Value {
        let name = parameter.name;
        if let Some(index) = &parameter.index {
            return match (index.bare(), self.state.variables.get(name)) {
                (Some("@" | "*"), Some(value @ Value::List(_))) => value.clone(),
                (Some("0"), Some(Value::List(items))) => match items.first() {
                    Some(first) => Value::text(first.clone()),
                    None => Value::Unknown,
                },
                _ => Value::Unknown,
            };
        }
        if let Some(value) = self.state.variables.get(name) {
            return match value {
                Value::List(items) => match items.first() {
                    Some(first) => Value::text(first.clone()),
                    None => Value::text(""),
                },
                value => value.clone(),
            };
        }
        match name {
            "HOME" => Value::text(self.home.as_str()),
            "PWD" => match (self.state.folder(), self.state.folders.len()) {
                (Some(path), 1) => Value::text(path.as_str()),
                _ => Value::Unknown,
            },
            "OLDPWD" => match &self.state.previous {
                Some(Folder::Known(path)) => Value::text(path.as_str()),
                Some(Folder::Unknown(_)) | None => Value::Unknown,
            },
            "IFS" => Value::text(" \t\n"),
            "?" | "#" | "$" | "!" | "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID"
            | "BASHPID" | "EPOCHSECONDS" | "SRANDOM" => Value::Number,
            "@" | "*" => {
                let texts = |fields: &Vec<Field>| {
                    let texts = fields.iter().map(|field| field.text().map(Into::into));
                    texts.collect::<Option<Vec<Box<str>>>>()
                };
                let given = self.state.positional.as_deref();
                given.and_then(texts).map_or(Value::Unknown, Value::List)
            }
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => self.positional(digits),
            _ => Value::Unknown,
        }
    }

    /// What stands in `$1`, `$2` and so on.
    pub(crate) fn positional(&self, digits: &str) -> Value {
        let Some(arguments) = &self.state.positional else {
            return Value::Unknown;
        };
        if arguments.iter().any(Field::is_many) {
            return Value::Unknown;
        }
        match digits.parse::<usize>() {
            Ok(0) | Err(_) => Value::Unknown,
            Ok(number) => match arguments.get(number - 1) {
                Some(field) => field.text().map_or(Value::Unknown, Value::text),
                None => Value::text(""),
            },
        }
    }

    /// Undoes a tilde in front.
    fn tilde(&self, atoms: &mut [Atom]) {
        let Some(Atom::Bare(first)) = atoms.first() else {
            return;
        };
        if !first.starts_with('~') {
            return;
        }
        let end = first.find('/').unwrap_or(first.len());
        let (prefix, rest) = first.split_at(end);
        if rest.is_empty() && atoms.len() > 1 {
            // `~"x"` and `~$x` keep the tilde, but for what a variable makes of it.
            return;
        }
        let named = match prefix {
            "~" => match self.state.variables.get("HOME") {
                Some(Value::Texts(texts)) if texts.len() == 1 => texts.first().cloned(),
                Some(_) => None,
                None => Some(self.home.as_str().into()),
            },
            "~+" => self.state.folder().map(|path| path.as_str().into()),
            "~-" => match &self.state.previous {
                Some(Folder::Known(path)) => Some(path.as_str().into()),
                Some(Folder::Unknown(_)) | None => None,
            },
            // Without such a user the word stays as it is.
            _ => None,
        };
        let replaced = match named {
            Some(folder) => Atom::Fixed(format_compact!("{folder}{rest}")),
            None => Atom::Unknown(Shape::One),
        };
        let globs = rest.contains(['*', '?', '[']);
        if let Some(first) = atoms.first_mut() {
            *first = match (globs, replaced) {
                (true, Atom::Fixed(text)) => Atom::Bare(text),
                (_, replaced) => replaced,
            };
        }
    }

    /// Joins atoms into fields: splits what is to be split, and notices wildcards.
    fn assemble(&self, word: &Word<'_>, mut atoms: Vec<Atom>, into: &mut Vec<Field>) {
        self.tilde(&mut atoms);
        let first = into.len();
        let mut splits = false;
        let may_glob = atoms.iter().any(|atom| match atom {
            Atom::Bare(text) | Atom::Split(text) => text.contains(['*', '?', '[']),
            Atom::Pattern(..) => true,
            Atom::Fixed(_) | Atom::Each(_) | Atom::Unknown(_) => false,
        });
        let mut builder = Builder {
            may_glob,
            ..Builder::default()
        };
        for atom in atoms {
            match atom {
                Atom::Bare(text) => builder.push_pattern(&text),
                Atom::Fixed(text) => builder.push_fixed(&text),
                Atom::Split(text) => {
                    let mut rest = text.as_str();
                    while let Some(at) = rest.find([' ', '\t', '\n']) {
                        builder.push_split(rest.get(..at).unwrap_or(""));
                        rest = rest.get(at + 1..).unwrap_or("");
                        builder.cut(|known| into.push(self.field(word, known)));
                    }
                    builder.push_split(rest);
                }
                Atom::Each(items) => {
                    for (number, item) in items.iter().enumerate() {
                        if number > 0 {
                            builder.cut(|known| into.push(self.field(word, known)));
                        }
                        builder.push_fixed(item);
                    }
                }
                Atom::Pattern(pattern, quoted) => {
                    splits |= !quoted;
                    builder.push_name(&pattern);
                }
                Atom::Unknown(shape) => builder.push_unknown(shape),
            }
        }
        builder.cut(|known| into.push(self.field(word, known)));
        for field in into.iter_mut().skip(first) {
            field.splits = splits;
        }
    }
}

/// The word's text, when it is all plain or quoted and nothing in it is expanded.
fn as_it_is(word: &Word<'_>) -> Option<CompactString> {
    let plain = word.pieces.iter().all(|piece| match piece {
        Piece::Text(text) => !text
            .bytes()
            .any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'~')),
        Piece::Quoted(_) => true,
        Piece::Parameter(_) | Piece::Substitution(_) | Piece::Process(_) | Piece::Arithmetic(_) => {
            false
        }
    });
    if !plain || word.pieces.is_empty() {
        return None;
    }
    if let [Piece::Text(text) | Piece::Quoted(text)] = word.pieces.as_slice() {
        return Some(text.as_ref().into());
    }
    let mut joined = CompactString::default();
    for piece in &word.pieces {
        if let Piece::Text(text) | Piece::Quoted(text) = piece {
            joined.push_str(text);
        }
    }
    Some(joined)
}

fn is_list(parameter: &Parameter<'_>) -> bool {
    parameter.name == "@"
        || parameter.form == Form::Indirect
        || parameter
            .index
            .as_ref()
            .is_some_and(|index| index.bare() == Some("@"))
}

pub(crate) fn unknown(prefix: &str, shape: Shape) -> Known {
    Known::Unknown(Unknown {
        prefix: prefix.into(),
        shape,
    })
}

/// The text as a pattern that matches it alone.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

/// A field in the making.
#[derive(Default)]
struct Builder {
    text: CompactString,
    /// The text as a pattern, quoted characters escaped; kept where anything may make it one.
    pattern: CompactString,
    may_glob: bool,
    globs: bool,
    unknown: Option<(CompactString, Shape)>,
    /// Something stood here, be it an empty quoted text.
    present: bool,
}

impl Builder {
    fn push_pattern(&mut self, text: &str) {
        self.present |= !text.is_empty();
        self.text.push_str(text);
        if self.may_glob {
            self.pattern.push_str(text);
        }
        self.globs |= text.contains(['*', '?', '[']);
    }

    fn push_split(&mut self, text: &str) {
        self.push_pattern(text);
    }

    fn push_fixed(&mut self, text: &str) {
        self.present = true;
        self.text.push_str(text);
        if self.may_glob {
            self.pattern.push_str(&escaped(text));
        }
    }

    /// A name of a file, of which the pattern is known.
    fn push_name(&mut self, pattern: &str) {
        self.present = true;
        self.globs = true;
        self.text.push_str(pattern);
        self.pattern.push_str(pattern);
    }

    fn push_unknown(&mut self, shape: Shape) {
        self.present = true;
        let (prefix, before) = match self.unknown.take() {
            Some((prefix, before)) => (prefix, Some(before)),
            None => (self.text.clone(), None),
        };
        let alone = self.text.is_empty() && before.is_none();
        let shape = match (shape, before) {
            (Shape::Many, _) | (_, Some(Shape::Many)) => Shape::Many,
            (Shape::Number, None | Some(Shape::Number)) => Shape::Number,
            (Shape::Process, _) if alone => Shape::Process,
            _ => Shape::One,
        };
        self.unknown = Some((prefix, shape));
    }

    /// Ends the field.
    fn cut(&mut self, mut push: impl FnMut(Known)) {
        let next = Self {
            may_glob: self.may_glob,
            ..Self::default()
        };
        let done = std::mem::replace(self, next);
        if let Some((prefix, shape)) = done.unknown {
            let shape = match shape {
                // Text glued to a number or a pipe makes it something else.
                Shape::Number if !prefix.is_empty() || !done.text.is_empty() => Shape::One,
                Shape::Process if !done.text.is_empty() => Shape::One,
                shape => shape,
            };
            push(unknown(&prefix, shape));
        } else if done.globs && is_pattern(&done.pattern) {
            push(Known::Glob(done.pattern));
        } else if done.present {
            push(Known::Text(done.text));
        }
    }
}

/// Whether the text is a pattern: an opening bracket alone is none.
fn is_pattern(text: &str) -> bool {
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '*' | '?' => return true,
            '[' if text.get(at + 1..).is_some_and(|rest| rest.contains(']')) => return true,
            _ => {}
        }
    }
    false
}
