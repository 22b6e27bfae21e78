//! Pruning: whole runs are removed, and the chain goes on to be verifiable without them.
//!
//! What is removed is on record first: a record of the newest run names the runs, and the points of their chains that
//! others go on to follow. A verification takes a missing point for pruned only when a record says so.

use std::collections::BTreeSet;

use pointsman_model::{RunId, WallTime};
use rusqlite::{Connection, OptionalExtension as _};

use crate::record::{ChainPoint, RecordBody, RunsPruned};
use crate::{AppendError, Ledger, LedgerReader, ReadError, RunState, schema};

/// Which runs are kept whatever their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// So many of the newest.
    pub newest: u32,
    /// Those that were written to since then; none when there is no such moment.
    pub since: Option<WallTime>,
}

/// What was pruned, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// The runs, oldest first.
    pub runs: Vec<RunId>,
    /// How many records these have.
    pub records: u64,
}

/// Why nothing was pruned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PruneError {
    /// The ledger can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It can't be put on record, so it isn't done.
    #[error("pruning can't be recorded, so nothing was pruned")]
    NotRecorded(#[source] AppendError),
    /// It is on record, and could not be done; the runs are there still.
    #[error("the runs could not be removed")]
    NotRemoved(#[source] rusqlite::Error),
    /// The chains are not as they were written; pruning would hide it.
    #[error("{0} records are not as they were written: nothing is pruned from a damaged ledger")]
    Damaged(usize),
}

/// The runs that may be pruned: those that are over, but for the newest and the young.
///
/// # Errors
/// When the ledger can't be read.
pub fn prunable(reader: &LedgerReader, keep: Keep) -> Result<PruneReport, PruneError> {
    let runs = reader.runs()?;
    let newest = usize::try_from(keep.newest).unwrap_or(usize::MAX);
    let old = runs.len().saturating_sub(newest);
    let mut report = PruneReport::default();
    for info in runs.into_iter().take(old) {
        let young = keep.since.is_some_and(|since| info.last_at >= since);
        match info.state {
            RunState::Live => {}
            RunState::Ended { .. } | RunState::Interrupted if young => {}
            RunState::Ended { .. } | RunState::Interrupted => {
                report.runs.push(info.run);
                report.records = report.records.saturating_add(info.records);
            }
        }
    }
    Ok(report)
}

/// Prunes those runs, on record of `run`, which must be led by this ledger. Blocks on the disk for the removal.
///
/// Cancellation: dropped, it may be on record and not done; doing it again is harmless.
///
/// # Errors
/// When a chain is damaged, or the pruning can't be recorded or carried out.
pub async fn prune(ledger: &Ledger, run: RunId, keep: Keep) -> Result<PruneReport, PruneError> {
    let reader = ledger.reader()?;
    let verified = reader.verify()?;
    if !verified.is_sound() {
        return Err(PruneError::Damaged(verified.damage.len().max(1)));
    }
    let mut report = prunable(&reader, keep)?;
    report.runs.retain(|pruned| *pruned != run);
    if report.runs.is_empty() {
        return Ok(PruneReport::default());
    }
    let mut connection = schema::connect(ledger.path()).map_err(PruneError::NotRemoved)?;
    let points = points(&connection, &report.runs).map_err(PruneError::NotRemoved)?;
    let pruned = RunsPruned {
        runs: report.runs.clone(),
        records: report.records,
        points,
    };
    ledger
        .append(run, pruned)
        .await
        .map_err(PruneError::NotRecorded)?;
    let numbers: Vec<u32> = report.runs.iter().map(|run| run.number()).collect();
    report.records = schema::make_durable(&connection)
        .and_then(|()| schema::remove_runs(&mut connection, &numbers))
        .map_err(PruneError::NotRemoved)?;
    Ok(report)
}

/// The points that records have named as pruned.
pub(crate) fn pruned_points(connection: &Connection) -> rusqlite::Result<BTreeSet<ChainPoint>> {
    let mut statement = connection
        .prepare_cached("SELECT body FROM records WHERE kind = 'runs_pruned' ORDER BY seq")?;
    let bodies = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut points = BTreeSet::new();
    for body in bodies {
        if let Ok(RecordBody::RunsPruned(pruned)) = serde_json::from_str(&body?) {
            points.extend(pruned.points);
        }
    }
    Ok(points)
}

/// The highest run that a record names as pruned; 0 when there is none.
pub(crate) fn highest_pruned(connection: &Connection) -> rusqlite::Result<u32> {
    let mut statement = connection
        .prepare_cached("SELECT body FROM records WHERE kind = 'runs_pruned' ORDER BY seq")?;
    let bodies = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut highest = 0;
    for body in bodies {
        if let Ok(RecordBody::RunsPruned(pruned)) = serde_json::from_str(&body?) {
            let runs = pruned.runs.iter().map(|run| run.number());
            highest = runs.max().unwrap_or(0).max(highest);
        }
    }
    Ok(highest)
}

/// The points that have to be known once these runs are gone: their heads, what the runs that stay follow in them, and
/// what they themselves knew of runs that went before.
fn points(connection: &Connection, gone: &[RunId]) -> rusqlite::Result<Vec<ChainPoint>> {
    let mut points = BTreeSet::new();
    for run in gone {
        points.extend(head(connection, *run)?);
    }
    let mut statement = connection
        .prepare("SELECT run, body FROM records WHERE kind = 'run_started' ORDER BY seq")?;
    let starts = statement.query_map([], |row| {
        Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?))
    })?;
    let known = pruned_points(connection)?;
    for start in starts {
        let (run, body) = start?;
        let stays = gone.iter().all(|gone| gone.number() != run);
        let Ok(RecordBody::RunStarted(started)) = serde_json::from_str(&body) else {
            continue;
        };
        let followed = started.follows.filter(|_| stays);
        points.extend(followed.filter(|point| gone.contains(&point.run) || known.contains(point)));
    }
    Ok(points.into_iter().collect())
}

fn head(connection: &Connection, run: RunId) -> rusqlite::Result<Option<ChainPoint>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, hash FROM records WHERE run = ?1 ORDER BY number DESC LIMIT 1",
    )?;
    statement
        .query_row([run.number()], |row| {
            Ok(ChainPoint {
                run,
                number: row.get(0)?,
                hash: pointsman_model::Digest::from_bytes(row.get(1)?),
            })
        })
        .optional()
}
