//! Law 7 under damage: whatever happens to a file, a deny is in force, or everything is asked for.

use pointsman_model::{RuleBehavior, RuleText};
use proptest::prelude::*;

use super::loaded;
use crate::settings::{Loaded, Standing, add_rules};

const FILE: &str = r#"{
  // What nobody may do here.
  "model": "x",
  "permissions": {
    "allow": ["Bash(npm test)", "Read(a \"b\")"], /* few */
    "deny": [
      "Bash(rm *)",
    ],
  },
  "hooks": {},
}
"#;

const DENY: &str = "Bash(rm *)";

fn is_closed(loaded: &Loaded) -> bool {
    let denies = loaded.rules.iter().any(|rule| rule.text.as_str() == DENY);
    denies || loaded.standing == Standing::AskEverything
}

#[test]
fn law_7_a_file_cut_anywhere_loses_no_deny() {
    for cut in 0..FILE.len() {
        let text = FILE.get(..cut).unwrap();
        assert!(
            is_closed(&loaded(&[("user", text)])),
            "cut at {cut}:\n{text}"
        );
    }
}

#[test]
fn law_7_a_file_with_a_wrong_byte_loses_no_deny() {
    let rule = FILE.find(DENY).unwrap();
    for at in (0..rule).chain(rule + DENY.len()..FILE.len()) {
        for byte in [
            "x", "\"", ",", "{", "}", "[", "]", "/", "\\", ":", "1", " ", "\n", "",
        ] {
            let text = [&FILE[..at], byte, &FILE[at + 1..]].concat();
            assert!(
                is_closed(&loaded(&[("user", &text)])),
                "{byte:?} at {at}:\n{text}"
            );
        }
    }
}

fn rule_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "Bash\\([a-z \"\\\\*]{1,12}\\)",
        "Edit\\([a-zä/*.]{1,12}\\)",
        "WebFetch\\(domain:[a-z.]{1,12}\\)",
        "[A-Z][a-z]{1,8}",
    ]
}

proptest! {
    #[test]
    fn no_text_stops_the_loading(text in "[\\[\\]{}\":,/* a-z0-9\\\\\n]{0,80}") {
        let told = loaded(&[("user", &text)]);
        for problem in &told.problems {
            prop_assert!(told.draw(problem).ends_with('\n'));
        }
    }

    #[test]
    fn added_rules_are_loaded_and_all_else_stays(
        rules in proptest::collection::vec(rule_text(), 1..5),
        crlf in any::<bool>(),
    ) {
        let rules: Vec<RuleText> = rules.iter().map(|rule| RuleText::new(rule)).collect();
        let text = if crlf { FILE.replace('\n', "\r\n") } else { FILE.to_owned() };
        let Ok(new) = add_rules(&text, RuleBehavior::Allow, &rules) else {
            return Ok(());
        };
        let (before, after) = (loaded(&[("user", &text)]), loaded(&[("user", &new)]));
        let texts = |loaded: &Loaded| -> Vec<RuleText> {
            loaded.rules.iter().map(|rule| rule.text.clone()).collect()
        };
        let (before, after) = (texts(&before), texts(&after));
        prop_assert!(rules.iter().all(|rule| after.contains(rule)), "{new}");
        prop_assert!(before.iter().all(|rule| after.contains(rule)), "{new}");
        prop_assert!(after.iter().all(|rule| before.contains(rule) || rules.contains(rule)), "{new}");
        // Taking the new lines out again gives the text that was there.
        let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
        let kept: Vec<String> = lines(&text);
        let mut left = lines(&new).into_iter();
        for line in kept.iter().filter(|line| !line.contains("\"allow\"")) {
            prop_assert!(left.any(|new| new == *line), "{line} is gone from\n{new}");
        }
    }
}
