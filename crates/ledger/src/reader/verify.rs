//! Verification: every chain walked, every fingerprint worked out again.

mod noted;

use std::path::Path;

use pointsman_model::{Digest, RunId};
use rusqlite::Connection;

pub(super) use self::noted::Noted;
use self::noted::set_asides;
pub(crate) use self::noted::{has_records, is_here};
use super::row::{ROW_COLUMNS, StoredRow, read_row};
use super::{LedgerReader, ReadError};
use crate::chain::genesis;
use crate::open::is_damage;
use crate::prune;
use crate::record::{ChainPoint, DamageFound, RecordBody, RecordKind, SetAside};

/// The most faults that the database's own check lists; one is enough to know, a few help to see what happened.
const FAULTS_LISTED: u32 = 10;

/// A record that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainDamage {
    /// The run.
    pub run: RunId,
    /// Its place in the run's chain.
    pub number: u64,
    /// What is wrong.
    pub why: Box<str>,
    /// The fingerprint that stands beside it.
    pub stored_hash: Option<Digest>,
}

/// What a verification found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// How many records were looked at.
    pub records: u64,
    /// The last record of each run, oldest run first.
    pub heads: Vec<ChainPoint>,
    /// What runs say themselves that they have lost, but for what went with a database that was set aside.
    pub lost: Vec<ChainDamage>,
    /// Records that are not as they were written.
    pub damage: Vec<ChainDamage>,
    /// What the database's own check says of the file, where it finds fault.
    pub structure: Vec<Box<str>>,
    /// Damaged databases that were set aside before, and what was kept of each. What is told is no fault any more.
    pub set_aside: Vec<SetAside>,
}

impl VerifyReport {
    /// Whether everything is as it was written.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.lost.is_empty() && self.is_undamaged()
    }

    /// Whether all that is here is as it was written, whatever runs say themselves that they have lost.
    #[must_use]
    pub fn is_undamaged(&self) -> bool {
        self.damage.is_empty() && self.structure.is_empty()
    }

    /// What is not as it was written: what was lost, then what is damaged.
    pub fn faults(&self) -> impl Iterator<Item = &ChainDamage> {
        self.lost.iter().chain(&self.damage)
    }
}

/// What the walk of one chain found.
#[derive(Debug, Default)]
pub(crate) struct RunCheck {
    pub(crate) records: u64,
    pub(crate) head: Option<ChainPoint>,
    /// What is wrong with its own records.
    pub(crate) damage: Vec<ChainDamage>,
    /// What is wrong with the record of another run that it follows.
    pub(crate) before: Vec<ChainDamage>,
    /// What it says itself that it has lost.
    pub(crate) lost: Vec<DamageFound>,
}

impl RunCheck {
    /// What is wrong in the database as it stands.
    pub(crate) fn found(self) -> Vec<ChainDamage> {
        self.damage.into_iter().chain(self.before).collect()
    }
}

impl From<DamageFound> for ChainDamage {
    fn from(found: DamageFound) -> Self {
        Self {
            run: found.run,
            number: found.number,
            why: found.why,
            stored_hash: found.stored_hash,
        }
    }
}

impl LedgerReader {
    /// Walks every chain and works every fingerprint out again. Reads the whole database once.
    ///
    /// # Errors
    /// When the database can't be read at all; damage is no error but what the report is for.
    pub fn verify(&self) -> Result<VerifyReport, ReadError> {
        let mut report = VerifyReport::default();
        match self.walk(&mut report) {
            Ok(()) => Ok(report),
            Err(error) if is_damage(&error) => {
                report.structure.push(error.to_string().into());
                Ok(report)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// What was recorded of a run and can't be known from its chain: records of its own that are not as they were
    /// written, and what it has lost. Nothing when all of it is there.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn unknown_of_run(&self, run: RunId) -> Result<Vec<ChainDamage>, ReadError> {
        let check = verify_run(&self.connection, run).map_err(|error| self.failed(error))?;
        let lost = check.lost.into_iter().map(ChainDamage::from).collect();
        Ok([lost, check.damage].concat())
    }

    fn walk(&self, report: &mut VerifyReport) -> rusqlite::Result<()> {
        // Read first: what is noted is there from then on.
        let noted = Noted::beside(&self.path);
        report.structure = check_file(&self.connection)?;
        // One transaction, so that a leader's writes beside it don't show half.
        let tx = self.connection.unchecked_transaction()?;
        for run in all_runs(&tx)? {
            let check = verify_run(&tx, run)?;
            report.records = report.records.saturating_add(check.records);
            report.heads.extend(check.head);
            let is_empty = check.head.is_none();
            // What went with a database that was set aside is told by that.
            let lost = check.lost.iter().filter(|lost| lost.went_with.is_none());
            report.lost.extend(lost.cloned().map(ChainDamage::from));
            report.damage.extend(check.found());
            if is_empty {
                report.damage.push(ChainDamage {
                    run,
                    number: 0,
                    why: "all its records are missing".into(),
                    stored_hash: None,
                });
            }
        }
        let set_aside = set_asides(&tx)?;
        for missing in noted.missing(&tx, &set_aside)? {
            let is_same =
                |told: &ChainDamage| (told.run, told.number) == (missing.run, missing.number);
            if !report.faults().any(is_same) {
                report.damage.push(missing);
            }
        }
        report.set_aside = set_aside.into_iter().map(|(_, aside)| aside).collect();
        Ok(())
    }
}

/// What was recorded in that database and is not here any more, as far as no run's chain tells of it.
pub(crate) fn missing_since(
    connection: &Connection,
    database: &Path,
) -> rusqlite::Result<Vec<ChainDamage>> {
    let noted = Noted::beside(database);
    let missing = noted.missing(connection, &set_asides(connection)?)?;
    if missing.is_empty() {
        return Ok(missing);
    }
    let mut statement =
        connection.prepare_cached("SELECT body FROM records WHERE kind = 'damage_found'")?;
    let bodies = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut told = Vec::new();
    for body in bodies {
        if let Ok(RecordBody::DamageFound(found)) = serde_json::from_str(&body?) {
            told.push((found.run, found.number));
        }
    }
    let is_new = |damage: &ChainDamage| !told.contains(&(damage.run, damage.number));
    Ok(missing.into_iter().filter(is_new).collect())
}

fn check_file(connection: &Connection) -> rusqlite::Result<Vec<Box<str>>> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({FAULTS_LISTED})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut faults = Vec::new();
    for line in lines {
        let line = line?;
        if line != "ok" {
            faults.push(line.into());
        }
    }
    Ok(faults)
}

/// Every run that has a number or a record.
fn all_runs(connection: &Connection) -> rusqlite::Result<Vec<RunId>> {
    let mut statement = connection
        .prepare_cached("SELECT number FROM runs UNION SELECT run FROM records ORDER BY 1")?;
    let runs = statement.query_map([], |row| row.get::<_, u32>(0))?;
    runs.filter_map(|number| number.map(RunId::new).transpose())
        .collect()
}

/// Walks the chain of one run. Behind a damaged record the walk goes on from the fingerprint that stands beside it, so
/// that each fault is told once.
pub(crate) fn verify_run(connection: &Connection, run: RunId) -> rusqlite::Result<RunCheck> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {ROW_COLUMNS} FROM records WHERE run = ?1 ORDER BY number"
    ))?;
    let mut rows = statement.query([run.number()])?;
    let mut check = RunCheck::default();
    let mut expected = Some((1_u64, genesis(run)));
    while let Some(row) = rows.next()? {
        check.records = check.records.saturating_add(1);
        let number: u64 = row.get(2)?;
        let next = number.saturating_add(1);
        match read_row(row) {
            Ok(row) => {
                let stored_hash = Digest::from_bytes(row.hash);
                let damage = |why| ChainDamage {
                    run,
                    number,
                    why,
                    stored_hash: Some(stored_hash),
                };
                let found = faults(&row, run, expected).into_iter().map(damage);
                check.damage.extend(found);
                check
                    .before
                    .extend(missing_before(connection, &row)?.map(damage));
                check.lost.extend(lost_by(&row, run));
                check.head = Some(ChainPoint {
                    run,
                    number,
                    hash: stored_hash,
                });
                expected = Some((next, stored_hash));
            }
            Err(error) => {
                check.damage.push(ChainDamage {
                    run,
                    number,
                    why: error.to_string().into(),
                    stored_hash: None,
                });
                expected = None;
            }
        }
    }
    Ok(check)
}

/// What is wrong with a row, seen from the row before it.
fn faults(row: &StoredRow, run: RunId, expected: Option<(u64, Digest)>) -> Vec<Box<str>> {
    let mut faults: Vec<Box<str>> = Vec::new();
    if let Some((number, prev)) = expected {
        if row.number != number {
            let gap = row.number.saturating_sub(number);
            faults.push(format!("{gap} records before it are missing").into());
        } else if row.prev != *prev.as_bytes() {
            faults.push("it does not follow the record before it".into());
        }
    }
    if row.hash != *row.computed(run).as_bytes() {
        faults.push("its fingerprint does not fit its content".into());
    }
    match serde_json::from_str::<RecordBody>(&row.body) {
        Err(error) => faults.push(format!("its body can't be read: {error}").into()),
        Ok(body) if body.kind().as_str() != row.kind => {
            faults.push("its kind is not that of its body".into());
        }
        Ok(body) if body.about().within(run) != row.about(run) => {
            faults.push("its ids are not those of its body".into());
        }
        Ok(_) => {}
    }
    faults
}

/// What a row says that its own run has lost.
fn lost_by(row: &StoredRow, run: RunId) -> Option<DamageFound> {
    if row.kind != RecordKind::DamageFound.as_str() {
        return None;
    }
    match serde_json::from_str(&row.body) {
        Ok(RecordBody::DamageFound(found)) if found.run == run => Some(found),
        // One that can't be read is told as that.
        Ok(_) | Err(_) => None,
    }
}

/// A run's first record names the newest record there was; that one must still be there.
fn missing_before(connection: &Connection, row: &StoredRow) -> rusqlite::Result<Option<Box<str>>> {
    let Ok(RecordBody::RunStarted(started)) = serde_json::from_str(&row.body) else {
        return Ok(None);
    };
    let Some(point) = started.follows else {
        return Ok(None);
    };
    let there = is_here(connection, point)? || prune::pruned_points(connection)?.contains(&point);
    Ok((!there).then(|| {
        format!(
            "the record it follows, {} of {}, is missing or another",
            point.number, point.run
        )
        .into()
    }))
}
