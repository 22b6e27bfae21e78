//! The runs of a project, and whether they live.

use pointsman_model::{RunId, WallTime};
use rusqlite::OptionalExtension;

use super::{LedgerReader, ReadError};
use crate::record::{RecordBody, RunStart};
use crate::recovery;

/// How a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// Its leader is alive.
    Live,
    /// It came to its end.
    Ended {
        /// The exit code of its leader.
        exit_code: u8,
        /// When.
        at: WallTime,
        /// Its summary in a few words.
        text: Box<str>,
    },
    /// Its leader died. What was open is closed, or will be at the next start.
    Interrupted,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInfo {
    /// Its number.
    pub run: RunId,
    /// When it was started.
    pub started_at: WallTime,
    /// What its leader said then; nothing when that record can't be read.
    pub start: Option<RunStart>,
    /// How it stands.
    pub state: RunState,
    /// When its last record was handed in.
    pub last_at: WallTime,
    /// How many records it has.
    pub records: u64,
}

impl LedgerReader {
    /// All runs, oldest first.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn runs(&self) -> Result<Vec<RunInfo>, ReadError> {
        self.try_runs().map_err(|error| self.failed(error))
    }

    fn try_runs(&self) -> rusqlite::Result<Vec<RunInfo>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT runs.number, runs.started_at, count(records.seq), max(records.at)
             FROM runs LEFT JOIN records ON records.run = runs.number
             GROUP BY runs.number ORDER BY runs.number",
        )?;
        let mut rows = statement.query([])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(run) = RunId::new(row.get(0)?) else {
                continue;
            };
            let started_at: i64 = row.get(1)?;
            let last_at: Option<i64> = row.get(3)?;
            runs.push(RunInfo {
                run,
                started_at: WallTime(started_at),
                start: self.start(run)?,
                state: self.state(run)?,
                last_at: WallTime(last_at.unwrap_or(started_at)),
                records: row.get(2)?,
            });
        }
        Ok(runs)
    }

    fn start(&self, run: RunId) -> rusqlite::Result<Option<RunStart>> {
        let body: Option<String> = self
            .connection
            .prepare_cached("SELECT body FROM records WHERE run = ?1 AND kind = 'run_started'")?
            .query_row([run.number()], |row| row.get(0))
            .optional()?;
        Ok(
            body.and_then(|body| match serde_json::from_str(&body).ok()? {
                RecordBody::RunStarted(started) => Some(started.start),
                _ => None,
            }),
        )
    }

    fn state(&self, run: RunId) -> rusqlite::Result<RunState> {
        let last: Option<(i64, String)> = self
            .connection
            .prepare_cached(
                "SELECT at, body FROM records WHERE run = ?1
                   AND kind IN ('run_started', 'run_resumed', 'run_ended', 'run_interrupted')
                 ORDER BY number DESC LIMIT 1",
            )?
            .query_row([run.number()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let body =
            last.and_then(|(at, body)| Some((at, serde_json::from_str::<RecordBody>(&body).ok()?)));
        Ok(match body {
            Some((at, RecordBody::RunEnded(ended))) => RunState::Ended {
                exit_code: ended.exit_code,
                at: WallTime(at),
                text: ended.text,
            },
            Some((_, RecordBody::RunInterrupted(_))) => RunState::Interrupted,
            _ if recovery::is_alive(&self.path, run) => RunState::Live,
            _ => RunState::Interrupted,
        })
    }
}
