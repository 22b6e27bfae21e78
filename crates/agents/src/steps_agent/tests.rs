//! Scripts, taken through a real door: real folder, bash and ledger, and a person who says no.

use super::*;
use crate::fixture::Bench;

impl Bench {
    async fn work(&self, script: &str) -> AgentEnd {
        let steps: Steps = toml::from_str(script).unwrap();
        StepsAgent::new(steps)
            .work(&self.dispatch, &self.stop)
            .await
    }
}

/// Whether the script ends as expected, and says so with these words.
async fn check(script: &str, end: &str, words: &[&str]) {
    let bench = Bench::new().await;
    let (kind, text) = match bench.work(script).await {
        AgentEnd::Done { summary } => ("done", summary),
        AgentEnd::Failed { reason } => ("failed", reason),
        AgentEnd::Stopped => ("stopped", String::new()),
        AgentEnd::Halted { reason } => ("halted", reason),
    };
    assert_eq!(kind, end, "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

#[tokio::test]
async fn a_refusal_is_no_failure_and_is_told() {
    let script = r#"
        steps = [
            { tool = "Bash", input = { command = "rm x" } },
            { tool = "Bash", input = { command = "touch x" } },
            { tool = "Bash", input = { command = "echo on" } },
        ]"#;
    let words = [
        "1 call done, 0 failed, 2 refused",
        "refused: step 1, Bash: refused: `rm x` matches deny Bash(rm *)",
        "refused: step 2, Bash: refused by a person at the terminal: not today",
    ];
    check(script, "done", &words).await;
}

#[tokio::test]
async fn a_failed_call_fails_the_agent_unless_it_is_expected() {
    let failing = r#"steps = [{ name = "try", tool = "Bash", input = { command = "false" } }]"#;
    check(
        failing,
        "failed",
        &["step 1 (try), Bash: error: (exit code 1)"],
    )
    .await;
    for expect in ["exit_code = 1", r#"outcome = "error""#] {
        let script = format!(
            r#"steps = [{{ tool = "Bash", input = {{ command = "false" }}, expect = {{ {expect} }} }}]"#
        );
        check(&script, "done", &["0 calls done, 1 failed"]).await;
    }
    check(
        failing,
        "failed",
        &["ended at step 1 (try), Bash: error: (exit code 1)\n0 calls done, 1 failed"],
    )
    .await;
    let unfit = r#"steps = [{ tool = "Bash", input = { comand = "false" } }]"#;
    check(unfit, "failed", &["did you mean `command`?"]).await;
}

#[tokio::test]
async fn each_expectation_bites() {
    let expectations = [
        ("outcome = \"refused\"", "expected refused, got success"),
        ("exit_code = 2", "expected exit code 2, got 0"),
        ("text_contains = \"off\"", "contains `off`, got on"),
        ("text_matches = \"^o$\"", "matches `^o$`, got on"),
    ];
    for (expect, words) in expectations {
        let script = format!(
            r#"steps = [{{ tool = "Bash", input = {{ command = "echo on" }}, expect = {{ {expect} }} }}]"#
        );
        check(&script, "failed", &[words]).await;
    }
    let met = r#"steps = [{ tool = "Bash", input = { command = "echo on" },
        expect = { outcome = "success", exit_code = 0, text_contains = "o", text_matches = "^on$" } }]"#;
    check(met, "done", &["1 call done"]).await;
}

#[tokio::test]
async fn an_expected_refusal_has_to_be_of_its_kind() {
    let refusals = [
        ("rm x", "refused", "done"),
        ("rm x", "refused_by_rule", "done"),
        ("rm x", "denied_by_person", "failed"),
        ("touch x", "denied_by_person", "done"),
        ("touch x", "refused_by_rule", "failed"),
        ("touch x", "success", "failed"),
        ("echo x", "refused", "failed"),
    ];
    for (command, outcome, end) in refusals {
        let script = format!(
            r#"steps = [{{ tool = "Bash", input = {{ command = "{command}" }}, expect = {{ outcome = "{outcome}" }} }}]"#
        );
        check(&script, end, &[]).await;
    }
}

#[tokio::test]
async fn reactions_to_a_refusal() {
    let with = |reaction: &str| {
        format!(
            r#"steps = [
                {{ tool = "Bash", input = {{ command = "rm x" }}, on_refusal = {reaction} }},
                {{ tool = "Bash", input = {{ command = "echo after" }} }},
            ]"#
        )
    };
    check(&with("\"continue\""), "done", &["1 call done"]).await;
    check(
        &with("\"fail\""),
        "failed",
        &["0 calls done", "ended at step 1"],
    )
    .await;
    check(
        &with("\"stop\""),
        "done",
        &["0 calls done", "ended at step 1"],
    )
    .await;
    let instead = r#"[{ tool = "Bash", input = { command = "echo instead" }, expect = { text_contains = "instead" } }]"#;
    check(&with(instead), "done", &["2 calls done"]).await;
    let instead = r#"[{ tool = "Bash", input = { command = "false" } }]"#;
    check(&with(instead), "failed", &["step 1.1, Bash"]).await;
}

#[tokio::test]
async fn calls_at_once_are_each_held_to_their_own() {
    let script = r#"
        [[steps]]
        parallel = [
            { tool = "Glob", input = { pattern = "*.none" }, expect = { text_contains = "no file" } },
            { tool = "Bash", input = { command = "echo a > f" }, on_refusal = "continue" },
            { name = "last", tool = "Bash", input = { command = "echo b" }, expect = { text_contains = "c" } },
        ]"#;
    check(
        script,
        "failed",
        &["step 1 (last), Bash: expected a text that contains `c`"],
    )
    .await;
}

#[tokio::test]
async fn a_loop_of_refusals_is_halted() {
    let step = r#"{ tool = "Bash", input = { command = "rm x" } },"#;
    let script = format!("steps = [{}]", step.repeat(8));
    check(&script, "halted", &["refused 5 times"]).await;
}

#[tokio::test]
async fn a_stopped_agent_says_so() {
    let bench = Bench::new().await;
    bench.stop.cancel();
    let end = bench
        .work(r#"steps = [{ tool = "Bash", input = { command = "echo x > f" } }]"#)
        .await;
    assert_eq!(end, AgentEnd::Stopped);
    assert!(!bench.keep.path().join("f").exists());
}
