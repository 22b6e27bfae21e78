//! The interpreter that a script names in its first line.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// As much as the system reads of a script's first line.
const FIRST_LINE_BYTES_MAX: u64 = 256;

/// What a script's first line says is to run it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// A path.
    Path(String),
    /// A name that `env` looks up.
    Name(String),
}

/// The interpreter that a file names in its first line, where it names one and that is sure.
pub(super) fn first_line_of(file: &Path) -> Option<NamedBy> {
    let mut bytes = Vec::new();
    let file = File::open(file).ok()?;
    file.take(FIRST_LINE_BYTES_MAX)
        .read_to_end(&mut bytes)
        .ok()?;
    let rest = bytes.strip_prefix(b"#!")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(rest.get(..end)?).ok()?;
    // The system parts it at blanks alone, so a line of another system's text ends in a sign that is of the name.
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let path = words.next()?;
    if !path.starts_with('/') {
        return None;
    }
    let is_env = path.ends_with("/env");
    match words.next() {
        Some(name) if is_env && !name.starts_with('-') && !name.contains(['/', '=']) => {
            Some(NamedBy::Name(name.to_owned()))
        }
        _ => Some(NamedBy::Path(path.to_owned())),
    }
}
