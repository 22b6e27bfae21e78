//! Fields: the words of a command as the program gets them, as far as that is known.

use compact_str::CompactString;
use pointsman_model::{Span, Word, WordValue};

/// One field, or several that are not known apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) known: Known,
    /// As it is spelled.
    pub(crate) source: CompactString,
    pub(crate) span: Span,
    /// It comes of the same word as the field before it.
    pub(crate) continues: bool,
    /// Its text is split where it has blanks, and may become words that look otherwise.
    pub(crate) splits: bool,
}

/// What is known of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    Text(CompactString),
    /// A pattern for names of files; characters that were quoted have a backslash in front.
    Glob(CompactString),
    Unknown(Unknown),
}

/// What is known of a field whose text is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unknown {
    /// What it begins with.
    pub(crate) prefix: CompactString,
    pub(crate) shape: Shape,
}

/// What an unknown field can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any number of fields.
    Many,
    /// One field.
    One,
    /// One field, a number.
    Number,
    /// One field: the name of a pipe to a process substitution.
    Process,
}

impl Field {
    /// A field of known text that stands nowhere in the line.
    pub(crate) fn made(text: &str, span: Span) -> Self {
        Self {
            known: Known::Text(text.into()),
            source: text.into(),
            span,
            continues: false,
            splits: false,
        }
    }

    /// The same word, where what it names holds a text that nobody knows.
    pub(crate) fn unseen(&self) -> Self {
        Self {
            known: Known::Unknown(Unknown {
                prefix: CompactString::default(),
                shape: Shape::One,
            }),
            ..self.clone()
        }
    }

    /// The bytes of its text and its spelling.
    pub(crate) fn len(&self) -> usize {
        let known = match &self.known {
            Known::Text(text) | Known::Glob(text) => text.len(),
            Known::Unknown(unknown) => unknown.prefix.len(),
        };
        known + self.source.len()
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.known {
            Known::Text(text) => Some(text),
            Known::Glob(_) | Known::Unknown(_) => None,
        }
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    /// Whether it may be several fields, or none.
    pub(crate) fn is_many(&self) -> bool {
        match &self.known {
            Known::Text(_) => false,
            Known::Glob(_) => true,
            Known::Unknown(unknown) => unknown.shape == Shape::Many,
        }
    }

    /// Whether a program could take it, or one of the fields it becomes, for an option.
    pub(crate) fn may_be_option(&self) -> bool {
        match &self.known {
            Known::Text(text) => text.len() > 1 && text.starts_with('-'),
            Known::Glob(pattern) => self.splits || pattern.starts_with(['-', '*', '?', '[']),
            Known::Unknown(unknown) => match unknown.shape {
                Shape::Many => true,
                Shape::One => unknown.prefix.is_empty() || unknown.prefix.starts_with('-'),
                Shape::Number => unknown.prefix.starts_with('-'),
                Shape::Process => false,
            },
        }
    }

    /// The part of this field behind its first `skip` bytes: the value in `--file=value`.
    pub(crate) fn tail(&self, skip: usize) -> Self {
        let known = match &self.known {
            Known::Text(text) => Known::Text(text.get(skip..).unwrap_or("").into()),
            Known::Glob(text) => Known::Glob(text.get(skip..).unwrap_or("").into()),
            Known::Unknown(unknown) => Known::Unknown(Unknown {
                prefix: unknown.prefix.get(skip..).unwrap_or("").into(),
                shape: unknown.shape,
            }),
        };
        Self {
            known,
            source: self.source.clone(),
            span: self.span,
            continues: self.continues,
            splits: self.splits,
        }
    }

    /// The part of this field in front of the first of these characters, as far as it is known to have one.
    pub(crate) fn until(&self, ends: &[char]) -> Self {
        match self.prefix().find(ends) {
            Some(end) => Self {
                known: Known::Text(self.prefix().get(..end).unwrap_or("").into()),
                ..self.clone()
            },
            None => self.clone(),
        }
    }

    /// The argument in front of this one, which may be an option that this is the value of.
    pub(crate) fn before<'f>(&self, args: &'f [Self]) -> Option<&'f Self> {
        let at = args.iter().position(|field| std::ptr::eq(field, self))?;
        args.get(at.checked_sub(1)?)
    }

    /// What it begins with for sure.
    pub(crate) fn prefix(&self) -> &str {
        match &self.known {
            Known::Text(text) => text,
            Known::Glob(pattern) => {
                let end = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
                pattern.get(..end).unwrap_or("")
            }
            Known::Unknown(unknown) => &unknown.prefix,
        }
    }

    pub(crate) fn word(&self) -> Word {
        Word {
            value: match &self.known {
                Known::Text(text) => WordValue::Literal(text.clone()),
                Known::Glob(pattern) => WordValue::Glob(pattern.clone()),
                Known::Unknown(_) => WordValue::Unknown,
            },
            source: self.source.clone(),
            span: self.span,
        }
    }
}
