//! The checks on kept lines, on what the fuzzer found, and on a few thousand mutants.

use std::path::Path;

use super::{gears_agree, spacing_changes_nothing, stays_within_bounds};

/// Mutants that are tried with the other tests; `POINTSMAN_MUTANTS` says another number.
const MUTANTS: usize = 4_000;

const SEEDS: &str = include_str!("../truth/seeds.txt");
const LINES: &str = include_str!("../analysis/lines.txt");

/// What mutants are given.
const PIECES: [&str; 46] = [
    "'",
    "\"",
    "\\",
    "$",
    "$(",
    ")",
    "`",
    "{",
    "}",
    ";",
    "&",
    "|",
    "<",
    ">",
    "\n",
    "\\\n",
    " ",
    "#",
    "!",
    "*",
    "~",
    "=",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "<<E\n",
    "\nE\n",
    "<<<",
    "&&",
    "||",
    "<(",
    "$'",
    "{a,b}",
    "{1..9}",
    "x=",
    "a[",
    "]",
    "; do ",
    "; done",
    "case x in ",
    "f() ",
    "\u{202e}",
    "\u{0}",
    "\t",
];

/// Numbers for mutants; the same ones in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }
}

fn seeds() -> Vec<String> {
    let lines = LINES.lines().filter_map(|line| line.strip_prefix("$ "));
    SEEDS
        .lines()
        .chain(lines)
        .map(|line| line.replace("\\n", "\n"))
        .collect()
}

/// Bytes near a line that people write.
fn mutant(seeds: &[String], dice: &mut Dice) -> Vec<u8> {
    let mut line = seeds[dice.below(seeds.len())].clone().into_bytes();
    for _ in 0..=dice.below(4) {
        let at = dice.below(line.len() + 1);
        match dice.below(8) {
            0 if at < line.len() => {
                line.remove(at);
            }
            1 if at < line.len() => line[at] = u8::try_from(dice.below(256)).unwrap(),
            2 => {
                let other = seeds[dice.below(seeds.len())].as_bytes();
                line.truncate(at);
                line.extend_from_slice(&other[dice.below(other.len() + 1)..]);
            }
            3 => {
                let piece = PIECES[dice.below(PIECES.len())];
                let times = dice.below(40);
                line.splice(at..at, piece.repeat(times).into_bytes());
            }
            4 => {
                let end = at + dice.below(line.len() + 1 - at);
                let copy = line[at..end].to_vec();
                line.splice(at..at, copy);
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                line.splice(at..at, piece.bytes());
            }
        }
    }
    line.truncate(3_000);
    line
}

#[track_caller]
fn check(bytes: &[u8]) {
    let line = String::from_utf8_lossy(bytes);
    for check in [stays_within_bounds, gears_agree, spacing_changes_nothing] {
        if let Err(what) = check(&line) {
            panic!("{line:?}\n{what}");
        }
    }
}

#[test]
fn what_must_hold_for_any_line_holds_for_kept_ones() {
    for seed in seeds() {
        check(seed.as_bytes());
    }
}

#[test]
fn what_must_hold_for_any_line_holds_for_what_the_fuzzer_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/kept/line");
    let mut kept = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        kept += 1;
    }
    assert!(kept > 0);
}

#[test]
fn what_must_hold_for_any_line_holds_for_mutants() {
    let count = std::env::var("POINTSMAN_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MUTANTS);
    let seeds = seeds();
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for _ in 0..count {
        check(&mutant(&seeds, &mut dice));
    }
}
