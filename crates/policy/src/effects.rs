//! What every tool would do, reduced to effects.

use pointsman_model::{
    Effect, EffectKind, EffectView, Effects, Opaque, OpaqueWhy, ToolInput, ToolName,
};
use pointsman_shell::Surroundings;

/// The effects of one call. A tool that says nothing of what it does is opaque.
#[must_use]
pub fn effects_of(tool: &ToolName, input: &ToolInput, at: &Surroundings) -> Effects {
    match input {
        ToolInput::Bash(bash) => pointsman_shell::analyse(&bash.command, at).effects,
        ToolInput::Read(_)
        | ToolInput::Write(_)
        | ToolInput::Edit(_)
        | ToolInput::Glob(_)
        | ToolInput::Grep(_)
        | ToolInput::Spawn(_)
        | ToolInput::Other(_) => Effects {
            list: vec![Effect {
                kind: EffectKind::Opaque(Opaque {
                    why: OpaqueWhy::UnknownTool,
                    text: tool.as_str().into(),
                    span: None,
                }),
                view: EffectView::Sure,
                part: 0,
            }],
            line: None,
        },
    }
}
