//! The script that an interpreter is given, as far as that is sure.

use super::{families, is_one_of};

/// Interpreters whose first plain word is a script.
const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: families::SHELLS,
        letters: "abefhiklmnpuvxBCEHPT",
        // What stands behind `-c` is read as a line of its own.
        last: "",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: families::PYTHON,
        letters: "bBdEiIOPqsSuvx",
        last: "cm",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: families::NODE,
        letters: "",
        last: "",
        lookup: Lookup::AddsEnding,
    },
    Interpreter {
        names: families::PERL,
        letters: "wTt",
        last: "",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: families::RUBY,
        letters: "wT",
        last: "",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: families::LUA,
        letters: "",
        last: "",
        lookup: Lookup::AsWritten,
    },
    Interpreter {
        names: families::PLAIN,
        letters: "",
        last: "",
        lookup: Lookup::AsWritten,
    },
];

/// How a word without a folder says that it is a file all the same.
const ENDINGS: &[&str] = &[
    ".sh", ".bash", ".zsh", ".ksh", ".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".pl",
    ".rb", ".php", ".lua", ".tcl", ".R",
];

/// What a script's name may stand for beside the file of that name: what an interpreter adds to it, and what it looks for
/// in a folder.
const BEHIND: &[(&[&str], &[&str])] = &[
    (families::PYTHON, &["/__main__.py"]),
    (
        families::NODE,
        &[
            ".js",
            ".cjs",
            ".mjs",
            ".json",
            ".ts",
            "/index.js",
            "/index.ts",
        ],
    ),
];

/// The files that a word may stand for as an interpreter's script, beside the one that it names.
pub(super) fn behind<'a>(program: &str, word: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let known = BEHIND
        .iter()
        .find(|(programs, _)| !word.starts_with('-') && is_one_of(program, programs));
    let endings = known.map_or(&[] as &[&str], |(_, endings)| endings);
    endings.iter().map(move |ending| format!("{word}{ending}"))
}

struct Interpreter {
    names: &'static [&'static str],
    /// Its options of one letter that take no value and leave the script what it is.
    letters: &'static str,
    /// Those whose value is code or a module, behind which all is data of it.
    last: &'static str,
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
#[must_use]
pub fn script_of<'a>(
    program: &str,
    words: impl Iterator<Item = Option<&'a str>>,
) -> Option<&'a str> {
    let interpreter = INTERPRETERS
        .iter()
        .find(|known| is_one_of(program, known.names))?;
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

/// How many of the words behind a program may be code to it, or name some: up to its script, its code or its module. All,
/// where that is not sure. What stands behind them is data of that code.
pub(super) fn code_words(program: &str, words: &[Option<&str>]) -> usize {
    let interpreter = INTERPRETERS
        .iter()
        .find(|known| is_one_of(program, known.names));
    let sure = interpreter.and_then(|interpreter| interpreter.code_words(words));
    let sure = sure.or_else(|| behind_code(program, words));
    sure.unwrap_or(words.len()).min(words.len())
}

/// Programs that take code as a word.
const CODE_AS_WORD: &[CodeAsWord] = &[
    CodeAsWord {
        programs: families::PERL,
        letters: "eE",
        options: &[],
        plain: Plain::IsScript,
    },
    CodeAsWord {
        programs: families::RUBY,
        letters: "e",
        options: &[],
        plain: Plain::IsScript,
    },
    CodeAsWord {
        programs: families::NODE,
        letters: "ep",
        options: &["--eval", "--print"],
        plain: Plain::IsScript,
    },
    CodeAsWord {
        programs: families::LUA,
        letters: "e",
        options: &[],
        plain: Plain::IsScript,
    },
    CodeAsWord {
        programs: &["sed", "gsed", "awk", "gawk", "mawk", "nawk", "jq"],
        letters: "ef",
        options: &["--expression", "--file", "--source", "--from-file"],
        plain: Plain::IsCode,
    },
];

/// A program that takes code as a word.
struct CodeAsWord {
    programs: &'static [&'static str],
    /// Letters of options, the last of a bundle, that have code or its file behind them.
    letters: &'static str,
    /// The same as long options.
    options: &'static [&'static str],
    /// What its first plain word is without such an option.
    plain: Plain,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    IsCode,
    IsScript,
}

/// How many words may be code where code stands in a word of its own; nothing where none surely does.
fn behind_code(program: &str, words: &[Option<&str>]) -> Option<usize> {
    let known = CODE_AS_WORD
        .iter()
        .find(|known| is_one_of(program, known.programs))?;
    let mut given = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(word) = word else {
            return given.then_some(at);
        };
        let by_letter = !word.starts_with("--")
            && word.starts_with('-')
            && word
                .chars()
                .last()
                .is_some_and(|last| known.letters.contains(last));
        if by_letter || known.options.contains(word) {
            words.get(at + 1).copied().flatten()?;
            (given, at) = (true, at + 2);
        } else if word.starts_with('-') && *word != "-" {
            at += 1;
        } else if given || known.plain == Plain::IsCode {
            return Some(at + 1);
        } else {
            return None;
        }
    }
    given.then_some(at)
}

/// Whether a file's name ends as those of scripts do.
pub(super) fn is_named_as_script(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file says of itself that it is written to be run, by its name or by how it begins.
#[must_use]
pub fn says_it_is_code(name: &str, begins: &[u8]) -> bool {
    is_named_as_script(name) || begins.starts_with(b"#!")
}

impl Interpreter {
    /// Whether a word is a file for it, and no other than the one it names.
    fn takes(&self, word: &str) -> bool {
        let ends = is_named_as_script(word);
        match self.lookup {
            Lookup::AsWritten => ends || word.contains('/'),
            Lookup::AddsEnding => ends,
        }
    }

    /// How many words may be code, if that is sure.
    fn code_words(&self, words: &[Option<&str>]) -> Option<usize> {
        for (at, word) in words.iter().enumerate() {
            let word = (*word)?;
            if !word.starts_with('-') {
                return self.takes(word).then_some(at + 1);
            }
            let letters = word.trim_start_matches('-');
            let value = letters.find(|sign| !self.letters.contains(sign));
            match value.map(|place| (letters.get(..place), letters.get(place..))) {
                _ if self.stands_alone(word) => {}
                Some((Some(_), Some(rest))) if !word.starts_with("--") => {
                    let mut signs = rest.chars();
                    let is_last = signs.next().is_some_and(|sign| self.last.contains(sign));
                    let value_is_next = signs.as_str().is_empty();
                    return is_last.then_some(at + 1 + usize::from(value_is_next));
                }
                _ => return None,
            }
        }
        None
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
