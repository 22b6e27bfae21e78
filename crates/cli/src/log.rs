//! What the crates and their libraries have to warn of, told on standard error: never among the facts.
//!
//! `POINTSMAN_LOG`, else `RUST_LOG`, says how much of it: `debug`, or `warn,pointsman_swarm=trace`; without them
//! warnings and errors are told. While a verb has the terminal for itself, it takes the lines over ([`divert`]) and
//! tells them where they disturb nothing.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use pointsman_surfaces::shown;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output::say;

/// The variables that say how much is told; the first that is set counts.
const VARIABLES: [&str; 2] = ["POINTSMAN_LOG", "RUST_LOG"];

/// Lines that wait for the verb that took them over. Whoever warns must not wait, so further ones are counted only.
const LINES_MAX: usize = 1_024;

/// Where lines go that a verb took over.
static TAKER: RwLock<Option<flume::Sender<String>>> = RwLock::new(None);
/// A log that is longer than this is begun anew.
const LOG_BYTES_MAX: u64 = 1024 * 1024;

/// Lines for which there was no room.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Listens to what is warned of from now on. Called once, by `main`.
pub(crate) fn listen() {
    let (wanted, fault) = wanted();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Lines)
        .with_ansi(false)
        .without_time();
    // Somebody listens already only in tests.
    let _ = tracing_subscriber::registry()
        .with(lines)
        .with(wanted)
        .try_init();
    if let Some(fault) = fault {
        say(&fault);
    }
}

/// How much is told, and what is wrong with what was said of it.
fn wanted() -> (Targets, Option<String>) {
    let warnings = || Targets::new().with_default(LevelFilter::WARN);
    let set = VARIABLES
        .iter()
        .find_map(|name| Some((name, std::env::var(name).ok()?)));
    match set {
        None => (warnings(), None),
        Some((_, text)) if text.trim().is_empty() => (warnings(), None),
        Some((name, text)) => match text.parse() {
            Ok(targets) => (targets, None),
            Err(error) => {
                let text = shown::line(&text);
                let fault = format!(
                    "`{name}` is `{text}`, which is no log filter ({error}); warnings are told\n"
                );
                (warnings(), Some(fault))
            }
        },
    }
}

/// Takes the lines over until this is dropped.
pub(crate) struct Diverted {
    lines: flume::Receiver<String>,
}

/// Takes over what is warned of, for a verb that has the terminal for itself.
pub(crate) fn divert() -> Diverted {
    let (sender, lines) = flume::bounded(LINES_MAX);
    *TAKER.write().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    Diverted { lines }
}

impl Diverted {
    /// The next line, with its line feed. Cancel safe.
    pub(crate) async fn next(&self) -> String {
        match self.lines.recv_async().await {
            Ok(line) => line,
            // Another took over.
            Err(_) => std::future::pending().await,
        }
    }

    /// What has come and was not taken yet.
    pub(crate) fn rest(&self) -> Vec<String> {
        let mut rest: Vec<String> = self.lines.try_iter().collect();
        match LOST.swap(0, Ordering::Relaxed) {
            0 => {}
            count => rest.push(format!("{count} more lines of the log were lost\n")),
        }
        rest
    }
}

impl Drop for Diverted {
    fn drop(&mut self) {
        *TAKER.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The file beside the ledger that takes the log while a full screen is up.
#[derive(Debug, Clone)]
pub(crate) struct LogFile(PathBuf);

impl LogFile {
    /// The one beside that ledger.
    pub(crate) fn beside(ledger: &Path) -> Self {
        Self(ledger.with_file_name("log.txt"))
    }

    /// Adds a line. One that can't be added is lost: there is no other place to say so.
    pub(crate) async fn add(&self, line: String) {
        let path = self.0.clone();
        let adding = tokio::task::spawn_blocking(move || add(&path, &line));
        let _ = adding.await;
    }
}

fn add(path: &Path, line: &str) -> io::Result<()> {
    let long = std::fs::metadata(path).is_ok_and(|meta| meta.len() > LOG_BYTES_MAX);
    let mut options = std::fs::OpenOptions::new();
    if long {
        options.write(true).truncate(true);
    } else {
        options.append(true);
    }
    options.create(true).open(path)?.write_all(line.as_bytes())
}

/// Makes a line of each event.
struct Lines;

/// One event on its way.
struct Line(Vec<u8>);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        let line = shown::line(text.trim()) + "\n";
        let taker = TAKER.read().unwrap_or_else(PoisonError::into_inner);
        match taker.as_ref() {
            None => say(&line),
            Some(taker) => {
                if taker.try_send(line).is_err() {
                    LOST.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}
