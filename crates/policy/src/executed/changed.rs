//! What a line changes before it runs it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use pointsman_model::{
    AbsPath, Copied, Effect, EffectView, Effects, PathRole, PathUse, PathValue, Run, RunNature,
    Word,
};

use super::builders::{builds, may_be_built};
use super::given::named_in_code;
use super::patterns::{Becomes, Searched, searched};
use super::started::started;
use super::unseen::git_verb;
use super::variables::LineVariables;
use super::{GIT, Role, Spelling, build, executed_by, folder_of, is_one_of, script};
use crate::place::COPY;
use crate::rule::{Names, covers, glob_with_gaps};
use crate::subject::{KnownPath, walked};
use crate::wild::{can_meet, plain_bytes};
use crate::{EntryKind, Tree};

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

/// Programs that put what is there in another place beside those that [copy](COPY) it below a target; where it comes from is
/// looked at, too.
const COPIERS: &[&str] = &["ln", "dd", "git"];

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

/// Programs that start what their words say, several times.
const REPEATERS: &[&str] = &[
    "entr",
    "fd",
    "find",
    "parallel",
    "repeat",
    "watch",
    "watchexec",
    "xargs",
];

/// Of the files that a call runs, those that it changes itself, under whatever name; and the folder of a pattern whose
/// files it runs and may add to.
pub(super) fn changed(
    folder: &AbsPath,
    effects: &Effects,
    files: &BTreeMap<AbsPath, Role>,
    tree: &dyn Tree,
) -> Vec<AbsPath> {
    let changes = changes(effects, tree);
    if changes.is_empty() {
        return Vec::new();
    }
    let code = files.iter().filter(|(path, role)| match role {
        Role::Program | Role::Code => true,
        Role::Argument => script::is_named_as_script(path.as_str()),
    });
    let by_run = LazyCell::new(|| files_by_run(folder, effects));
    let mut looks = Looks::at_disk(tree);
    let changed = code.filter(|(path, role)| {
        let file = looks.at(path);
        let covers = |change: &&Change<'_>| match change.what {
            Changed::Built => is_named(path, &by_run) && may_be_built(folder, &file, **role, tree),
            Changed::At(_) | Changed::Matching(..) | Changed::Somewhere | Changed::Anything => {
                change.covers(&file, **role)
            }
        };
        let mut covering = changes.iter().filter(covers);
        covering.any(|change| !change.is_of_its_own_script(path, &by_run, effects))
    });
    let patterns = searched(folder, effects).into_iter();
    let patterns = patterns.filter(|pattern| {
        let brings = |change: &Change<'_>| change.sure() && change.may_bring(pattern);
        pattern.becomes == Becomes::Code && changes.iter().any(brings)
    });
    let changed = changed.map(|(path, _)| path.clone());
    changed
        .chain(patterns.map(|pattern| pattern.base))
        .collect()
}

/// Where files lie of which most are not there, many in the same folder.
struct Looks<'t> {
    tree: &'t dyn Tree,
    /// Of the folders that were looked at: nothing of those that are there.
    missing: BTreeMap<AbsPath, Option<KnownPath>>,
}

impl<'t> Looks<'t> {
    fn at_disk(tree: &'t dyn Tree) -> Self {
        let missing = BTreeMap::new();
        Self { tree, missing }
    }

    /// What is known of a file; below a folder that is not there nothing is looked for.
    fn at(&mut self, path: &AbsPath) -> KnownPath {
        let (Some(folder), Some(name)) = (path.parent(), path.name()) else {
            return KnownPath::of(path, self.tree);
        };
        let tree = self.tree;
        let look = |folder: &AbsPath| {
            let known = KnownPath::of(folder, tree);
            let real = known.real();
            let is_missing = real.is_some_and(|real| tree.kind(real) == EntryKind::Missing);
            is_missing.then_some(known)
        };
        let missing = self.missing.entry(folder);
        let missing = missing.or_insert_with_key(look).as_ref();
        missing.map_or_else(|| KnownPath::of(path, tree), |folder| folder.without(name))
    }
}

/// The files that a run of a line executes, each as it is surest named.
struct RunFiles {
    /// The simple command that it is of.
    part: u32,
    /// Whether it takes place as its words are read at first: surely, or where a wrapper's command stands (`sudo ./x`). Of some
    /// programs each word may be the command.
    is_meant: bool,
    /// Whether it may take place again.
    again: bool,
    files: BTreeMap<AbsPath, Spelling>,
    /// Those that code in its words names, too.
    in_code: BTreeSet<AbsPath>,
}

/// What stands in front of a run of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Front {
    /// Whether it is a wrapper, which starts it.
    wraps: bool,
    /// Whether that may start it several times.
    repeats: bool,
}

impl Front {
    /// In front of what stands behind the run.
    fn behind(self, run: &Run) -> Self {
        match run.nature {
            RunNature::Wrapper | RunNature::PlainWrapper => Self {
                wraps: true,
                repeats: self.repeats || are(&[run], &[REPEATERS]),
            },
            RunNature::KnownReader
            | RunNature::FileCommand
            | RunNature::Program
            | RunNature::InlineCode => Self::default(),
        }
    }
}

/// Whether a run that is meant names a file by its path.
fn is_named(path: &AbsPath, by_run: &[RunFiles]) -> bool {
    let meant = by_run.iter().filter(|run| run.is_meant);
    let mut named = meant.filter_map(|run| run.files.get(path));
    named.any(|spelling| *spelling == Spelling::Path)
}

fn files_by_run(folder: &AbsPath, effects: &Effects) -> Vec<RunFiles> {
    let variables = LineVariables::of(effects);
    let mut front = Front::default();
    let runs = effects.list.iter().filter_map(|effect| {
        let run = effect.as_run()?;
        let is_meant = match effect.view {
            EffectView::Sure => true,
            EffectView::Might => front.wraps,
            EffectView::Inferred | EffectView::Guessed => false,
        };
        let again = front.repeats || effects.code.repeated.contains(&effect.part);
        front = front.behind(run);
        let run = variables.seen_by(run);
        let all = match executed_by(folder, &run) {
            Ok(files) => files,
            Err(many) => many.counted,
        };
        let mut files = BTreeMap::new();
        for file in all {
            let surest = files.entry(file.path).or_insert(file.spelling);
            *surest = file.spelling.max(*surest);
        }
        Some(RunFiles {
            part: effect.part,
            is_meant,
            again,
            files,
            in_code: in_code_of(folder, &run),
        })
    });
    runs.collect()
}

/// The files that code in the words of a run names.
fn in_code_of(folder: &AbsPath, run: &Run) -> BTreeSet<AbsPath> {
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let folder = folder_of(folder, run);
    let started = started(run.program().unwrap_or_default(), &words).into_iter();
    started
        .flat_map(|(program, words)| named_in_code(program, folder, words))
        .collect()
}

/// What one simple command of a line changes.
struct Change<'a> {
    part: u32,
    view: EffectView,
    what: Changed<'a>,
}

/// What is changed.
enum Changed<'a> {
    /// What lies there.
    At(KnownPath),
    /// What a pattern finds below a folder.
    Matching(KnownPath, &'a str),
    /// Something, in a place that nobody knows.
    Somewhere,
    /// Files of a repository, nobody knows which.
    Anything,
    /// What compilers make.
    Built,
}

/// All that a line changes, but for what formatters do and what the line puts there from a place that is looked at, too.
fn changes<'a>(effects: &'a Effects, tree: &dyn Tree) -> Vec<Change<'a>> {
    let each = effects.list.iter().filter_map(|effect| {
        let change = |what| Change {
            part: effect.part,
            view: effect.view,
            what,
        };
        if let Some(target) = effect.as_written() {
            let runs = runs_of(effect.part, effects);
            let by_operand = target.by == PathRole::Operand;
            let formats =
                by_operand && are(&runs, &[FORMATTERS]) && !runs.iter().any(|run| builds(run));
            let copies = by_operand && are(&runs, &[&COPY, COPIERS]) && is_copied(target, effects);
            return (!formats && !copies).then(|| change(Changed::of(target, tree)));
        }
        let run = effect.as_run()?;
        match (brings_files(run), builds(run)) {
            (true, _) => Some(change(Changed::Anything)),
            (false, true) => Some(change(Changed::Built)),
            (false, false) => None,
        }
    });
    each.collect()
}

/// Whether what lies there comes from another place by the line's doing.
fn is_copied(target: &PathUse, effects: &Effects) -> bool {
    let place = match &target.path {
        PathValue::Known(place) | PathValue::Pattern { base: place, .. } => place,
        PathValue::Unknown(_) => return false,
    };
    let mut copied = effects.code.copied.iter();
    copied.any(|copy| place.is_within(&copy.to))
}

/// What a simple command of a line runs.
fn runs_of(part: u32, effects: &Effects) -> Vec<&Run> {
    let of_part = effects.list.iter().filter(|effect| effect.part == part);
    let runs = of_part.filter_map(Effect::as_run);
    runs.filter(|run| run.nature != RunNature::PlainWrapper)
        .collect()
}

/// Whether there are runs, and all of programs in one of these lists.
fn are(runs: &[&Run], lists: &[&[&str]]) -> bool {
    let is = |run: &&Run| {
        let program = run.program();
        program.is_some_and(|it| lists.iter().any(|programs| is_one_of(it, programs)))
    };
    !runs.is_empty() && runs.iter().all(is)
}

impl Change<'_> {
    fn sure(&self) -> bool {
        self.view == EffectView::Sure
    }

    fn covers(&self, file: &KnownPath, role: Role) -> bool {
        self.what.covers(file, role)
    }

    fn may_bring(&self, pattern: &Searched) -> bool {
        self.what.may_bring(pattern)
    }

    /// Whether a command only may change what it alone runs, once, as its script: it takes words for what it works on
    /// (`vim -S f`), and has read its script by then. What code in a word names may be run after it is changed.
    fn is_of_its_own_script(&self, path: &AbsPath, by_run: &[RunFiles], effects: &Effects) -> bool {
        let mut runs = by_run
            .iter()
            .filter(|run| run.files.contains_key(path))
            .peekable();
        let is_source = |copy: &Copied| path.is_within(&copy.from);
        // What builds does so at its end.
        (!self.sure() || matches!(self.what, Changed::Built))
            && runs.peek().is_some()
            && runs.all(|run| run.part == self.part && !run.again && !run.in_code.contains(path))
            && !effects.code.copied.iter().any(is_source)
    }
}

impl<'a> Changed<'a> {
    fn of(target: &'a PathUse, tree: &dyn Tree) -> Self {
        match &target.path {
            PathValue::Known(place) => Self::At(KnownPath::of(place, tree)),
            PathValue::Pattern { base, glob } if target.path.way().is_some() => {
                Self::At(KnownPath::of(&walked(base, glob, tree), tree))
            }
            PathValue::Pattern { base, glob } => Self::Matching(KnownPath::of(base, tree), glob),
            PathValue::Unknown(_) => Self::Somewhere,
        }
    }

    /// Whether what lies there may be another thing when it is run.
    fn covers(&self, file: &KnownPath, role: Role) -> bool {
        match self {
            Self::At(place) => {
                let by_name = file.hops.iter().any(|hop| place.hops.contains(hop));
                by_name || file.file.is_some() && file.file == place.file
            }
            Self::Matching(base, glob) => base.hops.iter().any(|base| {
                let mut below = file.hops.iter().filter_map(|hop| hop.below(base));
                below.any(|rest| covers(glob, rest, Names::Anything))
            }),
            // A place that nobody knows may be any that surely runs; most words that code may name are none.
            Self::Somewhere => {
                let named = |hop: &AbsPath| {
                    script::is_named_as_script(hop.as_str()) || build::is_usual_file(hop)
                };
                role == Role::Program || file.hops.first().is_some_and(named)
            }
            Self::Anything => true,
            Self::Built => false,
        }
    }

    /// Whether it may bring a file that a pattern finds.
    fn may_bring(&self, pattern: &Searched) -> bool {
        let found = |hop: &AbsPath| {
            let rest = hop.below(&pattern.base);
            rest.is_some_and(|rest| covers(&pattern.glob, rest, Names::Anything))
        };
        match self {
            Self::At(place) => place.hops.iter().any(found),
            Self::Matching(base, glob) => base.hops.iter().any(|base| {
                let (one, other) = (text(base, glob), text(&pattern.base, &pattern.glob));
                can_meet(&one, &other)
            }),
            Self::Somewhere | Self::Anything => true,
            Self::Built => false,
        }
    }
}

/// All that a pattern in a folder may stand for, as a text with gaps.
fn text(base: &AbsPath, glob: &str) -> Vec<u8> {
    let base = plain_bytes(base.as_str().trim_end_matches('/'));
    base.chain([b'/']).chain(glob_with_gaps(glob)).collect()
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

#[cfg(test)]
mod tests;
