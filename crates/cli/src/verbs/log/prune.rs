//! `pointsman log prune`: old runs are removed, and the chain stays verifiable.

use std::sync::Arc;

use pointsman_ledger::{
    Clock, Compacted, Keep, Ledger, OpenReport, PruneError, PruneReport, RunEnded, RunStart,
    SystemClock, compact, prunable, prune,
};
use pointsman_model::{Attended, Millis, RunId, WallTime};
use pointsman_surfaces::shown;
use pointsman_swarm::end_left_behind;
use serde_json::json;

use super::{failed, open};
use crate::arguments::PruneArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// A day.
const DAY: Millis = Millis(24 * 60 * 60 * 1_000);

/// Removes them, or tells which would be.
pub(super) fn run(
    arguments: &PruneArguments,
    place: &Place,
    output: &mut Output,
) -> Result<Code, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let young = DAY.0.saturating_mul(u64::from(arguments.days));
    let since = clock
        .now()
        .0
        .saturating_sub(i64::try_from(young).unwrap_or(i64::MAX));
    let keep = Keep {
        newest: arguments.keep,
        since: (arguments.days > 0).then_some(WallTime(since)),
    };
    let reader = open(place)?;
    let would = prunable(&reader, keep).map_err(|error| Failure::of(&error))?;
    drop(reader);
    if arguments.dry_run || would.runs.is_empty() {
        tell(&would, "would be removed", output);
        return Ok(Code::Done);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(&error))?;
    let Pruning { report, ended } = runtime.block_on(in_a_run(place, clock, keep))?;
    if ended > 0 {
        let groups = counted(ended, "process group");
        output.note(&format!(
            "{groups} that a killed leader had left running: ended\n"
        ));
    }
    tell(&report, "removed", output);
    let compacted = compact(&place.state.ledger()).map_err(|error| Failure::of(&error))?;
    if compacted == Compacted::InUse {
        output.note(
            "the ledger is in use, so its files stay as large, and may hold what was pruned until the next pruning while no leader runs\n",
        );
    }
    // What it says is true of the ledger as it is now.
    let report = open(place)?.verify().map_err(|error| failed(&error))?;
    if report.is_undamaged() {
        return Ok(Code::Done);
    }
    Err(Failure::failed("the ledger is not as it was written")
        .hint("`pointsman log verify` tells more"))
}

/// What a pruning came to.
struct Pruning {
    report: PruneReport,
    /// Process groups that killed leaders had left running, ended since what they are found by goes.
    ended: u64,
}

/// Pruning is on record as a run of its own, which is the newest then and stays.
async fn in_a_run(place: &Place, clock: Arc<dyn Clock>, keep: Keep) -> Result<Pruning, Failure> {
    let path = place.state.ledger();
    let (ledger, found) = Ledger::open(&path, clock).map_err(|error| Failure::of(&error))?;
    let start = RunStart {
        project: place.project.clone(),
        job_file: None,
        job_file_digest: None,
        job_file_at: None,
        attended: Attended::No,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let run = ledger
        .begin_run(start)
        .await
        .map_err(|error| Failure::of(&error))?;
    let pruned = reap_and_prune(&ledger, run, place, &found, keep).await;
    let text = match &pruned {
        Ok(pruned) => match pruned.report.runs.len() {
            1 => "1 run was pruned".into(),
            count => format!("{count} runs were pruned"),
        },
        Err(failure) => format!("nothing was pruned: {}", failure.what()),
    };
    let ended = RunEnded {
        exit_code: u8::from(pruned.is_err()),
        text: text.into(),
    };
    let recorded = ledger.append(run, ended).await;
    ledger.close().await;
    let pruned = pruned?;
    recorded.map_err(|error| Failure::of(&error))?;
    Ok(pruned)
}

async fn reap_and_prune(
    ledger: &Ledger,
    run: RunId,
    place: &Place,
    found: &OpenReport,
    keep: Keep,
) -> Result<Pruning, Failure> {
    let ended = end_left_behind(ledger, run, &place.state, found)
        .await
        .map_err(|error| Failure::of(&error))?;
    let report = prune(ledger, run, keep)
        .await
        .map_err(|error| not_pruned(&error))?;
    for pruned in &report.runs {
        place.state.clear_socket(*pruned);
    }
    Ok(Pruning {
        report,
        ended: u64::try_from(ended).unwrap_or(u64::MAX),
    })
}

/// Why nothing was removed, though it was asked for as it should be.
fn not_pruned(error: &PruneError) -> Failure {
    let failure = Failure::failed(shown::with_causes(error));
    match error {
        PruneError::Damaged(_) => failure.hint("`pointsman log verify` tells which"),
        _ => failure,
    }
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

fn tell(report: &PruneReport, what: &str, output: &mut Output) {
    let runs: Vec<String> = report.runs.iter().map(ToString::to_string).collect();
    output.text(&match runs.len() {
        0 => "nothing is old enough to be removed\n".into(),
        count => format!(
            "{what}: {} ({}, {})\n",
            runs.join(", "),
            counted(u64::try_from(count).unwrap_or(u64::MAX), "run"),
            counted(report.records, "record"),
        ),
    });
    output.object(&json!({ "runs": report.runs, "records": report.records }));
}
