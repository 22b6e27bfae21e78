//! Texts in other languages that can start commands: what they would hand to a shell.
//!
//! Such a text is not parsed as its program does. Where the language has an escape to the shell, what
//! stands behind it is taken; in code, each string that begins with the name of a well-known program.
//! All of it is a possibility, for rules that deny and ask: what such a text does besides is covered
//! by a rule for the program that reads it.

use pointsman_model::{Change, Span};

use super::special::is_well_known;
use crate::field::Field;

/// Texts taken of one text; more of them are of no use to anybody.
const SCRIPTS_MAX: usize = 32;

/// A language with a way out to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Commands of `ex`, `vi` and `ed`.
    Editor,
    /// Commands of `gdb` and `lldb`.
    Debugger,
    /// `!command`, as in `ftp`.
    Escapes,
    /// SQL with the dot and backslash commands of its client.
    Sql,
    /// Tcl with `spawn`.
    Expect,
    /// A makefile.
    Make,
    /// Macros of `rpm`: `%(command)`.
    Macros,
    /// A programming language.
    Code,
}

/// What the text would hand to a shell: each as a word of this place, and one that nobody knows where there is more.
pub(crate) fn scripts(language: Language, text: &str, span: Span) -> Vec<Field> {
    let mut found = Found::default();
    match language {
        Language::Editor => found.extend(editor(text)),
        Language::Debugger => {
            found.extend(behind(text, &["platform shell ", "shell ", "!", "make "]));
        }
        Language::Escapes => found.extend(behind(text, &["!", "local "])),
        Language::Sql => found.extend(behind(
            text,
            &[
                ".shell ",
                ".system ",
                ".sh ",
                ".once |",
                ".output |",
                "\\!",
                "\\o |",
                "system ",
            ],
        )),
        Language::Expect => found.extend(behind(text, &["spawn ", "exec ", "system "])),
        Language::Make => make(&mut found, text),
        Language::Macros => found.extend(macros(text)),
        Language::Code => {}
    }
    let strings = strings(text);
    found.extend(
        strings
            .texts
            .into_iter()
            // Perl opens what has a bar in front as a pipe.
            .map(|string| string.trim_start_matches(['|', ' ']))
            .filter(|string| begins_with_program(string)),
    );
    if language == Language::Expect || language == Language::Code {
        found.extend(['"', '\''].into_iter().flat_map(|quote| lists(text, quote)));
    }
    if language == Language::Code {
        found.extend(HANDING.iter().flat_map(|function| handed(text, function)));
    }
    let mut fields: Vec<Field> = found
        .scripts
        .iter()
        .map(|script| Field::made(script, span))
        .collect();
    if found.rest == Rest::LeftOff || strings.rest == Rest::LeftOff {
        fields.push(Field::made("", span).unseen());
    }
    fields
}

/// Whether there is more than what was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rest {
    #[default]
    Nothing,
    LeftOff,
}

/// The scripts that were found in a text, each once.
#[derive(Debug, Default)]
struct Found {
    scripts: Vec<String>,
    rest: Rest,
}

impl Found {
    /// Takes in scripts of one kind, as many as are followed of it.
    fn extend<S: Into<String>>(&mut self, scripts: impl Iterator<Item = S>) {
        let mut taken = 0;
        for script in scripts {
            let script = script.into();
            if self.scripts.contains(&script) {
                continue;
            }
            if taken >= SCRIPTS_MAX {
                self.rest = Rest::LeftOff;
                return;
            }
            taken += 1;
            self.scripts.push(script);
        }
    }
}

/// `!command` anywhere in an editor's command, and what a terminal in it is to run.
fn editor(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let escapes = line
            .match_indices('!')
            .map(|(at, _)| line.get(at + 1..).unwrap_or("").trim())
            .filter(|rest| !rest.is_empty());
        let terminals = ["terminal ", "term "]
            .into_iter()
            .filter_map(|word| line.split_once(word))
            .map(|(_, rest)| rest.trim());
        escapes.chain(terminals)
    })
}

/// What stands behind one of these at the beginning of a line or of a command in it.
fn behind<'t>(text: &'t str, escapes: &[&str]) -> impl Iterator<Item = &'t str> {
    text.split(['\n', ';', '{', '}']).filter_map(move |line| {
        let line = line.trim_start();
        let rest = escapes.iter().find_map(|it| line.strip_prefix(it))?;
        Some(rest.trim())
    })
}

/// What stands behind each opening, up to the last one of these ends.
fn up_to_the_last<'t>(
    text: &'t str,
    opening: &'static str,
    ends: &'static [char],
) -> impl Iterator<Item = &'t str> {
    text.match_indices(opening).map(move |(at, _)| {
        let rest = text.get(at + opening.len()..).unwrap_or("");
        let end = rest.rfind(ends).unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    })
}

/// What stands between `%(` and its end.
fn macros(text: &str) -> impl Iterator<Item = &str> {
    up_to_the_last(text, "%(", &[')'])
}

/// The recipes of a makefile, and what its functions run.
fn make(found: &mut Found, text: &str) {
    let recipes = text.lines().filter_map(|line| {
        let recipe = match line.strip_prefix('\t') {
            Some(recipe) => recipe,
            None => line.split_once(';').map(|(_, recipe)| recipe)?,
        };
        let recipe = recipe.trim_start_matches(['@', '-', '+', ' ', '\t']);
        Some(recipe.replace("$$", "$"))
    });
    found.extend(recipes);
    for opening in ["$(shell ", "${shell "] {
        found.extend(up_to_the_last(text, opening, &[')', '}']));
    }
    let assigned = text.split_once("!=");
    found.extend(assigned.into_iter().map(|(_, command)| command.trim()));
}

/// Strings of a text.
#[derive(Debug, Default)]
struct Strings<'t> {
    texts: Vec<&'t str>,
    rest: Rest,
}

/// The strings of a text, escapes as they are: between quotes and backticks, and of `%x{}` and kin.
fn strings(text: &str) -> Strings<'_> {
    let mut found = Strings::default();
    let bytes = text.as_bytes();
    for quote in ['"', '\'', '`'] {
        let mut open: Option<usize> = None;
        let mut escaped = false;
        for (at, byte) in bytes.iter().enumerate() {
            if escaped {
                escaped = false;
            } else if *byte == b'\\' {
                escaped = true;
            } else if *byte == quote as u8 {
                match open.take() {
                    Some(start) => found.texts.extend(text.get(start..at)),
                    None => open = Some(at + 1),
                }
            }
        }
    }
    for (opening, closing) in [
        ("%x{", '}'),
        ("%x(", ')'),
        ("%x[", ']'),
        ("qx{", '}'),
        ("qx(", ')'),
        ("qx/", '/'),
        ("q(", ')'),
        ("q{", '}'),
        ("qw(", ')'),
        ("qw{", '}'),
        ("qw[", ']'),
        ("qw/", '/'),
        ("[[", ']'),
    ] {
        found.enclosed(text, opening, closing);
    }
    found
}

impl<'t> Strings<'t> {
    /// What stands behind each opening, up to the next closing.
    fn enclosed(&mut self, text: &'t str, opening: &str, closing: char) {
        let mut end = 0;
        // Openings that this end is the next one of.
        let mut shared = 0;
        for (at, _) in text.match_indices(opening) {
            let start = at + opening.len();
            if end < start {
                let next = text.get(start..).and_then(|rest| rest.find(closing));
                let Some(next) = next else { return };
                end = start + next;
                shared = 0;
            }
            shared += 1;
            if shared > SCRIPTS_MAX {
                self.rest = Rest::LeftOff;
                continue;
            }
            self.texts.extend(text.get(start..end));
        }
    }
}

/// Functions of many languages that hand a text to a shell.
const HANDING: [&str; 12] = [
    "system",
    "popen",
    "Popen",
    "getoutput",
    "getstatusoutput",
    "check_output",
    "check_call",
    "subprocess.run",
    "subprocess.call",
    "execSync",
    "shell_exec",
    "passthru",
];

/// The first string behind each call of this function, whatever it begins with.
fn handed<'t>(text: &'t str, function: &'static str) -> impl Iterator<Item = &'t str> {
    const ENDS: [char; 2] = [')', '}'];
    let last_end = text.rfind(ENDS).unwrap_or(0);
    text.match_indices(function).filter_map(move |(at, _)| {
        let rest = text.get(at + function.len()..).unwrap_or("");
        let rest = rest.trim_start_matches(['(', ' ', '[', 'f', 'r', 'b']);
        let words = ["qw(", "qq(", "q(", "qw{", "q{"];
        match rest.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => {
                let mut escaped = false;
                let ends = |char: char| {
                    let end = char == quote && !escaped;
                    escaped = char == '\\' && !escaped;
                    end
                };
                rest.get(1..).and_then(|rest| rest.split(ends).next())
            }
            // It is one where it ends.
            _ if at < last_end => words.iter().find_map(|word| {
                let (inside, _) = rest.strip_prefix(word)?.split_once(ENDS)?;
                Some(inside)
            }),
            _ => None,
        }
    })
}

/// `["rm", "-rf", "x"]` and `"rm", "-rf"`: neighbouring strings as one command.
fn lists(text: &str, quote: char) -> impl Iterator<Item = String> {
    let pieces: Vec<&str> = text.split(quote).collect();
    (1..pieces.len()).step_by(2).filter_map(move |at| {
        let first = pieces.get(at)?;
        if !begins_with_program(first) || first.contains(char::is_whitespace) {
            return None;
        }
        let mut command = vec![(*first).to_owned()];
        let mut next = at;
        while pieces
            .get(next + 1)
            .is_some_and(|between| between.chars().all(|c| matches!(c, ',' | ' ' | '\n')))
            && let Some(word) = pieces.get(next + 2)
        {
            command.push(format!("'{word}'"));
            next += 2;
        }
        (command.len() > 1).then(|| command.join(" "))
    })
}

/// Words of code that changes files. What a text without any of them names is read at most.
const CHANGING: [&str; 34] = [
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'w+'",
    "'wb'",
    "\"wb\"",
    "'ab'",
    "\"wt\"",
    "\"w+\"",
    "write",
    "Write",
    "append",
    "rename",
    "chmod",
    "chown",
    "truncate",
    "mkdir",
    "put_contents",
    "symlink",
    "copy",
    "Copy",
    "move",
    "save",
    "dump",
    "touch",
    "create",
    "link",
    "replace",
    "open(F",
    "open F",
    "'>",
    "\">",
    "spew",
];

/// Words of code that removes files.
const REMOVING: [&str; 8] = [
    "rmtree", "unlink", "remove", "rmSync", "rmdir", "rm_rf", "rm_r", "delete",
];

/// The files that strings in code look like, and what the code might do to them beside reading.
pub(crate) fn files(text: &str) -> Vec<(String, Option<Change>)> {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let change = if has(&REMOVING) {
        Some(Change::Remove)
    } else if has(&CHANGING) {
        Some(Change::Content)
    } else {
        None
    };
    let mut found: Vec<(String, Option<Change>)> = Vec::new();
    for string in strings(text).texts {
        let path = string.trim_start_matches(['<', '>', '+', ' ']);
        let plain = path.chars().all(|char| {
            char.is_alphanumeric() || matches!(char, '.' | '/' | '_' | '-' | '~' | '+' | '@')
        });
        let looks = path.contains(['.', '/']) || path == "~";
        if plain && looks && path.len() < 512 && !path.contains("//") {
            if path.starts_with("/.") {
                // `home + "/.ssh/id_rsa"`
                found.push((format!("~{path}"), change));
            }
            found.push((path.to_owned(), change));
        }
    }
    found.truncate(SCRIPTS_MAX);
    found
}

/// Whether a shell would take the text's first word for a program that rules are written for.
fn begins_with_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    let name = super::last_name(first);
    is_well_known(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expect: &[&str]) {
        let nowhere = Span { start: 0, end: 0 };
        let found = scripts(language, text, nowhere);
        for script in expect {
            assert!(found.iter().any(|it| it.is(script)), "{text}: {found:?}");
        }
        assert!(!expect.is_empty() || found.is_empty(), "{text}: {found:?}");
    }

    #[test]
    fn escapes_to_the_shell_are_found() {
        check(Language::Editor, "silent! !rm x", &["rm x"]);
        check(Language::Editor, "%!rm x", &["rm x"]);
        check(Language::Editor, "call system(\"rm x\")", &["rm x"]);
        check(Language::Editor, "wq", &[]);
        check(Language::Debugger, "shell rm x", &["rm x"]);
        check(Language::Debugger, "break main", &[]);
        check(Language::Sql, "select 1; \\! rm x", &["rm x"]);
        check(Language::Sql, "select a from b", &[]);
        check(Language::Make, "x:\n\t@rm x", &["rm x"]);
        check(Language::Make, "A = $(shell rm x)", &["rm x"]);
        check(Language::Macros, "%{x} %(rm x)", &["rm x"]);
        check(Language::Code, "exec qw(rm x)", &["rm x"]);
        check(Language::Expect, "spawn rm x", &["rm x"]);
    }

    #[test]
    fn strings_of_code_that_are_commands_are_found() {
        check(Language::Code, "os.system('rm -rf x')", &["rm -rf x"]);
        check(
            Language::Code,
            "run([\"rm\", \"-rf\", \"x\"])",
            &["rm '-rf' 'x'"],
        );
        check(Language::Code, "`rm x`", &["rm x"]);
        check(Language::Code, "exec %x{rm x}", &["rm x"]);
        check(Language::Code, "open(F,\"|rm x\")", &["rm x"]);
        check(Language::Code, "print('hello rm')", &[]);
    }
}
