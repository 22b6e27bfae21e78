//! The start of a leader: ledger, reaping, services, what all agents share.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dashmap::DashMap;
use pointsman_approvals::{Grants, Reign, Requests, RequestsOptions, RequestsService, in_process};
use pointsman_gate::{
    Adjudicator, CoordinatorHandler, Explaining, HookPlace, Hooks, Lifts, Notices, Panel,
    SwarmWorkerHandler, Votes, hooks_that_cant_start,
};
use pointsman_ledger::{HighestIds, Ledger, OpenReport, OrderGiven, RequestOpened, RunStart};
use pointsman_model::{Answerer, Attended, Millis, RunId, Surface, WorkerId};
use pointsman_policy::{Frozen, Problem};
use pointsman_process::KEY_LEFT_OUT;
use pointsman_tools::{Pace, RunIds};
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::again::contexts_again;
use super::contexts::{JobGround, job_grounds, stopping};
use super::desk_rules::DeskRules;
use super::edited::edited_inputs;
use super::ground::Ground;
use super::holding::hold;
use super::nursery::work_of;
use super::orders::Order;
use super::past::Past;
use super::reaping::{AllReaped, clear_up, note_ended};
use super::roster::{Roster, of_job_file, roster};
use super::work::{check_models, without_keys};
use super::{Checked, Leader, LeaderHandle, LeaderOptions, Patience, Pauses, Progress, StartError};
use crate::StopReason;
use crate::directory::Directory;
use crate::job_card::JobBoard;
use crate::job_file::{Job, Work};
use crate::plan::Plan;

/// How many events a slow watcher may lag behind before it misses some.
const EVENTS_MAX: usize = 4_096;
/// How many stops may wait to be read; the first is the one that counts.
const STOPS_MAX: usize = 4;
/// How many other orders may wait; people give them one by one.
const ORDERS_MAX: usize = 16;
/// How many letters may wait for the desk; further ones wait with their workers.
const LETTERS_MAX: usize = 1_024;
/// How long a question stays open when neither job file nor settings say.
const ANSWER_WITHIN: Duration = Duration::from_secs(30 * 60);

/// See [`Leader::start`].
pub(super) async fn start(
    mut options: LeaderOptions,
) -> Result<(LeaderHandle, Leader), StartError> {
    let Looked {
        grounds,
        agents,
        problems,
        jobs,
        joined,
    } = look(&mut options)?;
    may_start(&options, &problems)?;
    options.place.prepare()?;
    let (ledger, report) = open_ledger(&options).await?;
    // Before its past, its lock or what changed since can make this fail: the ledger tells of a dead leader but once
    // (law 21).
    let mut reaped = clear_up(&ledger, &options.place, &report).await?;
    let all: Vec<Job> = jobs
        .iter()
        .chain(joined.iter().flatten())
        .cloned()
        .collect();
    let mut taken = take(&ledger, &options, (&all, &grounds, &agents), &mut reaped).await?;
    let run = taken.run;
    let left_open = std::mem::take(&mut taken.open);
    carry_over(&taken.past, &all, &agents);
    let unknown: Vec<_> = taken.past.unknown();
    let paused = taken.past.orders.told();
    let owner = options.place.owner(run);
    options.environment = options.environment.owned_by(&owner);
    note_ended(&ledger, run, &mut reaped).await?;
    let (stop, stops) = flume::bounded(STOPS_MAX);
    let (order, orders) = mpsc::channel(ORDERS_MAX);
    let Stood {
        ground,
        services,
        services_stop,
    } = stand_up(&options, agents, ledger, taken, stop.clone());
    ground.past.take_up(&ground.requests, left_open).await;
    let board = JobBoard::of(&all);
    let mut plan = Plan::new(&jobs, options.job_file.slots);
    for jobs in joined {
        plan.join(&jobs);
    }
    let handle = handle(&options, &ground, &board, (stop, order));
    let jobs: Vec<_> = all.into_iter().map(Arc::new).collect();
    let leader = Leader {
        plan,
        progress: vec![Progress::default(); jobs.len()],
        jobs,
        job_grounds: grounds,
        stops,
        orders,
        board,
        tries: JoinSet::new(),
        trying: HashMap::new(),
        retries: BTreeSet::new(),
        patience: Patience::Unlimited,
        settled: VecDeque::new(),
        dropped: Vec::new(),
        remarks: remarks_of(&report, reaped.killed, (run, &unknown)),
        unknown: unknown.into_iter().chain(paused).collect(),
        services_stop,
        services,
        problems,
        ground,
        owner: owner.into(),
        options,
    };
    Ok((handle, leader))
}

/// What is found out before anything is touched.
struct Looked {
    grounds: Vec<JobGround>,
    agents: Roster,
    problems: Vec<Problem>,
    /// The jobs of the file that the run began with.
    jobs: Vec<Job>,
    /// Those that had joined it, file by file.
    joined: Vec<Vec<Job>>,
}

fn look(options: &mut LeaderOptions) -> Result<Looked, StartError> {
    let (mut grounds, mut problems) = job_grounds(options)?;
    let (agents, found) = roster(options);
    problems.extend(found);
    check_models(options)?;
    options.environment = without_keys(options);
    let jobs = options.job_file.jobs.clone();
    let joined = joined_before(options, &agents, (&mut grounds, &mut problems))?;
    let place = hook_place(options, None);
    problems.extend(hooks_that_cant_start(&options.loaded.hooks, &place));
    Ok(Looked {
        grounds,
        agents,
        problems,
        jobs,
        joined,
    })
}

/// See [`Leader::check`].
pub(super) fn check(mut options: LeaderOptions) -> Result<Checked, StartError> {
    let problems = look(&mut options)?.problems;
    let may_start = may_start(&options, &problems);
    Ok(Checked {
        problems,
        may_start,
    })
}

/// With nobody there a run does not start when something that forbids or asks can't be read.
fn may_start(options: &LeaderOptions, problems: &[Problem]) -> Result<(), StartError> {
    match options.attended {
        Attended::Yes => Ok(()),
        Attended::No => {
            let problems = stopping(problems);
            if problems.is_empty() && options.loaded.may_run_unattended() {
                Ok(())
            } else {
                Err(StartError::Settings { problems })
            }
        }
    }
}

/// Works out what the jobs may do that had joined the run before its leader died, file by file, as when they joined.
fn joined_before(
    options: &mut LeaderOptions,
    agents: &Roster,
    (grounds, problems): (&mut Vec<JobGround>, &mut Vec<Problem>),
) -> Result<Vec<Vec<Job>>, StartError> {
    let files = options
        .resume
        .as_mut()
        .map(|resumed| std::mem::take(&mut resumed.joined))
        .unwrap_or_default();
    let mut joined = Vec::new();
    for file in files {
        let first = std::mem::replace(&mut options.job_file, file);
        let looked = job_grounds(options).and_then(|looked| {
            check_models(options)?;
            Ok(looked)
        });
        // Nothing that the run starts sees the keys of any of its files.
        options.environment = without_keys(options);
        let file = std::mem::replace(&mut options.job_file, first);
        let (of_file, found) = looked?;
        grounds.extend(of_file);
        problems.extend(found);
        for (name, agent) in &file.agents {
            agents.insert(name.clone(), of_job_file(agent));
        }
        joined.push(file.jobs);
    }
    Ok(joined)
}

/// A run that this leader has begun or taken up.
struct Taken {
    run: RunId,
    reign: Reign,
    highest: HighestIds,
    past: Past,
    /// Of the agents that are to live again: known before their questions are open, which are judged by them from then on.
    contexts: DashMap<WorkerId, Frozen>,
    /// The questions that the dead leader left.
    open: Vec<RequestOpened>,
}

/// What models had spent before their leader died counts on: a budget is that of the run, whoever leads it.
fn carry_over(past: &Past, jobs: &[Job], agents: &Roster) {
    for (lineage, spent) in past.take_spent() {
        match work_of(&lineage, jobs, agents) {
            Some(Work::Model(model)) => model.spending.carry_over(spent),
            // A job's agent types are what they were; who was of another kind spent nothing.
            Some(Work::Steps(_) | Work::Replay(_)) | None => {}
        }
    }
}

/// Begins a run, or takes one up again. Of one that is taken up each agent has to be given what it was given (law 16).
async fn take(
    ledger: &Ledger,
    options: &LeaderOptions,
    (jobs, grounds, agents): (&[Job], &[JobGround], &Roster),
    reaped: &mut AllReaped,
) -> Result<Taken, StartError> {
    let Some((run, pauses)) = options.resume.as_ref().map(|it| (it.run, it.pauses)) else {
        return Ok(Taken {
            run: ledger.begin_run(run_start(options)).await?,
            reign: Reign::FIRST,
            highest: HighestIds::default(),
            past: Past::default(),
            contexts: DashMap::new(),
            open: Vec::new(),
        });
    };
    let held = hold(ledger, &options.place, run, reaped).await?;
    let path = ledger.path().to_owned();
    let read = tokio::task::spawn_blocking(move || Past::read(&path, run)).await;
    let mut past = read.map_err(|_| StartError::TaskLost)??;
    let over = match (pauses, options.attended) {
        (Pauses::Over, _) => past.orders.go_on(),
        (Pauses::Kept, Attended::Yes) => Vec::new(),
        // No wait without an end (law 12): a person who paused it can't have meant to let it wait for nobody.
        (Pauses::Kept, Attended::No) => match past.orders.paused(run) {
            paused if paused.is_empty() => Vec::new(),
            paused => return Err(StartError::Paused { paused }),
        },
    };
    let contexts = contexts_again(&past, (jobs, grounds), agents)?;
    let report = held.resume().await?;
    for order in over {
        let by = Answerer::Person {
            surface: Surface::Command,
        };
        ledger.append(run, OrderGiven { by, order }).await?;
    }
    Ok(Taken {
        run,
        reign: Reign::resumed(&report),
        highest: report.highest,
        past,
        contexts,
        open: report.open,
    })
}

/// What surfaces hold of it.
fn handle(
    options: &LeaderOptions,
    ground: &Ground,
    board: &JobBoard,
    (stops, orders): (flume::Sender<StopReason>, mpsc::Sender<Order>),
) -> LeaderHandle {
    LeaderHandle {
        run: ground.run,
        requests: ground.requests.clone(),
        grants: ground.grants.clone(),
        hooks: Arc::downgrade(&ground.hooks),
        lifts: ground.lifts.clone(),
        classifier: ground.classifier.clone(),
        agents: Arc::clone(&ground.agents),
        ledger: ground.ledger.clone(),
        directory: ground.directory.clone(),
        events: ground.events.clone(),
        said: ground.said.clone(),
        moves: ground.moves.clone(),
        stops,
        orders,
        board: board.clone(),
        contexts: Arc::clone(&ground.contexts),
        pace: ground.pace.clone(),
        clock: Arc::clone(&ground.clock),
        socket: options.place.socket(ground.run),
        project: options.project.clone(),
    }
}

/// What stands once the leader has started.
struct Stood {
    ground: Arc<Ground>,
    /// The open requests and the desk; they serve until their stop.
    services: JoinSet<()>,
    services_stop: CancellationToken,
}

/// Makes what all agents share, and starts the services behind it.
fn stand_up(
    options: &LeaderOptions,
    agents: Roster,
    ledger: Ledger,
    taken: Taken,
    stops: flume::Sender<StopReason>,
) -> Stood {
    let (run, highest) = (taken.run, taken.highest);
    let clock = Arc::clone(&options.clock);
    let services_stop = CancellationToken::new();
    let mut services = JoinSet::new();
    let grants = Grants::continued(run, ledger.clone(), Arc::clone(&clock), highest.grant);
    let contexts = Arc::new(taken.contexts);
    let rules = Arc::new(DeskRules {
        grants: grants.clone(),
        contexts: Arc::clone(&contexts),
        clock: Arc::clone(&clock),
        tree: Arc::clone(&options.tree),
    });
    let asking = RequestsOptions {
        reign: taken.reign,
        inputs: edited_inputs(Arc::clone(&rules), options),
        ..RequestsOptions::default()
    };
    let (requests, service) = RequestsService::new(ledger.clone(), Arc::clone(&clock), &asking);
    services.spawn(service.run(services_stop.clone()));
    let pace = Pace::default();
    taken.past.orders.put_in_force(&grants, &pace);
    if let Some(classifier) = &options.classifier {
        classifier.begins(&options.environment);
    }
    let panel = panel(options, &ledger, requests.clone(), grants.clone());
    let lifts = panel.lifts.clone();
    let hooks = Arc::clone(&panel.hooks);
    let coordinator = CoordinatorHandler::new(panel.clone());
    let (mailbox, inbox) = in_process(LETTERS_MAX);
    let desk = Adjudicator::new(coordinator.clone(), rules);
    services.spawn(desk.run(inbox, services_stop.clone()));
    tell_of_requests(options, &requests, &hooks, (&mut services, &services_stop));
    let ground = Ground {
        run,
        ledger,
        clock,
        ids: Arc::new(RunIds::continued(run, highest)),
        requests,
        grants,
        hooks,
        lifts,
        classifier: options.classifier.clone(),
        toolbox: Arc::clone(&options.toolbox),
        tree: Arc::clone(&options.tree),
        environment: options.environment.clone(),
        answer_within: answer_within(options),
        directory: Directory::expecting(taken.past.unended()),
        past: taken.past,
        moves: broadcast::Sender::new(EVENTS_MAX),
        events: broadcast::Sender::new(EVENTS_MAX),
        said: broadcast::Sender::new(EVENTS_MAX),
        contexts,
        coordinator: Arc::new(coordinator),
        swarm_worker: Arc::new(SwarmWorkerHandler::new(panel, Arc::new(mailbox.clone()))),
        mailbox,
        agents: Arc::new(agents),
        models: options.models.clone(),
        agents_max: options.job_file.agents_max,
        agents_started: AtomicU32::new(highest.worker),
        stop: CancellationToken::new(),
        orders: stops,
        pace,
        background: OnceLock::new(),
    };
    Stood {
        ground: Arc::new(ground),
        services,
        services_stop,
    }
}

/// Starts those who are told of each request: the hooks for notices, and the explainer.
fn tell_of_requests(
    options: &LeaderOptions,
    requests: &Requests,
    hooks: &Arc<Hooks>,
    (services, stop): (&mut JoinSet<()>, &CancellationToken),
) {
    let notices = Notices::new(requests.clone(), Arc::clone(hooks));
    services.spawn(notices.run(stop.clone()));
    if let Some(explainer) = &options.explainer {
        let explaining = Explaining::new(requests.clone(), explainer.clone());
        services.spawn(explaining.run(stop.clone()));
    }
}

fn hook_place(options: &LeaderOptions, ledger: Option<Ledger>) -> HookPlace {
    HookPlace {
        project: options.project.clone(),
        home: options.home.clone(),
        environment: options.environment.clone(),
        attended: options.attended,
        tree: Arc::clone(&options.tree),
        allow_rules: options.loaded.switches.allow_rules,
        ledger,
    }
}

fn panel(options: &LeaderOptions, ledger: &Ledger, requests: Requests, grants: Grants) -> Panel {
    let place = hook_place(options, Some(ledger.clone()));
    Panel {
        requests,
        hooks: Arc::new(Hooks::new(options.loaded.hooks.clone(), place)),
        classifier: options.classifier.clone(),
        lifts: Lifts::default(),
        votes: Votes::default(),
        grants,
        attended: options.attended,
        clock: Arc::clone(&options.clock),
    }
}

/// The job file's word comes before that of the settings.
fn answer_within(options: &LeaderOptions) -> Millis {
    let of_file = options.job_file.answer_within.map(Millis::from);
    of_file
        .or(options.loaded.pointsman.deadline)
        .unwrap_or(Millis::from(ANSWER_WITHIN))
}

/// Opens the ledger on a thread that may block.
async fn open_ledger(options: &LeaderOptions) -> Result<(Ledger, OpenReport), StartError> {
    let path = options.place.ledger();
    let clock = Arc::clone(&options.clock);
    let opened = tokio::task::spawn_blocking(move || Ledger::open(&path, clock)).await;
    let (ledger, report) = opened.map_err(|_| StartError::TaskLost)??;
    let environment = without_keys(options);
    Ok((
        ledger.withholding(environment.withheld_keys(), KEY_LEFT_OUT),
        report,
    ))
}

fn run_start(options: &LeaderOptions) -> RunStart {
    RunStart {
        project: options.project.clone(),
        job_file: Some(options.job_file.path.as_ref().into()),
        job_file_digest: Some(options.job_file.digest),
        job_file_at: options.job_file.at.clone(),
        attended: options.attended,
        version: options.version.clone(),
    }
}

/// What is worth saying of what dead leaders left. Of a run that is taken up these calls alone stay unknown: one
/// that only started an agent is gone on with.
fn remarks_of(
    report: &OpenReport,
    reaped: usize,
    (led, left): (RunId, &[Box<str>]),
) -> Vec<Box<str>> {
    let mut remarks = Vec::new();
    for dead in &report.dead {
        let (what_was, unknown) = match dead.run == led {
            true => ("open, to be asked again", left.len()),
            false => ("interrupted", dead.unknown.len()),
        };
        let questions = match dead.requests.len() {
            0 => None,
            count => Some(format!(
                "{} {what_was}",
                counted(count, "question was", "questions were")
            )),
        };
        let calls = match unknown {
            0 => None,
            1 => Some("the result of 1 call is unknown".into()),
            count => Some(format!("the results of {count} calls are unknown")),
        };
        let mut text = format!(
            "the leader of {} was killed, or could not record its end",
            dead.run
        );
        let what: Vec<String> = questions.into_iter().chain(calls).collect();
        if !what.is_empty() {
            text.push_str(&format!(": {}", what.join(", ")));
        }
        remarks.push(text.into());
    }
    if reaped > 0 {
        let groups = counted(reaped, "process group was", "process groups were");
        remarks.push(format!("{groups} still running, and ended").into());
    }
    for damage in &report.damaged {
        let text = format!(
            "the ledger is not as it was written, see `pointsman log verify`: {}, record {}: {}",
            damage.run, damage.number, damage.why
        );
        remarks.push(text.into());
    }
    if let Some(aside) = &report.set_aside {
        let text = format!(
            "the ledger was damaged ({}) and lies at `{}` now; {} carried over",
            aside.why,
            aside.file.display(),
            match aside.records_kept {
                1 => "1 record was".into(),
                kept => format!("{kept} records were"),
            }
        );
        remarks.push(text.into());
    }
    remarks.extend(left.iter().cloned());
    remarks
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}
