//! What the compiler can't see: the shape of the house.
//!
//! Each check reads files and gives faults as text; none changes anything.

mod arrows;
mod files;
mod scenarios;
mod tests_folder;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    /// The file, from the root of the repository.
    pub(crate) file: PathBuf,
    /// What is wrong with it and what to do.
    pub(crate) text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.text)
    }
}

/// All faults of the repository at `root`, by file.
///
/// # Errors
/// When a file or folder can't be read, or a manifest is no TOML.
pub(crate) fn check(root: &Path) -> Result<Vec<Fault>> {
    let mut faults = arrows::check(root)?;
    faults.extend(files::check(root)?);
    faults.extend(scenarios::check(root)?);
    faults.extend(tests_folder::check(root)?);
    faults.sort();
    Ok(faults)
}

/// The text of a file below `root`.
fn read(root: &Path, file: &Path) -> Result<String> {
    std::fs::read_to_string(root.join(file)).with_context(|| format!("`{}`", file.display()))
}

/// The names in a folder below `root`, sorted; folders apart from files by what the disk says.
fn entries(root: &Path, folder: &Path) -> Result<Vec<(PathBuf, Kind)>> {
    let listed =
        std::fs::read_dir(root.join(folder)).with_context(|| format!("`{}`", folder.display()))?;
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry?;
        let kind = if entry.file_type()?.is_dir() {
            Kind::Folder
        } else {
            Kind::File
        };
        found.push((folder.join(entry.file_name()), kind));
    }
    found.sort();
    Ok(found)
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Folder,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository of the given files, and what is wrong with it.
    pub(super) fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let faults = check(place.path()).unwrap();
        faults.iter().map(Fault::to_string).collect()
    }

    #[test]
    fn this_repository_is_tidy() {
        let root = crate::repository().unwrap();
        assert_eq!(check(&root).unwrap(), []);
    }
}
