//! What every tool would do, reduced to effects. Nothing after this looks at a tool's input, but for rules
//! on its fields.

mod files;
mod other;
mod url;

use pointsman_model::{
    AgentName, Change, Effect, EffectKind, EffectView, Effects, PathRole, PathUse, Reach, SpawnUse,
    ToolInput, ToolName,
};
use pointsman_shell::Surroundings;

pub use files::resolve_path;

/// The agent type that is started when a call names none.
const DEFAULT_AGENT: &str = "general-purpose";

/// The effects of one call. A tool that says nothing of what it does is opaque.
#[must_use]
pub fn effects_of(tool: &ToolName, input: &ToolInput, at: &Surroundings) -> Effects {
    let mut list = List::default();
    match input {
        ToolInput::Bash(bash) => return pointsman_shell::analyse(&bash.command, at).effects,
        ToolInput::Read(read) => list.read(&read.file_path, Reach::Itself, at),
        ToolInput::Write(write) => list.write(&write.file_path, at),
        ToolInput::Edit(edit) => list.write(&edit.file_path, at),
        ToolInput::Glob(glob) => list.glob(glob, at),
        ToolInput::Grep(grep) => list.grep(grep, at),
        ToolInput::Spawn(spawn) => list.sure(EffectKind::Spawn(SpawnUse {
            agent: AgentName::new(spawn.subagent_type.as_deref().unwrap_or(DEFAULT_AGENT)),
        })),
        ToolInput::Other(other) => return other::effects(tool, &other.raw, at),
    }
    list.done()
}

/// Effects being gathered.
#[derive(Default)]
struct List(Vec<Effect>);

impl List {
    fn sure(&mut self, kind: EffectKind) {
        self.push(kind, EffectView::Sure);
    }

    fn might(&mut self, kind: EffectKind) {
        self.push(kind, EffectView::Might);
    }

    fn push(&mut self, kind: EffectKind, view: EffectView) {
        self.0.push(Effect {
            kind,
            view,
            part: 0,
        });
    }

    fn read(&mut self, path: &str, reach: Reach, at: &Surroundings) {
        let used = self.tool_path(path, reach, at);
        self.sure(EffectKind::Read(used));
    }

    fn write(&mut self, path: &str, at: &Surroundings) {
        let target = self.tool_path(path, Reach::Itself, at);
        self.sure(EffectKind::Write {
            target,
            change: Change::Content,
        });
    }

    fn tool_path(&mut self, path: &str, reach: Reach, at: &Surroundings) -> PathUse {
        self.hidden(path);
        PathUse {
            path: files::path_value(path, at),
            by: PathRole::Tool,
            reach,
            span: None,
        }
    }

    /// A text that hides something is never allowed automatically.
    fn hidden(&mut self, text: &str) {
        if pointsman_model::first_hidden(text).is_some() {
            self.sure(other::opaque(
                pointsman_model::OpaqueWhy::HiddenCharacter,
                text,
            ));
        }
    }

    fn done(self) -> Effects {
        Effects {
            list: self.0,
            ..Effects::default()
        }
    }
}

#[cfg(test)]
mod tests;
