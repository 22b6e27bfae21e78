//! Hooks that fail, and guards whose failure is a question (law 15).

use super::*;

#[tokio::test]
async fn law_15_no_failure_is_a_yes_and_a_guards_asks() {
    let ground = Ground::new().await;
    let allow = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let faults = [
        ("crash", "kill -SEGV $$".to_owned()),
        ("exit 1 after allow", format!("{allow}; exit 1")),
        ("exit 3", "exit 3".into()),
        (
            "not executable",
            ground.path("none.sh").display().to_string(),
        ),
        ("killed after allow", format!("{allow}; kill -9 $$")),
        ("invalid JSON", "echo '{broken'".into()),
        (
            "half JSON",
            r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToo'"#.into(),
        ),
        ("wrong event", allow.replace("PreToolUse", "PostToolUse")),
        (
            "endless output",
            format!("printf '{{'; head -c 6000000 /dev/zero | tr '\\0' ' '; {allow}"),
        ),
    ];
    for (fault, line) in &faults {
        let turn = ask(&ground, vec![hook(PRE, 1, line)], "ls").await;
        assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None), "{fault}");
        assert_eq!(came(&turn.reports), [HookCame::Failed], "{fault}");
        assert!(!turn.reports[0].text.is_empty(), "{fault} is not told");

        let turn = ask(
            &ground,
            vec![guard(hook(PRE, 1, line)), hook(PRE, 2, allow)],
            "ls",
        )
        .await;
        assert!(
            matches!(&turn.vote, PreToolUseVote::Ladder(HookVote::Ask { hook, .. })
                if **hook == *"settings.json:1:1"),
            "{fault}: {:?}",
            turn.vote
        );
    }
}

/// A guard that meant to say no: each of these let the call pass.
#[tokio::test]
async fn law_15_a_guard_whose_output_is_no_answer_asks() {
    let deny =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    for (line, of_a_guard, told) in [
        (
            format!("printf '\\357\\273\\277%s' '{deny}'"),
            "ask",
            "no answer",
        ),
        (format!("printf '\\000%s' '{deny}'"), "ask", "no answer"),
        (format!("printf '\\377%s' '{deny}'"), "ask", "no answer"),
        (format!("echo checking; echo '{deny}'"), "ask", "no answer"),
        (format!("echo '[{deny}]'"), "ask", "no answer"),
        (
            "echo '{\"permissionDecision\":\"deny\"}'".to_owned(),
            "ask",
            "decides nothing",
        ),
        ("echo denied".to_owned(), "ask", "it wrote text"),
        ("echo '{}'".to_owned(), "none", ""),
        ("true".to_owned(), "none", ""),
        ("echo; echo".to_owned(), "none", ""),
        ("echo noted >&2".to_owned(), "none", ""),
    ] {
        let ground = Ground::new().await;
        for (setting, expect) in [
            (hook(PRE, 1, &line), "none"),
            (guard(hook(PRE, 1, &line)), of_a_guard),
        ] {
            let hooks = ground.hooks(vec![setting], Attended::Yes);
            let lineage = Lineage::root(ground.worker(1));
            let scene = HookScene {
                lineage: &lineage,
                folder: &ground.root(),
                mode: PermissionMode::Default,
                effects: &Effects::default(),
                stop: &CancellationToken::new(),
            };
            let turn = hooks
                .pre_tool_use(&call(&ground, "Bash", "{}"), &scene)
                .await;
            let came = match &turn.vote {
                PreToolUseVote::Ladder(HookVote::None) => "none",
                PreToolUseVote::Ladder(HookVote::Ask { .. }) => "ask",
                other => panic!("{line}: {other:?}"),
            };
            assert_eq!(came, expect, "{line}: {:?}", turn.reports);
            // What a plain hook's output came to is shown as well.
            assert!(
                turn.reports[0].text.contains(told),
                "{line}: {:?}",
                turn.reports
            );
        }
    }
}
