//! Programs that run a file which a word, an option or a command in a word names, beside the interpreters that have tables
//! of their own.

mod table;

use self::table::{Input, Plain, RUNNERS, Runner};
use super::is_one_of;

/// What a word of a program, or a part of one, is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given<'a> {
    /// A file that it runs.
    File(&'a str),
    /// A command that may name such a file.
    Text(&'a str),
    /// What a script is given.
    Argument(&'a str),
    /// One of the first two that nobody knows.
    Unknown,
}

/// What a program is given to run, of its words.
pub(super) fn given<'a>(program: &str, words: &[Option<&'a str>]) -> Vec<Given<'a>> {
    let runners = runners(program, words);
    let given = runners.flat_map(|(runner, behind)| {
        let words = words.get(behind..).unwrap_or_default();
        runner.given(words)
    });
    given.collect()
}

/// What it runs of a folder that one of its words names, each as a pattern in that folder.
pub(super) fn inside<'a>(program: &str, words: &[Option<&'a str>]) -> Vec<(&'a str, &'static str)> {
    let mut inside = Vec::new();
    for (runner, behind) in runners(program, words) {
        let words = words.get(behind..).unwrap_or_default();
        let files = runner.given(words).into_iter();
        let files = files.filter_map(|given| match given {
            Given::File(name) => Some(name),
            Given::Text(_) | Given::Argument(_) | Given::Unknown => None,
        });
        let patterns = |name| runner.inside.iter().map(move |glob| (name, *glob));
        inside.extend(files.flat_map(patterns));
    }
    inside
}

/// Whether a program runs what it reads from its standard input.
pub(super) fn reads_code(program: &str, words: &[Option<&str>]) -> bool {
    let mut runners = runners(program, words);
    runners.any(|(runner, behind)| {
        let words = words.get(behind..).unwrap_or_default();
        let mut given = runner.given(words).into_iter();
        let is_told = |given| match given {
            Given::File("-") | Given::Argument(_) => false,
            Given::File(_) | Given::Text(_) | Given::Unknown => true,
        };
        runner.input == Input::IsCode && !given.any(is_told)
    })
}

/// The runners that a program is when it is told this, with how many of its words say so.
fn runners<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
) -> impl Iterator<Item = (&'static Runner, usize)> + 'w {
    let known = RUNNERS
        .iter()
        .filter(move |runner| is_one_of(program, runner.programs));
    known.filter_map(move |runner| {
        if runner.verbs.is_empty() {
            return Some((runner, 0));
        }
        let is_verb = |word: &Option<&str>| word.is_some_and(|it| runner.verbs.contains(&it));
        let at = words.iter().position(is_verb)?;
        Some((runner, at + 1))
    })
}

impl Runner {
    fn given<'a>(&self, words: &[Option<&'a str>]) -> Vec<Given<'a>> {
        let mut given = Vec::new();
        let mut has_script = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let Some(word) = *word else {
                if self.plain == Plain::Script && !has_script {
                    given.push(Given::Unknown);
                }
                continue;
            };
            // Behind its script, all is for that.
            if word.starts_with(['-', '+']) && word.len() > 1 && !has_script {
                // What stands behind a module is for that.
                has_script = word == "-m" && self.plain == Plain::Script;
                let next = words.get(at).copied();
                let (what, takes_next) = self.behind(word, next);
                given.extend(what);
                at += usize::from(takes_next);
                continue;
            }
            match self.plain {
                Plain::Data => {}
                // Else it is what it works on.
                Plain::Command if word.contains(' ') => given.push(Given::Text(word)),
                Plain::Command => {}
                Plain::Tests => given.push(Given::File(file_of(word))),
                Plain::Script if has_script => given.push(Given::Argument(word)),
                Plain::Script => {
                    // A word without an ending may be the value of an option.
                    has_script = word.contains(['.', '/']);
                    given.push(Given::File(word));
                }
            }
        }
        given
    }

    /// What an option is given, and whether that is the next word.
    fn behind<'a>(
        &self,
        word: &'a str,
        next: Option<Option<&'a str>>,
    ) -> (Option<Given<'a>>, bool) {
        // `vim +'source f'`
        if let Some(command) = word.strip_prefix('+') {
            return (Some(Given::Text(command)), false);
        }
        if let Some(value) = value_of(self.options, word, next) {
            let given = value.name.map_or(Given::Unknown, Given::File);
            return (Some(given), value.is_next);
        }
        let Some(value) = value_of(self.texts, word, next) else {
            return (None, false);
        };
        let given = match (value.name, self.input) {
            (Some(text), _) => Some(Given::Text(text)),
            // What stands for a value in a query is no command.
            (None, Input::IsCode) => None,
            (None, Input::IsData) => Some(Given::Unknown),
        };
        (given, value.is_next)
    }
}

/// The value of an option.
struct Value<'a> {
    /// As far as it is known.
    name: Option<&'a str>,
    /// Whether it is the next word.
    is_next: bool,
}

/// What one of the options is given by a word, or the one behind it.
fn value_of<'a>(
    options: &[&str],
    word: &'a str,
    next: Option<Option<&'a str>>,
) -> Option<Value<'a>> {
    options.iter().find_map(|option| {
        let value = word.strip_prefix(option)?;
        if value.is_empty() {
            let name = next?;
            return Some(Value {
                name,
                is_next: true,
            });
        }
        let is_letter = option.len() == 2;
        let behind = value.strip_prefix('=');
        let name = behind.or(is_letter.then_some(value))?;
        Some(Value {
            name: Some(name),
            is_next: false,
        })
    })
}

/// Of `tests/x.py::name` the file.
fn file_of(word: &str) -> &str {
    word.split("::").next().unwrap_or(word)
}
