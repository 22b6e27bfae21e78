//! The pictures of `docs/operator.md`: real runs of the real program at a terminal, each cell drawn as it was.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use nix::pty::PtyMaster;

use crate::cells::{self, Part};
use crate::terminal;

/// Where they lie.
const FOLDER: &str = "docs/pictures";
/// How long the program may take to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(40);
/// Columns and rows of the terminal.
const SIZE: (u16, u16) = (100, 30);

/// Jobs that ask for the kinds of things that people are asked for.
const JOBS: &str = r#"
slots = 6
[defaults]
allow = ["Bash(git status *)"]
ask = ["Bash(npm publish *)"]
deny = ["Bash(git push --force *)"]
[[job]]
name = "docs"
task = "publish the handbook"
[[job.step]]
tool = "Bash"
input = { command = "git -C site push origin main" }
[[job]]
name = "notes"
task = "publish the release notes"
[[job.step]]
tool = "Bash"
input = { command = "git -C site push origin main" }
[[job]]
name = "clean"
task = "build the client from nothing"
[[job.step]]
tool = "Bash"
input = { command = "cat src/server.rs; rm -rf build/ && npm ci" }
[[job]]
name = "port"
task = "serve on another port"
[[job.step]]
tool = "Write"
input = { file_path = "src/server.rs", content = "use std::net::TcpListener;\n\nfn port() -> u16 {\n    8080\n}\n\nfn main() {\n    serve(TcpListener::bind((\"::\", port())));\n}\n" }
[[job]]
name = "tests"
task = "run the tests"
allow = ["Bash(sleep *)"]
[[job.step]]
tool = "Bash"
input = { command = "sleep 600" }
[[job]]
name = "publish"
task = "publish the release"
needs = ["docs"]
[[job.step]]
tool = "Bash"
input = { command = "npm publish" }
"#;

const SERVER: &str = "use std::net::TcpListener;\n\nfn port() -> u16 {\n    80\n}\n\nfn main() {\n    serve(TcpListener::bind((\"::\", port())));\n}\n";

/// Draws them all.
pub(crate) fn draw(root: &Path) -> Result<()> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "the program does not build");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.join("debug/pointsman");
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let place = tempfile::Builder::new().prefix("pm").tempdir()?;
    let project = place.path().join("proj");
    for made in ["proj/.git", "proj/src", "proj/build", "home"] {
        std::fs::create_dir_all(place.path().join(made))?;
    }
    std::fs::write(project.join("jobs.toml"), JOBS)?;
    std::fs::write(project.join("src/server.rs"), SERVER)?;
    let mut desk = Desk::start(&program, &project, place.path(), &["run", "jobs.toml"])?;
    let keep = |desk: &Desk, name: &str| {
        let home = place.path().to_string_lossy();
        let part = Part::Screen(desk.parser.screen().clone());
        let picture = cells::draw(&[part], &[(&home, "/home/me")]);
        let file = folder.join(format!("{name}.svg"));
        std::fs::write(&file, picture).with_context(|| file.display().to_string())
    };
    desk.sees("4 wait for you")?.sees("tests")?;
    desk.types("\u{1b}[B")?.sees("Enter")?;
    keep(&desk, "overview")?;
    desk.opens("clean asks")?;
    keep(&desk, "request")?;
    desk.types_until("a", "let r")?;
    for _ in 0..2 {
        desk.types("\u{1b}[B")?;
    }
    desk.sees("(•) and for its whole job")?;
    keep(&desk, "allow")?;
    desk.types("\u{1b}")?
        .types_until("a", "let r")?
        .types_until("\u{19}", "are you sure?")?;
    desk.types("r1")?.sees("> r1")?;
    keep(&desk, "sure")?;
    desk.types("\u{1b}")?.sees("let r")?;
    desk.types("\u{1b}")?.types_until("d", "tell the agent")?;
    desk.types("run the tests first")?
        .sees("run the tests first")?;
    keep(&desk, "deny")?;
    desk.types("\u{1b}")?;
    desk.opens("port asks")?;
    keep(&desk, "write")?;
    desk.types_until("?", "any other key")?;
    keep(&desk, "help")?;
    desk.types("\u{1b}")?;
    desk.opens("1 alike")?;
    desk.types_until("a", "let r")?
        .types("\u{1b}[B")?
        .sees("(•) once each")?;
    keep(&desk, "group")?;
    desk.types("\u{1b}")?.types_until("t", "transcript of")?;
    desk.sees("asked:")?;
    keep(&desk, "transcript")?;
    desk.types("\u{1b}")?;
    draw_commands(&program, place.path(), &folder)?;
    desk.types_until("\u{3}", "stop the whole run")?
        .types("\u{3}")?;
    desk.ends()
}

/// Draws what commands print of the run that is on in this place.
fn draw_commands(program: &Path, place: &Path, folder: &Path) -> Result<()> {
    let project = place.join("proj");
    for (name, arguments) in [
        ("workers", &["workers"][..]),
        ("context", &["context", "w1-1"]),
    ] {
        let mut other = Desk::start(program, &project, place, arguments)?;
        other.ends()?;
        let home = place.to_string_lossy();
        let part = Part::Screen(other.parser.screen().clone());
        let picture = cells::draw(&[part], &[(&home, "/home/me")]);
        std::fs::write(folder.join(format!("{name}.svg")), picture)?;
    }
    Ok(())
}

/// The program at a terminal whose cells are read back.
struct Desk {
    terminal: PtyMaster,
    child: Child,
    parser: vt100::Parser,
}

impl Desk {
    fn start(program: &Path, project: &Path, place: &Path, arguments: &[&str]) -> Result<Self> {
        let (shown, given) = terminal::open(SIZE.0, SIZE.1)?;
        let other = || given.try_clone().map(Stdio::from);
        let child = Command::new("setsid")
            .arg("--ctty")
            .arg(program)
            .args(arguments)
            .current_dir(project)
            .env("HOME", place.join("home"))
            .env("TERM", "xterm-256color")
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("NO_COLOR")
            .stdin(other()?)
            .stdout(other()?)
            .stderr(other()?)
            .spawn()
            .context("`setsid` can't be run")?;
        Ok(Self {
            terminal: shown,
            child,
            parser: vt100::Parser::new(SIZE.1, SIZE.0, 0),
        })
    }

    /// Takes what the program has drawn by now; whether there may be more.
    fn pump(&mut self) -> bool {
        let mut bytes = [0; 65_536];
        loop {
            match self.terminal.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => self.parser.process(bytes.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                // The other end is closed.
                Err(_) => return false,
            }
        }
    }

    fn sees(&mut self, wanted: &str) -> Result<&mut Self> {
        let began = Instant::now();
        loop {
            let more = self.pump();
            let shown = self.parser.screen().contents();
            if shown.contains(wanted) {
                return Ok(self);
            }
            ensure!(
                more && began.elapsed() < PATIENCE,
                "no `{wanted}` in\n{shown}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn types(&mut self, keys: &str) -> Result<&mut Self> {
        self.terminal.write_all(keys.as_bytes())?;
        // As a person would: what is typed is seen before the next key.
        std::thread::sleep(Duration::from_millis(400));
        self.pump();
        Ok(self)
    }

    /// Types again and again until something is there: keys in the grace are dropped.
    fn types_until(&mut self, keys: &str, wanted: &str) -> Result<&mut Self> {
        let began = Instant::now();
        while !self.parser.screen().contents().contains(wanted) {
            self.types(keys)?;
            ensure!(
                began.elapsed() < PATIENCE,
                "no `{wanted}`\n{}",
                self.parser.screen().contents()
            );
        }
        Ok(self)
    }

    /// Goes from request to request until that one is open.
    fn opens(&mut self, wanted: &str) -> Result<()> {
        let began = Instant::now();
        self.types("\r")?;
        while !self.parser.screen().contents().contains(wanted) {
            self.types("n")?;
            ensure!(
                began.elapsed() < PATIENCE,
                "no `{wanted}`\n{}",
                self.parser.screen().contents()
            );
        }
        // All of it is before the person's eyes.
        self.types("\u{1b}[6~")?.types("\u{1b}[5~")?;
        Ok(())
    }

    fn ends(&mut self) -> Result<()> {
        let began = Instant::now();
        while self.pump() && self.child.try_wait()?.is_none() {
            ensure!(began.elapsed() < PATIENCE, "the program does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.pump();
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // It has ended already unless something failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
