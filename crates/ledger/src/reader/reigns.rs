//! The reigns of a run: which questions the people of each were shown, and for how long its leader is known to have
//! lived.

use std::collections::HashSet;

use pointsman_model::{RequestId, RunId, WallTime};

use super::{LedgerReader, ReadError};
use crate::record::{RecordBody, RunInterrupted, Showing};

/// What one leader of a run put before people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastReign {
    /// The questions that went to the surfaces, and when; those that were answered since too.
    pub shown: Vec<(RequestId, WallTime)>,
    /// When its leader is last known to have lived: when it handed in its last record.
    pub last_at: WallTime,
}

impl LedgerReader {
    /// The reigns of a run, the first one first; none when there is no such run. The last one may be on still.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn reigns(&self, run: RunId) -> Result<Vec<PastReign>, ReadError> {
        self.try_reigns(run).map_err(|error| self.failed(error))
    }

    fn try_reigns(&self, run: RunId) -> rusqlite::Result<Vec<PastReign>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT at, CASE WHEN kind IN ('run_started', 'run_resumed', 'run_interrupted',
                                           'request_opened', 'request_reopened', 'request_shown')
                        THEN body END
             FROM records WHERE run = ?1 ORDER BY number",
        )?;
        let mut rows = statement.query([run.number()])?;
        let mut reading = Reading::default();
        while let Some(row) = rows.next()? {
            let at = WallTime(row.get(0)?);
            let body: Option<String> = row.get(1)?;
            // One that can't be read is damage, which the chain's check reports.
            let body = body.and_then(|body| serde_json::from_str(&body).ok());
            reading.take(at, body);
        }
        Ok(reading.reigns())
    }
}

#[derive(Default)]
struct Reading {
    over: Vec<PastReign>,
    shown: Vec<(RequestId, WallTime)>,
    /// When each record of the present reign was handed in.
    moments: Vec<WallTime>,
    /// The questions that are shown as soon as they are on record, again as well.
    at_once: HashSet<RequestId>,
}

impl Reading {
    fn take(&mut self, at: WallTime, body: Option<RecordBody>) {
        match body {
            Some(RecordBody::RunStarted(_) | RecordBody::RunResumed(_)) => self.next_reign(),
            // What was written when the leader was found dead says nothing of how long it lived.
            Some(RecordBody::RunInterrupted(found)) => {
                let own = self.moments.len().saturating_sub(closed_with(&found));
                self.moments.truncate(own);
                return self.next_reign();
            }
            Some(RecordBody::RequestOpened(opened)) if opened.showing == Showing::AtOnce => {
                self.at_once.insert(opened.request.id);
                self.shown.push((opened.request.id, at));
            }
            Some(RecordBody::RequestReopened(again)) if self.at_once.contains(&again.request) => {
                self.shown.push((again.request, at));
            }
            // Whoever takes the run up shows it at once.
            Some(RecordBody::RequestShown(shown)) if self.at_once.insert(shown.request) => {
                self.shown.push((shown.request, at));
            }
            // No other kind has a body here.
            Some(_) | None => {}
        }
        self.moments.push(at);
    }

    fn next_reign(&mut self) {
        let shown = std::mem::take(&mut self.shown);
        if let Some(last_at) = std::mem::take(&mut self.moments).into_iter().max() {
            self.over.push(PastReign { shown, last_at });
        }
    }

    fn reigns(mut self) -> Vec<PastReign> {
        self.next_reign();
        self.over
    }
}

/// How many records the one that says that the leader was found dead closes, right before it.
fn closed_with(found: &RunInterrupted) -> usize {
    let closed = [found.requests, found.calls_not_started, found.calls_unknown];
    closed.iter().map(|count| *count as usize).sum()
}
