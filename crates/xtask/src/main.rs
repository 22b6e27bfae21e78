//! Chores of the repository, started as `cargo xtask NAME`.
//!
//! - `tidy` fails on what the compiler can't see: wrong arrows between crates, files that grew too
//!   long, names that say nothing, tests that nothing runs.
//! - `tour [--update]` runs the README's job file with nobody there and compares what comes out.
//! - `picture` draws the README's picture from a real run.
//! - `pictures` draws those of `docs/operator.md` from real runs.
//! - `screen-load [--short] [--release]` measures the full screen under load.

mod cells;
mod picture;
mod pictures;
mod screen_load;
mod terminal;
mod tidy;
mod tour;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match run(&wanted) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to do about a closed standard error.
            let _ = writeln!(std::io::stderr(), "xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(wanted: &str) -> Result<ExitCode> {
    match wanted {
        "tidy" => tidy_command(&repository()?),
        "tour" => tour_command(&repository()?),
        "picture" => picture::draw(&repository()?).map(|()| ExitCode::SUCCESS),
        "pictures" => pictures::draw(&repository()?).map(|()| ExitCode::SUCCESS),
        "screen-load" => screen_load::run(&repository()?).map(|()| ExitCode::SUCCESS),
        "" => bail!("say what to do: tidy, tour, picture, pictures or screen-load"),
        other => {
            bail!("`{other}` is no chore; there are: tidy, tour, picture, pictures, screen-load")
        }
    }
}

/// Prints what is untidy, a line each.
fn tidy_command(root: &Path) -> Result<ExitCode> {
    let faults = tidy::check(root)?;
    let mut out = std::io::stdout().lock();
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    if faults.is_empty() {
        writeln!(out, "tidy")?;
        Ok(ExitCode::SUCCESS)
    } else {
        writeln!(out, "{} to mend", faults.len())?;
        Ok(ExitCode::FAILURE)
    }
}

/// Tells how the tour differs from the stored one, or stores it anew.
fn tour_command(root: &Path) -> Result<ExitCode> {
    let outcome = match std::env::args().nth(2).as_deref() {
        None => tour::compare(root)?,
        Some("--update") => tour::update(root)?,
        Some(other) => bail!("`{other}` is no option of `tour`; there is: --update"),
    };
    let mut out = std::io::stdout().lock();
    match outcome {
        tour::Outcome::Same => {
            writeln!(out, "the tour ends as stored")?;
            Ok(ExitCode::SUCCESS)
        }
        tour::Outcome::Different { stored, found } => {
            writeln!(
                out,
                "the tour ends otherwise than stored\n--- stored\n{stored}--- found\n{found}"
            )?;
            writeln!(out, "if that is right: scripts/tour-check --update")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The root of the repository: two folders above this crate's manifest.
fn repository() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .context("this crate lies in `crates/xtask` of the repository")
}
