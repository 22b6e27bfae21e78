//! Code of a line that no file named in it shows: what only the run itself knows, and what the line changes before it runs.

use pointsman_model::{
    AbsPath, AssignmentWeight, Copied, Effect, Effects, PathRole, PathUse, PathValue, Run,
    RunNature, Word,
};

use super::variables::{LineVariables, pieces};
use super::{
    INTERPRETERS, OPTION_INTERPRETERS, Role, TooManyFiles, build, by_gravest_role, executed,
    is_one_of, script,
};
use crate::rule::{Names, covers};

/// What of git puts other files in the place of those that are there, beside what the analyser tells of writes.
const GIT_BRINGS: &[&str] = &[
    "am",
    "bisect",
    "cherry-pick",
    "lfs",
    "merge",
    "pull",
    "read-tree",
    "rebase",
    "revert",
    "subtree",
    "worktree",
];

/// Other programs that do so, by what they are told to do.
const OTHERS_BRING: &[(&str, &[&str])] = &[
    ("gh", &["checkout", "clone", "download"]),
    ("hg", &["pull", "update", "up", "checkout", "import"]),
    ("jj", &["edit", "new", "rebase", "restore", "git"]),
    ("svn", &["update", "up", "switch", "checkout", "co"]),
];

const GIT: &[&str] = &["git"];

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

/// Programs that put what is there in another place; where it comes from is looked at, too.
const COPIERS: &[&str] = &["cp", "mv", "ln", "install", "dd", "rsync", "git"];

/// Programs that change how code is laid out, and mend what a linter finds in it.
const FORMATTERS: &[&str] = &[
    "biome",
    "black",
    "cargo",
    "clang-format",
    "dprint",
    "eslint",
    "go",
    "gofmt",
    "gofumpt",
    "goimports",
    "isort",
    "prettier",
    "prettierd",
    "ruff",
    "rustfmt",
    "shfmt",
    "stylelint",
];

/// Options of git in front of what it is to do that are followed by a value.
const GIT_VALUES: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// Why nobody who looks at a line and at the files that it names sees all the code that it runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unseen {
    /// A program's code, or where it looks for it, is known only when it runs.
    #[error("what `{0}` would run is known only when it runs")]
    Unknown(Box<str>),
    /// Files that the line runs, or would if they were there, are changed by the line itself. At least one.
    #[error("the action changes what it would run")]
    Changed(Vec<AbsPath>),
    /// It may run more files than are looked at.
    #[error(transparent)]
    TooMany(#[from] TooManyFiles),
}

/// Looks whether all the code that a call runs stands in the call and in the files that it names, as they are now.
///
/// # Errors
/// When some does not, for the first of it. What those files start in turn is not looked at.
pub fn check_seen(folder: &AbsPath, effects: &Effects) -> Result<(), Unseen> {
    let variables = LineVariables::of(effects);
    variables.are_told(effects).map_err(Unseen::Unknown)?;
    let mut runs = effects.runs();
    if let Some(run) = runs.find(|run| is_unknown(&variables.seen_by(run), folder, &variables)) {
        return Err(Unseen::Unknown(run.text.as_str().into()));
    }
    let changes: Vec<Changed<'_>> = changes(effects).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let files = by_gravest_role(executed(folder, effects)?);
    let code = files.into_iter().filter(|(path, role)| match role {
        Role::Program | Role::Code => true,
        Role::Argument => script::is_named_as_script(path.as_str()),
    });
    let changed = code.filter(|(path, role)| {
        let covers = |change: &Changed<'_>| change.covers(path, *role, effects);
        changes.iter().any(covers)
    });
    let changed: Vec<AbsPath> = changed.map(|(path, _)| path).collect();
    match changed.is_empty() {
        true => Ok(()),
        false => Err(Unseen::Changed(changed)),
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
    if build::naming_options(program).any(named_by) {
        return true;
    }
    let looks_around = interprets || program.contains('/') || build::is_tool(program);
    let nowhere = match &run.folder {
        PathValue::Known(_) => false,
        PathValue::Pattern { .. } => true,
        PathValue::Unknown(spelled) => {
            spelled.trim_matches('"') != TOP_LEVEL || !build::is_tool(program)
        }
    };
    let folder = super::folder_of(at, run);
    let mut changing = run.assignments.iter();
    looks_around && nowhere
        || changing.any(|it| {
            it.weight == AssignmentWeight::ChangesWhatRuns
                && pieces(it).iter().any(|piece| piece.is_unknown(folder))
        })
}

/// Whether some word that nobody knows could make the program run something else: by an option, or as what it is to do.
fn chooses_what_runs(program: &str, words: &[Option<&str>]) -> bool {
    if is_one_of(program, GIT) {
        let verb = git_verb(words.iter().copied());
        return matches!(verb, Some(known) if known.is_none_or(|verb| GIT_STARTS.contains(&verb)));
    }
    build::is_tool(program)
        || is_one_of(program, OPTION_INTERPRETERS)
        || is_one_of(program, STARTS_BY_OPTION)
        || INTERPRETERS.iter().any(|it| is_one_of(program, it))
}

/// Whether a path leads to what the process has open or stands in, which is another thing for each process.
fn is_open_file(word: &str) -> bool {
    const PLACES: &[&str] = &["/dev/stdin", "/dev/fd/", "/proc/self", "/proc/thread-self"];
    PLACES.iter().any(|place| word.contains(place))
}

/// What a line changes.
enum Changed<'a> {
    /// What lies where a command writes.
    At(&'a PathUse, Vec<&'a Run>),
    /// Files of a repository, nobody knows which.
    Anything,
}

/// All that a line changes, but for what formatters do.
fn changes(effects: &Effects) -> impl Iterator<Item = Changed<'_>> {
    effects.list.iter().filter_map(|effect| {
        if let Some(target) = effect.as_written() {
            let runs = runs_of(effect.part, effects);
            let formats = target.by == PathRole::Operand && are(&runs, FORMATTERS);
            return (!formats).then_some(Changed::At(target, runs));
        }
        let brings = effect.as_run().is_some_and(brings_files);
        brings.then_some(Changed::Anything)
    })
}

/// What a simple command of a line runs.
fn runs_of(part: u32, effects: &Effects) -> Vec<&Run> {
    let of_part = effects.list.iter().filter(|effect| effect.part == part);
    let runs = of_part.filter_map(Effect::as_run);
    runs.filter(|run| run.nature != RunNature::PlainWrapper)
        .collect()
}

/// Whether there are runs, and all of these programs.
fn are(runs: &[&Run], programs: &[&str]) -> bool {
    let is = |run: &&Run| run.program().is_some_and(|it| is_one_of(it, programs));
    !runs.is_empty() && runs.iter().all(is)
}

impl Changed<'_> {
    /// Whether what lies there may be another thing when it is run. What the line puts there from a place that is looked
    /// at, too, is not.
    fn covers(&self, path: &AbsPath, role: Role, effects: &Effects) -> bool {
        let Self::At(target, runs) = self else {
            return true;
        };
        let (place, hit) = match &target.path {
            PathValue::Known(at) => (at, path == at),
            PathValue::Pattern { base, glob } => {
                let below = path.below(base);
                (
                    base,
                    below.is_some_and(|rest| covers(glob, rest, Names::Anything)),
                )
            }
            // A place that nobody knows may be any that surely runs; most words that code may name are none.
            PathValue::Unknown(_) => {
                return role == Role::Program
                    || script::is_named_as_script(path.as_str())
                    || build::is_usual_file(path);
            }
        };
        let copied = |copy: &Copied| place.is_within(&copy.to);
        let is_copy = target.by == PathRole::Operand
            && are(runs, COPIERS)
            && effects.code.copied.iter().any(copied);
        hit && !is_copy
    }
}

fn brings_files(run: &Run) -> bool {
    let Some(program) = run.program() else {
        return false;
    };
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let has = |wanted: &[&str]| words.iter().flatten().any(|word| wanted.contains(word));
    if let Some((_, verbs)) = OTHERS_BRING
        .iter()
        .find(|(of, _)| is_one_of(program, &[*of]))
    {
        return has(verbs);
    }
    if !is_one_of(program, GIT) {
        return false;
    }
    let plain = words
        .iter()
        .filter(|word| word.is_none_or(|word| !word.starts_with('-')))
        .count();
    match git_verb(words.iter().copied()) {
        None => false,
        // One that nobody knows may be any.
        Some(None) => true,
        // A new branch at the present place changes no file.
        Some(Some("checkout" | "switch")) => !(has(&["-b", "-B", "-c", "-C"]) && plain <= 2),
        Some(Some("reset")) => has(&["--hard", "--merge", "--keep"]) || words.contains(&None),
        Some(Some("restore")) => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        Some(Some("submodule")) => !has(&["status", "summary"]),
        Some(Some(verb)) => GIT_BRINGS.contains(&verb),
    }
}

/// What git is to do; within, nothing where that is not known.
fn git_verb<'a>(mut words: impl Iterator<Item = Option<&'a str>>) -> Option<Option<&'a str>> {
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
