//! Rehearsals with real programs.

use pointsman_model::{Attended, RuleText};
use pointsman_policy::settings::HookMatcher;

use super::*;
use crate::fixture::{Ground, answers, guard, hook, users};

async fn rehearsed(event: HookEvent, hooks: Vec<HookSetting>) -> Rehearsal {
    let ground = Ground::new().await;
    let hooks = ground.hooks(hooks, Attended::Yes);
    let request = ground.request("npm test");
    let rehearsal = hooks
        .rehearse(event, &request, &CancellationToken::new())
        .await;
    assert_eq!(ground.grants.list(), [], "a rehearsal changes nothing");
    rehearsal
}

#[tokio::test]
async fn each_hook_is_told_with_what_it_means() {
    let pre = |line, command: &str| hook(HookEvent::PreToolUse, line, command);
    let passed_over = HookSetting {
        matcher: HookMatcher::parse("Edit|Write").unwrap(),
        ..pre(3, "exit 2")
    };
    let elsewhere = HookSetting {
        condition: Some(RuleText::new("Bash(git *)")),
        ..pre(4, "exit 2")
    };
    let detached = HookSetting {
        life: HookLife::Detached,
        ..pre(5, "echo noted >&2; exit 2")
    };
    let rehearsal = rehearsed(
        HookEvent::PreToolUse,
        vec![
            pre(1, "exit 0"),
            guard(pre(2, "exit 1")),
            passed_over,
            elsewhere,
            detached,
        ],
    )
    .await;
    let told: Vec<_> = rehearsal
        .hooks
        .iter()
        .map(|hook| (&*hook.hook, hook.came, hook.meaning[0].as_str()))
        .collect();
    let not_asked = "it is not asked here: its matcher or condition passes this over, or another hook is the same";
    assert_eq!(
        told,
        [
            (
                "settings.json:1:1",
                Some(HookCame::Nothing),
                "it has no opinion"
            ),
            (
                "settings.json:2:1",
                Some(HookCame::Failed),
                "it failed, and as a guard: the call must be asked"
            ),
            ("settings.json:3:1", None, not_asked),
            ("settings.json:4:1", None, not_asked),
            (
                "settings.json:5:1",
                Some(HookCame::Deny),
                "nobody waits for it (`async`), so it has no vote: what it says counts for nothing"
            ),
        ]
    );
    // Its no is shown, and is none.
    assert_eq!(&*rehearsal.hooks[4].said, "noted");
    assert_eq!(
        rehearsal.together,
        "the call must be asked, for `settings.json:2:1`"
    );
    assert!(
        rehearsal
            .told
            .contains(r#""tool_input":{"command":"npm test"}"#)
    );
}

#[tokio::test]
async fn what_an_answer_would_change_is_told_and_not_done() {
    let more = r#","updatedInput":{"command":"npm t"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm *"}],"behavior":"allow","destination":"userSettings"},{"type":"setMode","mode":"plan"}]"#;
    let yes = hook(HookEvent::PermissionRequest, 1, &answers("allow", more));
    let rehearsal = rehearsed(HookEvent::PermissionRequest, vec![users(yes)]).await;
    assert_eq!(
        rehearsal.hooks[0].meaning,
        [
            "it answers the question with yes",
            r#"it makes the input {"command":"npm t"}"#,
            "it adds allow Bash(npm *), kept in `userSettings`",
        ]
    );
    assert_eq!(
        &*rehearsal.hooks[0].said,
        "[mode plan is not set, since a running agent keeps its mode]"
    );
}

#[tokio::test]
async fn every_event_can_be_rehearsed() {
    for event in HookEvent::ALL {
        let echo = hook(event, 1, r#"cat >&2; exit 3"#);
        let rehearsal = rehearsed(event, vec![echo]).await;
        assert_eq!(rehearsal.hooks[0].came, Some(HookCame::Failed), "{event:?}");
        let told: serde_json::Value = serde_json::from_str(&rehearsal.told).unwrap();
        assert_eq!(told["hook_event_name"], event.as_str());
        let said = &rehearsal.hooks[0].said;
        assert!(said.contains(&rehearsal.told), "{event:?}: {said}");
    }
}

/// A run shows hooks the paths of files absolute, so a rehearsal does.
#[tokio::test]
async fn hooks_read_what_a_run_would_show_them() {
    let ground = Ground::new().await;
    let text = JsonText::parse(r#"{"file_path":"./a/../b.txt"}"#).unwrap();
    let input =
        pointsman_model::ToolInput::Other(pointsman_model::OtherInput { raw: text.clone() });
    let tool = pointsman_model::ToolName::parse("Read").unwrap();
    let place = ground.hook_place(Attended::Yes);
    let mode = pointsman_model::PermissionMode::Default;
    let request = sample_request(tool, input, text, mode, &place).unwrap();
    for event in [
        HookEvent::PreToolUse,
        HookEvent::PermissionRequest,
        HookEvent::PostToolUse,
    ] {
        let hooks = ground.hooks(vec![hook(event, 1, "cat >&2; exit 3")], Attended::Yes);
        let stop = CancellationToken::new();
        let rehearsal = hooks.rehearse(event, &request, &stop).await;
        let told: serde_json::Value = serde_json::from_str(&rehearsal.told).unwrap();
        let absolute = ground.root().join("b.txt");
        assert_eq!(told["tool_input"]["file_path"], absolute.as_str());
        assert!(rehearsal.hooks[0].said.contains(&rehearsal.told));
    }
}
