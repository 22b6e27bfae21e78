//! Pruning: whole runs are removed, and the chain goes on to be verifiable without them.
//!
//! What is removed is on record first: a record of the newest run names the runs, and the points of their chains that
//! others go on to follow. A verification takes a missing point for pruned only when a record says so.

use std::collections::BTreeSet;
use std::path::Path;

use pointsman_model::{RunId, WallTime};
use rusqlite::{Connection, OptionalExtension as _};

use crate::record::{ChainPoint, RecordBody, RunsPruned};
use crate::{AppendError, Ledger, LedgerReader, ReadError, RunInfo, RunState, recovery, schema};

/// Which runs are kept whatever their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// So many of the newest that had jobs; what was only recorded as a run of its own, as a pruning is, doesn't count.
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
    /// The runs are removed, and their room could not be given back.
    #[error("the runs are removed, but the ledger could not be made smaller")]
    NotCompacted(#[source] rusqlite::Error),
    /// The chains are not as they were written; pruning would hide it.
    #[error(
        "{} written: nothing is pruned from a damaged ledger",
        match .0 { 1 => "1 record is not as it was".into(), count => format!("{count} records are not as they were") }
    )]
    Damaged(usize),
}

/// The runs that may be pruned: those that are over, but for the newest and the young.
///
/// # Errors
/// When the ledger can't be read.
pub fn prunable(reader: &LedgerReader, keep: Keep) -> Result<PruneReport, PruneError> {
    Ok(PruneReport::of(&old_and_over(reader, keep)?))
}

impl PruneReport {
    fn of(runs: &[RunInfo]) -> Self {
        Self {
            runs: runs.iter().map(|info| info.run).collect(),
            records: runs.iter().map(|info| info.records).sum(),
        }
    }
}

fn old_and_over(reader: &LedgerReader, keep: Keep) -> Result<Vec<RunInfo>, ReadError> {
    let mut runs = reader.runs()?;
    runs.truncate(older_than_the_newest(&runs, keep.newest));
    runs.retain(|info| match info.state {
        RunState::Live => false,
        RunState::Ended { .. } | RunState::Interrupted => {
            keep.since.is_none_or(|since| info.last_at < since)
        }
    });
    Ok(runs)
}

/// How many of the runs, oldest first, come before the newest `keep` that had jobs.
fn older_than_the_newest(runs: &[RunInfo], keep: u32) -> usize {
    // One whose start can't be read may have had some.
    let had_jobs = |info: &RunInfo| {
        let start = info.start.as_ref();
        start.is_none_or(|start| start.job_file.is_some())
    };
    let Some(last) = keep.checked_sub(1) else {
        return runs.len();
    };
    let newest_first = runs.iter().enumerate().rev();
    newest_first
        .filter(|(_, info)| had_jobs(info))
        .nth(usize::try_from(last).unwrap_or(usize::MAX))
        .map_or(0, |(place, _)| place)
}

/// Prunes those runs, on record of `run`, which must be led by this ledger. Blocks on the disk for the removal.
///
/// A run with a process group that no record says has ended stays: what is on record of the group is what it is found
/// by. Whoever prunes ends such groups first. What runs say themselves that they have lost is no damage here: it goes
/// with them.
///
/// Cancellation: dropped, it may be on record and not done; doing it again is harmless.
///
/// # Errors
/// When a chain is damaged, or the pruning can't be recorded or carried out.
pub async fn prune(ledger: &Ledger, run: RunId, keep: Keep) -> Result<PruneReport, PruneError> {
    let reader = ledger.reader()?;
    let verified = reader.verify()?;
    if !verified.is_undamaged() {
        return Err(PruneError::Damaged(verified.damage.len().max(1)));
    }
    let mut old = old_and_over(&reader, keep)?;
    let mut connection = schema::connect(ledger.path()).map_err(PruneError::NotRemoved)?;
    let with_groups =
        recovery::runs_with_open_groups(&connection).map_err(PruneError::NotRemoved)?;
    old.retain(|info| info.run != run && !with_groups.contains(&info.run));
    let mut report = PruneReport::of(&old);
    if report.runs.is_empty() {
        return Ok(PruneReport::default());
    }
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

/// What became of the room that pruned records had in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compacted {
    /// The file is as large as what it holds.
    Yes,
    /// Another program has the ledger open, and a leader takes a file that shrinks under it for a damaged one. The room
    /// is used again by what is recorded next.
    InUse,
}

/// Gives back the room of what was pruned, unless anybody has the ledger open. Blocks on the disk; the database is
/// written anew as a whole.
///
/// # Errors
/// When the file can't be written anew; it is then as it was before.
pub fn compact(path: &Path) -> Result<Compacted, PruneError> {
    schema::compact(path).map_err(PruneError::NotCompacted)
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
