//! What a job's agent may do now and might not have done when it was started, or the other way round: told when a run is
//! not taken up for it (law 16). The record of an agent's start holds all of it but rules and directories, whose change
//! shows in the fingerprint alone.

use pointsman_ledger::WorkerSpawned;
use pointsman_model::{
    AbsPath, Attended, ContextParts, Digest, ModeInForce, PermissionContext, ToolSet,
};

/// What an agent was given for good, as far as its record tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    mode: ModeInForce,
    tools: ToolSet,
    folder: AbsPath,
    depth_left: u32,
    attended: Attended,
    /// The fingerprint of all of it.
    pub(super) context: Digest,
}

impl Given {
    pub(super) fn of(spawned: &WorkerSpawned) -> Self {
        Self {
            mode: spawned.mode,
            tools: spawned.tools.clone(),
            folder: spawned.folder.clone(),
            depth_left: spawned.depth_left,
            attended: spawned.attended,
            context: spawned.context,
        }
    }

    /// What is different in `now`, a clause each; nothing when it is the same.
    pub(super) fn differences(&self, now: &PermissionContext) -> Vec<Box<str>> {
        if now.digest() == self.context {
            return Vec::new();
        }
        let parts = now.parts();
        let mut told: Vec<Box<str>> = Vec::new();
        match (self.attended, parts.attended) {
            (Attended::Yes, Attended::No) => {
                told.push("somebody was there to answer, and is not now".into());
            }
            (Attended::No, Attended::Yes) => {
                told.push("nobody was there to answer, and somebody is now".into());
            }
            (Attended::Yes, Attended::Yes) | (Attended::No, Attended::No) => {}
        }
        if self.mode != parts.mode {
            let (was, is) = (self.mode.mode(), parts.mode.mode());
            told.push(format!("its mode was `{was}` and is `{is}`").into());
        }
        if self.tools != parts.tools {
            let (was, is) = (names(&self.tools), names(&parts.tools));
            told.push(format!("its tools were {was} and are {is}").into());
        }
        if self.folder != parts.folder {
            let (was, is) = (&self.folder, &parts.folder);
            told.push(format!("its folder was `{was}` and is `{is}`").into());
        }
        if self.depth_left != parts.depth_left {
            let (was, is) = (self.depth_left, parts.depth_left);
            told.push(
                format!("below it agents could be {was} deep, and may be {is} deep now").into(),
            );
        }
        if self.put_back(parts).digest() != self.context {
            told.push(
                "rules of the settings or the command line, or its directories, are not what they were"
                    .into(),
            );
        }
        told
    }

    /// `now` with all that is on record as it was.
    fn put_back(&self, now: &ContextParts) -> PermissionContext {
        PermissionContext::freeze(ContextParts {
            mode: self.mode,
            tools: self.tools.clone(),
            folder: self.folder.clone(),
            depth_left: self.depth_left,
            attended: self.attended,
            ..now.clone()
        })
    }
}

fn names(tools: &ToolSet) -> String {
    match tools {
        ToolSet::All => "all there are".into(),
        ToolSet::Only(tools) => {
            let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
            names.join(", ")
        }
    }
}
