//! Starting a program as the leader of a session of its own, through `posix_spawn`.
//!
//! A program that stays in our session keeps our terminal: it can push keys into it as if a person had typed them, and
//! so answer a question of its own. The standard library can set a process group, but a session only through a hook
//! that makes it copy the leader's whole address space. So this file calls the C library itself; it is the one place
//! of the workspace that may (ADR 0006). It starts, and does nothing else.

use std::ffi::{CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;

use rustix::process::Pid;

use crate::orphans::starting;

/// What is started.
pub(crate) struct SpawnSpec<'a> {
    /// The file, by a path that needs no looking up.
    pub(crate) program: &'a Path,
    /// Its arguments, without its own name.
    pub(crate) args: &'a [String],
    /// Where it runs.
    pub(crate) folder: &'a Path,
    /// All its variables.
    pub(crate) env: &'a [(&'a OsStr, &'a OsStr)],
}

/// A program that was started: not waited for yet, so its number is nobody else's. Our ends of its pipes.
pub(crate) struct Spawned {
    pub(crate) pid: Pid,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Starts the program with a pipe at each of its three standard streams, as the first process of a new session and
/// group, without a controlling terminal.
///
/// # Errors
/// When there is a NUL in a text, no pipe can be made, or the system does not start it.
pub(crate) fn spawn(spec: &SpawnSpec<'_>) -> io::Result<Spawned> {
    let program = c_string(spec.program.as_os_str())?;
    let mut args = vec![program.clone()];
    for arg in spec.args {
        args.push(c_string(OsStr::new(arg))?);
    }
    let mut env = Vec::with_capacity(spec.env.len());
    for (name, value) in spec.env {
        let mut both = name.as_bytes().to_vec();
        both.push(b'=');
        both.extend_from_slice(value.as_bytes());
        env.push(CString::new(both)?);
    }
    // Both ends of each are closed in the program by its start, but for those that are put in place below.
    let (stdin_theirs, stdin) = io::pipe()?;
    let (stdout, stdout_theirs) = io::pipe()?;
    let (stderr, stderr_theirs) = io::pipe()?;
    let mut actions = Actions::new()?;
    actions.change_folder(c_string(spec.folder.as_os_str())?)?;
    actions.put(stdin_theirs.as_raw_fd(), libc::STDIN_FILENO)?;
    actions.put(stdout_theirs.as_raw_fd(), libc::STDOUT_FILENO)?;
    actions.put(stderr_theirs.as_raw_fd(), libc::STDERR_FILENO)?;
    let attributes = Attributes::of_own_session()?;
    let pid = starting(|| start(&program, &actions, &attributes, &args, &env))?;
    Ok(Spawned {
        pid,
        stdin: stdin.into(),
        stdout: stdout.into(),
        stderr: stderr.into(),
    })
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// What the C library returns: the number of an error, or nought.
fn checked(code: libc::c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

#[expect(
    unsafe_code,
    reason = "no safe binding of posix_spawn can make a session (ADR 0006)"
)]
fn start(
    program: &CString,
    actions: &Actions,
    attributes: &Attributes,
    args: &[CString],
    env: &[CString],
) -> io::Result<Pid> {
    let pointers = |texts: &[CString]| -> Vec<*mut libc::c_char> {
        let texts = texts.iter().map(|text| text.as_ptr().cast_mut());
        texts.chain([ptr::null_mut()]).collect()
    };
    let (args, env) = (pointers(args), pointers(env));
    let mut pid: libc::pid_t = 0;
    // SAFETY: all texts end with a NUL and both lists with a null pointer; they, the actions and the attributes live
    // until the call returns, which reads them only, whatever the mutable pointers of its signature say.
    checked(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            &raw const actions.raw,
            &raw const attributes.raw,
            args.as_ptr(),
            env.as_ptr(),
        )
    })?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("it was started without a number"))
}

/// What the new process does before it becomes the program.
struct Actions {
    raw: libc::posix_spawn_file_actions_t,
    /// The list keeps a pointer into it in some C libraries, a copy in others.
    folder: Option<CString>,
}

#[expect(
    unsafe_code,
    reason = "no safe binding of posix_spawn can change the folder (ADR 0006)"
)]
impl Actions {
    fn new() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given, or says that it did not.
        let raw = unsafe {
            checked(libc::posix_spawn_file_actions_init(raw.as_mut_ptr()))?;
            raw.assume_init()
        };
        Ok(Self { raw, folder: None })
    }

    fn change_folder(&mut self, folder: CString) -> io::Result<()> {
        let folder = self.folder.insert(folder);
        // SAFETY: the list is initialised, and the text lives as long as the list.
        checked(unsafe {
            libc::posix_spawn_file_actions_addchdir_np(&raw mut self.raw, folder.as_ptr())
        })
    }

    /// Puts one of our descriptors in a place of the program's, where it outlives its start.
    fn put(&mut self, ours: RawFd, place: RawFd) -> io::Result<()> {
        // SAFETY: the list is initialised; a descriptor that is none is an error when the program is started.
        checked(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.raw, ours, place) })
    }
}

#[expect(unsafe_code, reason = "gives back what the C library holds (ADR 0006)")]
impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: it is initialised, and not used after this.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.raw);
        }
    }
}

/// How the new process differs from ours.
struct Attributes {
    raw: libc::posix_spawnattr_t,
}

#[expect(
    unsafe_code,
    reason = "no safe binding of posix_spawn can make a session (ADR 0006)"
)]
impl Attributes {
    /// A session of its own, no signal blocked, and a broken pipe ends it: ours ignores that, as Rust programs do.
    fn of_own_session() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given, or says that it did not.
        let mut attributes = unsafe {
            checked(libc::posix_spawnattr_init(raw.as_mut_ptr()))?;
            Self {
                raw: raw.assume_init(),
            }
        };
        let flags = i32::from(libc::POSIX_SPAWN_SETSID)
            | libc::POSIX_SPAWN_SETSIGMASK
            | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = libc::c_short::try_from(flags).map_err(io::Error::other)?;
        let mut none = MaybeUninit::uninit();
        let mut pipe = MaybeUninit::uninit();
        // SAFETY: the sets are initialised by the first two calls and read by the later ones, which copy them.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigemptyset(pipe.as_mut_ptr());
            libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE);
            checked(libc::posix_spawnattr_setsigmask(
                &raw mut attributes.raw,
                none.as_ptr(),
            ))?;
            checked(libc::posix_spawnattr_setsigdefault(
                &raw mut attributes.raw,
                pipe.as_ptr(),
            ))?;
            checked(libc::posix_spawnattr_setflags(
                &raw mut attributes.raw,
                flags,
            ))?;
        }
        Ok(attributes)
    }
}

#[expect(unsafe_code, reason = "gives back what the C library holds (ADR 0006)")]
impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: it is initialised, and not used after this.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.raw);
        }
    }
}
