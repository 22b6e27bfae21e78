//! Lines and what they come to, kept as text in `lines.txt`: a line behind `$ `, a line feed in it as
//! `\n`, then its analysis. `POINTSMAN_BLESS=1` writes the file anew from the lines in it.

use std::fmt::Write as _;

use pointsman_model::AbsPath;

use crate::{Surroundings, analyse};

const LINES: &str = include_str!("lines.txt");

fn check(line: &str) -> String {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    };
    analyse(&line.replace("\\n", "\n"), &at).to_string()
}

#[test]
fn lines_come_to_what_is_written_down() {
    let mut got = String::new();
    for line in LINES.lines() {
        if let Some(line) = line.strip_prefix("$ ") {
            write!(got, "$ {line}\n{}\n", check(line)).unwrap();
        } else if line.starts_with("## ") {
            write!(got, "{line}\n\n").unwrap();
        }
    }
    if std::env::var_os("POINTSMAN_BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis/lines.txt");
        std::fs::write(file, &got).unwrap();
        return;
    }
    for (got, kept) in got.split("\n\n").zip(LINES.split("\n\n")) {
        assert_eq!(got, kept);
    }
    assert_eq!(got, LINES);
}

#[test]
fn a_long_line_is_never_vouched_for() {
    let long = format!("echo {}", "a".repeat(10_000));
    assert!(check(&long).contains("opaque TooLong"));
    assert!(!check(&long[..10_000]).contains("opaque"));
}

#[test]
fn a_line_beyond_the_limits_is_opaque_as_a_whole() {
    for line in [
        "$(".repeat(200) + "a" + &")".repeat(200),
        "( ".repeat(200) + "a" + &" )".repeat(200),
        format!("echo '{}' \"$x\"", "a".repeat(40_000)),
        "a; ".repeat(3_000),
    ] {
        assert!(check(&line).contains("opaque Too"), "{}", &line[..60]);
    }
    let parts = "true; ".repeat(500);
    assert!(!check(&parts).contains("opaque"));
}

#[test]
fn what_stands_64_deep_is_told() {
    for (open, close) in [
        ("echo \"$(", ")\""),
        ("ls $(", ")"),
        ("cat <(", ")"),
        ("( ", " )"),
        ("{ ", "; }"),
        ("if ", "; then :; fi"),
        ("while ", "; do :; done"),
        ("! ", ""),
        ("case $(", ") in *) ;; esac"),
        ("echo ${x:-$(", ")}"),
    ] {
        let depth = 64;
        let line = format!("{}rm y{}", open.repeat(depth), close.repeat(depth));
        let told = check(&line);
        assert!(told.contains(" rm y !Destructive"), "{line}\n{told}");
        assert!(!told.contains("TooDeep"), "{line}\n{told}");
    }
}

/// What reading costs, without a clock: memory that is asked for, of lines of the bench.
#[test]
fn usual_lines_ask_for_little_memory() {
    for (line, most) in [
        (
            "cargo test --workspace --all-features -- --test-threads=8 -q",
            12,
        ),
        (
            "git commit -m 'model: say what a run is' -m \"and why\" -- src/a",
            23,
        ),
        ("ls -la src | head -n 20 && git status", 36),
    ] {
        // Tables are made when they are first looked into.
        check(line);
        let at = crate::checks::surroundings();
        let counted = allocation_counter::measure(|| drop(analyse(line, &at)));
        assert!(
            counted.count_total <= most,
            "{line}: {}",
            counted.count_total
        );
    }
}
