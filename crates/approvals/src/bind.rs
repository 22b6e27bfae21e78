//! What a verdict is bound to (law 10): the call as bytes, where and for whom it runs, and the files
//! that it would execute or change, as they are at this moment.
//!
//! Worked out when the question is asked and again right before the call runs; if the two differ,
//! what was approved is not what would run.

mod climbed;
mod files;
mod found;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use pointsman_model::{
    AbsPath, Change, Digest, DigestBuilder, EffectKind, EffectView, Effects, ExecutedCall, Lineage,
    PathRole, PathUse, PathValue, PermissionRequest,
};
use pointsman_policy::{
    DiskTree, Executed, Role, Spelling, TooManyFiles, Tree as _, executed, handed_to,
};

use self::climbed::{Climbed, add_climbed, climbed};
pub use self::files::Found;
use self::found::FoundFiles;

/// So many files that a line hands on count by their content, the others by inode, size and time: up to 64 MiB are read
/// while somebody waits, and a line of ten thousand names is looked at in no time.
const HANDED_READ_MAX: usize = 64;

/// The same of those that patterns find: more of them are surely run, and 256 MiB at most are read.
const FOUND_READ_MAX: usize = 256;

/// The digest of a call.
///
/// Covers the tool, the input's bytes, the folder and which folder that is on the disk, the agent, its context, and of
/// each script that a run names and each file that an edit changes: its real path, and its content up to 1 MiB, else its
/// inode, size and time; likewise of each file that is handed to a program which nobody knows; of each pattern that finds
/// such files: which it finds, as far as is looked; of every other path that it reads or writes: where that leads. Blocks on the disk.
///
/// # Errors
/// When a file is there and can't be looked at, or there are too many of them; then nothing can be bound to the call, and
/// it must not run.
pub fn bind(
    call: &ExecutedCall,
    folder: &AbsPath,
    agent: &Lineage,
    context: Digest,
    effects: &Effects,
) -> io::Result<Digest> {
    bind_seen(call, folder, agent, context, effects, &mut |_, _| {})
}

/// The same of a request's call as things are now, and what of the scripts and files that it names went into it:
/// whoever shows that shows what the digest was made of, and nothing that was put there before or afterwards. Blocks on
/// the disk.
///
/// # Errors
/// As [`bind`].
pub fn bind_showing(
    request: &PermissionRequest,
    seen: &mut dyn FnMut(&AbsPath, Found<'_>),
) -> io::Result<Digest> {
    bind_seen(
        &request.call,
        &request.folder,
        &request.lineage,
        request.context,
        &request.effects,
        seen,
    )
}

fn bind_seen(
    call: &ExecutedCall,
    folder: &AbsPath,
    agent: &Lineage,
    context: Digest,
    effects: &Effects,
    seen: &mut dyn FnMut(&AbsPath, Found<'_>),
) -> io::Result<Digest> {
    let worker = agent.agent().worker.to_string();
    let mut digest = DigestBuilder::new("what a verdict is bound to")
        .part("call", call.id.to_string().as_bytes())
        .part("tool", call.tool.as_str().as_bytes())
        .part("input", call.text.as_str().as_bytes())
        .part("folder", folder.as_str().as_bytes())
        .part("agent", worker.as_bytes())
        .part("context", context.as_bytes());
    for path in named_folders(folder, effects) {
        digest = files::folder(digest, path.as_path())?;
    }
    let climbed = climbed(folder, effects);
    let executed = named_on_disk(folder, effects, &climbed).map_err(io::Error::other)?;
    let named = named_files(&executed, effects);
    for (path, spelling) in &named {
        let (place, mut seen) = (path.as_path(), |found: Found<'_>| seen(path, found));
        digest = match spelling {
            Spelling::Path => files::file(digest, place, &mut seen)?,
            Spelling::LookedUp => files::looked_up(digest, place, &mut seen)?,
        };
    }
    let handed = handed_files(folder, effects, &executed, &named);
    let names = handed.iter().map(AbsPath::as_str);
    digest = digest.part("handed", names.collect::<Vec<_>>().join("\0").as_bytes());
    let files = handed.iter().filter(|path| path.as_path().is_file());
    for (at, path) in files.enumerate() {
        let (place, mut seen) = (path.as_path(), |found: Found<'_>| seen(path, found));
        digest = match at < HANDED_READ_MAX {
            true => files::handed(digest, place, &mut seen)?,
            false => files::unread(digest, place, &mut seen)?,
        };
    }
    let found = FoundFiles::now(folder, effects, &climbed);
    digest = take_found(digest, &found, &named, seen)?;
    for (path, place) in led_to(effects) {
        digest = digest
            .part("path", path.as_str().as_bytes())
            .part("leads to", place.as_str().as_bytes());
    }
    Ok(digest.finish())
}

/// Takes in what patterns find: which names, and the files, of which those that are `named` are in already.
fn take_found(
    mut digest: DigestBuilder,
    found: &FoundFiles,
    named: &BTreeMap<AbsPath, Spelling>,
    seen: &mut dyn FnMut(&AbsPath, Found<'_>),
) -> io::Result<DigestBuilder> {
    for (pattern, names) in &found.names {
        let names = names.iter().map(|name| name.as_os_str().as_encoded_bytes());
        digest = digest
            .part("in", pattern.base.as_str().as_bytes())
            .part("the pattern", pattern.glob.as_bytes())
            .part("finds", &names.collect::<Vec<_>>().join(&0));
    }
    if found.is_cut {
        digest = digest.part("finds", b"more than is looked at");
    }
    let named: BTreeSet<&Path> = named.keys().map(AbsPath::as_path).collect();
    let files = found
        .files
        .iter()
        .filter(|it| !named.contains(it.as_path()));
    for (at, place) in files.enumerate() {
        let path = in_text(place);
        // What has a name that is no text is bound, and shown to nobody.
        let mut seen = |found: Found<'_>| {
            if let Some(path) = &path {
                seen(path, found);
            }
        };
        digest = match at < FOUND_READ_MAX {
            true => files::looked_up(digest, place, &mut seen)?,
            false => files::unread(digest, place, &mut seen)?,
        };
    }
    Ok(digest)
}

/// A place, where its name is a text.
fn in_text(place: &Path) -> Option<AbsPath> {
    AbsPath::parse(place.to_str()?).ok()
}

/// Why it is not told of all files that a call would execute which they are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAllTold {
    /// It names too many.
    #[error(transparent)]
    TooMany(#[from] TooManyFiles),
    /// Its patterns look through more than is looked at.
    #[error("its patterns may find more files than are looked at")]
    Cut,
    /// The name of one is no text.
    #[error("it finds a file to run whose name is no text")]
    NoText,
}

/// The files that a call would execute ([`executed`]), those to which its paths really lead that go up from a name which
/// is a link, and those that its patterns find. Blocks on the disk.
///
/// # Errors
/// When they are not all told.
pub fn executed_on_disk(folder: &AbsPath, effects: &Effects) -> Result<Vec<Executed>, NotAllTold> {
    let climbed = climbed(folder, effects);
    let mut files = named_on_disk(folder, effects, &climbed)?;
    let found = FoundFiles::now(folder, effects, &climbed);
    files.extend(found.executed().ok_or(NotAllTold::NoText)?);
    match found.is_cut {
        true => Err(NotAllTold::Cut),
        false => Ok(files),
    }
}

/// Those that it names.
fn named_on_disk(
    folder: &AbsPath,
    effects: &Effects,
    climbed: &BTreeSet<Climbed>,
) -> Result<Vec<Executed>, TooManyFiles> {
    let mut files = executed(folder, effects)?;
    add_climbed(&mut files, climbed)?;
    Ok(files)
}

/// Where each path that a call reads or writes leads at this moment, links followed; of a pattern, where its folder
/// leads. What a link is turned to after the question was never judged. Blocks on the disk.
#[must_use]
pub fn led_to(effects: &Effects) -> BTreeMap<AbsPath, AbsPath> {
    let mut places = BTreeMap::new();
    for (used, _) in used(effects) {
        let path = match &used.path {
            PathValue::Known(path) | PathValue::Pattern { base: path, .. } => path,
            PathValue::Unknown(_) => continue,
        };
        if !places.contains_key(path)
            && let Some(place) = DiskTree.hops(path).pop()
        {
            places.insert(path.clone(), place);
        }
    }
    places
}

/// The files whose state [`bind`] covers.
#[derive(Debug, Default)]
pub struct BoundFiles {
    /// Those whose names are texts, in order; some may not exist.
    pub files: BTreeSet<AbsPath>,
    /// Whether patterns of the call may find more, which no answer holds.
    pub is_cut: bool,
}

/// The files whose state [`bind`] covers, for those who show what changed in them. None where [`bind`] fails. Looks at
/// what is there.
#[must_use]
pub fn bound_files(folder: &AbsPath, effects: &Effects) -> BoundFiles {
    let climbed = climbed(folder, effects);
    let Ok(executed) = named_on_disk(folder, effects, &climbed) else {
        return BoundFiles::default();
    };
    let named = named_files(&executed, effects);
    let handed = handed_files(folder, effects, &executed, &named).into_iter();
    let handed = handed.filter(|path| path.as_path().is_file());
    let found = FoundFiles::now(folder, effects, &climbed);
    let by_pattern = found.files.iter().filter_map(|place| in_text(place));
    BoundFiles {
        files: named.into_keys().chain(handed).chain(by_pattern).collect(),
        is_cut: found.is_cut,
    }
}

/// What runs are handed without anyone knowing what they do with it, and no other place of the line names.
fn handed_files(
    folder: &AbsPath,
    effects: &Effects,
    executed: &[Executed],
    named: &BTreeMap<AbsPath, Spelling>,
) -> BTreeSet<AbsPath> {
    let mut handed = BTreeSet::new();
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            handed.extend(handed_to(folder, run));
        }
    }
    // What is surely read or written as data is known.
    for (used, view) in used(effects) {
        if let (PathValue::Known(path), PathRole::Operand, EffectView::Sure) =
            (&used.path, used.by, view)
        {
            handed.remove(path);
        }
    }
    let arguments = executed.iter().filter(|file| file.role == Role::Argument);
    handed.extend(arguments.map(|file| file.path.clone()));
    handed.retain(|path| !named.contains_key(path));
    handed
}

/// The paths that a call reads or writes.
fn used(effects: &Effects) -> impl Iterator<Item = (&PathUse, EffectView)> {
    effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Read(used) | EffectKind::Write { target: used, .. } => {
            Some((used, effect.view))
        }
        EffectKind::Run(_)
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_)
        | EffectKind::Opaque(_) => None,
    })
}

/// The folders that anything runs in.
fn named_folders(folder: &AbsPath, effects: &Effects) -> BTreeSet<AbsPath> {
    let mut folders = BTreeSet::from([folder.clone()]);
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind
            && let PathValue::Known(folder) = &run.folder
        {
            folders.insert(folder.clone());
        }
    }
    folders
}

/// The scripts that a call runs, and the files that file tools change, each as it is surest named.
fn named_files(executed: &[Executed], effects: &Effects) -> BTreeMap<AbsPath, Spelling> {
    let mut files = BTreeMap::new();
    let run = executed.iter().filter(|file| file.role != Role::Argument);
    for Executed { path, spelling, .. } in run {
        let surest = files.entry(path.clone()).or_insert(*spelling);
        *surest = (*surest).max(*spelling);
    }
    for effect in &effects.list {
        match &effect.kind {
            EffectKind::Write {
                target,
                change: Change::Content | Change::Remove,
            } if target.by == PathRole::Tool => {
                if let PathValue::Known(path) = &target.path {
                    files.insert(path.clone(), Spelling::Path);
                }
            }
            // What is fed to a program may be what it runs: `bash < x.sh`.
            EffectKind::Read(used) if used.by == PathRole::Redirect => {
                if let PathValue::Known(path) = &used.path {
                    files.insert(path.clone(), Spelling::Path);
                }
            }
            EffectKind::Run(_)
            | EffectKind::Write { .. }
            | EffectKind::Read(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => {}
        }
    }
    files
}

#[cfg(test)]
mod tests;
