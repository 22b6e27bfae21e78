//! `cd`, `pushd`, `popd`.

use pointsman_model::{PathRole, PathValue, Reach, RunNature};

use super::reader;
use crate::field::Field;
use crate::state::{Folder, State};
use crate::walk::{Called, Scene, Walker, paths};

pub(super) fn cd(
    walker: &mut Walker<'_>,
    _scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    reader(walker, called, state);
    let operand = operand(
        called.args(),
        &["-L", "-P", "-e", "-@", "-LP", "-PL", "-Pe"],
    );
    let target = target(walker, called, operand, state);
    state.change_folder(target);
}

/// The first operand.
fn operand<'f>(args: &'f [Field], options: &[&str]) -> Option<&'f Field> {
    let mut args = args.iter();
    loop {
        let field = args.next()?;
        match field.text() {
            Some("--") => return args.next(),
            Some(text) if options.contains(&text) => {}
            _ => return Some(field),
        }
    }
}

/// Where `cd` to the operand leads; emits the look at that folder.
fn target(
    walker: &mut Walker<'_>,
    called: &Called<'_>,
    operand: Option<&Field>,
    state: &State,
) -> Folder {
    if !called.assignments.is_empty() || state.variables.contains_key("CDPATH") {
        return Folder::Unknown(called.text().into());
    }
    let made;
    let field = match operand {
        None => {
            if state.variables.contains_key("HOME") {
                return Folder::Unknown("~".into());
            }
            made = Field::made(walker.home.as_str(), called.span);
            &made
        }
        Some(field) if field.is("-") => {
            let Some(previous) = &state.previous else {
                return Folder::Unknown("-".into());
            };
            if let Folder::Known(path) = previous {
                let field = Field::made(path.as_str(), called.span);
                let (view, role) = (called.view, PathRole::Operand);
                walker.read(view, &field, role, Reach::Itself, state, called.part);
            }
            return previous.clone();
        }
        Some(field) => field,
    };
    let (view, role) = (called.view, PathRole::Operand);
    walker.read(view, field, role, Reach::Itself, state, called.part);
    match paths(field, state).into_iter().next() {
        Some(PathValue::Known(path)) if !field.is("") => Folder::Known(path),
        Some(PathValue::Known(_)) => state
            .folders
            .first()
            .cloned()
            .unwrap_or_else(|| Folder::Unknown(".".into())),
        Some(PathValue::Pattern { .. } | PathValue::Unknown(_)) | None => {
            Folder::Unknown(field.source.as_str().into())
        }
    }
}

pub(super) fn pushd(
    walker: &mut Walker<'_>,
    _scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    walker.run(called, RunNature::Program, None, called.view, state);
    let args = called.args();
    let left = state.folders.first().cloned();
    match args {
        [field] if !field.prefix().starts_with(['+', '-']) => {
            let target = target(walker, called, Some(field), state);
            match (&mut state.pushed, left) {
                (Some(pushed), Some(left)) => pushed.push(left),
                (pushed, _) => *pushed = None,
            }
            state.change_folder(target);
        }
        [] if state
            .pushed
            .as_ref()
            .is_some_and(|pushed| !pushed.is_empty()) =>
        {
            if let (Some(pushed), Some(left)) = (&mut state.pushed, left)
                && let Some(target) = pushed.pop()
            {
                pushed.push(left);
                state.change_folder(target);
            }
        }
        _ => {
            state.pushed = None;
            state.change_folder(Folder::Unknown("pushd".into()));
        }
    }
}

pub(super) fn popd(
    walker: &mut Walker<'_>,
    _scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    walker.run(called, RunNature::Program, None, called.view, state);
    let target = match (&mut state.pushed, called.args()) {
        // With nothing pushed by this line there may be folders of earlier ones.
        (Some(pushed), []) => pushed.pop(),
        _ => None,
    };
    match target {
        Some(target) => {
            let others = state.folders.get(1..).unwrap_or_default().to_vec();
            state.change_folder(target);
            state.may_also_be_in(&others);
        }
        None => {
            state.pushed = None;
            state.change_folder(Folder::Unknown("popd".into()));
        }
    }
}
