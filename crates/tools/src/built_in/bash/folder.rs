//! How the folder that a command ends in is learnt without touching the command.
//!
//! Bash reads the file named in `BASH_ENV` before the line. Ours unsets that variable, so that
//! nothing the line starts reads it again, and sets an exit trap that writes the folder to a file in
//! a folder which only this user can look into. The line itself stays the one argument that was
//! judged: no wrapper, no `eval`, nothing of it in our quoting.
//!
//! What the file says is as trustworthy as the command, which could have moved anywhere anyway. It
//! decides nothing but where the next call starts, and that call is judged for that very folder. It
//! is not followed out of the agent's directories, and a command that reports nothing (it replaced
//! the trap, or bash itself) leaves the agent where it was.

use std::ffi::OsString;
use std::io;

use pointsman_model::AbsPath;
use pointsman_policy::{EntryKind, Tree};
use tempfile::TempDir;

use crate::ToolScene;

/// The longest report that is read: longer than any path the system takes.
const REPORT_BYTES_MAX: u64 = 8_192;

/// The private place of one command's report. Removed when it is dropped.
pub(super) struct FolderReport {
    place: TempDir,
}

impl FolderReport {
    /// Makes the place and the start-up file in it.
    pub(super) fn prepare() -> io::Result<Self> {
        let place = tempfile::Builder::new().prefix("pointsman-").tempdir()?;
        let report = place.path().join("folder");
        let report = report
            .to_str()
            .ok_or_else(|| io::Error::other("the folder for temporary files is no UTF-8"))?;
        // `set +x` first, so that a line that traces itself does not trace us.
        let trap = format!(
            "{{ set +x; builtin pwd -P >|{}; }} 2>/dev/null || :",
            quoted(report)
        );
        let startup = format!("unset BASH_ENV\ntrap -- {} EXIT\n", quoted(&trap));
        std::fs::write(place.path().join("startup"), startup)?;
        Ok(Self { place })
    }

    /// The file for `BASH_ENV`.
    pub(super) fn startup_file(&self) -> OsString {
        self.place.path().join("startup").into()
    }

    /// Where the agent's next call starts, when that is somewhere else now; and a word to the agent when it went
    /// where it may not stay.
    pub(super) fn moved(&self, scene: &ToolScene<'_>) -> (Option<AbsPath>, Option<String>) {
        let tree: &dyn Tree = scene.seat.tree.as_ref();
        let Some(real) = self.read().filter(|folder| {
            matches!(tree.kind(folder), EntryKind::Folder) && really(tree, folder) == *folder
        }) else {
            return (None, None);
        };
        if real == really(tree, scene.folder) {
            return (None, None);
        }
        let parts = scene.seat.frozen.context.parts();
        // In the spelling of the directory it lies in, since rules are written in that.
        let spelled = parts.directories.iter().find_map(|directory| {
            let rest = real.below(&really(tree, directory))?;
            Some(directory.join(rest.trim_start_matches('/')))
        });
        match spelled {
            Some(folder) => (Some(folder), None),
            None => (
                Some(parts.folder.clone()),
                Some(format!(
                    "(`{real}` lies outside your directories; you are back in `{}`)",
                    parts.folder
                )),
            ),
        }
    }

    fn read(&self) -> Option<AbsPath> {
        let file = self.place.path().join("folder");
        let meta = std::fs::symlink_metadata(&file).ok()?;
        if !meta.is_file() || meta.len() > REPORT_BYTES_MAX {
            return None;
        }
        let text = std::fs::read_to_string(file).ok()?;
        let text = text.strip_suffix('\n')?;
        // A path in another spelling than its own is none that `pwd -P` wrote.
        AbsPath::parse(text)
            .ok()
            .filter(|path| path.as_str() == text)
    }
}

/// Where a path really lies.
fn really(tree: &dyn Tree, path: &AbsPath) -> AbsPath {
    tree.hops(path).pop().unwrap_or_else(|| path.clone())
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
