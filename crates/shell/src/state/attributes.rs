//! What becomes of a value that a variable is given: its attributes, and the names that the shell keeps for itself.

use std::collections::BTreeSet;

use super::{State, Value};

/// What a variable may do with a value that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attribute {
    /// Holds it as it is.
    Plain,
    /// Computes it as an expression.
    Computed,
    Lower,
    Upper,
    /// Begins it with a capital letter, and has the others small.
    Capital,
    /// Keeps what it holds.
    Fixed,
}

impl Attribute {
    /// Whether it spells the letters of a value in another case.
    pub(crate) fn respells(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Capital)
    }
}

/// All that a variable may do with a value, one for each way that led here. One that is only [`Attribute::Fixed`]
/// is never made: ways that say nothing of a variable leave it plain.
pub(super) type Attributes = BTreeSet<Attribute>;

/// What the shell makes of a value for a name of its own.
enum Kept {
    /// It is a variable like any other.
    No,
    /// The shell may put a number there instead.
    Number,
    /// The shell may put anything there instead.
    Anything,
}

/// Whether the shell keeps the name for itself. Some of these names take a value once they were unset.
fn kept_by_the_shell(name: &str) -> Kept {
    match name {
        "BASHPID" | "BASH_SUBSHELL" | "COLUMNS" | "EPOCHSECONDS" | "EUID" | "HISTCMD"
        | "LINENO" | "LINES" | "OPTIND" | "PPID" | "RANDOM" | "SECONDS" | "SRANDOM" | "UID" => {
            Kept::Number
        }
        "BASHOPTS" | "DIRSTACK" | "EPOCHREALTIME" | "FUNCNAME" | "GROUPS" | "OLDPWD"
        | "PIPESTATUS" | "PWD" | "SHELLOPTS" => Kept::Anything,
        name if name.starts_with("BASH_") => Kept::Anything,
        _ => Kept::No,
    }
}

pub(super) fn joined(mine: Option<&Attributes>, others: Option<&Attributes>) -> Attributes {
    let plain = || BTreeSet::from([Attribute::Plain]);
    let mut all = mine.cloned().unwrap_or_else(plain);
    all.extend(others.cloned().unwrap_or_else(plain));
    all
}

impl State {
    /// The variable does this with values from now on.
    pub(crate) fn give_attribute(&mut self, name: &str, attribute: Attribute) {
        let all = self.rare.attributes.entry(name.into()).or_default();
        match attribute {
            Attribute::Fixed if all.is_empty() => all.extend([Attribute::Plain, attribute]),
            Attribute::Fixed => {}
            // Numbers are spelled in one way.
            Attribute::Computed => all.retain(|it| *it == Attribute::Fixed),
            Attribute::Lower | Attribute::Upper | Attribute::Capital => {
                all.retain(|it| matches!(it, Attribute::Fixed | Attribute::Computed));
            }
            // What takes one attribute away leaves the others.
            Attribute::Plain => {}
        }
        all.insert(attribute);
    }

    /// The variable may take the value of an expression.
    pub(crate) fn is_integer(&self, name: &str) -> bool {
        matches!(name, "RANDOM" | "OPTIND" | "HISTCMD") || self.may_be(name, Attribute::Computed)
    }

    fn may_be(&self, name: &str, attribute: Attribute) -> bool {
        let all = self.rare.attributes.get(name);
        all.is_some_and(|all| all.contains(&attribute))
    }

    /// The attributes of the variable end with it, unless it can't be unset.
    pub(super) fn end_attributes(&mut self, name: &str) {
        if self.rare.attributes.contains_key(name) && !self.may_be(name, Attribute::Fixed) {
            self.rare.attributes.remove(name);
        }
    }

    /// What the variable holds once it was given this value.
    pub(super) fn taken(&self, name: &str, value: Value) -> Value {
        let before = self.variables.get(name);
        let value = match self.rare.attributes.get(name) {
            Some(all) => {
                let mut ways = all.iter().map(|it| value_by(*it, &value, before));
                let first = ways.next();
                first.map_or(Value::Unknown, |first| ways.fold(first, Value::join))
            }
            None => value,
        };
        match kept_by_the_shell(name) {
            Kept::No => value,
            Kept::Number => value.join(Value::Number),
            Kept::Anything => Value::Unknown,
        }
    }
}

/// What the attribute makes of a value, where the variable held this one before.
fn value_by(attribute: Attribute, value: &Value, before: Option<&Value>) -> Value {
    match attribute {
        Attribute::Plain => value.clone(),
        Attribute::Fixed => before.cloned().unwrap_or(Value::Unknown),
        Attribute::Computed if is_number(value) => value.clone(),
        // An expression that can't be computed changes nothing.
        Attribute::Computed => match before {
            Some(before) => Value::Number.join(before.clone()),
            None => Value::Number,
        },
        Attribute::Lower => respelled(value, str::to_ascii_lowercase),
        Attribute::Upper => respelled(value, str::to_ascii_uppercase),
        Attribute::Capital => respelled(value, |text| {
            let mut text = text.to_ascii_lowercase();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            text
        }),
    }
}

/// Whether the text is a number that Bash spells in the same way.
pub(crate) fn is_plain_number(text: &str) -> bool {
    let number = text.parse::<i64>();
    number.is_ok_and(|number| number.to_string() == text)
}

/// Whether the value is such a number.
fn is_number(value: &Value) -> bool {
    match value {
        Value::Number => true,
        Value::Texts(texts) => texts.iter().all(|text| is_plain_number(text)),
        Value::Among(_) | Value::List(_) | Value::Patterns(_) | Value::Unknown => false,
    }
}

fn respelled(value: &Value, spell: impl Fn(&str) -> String) -> Value {
    let all = |texts: &[Box<str>]| -> Option<Vec<Box<str>>> {
        // What other letters become is up to the language that is set.
        let ascii = texts.iter().all(|text| text.is_ascii());
        ascii.then(|| texts.iter().map(|text| spell(text).into()).collect())
    };
    match value {
        Value::Texts(texts) => all(texts).map_or(Value::Unknown, Value::Texts),
        Value::Among(texts) => all(texts).map_or(Value::Unknown, Value::Among),
        Value::List(texts) => all(texts).map_or(Value::Unknown, Value::List),
        Value::Number => Value::Number,
        Value::Patterns(_) | Value::Unknown => Value::Unknown,
    }
}
