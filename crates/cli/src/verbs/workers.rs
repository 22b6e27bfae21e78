//! `pointsman workers`, `context`, `mode` and `tell`: the agents of a run.

use pointsman_ledger::Clock as _;
use pointsman_ledger::{Filter, SystemClock};
use pointsman_model::{Millis, RunId};
use pointsman_surfaces::render::{context_text, length};
use pointsman_surfaces::socket::{Ask, Reply};
use pointsman_surfaces::{WorkerRow, Workers, shown};

use super::leader::{leader, order, refused};
use super::log;
use crate::arguments::{ContextArguments, ModeArguments, TellArguments, WorkersArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Lists the agents of a run.
pub(super) fn run(arguments: &WorkersArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let run = match arguments.leader.run {
        // A run that has ended is looked up in the ledger alone.
        Some(run) => run,
        None => leader(&place, None)?.0,
    };
    let workers = workers(&place, run)?;
    let rows = workers.rows(SystemClock.now());
    let wanted: Vec<&WorkerRow> = rows
        .iter()
        .filter(|row| arguments.all || !row.state.is_over())
        .collect();
    output.text(&match workers.is_paused() {
        true => format!("{run}  paused: `pointsman pause --off` lets it go on\n"),
        false => format!("{run}\n"),
    });
    if !wanted.is_empty() {
        output.text(&format!(
            "  {:<8} {:<24} {:<20} {:>12}  {:<8}  {}\n",
            "id", "agent", "is at", "for", "mode", "what"
        ));
    }
    for row in &wanted {
        output.text(&line(row));
        output.object(row);
    }
    let hidden = rows.len().saturating_sub(wanted.len());
    if hidden > 0 {
        output.text(&format!("  {hidden} have ended; `--all` lists them\n"));
    }
    Ok(Code::Done)
}

fn workers(place: &Place, run: RunId) -> Result<Workers, Failure> {
    let ledger = log::open(place)?;
    let known = ledger.runs().map_err(|error| log::failed(&error))?;
    if known.iter().all(|info| info.run != run) {
        return Err(log::no_such_run(run));
    }
    let mut workers = Workers::default();
    let read = ledger.each(&Filter::of_run(run), |record| workers.record(&record));
    read.map_err(|error| log::failed(&error))?;
    Ok(workers)
}

fn line(row: &WorkerRow) -> String {
    let indent = "  ".repeat(usize::try_from(row.depth.saturating_sub(1)).unwrap_or(0));
    let label = row.agent.rsplit(" › ").next().unwrap_or(&row.agent);
    let refusals = match row.refusals {
        0 => String::new(),
        1 => "  1 refusal".into(),
        more => format!("  {more} refusals"),
    };
    let name = format!("{indent}{}", shown::line(label));
    let age = if row.state.is_over() {
        String::new()
    } else {
        length(Millis(SystemClock.now().since(row.started_at).0))
    };
    let text = format!(
        "  {:<8} {name:<24} {:<21} {age:>12}  {:<8}  {}{refusals}",
        row.worker.to_string(),
        row.words(),
        row.mode,
        row.what,
    );
    format!("{}\n", text.trim_end())
}

/// Shows what an agent may do.
pub(super) fn context(arguments: &ContextArguments, output: &mut Output) -> Result<Code, Failure> {
    let worker = arguments.worker;
    let (_, mut leader) = leader(&Place::here()?, Some(worker.run()))?;
    let asked = leader.ask(&Ask::Context { worker });
    match asked.map_err(|error| Failure::of(&error))? {
        Reply::Context(card) => {
            output.text(&context_text(&card));
            output.object(&card);
            Ok(Code::Done)
        }
        reply => Err(refused(reply).hint("`pointsman workers` lists the agents")),
    }
}

/// Lists the modes of agents, or changes one.
pub(super) fn mode(arguments: &ModeArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    match (arguments.worker, arguments.mode) {
        (Some(worker), Some(mode)) => {
            let (_, mut leader) = leader(&place, Some(worker.run()))?;
            order(&mut leader, &Ask::Mode { worker, mode }, output)
        }
        (Some(_), None) | (None, _) => {
            let run = match arguments.leader.run {
                Some(run) => run,
                None => leader(&place, None)?.0,
            };
            let rows = workers(&place, run)?.rows(SystemClock.now());
            for row in rows.iter().filter(|row| !row.state.is_over()) {
                output.text(&format!(
                    "{:<8} {:<18} {}\n",
                    row.worker.to_string(),
                    row.mode,
                    shown::line(&row.agent)
                ));
                output.object(&serde_json::json!({
                    "worker": row.worker, "mode": row.mode, "agent": row.agent,
                }));
            }
            Ok(Code::Done)
        }
    }
}

/// Says something to an agent.
pub(super) fn tell(arguments: &TellArguments, output: &mut Output) -> Result<Code, Failure> {
    let worker = arguments.worker;
    let (_, mut leader) = leader(&Place::here()?, Some(worker.run()))?;
    let text = arguments.text.clone();
    order(&mut leader, &Ask::Tell { worker, text }, output)
}
