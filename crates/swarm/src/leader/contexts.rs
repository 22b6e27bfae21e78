//! The contexts of jobs' workers: what the settings, the command line and the job file together let
//! them do.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, ContextParts, HandlerKind, Lineage, LineageStep, ModeInForce, PermissionContext,
    PermissionMode, PermissionRule, RunId, SandboxState, ToolSet, WorkerId,
};
use pointsman_policy::settings::Offer;
use pointsman_policy::{Frozen, Problem, RuleIndex, Severity};

use super::options::{LeaderOptions, StartError};
use crate::job_file::Job;

/// What is the same for every try of one job: the context of its worker but for who that is, and the rules of it,
/// compiled.
pub(super) struct JobGround {
    parts: ContextParts,
    index: Arc<RuleIndex>,
}

/// Works out what each job's worker may do, once, and says what is wrong with the rules.
///
/// # Errors
/// When the mode of a job, or of an agent that may be spawned, is switched off.
pub(super) fn job_grounds(
    options: &LeaderOptions,
) -> Result<(Vec<JobGround>, Vec<Problem>), StartError> {
    let mut grounds: Vec<JobGround> = Vec::new();
    let mut problems = options.loaded.problems.clone();
    for (name, agent) in &options.job_file.agents {
        if let Some(mode) = agent.mode
            && is_forbidden(options, mode)
        {
            let agent = name.as_str().into();
            return Err(StartError::AgentModeForbidden { agent, mode });
        }
    }
    for job in &options.job_file.jobs {
        let (rules, found) = rules_of(options, job);
        keep(&mut problems, found);
        let mut parts = parts_of(options, job, rules)?;
        // Jobs mostly share rules and folder; then they share the compiled rules too.
        let same = |last: &&JobGround| {
            last.parts.folder == parts.folder && last.parts.rules == parts.rules
        };
        let index = match grounds.last().filter(same) {
            Some(last) => {
                parts.rules = Arc::clone(&last.parts.rules);
                Arc::clone(&last.index)
            }
            None => {
                let (frozen, found) = Frozen::new(PermissionContext::freeze(parts.clone()));
                keep(&mut problems, found);
                frozen.index
            }
        };
        grounds.push(JobGround { parts, index });
    }
    Ok((grounds, problems))
}

/// The problems for which an unattended run does not start.
pub(super) fn stopping(problems: &[Problem]) -> Vec<Problem> {
    let stops = |problem: &&Problem| problem.severity == Severity::StopsUnattended;
    problems.iter().filter(stops).cloned().collect()
}

/// Jobs mostly have the same problems; each is told once.
fn keep(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    for problem in found {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// The rules of the settings and the job's, as far as the settings let those count; and what is wrong
/// with the job's.
fn rules_of(options: &LeaderOptions, job: &Job) -> (Vec<PermissionRule>, Vec<Problem>) {
    let mut loaded = options.loaded.clone();
    loaded.problems.clear();
    loaded.add_rules(job.rules.iter().map(|rule| rule.rule(&options.project)));
    (loaded.rules, loaded.problems)
}

fn mode_of(options: &LeaderOptions, job: &Job) -> Result<PermissionMode, StartError> {
    let of_settings = options
        .loaded
        .default_mode
        .as_ref()
        .map(|setting| setting.mode);
    let mode = job
        .mode
        .or(options.mode)
        .or(of_settings)
        .unwrap_or(PermissionMode::Default);
    if is_forbidden(options, mode) {
        let job = job.name.as_ref().into();
        return Err(StartError::ModeForbidden { job, mode });
    }
    Ok(mode)
}

/// Whether the settings switch that mode off.
pub(super) fn is_forbidden(options: &LeaderOptions, mode: PermissionMode) -> bool {
    let switches = &options.loaded.switches;
    match mode {
        PermissionMode::BypassPermissions => switches.bypass == Offer::Forbidden,
        PermissionMode::Auto => switches.auto == Offer::Forbidden,
        PermissionMode::Plan
        | PermissionMode::DontAsk
        | PermissionMode::Default
        | PermissionMode::AcceptEdits => false,
    }
}

/// The job's folder first, then what it names beside it, then those of the settings.
fn directories_of(options: &LeaderOptions, job: &Job, folder: &AbsPath) -> Arc<[AbsPath]> {
    let named = job
        .directories
        .iter()
        .map(|text| options.project.join(text));
    let of_settings = options.loaded.additional_directories.iter();
    let mut directories = vec![folder.clone()];
    for directory in named.chain(of_settings.map(|setting| setting.folder.clone())) {
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories.into()
}

/// The worker's context, with nobody in it yet.
fn parts_of(
    options: &LeaderOptions,
    job: &Job,
    rules: Vec<PermissionRule>,
) -> Result<ContextParts, StartError> {
    let folder = options.project.join(&job.folder);
    Ok(ContextParts {
        lineage: lineage(job, WorkerId::new(RunId::FIRST, 0)),
        mode: ModeInForce::root(mode_of(options, job)?),
        rules: rules.into(),
        tools: job.tools.clone(),
        // The limit of a job's tools binds its worker alone.
        tools_to_pass_on: ToolSet::All,
        directories: directories_of(options, job, &folder),
        folder,
        project: options.project.clone(),
        home: options.home.clone(),
        depth_left: options.job_file.depth_max.saturating_sub(1),
        handler: HandlerKind::Coordinator,
        attended: options.attended,
        sandbox: SandboxState::Off,
    })
}

fn lineage(job: &Job, worker: WorkerId) -> Lineage {
    Lineage::root(LineageStep {
        worker,
        label: Arc::clone(&job.name),
        agent: job.work.agent(),
    })
}

impl JobGround {
    /// The frozen context of a new worker of this job.
    pub(super) fn freeze(&self, job: &Job, worker: WorkerId) -> Frozen {
        let context = PermissionContext::freeze(ContextParts {
            lineage: lineage(job, worker),
            ..self.parts.clone()
        });
        Frozen {
            context: Arc::new(context),
            index: Arc::clone(&self.index),
        }
    }
}
