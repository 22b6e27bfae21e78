//! The checks on kept texts, on what the fuzzer found, and on a few thousand mutants.

use std::path::Path;

use super::{rules_survive_printing, settings_survive_printing};

/// Mutants that are tried with the other tests; `POINTSMAN_MUTANTS` says another number.
const MUTANTS: usize = 2_000;

const SEEDS: [&str; 8] = [
    r#"{"permissions":{"allow":["Bash(npm run *)","Read(~/x/**)"],"deny":["Bash(rm:*)"],"ask":["WebFetch(domain:*.x.y)"]}}"#,
    "{ // note\n \"permissions\": {\"deny\": [\"Read(./.env)\", \"Edit(//etc/**)\",],}, }",
    r#"{"permissions":{"defaultMode":"plan","additionalDirectories":["../x"],"allow":["mcp__a__b","mcp__a"]}}"#,
    r#"{"hooks":{"PreToolUse":[{"matcher":"Bash|Edit","hooks":[{"type":"command","command":"x"}]}]},"permissions":{}}"#,
    r#"{"permissions":{"allow":["Agent(Explore)","Bash","Bash(git log \\*)"],"allow":[]}}"#,
    r#"{"env":{"A":"b"},"model":"x","sandbox":{"enabled":true},"permissions":{"deny":["*","B*(x)"]}}"#,
    "Bash(a (b) c)",
    " Edit(/src/**) ",
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

fn mutant(dice: &mut Dice) -> Vec<u8> {
    const PIECES: [&str; 30] = [
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "(",
        ")",
        "*",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "~",
        "\\u0000",
        "\\ud800",
        "null",
        "1e9",
        "true",
        "\"deny\":",
        "\"allow\":[\"",
        "Bash(",
        "\"permissions\":",
        "\u{feff}",
        "\u{202e}",
        "\u{0}",
        ":*",
    ];
    let mut text = SEEDS[dice.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(text.len() + 1);
        match dice.below(6) {
            0 if at < text.len() => {
                text.remove(at);
            }
            1 if at < text.len() => text[at] = u8::try_from(dice.below(256)).unwrap(),
            2 => {
                let other = SEEDS[dice.below(SEEDS.len())].as_bytes();
                text.truncate(at);
                text.extend_from_slice(&other[dice.below(other.len() + 1)..]);
            }
            3 => {
                let end = at + dice.below(text.len() + 1 - at);
                let copy = text[at..end].to_vec();
                text.splice(at..at, copy);
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                text.splice(at..at, piece.bytes());
            }
        }
    }
    text
}

#[track_caller]
fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(what) = rules_survive_printing(&text) {
        panic!("{text:?}\n{what}");
    }
    if let Err(what) = settings_survive_printing(bytes) {
        panic!("{text:?}\n{what}");
    }
}

#[test]
fn what_must_hold_for_any_settings_holds_for_what_the_fuzzer_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/kept/settings");
    let mut kept = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        kept += 1;
    }
    assert!(kept > 0);
}

#[test]
fn what_must_hold_for_any_settings_holds_for_mutants() {
    for seed in SEEDS {
        check(seed.as_bytes());
    }
    let count = std::env::var("POINTSMAN_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MUTANTS);
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for _ in 0..count {
        check(&mutant(&mut dice));
    }
}
