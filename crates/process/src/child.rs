//! The child itself: started as the leader of its group, watched through a descriptor, waited for
//! exactly once.
//!
//! It is spawned by `posix_spawn`: half a millisecond, however large the leader is, where a copy of its
//! address space would take a hundred.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use pointsman_model::AbsPath;
use rustix::fs::{Access, access};
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::group::{MARK_VARIABLE, ProcessGroup, new_mark};
use crate::orphans::{wait_for, wait_if_dead};
use crate::spawn::{SpawnSpec, Spawned, spawn};
use crate::{Environment, RunError};

/// What is started.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    /// A path, or a name that is looked up in the `PATH` of `env`.
    pub(crate) program: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) folder: &'a AbsPath,
    pub(crate) env: &'a Environment,
}

/// The child's three pipes, our ends.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// How the first process of the group ended.
pub(crate) enum Exit {
    /// With a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// A started program. Until it is waited for, its number and its group's are nobody else's, dead or
/// alive, so a signal to them can't hit a stranger.
pub(crate) struct Child {
    process: Option<Unwaited>,
    group: ProcessGroup,
    held: AsyncFd<OwnedFd>,
}

impl Child {
    /// Starts the program.
    pub(crate) fn start(spec: Program<'_>) -> Result<(Self, Pipes), RunError> {
        let program = find_program(spec.program, spec.folder, spec.env)?;
        // One that can't be entered fails as late as the program's own start, and as if that were to blame.
        let folder = spec.folder.as_path();
        if !folder.is_dir() || access(folder, Access::EXEC_OK).is_err() {
            return Err(RunError::NoFolder {
                folder: spec.folder.clone(),
            });
        }
        let outer = spec.env.get(MARK_VARIABLE).and_then(|mark| mark.to_str());
        let mark = new_mark(outer);
        let mut env: Vec<(&OsStr, &OsStr)> = spec.env.iter().collect();
        env.retain(|(name, _)| *name != MARK_VARIABLE);
        env.push((OsStr::new(MARK_VARIABLE), OsStr::new(&mark)));
        let spawned = spawn(&SpawnSpec {
            program: &program,
            args: spec.args,
            folder: spec.folder.as_path(),
            env: &env,
        })
        .map_err(|source| start_error(spec, source))?;
        let process = Unwaited { pid: spawned.pid };
        let group = ProcessGroup::of_leader(spawned.pid.as_raw_nonzero().get(), &mark);
        match attach(spawned) {
            Ok((held, pipes)) => Ok((
                Self {
                    process: Some(process),
                    group,
                    held,
                },
                pipes,
            )),
            Err(source) => {
                end_now(process, &group);
                Err(spec.watch(source))
            }
        }
    }

    /// Its group.
    pub(crate) fn group(&self) -> &ProcessGroup {
        &self.group
    }

    /// Returns when it is dead, without waiting for it: its number stays taken. Cancel safe.
    pub(crate) async fn ended(&self) -> std::io::Result<()> {
        self.held.readable().await.map(drop)
    }

    /// Waits for it. Returns at once when it is dead.
    pub(crate) async fn wait(&mut self) -> std::io::Result<Exit> {
        self.ended().await?;
        let Some(process) = self.process.take() else {
            return Err(std::io::Error::other("it was waited for before"));
        };
        process.wait()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            end_now(process, &self.group);
        }
    }
}

impl Program<'_> {
    /// It runs, but can't be watched.
    pub(crate) fn watch(&self, source: std::io::Error) -> RunError {
        RunError::Watch {
            program: self.program.to_owned(),
            source,
        }
    }
}

/// Looks a program up as a shell would, in `PATH` of `env`, but for places that are not absolute: they lie in the folder,
/// where an agent may have put a program of that name. The result is a path, so that the system need not search: then it
/// can start the program without copying the leader's memory.
///
/// # Errors
/// When there is none of that name that may be run. A path is taken as it is.
pub fn find_program(
    program: &str,
    folder: &AbsPath,
    env: &Environment,
) -> Result<PathBuf, RunError> {
    let folder = folder.as_path();
    if program.contains('/') {
        return Ok(folder.join(program));
    }
    let path = env.get("PATH").unwrap_or_default();
    std::env::split_paths(path)
        .filter(|place| place.is_absolute())
        .map(|place| place.join(program))
        .find(|file| is_executable(file))
        .ok_or_else(|| RunError::NotFound {
            program: program.to_owned(),
        })
}

/// Whether a file is there that the system would start.
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn start_error(spec: Program<'_>, source: std::io::Error) -> RunError {
    let program = spec.program.to_owned();
    if source.kind() == std::io::ErrorKind::NotFound {
        RunError::NotFound { program }
    } else {
        RunError::Start { program, source }
    }
}

fn attach(spawned: Spawned) -> std::io::Result<(AsyncFd<OwnedFd>, Pipes)> {
    let held = pidfd_open(spawned.pid, PidfdFlags::empty())?;
    #[expect(
        deprecated,
        reason = "its replacement is unsafe, since a descriptor might be closed behind its back; an owned one is not"
    )]
    let held = AsyncFd::with_interest(held, Interest::READABLE)?;
    let pipes = Pipes {
        stdin: ChildStdin::from_std(spawned.stdin.into())?,
        stdout: ChildStdout::from_std(spawned.stdout.into())?,
        stderr: ChildStderr::from_std(spawned.stderr.into())?,
    };
    Ok((held, pipes))
}

/// A process that is not waited for yet.
struct Unwaited {
    pid: Pid,
}

impl Unwaited {
    /// Waits for it. Blocks while it lives.
    fn wait(self) -> std::io::Result<Exit> {
        wait_for(self.pid).map(exit_of)
    }

    /// Waits for it if it is dead, and gives it back if not.
    fn wait_if_dead(self) -> Result<(), Self> {
        match wait_if_dead(self.pid) {
            Ok(None) => Err(self),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }
}

/// Kills the whole group and its strays. The dead process is waited for on a thread of its own,
/// since one that hangs in the kernel must not hold up whoever dropped it.
fn end_now(process: Unwaited, group: &ProcessGroup) {
    group.signal(Signal::KILL);
    group.kill_strays();
    let Err(process) = process.wait_if_dead() else {
        return;
    };
    let waiting = std::thread::Builder::new()
        .name("wait-for-killed".into())
        .spawn(move || process.wait());
    if let Err(error) = waiting {
        tracing::warn!(group = group.id(), %error, "a killed process could not be waited for");
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        // A dead process has one of the two.
        (None, None) => Exit::Code(-1),
    }
}
