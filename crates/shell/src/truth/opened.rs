//! Which files known programs really open, beside what the analysis lists.
//!
//! Kept lines run with the machine's own programs in a folder made for each run. Before a line the
//! times of all files are set back; after it, a file whose time of access is new was read, and one
//! whose content, place or time of change is new was written. Each of them must be among the effects
//! of the analysis. The lines are fixed and name nothing outside of their folder: no mutants here.
//!
//! Where the file system keeps no times of access, reads can't be told; the test says so and compares
//! what is written alone. Lines whose program the machine lacks are counted, not compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, FileTimes};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use pointsman_model::{AbsPath, Change, EffectKind, PathUse, PathValue, Reach};

use crate::{Analysis, Surroundings, analyse};

const LINES: &str = include_str!("opened.txt");

/// Lines that have to run for the comparison to mean something: those of coreutils, sed, grep, find, awk
/// and tar, which every machine has that builds this.
const RAN_MIN: usize = 60;

/// Files of the folder, with what stands in them.
const FILES: [(&str, &str); 8] = [
    ("a.txt", "one\ntwo\nthree\n"),
    ("b.txt", "two\nthree\nfour\n"),
    ("list", "a.txt\nb.txt\n"),
    ("src/m.rs", "fn main() {}\n"),
    ("src/deep/n.rs", "// note\n"),
    ("docs/r.md", "# head\n"),
    ("s.sed", "s/one/1/\n"),
    (".hidden", "token\n"),
];

/// What is known of a file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    content: Vec<u8>,
    changed: SystemTime,
    read: SystemTime,
}

fn old() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)
}

/// The folder with its files, as old as can be.
fn folder() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        // Accessed before it was changed: the next access is written down even where few are.
        let times = FileTimes::new()
            .set_accessed(old())
            .set_modified(old() + Duration::from_secs(10));
        file.set_times(times).unwrap();
    }
    root
}

/// All files below the folder, by their names from there. Looking at their content comes last: it is
/// an access too.
fn look(root: &Path) -> BTreeMap<String, Seen> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(here) = open.pop() {
        for entry in std::fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap();
            let seen = Seen {
                changed: metadata.modified().unwrap(),
                read: metadata.accessed().unwrap(),
                content: Vec::new(),
            };
            found.insert(name.to_str().unwrap().to_owned(), seen);
        }
    }
    for (name, seen) in &mut found {
        seen.content = std::fs::read(root.join(name)).unwrap_or_default();
    }
    found
}

/// What a line did to the files.
#[derive(Debug, Default)]
struct Happened {
    read: Vec<String>,
    written: Vec<String>,
    /// A program of it is not there.
    lacks: bool,
}

fn run(line: &str) -> Happened {
    let root = folder();
    let status = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", line])
        .current_dir(root.path())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", root.path())
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let after = look(root.path());
    let mut happened = Happened {
        lacks: status.code() == Some(127),
        ..Happened::default()
    };
    for (name, text) in FILES {
        match after.get(name) {
            None => happened.written.push(name.to_owned()),
            Some(seen) => {
                if seen.read != old() {
                    happened.read.push(name.to_owned());
                }
                let changed = old() + Duration::from_secs(10);
                if seen.content != text.as_bytes() || seen.changed != changed {
                    happened.written.push(name.to_owned());
                }
            }
        }
    }
    let known = |name: &String| FILES.iter().any(|(file, _)| file == name);
    happened
        .written
        .extend(after.into_keys().filter(|name| !known(name)));
    happened
}

/// Whether the use may be of this path.
fn may_be(used: &PathUse, path: &AbsPath) -> bool {
    match &used.path {
        PathValue::Unknown(_) => true,
        PathValue::Known(known) => {
            known == path || used.reach != Reach::Itself && path.is_within(known)
        }
        // Which names a pattern stands for is not what is asked here.
        PathValue::Pattern { base, .. } => path.is_within(base),
    }
}

fn lists(
    analysis: &Analysis,
    path: &AbsPath,
    written: impl Fn(&EffectKind) -> Option<PathUse>,
) -> bool {
    analysis
        .effects
        .list
        .iter()
        .filter_map(|effect| written(&effect.kind))
        .any(|used| may_be(&used, path))
}

fn read_of(kind: &EffectKind) -> Option<PathUse> {
    match kind {
        EffectKind::Read(used) => Some(used.clone()),
        EffectKind::Write { .. }
        | EffectKind::Run(_)
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_)
        | EffectKind::Opaque(_) => None,
    }
}

fn write_of(kind: &EffectKind) -> Option<PathUse> {
    match kind {
        // What lies in a folder goes with it.
        EffectKind::Write {
            target,
            change: Change::Remove,
        } => Some(PathUse {
            reach: Reach::ContentBelow,
            ..target.clone()
        }),
        EffectKind::Write { target, .. } => Some(target.clone()),
        EffectKind::Read(_)
        | EffectKind::Run(_)
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_)
        | EffectKind::Opaque(_) => None,
    }
}

/// What is missed: a target folder stands for what is put in it, and who reads and writes a file may be
/// listed as one who writes it.
fn misses(line: &str, happened: &Happened) -> Vec<String> {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/w/proj").unwrap(),
        case: crate::NameCase::Counts,
    };
    let analysis = analyse(line, &at);
    let mut misses = Vec::new();
    for (names, what) in [(&happened.read, "reads"), (&happened.written, "writes")] {
        for name in names {
            let path = at.folder.join(name);
            let written = lists(&analysis, &path, write_of)
                || path
                    .parent()
                    .is_some_and(|folder| lists(&analysis, &folder, write_of));
            let listed = match what {
                "reads" => lists(&analysis, &path, read_of) || written,
                _ => written,
            };
            if !listed {
                let mut miss = String::new();
                write!(miss, "{line:?} {what} {name}, listed:\n{analysis}").unwrap();
                misses.push(miss);
            }
        }
    }
    misses
}

#[test]
fn known_programs_open_no_file_that_is_not_listed() {
    if Command::new("bash").arg("--version").output().is_err() {
        super::is_missing("there is no Bash");
        return;
    }
    let reads_are_told = run("cat a.txt").read.contains(&"a.txt".to_owned());
    if !reads_are_told {
        super::is_missing("this file system keeps no times of access: reads are not compared");
    }
    let mut ran = 0;
    let mut opened = 0;
    let mut missed = Vec::new();
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        let happened = run(line);
        if happened.lacks {
            continue;
        }
        ran += 1;
        opened += happened.read.len() + happened.written.len();
        missed.extend(misses(line, &happened));
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(ran >= RAN_MIN, "only {ran} lines ran");
    assert!(opened >= RAN_MIN, "only {opened} files were opened");
}
