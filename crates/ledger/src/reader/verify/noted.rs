//! What is noted beside the database of what was written to it, and whether that is still there.
//!
//! A chain says what is missing from its middle. What is cut off its end, or a whole database that was
//! emptied, is known by these notes alone.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use pointsman_model::RunId;
use rusqlite::{Connection, OptionalExtension as _};

use super::{ChainDamage, all_runs};
use crate::highest::{self, Heads};
use crate::prune;
use crate::record::{ChainPoint, RecordBody, SetAside};
use crate::salvage::beside;

/// The notes.
pub(in crate::reader) struct Noted {
    heads: Heads,
    /// The highest run that is known to have been recorded; 0 when none is.
    pub(in crate::reader) highest: u32,
}

impl Noted {
    /// The notes beside that database; empty ones when there are none.
    pub(in crate::reader) fn beside(database: &Path) -> Self {
        let Ok(file) = File::open(beside(database, ".lock")) else {
            return Self {
                heads: Heads::default(),
                highest: 0,
            };
        };
        let heads = highest::noted_heads(&file);
        // A number is noted before its run's first record is on disk, so the last one may not have come to it.
        let begun = highest::noted(&file).saturating_sub(1);
        let recorded = heads.newest.map_or(0, |head| head.run.number());
        Self {
            heads,
            highest: begun.max(recorded),
        }
    }

    /// What was recorded and is not here, but for what went with a database that was set aside.
    pub(super) fn missing(
        &self,
        connection: &Connection,
        set_aside: &[(u32, SetAside)],
    ) -> rusqlite::Result<Vec<ChainDamage>> {
        let runs = self.missing_runs(connection, set_aside)?;
        let heads = self.missing_heads(connection)?;
        Ok(runs.into_iter().chain(heads).collect())
    }

    fn missing_runs(
        &self,
        connection: &Connection,
        set_aside: &[(u32, SetAside)],
    ) -> rusqlite::Result<Option<ChainDamage>> {
        // Runs are pruned from the oldest on, so those before a pruned one were pruned too or went with a prune's record.
        let pruned = prune::highest_pruned(connection)?.saturating_add(1);
        let explained = set_aside.iter().map(|(run, _)| *run).max().unwrap_or(1);
        let explained = explained.max(pruned);
        let runs = all_runs(connection)?;
        let here: BTreeSet<u32> = runs.into_iter().map(RunId::number).collect();
        let mut missing = (explained..=self.highest).filter(|run| !here.contains(run));
        let first = missing.next().and_then(RunId::new);
        let why = match missing.count() {
            0 => "it was recorded here, and all of it is missing".into(),
            more => {
                format!("it and {more} more runs were recorded here, and all of them are missing")
            }
        };
        Ok(first.map(|run| ChainDamage {
            run,
            number: 0,
            why: why.into(),
            stored_hash: None,
        }))
    }

    fn missing_heads(&self, connection: &Connection) -> rusqlite::Result<Vec<ChainDamage>> {
        let pruned = prune::pruned_points(connection)?;
        let mut heads: Vec<ChainPoint> = Vec::new();
        for head in &self.heads.of_runs {
            // Of a run that is missing altogether that is said, or it was pruned.
            if has_records(connection, head.run)? {
                heads.push(*head);
            }
        }
        if let Some(newest) = self.heads.newest {
            // That of its run is as new, unless an earlier version noted this one.
            let is_as_new =
                |head: &ChainPoint| head.run == newest.run && head.number >= newest.number;
            if !heads.iter().any(is_as_new) {
                heads.retain(|head| head.run != newest.run);
                heads.push(newest);
            }
        }
        let mut missing = Vec::new();
        for head in heads {
            if !is_here(connection, head)? && !pruned.contains(&head) {
                missing.push(ChainDamage {
                    run: head.run,
                    number: head.number,
                    why: "it was the newest record, and it is missing or another".into(),
                    stored_hash: None,
                });
            }
        }
        Ok(missing)
    }
}

/// Whether any record of that run is in the database.
pub(crate) fn has_records(connection: &Connection, run: RunId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM records WHERE run = ?1)")?
        .query_row([run.number()], |row| row.get(0))
}

/// Whether that record is in the database.
pub(crate) fn is_here(connection: &Connection, point: ChainPoint) -> rusqlite::Result<bool> {
    let hash: Option<[u8; 32]> = connection
        .prepare_cached("SELECT hash FROM records WHERE run = ?1 AND number = ?2")?
        .query_row(rusqlite::params![point.run.number(), point.number], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(hash == Some(*point.hash.as_bytes()))
}

/// The damaged databases that were set aside, each with the run that tells of it.
pub(super) fn set_asides(connection: &Connection) -> rusqlite::Result<Vec<(u32, SetAside)>> {
    let mut statement = connection
        .prepare_cached("SELECT run, body FROM records WHERE kind = 'set_aside' ORDER BY seq")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut found = Vec::new();
    for row in rows {
        let (run, body) = row?;
        if let Ok(RecordBody::SetAside(aside)) = serde_json::from_str(&body) {
            found.push((run, aside));
        }
    }
    Ok(found)
}
