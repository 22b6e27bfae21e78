//! `pointsman check`: judge one call, or a file of cases, without running anything.

pub(super) mod cases;
pub(super) mod input;
mod parts;

use std::mem::ManuallyDrop;

use pointsman_model::{
    AbsPath, AgentName, Attended, ContextParts, Effects, HandlerKind, JsonText, Judgement, Lineage,
    LineageStep, ModeInForce, Overlay, PermissionContext, PermissionDecision, RunId, SandboxState,
    ToolInput, ToolName, ToolSet, WorkerId,
};
use pointsman_policy::settings::Loaded;
use pointsman_policy::{DiskTree, Frozen, HookVote, Question, effects_of, judge, name_case};
use pointsman_shell::{Surroundings, analyse};
use pointsman_surfaces::render::{effect_lines, judgement_text, reason_kind};
use serde_json::json;

use self::parts::JudgedPart;
use super::rules::{self, Given};
use crate::arguments::CheckArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Judges the call or the cases.
pub(super) fn run(arguments: &CheckArguments, output: &mut Output) -> Result<Code, Failure> {
    match (&arguments.cases, &arguments.tool, &arguments.input) {
        (Some(file), _, _) => cases::run(file, output),
        (None, Some(tool), Some(input)) => one(arguments, tool, input, output),
        (None, _, _) => Err(Failure::bad_input("say which tool and which input")),
    }
}

fn one(
    arguments: &CheckArguments,
    tool: &str,
    input: &str,
    output: &mut Output,
) -> Result<Code, Failure> {
    let call = input::read(tool, input)?;
    let place = Place::here()?;
    // The process ends with this call, and gives all memory back at once.
    let mut given = ManuallyDrop::new(rules::read(&arguments.rules, &place)?);
    rules::tell(&given.loaded, output);
    let parsed = std::mem::take(&mut given.loaded.parsed);
    let (frozen, problems) = Frozen::of(context(&place, &mut given)?, parsed);
    let frozen = ManuallyDrop::new(frozen);
    for problem in &problems {
        output.note(&given.loaded.draw(problem));
    }
    let surroundings = Surroundings {
        folder: place.folder.clone(),
        home: place.home.clone(),
        case: name_case(&DiskTree),
    };
    let effects = effects_of(&call.tool, &call.input, &surroundings);
    let overlay = Overlay::default();
    let judged = |effects: &Effects| {
        judge(&Question {
            tool: &call.tool,
            input: &call.text,
            effects,
            folder: &place.folder,
            frozen: &frozen,
            overlay: &overlay,
            vote: &HookVote::None,
            tree: &DiskTree,
        })
    };
    let judgement = judged(&effects);
    let parts = match &call.input {
        ToolInput::Bash(input) => analyse(&input.command, &surroundings).parts,
        _ => Vec::new(),
    };
    let parts = parts::judged(&parts, &effects, judged);
    print(output, &parts, &effects, &judgement);
    Ok(code(judgement.decision))
}

fn print(output: &mut Output, parts: &[JudgedPart<'_>], effects: &Effects, judgement: &Judgement) {
    output.text(&judgement_text(judgement));
    output.text(if parts.is_empty() {
        "what it would do\n"
    } else {
        "what it would do, each part judged alone\n"
    });
    if parts.is_empty() {
        for line in effect_lines(effects) {
            output.text(&format!("  {line}\n"));
        }
    } else {
        output.text(&parts::text(parts));
    }
    output.text(&format!(
        "`pointsman explain {}` tells more\n",
        reason_kind(&judgement.reason)
    ));
    output.object(&json!({
        "decision": judgement.decision,
        "reason": judgement.reason,
        "insistence": judgement.insistence,
        "trail": judgement.trail,
        "if_nobody": judgement.if_nobody,
        "parts": parts::objects(parts),
        "effects": effects.list,
    }));
}

fn code(decision: PermissionDecision) -> Code {
    match decision {
        PermissionDecision::Allow => Code::Done,
        PermissionDecision::Deny => Code::Refused,
        PermissionDecision::Ask => Code::Asks,
    }
}

/// What an agent started here by a person might do.
fn context(place: &Place, given: &mut Given) -> Result<PermissionContext, Failure> {
    let run = RunId::new(1).ok_or_else(|| Failure::failed("a run has a number"))?;
    let mut directories = vec![place.project.clone()];
    directories.extend(added_directories(&given.loaded));
    Ok(PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(LineageStep {
            worker: WorkerId::new(run, 1),
            label: "check".into(),
            agent: AgentName::new("check"),
        }),
        mode: ModeInForce::root(given.mode),
        rules: std::mem::take(&mut given.loaded.rules).into(),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: place.folder.clone(),
        project: place.project.clone(),
        home: place.home.clone(),
        directories: directories.into(),
        depth_left: 1,
        handler: HandlerKind::Interactive,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    }))
}

fn added_directories(loaded: &Loaded) -> impl Iterator<Item = AbsPath> {
    loaded
        .additional_directories
        .iter()
        .map(|added| added.folder.clone())
}

/// A call as it is judged.
pub(super) struct Call {
    pub(super) tool: ToolName,
    pub(super) input: ToolInput,
    pub(super) text: JsonText,
}
