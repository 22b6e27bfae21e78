//! What a verdict is bound to (law 10), taken when the call is judged and again before it runs.

use pointsman_model::{
    AbsPath, Digest, EffectKind, Effects, ExecutedCall, PathRole, PathValue, ToolInput,
};
use pointsman_policy::Tree;

use crate::Seat;

/// The longest content of a file that is kept to show what changed in it.
const SNAPSHOT_BYTES_MAX: u64 = 64 * 1024;

/// What is compared.
#[derive(Clone)]
pub(super) struct Bound {
    /// The fingerprint of tool, input, folder, agent, context and the files that the call runs or changes.
    pub(super) digest: Digest,
    /// The file or folder that a file tool names, links followed: what will be opened.
    pub(super) target: Option<AbsPath>,
    /// The content of the file that an Edit or Write changes, to show a person what became of it.
    snapshot: Option<String>,
}

/// Why a call can't be bound.
#[derive(Debug, thiserror::Error)]
#[error("what the call would run or change can't be fingerprinted: {0}")]
pub(super) struct BindError(std::io::Error);

impl Bound {
    /// As things stand now.
    pub(super) fn now(
        seat: &Seat,
        call: &ExecutedCall,
        folder: &AbsPath,
        effects: &Effects,
    ) -> Result<Self, BindError> {
        let context = &seat.frozen.context;
        let digest = pointsman_approvals::bind(
            call,
            folder,
            &context.parts().lineage,
            context.digest(),
            effects,
        )
        .map_err(BindError)?;
        let target = target(effects, seat.tree.as_ref());
        let snapshot = match &call.input {
            ToolInput::Edit(_) | ToolInput::Write(_) => target
                .as_ref()
                .and_then(|file| seat.tree.read_small(file, SNAPSHOT_BYTES_MAX)),
            ToolInput::Bash(_)
            | ToolInput::Read(_)
            | ToolInput::Glob(_)
            | ToolInput::Grep(_)
            | ToolInput::Spawn(_)
            | ToolInput::Other(_) => None,
        };
        Ok(Self {
            digest,
            target,
            snapshot,
        })
    }

    /// Whether nothing that counts has changed.
    pub(super) fn is_same(&self, later: &Self) -> bool {
        self.digest == later.digest && self.target == later.target
    }

    /// What is different from `self` to `later`, for a person.
    pub(super) fn difference(&self, later: &Self) -> String {
        if let (Some(before), Some(after)) = (&self.target, &later.target)
            && before != after
        {
            return format!("the path led to `{before}` and leads to `{after}` now");
        }
        match (&self.snapshot, &later.snapshot) {
            (Some(before), Some(after)) if before != after => {
                let diff = similar::TextDiff::from_lines(before.as_str(), after.as_str());
                let diff = diff
                    .unified_diff()
                    .context_radius(1)
                    .header("as it was", "as it is")
                    .to_string();
                format!("the file it changes is not as it was:\n{diff}")
            }
            (None, Some(_)) => "the file it changes did not exist, or could not be shown".into(),
            (Some(_), None) => "the file it changes is gone, or can't be shown any more".into(),
            (None, None) | (Some(_), Some(_)) => {
                "a file that it runs or changes, or its folder, is not as it was".into()
            }
        }
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
