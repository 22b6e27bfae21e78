//! Reading: beside a running leader and after a crash, never in the way of its writer.
//!
//! A damaged record blocks nothing else: it is left out and named, the others are given.

mod census;
mod pages;
mod reigns;
mod row;
mod runs;
mod story;
mod verify;

use std::path::{Path, PathBuf};

use pointsman_model::{CallId, RequestId, RunId, WorkerId};
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, params_from_iter};

use crate::record::{LedgerRecord, RecordKind, RequestOpened, Seq};
use crate::recovery;
use crate::schema::{self, Stored};

pub use census::CensusRow;
use pages::PAGE;
pub use pages::Pages;
pub use reigns::PastReign;
pub(crate) use row::{ROW_COLUMNS, StoredRow, read_row};
pub use runs::{RunInfo, RunState};
pub use story::{CallStory, RequestStory};
use verify::Noted;
pub use verify::{ChainDamage, VerifyReport};
pub(crate) use verify::{has_records, is_here, missing_since, verify_run};

/// A project's ledger, open for reading alone. All its functions block on the disk.
pub struct LedgerReader {
    connection: Connection,
    path: PathBuf,
}

/// Which records are wanted. Everything left out limits nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this run.
    pub run: Option<RunId>,
    /// Of this agent, or of one of its questions.
    pub worker: Option<WorkerId>,
    /// Of this call.
    pub call: Option<CallId>,
    /// Of this request.
    pub request: Option<RequestId>,
    /// Of these kinds; of all if none is named.
    pub kinds: Vec<RecordKind>,
}

/// The records that name an agent, and those that name one of its questions alone, as what became of it does. Both are
/// found by an index.
const OF_WORKER: &str = "seq IN (
    SELECT seq FROM records WHERE run = ? AND worker = ? AND seq > ?
    UNION ALL
    SELECT told.seq FROM records AS own JOIN records AS told ON told.run = own.run AND told.request = own.request
    WHERE own.run = ? AND own.worker = ? AND own.kind = 'request_opened' AND told.seq > ?)";

/// How many of the records that a filter wants.
#[derive(Debug, Clone, Copy)]
enum Part {
    All,
    /// At most [`PAGE`], behind one of them or from the first on.
    Page(Option<Seq>),
}

/// The records that were found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordList {
    /// Those that can be read, in the order in which they were written.
    pub records: Vec<LedgerRecord>,
    /// Those that can't.
    pub unreadable: Vec<UnreadableRecord>,
}

/// A record that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableRecord {
    /// Its place in the database.
    pub seq: Seq,
    /// Why.
    pub why: Box<str>,
}

/// Why the ledger can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is none yet.
    #[error("there is no ledger at `{0}`: nothing has run in this project yet")]
    Missing(PathBuf),
    /// It is gone or empty, though it was written to.
    #[error("the ledger `{path}` is missing or empty, though {runs} runs were recorded in it")]
    Lost {
        /// The database.
        path: PathBuf,
        /// How many runs.
        runs: u32,
    },
    /// It is a database of another program.
    #[error("`{0}` is no ledger of pointsman")]
    Foreign(PathBuf),
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
    /// Its bytes are damaged where they were wanted.
    #[error("the ledger `{0}` is damaged: `pointsman log verify` says where")]
    Damaged(PathBuf),
    /// It can't be read.
    #[error("the ledger `{path}` can't be read")]
    Store {
        /// The database.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
}

/// There never was a ledger, or there is none any more.
fn missing(path: &Path) -> ReadError {
    match Noted::beside(path).highest {
        0 => ReadError::Missing(path.into()),
        runs => ReadError::Lost {
            path: path.into(),
            runs,
        },
    }
}

impl LedgerReader {
    /// Opens an existing ledger.
    ///
    /// # Errors
    /// When there is none, it is not ours, or it can't be read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        match std::fs::metadata(path) {
            // Opening a pipe would wait for its other end.
            Ok(meta) if !meta.is_file() => return Err(ReadError::Foreign(path.into())),
            // An empty file is a ledger whose first start has not come to its tables.
            Ok(meta) if meta.len() == 0 => return Err(missing(path)),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(missing(path));
            }
            Err(_) => {}
        }
        let connection = schema::connect_read_only(path).map_err(|error| failed(path, error))?;
        match schema::stored(&connection).map_err(|error| failed(path, error))? {
            Stored::Current | Stored::Older(_) => Ok(Self {
                connection,
                path: path.into(),
            }),
            Stored::Empty => Err(missing(path)),
            Stored::Foreign => Err(ReadError::Foreign(path.into())),
            Stored::Newer(version) => Err(ReadError::Newer {
                path: path.into(),
                version,
                known: schema::SCHEMA_VERSION,
            }),
        }
    }

    /// The records that the filter wants, all of them in memory: for what happened to one call or one question. A whole
    /// run is read by [`Pages`] or [`LedgerReader::each`].
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn records(&self, filter: &Filter) -> Result<RecordList, ReadError> {
        self.list(filter, Part::All)
            .map_err(|error| self.failed(error))
    }

    /// The open requests of all runs whose leader lives, oldest first; those of dead leaders are no longer open.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn open_requests(&self) -> Result<Vec<RequestOpened>, ReadError> {
        let mut open = Vec::new();
        for run in recovery::not_over(&self.connection).map_err(|error| self.failed(error))? {
            if recovery::is_alive(&self.path, run) {
                let of_run = recovery::open_requests(&self.connection, run);
                open.extend(of_run.map_err(|error| self.failed(error))?);
            }
        }
        Ok(open)
    }

    /// The database's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn list(&self, filter: &Filter, part: Part) -> rusqlite::Result<RecordList> {
        let mut list = RecordList::default();
        self.visit(filter, part, |seq, record| match record {
            Ok(record) => list.records.push(record),
            Err(why) => list.unreadable.push(UnreadableRecord { seq, why }),
        })?;
        Ok(list)
    }

    fn visit(
        &self,
        filter: &Filter,
        part: Part,
        mut take: impl FnMut(Seq, Result<LedgerRecord, Box<str>>),
    ) -> rusqlite::Result<()> {
        let (sql, values) = filter.to_sql(part);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let record = read_row(row)
                .map_err(|error| error.to_string())
                .and_then(|row| row.into_record());
            take(Seq(row.get(0)?), record.map_err(String::into_boxed_str));
        }
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error) -> ReadError {
        failed(&self.path, error)
    }
}

fn failed(path: &Path, source: rusqlite::Error) -> ReadError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => ReadError::Damaged(path.into()),
        Some(ErrorCode::NotADatabase) => ReadError::Foreign(path.into()),
        _ => ReadError::Store {
            path: path.into(),
            source,
        },
    }
}

impl Filter {
    /// The records of one run.
    #[must_use]
    pub fn of_run(run: RunId) -> Self {
        Self {
            run: Some(run),
            ..Self::default()
        }
    }

    /// The records of one call.
    #[must_use]
    pub fn of_call(call: CallId) -> Self {
        Self {
            call: Some(call),
            ..Self::default()
        }
    }

    fn to_sql(&self, part: Part) -> (String, Vec<Value>) {
        let mut sql = format!("SELECT {ROW_COLUMNS} FROM records WHERE TRUE");
        let mut values = Vec::new();
        let mut wants = |condition: &str, of: &[i64]| {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.extend(of.iter().copied().map(Value::Integer));
        };
        let after = match part {
            Part::Page(Some(Seq(after))) => Some(after),
            Part::Page(None) | Part::All => None,
        };
        if let Some(run) = self.run {
            // The sign keeps the run's index from being taken in the place of the list of an agent's records.
            let condition = match self.worker {
                Some(_) => "+run = ?",
                None => "run = ?",
            };
            wants(condition, &[run.number().into()]);
        }
        if let Some(worker) = self.worker {
            let (run, number) = (worker.run().number().into(), worker.number().into());
            let behind = after.unwrap_or(0);
            wants(OF_WORKER, &[run, number, behind, run, number, behind]);
        }
        let ids = [
            ("call = ?", self.call.map(|id| (id.run(), id.number()))),
            (
                "request = ?",
                self.request.map(|id| (id.run(), id.number())),
            ),
        ];
        for (condition, id) in ids {
            if let Some((run, number)) = id {
                wants("run = ?", &[run.number().into()]);
                wants(condition, &[number.into()]);
            }
        }
        // In a run both orders are one. That of its numbers has an index; by the other one each page would read and sort
        // all that is left of the run.
        let is_run =
            self.run.is_some() && self.worker.is_none() && ids.iter().all(|(_, id)| id.is_none());
        let order = if is_run { "number" } else { "seq" };
        if let Some(after) = after {
            // Of a damaged run they are not one, and a number alone that is too low would lead back to the same page.
            wants("seq > ?", &[after]);
            if is_run {
                wants(
                    "number > coalesce((SELECT number FROM records WHERE seq = ?), 0)",
                    &[after],
                );
            }
        }
        if !self.kinds.is_empty() {
            let marks = vec!["?"; self.kinds.len()].join(", ");
            sql.push_str(&format!(" AND kind IN ({marks})"));
            let kinds = self.kinds.iter().map(|kind| kind.as_str().to_owned());
            values.extend(kinds.map(Value::Text));
        }
        sql.push_str(&format!(" ORDER BY {order}"));
        if let Part::Page(_) = part {
            sql.push_str(&format!(" LIMIT {PAGE}"));
        }
        (sql, values)
    }
}
