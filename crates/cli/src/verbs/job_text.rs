//! The text of a job file: a plain file of a bounded size, as UTF-8. Whatever else stands in its place is told, and not
//! waited for.
//!
//! How it is shown and where it lies are two things: it is shown as it was typed, from wherever it was, and lies where
//! it can be read again from any folder.

use std::path::Path;

use pointsman_model::AbsPath;
use pointsman_policy::settings::{DiskFiles, SettingsFiles as _};
use pointsman_swarm::JobFile;

use crate::failure::Failure;
use crate::place::Place;

/// What to do without one.
const HINT: &str = "`pointsman init` writes a job file to start from";

/// Reads what was typed here; tells where it lies, too.
pub(super) fn job_text(typed: &str, place: &Place) -> Result<(String, AbsPath), Failure> {
    let at = place.path(Path::new(typed))?;
    Ok((job_text_at(typed, &at)?, at))
}

/// Reads what lies there. Its name is shown as it was typed.
pub(super) fn job_text_at(typed: &str, at: &AbsPath) -> Result<String, Failure> {
    let bytes = DiskFiles
        .read(at)
        .map_err(|error| Failure::of(&error).at(typed).hint(HINT))?
        .ok_or_else(|| {
            Failure::bad_input("there is no such job file")
                .at(typed)
                .hint(HINT)
        })?;
    JobFile::text(bytes, typed).map_err(|problem| {
        let failure = Failure::bad_input(problem.message()).at(problem.place());
        match problem.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}
