//! What dead leaders left: found, closed by appended records, reported; or taken up again.
//!
//! A run is over when its chain says so (ended, or found interrupted). One that is not over and
//! whose lock nobody holds has a dead leader.

use std::collections::HashSet;
use std::path::Path;

use pointsman_model::{
    Answerer, CallId, CallState, GroupFacts, Outcome, RequestId, RunId, Verdict, VerdictKind,
    WallTime, WorkerId,
};
use rusqlite::{Connection, TransactionBehavior, ffi};

use crate::chain::Head;
use crate::ledger::RequestTrace;
use crate::open::{DeadRun, HighestIds, ResumeError, ResumeReport};
use crate::reader::{ChainDamage, has_records, missing_since, verify_run};
use crate::record::{
    CallEnded, CallLeft, CallUnknown, ChainPoint, DamageFound, ProcessGroupStarted, RecordBody,
    RequestClosed, RequestOpened, RunInterrupted, RunResumed, Showing,
};
use crate::run_lock::{self, Holder, RunLock};

/// What an agent whose call was still on its way is told, should it ever be resumed.
const INTERRUPTED: &str = "the leader ended before this call could start";

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) dead: Vec<DeadRun>,
    pub(crate) groups: Vec<ProcessGroupStarted>,
    pub(crate) damaged: Vec<ChainDamage>,
    /// The newest records, by now, of the runs that were written to.
    pub(crate) heads: Vec<ChainPoint>,
}

/// A call as its records leave it.
struct CallTrack {
    id: CallId,
    worker: WorkerId,
    started: bool,
    /// It came to an end of its own, not by the death of its leader.
    ended: bool,
    /// Nothing is left to be said of it.
    closed: bool,
}

/// Closes the runs of dead leaders in one transaction, and says in the chains that have lost their end that they have
/// (law 20): no later leader finds that out by itself. `aside` is the database that was set aside before.
pub(crate) fn close_dead_runs(
    connection: &mut Connection,
    path: &Path,
    (now, aside): (WallTime, Option<&Path>),
) -> rusqlite::Result<Found> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut found = Found {
        damaged: missing_since(&tx, path)?,
        ..Found::default()
    };
    let missing = found.damaged.clone();
    let dead = not_over(&tx)?;
    let mut locks = Vec::new();
    let mut alive = HashSet::new();
    for run in with_the_cut(&tx, &dead, &missing)? {
        match RunLock::take(path, run) {
            Ok(Some(lock)) => locks.push((run, lock)),
            Ok(None) if dead.contains(&run) => {
                alive.insert(run);
            }
            // Whoever holds it has said so.
            Ok(None) => {}
            Err(error) => return Err(rusqlite::Error::ToSqlConversionFailure(Box::new(error))),
        }
    }
    if !locks.is_empty() {
        // A leader died; whatever killed it may have hurt the file too.
        check_structure(&tx)?;
    }
    for (run, _) in &locks {
        let of_run = |damage: &&ChainDamage| damage.run == *run;
        let is_dead = dead.contains(run);
        if is_dead {
            found.damaged.extend(verify_run(&tx, *run)?.found());
        }
        if let Some(cut) = missing.iter().find(of_run) {
            say_lost(&tx, cut, (now, aside))?;
        }
        if is_dead {
            found.dead.push(close(&tx, *run, now)?);
        }
        found.heads.push(Head::stored(&tx, *run)?.point(*run));
    }
    found.groups = open_groups(&tx, |run| !alive.contains(&run))?;
    // Before anybody else can write: who takes one of these runs up next is not to find it held by this look.
    for (_, lock) in locks {
        lock.remove();
    }
    tx.commit()?;
    Ok(found)
}

/// The runs of dead leaders, and those that have lost their end and not all of their records.
fn with_the_cut(
    connection: &Connection,
    dead: &[RunId],
    missing: &[ChainDamage],
) -> rusqlite::Result<Vec<RunId>> {
    let mut runs = dead.to_vec();
    for damage in missing {
        if !runs.contains(&damage.run) && has_records(connection, damage.run)? {
            runs.push(damage.run);
        }
    }
    Ok(runs)
}

/// Says in a run's own chain that it has lost its end.
fn say_lost(
    connection: &Connection,
    cut: &ChainDamage,
    (now, aside): (WallTime, Option<&Path>),
) -> rusqlite::Result<()> {
    let body = RecordBody::from(DamageFound {
        run: cut.run,
        number: cut.number,
        why: cut.why.clone(),
        stored_hash: cut.stored_hash,
        went_with: aside.map(|aside| aside.to_string_lossy().into()),
    });
    let mut head = Head::stored(connection, cut.run)?;
    head.extend_with(connection, cut.run, now, &body).map(drop)
}

/// The runs whose chain does not say that they are over, oldest first.
pub(crate) fn not_over(connection: &Connection) -> rusqlite::Result<Vec<RunId>> {
    let mut statement = connection.prepare_cached(
        "SELECT number FROM runs WHERE EXISTS (SELECT 1 FROM records WHERE run = runs.number)
           AND coalesce((SELECT kind FROM records
                 WHERE run = runs.number
                   AND kind IN ('run_started', 'run_resumed', 'run_ended', 'run_interrupted')
                 ORDER BY number DESC LIMIT 1), '') NOT IN ('run_ended', 'run_interrupted')
         ORDER BY number",
    )?;
    let runs = statement.query_map([], |row| row.get::<_, u32>(0))?;
    runs.filter_map(|number| number.map(RunId::new).transpose())
        .collect()
}

/// Reads the whole structure of the file.
fn check_structure(connection: &Connection) -> rusqlite::Result<()> {
    let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer == "ok" {
        return Ok(());
    }
    let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT);
    Err(rusqlite::Error::SqliteFailure(corrupt, Some(answer)))
}

fn close(connection: &Connection, run: RunId, now: WallTime) -> rusqlite::Result<DeadRun> {
    let mut head = Head::stored(connection, run)?;
    let mut append = |body: RecordBody| head.extend_with(connection, run, now, &body).map(drop);
    let requests: Vec<_> = open_requests(connection, run)?
        .into_iter()
        .map(|opened| opened.request)
        .collect();
    for request in &requests {
        append(RecordBody::from(RequestClosed {
            request: request.id,
            call: request.call.id,
            verdict: Verdict {
                kind: VerdictKind::Ended {
                    outcome: Outcome::Interrupted,
                    text: "the leader ended before anyone answered".into(),
                },
                by: Answerer::Runtime,
                at: now,
                digest: request.digest,
            },
        }))?;
    }
    let mut not_started = Vec::new();
    let mut unknown = Vec::new();
    for call in calls(connection, run)?
        .into_iter()
        .filter(|call| !call.closed)
    {
        if call.started {
            unknown.push(call.id);
            append(RecordBody::from(CallUnknown {
                worker: call.worker,
                call: call.id,
            }))?;
        } else {
            not_started.push(call.id);
            append(RecordBody::from(CallEnded {
                worker: call.worker,
                call: call.id,
                state: CallState::Cancelled,
                outcome: Some(Outcome::Interrupted),
                text: INTERRUPTED.into(),
                exit_code: None,
                took: None,
                left: CallLeft::default(),
            }))?;
        }
    }
    let count = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
    append(RecordBody::from(RunInterrupted {
        requests: count(requests.len()),
        calls_not_started: count(not_started.len()),
        calls_unknown: count(unknown.len()),
    }))?;
    Ok(DeadRun {
        run,
        requests,
        not_started,
        unknown,
    })
}

/// The requests of a run that have no verdict, in the order in which they were opened.
pub(crate) fn open_requests(
    connection: &Connection,
    run: RunId,
) -> rusqlite::Result<Vec<RequestOpened>> {
    let last_was = "NOT IN ('request_closed')";
    opened_where(connection, run, last_was)
}

/// What is on record of a request: its question, and its verdict unless it was taken up again after that.
pub(crate) fn trace(connection: &Connection, request: RequestId) -> rusqlite::Result<RequestTrace> {
    let mut trace = RequestTrace {
        opened: None,
        closed: None,
    };
    let mut statement = connection.prepare_cached(
        "SELECT body FROM records WHERE run = ?1 AND request = ?2
           AND kind IN ('request_opened', 'request_reopened', 'request_closed')
         ORDER BY number",
    )?;
    let ids = [request.run().number(), request.number()];
    for body in statement.query_map(ids, |row| row.get::<_, String>(0))? {
        match serde_json::from_str(&body?) {
            Ok(RecordBody::RequestOpened(opened)) => trace.opened = Some(*opened),
            Ok(RecordBody::RequestReopened(_)) => trace.closed = None,
            Ok(RecordBody::RequestClosed(closed)) => trace.closed = Some(closed),
            // A body that can't be read is damage; the chain's check reports it, and nobody can act on it.
            Ok(_) | Err(_) => {}
        }
    }
    Ok(trace)
}

/// The requests of a run that are open, or that only its leader's death has closed.
fn left_open(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<RequestOpened>> {
    let mut left = open_requests(connection, run)?;
    for opened in opened_where(connection, run, "IN ('request_closed')")? {
        let mut statement = connection.prepare_cached(
            "SELECT body FROM records WHERE run = ?1 AND request = ?2 AND kind = 'request_closed'
             ORDER BY number DESC LIMIT 1",
        )?;
        let ids = [run.number(), opened.request.id.number()];
        let body: String = statement.query_row(ids, |row| row.get(0))?;
        if let Ok(RecordBody::RequestClosed(closed)) = serde_json::from_str(&body)
            && closed.verdict.outcome() == Outcome::Interrupted
        {
            left.push(opened);
        }
    }
    left.sort_by_key(|opened| opened.request.id);
    for opened in &mut left {
        if was_shown(connection, opened.request.id)? {
            opened.showing = Showing::AtOnce;
        }
    }
    Ok(left)
}

fn was_shown(connection: &Connection, request: RequestId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM records
               WHERE run = ?1 AND request = ?2 AND kind = 'request_shown')",
        )?
        .query_row([request.run().number(), request.number()], |row| row.get(0))
}

fn opened_where(
    connection: &Connection,
    run: RunId,
    last_was: &str,
) -> rusqlite::Result<Vec<RequestOpened>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT body FROM records AS opened WHERE run = ?1 AND kind = 'request_opened'
           AND (SELECT kind FROM records WHERE run = opened.run AND request = opened.request
                  AND kind IN ('request_opened', 'request_reopened', 'request_closed')
                ORDER BY number DESC LIMIT 1) {last_was}
         ORDER BY number"
    ))?;
    let bodies = statement.query_map([run.number()], |row| row.get::<_, String>(0))?;
    let mut opened = Vec::new();
    for body in bodies {
        // A body that can't be read is damage; the chain's check reports it, and nobody can act on it.
        if let Ok(RecordBody::RequestOpened(request)) = serde_json::from_str(&body?) {
            opened.push(*request);
        }
    }
    Ok(opened)
}

fn calls(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<CallTrack>> {
    let mut statement = connection.prepare_cached(
        "SELECT call, max(worker), max(kind = 'call_started'),
                max(kind = 'call_ended'
                    AND iif(json_valid(body), body ->> '$.outcome', NULL) IS NOT 'interrupted'),
                max(kind IN ('call_ended', 'call_unknown'))
         FROM records WHERE run = ?1 AND call IS NOT NULL GROUP BY call ORDER BY call",
    )?;
    let tracks = statement.query_map([run.number()], |row| {
        Ok(CallTrack {
            id: CallId::new(run, row.get(0)?),
            worker: WorkerId::new(run, row.get::<_, Option<u32>>(1)?.unwrap_or(0)),
            started: row.get(2)?,
            ended: row.get(3)?,
            closed: row.get(4)?,
        })
    })?;
    tracks.collect()
}

/// The process groups of those runs that no record says have ended. A group's end may stand in another run: that of the
/// leader that reaped it.
pub(crate) fn open_groups(
    connection: &Connection,
    wanted: impl Fn(RunId) -> bool,
) -> rusqlite::Result<Vec<ProcessGroupStarted>> {
    let mut open = open_groups_by_run(connection)?;
    open.retain(|(run, _)| run.is_none_or(&wanted));
    Ok(open.into_iter().map(|(_, started)| started).collect())
}

/// The runs with process groups that no record says have ended.
pub(crate) fn runs_with_open_groups(connection: &Connection) -> rusqlite::Result<HashSet<RunId>> {
    let open = open_groups_by_run(connection)?;
    Ok(open.into_iter().filter_map(|(run, _)| run).collect())
}

/// All of them, each with the run that started it.
fn open_groups_by_run(
    connection: &Connection,
) -> rusqlite::Result<Vec<(Option<RunId>, ProcessGroupStarted)>> {
    let mut statement = connection.prepare_cached(
        "SELECT run, body FROM records
         WHERE kind IN ('process_group_started', 'process_group_ended') ORDER BY seq",
    )?;
    let rows = statement.query_map([], |row| {
        Ok((RunId::new(row.get(0)?), row.get::<_, String>(1)?))
    })?;
    let mut open = Vec::new();
    let mut ended: HashSet<GroupFacts> = HashSet::new();
    for row in rows {
        let (run, body) = row?;
        match serde_json::from_str(&body) {
            Ok(RecordBody::ProcessGroupStarted(started)) => open.push((run, started)),
            Ok(RecordBody::ProcessGroupEnded(end)) => {
                ended.insert(end.group);
            }
            _ => {}
        }
    }
    open.retain(|(_, started)| !ended.contains(&started.group));
    Ok(open)
}

/// Whether that call was started already, under whichever leader.
pub(crate) fn has_started(connection: &Connection, call: CallId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM records
               WHERE run = ?1 AND call = ?2 AND kind = 'call_started')",
        )?
        .query_row([call.run().number(), call.number()], |row| row.get(0))
}

/// Whether a run may be taken up again, but for its lock.
pub(crate) fn may_resume(
    connection: &Connection,
    run: RunId,
) -> rusqlite::Result<Result<(), ResumeError>> {
    let (records, ended): (u64, u64) = connection.query_row(
        "SELECT count(*), total(kind = 'run_ended') FROM records WHERE run = ?1",
        [run.number()],
        |row| Ok((row.get(0)?, row.get::<_, f64>(1)? as u64)),
    )?;
    Ok(match (records, ended) {
        (0, _) => Err(ResumeError::Unknown(run)),
        (_, 0) => Ok(()),
        _ => Err(ResumeError::Ended(run)),
    })
}

/// Starts the next epoch of a run, and says what its last leader left.
pub(crate) fn resume(
    connection: &Connection,
    run: RunId,
    head: &mut Head,
    now: WallTime,
) -> rusqlite::Result<ResumeReport> {
    let epochs: u32 = connection.query_row(
        "SELECT count(*) FROM records WHERE run = ?1 AND kind IN ('run_started', 'run_resumed')",
        [run.number()],
        |row| row.get(0),
    )?;
    let epoch = epochs.saturating_add(1);
    let open = left_open(connection, run)?;
    let calls = calls(connection, run)?;
    let resumed = RunResumed {
        epoch,
        pid: std::process::id(),
    };
    head.extend_with(connection, run, now, &resumed.into())?;
    let ids = |wanted: fn(&CallTrack) -> bool| {
        calls
            .iter()
            .filter(|call| wanted(call))
            .map(|call| call.id)
            .collect()
    };
    Ok(ResumeReport {
        run,
        epoch,
        open,
        ended: ids(|call| call.ended),
        unknown: ids(|call| call.started && !call.ended),
        highest: highest(connection, run)?,
    })
}

fn highest(connection: &Connection, run: RunId) -> rusqlite::Result<HighestIds> {
    let mut highest = connection.query_row(
        "SELECT coalesce(max(worker), 0), coalesce(max(call), 0), coalesce(max(request), 0)
         FROM records WHERE run = ?1",
        [run.number()],
        |row| {
            Ok(HighestIds {
                worker: row.get(0)?,
                call: row.get(1)?,
                request: row.get(2)?,
                grant: 0,
            })
        },
    )?;
    let mut statement = connection
        .prepare_cached("SELECT body FROM records WHERE run = ?1 AND kind = 'grant_made'")?;
    for body in statement.query_map([run.number()], |row| row.get::<_, String>(0))? {
        if let Ok(RecordBody::GrantMade(made)) = serde_json::from_str(&body?) {
            highest.grant = highest.grant.max(made.grant.id.number());
        }
    }
    Ok(highest)
}

/// Whether a leader holds the run; one whose lock can't be looked at counts as alive, since nobody may close it.
pub(crate) fn is_alive(path: &Path, run: RunId) -> bool {
    match run_lock::look(path, run) {
        Ok(Holder::Nobody) => false,
        Ok(Holder::Alive) | Err(_) => true,
    }
}
