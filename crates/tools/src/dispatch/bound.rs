//! What a verdict is bound to (law 10), taken when the call is judged and again before it runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman_approvals::{bound_files, led_to};
use pointsman_model::{
    AbsPath, Digest, EffectKind, Effects, ExecutedCall, Lineage, PathRole, PathValue, Run, Word,
    WordValue,
};
use pointsman_policy::Tree;

use crate::Seat;

/// The longest file that is kept to show what changed in it; a script that a person reads is shorter.
const SNAPSHOT_BYTES_MAX: u64 = 64 * 1024;

/// So many files of one call are kept at most.
const SNAPSHOTS_MAX: usize = 16;

/// A line of so many words and paths is looked at without another thread, unless it names files whose content counts.
const LOOKS_MAX: usize = 64;

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
        let snapshots = bound_files(folder, effects)
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
        if looks(effects) <= LOOKS_MAX && bound_files(folder, effects).is_empty() {
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

/// How much there is to be looked at, about: the words of what runs, and the paths. A pattern may find anything.
fn looks(effects: &Effects) -> usize {
    let searches = |run: &Run| {
        let by_word = |word: &Word| matches!(word.value, WordValue::Glob(_));
        run.argv.iter().any(by_word) || matches!(run.folder, PathValue::Pattern { .. })
    };
    let each = effects.list.iter().map(|effect| match &effect.kind {
        EffectKind::Run(run) if searches(run) => LOOKS_MAX.saturating_add(1),
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
