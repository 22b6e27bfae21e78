//! Files far larger than any that people write are read to their end. Work that grew faster than the file would not
//! come there.

use super::*;

/// More than anyone has; a file of a few kilobytes is a large one.
const BYTES: usize = 6 * 1024 * 1024;

fn loaded(text: &str) -> Loaded {
    let root = AbsPath::root();
    let home = root.join("h");
    let files = MemoryFiles::new().with(home.join(".claude/settings.json"), text);
    load(&SettingsPlaces::of_project(root.join("p"), home), &files)
}

/// As many entries as make a large file, each one's text made of its number.
fn entries(entry: impl Fn(usize) -> String) -> (String, usize) {
    let mut text = String::with_capacity(BYTES + 100);
    let mut count = 0;
    while text.len() < BYTES {
        if count > 0 {
            text.push_str(",\n");
        }
        text.push_str(&entry(count));
        count += 1;
    }
    (text, count)
}

#[test]
fn law_7_a_large_file_of_rules_is_read_to_its_end() {
    let (rules, count) = entries(|n| format!("\"Bash(program{n} with some more words *)\""));
    let loaded = loaded(&format!("{{\"permissions\": {{\"deny\": [{rules}]}}}}"));
    assert_eq!(
        (loaded.rules.len(), loaded.standing),
        (count, Standing::Clean)
    );
    let last = loaded
        .rules
        .last()
        .and_then(|rule| rule.place.clone())
        .unwrap();
    assert_eq!(last.line as usize, count);
}

#[test]
fn law_7_a_large_file_of_one_key_again_and_again_is_told_each_time() {
    let (keys, count) = entries(|n| format!("\"model\": \"{n:0>100}\""));
    let loaded = loaded(&format!("{{{keys}}}"));
    assert_eq!(loaded.problems.len(), count - 1);
}

#[test]
fn law_7_a_large_file_of_unknown_keys_is_no_settings_file() {
    let (keys, count) = entries(|n| format!("\"key{n}\": 0"));
    let loaded = loaded(&format!("{{{keys}}}"));
    assert!(count > 300_000);
    assert_eq!(loaded.standing, Standing::AskEverything);
    let last = loaded.problems.last().unwrap();
    assert_eq!(loaded.problems.len(), 1_001);
    assert!(
        last.message.starts_with("more than 1000 keys"),
        "{}",
        last.message
    );
}
