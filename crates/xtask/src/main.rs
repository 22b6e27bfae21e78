//! Chores of the repository, started as `cargo xtask NAME`.
//!
//! - `tidy` fails on what the compiler can't see: wrong arrows between crates, files that grew too
//!   long, names that say nothing, tests that nothing runs.

mod tidy;

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
        "" => bail!("say what to do: tidy"),
        other => bail!("`{other}` is no chore; there is: tidy"),
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

/// The root of the repository: two folders above this crate's manifest.
fn repository() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .context("this crate lies in `crates/xtask` of the repository")
}
