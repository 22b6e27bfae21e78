//! The README's picture: a real run at a terminal, typed at as a person would, and drawn as SVG.

mod screen;
mod svg;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use expectrl::session::OsSession;
use expectrl::{Captures, Eof, Expect as _, Regex};

/// Where it lies.
const FILE: &str = "docs/run.svg";
/// How long the program may take to be built and to come to its next question.
const PATIENCE: Duration = Duration::from_secs(600);
/// What is typed at the questions, in order; the last one again and again.
const ANSWERS: [&str; 2] = ["allow", "deny not on this machine"];

/// Draws it.
pub(crate) fn draw(root: &Path) -> Result<()> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "the program does not build");
    let printed = record(root)?;
    // What cargo had to say before, and where this checkout lies, are no part of the picture.
    let start = printed.find("run-1").unwrap_or_default();
    let printed = printed
        .get(start..)
        .unwrap_or_default()
        .replace(&*root.to_string_lossy(), "/home/me/pointsman");
    let lines = screen::lines(&printed);
    let command = "$ cargo run -- run examples/tour.toml";
    let picture = svg::draw(command, &lines);
    std::fs::write(root.join(FILE), picture).with_context(|| format!("`{FILE}`"))
}

/// All that the terminal was sent.
fn record(root: &Path) -> Result<String> {
    let state = tempfile::tempdir()?;
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["run", "--quiet", "--", "run", "examples/tour.toml"])
        .current_dir(root)
        .env("XDG_STATE_HOME", state.path())
        .env_remove("NO_COLOR");
    let mut session = OsSession::spawn(command)?;
    session.set_expect_timeout(Some(PATIENCE));
    let mut printed = Vec::new();
    let mut answers = ANSWERS.iter();
    let mut answer = "";
    loop {
        let seen = session.expect(expectrl::Any::boxed(vec![
            // A request that has just been drawn, and its prompt.
            Box::new(Regex(
                r"end the run\r\n(?s:.*?)r\d+-\d+(?: \(\d+ more\))?> ",
            )),
            Box::new(Eof),
        ]))?;
        keep(&seen, &mut printed);
        if seen.get(0).is_none_or(<[u8]>::is_empty) {
            break;
        }
        // A person reads first, and what others do meanwhile is printed.
        std::thread::sleep(Duration::from_millis(1_500));
        answer = answers.next().copied().unwrap_or(answer);
        session.send(format!("{answer}\r"))?;
    }
    String::from_utf8(printed).context("the terminal was sent no UTF-8")
}

fn keep(seen: &Captures, printed: &mut Vec<u8>) {
    printed.extend_from_slice(seen.before());
    printed.extend_from_slice(seen.get(0).unwrap_or_default());
}
