//! Lines of the kinds that hide something, and of those that only look like it, with the answers that are
//! right for them.
//!
//! A file holds sections: `@` and the rules, the mode, the files and the answers in JSON, then lines, one
//! command each, with `\\n` for a line feed and `\\\\` for a backslash. A line behind `# ` says what they are about.

use serde_json::{Value, json};

use super::run_case;

const KINDS: [(&str, &str); 7] = [
    ("started", include_str!("kinds/started.txt")),
    ("removals", include_str!("kinds/removals.txt")),
    ("protected", include_str!("kinds/protected.txt")),
    ("reads", include_str!("kinds/reads.txt")),
    ("carried", include_str!("kinds/carried.txt")),
    ("changes", include_str!("kinds/changes.txt")),
    ("readers", include_str!("kinds/readers.txt")),
];

fn command(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            other => text.push(other),
        }
    }
    text
}

/// The lines of a file, each as a case.
fn cases(kind: &str, text: &'static str) -> Vec<(&'static str, Value)> {
    let mut section = Value::Null;
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(head) = line.strip_prefix("@ ") {
            section = serde_json::from_str(head).unwrap();
            continue;
        }
        if line.starts_with("# ") {
            continue;
        }
        let mut case = json!({
            "id": kind, "cwd": "/w/proj", "home": "/home/dev", "tool": "Bash", "why": "", "source": "",
            "mode": section["mode"], "expected": section["expected"], "also_ok": section["also_ok"],
            "settings": {"permissions": {"allow": section["allow"], "deny": section["deny"]}},
            "input": {"command": command(line)},
        });
        if !section["fs"].is_null() {
            case["fs"] = section["fs"].clone();
        }
        cases.push((line, case));
    }
    cases
}

#[test]
fn lines_of_every_kind_get_the_answer_that_is_right() {
    let mut wrong = Vec::new();
    let mut judged = 0;
    for (kind, text) in KINDS {
        for (line, case) in cases(kind, text) {
            let result = run_case(&case.to_string()).unwrap();
            judged += 1;
            if !result.ok {
                wrong.push(format!("{kind}: {} for {line}", result.decision));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(judged > 2_000, "only {judged} lines");
}

/// Of a hundred everyday lines that the rules allow, so many may be asked for all the same.
const ASKED_PERCENT_MAX: usize = 2;

#[test]
fn everyday_lines_are_seldom_asked_for() {
    let lines = cases("everyday", include_str!("kinds/everyday.txt"));
    let asked: Vec<String> = lines
        .iter()
        .filter_map(|(line, case)| {
            let result = run_case(&case.to_string()).unwrap();
            (!result.ok).then(|| format!("{} for {line}", result.decision))
        })
        .collect();
    assert!(lines.len() >= 300, "only {} lines", lines.len());
    assert!(
        asked.len() * 100 <= lines.len() * ASKED_PERCENT_MAX,
        "{} of {}\n{}",
        asked.len(),
        lines.len(),
        asked.join("\n")
    );
}
