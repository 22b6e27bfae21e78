//! What an interpreter is given to run, as far as that is sure, and the interpreter that a script names itself.
//!
//! What can't be told is left alone: a false alarm about a hook that works is a fault too.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Interpreters whose first plain word is a script.
const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh"],
        letters: "abefhiklmnpuvxBCEHPT",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: &["python", "python2", "python3"],
        letters: "bBdEiIOPqsSuvx",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: &["node", "bun"],
        letters: "",
        lookup: Lookup::AddsEnding,
    },
    Interpreter {
        names: &["perl", "ruby"],
        letters: "wTt",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: &["php", "lua", "tclsh", "Rscript"],
        letters: "",
        lookup: Lookup::AsWritten,
    },
];

/// How a word without a folder says that it is a file all the same.
const ENDINGS: &[&str] = &[
    ".sh", ".bash", ".zsh", ".ksh", ".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".pl",
    ".rb", ".php", ".lua", ".tcl", ".R",
];

/// As much as the system reads of a script's first line.
const FIRST_LINE_BYTES_MAX: u64 = 256;

struct Interpreter {
    names: &'static [&'static str],
    /// Its options of one letter that take no value and leave the script what it is.
    letters: &'static str,
    lookup: Lookup,
}

/// Whether a script may be another file than the one that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    AsWritten,
    /// `check` may be `check.js`.
    AddsEnding,
}

/// The script among the words behind a program, each of which is given when it is known in full. Nothing where the
/// program is no interpreter, is given code or a module, or an option stands before that may have a value.
pub(super) fn script_of<'a>(
    program: &str,
    words: impl Iterator<Item = Option<&'a str>>,
) -> Option<&'a str> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let base = match name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.') {
        "" => name,
        base => base,
    };
    let interpreter = INTERPRETERS
        .iter()
        .find(|known| known.names.contains(&name) || known.names.contains(&base))?;
    for word in words {
        let word = word?;
        if !word.starts_with('-') {
            return interpreter.takes(word).then_some(word);
        }
        if !interpreter.stands_alone(word) {
            return None;
        }
    }
    None
}

impl Interpreter {
    /// Whether a word is a file for it, and no other than the one it names.
    fn takes(&self, word: &str) -> bool {
        let ends = ENDINGS.iter().any(|ending| word.ends_with(ending));
        match self.lookup {
            Lookup::AsWritten => ends || word.contains('/'),
            Lookup::AddsEnding => ends,
        }
    }

    /// Whether an option surely takes no word behind it.
    fn stands_alone(&self, option: &str) -> bool {
        match option.strip_prefix("--") {
            Some(name) => {
                matches!(name, "login" | "norc" | "noprofile" | "posix") || name.starts_with("no-")
            }
            None => {
                let letters = option.trim_start_matches('-');
                !letters.is_empty() && letters.chars().all(|sign| self.letters.contains(sign))
            }
        }
    }
}

/// What a script's first line says is to run it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// A path.
    Path(String),
    /// A name that `env` looks up.
    Name(String),
}

/// The interpreter that a file names in its first line, where it names one and that is sure.
pub(super) fn first_line_of(file: &Path) -> Option<NamedBy> {
    let mut bytes = Vec::new();
    let file = File::open(file).ok()?;
    file.take(FIRST_LINE_BYTES_MAX)
        .read_to_end(&mut bytes)
        .ok()?;
    let rest = bytes.strip_prefix(b"#!")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(rest.get(..end)?).ok()?;
    // The system parts it at blanks alone, so a line of another system's text ends in a sign that is of the name.
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let path = words.next()?;
    if !path.starts_with('/') {
        return None;
    }
    let is_env = path.ends_with("/env");
    match words.next() {
        Some(name) if is_env && !name.starts_with('-') && !name.contains(['/', '=']) => {
            Some(NamedBy::Name(name.to_owned()))
        }
        _ => Some(NamedBy::Path(path.to_owned())),
    }
}
