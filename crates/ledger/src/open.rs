//! Opening: a lock against setting the file aside under someone, the tables, what dead leaders
//! left, and the writer thread.

use std::collections::{HashMap, HashSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pointsman_model::{CallId, PermissionRequest, RunId};
use rusqlite::{Connection, ErrorCode};

use crate::chain::newest;
use crate::ledger::{AppendError, Health, Ledger};
use crate::reader::ChainDamage;
use crate::record::{
    ChainPoint, DamageFound, ProcessGroupStarted, RecordBody, RequestOpened, SetAside,
};
use crate::schema::{self, Stored};
use crate::whereabouts::Whereabouts;
use crate::writer::{Command, QUEUE_MAX, Queue, Writer};
use crate::{Clock, highest, recovery, salvage};

/// What was found when the ledger was opened.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenReport {
    /// Runs whose leader died since the last start. What was open in them is closed now.
    pub dead: Vec<DeadRun>,
    /// Process groups of dead leaders that nobody has seen end; they may still run.
    pub groups: Vec<ProcessGroupStarted>,
    /// Damaged records in the dead runs, and what was recorded and is not here any more, as far as no run was told of it.
    pub damaged: Vec<ChainDamage>,
    /// The database that was set aside, if one was.
    pub set_aside: Option<SetAsideReport>,
}

/// What a dead leader left.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadRun {
    /// The run.
    pub run: RunId,
    /// Its open requests, closed as interrupted.
    pub requests: Vec<PermissionRequest>,
    /// Calls that had not started; they never will.
    pub not_started: Vec<CallId>,
    /// Calls that started and have no result. Whether they took effect is unknown.
    pub unknown: Vec<CallId>,
}

/// A database that was set aside.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAsideReport {
    /// Where it lies now.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: Box<str>,
    /// How many records were carried over.
    pub records_kept: u64,
    /// The newest record that was carried over.
    pub head: Option<ChainPoint>,
}

/// What a resumed run left to its new leader.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeReport {
    /// The run.
    pub run: RunId,
    /// The number of this leader's reign; 2 for the first that resumes.
    pub epoch: u32,
    /// Requests that were open when the leader died, whether or not another start has closed them as interrupted. Those
    /// that people had been shown say that they are shown at once.
    pub open: Vec<RequestOpened>,
    /// Calls that came to their end; never to be repeated.
    pub ended: Vec<CallId>,
    /// Calls that started and have no result; to be shown to the operator, not repeated.
    pub unknown: Vec<CallId>,
    /// The highest ids in use.
    pub highest: HighestIds,
}

/// The highest ids that a run has used; 0 where none was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HighestIds {
    /// Of an agent.
    pub worker: u32,
    /// Of a call.
    pub call: u32,
    /// Of a request.
    pub request: u32,
    /// Of a grant.
    pub grant: u32,
}

/// Why a run can't be resumed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// There is no such run.
    #[error("there is no {0} in this project")]
    Unknown(RunId),
    /// Its leader lives.
    #[error(
        "{0} has a leader that is alive: look at it with `pointsman attach`, or end it with `pointsman stop {0}`"
    )]
    Alive(RunId),
    /// Nobody leads it, and somebody is about to, or clears up after its last leader. That is soon over.
    #[error("{0} is being taken up, or cleared up after, by another pointsman: try again")]
    Held(RunId),
    /// It ended properly.
    #[error("{0} has ended; there is nothing to resume")]
    Ended(RunId),
    /// It can't be recorded.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Why the ledger can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file or its folder can't be made or reached.
    #[error("the ledger `{path}` can't be made or opened")]
    Unreachable {
        /// The database.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It can be read but not written.
    #[error("the ledger `{0}` can't be written: look at the rights of the file and its folder")]
    ReadOnly(PathBuf),
    /// No space is left.
    #[error("no space is left for the ledger `{0}`: free some space and start again")]
    Full(PathBuf),
    /// A newer pointsman wrote it.
    #[error(
        "the ledger `{path}` has format {version}, this pointsman knows {known}: use a newer pointsman"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The format it has.
        version: i64,
        /// The newest format known here.
        known: i64,
    },
    /// It is a database of another program.
    #[error("`{0}` is no ledger of pointsman, and is left as it is")]
    Foreign(PathBuf),
    /// It is damaged, and another leader uses it.
    #[error(
        "the ledger `{path}` is damaged ({why}), and another leader uses it: stop that leader, then start again"
    )]
    DamagedInUse {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        why: Box<str>,
    },
    /// It is damaged and can't be set aside.
    #[error("the damaged ledger `{path}` can't be set aside")]
    SetAside {
        /// The database.
        path: PathBuf,
        /// Why.
        #[source]
        source: salvage::SalvageError,
    },
    /// The database failed in some other way.
    #[error("the ledger `{path}` can't be opened")]
    Store {
        /// The database.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
}

/// What opening the database itself came to.
enum Opened {
    Sound(Connection),
    Damaged(Box<str>),
}

pub(crate) fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<(Ledger, OpenReport), OpenError> {
    let (ledger, writer, commands, report) = prepare(path, clock)?;
    // Not joined: it ends when the last handle is gone, and answers before that when it is asked to close.
    std::thread::Builder::new()
        .name("ledger".into())
        .spawn(move || writer.serve(&Queue(commands)))
        .map_err(|source| unreachable_file(path, source))?;
    Ok((ledger, report))
}

/// Opens the ledger and makes its writer, which does not work yet.
pub(crate) fn prepare(
    path: &Path,
    clock: Arc<dyn Clock>,
) -> Result<(Ledger, Writer, flume::Receiver<Command>, OpenReport), OpenError> {
    let in_use = make_files(path).map_err(|source| unreachable_file(path, source))?;
    let mut report = OpenReport::default();
    let mut connection = match connect(path, highest::noted(&in_use))? {
        Opened::Sound(connection) => connection,
        Opened::Damaged(why) => replace_damaged(path, &in_use, &why, &mut report)?,
    };
    let found = match close_dead_runs(&mut connection, path, &clock, &report) {
        Err(error) if is_damage(&error) => {
            let why = error.to_string();
            drop(connection);
            connection = replace_damaged(path, &in_use, &why, &mut report)?;
            close_dead_runs(&mut connection, path, &clock, &report)
        }
        found => found,
    };
    let found = found.map_err(|source| store_error(path, source))?;
    report.dead = found.dead;
    report.groups = found.groups;
    report.damaged = found.damaged;

    let to_tell = to_tell(&report);
    let health = Arc::new(Health::default());
    let (queue, commands) = flume::bounded(QUEUE_MAX);
    for head in found.heads {
        highest::note_head(&in_use, head);
    }
    if let Ok(Some(head)) = newest(&connection) {
        highest::note_newest(&in_use, head);
    }
    let writer = Writer {
        whereabouts: Whereabouts::of(path),
        connection,
        path: path.into(),
        health: Arc::clone(&health),
        to_tell,
        in_use,
        runs: HashMap::new(),
        taken_over: HashSet::new(),
    };
    let ledger = Ledger::started(path.into(), clock, queue, health);
    Ok((ledger, writer, commands, report))
}

/// Called before anything is noted anew, since it compares what is noted.
fn close_dead_runs(
    connection: &mut Connection,
    path: &Path,
    clock: &Arc<dyn Clock>,
    report: &OpenReport,
) -> rusqlite::Result<recovery::Found> {
    let aside = report.set_aside.as_ref().map(|aside| aside.file.as_path());
    recovery::close_dead_runs(connection, path, (clock.now(), aside))
}

/// Makes the folder and the files, readable by the user alone, and takes the lock that keeps others from setting the
/// database aside. Waits while somebody is doing just that.
fn make_files(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let make = |path: &Path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
    };
    let in_use = make(&salvage::beside(path, ".lock"))?;
    in_use.lock_shared()?;
    if !make(path)?.metadata()?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    Ok(in_use)
}

/// Connects, makes the tables of a new database, and looks whether an old one can be read at all.
fn connect(path: &Path, highest: u32) -> Result<Opened, OpenError> {
    let prepared = schema::connect(path).and_then(|mut connection| {
        let mut stored = schema::stored(&connection)?;
        if matches!(stored, Stored::Empty | Stored::Current | Stored::Older(_)) {
            schema::make_durable(&connection)?;
            schema::migrate(&mut connection)?;
            schema::create(&mut connection, highest)?;
            stored = schema::stored(&connection)?;
        }
        Ok((connection, stored))
    });
    let (connection, stored) = match prepared {
        Ok(prepared) => prepared,
        Err(error) if is_damage(&error) => return Ok(Opened::Damaged(error.to_string().into())),
        Err(error) => return Err(store_error(path, error)),
    };
    match stored {
        Stored::Current => {}
        Stored::Newer(version) => {
            return Err(OpenError::Newer {
                path: path.into(),
                version,
                known: schema::SCHEMA_VERSION,
            });
        }
        Stored::Empty | Stored::Older(_) | Stored::Foreign => {
            return Err(OpenError::Foreign(path.into()));
        }
    }
    match connection.is_readonly("main") {
        Ok(false) => Ok(Opened::Sound(connection)),
        Ok(true) => Err(OpenError::ReadOnly(path.into())),
        Err(error) => Err(store_error(path, error)),
    }
}

/// Sets the damaged database aside, carries over what can be read, and opens the new one.
fn replace_damaged(
    path: &Path,
    in_use: &File,
    why: &str,
    report: &mut OpenReport,
) -> Result<Connection, OpenError> {
    tracing::error!(path = %path.display(), why, "the ledger is damaged and is set aside");
    // A shared lock is given up for an exclusive one; who is first of two sets aside, the other finds a sound file.
    in_use
        .unlock()
        .map_err(|source| unreachable_file(path, source))?;
    if in_use.try_lock().is_err() {
        return Err(OpenError::DamagedInUse {
            path: path.into(),
            why: why.into(),
        });
    }
    let set_aside = salvage::set_aside(path, why, highest::noted(in_use)).map_err(|source| {
        OpenError::SetAside {
            path: path.into(),
            source,
        }
    })?;
    report.set_aside = Some(set_aside);
    in_use
        .unlock()
        .and_then(|()| in_use.lock_shared())
        .map_err(|source| unreachable_file(path, source))?;
    match connect(path, highest::noted(in_use))? {
        Opened::Sound(connection) => Ok(connection),
        Opened::Damaged(why) => Err(OpenError::SetAside {
            path: path.into(),
            source: salvage::SalvageError::StillDamaged(why),
        }),
    }
}

/// What the next run's chain has to say about it.
fn to_tell(report: &OpenReport) -> Vec<RecordBody> {
    let set_aside = report.set_aside.iter().map(|aside| {
        RecordBody::from(SetAside {
            file: aside.file.to_string_lossy().into(),
            why: aside.why.clone(),
            records_kept: aside.records_kept,
            head: aside.head,
        })
    });
    let damaged = report.damaged.iter().map(|damage| {
        RecordBody::from(DamageFound {
            run: damage.run,
            number: damage.number,
            why: damage.why.clone(),
            stored_hash: damage.stored_hash,
            went_with: None,
        })
    });
    set_aside.chain(damaged).collect()
}

/// Whether the error says that the file's bytes are wrong.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

fn unreachable_file(path: &Path, source: io::Error) -> OpenError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => OpenError::Full(path.into()),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::ReadOnly(path.into())
        }
        _ => OpenError::Unreachable {
            path: path.into(),
            source,
        },
    }
}

fn store_error(path: &Path, source: rusqlite::Error) -> OpenError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => OpenError::Full(path.into()),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            OpenError::ReadOnly(path.into())
        }
        _ => OpenError::Store {
            path: path.into(),
            source,
        },
    }
}
