//! Calls of functions: what they leave behind, wherever they return.

use std::rc::Rc;

use super::{Called, Scene, Walker};
use crate::analysis::Nesting;
use crate::state::{FunctionText, State};

impl Walker<'_> {
    /// Calls a function, by all definitions that it may have.
    pub(super) fn call_functions(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        bodies: &[Rc<FunctionText>],
        state: &mut State,
    ) {
        let outer = state.positional.take();
        let mut end: Option<State> = None;
        for body in bodies {
            let mut own = state.clone();
            own.positional = Some(Rc::new(called.args().to_vec()));
            let kind = (called.view, Nesting::Function);
            own.enter_function();
            let around = self.ends.returned.take();
            self.out_of_loops(|walker| {
                walker.nested_text(scene, called, &body.body, called.span, kind, &mut own);
            });
            if let Some(returned) = std::mem::replace(&mut self.ends.returned, around) {
                own.join(&returned);
            }
            own.leave_function();
            match &mut end {
                Some(end) => end.join(&own),
                None => end = Some(own),
            }
        }
        if let Some(end) = end {
            *state = end;
        }
        state.positional = outer;
    }
}

/// Whether what stands in front of the command may stay when it has ended: that of the shell's special commands does in
/// POSIX mode and in `sh`, that of those that declare a variable in Bash too.
pub(super) fn may_keep_assignments(program: &str) -> bool {
    matches!(
        program,
        "." | ":"
            | "break"
            | "continue"
            | "declare"
            | "eval"
            | "exec"
            | "export"
            | "local"
            | "readonly"
            | "return"
            | "set"
            | "shift"
            | "source"
            | "times"
            | "trap"
            | "typeset"
            | "unset"
    )
}
