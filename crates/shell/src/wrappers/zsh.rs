//! What the Z shell has by itself: its own `rm` and kin, and functions that work on many files at once.
//!
//! To other shells these are names like any other, so that nothing here lets a call pass.

use pointsman_model::EffectView;

use super::table::Kind;
use super::{outer, unknown_script};
use crate::field::Field;
use crate::state::State;
use crate::walk::{Called, Scene, Walker};

/// The commands of its module `zsh/files`: `zf_rm` does what `rm` does.
const FILES: [&str; 9] = [
    "chgrp", "chmod", "chown", "ln", "mkdir", "mv", "rm", "rmdir", "sync",
];

/// Calls the command, if it is one of these.
pub(super) fn call(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &State,
) -> bool {
    let plain = name.strip_prefix("zf_").filter(|it| FILES.contains(it));
    if let Some(plain) = plain
        && let Some((first, args)) = called.fields.split_first()
    {
        outer(walker, called, Kind::Runner, state);
        let program = Field {
            source: first.source.clone(),
            ..Field::made(plain, first.span)
        };
        let fields: Vec<Field> = std::iter::once(program)
            .chain(args.iter().cloned())
            .collect();
        let view = EffectView::Might;
        walker.call_inner(scene, called, &fields, view, &mut state.clone());
        return true;
    }
    if matches!(name, "zmv" | "zcp" | "zln" | "zargs") {
        // What is run stands in patterns, in a text that is expanded for each file, and behind the files.
        outer(walker, called, Kind::Loud, state);
        unknown_script(walker, called, None);
        return true;
    }
    false
}
