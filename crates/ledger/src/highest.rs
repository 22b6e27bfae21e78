//! The highest number of a run, kept a second time beside the database, so that a database that was
//! lost or damaged never leads to a number being given twice.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use pointsman_model::RunId;

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
