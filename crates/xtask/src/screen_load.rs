//! The full screen under load: many workers that ask all the time, a terminal that is read, a program that answers.
//!
//! It tells how long frames took, how long a request waited until it was drawn, how the memory of the leader grew, and
//! whether anything was lost. Nothing of it is asserted by time: the figures are for `docs/reliability.md`.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use nix::pty::PtyMaster;
use serde_json::{Value, json};

use crate::terminal;

/// Requests that are left open, so that the lists are full.
const LEFT_OPEN: usize = 60;
/// How long anything may take that is not measured.
const PATIENCE: Duration = Duration::from_secs(120);

/// How much load.
struct Load {
    workers: u32,
    per_second: u32,
    seconds: u32,
}

impl Load {
    /// Of the arguments: `--short` for a smoke test, else what the design asks for.
    fn wanted() -> Self {
        if std::env::args().any(|argument| argument == "--short") {
            Self {
                workers: 40,
                per_second: 20,
                seconds: 8,
            }
        } else {
            Self {
                workers: 500,
                per_second: 50,
                seconds: 120,
            }
        }
    }

    /// Workers that sleep and ask in turns, the first asks spread over the interval.
    fn job_file(&self) -> String {
        let interval = f64::from(self.workers) / f64::from(self.per_second);
        let asks = (f64::from(self.seconds) / interval).ceil().max(1.0);
        let mut file = format!("slots = {0}\nagents_max = {0}\n", self.workers);
        for worker in 0..self.workers {
            let first = interval * f64::from(worker) / f64::from(self.workers);
            file.push_str(&format!(
                "[[job]]\nname = \"worker-{worker}\"\nallow = [\"Bash(sleep *)\"]\n"
            ));
            let mut ask = 0.0;
            while ask < asks {
                let pause = if ask == 0.0 { first } else { interval };
                file.push_str(&format!(
                    "[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"sleep {pause:.3}\" }}\n\
                     [[job.step]]\ntool = \"Write\"\non_refusal = \"continue\"\n\
                     input = {{ file_path = \"out/{worker}-{ask}.txt\", content = \"x\" }}\n"
                ));
                ask += 1.0;
            }
        }
        file
    }
}

/// Runs it and prints the figures.
pub(crate) fn run(root: &Path) -> Result<()> {
    let load = Load::wanted();
    let place = tempfile::tempdir()?;
    let project = place.path().join("proj");
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::create_dir_all(place.path().join("home"))?;
    std::fs::write(project.join("load.toml"), load.job_file())?;
    let program = built(root)?;
    let (mut child, mut terminal) = start(&program, &project, place.path())?;
    let state = place.path().join("state");
    let socket = wait_for(&mut terminal, || find(&state, "sock"))?;
    let answering = std::thread::spawn(move || answer_all(&socket));
    let began = Instant::now();
    let mut memory = Memory::default();
    let mut bytes = [0; 65_536];
    let mut drawn = 0_u64;
    let mut looked = Instant::now();
    let ended = loop {
        match terminal.read(&mut bytes) {
            Ok(0) => break child.wait()?,
            Ok(count) => drawn += u64::try_from(count)?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(2));
            }
            // The other end is closed.
            Err(_) => break child.wait()?,
        }
        if looked.elapsed() > Duration::from_secs(1) {
            looked = Instant::now();
            memory.look(&child);
        }
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        ensure!(began.elapsed() < PATIENCE * 10, "the run comes to no end");
    };
    let Answers { answered, last } = answering
        .join()
        .map_err(|_| anyhow::anyhow!("whoever answers panicked"))??;
    let log = find(&state, "txt").context("no frames were told")?;
    report(&load, &std::fs::read_to_string(log)?, began.elapsed())?;
    memory.report(last)?;
    let lost = lost(&program, &project, place.path())?;
    println(&format!(
        "answered {answered}, lost {lost}, {} KiB drawn, ended with {:?}",
        drawn / 1_024,
        ended.code()
    ))?;
    ensure!(lost == 0, "{lost} requests have no end");
    Ok(())
}

fn built(root: &Path) -> Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "build",
        "--quiet",
        "--message-format",
        "json-render-diagnostics",
    ]);
    if std::env::args().any(|argument| argument == "--release") {
        command.arg("--release");
    }
    let built = command
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(built.status.success(), "the program does not build");
    String::from_utf8(built.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .context("cargo names no program")
}

fn environment(command: &mut Command, place: &Path) {
    command
        .env("HOME", place.join("home"))
        .env("XDG_STATE_HOME", place.join("state"))
        .env("TERM", "xterm-256color")
        .env("POINTSMAN_LOG", "warn,pointsman_surfaces=debug");
}

/// The program on a terminal of its own.
fn start(program: &Path, project: &Path, place: &Path) -> Result<(Child, PtyMaster)> {
    let (shown, given) = terminal::open(160, 50)?;
    let other = || given.try_clone().map(Stdio::from);
    let mut command = Command::new("setsid");
    command
        .arg("--ctty")
        .arg(program)
        .args(["run", "load.toml"])
        .current_dir(project)
        .stdin(other()?)
        .stdout(other()?)
        .stderr(other()?);
    environment(&mut command, place);
    let child = command.spawn().context("`setsid` can't be run")?;
    Ok((child, shown))
}

/// Reads the terminal until something is there.
fn wait_for<T>(terminal: &mut PtyMaster, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    let began = Instant::now();
    let mut bytes = [0; 65_536];
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        // What is drawn meanwhile is not looked at.
        let _ = terminal.read(&mut bytes);
        std::thread::sleep(Duration::from_millis(10));
        if began.elapsed() > PATIENCE {
            bail!("the run did not start");
        }
    }
}

/// The first file of that ending below the state folder.
fn find(state: &Path, ending: &str) -> Option<PathBuf> {
    let folders = std::fs::read_dir(state.join("pointsman")).ok()?;
    let files = folders.filter_map(|folder| std::fs::read_dir(folder.ok()?.path()).ok());
    files
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .find(|path| path.extension().is_some_and(|found| found == ending))
}

/// What whoever answers did.
struct Answers {
    answered: u64,
    last: Instant,
}

/// Refuses the oldest whenever more are open than are to be; all of them once nothing new comes.
fn answer_all(socket: &Path) -> Result<Answers> {
    let mut watching = connected(socket)?;
    watching.write_all(b"{\"ask\":\"watch\"}\n")?;
    watching.set_read_timeout(Some(Duration::from_secs(3)))?;
    let mut news = BufReader::new(watching);
    let mut open: std::collections::VecDeque<Value> = std::collections::VecDeque::new();
    let mut answers = Answers {
        answered: 0,
        last: Instant::now(),
    };
    // What a time-out cut off goes on with the next read.
    let mut line = String::new();
    loop {
        let keep = match news.read_line(&mut line) {
            Ok(0) => return Ok(answers),
            Ok(_) => LEFT_OPEN,
            // Nothing came for a while: they wait for their last answers.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => 0,
            Err(_) => return Ok(answers),
        };
        let told = serde_json::from_str::<Value>(&line);
        if line.ends_with('\n') {
            line.clear();
        }
        if let Ok(told) = told {
            match told.get("reply").and_then(Value::as_str) {
                Some("queue") => {
                    let listed = told.get("requests").and_then(Value::as_array);
                    open = listed.into_iter().flatten().cloned().collect();
                }
                Some("opened") => open.extend(told.get("request").cloned()),
                _ => {}
            }
        }
        while open.len() > keep {
            let Some(card) = open.pop_front() else { break };
            let ask = json!({
                "ask": "answer", "id": card.get("id"), "answer": "deny", "text": null,
                "always": null, "digest": card.get("digest"), "epoch": card.get("epoch"),
            });
            if !answer(socket, &ask) {
                return Ok(answers);
            }
            answers.answered += 1;
            answers.last = Instant::now();
        }
    }
}

/// A connection to the leader, whose socket is there a moment before anybody listens.
fn connected(socket: &Path) -> Result<UnixStream> {
    let began = Instant::now();
    loop {
        match UnixStream::connect(socket) {
            Err(error)
                if error.kind() == ErrorKind::ConnectionRefused && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            connected => return Ok(connected?),
        }
    }
}

/// Gives one answer, as a command would: a client that stays and says nothing is dropped. Whether the leader heard it.
fn answer(socket: &Path, ask: &Value) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else {
        return false;
    };
    if writeln!(stream, "{ask}").is_err() {
        return false;
    }
    let mut reply = String::new();
    BufReader::new(stream)
        .read_line(&mut reply)
        .is_ok_and(|count| count > 0)
}

/// The memory that the leader has in use, in KiB, second by second.
#[derive(Default)]
struct Memory {
    looks: Vec<(Instant, u64)>,
}

impl Memory {
    fn look(&mut self, child: &Child) {
        let used = resident(child).map(|used| (Instant::now(), used));
        self.looks.extend(used);
    }

    /// Tells it. After the last answer the run is reckoned up and ends.
    fn report(&self, last_answer: Instant) -> Result<()> {
        let answering = self.looks.partition_point(|(at, _)| *at <= last_answer);
        let at = |place: usize| {
            let look = self.looks.get(place).or(self.looks.last());
            look.map_or(0, |(_, used)| used / 1_024)
        };
        let most = self.looks.iter().map(|(_, used)| used / 1_024).max();
        println(&format!(
            "memory in MiB: {} at the start, {}, {} and {} at the quarters, {} at the last answer, {} at the end, {} at most",
            at(0),
            at(answering / 4),
            at(answering / 2),
            at(answering.saturating_mul(3) / 4),
            at(answering.saturating_sub(1)),
            at(self.looks.len()),
            most.unwrap_or(0)
        ))
    }
}

fn resident(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn report(load: &Load, log: &str, took: Duration) -> Result<()> {
    let mut frames = Vec::new();
    let mut waits = Vec::new();
    for line in log.lines().filter(|line| line.contains("took_us=")) {
        let field = |name: &str| {
            let rest = line.split_once(name)?.1;
            let rest = rest.trim_start_matches('"');
            rest.split(['"', ' ']).next()
        };
        frames.extend(field("took_us=").and_then(|text| text.parse::<u64>().ok()));
        let listed = field("waited_ms=").unwrap_or_default().split(',');
        waits.extend(listed.filter_map(|text| text.parse::<u64>().ok()));
    }
    frames.sort_unstable();
    waits.sort_unstable();
    ensure!(!frames.is_empty(), "no frame was told");
    let at = |sorted: &[u64], percent: usize| {
        let place = sorted.len().saturating_mul(percent) / 100;
        sorted
            .get(place.min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0)
    };
    println(&format!(
        "{} workers, {} questions a second for {} s ({} s in all)",
        load.workers,
        load.per_second,
        load.seconds,
        took.as_secs()
    ))?;
    println(&format!(
        "frames {}: median {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        frames.len(),
        ms(at(&frames, 50)),
        ms(at(&frames, 99)),
        ms(at(&frames, 100))
    ))?;
    println(&format!(
        "from ask to shown, {} requests: median {} ms, p99 {} ms, longest {} ms",
        waits.len(),
        at(&waits, 50),
        at(&waits, 99),
        at(&waits, 100)
    ))
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn ms(micros: u64) -> f64 {
    micros as f64 / 1_000.0
}

/// How many requests have no verdict on record.
fn lost(program: &Path, project: &Path, place: &Path) -> Result<usize> {
    let count = |kind: &str| -> Result<usize> {
        let mut command = Command::new(program);
        command
            .args(["log", "--json", "--kind", kind])
            .current_dir(project);
        environment(&mut command, place);
        Ok(command
            .output()?
            .stdout
            .split(|byte| *byte == b'\n')
            .count())
    };
    Ok(count("request_opened")?.saturating_sub(count("request_closed")?))
}

fn println(text: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").map_err(Into::into)
}
