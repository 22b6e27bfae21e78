//! What the tests stand on: a project in a temporary folder, and the program as people start it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use expectrl::session::OsSession;
use serde_json::Value;

/// How long anything may take before a test gives up. Generous: machines under load are slow, and a
/// test that waits this long has failed anyway.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// One job with one question.
pub(crate) const ASKS: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "yes\n" }
"#;

/// The program, built once.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        // What Cargo tells a test of its package, build scripts of others would take for a change, and build anew.
        for (name, _) in std::env::vars_os() {
            let told = ["CARGO_PKG_", "CARGO_MANIFEST_"];
            let text = name.to_string_lossy();
            if told.iter().any(|start| text.starts_with(start)) {
                build.env_remove(&name);
            }
        }
        let built = build
            .args(["build", "--quiet", "--package", "pointsman"])
            .args(["--message-format", "json-render-diagnostics"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(built.status.success(), "the program does not build");
        String::from_utf8(built.stdout)
            .unwrap()
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .unwrap()
    })
}

/// What came of a command.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails with all that was printed unless the exit code is this one.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        let Self { out, err, .. } = &self;
        assert_eq!(self.code, Some(code), "\n--- out\n{out}--- err\n{err}");
        self
    }

    /// Each line of standard output as JSON.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The summary that `run --json` ends with.
    pub(crate) fn summary(&self) -> Value {
        let last = self.objects().pop().unwrap();
        last["summary"].clone()
    }
}

/// A project with a home of its own, so that nothing of the machine's settings counts.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("pm").tempdir().unwrap();
        let project = Self { folder };
        for name in ["home", "proj/.git"] {
            std::fs::create_dir_all(project.folder.path().join(name)).unwrap();
        }
        project
    }

    /// A project with one job file, `job.toml`.
    pub(crate) fn with_job(job: &str) -> Self {
        let project = Self::new();
        project.write("job.toml", job);
        project
    }

    /// The project's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("proj")
    }

    /// The home.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file below the project's root.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A file below the project's root; nothing when it is not there.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(name)).ok()
    }

    /// The program in this project, not started yet; standard input is empty.
    pub(crate) fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .current_dir(self.root())
            .env("HOME", self.home())
            .env("NO_COLOR", "1")
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run<const N: usize>(&self, arguments: [&str; N]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    /// Runs the program with that text as its input.
    pub(crate) fn run_fed<const N: usize>(&self, arguments: [&str; N], input: &str) -> Ended {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Closed at the end of the statement.
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        Ended::of(child.wait_with_output().unwrap())
    }

    /// Starts the program and does not wait for it.
    pub(crate) fn start<const N: usize>(&self, arguments: [&str; N]) -> Running {
        Running::of(self.command(arguments))
    }

    /// Starts the program at a terminal of its own.
    pub(crate) fn at_terminal<const N: usize>(&self, arguments: [&str; N]) -> OsSession {
        Self::terminal_of(self.command(arguments))
    }

    /// Starts a command of the program at a terminal of its own.
    pub(crate) fn terminal_of(mut command: Command) -> OsSession {
        // The terminal takes the place of the empty input.
        command.stdin(Stdio::inherit());
        let mut session = OsSession::spawn(command).unwrap();
        session.set_expect_timeout(Some(PATIENCE));
        session
    }

    /// The folder that holds the project's ledger, once something has run.
    pub(crate) fn state_folder(&self) -> PathBuf {
        let all = std::fs::read_dir(self.home().join(".local/state/pointsman")).unwrap();
        let mut folders = all.map(|entry| entry.unwrap().path());
        folders.next().unwrap()
    }

    /// Makes the first record of this kind in the project's ledger one that can't be read.
    pub(crate) fn damage_the_first(&self, kind: &str) {
        let raw = rusqlite::Connection::open(self.state_folder().join("ledger.db")).unwrap();
        raw.execute_batch("DROP TRIGGER records_are_never_changed")
            .unwrap();
        let change = "UPDATE records SET body = substr(body, 2) \
            WHERE seq = (SELECT min(seq) FROM records WHERE kind = ?1)";
        assert_eq!(raw.execute(change, [kind]).unwrap(), 1);
    }

    /// Takes all records away from the first of this kind on, as when the end of the ledger's log is torn.
    pub(crate) fn cut_from_the_first(&self, kind: &str) {
        let raw = rusqlite::Connection::open(self.state_folder().join("ledger.db")).unwrap();
        raw.execute_batch("DROP TRIGGER records_are_never_removed")
            .unwrap();
        let change = "DELETE FROM records \
            WHERE seq >= (SELECT min(seq) FROM records WHERE kind = ?1)";
        assert_ne!(raw.execute(change, [kind]).unwrap(), 0);
    }

    /// The open questions as `queue --json` tells them; none while no leader is up.
    pub(crate) fn queue(&self) -> Vec<Value> {
        let ended = self.run(["queue", "--json"]);
        if ended.code == Some(0) {
            ended.objects()
        } else {
            Vec::new()
        }
    }

    /// Waits until `count` questions are open, and gives their ids.
    pub(crate) fn questions(&self, count: usize) -> Vec<String> {
        until("the questions are open", || {
            let open = self.queue();
            (open.len() == count).then(|| {
                let ids = open
                    .iter()
                    .map(|card| card["id"].as_str().unwrap().to_owned());
                ids.collect()
            })
        })
    }
}

/// A program that was started; killed when dropped.
pub(crate) struct Running(Child);

impl Running {
    /// Starts a command; what it prints is kept for its end.
    pub(crate) fn of(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Ended {
        let out = self.0.stdout.take();
        let err = self.0.stderr.take();
        let read = |from: Option<Box<dyn std::io::Read + Send>>| {
            std::thread::spawn(move || {
                let mut text = String::new();
                std::io::Read::read_to_string(&mut from.unwrap(), &mut text).unwrap();
                text
            })
        };
        let out = read(out.map(|out| Box::new(out) as _));
        let err = read(err.map(|err| Box::new(err) as _));
        let status = until("the program ends", || self.0.try_wait().unwrap());
        Ended {
            code: status.code(),
            out: out.join().unwrap(),
            err: err.join().unwrap(),
        }
    }

    /// Waits for its end and reads nothing of what it prints; gives its exit code.
    pub(crate) fn code_unread(mut self) -> Option<i32> {
        until("the program ends", || self.0.try_wait().unwrap()).code()
    }

    /// Nobody hears what it prints any more.
    pub(crate) fn unheard(mut self) -> Self {
        drop((self.0.stdout.take(), self.0.stderr.take()));
        self
    }

    /// Whether it has a file open.
    pub(crate) fn has_open(&self, file: &Path) -> bool {
        let file = std::fs::canonicalize(file).unwrap();
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.0.id()));
        let open = open.unwrap().flatten();
        open.filter_map(|entry| std::fs::read_link(entry.path()).ok())
            .any(|path| path == file)
    }

    /// Waits until it does nothing but wait: its processor time stands still for a while.
    pub(crate) fn until_it_rests(&self) {
        let used = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
            let (_, rest) = stat.rsplit_once(')').unwrap();
            let fields: Vec<&str> = rest.split_whitespace().collect();
            [fields[11].to_owned(), fields[12].to_owned()]
        };
        let mut last = used();
        let mut looks = 0;
        until("it rests", || {
            let now = used();
            looks = if now == last { looks + 1 } else { 0 };
            last = now;
            (looks >= 10).then_some(())
        });
    }

    /// Stops it where it is; comes back once each of its threads stands.
    pub(crate) fn stop_here(&self) {
        self.signal(nix::sys::signal::Signal::SIGSTOP);
        let folder = format!("/proc/{}/task", self.0.id());
        until("all its threads stand", || {
            let mut threads = std::fs::read_dir(&folder).unwrap().flatten();
            let stands = |thread: std::fs::DirEntry| {
                // One that has ended meanwhile stands, too.
                let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
                stat.rsplit_once(')')
                    .is_none_or(|(_, rest)| rest.trim_start().starts_with('T'))
            };
            threads.all(stands).then_some(())
        });
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.0.id().cast_signed());
        nix::sys::signal::kill(pid, signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already in most tests.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks again and again until there is something.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
