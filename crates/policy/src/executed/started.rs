//! Programs that start another one by its name, where the analyser makes no run of that.

use super::{families, is_one_of};

/// Programs that start the program which their words name, as far as it is looked at in these tables: behind which word,
/// if any is needed.
const STARTERS: &[(&[&str], &[&str])] = &[
    (families::PYTHON, &["-m"]),
    (&["coverage"], &["-m"]),
    (&["npx", "bunx", "pnpx", "uvx"], &[]),
    (
        &["npm", "pnpm", "yarn", "bundle", "bun"],
        &["exec", "dlx", "x"],
    ),
    (
        &["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pipx"],
        &["run"],
    ),
];

/// So many programs start one another at most, as they are looked at: `uv run python -m coverage run -m pytest` are three.
const STARTED_MAX: usize = 4;

/// Whether more programs start one another than are looked at, so that nobody knows what the last one starts.
pub(super) fn starts_too_many(program: &str, words: &[Option<&str>]) -> bool {
    let started = started(program, words);
    let last = started.last();
    started.len() == STARTED_MAX
        && last.is_some_and(|(program, words)| starts(program, words).is_some())
}

/// A program and those that it starts by its words, each with the words behind it.
pub(super) fn started<'a, 'w>(
    program: &'a str,
    words: &'w [Option<&'a str>],
) -> Vec<(&'a str, &'w [Option<&'a str>])> {
    let mut started = vec![(program, words)];
    while started.len() < STARTED_MAX
        && let Some(&(program, words)) = started.last()
        && let Some(next) = starts(program, words)
    {
        started.push(next);
    }
    started
}

fn starts<'a, 'w>(
    program: &str,
    words: &'w [Option<&'a str>],
) -> Option<(&'a str, &'w [Option<&'a str>])> {
    let (_, verbs) = STARTERS
        .iter()
        .find(|(programs, _)| is_one_of(program, programs))?;
    let behind = match verbs.is_empty() {
        true => 0,
        false => {
            let is_verb = |word: &Option<&str>| word.is_some_and(|it| verbs.contains(&it));
            words.iter().position(is_verb)? + 1
        }
    };
    let is_name = |word: &Option<&str>| word.is_none_or(|word| !word.starts_with('-'));
    let at = behind + words.get(behind..)?.iter().position(is_name)?;
    let name = (*words.get(at)?)?;
    Some((name, words.get(at + 1..)?))
}
