//! Where code comes from that a line itself puts in the place where it runs it.

use std::collections::{BTreeMap, BTreeSet};

use pointsman_model::{
    AbsPath, Copied, EffectKind, Effects, OpaqueWhy, PathRole, PathUse, PathValue,
};

use super::{Executed, FILES_MAX, Role, TooManyFiles, named};

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

/// The files of which a line makes what it runs: where a text or a program is known only when it runs, all that it reads.
pub(super) fn made_of(effects: &Effects) -> impl Iterator<Item = Executed> {
    let unknown = effects.list.iter().any(|effect| match &effect.kind {
        EffectKind::Opaque(opaque) => {
            matches!(
                opaque.why,
                OpaqueWhy::UnknownScript | OpaqueWhy::UnknownProgram
            )
        }
        EffectKind::Run(_)
        | EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_) => false,
    });
    let read = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Read(PathUse {
            path: PathValue::Known(path),
            by: PathRole::Operand | PathRole::Redirect,
            ..
        }) => Some(named(path.clone(), Role::Argument)),
        _ => None,
    });
    read.filter(move |_| unknown)
}
