//! The README's picture: a real run at a terminal, answered as a person would, and drawn as SVG.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use expectrl::session::OsSession;

use crate::cells::{self, Part};

/// Where it lies.
const FILE: &str = "docs/run.svg";
/// What the run writes: it is to be as new in each picture.
const WRITTEN: &str = "target/tour/decisions.md";
/// The terminal's size, in characters.
const COLUMNS: u16 = 100;
/// See [`COLUMNS`].
const ROWS: u16 = 30;
/// How long the program may take to come to its next question.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a person takes to see what a key has done.
const LOOK: Duration = Duration::from_millis(400);
/// Ctrl-Y, which sends a yes.
const SEND: &str = "\u{19}";

/// Draws it.
pub(crate) fn draw(root: &Path) -> Result<()> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "the program does not build");
    let mut parts = vec![Part::Command("$ cargo run -- run examples/tour.toml")];
    parts.extend(record(root)?.into_iter().map(Part::Screen));
    // Where this checkout lies is no part of the picture.
    let picture = cells::draw(&parts, &[(&root.to_string_lossy(), "/home/me/pointsman")]);
    std::fs::write(root.join(FILE), picture).with_context(|| format!("`{FILE}`"))
}

/// What the terminal shows: with both questions waiting, with one of them open, and at the end.
fn record(root: &Path) -> Result<Vec<vt100::Screen>> {
    match std::fs::remove_file(root.join(WRITTEN)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("`{WRITTEN}`"));
        }
        Ok(()) | Err(_) => {}
    }
    let state = tempfile::tempdir()?;
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["run", "--quiet", "--", "run", "examples/tour.toml"])
        .current_dir(root)
        .env("XDG_STATE_HOME", state.path())
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR");
    let mut desk = Desk::at(command)?;
    desk.wait_for("2 wait for you")?;
    // The one under the cursor is shown below the list.
    desk.type_until("\u{1b}[B", "Enter opens it")?;
    let mut shown = vec![desk.parser.screen().clone()];
    desk.type_until("\r", ", ends in ")?;
    // All of it is before the person's eyes.
    for keys in ["\u{1b}[6~", "\u{1b}[5~"] {
        desk.look();
        desk.type_in(keys)?;
    }
    desk.look();
    shown.push(desk.parser.screen().clone());
    desk.type_until("a", "let r1-1 run")?;
    desk.type_until(SEND, "r1-1 allowed by a person")?;
    desk.type_until("d", "tell the agent:")?;
    desk.type_in("not on this machine\r")?;
    desk.wait_for_end()?;
    shown.push(desk.parser.screen().clone());
    Ok(shown)
}

/// The program at a terminal.
struct Desk {
    session: OsSession,
    parser: vt100::Parser,
    over: bool,
}

impl Desk {
    fn at(command: Command) -> Result<Self> {
        let mut session = OsSession::spawn(command)?;
        session.get_process_mut().set_window_size(COLUMNS, ROWS)?;
        Ok(Self {
            session,
            parser: vt100::Parser::new(ROWS, COLUMNS, 0),
            over: false,
        })
    }

    /// Takes in what comes for a while.
    fn look(&mut self) {
        let started = Instant::now();
        let mut bytes = [0; 8192];
        while started.elapsed() < LOOK && !self.over {
            match self.session.try_read(&mut bytes) {
                Ok(0) => self.over = true,
                Ok(count) => self.parser.process(bytes.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                // The terminal's other end is closed.
                Err(_) => self.over = true,
            }
        }
    }

    fn shows(&self, text: &str) -> bool {
        self.parser.screen().contents().contains(text)
    }

    fn type_in(&mut self, keys: &str) -> Result<()> {
        self.session.write_all(keys.as_bytes())?;
        Ok(self.session.flush()?)
    }

    /// Types keys again and again until the screen holds a text: keys in the grace of a request are dropped.
    fn type_until(&mut self, keys: &str, text: &str) -> Result<()> {
        let started = Instant::now();
        while !self.shows(text) {
            self.give_up_after(started, text)?;
            self.type_in(keys)?;
            self.look();
        }
        Ok(())
    }

    fn wait_for(&mut self, text: &str) -> Result<()> {
        let started = Instant::now();
        while !self.shows(text) {
            self.give_up_after(started, text)?;
            self.look();
        }
        // What goes with it is drawn, too.
        self.look();
        Ok(())
    }

    fn wait_for_end(&mut self) -> Result<()> {
        let started = Instant::now();
        while !self.over {
            ensure!(started.elapsed() < PATIENCE, "the run does not end");
            self.look();
        }
        Ok(())
    }

    fn give_up_after(&self, started: Instant, text: &str) -> Result<()> {
        let shown = self.parser.screen().contents();
        ensure!(!self.over, "it ended before it showed `{text}`:\n{shown}");
        ensure!(
            started.elapsed() < PATIENCE,
            "it does not show `{text}`:\n{shown}"
        );
        Ok(())
    }
}
