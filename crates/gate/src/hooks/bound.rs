//! The scripts that hooks of a project run, held to what they were when the run began: an agent that edits one has not
//! changed what runs beside every rule (law 7).
//!
//! A look at each file tells mostly that it is the one that was read last; it is read again when that is not sure. Hooks of
//! the person's own and of managed settings are theirs to change at any time.

use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pointsman_model::AbsPath;
use pointsman_policy::says_it_is_code;
use pointsman_policy::settings::{
    DiskFiles, HookRun, HookSetting, HookSettings, Naming, ScriptContent, SettingsFiles as _,
    is_bound, named_scripts, named_scripts_in,
};

/// How long a file must have rested before its times tell that nobody writes it again within the same tick of its file
/// system's clock.
const SETTLED: Duration = Duration::from_secs(2);

/// What the hooks of a run are held to.
pub(super) struct BoundScripts {
    began: SystemTime,
    hooks: Vec<(HookRun, Vec<Script>)>,
}

/// A file, and what it was.
struct Script {
    path: AbsPath,
    content: ScriptContent,
    /// How it looked when it was last found to be that.
    same: Mutex<Option<Stamp>>,
}

/// What a file looks like from outside. Who writes to it changes one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What a look at a script came to.
enum Look {
    Same,
    Changed,
    /// It has to be read.
    Unsure(Stamp),
}

impl BoundScripts {
    /// Holds the hooks to the scripts that were read with their settings. The run begins now.
    pub(super) fn new(settings: &HookSettings, project: &AbsPath) -> Self {
        let mut hooks: Vec<(HookRun, Vec<Script>)> = Vec::new();
        for hook in settings.hooks.iter().filter(|hook| is_bound(hook)) {
            if hooks.iter().any(|(run, _)| *run == hook.run) {
                continue;
            }
            let named = named_scripts(hook, project).into_iter();
            let scripts = named.filter_map(|(path, naming)| {
                // One that was not read with the settings counts as none that was there.
                let content = settings.scripts.content(&path);
                let content = content.unwrap_or(ScriptContent::Absent);
                let binds = match (naming, content) {
                    (Naming::Runs, _) => true,
                    (Naming::Word, ScriptContent::Bytes(_)) => looks_run(&path),
                    // A word that named no file is none.
                    (Naming::Word, ScriptContent::Absent | ScriptContent::Unreadable) => false,
                };
                binds.then(|| Script {
                    path,
                    content,
                    same: Mutex::default(),
                })
            });
            hooks.push((hook.run.clone(), scripts.collect()));
        }
        Self {
            began: SystemTime::now(),
            hooks,
        }
    }

    /// Why a hook must not be started in a folder: a script that it runs is not what it was.
    pub(super) async fn fault(
        &self,
        hook: &HookSetting,
        project: &AbsPath,
        folder: &AbsPath,
    ) -> Option<String> {
        if !is_bound(hook) {
            return None;
        }
        let (_, scripts) = self.hooks.iter().find(|(run, _)| *run == hook.run)?;
        for script in scripts {
            if script.is_changed().await {
                return Some(changed(&script.path, project));
            }
        }
        if folder == project {
            return None;
        }
        // In another folder `./g.sh` is another file. Nobody read it, but what was not touched since is what it was.
        let named = named_scripts_in(hook, project, folder).into_iter();
        let mut elsewhere = named.filter(|(path, naming)| {
            *naming == Naming::Runs && !scripts.iter().any(|script| script.path == *path)
        });
        let (path, _) = elsewhere.find(|(path, _)| self.is_touched(path))?;
        Some(changed(&path, project))
    }

    fn is_touched(&self, path: &AbsPath) -> bool {
        let Ok(found) = std::fs::metadata(path.as_path()) else {
            return false;
        };
        let link = std::fs::symlink_metadata(path.as_path());
        let is_late = |of: &std::fs::Metadata| Stamp::of(of).changed_at() > self.began;
        !found.is_dir() && (is_late(&found) || link.is_ok_and(|link| is_late(&link)))
    }
}

impl Script {
    async fn is_changed(&self) -> bool {
        let stamp = match self.look() {
            Look::Same => return false,
            Look::Changed => return true,
            Look::Unsure(stamp) => stamp,
        };
        let path = self.path.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let looked = SystemTime::now();
            (looked, ScriptContent::of(&DiskFiles.read(&path)))
        });
        let Ok((looked, content)) = reading.await else {
            return true;
        };
        if content != self.content {
            return true;
        }
        if stamp.is_settled(looked) {
            // No code that can panic runs under the lock.
            *self.same.lock().unwrap_or_else(PoisonError::into_inner) = Some(stamp);
        }
        false
    }

    fn look(&self) -> Look {
        match (std::fs::metadata(self.path.as_path()), self.content) {
            (Err(error), ScriptContent::Absent) if is_absence(&error) => Look::Same,
            // Nothing runs a folder.
            (Ok(found), ScriptContent::Absent) if found.is_dir() => Look::Same,
            (Ok(_) | Err(_), ScriptContent::Absent) => Look::Changed,
            (Err(_), ScriptContent::Unreadable) => Look::Same,
            (Ok(found), ScriptContent::Unreadable) if found.is_dir() => Look::Same,
            (Err(_), ScriptContent::Bytes(_)) => Look::Changed,
            (Ok(found), ScriptContent::Unreadable | ScriptContent::Bytes(_)) => {
                let stamp = Stamp::of(&found);
                let same = *self.same.lock().unwrap_or_else(PoisonError::into_inner);
                if same == Some(stamp) {
                    Look::Same
                } else {
                    Look::Unsure(stamp)
                }
            }
        }
    }
}

impl Stamp {
    fn of(found: &std::fs::Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// When anything of the file was last changed; who writes it can't set that back.
    fn changed_at(&self) -> SystemTime {
        let (seconds, nanos) = self.changed;
        match (u64::try_from(seconds), u32::try_from(nanos)) {
            (Ok(seconds), Ok(nanos)) => UNIX_EPOCH + Duration::new(seconds, nanos),
            _ => UNIX_EPOCH,
        }
    }

    fn is_settled(&self, now: SystemTime) -> bool {
        now.duration_since(self.changed_at())
            .is_ok_and(|rested| rested > SETTLED)
    }
}

/// Whether a file that a hook's line names is rather a script than data, which agents edit and hooks write.
fn looks_run(path: &AbsPath) -> bool {
    let begins = || -> io::Result<[u8; 2]> {
        let mut begins = [0; 2];
        let mut file = std::fs::File::open(path.as_path())?;
        file.read_exact(&mut begins)?;
        Ok(begins)
    };
    says_it_is_code(path.as_str(), &begins().unwrap_or_default())
}

fn changed(path: &AbsPath, project: &AbsPath) -> String {
    let file = path.below(project).unwrap_or(path.as_str());
    format!(
        "its script `{file}` changed since the run began; start a new run (and `pointsman trust`) to use it"
    )
}

/// A missing file, and a path whose parent is a file, both mean that nothing is there.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests;
