//! What is kept a second time beside the database: the highest number of a run, so that a database that
//! was lost or damaged never leads to a number being given twice; and the newest record, so that it is
//! noticed when records are missing from the end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use pointsman_model::{Digest, RunId};

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

/// Where the note of the newest record stands, and how long it is: run, number and fingerprint.
const HEAD_AT: u64 = 16;
const HEAD_BYTES: usize = 10 + 1 + 20 + 1 + 64 + 1;

/// Notes the newest record. It is on disk by then, so a note that is lost is an older one and still true.
pub(crate) fn note_head(file: &File, head: ChainPoint) {
    let text = format!(
        "{:010} {:020} {}\n",
        head.run.number(),
        head.number,
        head.hash
    );
    if let Err(error) = file.write_all_at(text.as_bytes(), HEAD_AT) {
        tracing::debug!(%error, "the newest record was not noted");
    }
}

/// The record that was noted last; nothing when there is none, or the note is none.
pub(crate) fn noted_head(file: &File) -> Option<ChainPoint> {
    let mut bytes = [0; HEAD_BYTES];
    file.read_exact_at(&mut bytes, HEAD_AT).ok()?;
    let mut parts = std::str::from_utf8(&bytes).ok()?.trim_end().split(' ');
    let run = RunId::new(parts.next()?.parse().ok()?)?;
    let number = parts.next()?.parse().ok()?;
    let hex = parts.next()?;
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(ChainPoint {
        run,
        number,
        hash: Digest::from_bytes(hash),
    })
}
