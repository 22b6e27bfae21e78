//! Texts in other languages that can start commands: what they would hand to a shell.
//!
//! Such a text is not parsed as its program does. Where the language has an escape to the shell, what
//! stands behind it is taken; in code, each string that begins with the name of a well-known program.
//! All of it is a possibility, for rules that deny and ask: what such a text does besides is covered
//! by a rule for the program that reads it.

use pointsman_model::Change;

use super::special::is_well_known;

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

/// What the text would hand to a shell.
pub(crate) fn scripts(language: Language, text: &str) -> Vec<String> {
    let mut found: Vec<String> = match language {
        Language::Editor => editor(text),
        Language::Debugger => behind(text, &["platform shell ", "shell ", "!", "make "]),
        Language::Escapes => behind(text, &["!", "local "]),
        Language::Sql => behind(
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
        ),
        Language::Expect => behind(text, &["spawn ", "exec ", "system "]),
        Language::Make => make(text),
        Language::Macros => macros(text),
        Language::Code => handed(text),
    };
    found.extend(
        strings(text)
            .into_iter()
            // Perl opens what has a bar in front as a pipe.
            .map(|string| string.trim_start_matches(['|', ' ']).to_owned())
            .filter(|string| begins_with_program(string)),
    );
    if language == Language::Expect || language == Language::Code {
        found.extend(lists(text));
    }
    found.truncate(SCRIPTS_MAX);
    found
}

/// `!command` anywhere in an editor's command, and what a terminal in it is to run.
fn editor(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices('!') {
            let rest = line.get(at + 1..).unwrap_or("").trim();
            if !rest.is_empty() {
                found.push(rest.to_owned());
            }
        }
        for word in ["terminal ", "term "] {
            if let Some((_, rest)) = line.split_once(word) {
                found.push(rest.trim().to_owned());
            }
        }
    }
    found
}

/// What stands behind one of these at the beginning of a line or of a command in it.
fn behind(text: &str, escapes: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.split(['\n', ';', '{', '}']) {
        let line = line.trim_start();
        if let Some(rest) = escapes.iter().find_map(|it| line.strip_prefix(it)) {
            found.push(rest.trim().to_owned());
        }
    }
    found
}

/// What stands between `%(` and its end.
fn macros(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("%(") {
        let rest = text.get(at + 2..).unwrap_or("");
        let end = rest.rfind(')').unwrap_or(rest.len());
        found.push(rest.get(..end).unwrap_or("").to_owned());
    }
    found
}

/// The recipes of a makefile, and what its functions run.
fn make(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let recipe = match line.strip_prefix('\t') {
            Some(recipe) => Some(recipe),
            None => line.split_once(';').map(|(_, recipe)| recipe),
        };
        if let Some(recipe) = recipe {
            let recipe = recipe.trim_start_matches(['@', '-', '+', ' ', '\t']);
            found.push(recipe.replace("$$", "$"));
        }
    }
    for opening in ["$(shell ", "${shell "] {
        for (at, _) in text.match_indices(opening) {
            let rest = text.get(at + opening.len()..).unwrap_or("");
            let end = rest.rfind([')', '}']).unwrap_or(rest.len());
            found.push(rest.get(..end).unwrap_or("").to_owned());
        }
    }
    if let Some((_, command)) = text.split_once("!=") {
        found.push(command.trim().to_owned());
    }
    found
}

/// The strings of a text, escapes as they are: between quotes and backticks, and of `%x{}` and kin.
pub(crate) fn strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
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
                    Some(start) => found.extend(text.get(start..at).map(str::to_owned)),
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
        for (at, _) in text.match_indices(opening) {
            let rest = text.get(at + opening.len()..).unwrap_or("");
            if let Some((inside, _)) = rest.split_once(closing) {
                found.push(inside.to_owned());
            }
        }
    }
    found
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

/// The first string behind such a function, whatever it begins with.
fn handed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for function in HANDING {
        for (at, _) in text.match_indices(function) {
            let rest = text.get(at + function.len()..).unwrap_or("");
            let rest = rest.trim_start_matches(['(', ' ', '[', 'f', 'r', 'b']);
            let words = ["qw(", "qq(", "q(", "qw{", "q{"];
            let inside = match rest.chars().next() {
                Some(quote @ ('"' | '\'' | '`')) => {
                    let mut escaped = false;
                    let ends = |char: char| {
                        let end = char == quote && !escaped;
                        escaped = char == '\\' && !escaped;
                        end
                    };
                    rest.get(1..).and_then(|rest| rest.split(ends).next())
                }
                _ => words.iter().find_map(|word| {
                    let rest = rest.strip_prefix(word)?;
                    rest.split([')', '}']).next()
                }),
            };
            found.extend(inside.map(str::to_owned));
        }
    }
    found
}

/// `["rm", "-rf", "x"]` and `"rm", "-rf"`: neighbouring strings as one command.
fn lists(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '\''] {
        let pieces: Vec<&str> = text.split(quote).collect();
        let mut at = 1;
        while let Some(first) = pieces.get(at) {
            if begins_with_program(first) && !first.contains(char::is_whitespace) {
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
                if command.len() > 1 {
                    found.push(command.join(" "));
                }
            }
            at += 2;
        }
    }
    found
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
    for string in strings(text) {
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
        let found = scripts(language, text);
        for script in expect {
            assert!(found.iter().any(|it| it == script), "{text}: {found:?}");
        }
        if expect.is_empty() {
            assert_eq!(found, Vec::<String>::new(), "{text}");
        }
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
