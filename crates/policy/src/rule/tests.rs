use pointsman_model::RuleBehavior::{Allow, Deny};
use proptest::prelude::*;

use super::*;

#[track_caller]
fn reads(text: &str) -> ParsedRule {
    let rule = parse_rule(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rule.to_string(), text.trim());
    rule
}

#[track_caller]
fn refuses(text: &str, column: u32, what: &str) {
    let error = parse_rule(text).expect_err(text);
    assert_eq!(
        (error.column(), error.to_string().contains(what)),
        (column, true),
        "{error}"
    );
}

#[test]
fn every_form_is_read_and_printed_back() {
    for text in [
        "Bash",
        "Bash(npm run test:*)",
        "Bash(git commit -m \"a (b)\")",
        "Bash(echo 'it)s')",
        " Read(./a b/**) ",
        "Read(//etc/hosts)",
        "Edit(~/notes/*.md)",
        "WebFetch(domain:*.example.com)",
        "mcp__github",
        "mcp__github__*",
        "mcp__github__get_*",
        "*",
        "Agent(model:opus)",
        "Task(plugin:reviewer)",
        "Skill(deploy *)",
        "toString",
    ] {
        reads(text);
    }
}

#[test]
fn what_is_no_rule_is_refused_where_it_goes_wrong() {
    refuses("", 1, "empty");
    refuses("Bash(npm", 9, "not closed");
    refuses("Bash(npm) x", 12, "not closed");
    refuses("Bash()", 6, "empty");
    refuses("Bash( )", 6, "empty");
    refuses("Bash(:*)", 6, "in front of");
    refuses("(x)", 1, "no tool");
    refuses("Ba sh(x)", 3, "a tool's name");
    refuses("Bash(a\u{200b}b)", 7, "can't be seen");
}

#[test]
fn a_rule_knows_what_it_is_about() {
    assert!(reads("Bash(*)").is_whole_tool());
    assert!(reads("WebFetch(domain:*)").is_whole_tool());
    assert!(!reads("Bash(ls *)").is_whole_tool());
    assert!(matches!(
        reads("Agent(model:opus)").specifier,
        Specifier::Param { .. }
    ));
    assert!(matches!(reads("Agent(a:b)").specifier, Specifier::Name(_)));
    assert!(matches!(
        reads("Bash(run_in_background:true)").specifier,
        Specifier::Param { .. }
    ));
    assert!(matches!(
        reads("Bash(timeout:*)").specifier,
        Specifier::Command(_)
    ));
    assert!(matches!(reads("Read(*)").specifier, Specifier::Inside));
}

#[test]
fn a_rule_that_does_not_do_what_one_thinks_says_so() {
    let fault = |text: &str, behavior| {
        reads(text)
            .fault(behavior)
            .map(|it| it.hint.unwrap_or_default())
    };
    for text in [
        "*",
        "B*",
        "mcp__*",
        "mcp__git*__x",
        "Agent(model:opus)",
        "Edit(../x)",
    ] {
        assert!(fault(text, Allow).is_some(), "{text}");
        assert_eq!(fault(text, Deny), None, "{text}");
    }
    assert_eq!(
        fault("Write(docs/**)", Deny),
        Some("write `Edit(docs/**)`".into())
    );
    assert_eq!(
        fault("Grep(docs/**)", Allow),
        Some("write `Read(docs/**)`".into())
    );
    assert_eq!(
        fault("WebFetch(https://x.test/*)", Allow),
        Some("write `WebFetch(domain:x.test)`".into())
    );
    assert_eq!(fault("Read(!x)", Deny), Some(String::new()));
    for text in [
        "mcp__s__get_*",
        "mcp__s",
        "Bash(git *)",
        "Read(//**)",
        "Skill(x)",
    ] {
        assert_eq!(fault(text, Allow), None, "{text}");
    }
}

#[test]
fn hosts_match_whole_names() {
    #[track_caller]
    fn check(pattern: &str, hits: &[&str], misses: &[&str]) {
        let pattern = HostPattern::read(pattern).unwrap();
        for (list, expect) in [(hits, true), (misses, false)] {
            for host in list {
                let host = pointsman_model::HostName::new(host);
                assert_eq!(pattern.matches(&host), expect, "{pattern:?} {host:?}");
            }
        }
    }
    check(
        "Example.com.",
        &["example.com"],
        &["a.example.com", "badexample.com"],
    );
    check(
        "*.example.com",
        &["a.example.com", "a.b.example.com", "a.b.c.d.example.com"],
        &["example.com", "xexample.com", "a.b.c.d.example.org"],
    );
    check("*.dev", &["a.dev", "a.b.c.dev"], &["dev", "a.b.c.com"]);
    check(
        "example.*",
        &["example.org"],
        &["example.evil.com", "a.example.org"],
    );
    check(
        "*.example.*",
        &["a.example.org", "a.b.example.org"],
        &["example.org"],
    );
    check("*", &["x"], &[]);
}

proptest! {
    #[test]
    fn printing_and_parsing_agree(text in "(Bash|Read|Edit|WebFetch|Agent|mcp__a__b|X\\*)(\\([a-z */~.:'\"\\\\()\\[\\]]{0,12}\\))?") {
        if let Ok(rule) = parse_rule(&text) {
            prop_assert_eq!(rule.to_string(), text.clone());
            prop_assert_eq!(parse_rule(&rule.to_string()).unwrap(), rule);
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_looked_at(text in "\\PC{0,40}") {
        let _ = parse_rule(&text);
    }
}
