//! What is kept a second time beside the database: the highest number of a run, so that a database that
//! was lost or damaged never leads to a number being given twice; and the newest record, of all and of each run, so
//! that it is noticed when records are missing from the end.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;

use pointsman_model::{Digest, DigestBuilder, RunId};

use crate::record::ChainPoint;

/// As many digits as the highest number there can be has, so that a note is always written over whole.
const DIGITS: usize = 10;

/// Notes the number. Called within the transaction that gives it, so the last note is the highest.
pub(crate) fn note(file: &File, run: RunId) -> io::Result<()> {
    file.write_all_at(format!("{:0DIGITS$}\n", run.number()).as_bytes(), 0)
}

/// The number noted last; 0 when there is none.
pub(crate) fn noted(file: &File) -> u32 {
    let mut digits = [0; DIGITS];
    match file.read_exact_at(&mut digits, 0) {
        Ok(()) => std::str::from_utf8(&digits)
            .ok()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0),
        Err(_) => 0,
    }
}

/// Where the note of the newest record stands, and how long a note is: run, number, fingerprint and check.
const HEAD_AT: usize = 16;
const HEAD_BYTES: usize = 10 + 1 + 20 + 1 + 64 + 1 + CHECK_DIGITS + 1;

/// How much of its own fingerprint a note carries: a damaged note must not tell of a record that never was.
const CHECK_DIGITS: usize = 8;

/// Where the notes of the runs begin, and how far one is from the next.
const RUNS_AT: usize = 128;
const BETWEEN_RUNS: usize = 128;
/// How many runs are noted, each over the one that many before it; it bounds the file at half a MiB. A run that old has
/// been taken up or given up long since.
const RUNS_NOTED_MAX: usize = 4_096;

/// The newest records that were noted.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    /// The one that was noted last.
    pub(crate) newest: Option<ChainPoint>,
    /// That of each run.
    pub(crate) of_runs: Vec<ChainPoint>,
}

/// Notes the newest record of all. It is on disk by then, so a note that is lost is an older one and still true.
pub(crate) fn note_newest(file: &File, head: ChainPoint) {
    write_head(file, head, HEAD_AT);
}

/// Notes the newest record of its run, as nobody does but who holds that run.
pub(crate) fn note_head(file: &File, head: ChainPoint) {
    let place = head.run.number() as usize % RUNS_NOTED_MAX;
    write_head(file, head, RUNS_AT + place * BETWEEN_RUNS);
}

fn write_head(file: &File, head: ChainPoint, at: usize) {
    let words = words(head);
    let text = format!("{words} {}\n", check(&words));
    if let Err(error) = file.write_all_at(text.as_bytes(), at as u64) {
        tracing::debug!(%error, "the newest record was not noted");
    }
}

fn words(head: ChainPoint) -> String {
    let (run, number) = (head.run.number(), head.number);
    format!("{run:010} {number:020} {}", head.hash)
}

fn check(words: &str) -> String {
    let digest = DigestBuilder::new("note of a record").part("words", words.as_bytes());
    digest
        .finish()
        .to_string()
        .chars()
        .take(CHECK_DIGITS)
        .collect()
}

/// What is noted; a note that can't be read is none.
pub(crate) fn noted_heads(file: &File) -> Heads {
    let end = RUNS_AT + RUNS_NOTED_MAX * BETWEEN_RUNS;
    let mut bytes = Vec::new();
    if let Err(error) = file.take(end as u64).read_to_end(&mut bytes) {
        tracing::debug!(%error, "the notes of the newest records can't be read");
    }
    let runs = bytes.get(RUNS_AT..).unwrap_or_default();
    Heads {
        newest: bytes.get(HEAD_AT..).and_then(head_in),
        of_runs: runs.chunks(BETWEEN_RUNS).filter_map(head_in).collect(),
    }
}

/// The note that stands at the beginning of those bytes.
fn head_in(bytes: &[u8]) -> Option<ChainPoint> {
    let line = bytes.get(..HEAD_BYTES.min(bytes.len()))?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    let mut parts = std::str::from_utf8(line).ok()?.split(' ');
    let run = RunId::new(parts.next()?.parse().ok()?)?;
    let number = parts.next()?.parse().ok()?;
    let hex = parts.next()?;
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    let hash = Digest::from_bytes(hash);
    let head = ChainPoint { run, number, hash };
    let words = words(head);
    // Earlier versions wrote no check.
    let is_whole =
        line == words.as_bytes() || line == format!("{words} {}", check(&words)).as_bytes();
    is_whole.then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_with_any_bit_turned_over_is_none() {
        let file = tempfile::tempfile().unwrap();
        let head = ChainPoint {
            run: RunId::FIRST,
            number: 27,
            hash: Digest::from_bytes([0xa7; 32]),
        };
        note_newest(&file, head);
        note_head(&file, head);
        let noted = noted_heads(&file);
        assert_eq!((noted.newest, noted.of_runs), (Some(head), vec![head]));
        let text = format!("{} {}\n", words(head), check(&words(head)));
        assert_eq!(text.len(), HEAD_BYTES);
        const { assert!(HEAD_AT + HEAD_BYTES <= RUNS_AT) };
        for at in 0..HEAD_BYTES - 1 {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert_eq!(head_in(&bytes), None, "bit {bit} of byte {at}");
            }
        }
        let older = format!("{}\n", words(head));
        assert_eq!(head_in(older.as_bytes()), Some(head));
    }
}
