//! Where code comes from that a line itself puts in the place where it runs it.

use std::collections::{BTreeMap, BTreeSet};

use pointsman_model::{
    AbsPath, Copied, Effect, Effects, OpaqueWhy, PathRole, PathUse, PathValue, Run, Word,
};

use super::patterns::{PATTERNS_MAX, Searched};
use super::{Executed, FILES_MAX, Role, TooManyFiles, named, runners};

/// So many places at most are looked at from which what a pattern finds may come: more than patterns are looked up, so that
/// a line with more of them is seen to have too many.
const SEARCHED_MAX: usize = PATTERNS_MAX;

/// A file with the way on which it was found, back through what the line copies.
struct Found {
    file: Executed,
    /// The copies that were gone through, each but once: a folder may be copied into itself.
    through: Vec<usize>,
}

/// Adds the files that others are copies of, or names for.
pub(super) fn add_origins(
    files: &mut Vec<Executed>,
    copied: &[Copied],
) -> Result<(), TooManyFiles> {
    if copied.is_empty() {
        return Ok(());
    }
    let mut into: BTreeMap<&AbsPath, Vec<(usize, &Copied)>> = BTreeMap::new();
    for (at, copy) in copied.iter().enumerate() {
        into.entry(&copy.to).or_default().push((at, copy));
    }
    let mut seen = BTreeSet::new();
    let mut open: Vec<Found> = Vec::new();
    for file in files.iter() {
        let through = Vec::new();
        if seen.insert((file.path.clone(), file.role, file.spelling)) {
            let file = file.clone();
            open.push(Found { file, through });
        }
    }
    while let Some(found) = open.pop() {
        let path = &found.file.path;
        let places = std::iter::successors(Some(path.clone()), AbsPath::parent);
        for (at, copy) in places.flat_map(|place| into.get(&place).into_iter().flatten()) {
            let nested = |at: &usize| {
                let one = copied.get(*at);
                one.is_some_and(|one| one.from.is_within(&one.to))
            };
            if found.through.contains(at) || nested(at) && found.through.iter().any(nested) {
                continue;
            }
            let Some(rest) = path.below(&copy.to) else {
                continue;
            };
            let file = Executed {
                path: copy.from.join(rest),
                ..found.file
            };
            if !seen.insert((file.path.clone(), file.role, file.spelling)) {
                continue;
            }
            files.push(file.clone());
            if files.len() > FILES_MAX {
                let counted = std::mem::take(files);
                return Err(TooManyFiles { counted });
            }
            let through = found.through.iter().chain([at]).copied().collect();
            open.push(Found { file, through });
        }
    }
    Ok(())
}

/// Adds the patterns that find the same where it comes from: in the folder that the line copies, or under the name of
/// what it puts below the folder that is searched.
pub(super) fn add_searched_origins(patterns: &mut Vec<Searched>, copied: &[Copied]) {
    let mut origins = BTreeSet::new();
    'all: for pattern in patterns.iter() {
        for copy in copied {
            if let Some(rest) = pattern.base.below(&copy.to) {
                let base = copy.from.join(rest);
                origins.insert(Searched {
                    base,
                    ..pattern.clone()
                });
            } else if copy.to.is_within(&pattern.base)
                && let (Some(base), Some(name)) = (copy.from.parent(), copy.from.name())
            {
                // Under which name a folder's content is found is not worked out: all of it.
                let globs = [name.to_owned(), format!("{name}/**")];
                origins.extend(globs.map(|glob| Searched {
                    base: base.clone(),
                    glob: glob.into(),
                    becomes: pattern.becomes,
                    follows: pattern.follows,
                }));
            }
            if origins.len() > SEARCHED_MAX {
                break 'all;
            }
        }
    }
    patterns.extend(origins);
}

/// The files of which a line makes what it runs.
pub(super) fn made_of(effects: &Effects) -> impl Iterator<Item = Executed> {
    read_into_code(effects).filter_map(|used| match &used.path {
        PathValue::Known(path) => Some(named(path.clone(), Role::Argument)),
        PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
    })
}

/// What goes into the code that a line makes: where a text or a program is known only when it runs, or a program runs
/// what it reads, all that the line reads.
pub(super) fn read_into_code(effects: &Effects) -> impl Iterator<Item = &PathUse> {
    let unknown = effects.list.iter().filter_map(Effect::as_opaque);
    let unknown = unknown
        .map(|opaque| opaque.why)
        .any(|why| matches!(why, OpaqueWhy::UnknownScript | OpaqueWhy::UnknownProgram));
    let is_made = unknown || effects.runs().any(reads_code);
    let read = effects.list.iter().filter_map(Effect::as_read);
    let read = read.filter(|used| matches!(used.by, PathRole::Operand | PathRole::Redirect));
    read.filter(move |_| is_made)
}

/// The files that are redirected to a program which runs what it reads.
pub(super) fn redirected_to_runner(effects: &Effects) -> Vec<Executed> {
    let mut files = Vec::new();
    for effect in &effects.list {
        let Some(used) = effect.as_read().filter(|it| it.by == PathRole::Redirect) else {
            continue;
        };
        let mut beside = effects.list.iter().filter(|it| it.part == effect.part);
        if let PathValue::Known(path) = &used.path
            && beside.any(|it| it.as_run().is_some_and(reads_code))
        {
            files.push(named(path.clone(), Role::Code));
        }
    }
    files
}

/// The files that a command reads which may write what the line runs (`git apply p && sh x.sh`).
pub(super) fn read_by_makers(files: &[Executed], effects: &Effects) -> Vec<Executed> {
    let run = files.iter().filter(|file| file.role != Role::Argument);
    let run: BTreeSet<&str> = run.map(|file| file.path.as_str()).collect();
    let runs_below = |base: &AbsPath| {
        let inside = format!("{}/", base.as_str().trim_end_matches('/'));
        let first = run.range(&*inside..).next();
        run.contains(base.as_str()) || first.is_some_and(|path| path.starts_with(&inside))
    };
    let written = effects.list.iter().filter_map(|effect| {
        let target = effect.as_written()?;
        let is_run = match &target.path {
            PathValue::Known(place) => run.contains(place.as_str()),
            PathValue::Pattern { base, .. } => runs_below(base),
            PathValue::Unknown(_) => false,
        };
        is_run.then_some(effect.part)
    });
    let makers: BTreeSet<u32> = written.collect();
    let read = effects.list.iter().filter(|it| makers.contains(&it.part));
    let read = read.filter_map(Effect::as_read);
    let known = read.filter_map(|used| match &used.path {
        PathValue::Known(path) => Some(named(path.clone(), Role::Argument)),
        PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
    });
    known.collect()
}

fn reads_code(run: &Run) -> bool {
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let program = run.program();
    program.is_some_and(|program| runners::reads_code(program, &words))
}
