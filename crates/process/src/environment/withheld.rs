//! What an environment left out: known, so that what is written down can be kept free of it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// What stands on record in the place of a key.
pub const KEY_LEFT_OUT: &str = "[key]";

/// The shortest text that can be a key.
const KEY_BYTES_MIN: usize = 8;

/// From here on a key needs no digit.
const WORD_BYTES_MAX: usize = 16;

/// The variables that were left out, and which of them are keys. Shows nothing of them.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Withheld {
    /// Left out for their looks: most are secrets, some an address or a region, so they are taken out of nothing.
    by_looks: BTreeMap<OsString, OsString>,
    /// The values of those that somebody named as keys, longer ones first, since one may hold another.
    keys: Vec<Box<str>>,
}

impl Withheld {
    pub(super) fn looks_secret(&mut self, name: OsString, value: OsString) {
        self.by_looks.insert(name, value);
    }

    /// That variable holds a key; `seen` is its value if it was not left out before.
    pub(super) fn is_key(&mut self, name: &OsStr, seen: Option<OsString>) {
        let value = seen.or_else(|| self.by_looks.remove(name));
        let key = value.as_deref().and_then(OsStr::to_str).map(str::trim);
        if let Some(key) = key.filter(|key| is_key(key)) {
            self.keys.push(key.into());
            self.keys.sort_by_key(|key| Reverse(key.len()));
        }
    }

    pub(super) fn knows_by_looks_alone(&self, name: &OsStr) -> bool {
        self.by_looks.contains_key(name)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| &**key)
    }

    pub(super) fn holds_key_in(&self, text: &str) -> bool {
        self.keys.iter().any(|key| text.contains(&**key))
    }

    pub(super) fn taken_out_of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for key in &self.keys {
            if text.contains(&**key) {
                text = Cow::Owned(text.replace(&**key, KEY_LEFT_OUT));
            }
        }
        text
    }
}

/// Whether a text can be a key to a model: it has a letter, and 16 bytes, or 8 of which one is a digit. A word that stands
/// for a key, as servers on this machine take them (`ollama`, `not-needed`), is none: taking it out would garble what it
/// stands in.
fn is_key(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    text.len() >= KEY_BYTES_MIN
        && has(u8::is_ascii_alphabetic)
        && (text.len() >= WORD_BYTES_MAX || has(u8::is_ascii_digit))
}

impl fmt::Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}
