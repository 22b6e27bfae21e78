//! Code of a line that no file named in it shows: what only the run itself knows, and what the line changes before it runs.

use std::collections::BTreeMap;

use pointsman_model::{AbsPath, AssignmentWeight, Effects, PathValue, Run, RunNature, Word};

use super::changed::changed;
use super::patterns::{PATTERNS_MAX, searched};
use super::runners::Given;
use super::started::{started, starts_too_many};
use super::variables::{LineVariables, pieces};
use super::{
    GIT, INTERPRETERS, OPTION_INTERPRETERS, Role, build, configured, is_one_of, runners, script,
};
use crate::Tree;

/// What of git starts what its options or words say.
const GIT_STARTS: &[&str] = &[
    "bisect",
    "difftool",
    "filter-branch",
    "mergetool",
    "rebase",
    "submodule",
];

/// Programs that start what an option says.
const STARTS_BY_OPTION: &[&str] = &[
    "ed", "ex", "find", "fd", "gdb", "man", "rsync", "scp", "sort", "split", "ssh", "tar", "vi",
    "view", "vim", "zip",
];

/// Where a repository begins, as lines spell it. What climbs to its file finds it from within, too.
const TOP_LEVEL: &str = "$(git rev-parse --show-toplevel)";

/// Options of git in front of what it is to do that are followed by a value.
const GIT_VALUES: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// Why nobody who looks at a line and at the files that it names sees all the code that it runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unseen {
    /// A program's code, or where it looks for it, is known only when it runs.
    #[error("what `{0}` would run is known only when it runs")]
    Unknown(Box<str>),
    /// A program's configuration, which may name what it runs, is taken from another place than usual.
    #[error("`{0}` is configured from another place, which may name what it runs")]
    Configured(Box<str>),
    /// There are more patterns that find what runs than are looked up.
    #[error("it may run more files than are looked at")]
    TooMany,
    /// Files that the line runs, or would if they were there, are changed by the line itself. At least one.
    #[error("the action changes what it would run")]
    Changed(Vec<AbsPath>),
}

/// Looks whether all the code that a call runs stands in the call and in `files`: those that it names and finds, as they
/// are now.
///
/// # Errors
/// When some does not, for the first of it. What those files start in turn is not looked at.
pub fn check_seen(
    folder: &AbsPath,
    effects: &Effects,
    files: &BTreeMap<AbsPath, Role>,
    tree: &dyn Tree,
) -> Result<(), Unseen> {
    let variables = LineVariables::of(effects);
    variables.are_told(effects).map_err(Unseen::Unknown)?;
    for run in effects.runs() {
        let seen = variables.seen_by(run);
        if is_unknown(&seen, folder, &variables) {
            return Err(Unseen::Unknown(run.text.as_str().into()));
        }
        if takes_words(run) && configured::is_elsewhere(folder, &seen, tree) {
            return Err(Unseen::Configured(run.text.as_str().into()));
        }
    }
    if searched(folder, effects).len() >= PATTERNS_MAX {
        return Err(Unseen::TooMany);
    }
    let changed = changed(folder, effects, files, tree);
    match changed.is_empty() {
        true => Ok(()),
        false => Err(Unseen::Changed(changed)),
    }
}

/// Whether what its words, and its configuration, make a run start is not known from its kind.
fn takes_words(run: &Run) -> bool {
    match run.nature {
        RunNature::InlineCode | RunNature::Program | RunNature::Wrapper => true,
        RunNature::KnownReader | RunNature::FileCommand | RunNature::PlainWrapper => false,
    }
}

/// Whether a run is given code, or a place where code lies, that only the run itself knows.
fn is_unknown(run: &Run, at: &AbsPath, variables: &LineVariables) -> bool {
    let Some(program) = run.program() else {
        return false;
    };
    let words = || run.argv.iter().skip(1);
    let literal: Vec<Option<&str>> = words().map(Word::literal).collect();
    let interprets = INTERPRETERS.iter().any(|it| is_one_of(program, it));
    let by_options = is_one_of(program, OPTION_INTERPRETERS);
    let takes_code = match run.nature {
        RunNature::InlineCode => true,
        RunNature::Program | RunNature::Wrapper => {
            interprets && !is_one_of(program, &["make", "gmake"]) || by_options
        }
        RunNature::KnownReader | RunNature::FileCommand | RunNature::PlainWrapper => false,
    };
    let code = script::code_words(program, &literal);
    if takes_code && literal.iter().take(code).any(Option::is_none) {
        return true;
    }
    if words()
        .take(code)
        .filter_map(Word::literal)
        .any(is_open_file)
        && (takes_code || interprets)
    {
        return true;
    }
    let behind = |word: &Word| variables.may_choose_options(word);
    if chooses_what_runs(program, &literal) && words().any(behind) {
        return true;
    }
    let named_by = |option: &'static str| {
        let joined = |word: &Word| word.literal().is_none() && word.source.starts_with(option);
        let next = words().zip(words().skip(1));
        let mut next = next
            .filter(|(word, _)| word.literal() == Some(option))
            .map(|(_, next)| next);
        next.any(|next| next.literal().is_none()) || words().any(joined)
    };
    if configured::is_from_environment(run) || starts_too_many(program, &literal) {
        return true;
    }
    let started = started(program, &literal);
    let mut naming = started
        .iter()
        .flat_map(|(program, words)| build::naming_options(program, words));
    if naming.any(named_by) {
        return true;
    }
    let mut given = started
        .iter()
        .flat_map(|(program, words)| runners::given(program, words));
    if takes_words(run) && given.any(|given| given == Given::Unknown) {
        return true;
    }
    let is_tool = started
        .iter()
        .any(|(program, words)| build::is_tool(program, words));
    let looks_around = interprets || program.contains('/') || is_tool;
    if looks_around && is_nowhere(&run.folder, is_tool.then_some(TOP_LEVEL)) {
        return true;
    }
    let folder = super::folder_of(at, run);
    let mut changing = run.assignments.iter();
    changing.any(|it| {
        it.weight == AssignmentWeight::ChangesWhatRuns
            && pieces(it).iter().any(|piece| piece.is_unknown(folder))
    })
}

/// Whether nobody knows which folder that is; one that is `spelled` so is known well enough.
fn is_nowhere(folder: &PathValue, spelled: Option<&str>) -> bool {
    match folder {
        PathValue::Known(_) => false,
        PathValue::Pattern { .. } => true,
        PathValue::Unknown(name) => spelled != Some(name.trim_matches('"')),
    }
}

/// Whether some word that nobody knows could make the program run something else: by an option, or as what it is to do.
fn chooses_what_runs(program: &str, words: &[Option<&str>]) -> bool {
    if is_one_of(program, GIT) {
        let verb = git_verb(words.iter().copied());
        return matches!(verb, Some(known) if known.is_none_or(|verb| GIT_STARTS.contains(&verb)));
    }
    let started = started(program, words).into_iter();
    let mut started = started.map(|(program, words)| build::is_tool(program, words));
    started.any(|is_tool| is_tool)
        || is_one_of(program, OPTION_INTERPRETERS)
        || is_one_of(program, STARTS_BY_OPTION)
        || INTERPRETERS.iter().any(|it| is_one_of(program, it))
}

/// Whether a path leads to what the process has open or stands in, which is another thing for each process.
fn is_open_file(word: &str) -> bool {
    const PLACES: &[&str] = &["/dev/stdin", "/dev/fd/", "/proc/self", "/proc/thread-self"];
    PLACES.iter().any(|place| word.contains(place))
}

/// What git is to do; within, nothing where that is not known.
pub(super) fn git_verb<'a>(
    mut words: impl Iterator<Item = Option<&'a str>>,
) -> Option<Option<&'a str>> {
    loop {
        match words.next()? {
            Some(option) if GIT_VALUES.contains(&option) => {
                words.next();
            }
            Some(option) if option.starts_with('-') => {}
            word => return Some(word),
        }
    }
}
