//! Saving rules to a settings file: locked, whole, never over a file that can't be read.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use pointsman_model::{RuleBehavior, RuleText};
use pointsman_policy::settings::{AddRulesError, add_rules};

/// A new settings file's rights, before the user's mask: settings are meant to be shared in a checkout.
const NEW_FILE_MODE: u32 = 0o666;

/// Why rules were not saved. The file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file can't be read or written.
    #[error("`{file}` can't be changed")]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is no settings file, or a rule is none.
    #[error("no rule was added to `{file}`")]
    Rules {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: AddRulesError,
    },
}

/// Adds rules to a settings file, which is made when it is not there. All else in it stays as it is.
///
/// Whoever saves at the same time waits: the folder is locked from the reading to the writing, so no rule is lost. The
/// file is replaced whole and synced, so a crash leaves the old one or the new one. Blocks on the disk.
///
/// # Errors
/// When the file can't be read, does not parse, or can't be replaced.
pub fn save_rules(
    file: &Path,
    behavior: RuleBehavior,
    rules: &[RuleText],
) -> Result<(), SaveError> {
    let failed = |source| SaveError::File {
        file: file.into(),
        source,
    };
    // Through a link the file it leads to is changed; the link stays.
    let target = match fs::canonicalize(file) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => file.into(),
        Err(error) => return Err(failed(error)),
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let locked = File::open(folder).map_err(failed)?;
    locked.lock().map_err(failed)?;
    let (old, mode) = read(&target).map_err(failed)?;
    let new = add_rules(&old, behavior, rules).map_err(|source| SaveError::Rules {
        file: file.into(),
        source,
    })?;
    if new != old {
        replace(&target, folder, &locked, &new, mode).map_err(failed)?;
    }
    Ok(())
}

/// The file's text and rights; an empty text and no rights for a file that is not there.
fn read(file: &Path) -> io::Result<(String, Option<u32>)> {
    match fs::read_to_string(file) {
        Ok(text) => Ok((text, Some(fs::metadata(file)?.permissions().mode()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((String::new(), None)),
        Err(error) => Err(error),
    }
}

fn replace(
    file: &Path,
    folder: &Path,
    folder_file: &File,
    text: &str,
    mode: Option<u32>,
) -> io::Result<()> {
    let mut new = tempfile::Builder::new()
        .prefix(".settings-")
        .permissions(Permissions::from_mode(NEW_FILE_MODE))
        .tempfile_in(folder)?;
    if let Some(mode) = mode {
        new.as_file()
            .set_permissions(Permissions::from_mode(mode))?;
    }
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    folder_file.sync_all()
}

#[cfg(test)]
mod tests;
