//! Options that take a command: what a program starts because an argument says so.
//!
//! Tables by program: which of its options have a command line, a script or a program's name for
//! their value. What they start is listed as a possibility, for rules that deny and ask, and a
//! program that is told to start something is covered by no prefix rule. Long options are taken by
//! any beginning that is long enough, as `getopt_long` takes them.

mod table;

use pointsman_model::EffectView;

use self::table::{OPERANDS, Value};
use super::known::Tables;
use super::marks::Marks;
use super::told::{self, Language};
use super::{Facts, Inner, Use};
use crate::field::Field;
use crate::walk::Called;

pub(super) use self::table::{CARRIERS, Carrier, FED};

/// A long option's beginning that is taken for the option, dashes counted.
const ABBREVIATED_MIN: usize = 5;

/// What the arguments of a command tell its program to start.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    pub(crate) inner: Vec<Inner>,
    /// Files that the code in it names.
    pub(crate) uses: Vec<Use>,
    /// Something else than what such an option usually names: no prefix rule covers it.
    pub(crate) unusual: bool,
}

/// Looks for commands in the arguments.
pub(super) fn carried(called: &Called<'_>, known: &Tables, marks: Marks) -> Carried {
    let mut found = Carried::default();
    for carrier in &known.carriers {
        if !applies(carrier, called.args(), marks) {
            continue;
        }
        for option in carrier.options {
            if *option == OPERANDS {
                for value in called.args().iter().filter(|it| !it.may_be_option()) {
                    take(carrier, value, called.args(), &mut found);
                }
                continue;
            }
            if !marks.may_have(option) {
                continue;
            }
            for value in values(called.args(), option) {
                take(carrier, &value, called.args(), &mut found);
            }
        }
    }
    if let Some(text) = called.input.text() {
        for language in &known.fed {
            for script in told::scripts(*language, text, called.span) {
                found.unusual = true;
                found.inner.push(Inner::Script(script, EffectView::Might));
            }
        }
    }
    found
}

/// Whether one of the subcommands of the table's entry is there, if it asks for one.
fn applies(carrier: &Carrier, args: &[Field], marks: Marks) -> bool {
    carrier.within.is_empty()
        || marks.may_have_any(carrier.within)
            && args
                .iter()
                .filter_map(Field::text)
                .any(|text| carrier.within.contains(&text))
}

fn take(carrier: &Carrier, value: &Field, args: &[Field], found: &mut Carried) {
    let might = EffectView::Might;
    match carrier.value {
        Value::Script => {
            found.unusual |= !is_usual(value, carrier.usual);
            found.inner.push(Inner::Script(value.clone(), might));
        }
        Value::Setting(keys) => {
            for (key, script) in settings(value) {
                let key = key.to_ascii_lowercase();
                if keys.iter().any(|known| {
                    key == *known || known.starts_with('*') && key.contains(known.trim_matches('*'))
                }) {
                    found.unusual = true;
                    found.inner.push(Inner::Script(script, might));
                }
            }
        }
        Value::Program(key, given) => {
            if !value.prefix().starts_with(key) {
                return;
            }
            found.unusual = true;
            let program = value.tail(key.len());
            let mut words = vec![program.text().unwrap_or(&program.source)];
            let given = args.iter().filter_map(Field::text).find_map(|text| {
                let at = text.find(given)?;
                text.get(at + given.len()..)
            });
            words.extend(given);
            let script = match program.text() {
                Some(_) => Field::made(&words.join(" "), value.span),
                None => program,
            };
            found.inner.push(Inner::Script(script, might));
        }
        Value::Commas => {
            found.unusual = true;
            let script = match value.text() {
                Some(text) => Field::made(&text.replace(',', " "), value.span),
                None => value.clone(),
            };
            found.inner.push(Inner::Script(script, might));
        }
        Value::Text(Language::Code) => {
            let mut facts = Facts::program();
            facts.code(value.text().unwrap_or_default(), value.span);
            found.unusual |= !facts.inner.is_empty();
            found.inner.extend(facts.inner);
            found.uses.extend(facts.uses);
        }
        Value::Text(language) => {
            let text = value.text().unwrap_or_default();
            let scripts = told::scripts(language, text, value.span);
            found.unusual |= !scripts.is_empty();
            let scripts = scripts.into_iter();
            found
                .inner
                .extend(scripts.map(|script| Inner::Script(script, might)));
        }
    }
}

/// The settings that a text `key=value` is, values as the commands that they may be: `a.b={c="x",d=['y', "z"]}` are
/// two more.
fn settings(setting: &Field) -> Vec<(&str, Field)> {
    let prefix = setting.prefix();
    let Some(at) = prefix.find(['=', ' ']) else {
        return Vec::new();
    };
    let (key, value) = (prefix.get(..at).unwrap_or(""), setting.tail(at + 1));
    let Some(text) = value.text() else {
        return vec![(key, value)];
    };
    let made = |text: &str| Field::made(&bare(text), setting.span);
    let mut found = vec![(key, made(text))];
    let inside = prefix
        .get(at + 1..)
        .filter(|text| text.trim_start().starts_with('{'));
    for part in inside.unwrap_or("").split(['{', '}', ',']) {
        if let Some((key, value)) = part.split_once('=') {
            found.push((key, made(value)));
        }
    }
    found
}

/// A value of a file of settings without its quotes; a list of words as the command that they are.
fn bare(value: &str) -> String {
    let value = value.trim();
    match value.strip_prefix('[') {
        Some(list) => {
            let words = list.trim_end_matches(']').split(',');
            let words: Vec<&str> = words.map(|word| word.trim().trim_matches(QUOTES)).collect();
            words.join(" ")
        }
        None => value.trim_matches(QUOTES).to_owned(),
    }
}

const QUOTES: [char; 2] = ['"', '\''];

/// Whether the value is one of the commands that such an option usually names, with plain words.
fn is_usual(value: &Field, usual: &[&str]) -> bool {
    let Some(text) = value.text() else {
        return false;
    };
    let plain = text.chars().all(|char| {
        char.is_ascii_alphanumeric()
            || matches!(char, ' ' | '.' | '_' | '/' | ',' | ':' | '@' | '-' | '+')
    });
    let first = text.split(' ').next().unwrap_or(text);
    plain && usual.contains(&first)
}

/// The values that the arguments give an option.
pub(crate) fn values(args: &[Field], option: &str) -> Vec<Field> {
    let mut found = Vec::new();
    for (at, field) in args.iter().enumerate() {
        let prefix = field.prefix();
        if !begins_alike(prefix.as_bytes(), option.as_bytes()) {
            continue;
        }
        let next = || args.get(at + 1).cloned();
        if prefix == option && field.text().is_some() {
            found.extend(next());
        } else if option.starts_with("--") || option.len() > 2 {
            let Some((name, _)) = prefix.split_once('=') else {
                if is_beginning(prefix, option) && field.text().is_some() {
                    found.extend(next());
                }
                continue;
            };
            if name == option || is_beginning(name, option) {
                found.push(field.tail(name.len() + 1));
            }
        } else if let Some(value) = bundled(field, option) {
            match value {
                Bundled::Glued(skip) => found.push(field.tail(skip)),
                Bundled::Next => found.extend(next()),
            }
        }
    }
    found
}

/// Whether the word's first bytes are those of the option, as far as every spelling of it has them.
fn begins_alike(word: &[u8], option: &[u8]) -> bool {
    let shared = if option.len() > 2 { 3 } else { 1 };
    word.get(..shared) == option.get(..shared)
}

/// Whether the word is a long option, or a beginning of it that is long enough.
pub(super) fn is_beginning(text: &str, option: &str) -> bool {
    text.len() >= ABBREVIATED_MIN && text.starts_with("--") && option.starts_with(text)
}

/// Where the value of a short option in a bundle stands.
enum Bundled {
    /// Behind so many bytes.
    Glued(usize),
    Next,
}

/// `-xVALUE`, `-abx VALUE`, and `-abx'VALUE with blanks'`.
fn bundled(field: &Field, option: &str) -> Option<Bundled> {
    let letter = option.strip_prefix('-')?.chars().next()?;
    let prefix = field.prefix();
    let letters = prefix.strip_prefix('-')?;
    if letters.starts_with('-') {
        return None;
    }
    let at = letters.find(letter)?;
    let behind = 1 + at + letter.len_utf8();
    let rest = prefix.get(behind..).unwrap_or("");
    if rest.is_empty() && field.text().is_some() {
        return Some(Bundled::Next);
    }
    let alone = at == 0 || rest.contains(char::is_whitespace) || field.text().is_none();
    alone.then_some(Bundled::Glued(behind))
}

#[cfg(test)]
mod tests {
    use pointsman_model::Span;

    use super::*;

    #[test]
    fn values_stand_glued_apart_and_behind_abbreviations() {
        let fields = |texts: &[&str]| -> Vec<Field> {
            let span = Span { start: 0, end: 0 };
            texts.iter().map(|text| Field::made(text, span)).collect()
        };
        for (args, option) in [
            (&["-x", "v w"][..], "-x"),
            (&["-xv w"], "-x"),
            (&["-abx", "v w"], "-x"),
            (&["-abxv w"], "-x"),
            (&["--exec", "v w"], "--exec"),
            (&["--exec=v w"], "--exec"),
            (&["--exe=v w"], "--exec"),
            (&["-ex", "v w"], "-ex"),
        ] {
            let found = values(&fields(args), option);
            let texts: Vec<_> = found.iter().filter_map(Field::text).collect();
            assert_eq!(texts, ["v w"], "{args:?}");
        }
        for args in [&["--execute=v"][..], &["x", "v"], &["--ex", "v"], &["-ax1"]] {
            assert_eq!(values(&fields(args), "--exec"), [], "{args:?}");
            assert_eq!(values(&fields(args), "-x"), [], "{args:?}");
        }
    }
}
