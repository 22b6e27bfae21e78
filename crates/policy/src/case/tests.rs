//! The corpora, and the form of a case.

use pointsman_model::PermissionDecision;
use pointsman_model::PermissionDecision::{Allow, Ask, Deny};

use super::*;
use crate::wild::Wild;

/// Where the corpora and the page of deviations lie.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn results(file: &str) -> Vec<CaseResult> {
    let text = std::fs::read_to_string(format!("{ROOT}/tests/corpus/{file}.jsonl")).unwrap();
    text.lines().map(|line| run_case(line).unwrap()).collect()
}

/// One entry of the page: lines, pointsman's answer, the lines' answer.
struct Deviation {
    lines: Vec<Wild>,
    answer: PermissionDecision,
    instead: PermissionDecision,
}

fn deviations() -> Vec<Deviation> {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/deviations.md")).unwrap();
    let decision = |word: &str| match word {
        "allow" => Allow,
        "ask" => Ask,
        "deny" => Deny,
        other => panic!("no decision: {other}"),
    };
    let entries = page.lines().filter_map(|line| line.strip_prefix("- `"));
    entries
        .map(|entry| {
            let (lines, says) = entry.rsplit_once("`: ").unwrap();
            assert!(!lines.contains('*'), "one by one: {lines}");
            let (answer, instead) = says.split_once(" for ").unwrap();
            Deviation {
                lines: lines.split("` `").map(Wild::starred).collect(),
                answer: decision(answer),
                instead: decision(instead),
            }
        })
        .collect()
}

/// Every case of a corpus agrees, or is argued on the page; at least so many percent agree.
#[track_caller]
fn check(file: &str, percent: usize) {
    let results = results(file);
    let argued = deviations();
    let mut unargued = Vec::new();
    let mut agree = 0;
    for it in &results {
        let expected = it.expected.unwrap();
        if it.ok {
            agree += 1;
            continue;
        }
        println!(
            "{} | {} for {expected} | {:?}",
            it.id, it.decision, it.reason
        );
        if !argued.iter().any(|entry| {
            entry.answer == it.decision
                && entry.instead == expected
                && entry
                    .lines
                    .iter()
                    .any(|line| line.matches(it.id.as_bytes()))
        }) {
            unargued.push(format!(
                "{}: {} for {expected}: {:?}",
                it.id, it.decision, it.reason
            ));
        }
    }
    println!("== {file}: {agree} of {} agree", results.len());
    assert!(unargued.is_empty(), "{file}:\n{}", unargued.join("\n"));
    assert!(
        agree * 100 >= results.len() * percent,
        "{file}: {agree} of {}",
        results.len()
    );
}

#[test]
fn documented_decisions_agree() {
    check("documented", 100);
}

#[test]
fn reported_decisions_agree() {
    check("reported", 97);
}

#[test]
fn probes_agree() {
    check("probes", 97);
}

#[test]
fn read_only_decisions_agree() {
    check("read_only", 97);
}

#[test]
fn observed_decisions_agree_or_are_argued() {
    check("observed", 86);
}

#[test]
fn no_case_is_allowed_that_is_not_to_be_but_the_one_argued() {
    for file in ["documented", "reported", "probes", "read_only"] {
        for it in results(file) {
            let unsafe_allow = it.decision == Allow && !it.ok;
            assert!(!unsafe_allow || it.id == "probe-597", "{}", it.id);
        }
    }
}

#[test]
fn a_case_without_an_expectation_is_only_judged() {
    let line =
        r#"{"id": "x", "cwd": "/w", "home": "/h", "tool": "Read", "input": {"file_path": "a"}}"#;
    let result = run_case(line).unwrap();
    assert_eq!(
        (result.decision, result.expected, result.ok),
        (Allow, None, true)
    );
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["decision"], "allow");
    assert_eq!(json["reason"]["kind"], "covered");
    assert!(
        json["trail"]
            .as_array()
            .is_some_and(|trail| !trail.is_empty())
    );
}

#[test]
fn a_line_that_is_no_case_says_what_does_not_fit() {
    #[track_caller]
    fn refuses(line: &str, expect: &str) {
        assert_eq!(run_case(line).unwrap_err().to_string(), expect);
    }
    refuses("{", "the line is no case");
    refuses(r#"{"id": "x"}"#, "the line is no case");
    let with = |mode: &str, cwd: &str, input: &str| {
        format!(
            r#"{{"id": "x", "mode": "{mode}", "cwd": "{cwd}", "home": "/h", "tool": "Read", "input": {input}}}"#
        )
    };
    refuses(&with("none", "/w", "{}"), "`mode` of the case does not fit");
    refuses(&with("plan", "w", "{}"), "`cwd` of the case does not fit");
    refuses(
        &with("plan", "/w", "[]"),
        "`input` of the case does not fit",
    );
}

#[test]
fn rules_modes_and_tools_meet_as_the_specification_says() {
    let mut wrong = Vec::new();
    let lines = include_str!("decisions.jsonl");
    for line in lines.lines() {
        let result = run_case(line).unwrap();
        if !result.ok {
            wrong.push(format!("{} for {line}", result.decision));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines.lines().count() > 400);
}

#[test]
fn law_22_a_host_that_may_look_like_another_is_allowed_by_no_wildcard() {
    #[track_caller]
    fn check(rule: &str, command: &str, expect: PermissionDecision) {
        let line = format!(
            r#"{{"id": "x", "settings": {{"permissions": {{"allow": ["{rule}"]}}}},
            "cwd": "/w/proj", "home": "/h", "tool": "Bash", "input": {{"command": "{command}"}}}}"#
        );
        let result = run_case(&line).unwrap();
        assert_eq!(result.decision, expect, "{command}: {:?}", result.reason);
    }
    let alike = "curl https://g\u{456}thub.com/x";
    let coded = "curl https://xn--gthub-n2e.com/x";
    check("Bash(curl *)", "curl https://github.com/x", Allow);
    for command in [alike, coded] {
        check("Bash(curl *)", command, Ask);
        check("Bash(curl https://*)", command, Ask);
        // What names it, or everything, is meant.
        check(&format!("Bash({command})"), command, Allow);
        check("Bash", command, Allow);
    }
}

#[test]
fn law_22_a_host_that_may_look_like_another_is_allowed_by_what_names_it() {
    #[track_caller]
    fn check(rules: [&str; 2], expect: PermissionDecision) {
        for rules in [rules, [rules[1], rules[0]]] {
            for host in ["g\u{456}thub.com", "xn--gthub-n2e.com"] {
                let line = serde_json::json!({
                    "id": "x", "cwd": "/w/proj", "home": "/h", "tool": "WebFetch",
                    "settings": {"permissions": {"allow": rules}},
                    "input": {"url": format!("https://{host}/x"), "prompt": "sum up"},
                });
                let result = run_case(&line.to_string()).unwrap();
                assert_eq!(result.decision, expect, "{rules:?}: {:?}", result.reason);
            }
        }
    }
    for wide in [
        "WebFetch(domain:*.com)",
        "WebFetch(domain:g*.com)",
        "WebFetch(domain:github.com)",
    ] {
        check([wide, "WebFetch(domain:*.github.com)"], Ask);
        for names in [
            "WebFetch(domain:xn--gthub-n2e.com)",
            "WebFetch(domain:g\u{456}thub.com)",
            "WebFetch(domain:xn--*.com)",
        ] {
            check([wide, names], Allow);
        }
        // Every host is meant.
        check([wide, "WebFetch"], Allow);
        check([wide, "WebFetch(domain:*)"], Allow);
    }
}

#[test]
fn a_case_may_be_of_an_agent_that_another_one_spawned() {
    #[track_caller]
    fn check(more: &str, command: &str, expect: PermissionDecision) {
        let line = format!(
            r#"{{"id": "x", "settings": {{"permissions": {{"allow": ["Bash(make *)"], "ask": ["Bash"]}}}},
            "cwd": "/w/proj", "home": "/h", "tool": "Bash", "input": {{"command": "{command}"}}, {more}}}"#
        );
        let result = run_case(&line).unwrap();
        assert_eq!(result.decision, expect, "{more}: {:?}", result.reason);
    }
    // The parent's mode, where the child has none; its plan and dontAsk always.
    check(r#""parent": {}"#, "make x", Ask);
    check(r#""parent": {"mode": "plan"}"#, "make x", Deny);
    check(
        r#""parent": {"mode": "plan"}, "mode": "bypassPermissions""#,
        "touch a",
        Deny,
    );
    check(
        r#""parent": {"mode": "dontAsk"}, "mode": "default""#,
        "make x",
        Deny,
    );
    check(
        r#""parent": {"parent": {"mode": "plan"}}, "mode": "default""#,
        "touch a",
        Deny,
    );
    // Rules that it was spawned with bind it, and loosen nothing.
    check(
        r#""parent": {}, "context": {"deny": ["Bash(make x)"]}"#,
        "make x",
        Deny,
    );
    check(r#""context": {"deny": ["Bash(make x)"]}"#, "make x", Deny);
    check(r#""context": {"ask": ["Bash(make x)"]}"#, "make x", Ask);
    // In the sandbox a bare ask is skipped, but in plan; with nobody there a question is a refusal.
    check(r#""context": {"sandbox": "auto_allow"}"#, "touch a", Allow);
    check(r#""context": {"sandbox": "on"}"#, "touch a", Ask);
    check(
        r#""context": {"sandbox": "auto_allow"}, "parent": {"mode": "plan"}"#,
        "ls",
        Ask,
    );
    check(r#""context": {"attended": false}"#, "make x", Deny);
    check(r#""context": {"attended": true}"#, "make x", Ask);
}

#[test]
fn more_trust_than_the_parents_comes_from_a_person_alone() {
    let decide = |more: &str| {
        let line = format!(
            r#"{{"id": "x", "cwd": "/w/proj", "home": "/h", "tool": "Write",
            "input": {{"file_path": "a", "content": ""}}, "mode": "acceptEdits", {more}}}"#
        );
        run_case(&line).unwrap().decision
    };
    assert_eq!(decide(r#""parent": {}"#), Ask);
    assert_eq!(
        decide(r#""parent": {}, "context": {"mode_by": "agent"}"#),
        Ask
    );
    assert_eq!(
        decide(r#""parent": {}, "context": {"mode_by": "person"}"#),
        Allow
    );
    let above = r#""parent": {"mode": "acceptEdits", "mode_by": "person", "parent": {}}"#;
    assert_eq!(decide(above), Allow);
    assert_eq!(decide(&above.replace("person", "agent")), Ask);
}

#[test]
fn a_spawned_agent_stays_in_the_directories_of_the_first() {
    let decide = |parent: &str, cwd: &str, file: &str| {
        let line = format!(
            r#"{{"id": "x", "cwd": "{cwd}", "home": "/h", "tool": "Read",
            "settings": {{"permissions": {{"deny": ["Read(/secret)"]}}}},
            "input": {{"file_path": "{file}"}}, "parent": {parent}}}"#
        );
        run_case(&line).map(|result| result.decision)
    };
    let parent = r#"{"cwd": "/w/proj"}"#;
    assert_eq!(decide(parent, "/w/proj/sub", "../a").unwrap(), Allow);
    assert_eq!(decide(parent, "/w/proj/sub", "../../a").unwrap(), Ask);
    assert_eq!(decide(parent, "/w/proj/sub", "../secret").unwrap(), Deny);
    let outside = decide(parent, "/w/other", "a").unwrap_err();
    assert_eq!(outside.to_string(), "`parent` of the case does not fit");
    let slip = decide(r#"{"mod": "plan"}"#, "/w/proj", "a").unwrap_err();
    assert_eq!(slip.to_string(), "the line is no case");
}

#[test]
fn one_wrong_entry_costs_no_more_than_itself() {
    let line = r#"{"id": "x", "settings": {"permissions": {"allow": [1, "Bash(", "WebFetch"]}},
        "cwd": "/w", "home": "/h", "tool": "WebFetch", "input": {"url": "https://a.test"}}"#;
    assert_eq!(run_case(line).unwrap().decision, Allow);
}

#[test]
fn settings_of_a_case_are_read_as_those_of_a_project() {
    #[track_caller]
    fn check(settings: &str, mode: &str, expect: PermissionDecision) {
        for home in ["/h", "/w"] {
            let line = format!(
                r#"{{"id": "x", "settings": {settings}, "mode": {mode},
                "cwd": "/w", "home": "{home}", "tool": "Bash", "input": {{"command": "make"}}}}"#
            );
            let result = run_case(&line).unwrap();
            assert_eq!(result.decision, expect, "{settings}: {:?}", result.reason);
            let is_told = expect != Ask || !result.problems.is_empty();
            assert!(is_told, "{settings}");
        }
    }
    // What was to deny and can't be read leaves everything asking.
    for deny in [
        r#""deny": "Bash""#,
        r#""deny": [5]"#,
        r#""denny": ["Bash(rm *)"]"#,
        r#""Deny": ["Bash(rm *)"]"#,
        r#""deny": ["Bash("]"#,
    ] {
        let settings = format!(r#"{{"permissions": {{"allow": ["Bash"], {deny}}}}}"#);
        check(&settings, "null", Ask);
    }
    let beside = r#"{"permissions": {"allow": ["Bash"]}, "deny": ["Bash(rm *)"]}"#;
    check(beside, "null", Ask);
    let misspelt =
        r#"{"permissions": {"allow": ["Bash"]}, "permission": {"deny": ["Bash(rm *)"]}}"#;
    check(misspelt, "null", Ask);
    check(r#"{"permissions": null}"#, "null", Ask);
    check("null", r#""bypassPermissions""#, Allow);
    check(r#"{"permissions": {"allow": ["Bash"]}}"#, "null", Allow);
    // A mode that is switched off is mode default, and a start mode counts where the case says none.
    let off =
        r#"{"permissions": {"disableBypassPermissionsMode": "disable", "allow": ["Bash(make)"]}}"#;
    check(off, r#""bypassPermissions""#, Allow);
    let plan = r#"{"permissions": {"defaultMode": "plan", "allow": ["Bash"]}}"#;
    check(plan, "null", Deny);
    check(plan, r#""default""#, Allow);
}
