//! A frozen context together with its rules, compiled once.

use std::sync::Arc;

use pointsman_model::{ChildContext, PermissionContext, SpawnContextError};

use crate::index::Anchors;
use crate::{ParsedRules, Problem, RuleIndex};

/// What an agent may do, ready to judge by. Cheap to clone; children share their parent's index.
#[derive(Debug, Clone)]
pub struct Frozen {
    /// The context.
    pub context: Arc<PermissionContext>,
    /// Its rules, compiled.
    pub index: Arc<RuleIndex>,
}

impl Frozen {
    /// Compiles the context's rules. What can't be used of them is told; a deny or ask that can't be read leaves
    /// every call that is not denied asking.
    #[must_use]
    pub fn new(context: PermissionContext) -> (Self, Vec<Problem>) {
        Self::of(context, ParsedRules::default())
    }

    /// The same, with what the settings' texts were read as when they were loaded, so that none is read twice.
    #[must_use]
    pub fn of(context: PermissionContext, parsed: ParsedRules) -> (Self, Vec<Problem>) {
        let parts = context.parts();
        let anchors = Anchors {
            folder: parts.folder.clone(),
            project: parts.project.clone(),
            home: parts.home.clone(),
        };
        let (index, problems) = RuleIndex::build_of(&parts.rules, parsed, &anchors);
        let frozen = Self {
            context: Arc::new(context),
            index: Arc::new(index),
        };
        (frozen, problems)
    }

    /// What an agent that this one spawns may do.
    ///
    /// # Errors
    /// When it may not spawn: see [`PermissionContext::child`].
    pub fn child(&self, child: ChildContext) -> Result<Self, SpawnContextError> {
        let context = self.context.child(child)?;
        if context.parts().rules != self.context.parts().rules {
            // What is wrong with a rule was told where it was read; one that can't be used leaves all asking.
            return Ok(Self::new(context).0);
        }
        Ok(Self {
            context: Arc::new(context),
            index: Arc::clone(&self.index),
        })
    }
}
