//! The tools there are, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman_model::ToolName;

use crate::{Tool, built_in};

/// The old name of the tool that starts agents, which models and rules still use.
const OLD_NAMES: [(&str, &str); 1] = [("Task", "Agent")];

/// A set of tools. Fixed once a run has started.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<ToolName, Arc<dyn Tool>>,
}

impl Toolbox {
    /// A box without tools.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Pointsman's own tools: Bash, Read, Write, Edit, Glob, Grep, Agent.
    #[must_use]
    pub fn built_in() -> Self {
        let mut toolbox = Self::empty();
        for tool in built_in::all() {
            toolbox.add(tool);
        }
        toolbox
    }

    /// Puts a tool in; one of the same name is replaced.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        self.tools.insert(tool.spec().name.clone(), tool);
    }

    /// The tool of that name, or of the name that has taken its place.
    #[must_use]
    pub fn get(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).or_else(|| {
            let (_, new) = OLD_NAMES
                .into_iter()
                .find(|(old, _)| *old == name.as_str())?;
            self.tools.get(&ToolName::parse(new).ok()?)
        })
    }

    /// All tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }
}
