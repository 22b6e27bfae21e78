//! The chain: each record's fingerprint covers its bytes, its place and the fingerprint before it.

use pointsman_model::{Digest, DigestBuilder, RunId, WallTime};
use rusqlite::{Connection, OptionalExtension, params};

use crate::record::{About, ChainPoint, RecordBody, RecordKind, Seq};

/// All of a record that its fingerprint covers.
pub(crate) struct Link<'a> {
    pub(crate) prev: Digest,
    pub(crate) run: RunId,
    pub(crate) number: u64,
    pub(crate) at: WallTime,
    pub(crate) kind: &'a str,
    pub(crate) about: About,
    pub(crate) body: &'a str,
}

/// What stands in the place of the fingerprint before a run's first record.
pub(crate) fn genesis(run: RunId) -> Digest {
    DigestBuilder::new("chain of a run")
        .part("run", &run.number().to_le_bytes())
        .finish()
}

impl Link<'_> {
    /// The record's fingerprint.
    pub(crate) fn hash(&self) -> Digest {
        // Everything of fixed width goes into one part; a missing id is told from id 0 by its flag byte.
        let mut place = Vec::with_capacity(64);
        place.extend_from_slice(&self.run.number().to_le_bytes());
        place.extend_from_slice(&self.number.to_le_bytes());
        place.extend_from_slice(&self.at.0.to_le_bytes());
        let ids = [
            self.about.worker.map(|id| (id.run(), id.number())),
            self.about.call.map(|id| (id.run(), id.number())),
            self.about.request.map(|id| (id.run(), id.number())),
        ];
        for id in ids {
            match id {
                None => place.push(0),
                Some((run, number)) => {
                    place.push(1);
                    place.extend_from_slice(&run.number().to_le_bytes());
                    place.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
        DigestBuilder::new("ledger record")
            .part("prev", self.prev.as_bytes())
            .part("place", &place)
            .part("kind", self.kind.as_bytes())
            .part("body", self.body.as_bytes())
            .finish()
    }
}

/// The end of a run's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: Digest,
}

/// A record that is about to be written.
pub(crate) struct Fresh<'a> {
    pub(crate) run: RunId,
    pub(crate) at: WallTime,
    pub(crate) kind: RecordKind,
    pub(crate) about: About,
    pub(crate) body: &'a str,
}

impl Head {
    /// The head of a run without records.
    pub(crate) fn of_new(run: RunId) -> Self {
        Self {
            number: 0,
            hash: genesis(run),
        }
    }

    /// The head as it stands in the database, whether the last record is sound or not.
    pub(crate) fn stored(connection: &Connection, run: RunId) -> rusqlite::Result<Self> {
        let last = connection
            .prepare_cached(
                "SELECT number, hash FROM records WHERE run = ?1 ORDER BY number DESC LIMIT 1",
            )?
            .query_row([run.number()], |row| {
                Ok(Self {
                    number: row.get(0)?,
                    hash: Digest::from_bytes(row.get(1)?),
                })
            })
            .optional()?;
        Ok(last.unwrap_or_else(|| Self::of_new(run)))
    }

    /// It as the newest record of its run.
    pub(crate) fn point(self, run: RunId) -> ChainPoint {
        ChainPoint {
            run,
            number: self.number,
            hash: self.hash,
        }
    }

    /// Writes a record behind this head, which then is the new one.
    pub(crate) fn extend(
        &mut self,
        connection: &Connection,
        fresh: &Fresh<'_>,
    ) -> rusqlite::Result<Seq> {
        let number = self.number.saturating_add(1);
        let hash = Link {
            prev: self.hash,
            run: fresh.run,
            number,
            at: fresh.at,
            kind: fresh.kind.as_str(),
            about: fresh.about,
            body: fresh.body,
        }
        .hash();
        connection
            .prepare_cached(
                "INSERT INTO records (run, number, at, kind, worker, call, request, body, prev, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                fresh.run.number(),
                number,
                fresh.at.0,
                fresh.kind.as_str(),
                fresh.about.worker.map(|id| id.number()),
                fresh.about.call.map(|id| id.number()),
                fresh.about.request.map(|id| id.number()),
                fresh.body,
                self.hash.as_bytes(),
                hash.as_bytes(),
            ])?;
        *self = Self { number, hash };
        Ok(Seq(connection.last_insert_rowid()))
    }

    /// Writes a body behind this head.
    pub(crate) fn extend_with(
        &mut self,
        connection: &Connection,
        run: RunId,
        at: WallTime,
        body: &RecordBody,
    ) -> rusqlite::Result<Seq> {
        let text = serde_json::to_string(body)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        self.extend(
            connection,
            &Fresh {
                run,
                at,
                kind: body.kind(),
                about: body.about().within(run),
                body: &text,
            },
        )
    }
}

/// The newest record of the database.
pub(crate) fn newest(connection: &Connection) -> rusqlite::Result<Option<ChainPoint>> {
    let newest = connection
        .prepare_cached("SELECT run, number, hash FROM records ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            let run: u32 = row.get(0)?;
            Ok(RunId::new(run).map(|run| (run, row.get(1), row.get(2))))
        })
        .optional()?
        .flatten();
    newest
        .map(|(run, number, hash)| {
            Ok(ChainPoint {
                run,
                number: number?,
                hash: Digest::from_bytes(hash?),
            })
        })
        .transpose()
}
