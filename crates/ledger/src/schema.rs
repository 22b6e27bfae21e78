//! The database's tables, and how a connection to it is set up.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::Compacted;

/// The version of the tables below. A database of a higher one is left alone.
pub(crate) const SCHEMA_VERSION: i64 = 2;

/// Marks a file as a ledger of pointsman: the bytes `ptsm`.
const APPLICATION_ID: i64 = 0x7074_736d;

/// How long a transaction waits for another leader's. A group commit takes milliseconds; one that takes longer than
/// this means a disk that hangs, and then an error is better than a wait without an end.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Statements that are kept prepared: the insert, the look-ups of recovery and of the reader.
const STATEMENTS_KEPT: usize = 32;

/// The WAL is copied back into the database at this many pages (16 MiB). The larger it is, the fewer commits pay for it.
const CHECKPOINT_PAGES: i64 = 4096;

const TABLES: &str = "
CREATE TABLE runs (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL
) STRICT;
CREATE TABLE records (
    seq     INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL REFERENCES runs(number),
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    worker  INTEGER,
    call    INTEGER,
    request INTEGER,
    body    TEXT    NOT NULL,
    prev    BLOB    NOT NULL,
    hash    BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX records_in_run ON records (run, number);
CREATE INDEX records_of_call ON records (run, call) WHERE call IS NOT NULL;
CREATE INDEX records_of_worker ON records (run, worker) WHERE worker IS NOT NULL;
CREATE INDEX records_of_request ON records (run, request) WHERE request IS NOT NULL;
CREATE INDEX records_of_run_ends ON records (run, kind)
    WHERE kind IN ('run_started', 'run_resumed', 'run_ended', 'run_interrupted');
CREATE INDEX records_of_groups ON records (run)
    WHERE kind IN ('process_group_started', 'process_group_ended');
CREATE TRIGGER records_are_never_changed BEFORE UPDATE ON records
    BEGIN SELECT RAISE(ABORT, 'records are never changed'); END;
CREATE TRIGGER runs_are_never_changed BEFORE UPDATE ON runs
    BEGIN SELECT RAISE(ABORT, 'runs are never changed'); END;
";

/// Keeps records and runs from being removed. Pruning lifts these within its own transaction.
const NEVER_REMOVED: &str = "
CREATE TRIGGER records_are_never_removed BEFORE DELETE ON records
    BEGIN SELECT RAISE(ABORT, 'records are never removed'); END;
CREATE TRIGGER runs_are_never_removed BEFORE DELETE ON runs
    BEGIN SELECT RAISE(ABORT, 'runs are never removed'); END;
";

/// Takes [`NEVER_REMOVED`] off.
const MAY_BE_REMOVED: &str = "
DROP TRIGGER records_are_never_removed;
DROP TRIGGER runs_are_never_removed;
";

/// What makes a database of the version before one of the next, from version 1 on.
const MIGRATIONS: &[&str] = &[
    // 1 to 2: what an agent did is found without reading its whole run.
    "CREATE INDEX records_of_worker ON records (run, worker) WHERE worker IS NOT NULL;",
];

/// What the version stored in a database says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// Nothing is in it yet.
    Empty,
    /// It is ours.
    Current,
    /// It is ours, as an older pointsman wrote it. It can be read as it is, and brought up to date.
    Older(i64),
    /// It was written by a newer pointsman.
    Newer(i64),
    /// It is some other program's database.
    Foreign,
}

/// Opens for writing, making the file when it is not there.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

/// Opens for reading alone.
pub(crate) fn connect_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

/// Looks at the version stored in the database.
pub(crate) fn stored(connection: &Connection) -> rusqlite::Result<Stored> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let owner: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (owner, version, tables) {
        (0, 0, 0) => Stored::Empty,
        (APPLICATION_ID, SCHEMA_VERSION, _) => Stored::Current,
        (APPLICATION_ID, version, _) if version > SCHEMA_VERSION => Stored::Newer(version),
        (APPLICATION_ID, version, _) if version >= 1 => Stored::Older(version),
        _ => Stored::Foreign,
    })
}

/// Sets a connection up for durable writing: a commit that returned is on disk.
pub(crate) fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

/// Makes the tables, unless another leader just did. The first run's number will be above `highest`.
pub(crate) fn create(connection: &mut Connection, highest: u32) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if stored(&tx)? == Stored::Empty {
        tx.execute_batch(TABLES)?;
        tx.execute_batch(NEVER_REMOVED)?;
        number_runs_above(&tx, highest)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    tx.commit()
}

/// Brings a database of an older version up to date, step by step in one transaction, unless another leader just did.
/// Records stay as they are, byte for byte.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Stored::Older(version) = stored(&tx)? {
        let done = usize::try_from(version.saturating_sub(1)).unwrap_or(0);
        for step in MIGRATIONS.iter().skip(done) {
            tx.execute_batch(step)?;
        }
        tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    tx.commit()
}

/// Removes all that is there of these runs, and returns how many records that were. Nothing else ever does.
pub(crate) fn remove_runs(connection: &mut Connection, runs: &[u32]) -> rusqlite::Result<u64> {
    // What is removed is overwritten: it may hold secrets, and its room is given back only when nobody else is connected.
    connection.pragma_update(None, "secure_delete", "ON")?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(MAY_BE_REMOVED)?;
    let mut removed = 0_u64;
    for run in runs {
        let records = tx.execute("DELETE FROM records WHERE run = ?1", [run])?;
        removed = removed.saturating_add(u64::try_from(records).unwrap_or(0));
        tx.execute("DELETE FROM runs WHERE number = ?1", [run])?;
    }
    tx.execute_batch(NEVER_REMOVED)?;
    tx.commit()?;
    Ok(removed)
}

/// Writes the database anew without the room of what was removed, if nobody else has it open.
pub(crate) fn compact(path: &Path) -> rusqlite::Result<Compacted> {
    let connection = connect(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    // In this mode the first write takes the whole database, which fails while anybody else is connected; none can come
    // before this connection is gone.
    match connection.execute_batch("BEGIN IMMEDIATE; COMMIT; VACUUM;") {
        Ok(()) => {}
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
            return Ok(Compacted::InUse);
        }
        Err(error) => return Err(error),
    }
    // What was removed also stands in the log, until that is cut off.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(Compacted::Yes)
}

/// Sees to it that no run gets a number up to `highest`.
pub(crate) fn number_runs_above(connection: &Connection, highest: u32) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM sqlite_sequence WHERE name = 'runs'", [])?;
    connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('runs', ?1)",
        [highest],
    )?;
    Ok(())
}
