//! Which files a command line would execute, as far as its words tell: what an answer, a classifier and a project's trust
//! have to look at beside the line itself. The files need not exist.

mod build;
mod builders;
mod changed;
mod configured;
mod families;
mod given;
mod modules;
mod patterns;
mod runners;
mod script;
mod sources;
mod started;
mod tools;
mod unseen;
mod variables;

use std::collections::BTreeMap;

use pointsman_model::{AbsPath, EffectKind, Effects, PathValue, Run, RunNature, Word, WordValue};

pub(crate) use self::build::build_files_named;
use self::given::{found_by_tool, given_to_interpreter, given_to_runner, told_by_variables};
pub use self::patterns::{Becomes, PATTERNS_MAX as SEARCHED_MAX, Searched, may_match, searched};
pub use self::script::{says_it_is_code, script_of};
use self::started::started;
pub(crate) use self::tools::Says;
pub use self::unseen::{Unseen, check_seen};
pub(crate) use self::variables::LineVariables;
use self::variables::{Piece, pieces};

/// Programs that run the file their first plain argument names.
const INTERPRETERS: &[&[&str]] = &[
    families::SHELLS,
    families::OTHER_SHELLS,
    families::PYTHON,
    families::NODE,
    families::PERL,
    families::RUBY,
    families::LUA,
    families::PLAIN,
    &["source", ".", "deno", "make", "gmake"],
];

/// Programs that run the file an option names; their plain words are data.
const OPTION_INTERPRETERS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq"];

const GIT: &[&str] = &["git"];

/// Variables whose files are run or loaded by whatever starts.
const STARTED_FIRST: &[&str] = &["BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"];

/// So many files of one run are looked at: more than the words of the longest line name, and few enough to be looked at
/// while somebody waits.
const FILES_MAX: usize = 1 << 15;

/// So many files of a whole line.
const LINE_FILES_MAX: usize = 1 << 17;

/// So many of these at most are looked for under a name that is no path, in each of several places.
const LOOKED_FOR_MAX: usize = 4096;

/// A file that a run executes, or may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// Where it would lie.
    pub path: AbsPath,
    /// What it is to the run.
    pub role: Role,
    /// How the line names it.
    pub spelling: Spelling,
}

/// What a file is to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It stands among the arguments of a script, which may do anything with it, or goes into a script that is made when
    /// the line runs.
    Argument,
    /// It is the program, which the system starts.
    Program,
    /// It is read as code.
    Code,
}

/// How a line names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spelling {
    /// By what it is looked up by, in one place of several: a module, a program in a folder of `PATH`.
    LookedUp,
    /// By its path.
    Path,
}

/// A run names more files than are looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it may run more files than are looked at")]
pub struct TooManyFiles {
    /// Those that were counted.
    pub counted: Vec<Executed>,
}

/// The files that a call would execute as far as its line tells, some of them several times; some may not exist. Beside
/// what each run names ([`executed_by`]): what interpreters are fed, where that which is named comes from if the line
/// itself puts it there, and where it makes a script of what it reads, all that it reads.
///
/// # Errors
/// When there are too many to look at.
pub fn executed(folder: &AbsPath, effects: &Effects) -> Result<Vec<Executed>, TooManyFiles> {
    let variables = LineVariables::of(effects);
    let mut files = Vec::new();
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            files.extend(executed_by(folder, &variables.seen_by(run))?);
        }
        // All that a line may run is held at once.
        if files.len() > LINE_FILES_MAX {
            return Err(TooManyFiles { counted: files });
        }
    }
    files.extend(fed(effects));
    sources::add_origins(&mut files, &effects.code.copied)?;
    files.extend(sources::made_of(effects));
    files.extend(sources::redirected_to_runner(effects));
    files.extend(sources::read_by_makers(&files, effects));
    Ok(files)
}

/// The files that interpreters are fed whole.
pub(crate) fn fed(effects: &Effects) -> Vec<Executed> {
    let fed = effects.code.fed.iter().cloned();
    fed.map(|path| named(path, Role::Code)).collect()
}

/// A path of a line that goes up from a name: where the name is a link, the system goes up from where that leads, which
/// nobody knows without a look at the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Climbing {
    /// As it is spelled, absolute; of a pattern, the folder in front of its wildcards.
    pub spelled: String,
    /// Whether it is given to a program of which nobody knows what it does with it.
    pub is_handed: bool,
}

/// Such paths among the words and variables of a line.
#[must_use]
pub fn climbing(folder: &AbsPath, effects: &Effects) -> Vec<Climbing> {
    let variables = LineVariables::of(effects);
    let mut climbing = Vec::new();
    for effect in &effects.list {
        let EffectKind::Run(run) = &effect.kind else {
            continue;
        };
        let run = variables.seen_by(run);
        let folder = folder_of(folder, &run);
        let program = run.program();
        let words = program
            .into_iter()
            .chain(arguments(&run).flat_map(names_in));
        let words = words.map(str::to_owned);
        let places = assigned(&run).into_iter();
        let places = places.flat_map(|(_, piece)| {
            let started = format!("{piece}/{}", program.unwrap_or_default());
            [piece, started]
        });
        let globs = run.argv.iter().filter_map(|word| match &word.value {
            WordValue::Glob(glob) => patterns::in_front(glob).map(str::to_owned),
            WordValue::Literal(_) | WordValue::Unknown => None,
        });
        let names = words.chain(places).chain(globs);
        let names = names.filter(|name| name.split('/').any(|part| part == ".."));
        climbing.extend(names.map(|name| Climbing {
            spelled: match name.starts_with('/') {
                true => name,
                false => format!("{folder}/{name}"),
            },
            is_handed: hands_on(&run),
        }));
    }
    climbing
}

/// Whether nobody knows what a run does with what its words name. What the others do stands beside them.
fn hands_on(run: &Run) -> bool {
    match run.nature {
        RunNature::Program | RunNature::InlineCode | RunNature::Wrapper => true,
        RunNature::KnownReader | RunNature::FileCommand | RunNature::PlainWrapper => false,
    }
}

/// These files, and those that they are copies of or names for by the line's own doing, as far as they are looked at.
pub(crate) fn with_origins(mut files: Vec<Executed>, effects: &Effects) -> Vec<Executed> {
    match sources::add_origins(&mut files, &effects.code.copied) {
        Ok(()) => files,
        Err(many) => many.counted,
    }
}

/// Files, each with the gravest of its roles. For those who judge what stands in them.
#[must_use]
pub fn by_gravest_role(files: Vec<Executed>) -> BTreeMap<AbsPath, Role> {
    let mut gravest = BTreeMap::new();
    for Executed { path, role, .. } in files {
        let known = gravest.entry(path).or_insert(role);
        *known = role.max(*known);
    }
    gravest
}

/// The files that a run executes as far as its words tell: the program when it is named by a path or found in a folder
/// that the line puts into `PATH`, the script of an interpreter, the code that it loads by name, what its variables name,
/// what it looks for where it works; some may not exist. `folder` stands for the one it runs in where that is not known.
///
/// # Errors
/// When there are too many to look at.
pub fn executed_by(folder: &AbsPath, run: &Run) -> Result<Vec<Executed>, TooManyFiles> {
    let mut files = named_by(folder, run)?;
    files.extend(looked_up_by(folder, run).into_iter().map(|(file, _)| file));
    at_most(FILES_MAX, files)
}

/// All of these files, when they are not too many.
fn at_most(max: usize, mut files: Vec<Executed>) -> Result<Vec<Executed>, TooManyFiles> {
    if files.len() > max {
        files.truncate(max);
        return Err(TooManyFiles { counted: files });
    }
    Ok(files)
}

/// The files that a run, or a program that it starts, looks for by itself where it works, each with what it says.
pub(crate) fn looked_up_by(folder: &AbsPath, run: &Run) -> Vec<(Executed, Says)> {
    let folder = folder_of(folder, run);
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    started(run.program().unwrap_or_default(), &words)
        .into_iter()
        .flat_map(|(program, words)| found_by_tool(program, folder, words))
        .collect()
}

/// The files of a run but for those that it [looks for by itself](looked_up_by).
///
/// # Errors
/// When there are too many to look at.
pub(crate) fn named_by(folder: &AbsPath, run: &Run) -> Result<Vec<Executed>, TooManyFiles> {
    let folder = folder_of(folder, run);
    let Some(program) = run.program() else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    if program.contains('/') {
        files.push(named(folder.join(program), Role::Program));
    }
    let assigned = assigned(run);
    for (name, piece) in &assigned {
        match *name {
            "PATH" => files.push(Executed {
                path: folder.join(piece).join(program),
                role: Role::Program,
                spelling: Spelling::LookedUp,
            }),
            name if STARTED_FIRST.contains(&name) && !piece.is_empty() => {
                files.push(named(folder.join(piece), Role::Code));
            }
            _ => {}
        }
    }
    files.extend(told_by_variables(folder, run));
    let configured = configured::files(folder, run).into_iter();
    files.extend(configured.map(|path| Executed {
        path,
        role: Role::Code,
        spelling: Spelling::LookedUp,
    }));
    let is_one_of = |programs: &[&str]| is_one_of(program, programs);
    let words: Vec<&str> = arguments(run).collect();
    if INTERPRETERS.iter().any(|family| is_one_of(family)) {
        files.extend(given_to_interpreter(program, folder, run, &assigned));
    }
    let code = |path| named(path, Role::Code);
    if is_one_of(OPTION_INTERPRETERS) {
        files.extend(behind_options(program, &words).map(|name| code(folder.join(name))));
    }
    let places = assigned.iter().map(|(name, piece)| (*name, &**piece));
    let loaded = modules::loaded_by(program, folder, &words, places);
    let loaded: Vec<AbsPath> = loaded.take(LOOKED_FOR_MAX).collect();
    let too_many = loaded.len() == LOOKED_FOR_MAX;
    files.extend(loaded.into_iter().map(|path| Executed {
        path,
        role: Role::Code,
        spelling: Spelling::LookedUp,
    }));
    files.extend(build_files_named(folder, run).into_iter().map(code));
    let all: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    for (program, words) in started(program, &all) {
        files.extend(given_to_runner(program, folder, words));
    }
    at_most(FILES_MAX, files).and_then(|files| match too_many {
        true => Err(TooManyFiles { counted: files }),
        false => Ok(files),
    })
}

fn named(path: AbsPath, role: Role) -> Executed {
    Executed {
        path,
        role,
        spelling: Spelling::Path,
    }
}

/// Whether a program is one of these, by whatever path and in whatever version (`python3.12`).
fn is_one_of(program: &str, programs: &[&str]) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let base = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    programs.contains(&name) || programs.contains(&base)
}

/// The paths that the words and variables of a run may name where nobody knows what the program does with them: it may
/// well run them. Most name nothing.
#[must_use]
pub fn handed_to(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let assigned = assigned(run).into_iter();
    let assigned = assigned.filter(|(_, piece)| !piece.is_empty());
    let mut paths: Vec<AbsPath> = assigned.map(|(_, piece)| folder.join(&piece)).collect();
    if hands_on(run) {
        let named = arguments(run).flat_map(names_in);
        paths.extend(named.map(|name| folder.join(name)));
    }
    paths
}

/// The variables that are set for a run, once for each part of a list that is known.
fn assigned(run: &Run) -> Vec<(&str, String)> {
    let each = run.assignments.iter().flat_map(|assignment| {
        let pieces = pieces(assignment).into_iter();
        pieces.filter_map(|piece| match piece {
            Piece::Known(text) => Some((&*assignment.name, text)),
            Piece::Before | Piece::AtHome(_) | Piece::Unknown => None,
        })
    });
    each.collect()
}

fn folder_of<'a>(folder: &'a AbsPath, run: &'a Run) -> &'a AbsPath {
    match &run.folder {
        PathValue::Known(folder) => folder,
        PathValue::Pattern { .. } | PathValue::Unknown(_) => folder,
    }
}

fn arguments(run: &Run) -> impl Iterator<Item = &str> {
    run.argv.iter().skip(1).filter_map(|word| word.literal())
}

/// What a word may name: itself, what stands behind its `=`, and what an option of one letter has joined to it.
fn names_in(word: &str) -> impl Iterator<Item = &str> {
    let plain = (!word.starts_with('-')).then_some(word);
    let value = word.split_once('=').map(|(_, value)| value);
    [plain, value, joined(word)]
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
}

/// The value in `-fvalue`.
fn joined(word: &str) -> Option<&str> {
    let mut letters = word.strip_prefix('-')?.chars();
    letters.next().filter(|letter| *letter != '-')?;
    Some(letters.as_str())
}

/// What options are given: the word behind each, what stands behind a `=`, and what is joined to a letter; behind an `f`
/// also in a bundle (`sed -nfscript`).
fn behind_options<'a>(program: &str, words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let is_option = |word: &&str| word.starts_with('-');
    // What stands behind `sed -i` is its program.
    let by_f_alone = !program.ends_with("awk");
    let next = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(move |(option, _)| is_option(option) && (!by_f_alone || option.contains('f')))
        .map(|(_, next)| *next);
    let inside = words.iter().copied().filter(move |word| is_option(word));
    let inside = inside.flat_map(|word| {
        let bundled = joined(word).and_then(|letters| letters.split_once('f'));
        names_in(word).chain(bundled.map(|(_, value)| value))
    });
    let named: Vec<&str> = next.chain(inside).filter(|name| !name.is_empty()).collect();
    named.into_iter()
}

/// Whether a piece of a value stands for itself, so that it can be a path.
fn is_plain(piece: &str) -> bool {
    !piece.is_empty() && !piece.contains(['$', '`', '\'', '"', '\\', '*', '?', '['])
}

#[cfg(test)]
mod tests;
