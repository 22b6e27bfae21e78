//! The program at a terminal of its own, whose cells are read back.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use expectrl::session::OsSession;
use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::ground::{PATIENCE, Project};

/// Ctrl-Y, which sends a yes.
pub(crate) const SEND: &str = "\u{19}";
pub(crate) const CTRL_C: &str = "\u{3}";

/// The program at a terminal, and what its screen shows.
pub(crate) struct Desk {
    session: OsSession,
    pub(crate) parser: vt100::Parser,
    pub(crate) over: bool,
}

impl Desk {
    /// `run job.toml` at a terminal.
    pub(crate) fn at(project: &Project) -> Self {
        Self::of(project, ["run", "job.toml"])
    }

    /// The program with these arguments at a terminal.
    pub(crate) fn of<const N: usize>(project: &Project, arguments: [&str; N]) -> Self {
        Self::of_command(project.command(arguments))
    }

    /// A command of the program at a terminal.
    pub(crate) fn of_command(command: Command) -> Self {
        let mut session = Project::terminal_of(command);
        session.get_process_mut().set_window_size(80, 24).unwrap();
        Self {
            session,
            parser: vt100::Parser::new(24, 80, 0),
            over: false,
        }
    }

    /// A shell with job control at a terminal, whose commands are the program's; what it says first is `$ `.
    pub(crate) fn of_shell(project: &Project) -> Self {
        let mut shell = Command::new("bash");
        shell.args(["--norc", "--noprofile", "-i"]);
        let wanted = project.command([]);
        for (name, value) in wanted.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
            .current_dir(project.root())
            .env("PS1", "$ ")
            .env("TERM", "xterm-256color");
        let mut session = OsSession::spawn(shell).unwrap();
        session.get_process_mut().set_window_size(80, 24).unwrap();
        let mut desk = Self {
            session,
            parser: vt100::Parser::new(24, 80, 0),
            over: false,
        };
        desk.sees("$ ");
        desk
    }

    /// Takes what the program has written by now.
    pub(crate) fn pump(&mut self) {
        let mut bytes = [0; 8192];
        loop {
            match self.session.try_read(&mut bytes) {
                Ok(0) => self.over = true,
                Ok(count) => {
                    self.parser.process(&bytes[..count]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // The terminal's other end is closed.
                Err(_) => self.over = true,
            }
            return;
        }
    }

    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Waits until the screen holds a text.
    #[track_caller]
    pub(crate) fn sees(&mut self, wanted: &str) -> &mut Self {
        self.waits(wanted, |desk| desk.text().contains(wanted))
    }

    #[track_caller]
    pub(crate) fn waits(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> &mut Self {
        let started = Instant::now();
        loop {
            self.pump();
            if is_so(self) {
                return self;
            }
            let shown = self.text();
            assert!(!self.over, "ended before: {what}\n{shown}");
            assert!(started.elapsed() < PATIENCE, "waited for: {what}\n{shown}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn sends(&mut self, keys: &str) -> &mut Self {
        self.session.write_all(keys.as_bytes()).unwrap();
        self.session.flush().unwrap();
        self
    }

    /// Sends keys again and again until the screen holds a text: keys in the grace are dropped.
    #[track_caller]
    pub(crate) fn sends_until(&mut self, keys: &str, wanted: &str) -> &mut Self {
        self.sends_as_shown(|_| keys, wanted)
    }

    /// The same with keys that depend on what is on the screen.
    #[track_caller]
    pub(crate) fn sends_as_shown<'a>(
        &mut self,
        keys: impl Fn(&str) -> &'a str,
        wanted: &str,
    ) -> &mut Self {
        let started = Instant::now();
        while !self.text().contains(wanted) {
            self.sends(keys(&self.text()));
            let sent = Instant::now();
            while sent.elapsed() < Duration::from_millis(300) && !self.text().contains(wanted) {
                self.pump();
                std::thread::sleep(Duration::from_millis(5));
            }
            let shown = self.text();
            assert!(!self.over, "ended before `{wanted}`\n{shown}");
            assert!(started.elapsed() < PATIENCE, "no `{wanted}`\n{shown}");
        }
        self
    }

    /// Sends keys again and again until the program ends; gives how it ended, in words.
    #[track_caller]
    pub(crate) fn ends_by(&mut self, keys: &str) -> String {
        let started = Instant::now();
        while !self.over {
            // The terminal may be closed by now, which the next look at it tells.
            if self.session.write_all(keys.as_bytes()).is_ok() {
                self.session.flush().ok();
            }
            let sent = Instant::now();
            while sent.elapsed() < Duration::from_millis(300) && !self.over {
                self.pump();
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(started.elapsed() < PATIENCE, "no end\n{}", self.text());
        }
        self.ends()
    }

    pub(crate) fn resizes(&mut self, width: u16, height: u16) {
        let process = self.session.get_process_mut();
        process.set_window_size(width, height).unwrap();
        self.parser.screen_mut().set_size(height, width);
    }

    /// Waits for the end of the program; gives how it ended, in words.
    pub(crate) fn ends(&mut self) -> String {
        let started = Instant::now();
        while !self.over {
            self.pump();
            assert!(started.elapsed() < PATIENCE, "no end\n{}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        }
        format!("{:?}", self.session.get_process().wait().unwrap())
    }
}

/// A terminal of 80 by 24: the end that shows, and the one that programs get. No program that is started
/// beside gets either by accident: a terminal is closed when its last holder lets it go.
fn terminal() -> (PtyMaster, File) {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
    let shown = posix_openpt(flags).unwrap();
    grantpt(&shown).unwrap();
    unlockpt(&shown).unwrap();
    let given = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOCTTY.bits())
        .open(ptsname_r(&shown).unwrap())
        .unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&given, size).unwrap();
    (shown, given)
}

/// The program at a terminal that can be closed under it, which ends a [`Desk`] with its program.
pub(crate) struct Line {
    terminal: PtyMaster,
    child: Child,
    parser: vt100::Parser,
}

impl Line {
    /// `run job.toml`, the leader of the terminal's session.
    pub(crate) fn at(project: &Project) -> Self {
        let (shown, given) = terminal();
        let other = || Stdio::from(given.try_clone().unwrap());
        let wanted = project.command(["run", "job.toml"]);
        let mut command = Command::new("setsid");
        command
            .args(["--ctty".as_ref(), wanted.get_program()])
            .args(wanted.get_args())
            .current_dir(project.root())
            .env("TERM", "xterm-256color")
            .stdin(other())
            .stdout(other())
            .stderr(other());
        for (name, value) in wanted.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let child = command.spawn().unwrap();
        Self {
            terminal: shown,
            child,
            parser: vt100::Parser::new(24, 80, 0),
        }
    }

    /// Waits until the screen holds a text.
    #[track_caller]
    pub(crate) fn sees(&mut self, wanted: &str) -> &mut Self {
        let started = Instant::now();
        let mut bytes = [0; 8192];
        loop {
            match self.terminal.read(&mut bytes) {
                Ok(count) => self.parser.process(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => panic!("{error}"),
            }
            let shown = self.parser.screen().contents();
            if shown.contains(wanted) {
                return self;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "waited for: {wanted}\n{shown}"
            );
        }
    }

    /// Closes the terminal. The program is left to itself; its end is waited for by whoever calls the answer.
    pub(crate) fn close(self) -> impl FnOnce() {
        let Self {
            terminal,
            mut child,
            ..
        } = self;
        drop(terminal);
        move || {
            child.wait().unwrap();
        }
    }
}
