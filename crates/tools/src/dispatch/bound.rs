//! What a verdict is bound to (law 10), taken when the call is judged and again before it runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman_approvals::{bound_files, led_to};
use pointsman_model::{
    AbsPath, Digest, EffectKind, Effects, ExecutedCall, Lineage, PathRole, PathValue,
};
use pointsman_policy::{Tree, searched};

use crate::Seat;

/// The longest file that is kept to show what changed in it; a script that a person reads is shorter.
const SNAPSHOT_BYTES_MAX: u64 = 64 * 1024;

/// So many files of one call are kept at most.
const SNAPSHOTS_MAX: usize = 16;

/// A line of so many words and paths is looked at without another thread, unless it names files whose content counts.
const LOOKS_MAX: usize = 64;

/// What is said of a call whose patterns find more than can be looked at while somebody waits.
const UNHELD: &str = "its patterns look through more files than can be looked at: what it runs of those far below, \
                      or below folders like `node_modules`, may change after a yes without being asked anew";

/// What is compared.
#[derive(Clone)]
pub(super) struct Bound {
    /// The fingerprint of tool, input, folder, agent, context and the files that the call runs or changes.
    pub(super) digest: Digest,
    /// The file or folder that a file tool names, links followed: what will be opened.
    pub(super) target: Option<AbsPath>,
    /// Where the paths lead that the call reads or writes; to show a person which one leads elsewhere.
    places: BTreeMap<AbsPath, AbsPath>,
    /// The files that the call runs or changes, as texts where they are; to show a person what became of them.
    snapshots: BTreeMap<AbsPath, Option<String>>,
    /// Whether the call's patterns may find more than was looked at.
    is_cut: bool,
}

/// Why a call can't be bound.
#[derive(Debug, thiserror::Error)]
#[error("what the call would run or change can't be fingerprinted: {0}")]
pub(super) struct BindError(std::io::Error);

/// What is looked at.
struct Look {
    call: ExecutedCall,
    folder: AbsPath,
    lineage: Lineage,
    context: Digest,
    effects: Effects,
    tree: Arc<dyn Tree>,
}

impl Look {
    /// Blocks on the disk.
    fn at_files(&self) -> Result<Bound, BindError> {
        let (folder, effects) = (&self.folder, &self.effects);
        let digest =
            pointsman_approvals::bind(&self.call, folder, &self.lineage, self.context, effects)
                .map_err(BindError)?;
        let bound = bound_files(folder, effects);
        let snapshots = bound
            .files
            .into_iter()
            .take(SNAPSHOTS_MAX)
            .map(|file| {
                let text = self.tree.read_small(&file, SNAPSHOT_BYTES_MAX);
                (file, text)
            })
            .collect();
        Ok(Bound {
            digest,
            target: target(effects, self.tree.as_ref()),
            places: led_to(effects),
            snapshots,
            is_cut: bound.is_cut,
        })
    }
}

impl Bound {
    /// As things stand now. Files are read where that may block.
    ///
    /// Cancel safe.
    pub(super) async fn now(
        seat: &Seat,
        call: &ExecutedCall,
        folder: &AbsPath,
        effects: &Effects,
    ) -> Result<Self, BindError> {
        let context = &seat.frozen.context;
        let look = Look {
            call: call.clone(),
            folder: folder.clone(),
            lineage: context.parts().lineage.clone(),
            context: context.digest(),
            effects: effects.clone(),
            tree: Arc::clone(&seat.tree),
        };
        if is_short(folder, effects) {
            // A look at a few names alone is shorter than the way to another thread, and a thousand agents at once would
            // make as many threads.
            return look.at_files();
        }
        tokio::task::spawn_blocking(move || look.at_files())
            .await
            .unwrap_or_else(|error| Err(BindError(std::io::Error::other(error))))
    }

    /// Whether nothing that counts has changed.
    pub(super) fn is_same(&self, later: &Self) -> bool {
        self.digest == later.digest && self.target == later.target
    }

    /// What a yes does not hold, for a person.
    pub(super) fn unheld(&self) -> Option<Box<str>> {
        self.is_cut.then(|| UNHELD.into())
    }

    /// What is different from `self` to `later`, for a person.
    pub(super) fn difference(&self, later: &Self) -> String {
        let led_elsewhere = self.places.iter().filter_map(|(path, before)| {
            let after = later.places.get(path).filter(|after| *after != before)?;
            Some(format!(
                "the path `{path}` led to `{before}` and leads to `{after}` now"
            ))
        });
        let changed = self.snapshots.iter().filter_map(|(file, before)| {
            let after = later.snapshots.get(file)?;
            change(file, before.as_deref(), after.as_deref())
        });
        // Where not all are kept, one that is new here may have been there before.
        let all_kept = self.snapshots.len() < SNAPSHOTS_MAX;
        let new = later.snapshots.keys();
        let new = new.filter(|file| all_kept && !self.snapshots.contains_key(*file));
        let new = new.map(|file| format!("`{file}` is among what it runs or is handed now"));
        let changes: Vec<String> = led_elsewhere.chain(changed).chain(new).collect();
        if changes.is_empty() {
            "a file that it runs or changes, or its folder, is not as it was".into()
        } else {
            changes.join("\n")
        }
    }
}

/// Whether there is so little to look at that it is done at once: no pattern, which may find anything, and few words and
/// paths, of which none is a file whose content counts.
fn is_short(folder: &AbsPath, effects: &Effects) -> bool {
    looks(effects) <= LOOKS_MAX
        && searched(folder, effects).is_empty()
        && bound_files(folder, effects).files.is_empty()
}

/// How much there is to be looked at, about: the words of what runs, and the paths.
fn looks(effects: &Effects) -> usize {
    let each = effects.list.iter().map(|effect| match &effect.kind {
        EffectKind::Run(run) => run.argv.len().saturating_add(run.assignments.len()),
        EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_)
        | EffectKind::Opaque(_) => 1,
    });
    let code = &effects.code;
    let elsewhere = code.fed.len().saturating_add(code.copied.len());
    each.sum::<usize>().saturating_add(elsewhere)
}

/// What became of one file; nothing when its text is the same.
fn change(file: &AbsPath, before: Option<&str>, after: Option<&str>) -> Option<String> {
    match (before, after) {
        (None, None) => None,
        (Some(before), Some(after)) if before == after => None,
        (Some(before), Some(after)) => {
            let diff = similar::TextDiff::from_lines(before, after);
            let diff = diff
                .unified_diff()
                .context_radius(1)
                .header("as it was", "as it is")
                .to_string();
            Some(format!("`{file}` is not as it was:\n{diff}"))
        }
        (None, Some(_)) => Some(format!("`{file}` is a text now, which it was not")),
        (Some(_), None) => Some(format!("`{file}` is gone, or can't be shown any more")),
    }
}

/// What a file tool will open: taken from the effects, so that it is the path that was judged.
fn target(effects: &Effects, tree: &dyn Tree) -> Option<AbsPath> {
    let named = effects.list.iter().find_map(|effect| {
        let used = match &effect.kind {
            EffectKind::Read(used) | EffectKind::Write { target: used, .. } => used,
            EffectKind::Run(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => return None,
        };
        match (&used.by, &used.path) {
            (PathRole::Tool, PathValue::Known(path)) => Some(path),
            (PathRole::Tool, PathValue::Pattern { base, .. }) => Some(base),
            (PathRole::Tool, PathValue::Unknown(_))
            | (PathRole::Operand | PathRole::Redirect, _) => None,
        }
    })?;
    tree.hops(named).pop()
}

#[cfg(test)]
mod tests {
    use pointsman_shell::{NameCase, Surroundings, analyse};

    use super::*;

    /// What looks through folders must not hold up the agents beside it.
    #[test]
    fn what_searches_is_looked_at_on_another_thread() {
        let scene = tempfile::tempdir().unwrap();
        let folder = AbsPath::parse(scene.path().to_str().unwrap()).unwrap();
        let at = Surroundings {
            home: folder.clone(),
            folder: folder.clone(),
            case: NameCase::Counts,
        };
        for (line, short) in [
            ("ls -l x", true),
            ("cat *.txt", true),
            ("git status", true),
            ("bash t/*.sh", false),
            ("terraform apply", false),
            ("run-parts d", false),
            ("go run ./cmd", false),
            ("find . -name '*.sh' -exec sh {} +", false),
        ] {
            let effects = analyse(line, &at).effects;
            assert_eq!(is_short(&folder, &effects), short, "{line}");
        }
    }
}
