//! The agents of a case: the one that calls, and those that spawned it, each frozen as a run would do it.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, AgentName, Attended, ChildContext, ContextParts, HandlerKind, Lineage, LineageStep,
    ModeInForce, PermissionContext, PermissionMode, PermissionRule, RuleBehavior, RunId,
    SandboxState, ToolSet, WhoSetMode, WorkerId,
};

use super::CaseError;
use super::line::{Answerers, Line, ModeBy, Parent, Sandbox};
use super::scene::{rule, wrong};
use crate::settings::{Loaded, Offer};

/// An agent of the case, the first one's mode and folder being those of the session.
struct Agent {
    mode: Option<PermissionMode>,
    by: WhoSetMode,
    folder: AbsPath,
}

/// The folder that the first of the agents started in: the project, where the case says no other root.
pub(super) fn first_folder(case: &Line) -> Result<AbsPath, CaseError> {
    let first = agents(case)?.into_iter().next();
    Ok(first.map_or_else(AbsPath::root, |agent| agent.folder))
}

/// What the calling agent may do.
pub(super) fn context(
    case: &Line,
    home: &AbsPath,
    root: &AbsPath,
    settings: &Loaded,
    rules: Vec<PermissionRule>,
) -> Result<PermissionContext, CaseError> {
    let agents = agents(case)?;
    let mut below = agents.len();
    let run = RunId::new(1).ok_or_else(|| CaseError::Value {
        field: "id",
        source: "no run".into(),
    })?;
    let mut steps = (1..).zip(agents).map(|(number, agent)| {
        let step = LineageStep {
            worker: WorkerId::new(run, number),
            label: Arc::from("case"),
            agent: AgentName::new("case"),
        };
        (step, agent)
    });
    let (step, first) = steps.next().ok_or_else(|| CaseError::Value {
        field: "parent",
        source: "no agent".into(),
    })?;
    let added = settings.additional_directories.iter();
    let directories =
        std::iter::once(first.folder.clone()).chain(added.map(|added| added.folder.clone()));
    let start = settings.default_mode.as_ref().map(|said| said.mode);
    let start = start.unwrap_or(PermissionMode::Default);
    below = below.saturating_sub(1);
    let mut frozen = PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(step),
        mode: ModeInForce::root(offered(first.mode.unwrap_or(start), settings)),
        rules: rules.into(),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: first.folder,
        project: root.clone(),
        home: home.clone(),
        directories: directories.collect(),
        depth_left: u32::try_from(below).unwrap_or(u32::MAX),
        handler: HandlerKind::Interactive,
        attended: match case.context.attended {
            Answerers::There => Attended::Yes,
            Answerers::Nobody => Attended::No,
        },
        sandbox: match case.context.sandbox {
            Sandbox::Off => SandboxState::Off,
            Sandbox::On => SandboxState::On,
            Sandbox::AutoAllow => SandboxState::AutoAllow,
        },
    });
    for (step, agent) in steps {
        below = below.saturating_sub(1);
        let child = ChildContext {
            step,
            mode: agent.mode.map(|mode| (offered(mode, settings), agent.by)),
            tools: ToolSet::All,
            folder: Some(agent.folder),
            rules: if below == 0 {
                own_rules(case, root)
            } else {
                Vec::new()
            },
        };
        frozen = frozen
            .child(child)
            .map_err(|error| wrong("parent", error))?;
    }
    Ok(frozen)
}

/// The rules that the calling agent has beside all others'.
pub(super) fn own_rules(case: &Line, anchor: &AbsPath) -> Vec<PermissionRule> {
    let own = |behavior, texts: &[String]| -> Vec<PermissionRule> {
        texts
            .iter()
            .map(|text| rule(behavior, text, anchor))
            .collect()
    };
    let mut rules = own(RuleBehavior::Ask, &case.context.ask);
    rules.extend(own(RuleBehavior::Deny, &case.context.deny));
    rules
}

/// The agents, the first one first, the calling one last.
fn agents(case: &Line) -> Result<Vec<Agent>, CaseError> {
    let folder = |text: &str| AbsPath::parse(text).map_err(|error| wrong("cwd", error));
    let here = folder(&case.cwd)?;
    let mut agents = vec![Agent {
        mode: mode(case.mode.as_deref())?,
        by: who(case.context.mode_by),
        folder: here.clone(),
    }];
    let mut above: Option<&Parent> = case.parent.as_ref();
    while let Some(parent) = above {
        agents.push(Agent {
            mode: mode(parent.mode.as_deref())?,
            by: who(parent.mode_by),
            folder: match &parent.cwd {
                Some(text) => folder(text)?,
                None => here.clone(),
            },
        });
        above = parent.parent.as_deref();
    }
    agents.reverse();
    Ok(agents)
}

fn who(by: ModeBy) -> WhoSetMode {
    match by {
        ModeBy::Person => WhoSetMode::Person,
        ModeBy::Agent => WhoSetMode::Agent,
    }
}

fn mode(written: Option<&str>) -> Result<Option<PermissionMode>, CaseError> {
    let read = |text: &str| text.parse().map_err(|error| wrong("mode", error));
    written.map(read).transpose()
}

/// The mode; one that the case's settings forbid is mode default.
fn offered(mode: PermissionMode, settings: &Loaded) -> PermissionMode {
    let offer = match mode {
        PermissionMode::BypassPermissions => settings.switches.bypass,
        PermissionMode::Auto => settings.switches.auto,
        PermissionMode::Plan
        | PermissionMode::DontAsk
        | PermissionMode::Default
        | PermissionMode::AcceptEdits => Offer::Offered,
    };
    match offer {
        Offer::Offered => mode,
        Offer::Forbidden => PermissionMode::Default,
    }
}
