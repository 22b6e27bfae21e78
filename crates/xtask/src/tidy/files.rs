//! Rust files: not too long, and with names that say what is in them.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Fault, Kind, entries, read};

/// Longest file, its tests not counted. What is longer holds more than one idea.
const LINES_MAX: usize = 600;

/// Names that say nothing of what is inside, so that everything ends up inside.
const SAY_NOTHING: [&str; 9] = [
    "common", "god", "helper", "helpers", "manager", "misc", "types", "util", "utils",
];

/// The one file that may call what the compiler can't check, and how a file says that it does (ADR 0006).
const UNCHECKED: &str = "crates/process/src/spawn.rs";
const UNCHECKED_SAID: &str = concat!("(unsafe", "_code");

/// Folders that hold source.
const PLACES: [&str; 4] = ["crates", "tests", "examples", "benches"];

pub(super) fn check(root: &Path) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let mut folders: Vec<PathBuf> = PLACES.iter().map(PathBuf::from).collect();
    folders.retain(|folder| root.join(folder).is_dir());
    while let Some(folder) = folders.pop() {
        for (path, kind) in entries(root, &folder)? {
            match kind {
                Kind::Folder if path.file_name().is_some_and(|name| name == "target") => {}
                Kind::Folder => {
                    faults.extend(name_fault(&path));
                    folders.push(path);
                }
                Kind::File if path.extension().is_some_and(|ext| ext == "rs") => {
                    faults.extend(name_fault(&path));
                    let text = read(root, &path)?;
                    faults.extend(length_fault(&path, &text));
                    faults.extend(unchecked_fault(&path, &text));
                }
                Kind::File => {}
            }
        }
    }
    Ok(faults)
}

fn name_fault(path: &Path) -> Option<Fault> {
    let stem = path.file_stem()?.to_str()?;
    let text = if SAY_NOTHING.contains(&stem) {
        format!("`{stem}` says nothing of what is inside; name the one idea")
    } else if path.file_name()? == "mod.rs" {
        "write `name.rs` beside `name/` in place of `mod.rs`".into()
    } else {
        return None;
    };
    let file = path.to_path_buf();
    Some(Fault { file, text })
}

fn length_fault(path: &Path, text: &str) -> Option<Fault> {
    let is_test =
        path.file_name()? == "tests.rs" || path.components().any(|c| c.as_os_str() == "tests");
    let lines = lines_without_tests(text);
    (!is_test && lines > LINES_MAX).then(|| Fault {
        file: path.to_path_buf(),
        text: format!("{lines} lines without tests, at most {LINES_MAX}; split it by ideas"),
    })
}

fn unchecked_fault(path: &Path, text: &str) -> Option<Fault> {
    (text.contains(UNCHECKED_SAID) && path != Path::new(UNCHECKED)).then(|| Fault {
        file: path.to_path_buf(),
        text: format!("unsafe code stands in `{UNCHECKED}` alone"),
    })
}

/// Lines up to the test module, which stands last.
fn lines_without_tests(text: &str) -> usize {
    let mut before = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let opens_tests = lines.peek().is_some_and(|next| next.starts_with("mod "));
        if line == "#[cfg(test)]" && opens_tests {
            return before;
        }
        before += 1;
    }
    before
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::faults_of;

    #[track_caller]
    fn check(file: &str, text: &str, expect: &[&str]) {
        let faults = faults_of(&[
            ("Cargo.toml", "[workspace.dependencies]"),
            ("crates/README", ""),
            ("tests/e2e.rs", ""),
            (file, text),
        ]);
        assert_eq!(faults, expect);
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_are_not_counted() {
        let code = "fn a() {}\n".repeat(600);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{code}}}\n");
        check("crates/x/src/long.rs", &format!("{code}{tests}"), &[]);
        check("crates/x/src/long/tests.rs", &code.repeat(2), &[]);
        check(
            "crates/x/src/long.rs",
            &format!("// one more\n{code}{tests}"),
            &["crates/x/src/long.rs: 601 lines without tests, at most 600; split it by ideas"],
        );
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        let fault = |file: &str, stem: &str| {
            format!("{file}: `{stem}` says nothing of what is inside; name the one idea")
        };
        for stem in [
            "util", "utils", "helpers", "types", "common", "misc", "manager",
        ] {
            let file = format!("crates/x/src/{stem}.rs");
            check(&file, "", &[&fault(&file, stem)]);
        }
        check(
            "crates/x/src/common/part.rs",
            "",
            &[&fault("crates/x/src/common", "common")],
        );
        check(
            "crates/x/src/a/mod.rs",
            "",
            &["crates/x/src/a/mod.rs: write `name.rs` beside `name/` in place of `mod.rs`"],
        );
    }
}
