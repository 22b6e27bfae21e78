//! Arrows between crates: a crate may know those above it, never one below.
//!
//! The order is that of our crates in `[workspace.dependencies]`; the command line, which nobody
//! may know, comes last and stands in no list.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use toml_edit::{DocumentMut, TableLike};

use super::{Fault, Kind, entries, read};

/// The package that wires all others.
const COMMAND_LINE: &str = "pointsman";
/// What only tests may know.
const FOR_TESTS: &str = "pointsman-testkit";
/// Crates that stay pure: what they say depends on their input alone.
const PURE: [&str; 3] = ["pointsman-model", "pointsman-shell", "pointsman-policy"];
/// What a pure crate must not know: executors, clocks, randomness, tracing.
const IMPURE: [&str; 8] = [
    "chrono", "fastrand", "flume", "jiff", "rand", "time", "tokio", "tracing",
];

pub(super) fn check(root: &Path) -> Result<Vec<Fault>> {
    let order = order(root)?;
    let mut faults = Vec::new();
    for (folder, kind) in entries(root, Path::new("crates"))? {
        let file = folder.join("Cargo.toml");
        if kind == Kind::Folder && root.join(&file).exists() {
            let manifest = document(root, &file)?;
            faults.extend(arrows_of(&order, file, &manifest));
        }
    }
    Ok(faults)
}

/// Our crates, those that know least first.
fn order(root: &Path) -> Result<Vec<String>> {
    let manifest = document(root, Path::new("Cargo.toml"))?;
    let listed = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(|dependencies| dependencies.as_table_like())
        .context("`Cargo.toml` has no [workspace.dependencies]")?;
    Ok(listed
        .iter()
        .map(|(name, _)| name.to_owned())
        .filter(|name| is_ours(name))
        .collect())
}

fn document(root: &Path, file: &Path) -> Result<DocumentMut> {
    read(root, file)?
        .parse()
        .with_context(|| format!("`{}` is no TOML", file.display()))
}

fn arrows_of(order: &[String], file: PathBuf, manifest: &DocumentMut) -> Vec<Fault> {
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(|name| name.as_str())
        .unwrap_or_default();
    let fault = |text: String| Fault {
        file: file.clone(),
        text,
    };
    if !is_ours(name) {
        return Vec::new();
    }
    let place = order.iter().position(|listed| listed == name);
    if place.is_none() && name != COMMAND_LINE {
        return vec![fault(format!(
            "`{name}` has no place in the order of [workspace.dependencies]"
        ))];
    }
    let mut faults = Vec::new();
    for known in sections(manifest).flat_map(|section| section.iter().map(|(known, _)| known)) {
        let below = order.iter().position(|listed| listed == known);
        if known == COMMAND_LINE {
            faults.push(fault("nobody may know the command line".into()));
        } else if known == FOR_TESTS {
            faults.push(fault(format!(
                "`{FOR_TESTS}` belongs under [dev-dependencies]"
            )));
        } else if let (Some(place), Some(below)) = (place, below)
            && place <= below
        {
            faults.push(fault(format!(
                "`{name}` may not know `{known}`, which stands below it"
            )));
        } else if PURE.contains(&name) && IMPURE.contains(&known) {
            faults.push(fault(format!("`{name}` stays pure, without `{known}`")));
        }
    }
    faults
}

/// The sections that reach the program; what tests alone use is free.
fn sections(manifest: &DocumentMut) -> impl Iterator<Item = &dyn TableLike> {
    ["dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|section| manifest.get(section)?.as_table_like())
}

fn is_ours(name: &str) -> bool {
    name == COMMAND_LINE || name.starts_with("pointsman-")
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::faults_of;

    const ROOT: &str = "[workspace.dependencies]\npointsman-model.path = \"\"\n\
                        pointsman-gate.path = \"\"\npointsman-testkit.path = \"\"\n";

    #[track_caller]
    fn check(package: &str, dependencies: &str, expect: &[&str]) {
        let manifest = format!("[package]\nname = \"{package}\"\n{dependencies}");
        let faults = faults_of(&[
            ("Cargo.toml", ROOT),
            ("crates/x/Cargo.toml", &manifest),
            ("tests/e2e.rs", ""),
        ]);
        assert_eq!(faults, expect);
    }

    #[test]
    fn a_crate_knows_those_above_it() {
        check(
            "pointsman-gate",
            "[dependencies]\npointsman-model = {}",
            &[],
        );
        check("pointsman", "[dependencies]\npointsman-gate = {}", &[]);
    }

    #[test]
    fn a_wrong_arrow_is_found() {
        check(
            "pointsman-model",
            "[dependencies]\npointsman-gate.workspace = true",
            &[
                "crates/x/Cargo.toml: `pointsman-model` may not know `pointsman-gate`, which stands below it",
            ],
        );
        check(
            "pointsman-gate",
            "[dependencies.pointsman-testkit]\nworkspace = true",
            &["crates/x/Cargo.toml: `pointsman-testkit` belongs under [dev-dependencies]"],
        );
        check(
            "pointsman-gate",
            "[dependencies]\npointsman = {}",
            &["crates/x/Cargo.toml: nobody may know the command line"],
        );
    }

    #[test]
    fn the_pure_crates_stay_pure() {
        check(
            "pointsman-model",
            "[dependencies]\ntokio = \"1\"\n[dev-dependencies]\nrand = \"1\"",
            &["crates/x/Cargo.toml: `pointsman-model` stays pure, without `tokio`"],
        );
    }

    #[test]
    fn a_new_crate_needs_a_place_in_the_order() {
        check(
            "pointsman-extra",
            "",
            &[
                "crates/x/Cargo.toml: `pointsman-extra` has no place in the order of [workspace.dependencies]",
            ],
        );
    }
}
