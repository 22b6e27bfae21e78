//! Long lists of records, a page at a time: a run is as long as its agents work, the memory of whoever reads it is not.
//!
//! Between two pages nothing is held, neither records nor the database, whose log could not be cut off under a reader
//! that takes its time.

use super::{Filter, LedgerReader, Part, ReadError, RecordList, UnreadableRecord};
use crate::record::{LedgerRecord, Seq};

/// Records of a page. Below so many the look-ups of a page cost more than its records; each may hold a text of many KiB.
pub(super) const PAGE: u32 = 256;

/// How far the records that a filter wants have been read.
#[derive(Debug, Clone)]
pub struct Pages {
    filter: Filter,
    after: Option<Seq>,
}

impl Pages {
    /// From the first record on.
    #[must_use]
    pub fn of(filter: Filter) -> Self {
        Self {
            filter,
            after: None,
        }
    }

    /// The next records, in the order in which they were written; nothing when there are no more by now. Blocks on the disk.
    ///
    /// # Errors
    /// When the database can't be read. The page can be asked for again.
    pub fn next(&mut self, reader: &LedgerReader) -> Result<Option<RecordList>, ReadError> {
        let page = reader
            .list(&self.filter, Part::Page(self.after))
            .map_err(|error| reader.failed(error))?;
        let read = page.records.last().map(|record| record.seq);
        let unread = page.unreadable.last().map(|record| record.seq);
        match read.max(unread) {
            None => Ok(None),
            last => {
                self.after = last;
                Ok(Some(page))
            }
        }
    }
}

impl LedgerReader {
    /// Hands on each record that the filter wants, in the order in which they were written, and gives those that can't be
    /// read. One record is in memory at a time.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn each(
        &self,
        filter: &Filter,
        mut take: impl FnMut(LedgerRecord),
    ) -> Result<Vec<UnreadableRecord>, ReadError> {
        let mut unreadable = Vec::new();
        let mut after = None;
        loop {
            let mut last = None;
            let visited = self.visit(filter, Part::Page(after), |seq, record| {
                last = Some(seq);
                match record {
                    Ok(record) => take(record),
                    Err(why) => unreadable.push(UnreadableRecord { seq, why }),
                }
            });
            visited.map_err(|error| self.failed(error))?;
            if last.is_none() {
                return Ok(unreadable);
            }
            after = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use pointsman_model::{CallId, RequestId, RunId, WorkerId};
    use rusqlite::{Connection, params_from_iter};

    use super::*;
    use crate::record::RecordKind;
    use crate::schema;

    /// A page costs what is in it, however much is behind it.
    #[test]
    fn no_page_sorts_what_is_left_of_the_ledger() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::create(&mut connection, 0).unwrap();
        let run = RunId::FIRST;
        let of_worker = Filter {
            worker: Some(WorkerId::new(run, 1)),
            ..Filter::of_run(run)
        };
        let of_request = Filter {
            request: Some(RequestId::new(run, 1)),
            ..Filter::default()
        };
        let of_kind = Filter {
            kinds: vec![RecordKind::CallEnded, RecordKind::CallDecided],
            ..Filter::of_run(run)
        };
        let filters = [
            Filter::default(),
            Filter::of_run(run),
            Filter::of_call(CallId::new(run, 1)),
            of_worker,
            of_request,
            of_kind,
        ];
        for filter in filters {
            for after in [None, Some(Seq(7))] {
                let (sql, values) = filter.to_sql(Part::Page(after));
                let sql = format!("EXPLAIN QUERY PLAN {sql}");
                let mut plan = connection.prepare(&sql).unwrap();
                let steps = plan
                    .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
                    .unwrap();
                let steps: Vec<String> = steps.map(Result::unwrap).collect();
                assert!(!steps.concat().contains("TEMP B-TREE"), "{sql}: {steps:?}");
                let whole = ["SCAN told", "SCAN own"]
                    .iter()
                    .any(|it| steps.concat().contains(it));
                assert!(!whole, "{sql}: {steps:?}");
                let by_agent = steps.concat().contains("records_of_worker");
                assert_eq!(by_agent, filter.worker.is_some(), "{sql}: {steps:?}");
            }
        }
    }
}
