//! Hooks for tests: real shell scripts in a folder of the test's.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pointsman_model::{FilePlace, Millis, RuleSource};
use pointsman_policy::settings::{
    HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting,
};

/// How long a scripted hook may take: longer than any test, so that none waits for it.
const TIMEOUT: Millis = Millis(600_000);

/// Writes an executable shell script `name` into `folder` and returns a hook that runs it: for all
/// tools, of the project's settings. Its name in votes and records is `NAME:1:1`.
///
/// # Errors
/// When the script can't be written.
pub fn script_hook(
    folder: &Path,
    name: &str,
    event: HookEvent,
    script: &str,
) -> io::Result<HookSetting> {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(HookSetting {
        event,
        matcher: HookMatcher::All,
        condition: None,
        run: HookRun::Program {
            program: path.display().to_string().into(),
            args: Vec::new(),
        },
        timeout: TIMEOUT,
        duty: HookDuty::Plain,
        life: HookLife::OneCall,
        source: RuleSource::ProjectSettings,
        place: FilePlace {
            file: name.into(),
            line: 1,
            column: 1,
        },
    })
}
