//! `tests/` is one program: a file there that is no module of it would be a test that nothing runs.

use std::path::Path;

use anyhow::Result;

use super::{Fault, Kind, entries, read};

/// The program all end-to-end tests are modules of.
const PROGRAM: &str = "e2e.rs";
/// The library beside it: ground that the modules share.
const GROUND: &str = "lib.rs";

pub(super) fn check(root: &Path) -> Result<Vec<Fault>> {
    let folder = Path::new("tests");
    let program = read(root, &folder.join(PROGRAM))?;
    let mut faults = Vec::new();
    for (path, kind) in entries(root, folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let is_source = kind == Kind::File && path.extension().is_some_and(|ext| ext == "rs");
        let (Some(name), Some(stem)) = (name, stem) else {
            continue;
        };
        if is_source && name != PROGRAM && name != GROUND && !declares(&program, stem) {
            faults.push(Fault {
                file: path.clone(),
                text: format!("no module of `tests/{PROGRAM}`, so nothing runs it"),
            });
        }
    }
    Ok(faults)
}

fn declares(program: &str, module: &str) -> bool {
    let declaration = format!("mod {module};");
    program.lines().any(|line| line.trim() == declaration)
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::faults_of;

    #[test]
    fn a_test_that_nothing_runs_is_found() {
        let faults = faults_of(&[
            ("Cargo.toml", "[workspace.dependencies]"),
            ("crates/README", ""),
            ("tests/e2e.rs", "mod runs;\n// mod lost;\n"),
            ("tests/lib.rs", ""),
            ("tests/runs.rs", ""),
            ("tests/lost.rs", ""),
        ]);
        assert_eq!(
            faults,
            ["tests/lost.rs: no module of `tests/e2e.rs`, so nothing runs it"]
        );
    }
}
