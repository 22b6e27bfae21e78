//! The transcript of one agent: its records, a line or more each, in the order in which they were
//! written, with a search.

use std::sync::Arc;

use pointsman_ledger::{LedgerRecord, RecordBody, Seq};
use pointsman_model::WorkerId;

use super::field::{Field, Lines, Pasted, Took};
use super::key::Key;
use super::sheet::{Line, Row, Tone, agents_lines, call_lines, wrap};
use crate::render::record_line;
use crate::secret::Secrets;

/// Records of one agent that are kept in memory; earlier ones are in `pointsman log`.
pub(super) const RECORDS_MAX: usize = 2_000;

/// Which end of the transcript the view keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At its newest lines, which come into view as they are written.
    AtEnd,
    /// At this row.
    Row(usize),
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Transcript {
    pub(super) worker: WorkerId,
    /// Nothing while they are being read.
    loaded: Option<Vec<Arc<LedgerRecord>>>,
    /// What was written while the earlier ones are being read.
    early: Vec<Arc<LedgerRecord>>,
    lines: Vec<Line>,
    rows: (u16, Vec<Row>),
    place: Place,
    pub(super) secrets: Secrets,
    /// What is searched for; with `typing` the keys go into it.
    pub(super) search: Option<Field>,
    pub(super) typing: Typing,
}

/// Whether keys go into the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    Search,
    Nothing,
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// The transcript did what there was to do.
    On,
    /// The person leaves.
    Back,
    /// It is not a key of the transcript's.
    Other,
}

impl Transcript {
    /// A transcript that is being read.
    pub(super) fn new(worker: WorkerId) -> Self {
        Self {
            worker,
            loaded: None,
            early: Vec::new(),
            lines: Vec::new(),
            rows: (0, Vec::new()),
            place: Place::AtEnd,
            secrets: Secrets::Masked,
            search: None,
            typing: Typing::Nothing,
        }
    }

    /// Whether the records are here.
    pub(super) fn is_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// Takes the records as they were read.
    pub(super) fn loaded(&mut self, mut records: Vec<Arc<LedgerRecord>>, width: u16) {
        let last = records.last().map_or(Seq(0), |record| record.seq);
        let early = std::mem::take(&mut self.early);
        records.extend(early.into_iter().filter(|record| record.seq > last));
        self.loaded = Some(records);
        self.lay_out(width);
    }

    /// Takes a record that was just written.
    pub(super) fn record(&mut self, record: &Arc<LedgerRecord>, width: u16) {
        if record.body.about().worker != Some(self.worker) {
            return;
        }
        match &mut self.loaded {
            None => self.early.push(Arc::clone(record)),
            Some(records) if records.last().is_some_and(|last| last.seq >= record.seq) => {}
            Some(records) => {
                records.push(Arc::clone(record));
                if records.len() > RECORDS_MAX.saturating_mul(2) {
                    records.drain(..RECORDS_MAX);
                    self.lay_out(width);
                } else {
                    let new = record_lines(record, self.secrets);
                    self.rows.1.extend(wrap(&new, self.rows.0));
                    self.lines.extend(new);
                }
            }
        }
    }

    /// Wraps the lines for that width.
    pub(super) fn resize(&mut self, width: u16) {
        if self.rows.0 != width {
            self.rows = (width, wrap(&self.lines, width));
        }
    }

    fn lay_out(&mut self, width: u16) {
        let records = self.loaded.iter().flatten();
        self.lines = records
            .flat_map(|record| record_lines(record, self.secrets))
            .collect();
        self.rows = (width, wrap(&self.lines, width));
    }

    /// The rows in view, when `height` are.
    pub(super) fn view(&self, height: usize) -> &[Row] {
        let top = self.top(height);
        let end = top.saturating_add(height).min(self.rows.1.len());
        self.rows.1.get(top..end).unwrap_or_default()
    }

    /// The row at the top, and how many there are.
    pub(super) fn extent(&self, height: usize) -> (usize, usize) {
        (self.top(height), self.rows.1.len())
    }

    fn top(&self, height: usize) -> usize {
        let last = self.rows.1.len().saturating_sub(height);
        match self.place {
            Place::AtEnd => last,
            Place::Row(top) => top.min(last),
        }
    }

    /// Takes a key; `height` rows are in view.
    pub(super) fn key(&mut self, key: Key, height: usize) -> Read {
        if self.typing == Typing::Search {
            return self.typed(key, height);
        }
        if let Some(step) = key.step() {
            let last = self.rows.1.len().saturating_sub(height);
            let top = step.from(self.top(height), last, height.saturating_sub(1));
            self.place = if top == last {
                Place::AtEnd
            } else {
                Place::Row(top)
            };
            return Read::On;
        }
        match key {
            Key::Esc if self.search.is_some() => self.search = None,
            Key::Esc | Key::Left | Key::Char('q') => return Read::Back,
            Key::Char('/') => {
                self.search = Some(Field::new(Lines::One, ""));
                self.typing = Typing::Search;
            }
            Key::Char('n') | Key::Enter => self.find_next(height),
            Key::Char('N') => self.find_before(height),
            Key::Char('r') => self.turn_secrets(),
            _ => return Read::Other,
        }
        Read::On
    }

    /// Shows secrets, or masks them again.
    fn turn_secrets(&mut self) {
        self.secrets = match self.secrets {
            Secrets::Masked => Secrets::Shown,
            Secrets::Shown => Secrets::Masked,
        };
        self.lay_out(self.rows.0);
    }

    /// Takes a pasted text, while a search is being typed.
    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        match (self.typing, &mut self.search) {
            (Typing::Search, Some(field)) => field.paste(text),
            (_, _) => Pasted::Nowhere,
        }
    }

    fn typed(&mut self, key: Key, height: usize) -> Read {
        match key {
            Key::Enter => {
                self.typing = Typing::Nothing;
                self.find_next(height);
            }
            Key::Esc => {
                self.typing = Typing::Nothing;
                self.search = None;
            }
            key => {
                let taken = self.search.as_mut().map(|field| field.take(key));
                if taken == Some(Took::Left) {
                    return Read::Other;
                }
            }
        }
        Read::On
    }

    /// What is searched for, in lower case; nothing when nothing is.
    pub(super) fn wanted(&self) -> Option<String> {
        let text = self.search.as_ref()?.text().to_lowercase();
        (!text.is_empty()).then_some(text)
    }

    /// Goes to the next row that holds what is searched for, from the top on and around.
    fn find_next(&mut self, height: usize) {
        let Some(wanted) = self.wanted() else { return };
        let from = self.top(height).saturating_add(1);
        let rows = self.rows.1.iter().enumerate();
        let holds = |(_, row): &(usize, &Row)| row.text().to_lowercase().contains(&wanted);
        let found = rows
            .clone()
            .skip(from)
            .find(holds)
            .or_else(|| rows.clone().take(from).find(holds));
        if let Some((at, _)) = found {
            self.place = Place::Row(at);
        }
    }

    fn find_before(&mut self, height: usize) {
        let Some(wanted) = self.wanted() else { return };
        let rows = self.rows.1.iter().enumerate().take(self.top(height));
        let found = rows
            .rev()
            .find(|(_, row)| row.text().to_lowercase().contains(&wanted));
        if let Some((at, _)) = found {
            self.place = Place::Row(at);
        }
    }
}

/// A record as it is read: its line, and the texts that the line has only the beginning of.
fn record_lines(record: &LedgerRecord, secrets: Secrets) -> Vec<Line> {
    let tone = match &record.body {
        RecordBody::CallRequested(_) | RecordBody::CallHooked(_) | RecordBody::RequestShown(_) => {
            Tone::Quiet
        }
        RecordBody::RequestOpened(_) => Tone::Notice,
        _ => Tone::Plain,
    };
    let mut lines = vec![Line::told(tone, secrets.of(&record_line(record)))];
    match &record.body {
        RecordBody::CallStarted(started) => lines.extend(call_lines(&started.call, secrets)),
        RecordBody::CallEnded(ended) if !ended.text.is_empty() => {
            let text = secrets.of(&ended.text);
            lines.extend(agents_lines(&text, "", Tone::Agent));
        }
        _ => {}
    }
    lines
}

#[cfg(test)]
mod tests {
    use pointsman_ledger::CallStarted;
    use pointsman_model::{Digest, WallTime};

    use super::*;
    use crate::fixture;
    use crate::screen::stage::{FAKES, nothing_faked};

    #[test]
    fn no_row_of_an_agents_text_begins_as_a_record_does() {
        for fake in FAKES {
            for filled in 0..50 {
                let request = fixture::request(1, &format!("touch {} {fake}", "d".repeat(filled)));
                let started = CallStarted {
                    worker: request.lineage.agent().worker,
                    call: request.call.clone(),
                    folder: request.folder.clone(),
                    request: None,
                    digest: request.digest,
                };
                let record = LedgerRecord {
                    seq: Seq(1),
                    run: fixture::run(),
                    number: 1,
                    at: WallTime(1_000),
                    body: RecordBody::CallStarted(Box::new(started)),
                    prev: Digest::of(b"before"),
                    hash: Digest::of(b"this"),
                };
                let rows = wrap(&record_lines(&record, Secrets::Masked), 80);
                let texts: Vec<String> = rows.iter().map(Row::text).collect();
                nothing_faked(texts.iter().map(String::as_str));
                assert!(texts.iter().any(|text| text.contains("faked")));
            }
        }
    }
}
