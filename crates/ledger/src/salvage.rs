//! Setting a damaged database aside: its longest readable, valid part is carried over into a new
//! one with all fingerprints as they were, and the damaged file is kept beside it for people.

mod leaf_pages;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use pointsman_model::{Digest, RunId, WallTime};
use rusqlite::{Connection, ErrorCode, params};

use crate::chain::{Head, Link};
use crate::open::SetAsideReport;
use crate::reader::{ROW_COLUMNS, StoredRow, is_here, read_row};
use crate::record::{ChainPoint, RecordBody};
use crate::schema;

/// Why a damaged database can't be set aside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// A file can't be moved, copied or made.
    #[error("`{path}` can't be written")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The new database can't be written.
    #[error("the new database can't be written")]
    Store(#[from] rusqlite::Error),
    /// The new database is damaged as well.
    #[error("the new database is damaged too: {0}")]
    StillDamaged(Box<str>),
}

/// A file named after the database.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

/// Puts a new database in the place of a damaged one, whose runs will be numbered above `noted`. The caller holds the
/// lock that keeps every writer away.
pub(crate) fn set_aside(
    path: &Path,
    why: &str,
    noted: u32,
) -> Result<SetAsideReport, SalvageError> {
    let aside = free_name(path);
    keep(path, &aside)?;
    let wal = beside(path, "-wal");
    if wal.exists() {
        keep(&wal, &beside(&aside, "-wal"))?;
    }
    let fresh = beside(path, ".new");
    remove(&fresh)?;
    let (records_kept, head) = carry_over(&aside, &fresh, noted)?;
    // The old write-ahead log is kept beside the old file; here it must not be played into the new one.
    remove(&wal)?;
    remove(&beside(path, "-shm"))?;
    fs::rename(&fresh, path).map_err(|source| file_error(path, source))?;
    if let Some(folder) = path.parent() {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|source| file_error(folder, source))?;
    }
    Ok(SetAsideReport {
        file: aside,
        why: why.into(),
        records_kept,
        head,
    })
}

fn free_name(path: &Path) -> PathBuf {
    let mut number = 1_u32;
    loop {
        let name = beside(path, &format!(".damaged-{number}"));
        if !name.exists() {
            return name;
        }
        number = number.saturating_add(1);
    }
}

/// Gives a file a second name, or a copy where the file system has no second names.
fn keep(file: &Path, name: &Path) -> Result<(), SalvageError> {
    fs::hard_link(file, name)
        .or_else(|_| fs::copy(file, name).map(drop))
        .map_err(|source| file_error(name, source))
}

fn remove(file: &Path) -> Result<(), SalvageError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_error(file, error)),
        _ => Ok(()),
    }
}

fn file_error(path: &Path, source: io::Error) -> SalvageError {
    SalvageError::File {
        path: path.into(),
        source,
    }
}

/// Copies each run's valid records, up to its first damaged one, and sees to it that no run's number is used again.
fn carry_over(
    aside: &Path,
    fresh: &Path,
    noted: u32,
) -> Result<(u64, Option<ChainPoint>), SalvageError> {
    let mut target = schema::connect(fresh)?;
    schema::create(&mut target, noted)?;
    let tx = target.transaction()?;
    let left = leaf_pages::records(aside).map_err(|source| file_error(aside, source))?;
    let mut salvaged = Salvaged {
        pruned: Pruned::named_by(left.values()),
        ..Salvaged::default()
    };
    // What can't be read at all is not an error here: it is what the file is set aside for.
    let _ = read_valid(aside, |row| salvaged.take(&tx, row));
    // What the tree no longer leads to may lie in the file all the same.
    for row in left.values() {
        salvaged.take_next(&tx, row)?;
    }
    let highest = salvaged
        .heads
        .keys()
        .map(|run| run.number())
        .max()
        .unwrap_or(0)
        .max(noted)
        .max(highest_run_named(aside).unwrap_or(0));
    schema::number_runs_above(&tx, highest)?;
    tx.commit()?;
    target.close().map_err(|(_, error)| error)?;
    File::open(fresh)
        .and_then(|file| file.sync_all())
        .map_err(|source| file_error(fresh, source))?;
    Ok((salvaged.kept, salvaged.last))
}

/// What was carried over so far.
#[derive(Default)]
struct Salvaged {
    heads: BTreeMap<RunId, Head>,
    /// Runs whose chain is broken; nothing behind the break is taken.
    broken: HashSet<RunId>,
    kept: u64,
    last: Option<ChainPoint>,
    last_seq: Option<i64>,
    pruned: Pruned,
}

/// What was removed on purpose, and is on record as that.
#[derive(Default)]
struct Pruned {
    runs: HashSet<RunId>,
    points: BTreeSet<ChainPoint>,
}

impl Pruned {
    fn named_by<'a>(rows: impl Iterator<Item = &'a StoredRow>) -> Self {
        let mut all = Self::default();
        for row in rows.filter(|row| row.kind == "runs_pruned") {
            if let Ok(RecordBody::RunsPruned(pruned)) = serde_json::from_str(&row.body) {
                all.runs.extend(pruned.runs);
                all.points.extend(pruned.points);
            }
        }
        all
    }
}

impl Salvaged {
    fn take(&mut self, target: &Connection, row: &StoredRow) -> rusqlite::Result<()> {
        let (Some(run), false) = (
            row.run(),
            self.broken.iter().any(|run| Some(*run) == row.run()),
        ) else {
            return Ok(());
        };
        let known = self.heads.get(&run).copied();
        let head = known.unwrap_or_else(|| Head::of_new(run));
        let fits = row.number == head.number.saturating_add(1)
            && row.prev == *head.hash.as_bytes()
            && row.hash == *row.computed(run).as_bytes()
            && self.follows_kept(target, row)?;
        if !fits {
            self.broken.insert(run);
            return Ok(());
        }
        self.keep(target, run, row)
    }

    /// Takes a whole row if it is the next of its run, though the reading before it had to end.
    fn take_next(&mut self, target: &Connection, row: &StoredRow) -> rusqlite::Result<()> {
        let Some(run) = row.run() else {
            return Ok(());
        };
        let known = self.heads.get(&run).copied();
        let head = known.unwrap_or_else(|| Head::of_new(run));
        let is_next =
            row.number == head.number.saturating_add(1) && row.prev == *head.hash.as_bytes();
        // What was pruned may lie in the file still, on pages that are free.
        if is_next && !self.pruned.runs.contains(&run) && self.follows_kept(target, row)? {
            self.keep(target, run, row)?;
        }
        Ok(())
    }

    /// Whether the record that a run's first one names is kept, or was pruned. A run that follows what is lost is no part
    /// from the beginning; it stays in the file that is set aside.
    fn follows_kept(&self, target: &Connection, row: &StoredRow) -> rusqlite::Result<bool> {
        if row.number != 1 {
            return Ok(true);
        }
        let Ok(RecordBody::RunStarted(started)) = serde_json::from_str(&row.body) else {
            return Ok(true);
        };
        match started.follows {
            Some(point) if !self.pruned.points.contains(&point) => is_here(target, point),
            Some(_) | None => Ok(true),
        }
    }

    fn keep(&mut self, target: &Connection, run: RunId, row: &StoredRow) -> rusqlite::Result<()> {
        let known = self.heads.contains_key(&run);
        if !known {
            target.execute(
                "INSERT INTO runs (number, started_at) VALUES (?1, ?2)",
                params![run.number(), row.at],
            )?;
        }
        match row.insert(target) {
            // Its place is taken, so one of the two is not where it was written.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Ok(());
            }
            inserted => inserted?,
        }
        let hash = Digest::from_bytes(row.hash);
        let number = row.number;
        self.heads.insert(run, Head { number, hash });
        self.kept = self.kept.saturating_add(1);
        // The newest of all, by its place in the database.
        if self.last_seq.is_none_or(|seq| seq < row.seq) {
            self.last_seq = Some(row.seq);
            self.last = Some(ChainPoint { run, number, hash });
        }
        Ok(())
    }
}

fn read_valid(
    aside: &Path,
    mut take: impl FnMut(&StoredRow) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let source = schema::connect_read_only(aside)?;
    let mut statement = source.prepare(&format!(
        "SELECT {ROW_COLUMNS} FROM records NOT INDEXED ORDER BY seq"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Ok(row) = read_row(row) {
            take(&row)?;
        }
    }
    Ok(())
}

/// The highest number of a run that any record in the file names, found in the raw bytes, since the tables may be
/// unreadable.
fn highest_run_named(file: &Path) -> io::Result<u32> {
    const MARK: &[u8] = b"\"run\":\"run-";
    let mut bytes = Vec::new();
    File::open(file)?.read_to_end(&mut bytes)?;
    let mut highest = 0;
    for (at, window) in bytes.windows(MARK.len()).enumerate() {
        if window == MARK {
            let digits: String = bytes
                .iter()
                .skip(at.saturating_add(MARK.len()))
                .take(10)
                .map_while(|byte| byte.is_ascii_digit().then(|| char::from(*byte)))
                .collect();
            highest = highest.max(digits.parse().unwrap_or(0));
        }
    }
    Ok(highest)
}

impl StoredRow {
    /// The fingerprint that the row should have.
    pub(crate) fn computed(&self, run: RunId) -> Digest {
        Link {
            prev: Digest::from_bytes(self.prev),
            run,
            number: self.number,
            at: WallTime(self.at),
            kind: &self.kind,
            about: self.about(run),
            body: &self.body,
        }
        .hash()
    }

    fn insert(&self, target: &Connection) -> rusqlite::Result<()> {
        target
            .prepare_cached(
                "INSERT INTO records (seq, run, number, at, kind, worker, call, request, body, prev, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                self.seq,
                self.run,
                self.number,
                self.at,
                self.kind,
                self.worker,
                self.call,
                self.request,
                self.body,
                self.prev,
                self.hash,
            ])?;
        Ok(())
    }
}
