//! Hooks as real programs.

mod answering;
mod guards;
mod happening;
mod unawaited;

use pointsman_ledger::{HookCame, HookReport, RecordBody};
use pointsman_model::{
    Answerer, CallId, GrantScope, Insistence, JsonText, Millis, RuleProposal, RuleText, ToolName,
    Verdict, VerdictKind, WorkerId,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookLife, HookMatcher, HookRun};
use serde_json::Value;

use super::*;
use crate::fixture::{Ground, answers, guard, hook, users};

/// How long a test waits before it has failed anyway.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

const PRE: HookEvent = HookEvent::PreToolUse;
const ASKED: HookEvent = HookEvent::PermissionRequest;

fn call(ground: &Ground, tool: &str, input: &str) -> HookedCall {
    HookedCall {
        id: CallId::new(ground.run, 7),
        tool: ToolName::parse(tool).unwrap(),
        input: JsonText::parse(input).unwrap(),
    }
}

/// Asks about a Bash call of the first worker.
async fn ask(ground: &Ground, hooks: Vec<HookSetting>, command: &str) -> PreToolUse {
    let input = format!(r#"{{"command":"{command}"}}"#);
    ask_about(ground, hooks, &call(ground, "Bash", &input)).await
}

async fn ask_about(ground: &Ground, hooks: Vec<HookSetting>, call: &HookedCall) -> PreToolUse {
    let lineage = Lineage::root(ground.worker(1));
    let hooks = ground.hooks(hooks, Attended::Yes);
    let never = CancellationToken::new();
    let scene = HookScene {
        lineage: &lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop: &never,
    };
    hooks.pre_tool_use(call, &scene).await
}

fn came(turn: &[HookReport]) -> Vec<HookCame> {
    turn.iter().map(|report| report.came).collect()
}

#[tokio::test]
async fn without_hooks_there_is_no_vote() {
    let ground = Ground::new().await;
    let turn = ask(&ground, vec![], "ls").await;
    assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None));
    assert_eq!((turn.rewritten, turn.reports.len()), (None, 0));
}

#[tokio::test]
async fn a_script_in_the_usual_shape_blocks_by_code_two() {
    let ground = Ground::new().await;
    let script = ground.script(
        "block-push.sh",
        "case \"$(cat)\" in *'git push'*) echo 'no pushing here' >&2; exit 2;; esac",
    );
    let hooks = || vec![hook(PRE, 3, &script)];
    let turn = ask(&ground, hooks(), "git push").await;
    let denied = PreToolUseVote::Deny {
        hook: "settings.json:3:1".into(),
        text: "no pushing here".into(),
    };
    assert_eq!(turn.vote, denied);
    assert_eq!(came(&turn.reports), [HookCame::Deny]);
    let turn = ask(&ground, hooks(), "git log").await;
    assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None));
}

#[tokio::test]
async fn the_payload_has_what_existing_hooks_read_and_who_asks() {
    let ground = Ground::new().await;
    let seen = ground.path("seen.json");
    let line = format!("cat > {}", seen.display());
    let lineage = Lineage::root(ground.worker(1)).child(ground.worker(2));
    let hooks = ground.hooks(vec![hook(PRE, 1, &line)], Attended::No);
    let never = CancellationToken::new();
    let scene = HookScene {
        lineage: &lineage,
        folder: &ground.root(),
        mode: PermissionMode::AcceptEdits,
        effects: &Effects::default(),
        stop: &never,
    };
    let call = call(&ground, "mcp__git__log", r#"{"n":1.50}"#);
    let _ = hooks.pre_tool_use(&call, &scene).await;
    let text = std::fs::read_to_string(seen).unwrap();
    assert_eq!(text.lines().count(), 1, "one line, for those who read one");
    assert!(
        text.contains(r#""tool_input":{"n":1.50}"#),
        "the input byte for byte: {text}"
    );
    let payload: Value = serde_json::from_str(&text).unwrap();
    let expect = serde_json::json!({
        "session_id": "run-1", "transcript_path": "", "cwd": ground.root().as_str(),
        "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
        "tool_name": "mcp__git__log", "tool_input": {"n": 1.5}, "tool_use_id": "c1-7",
        "mcp_server": {"name": "git"}, "agent_id": "w1-2", "agent_type": "steps",
        "pointsman": {
            "run": "run-1", "worker": "w1-2", "agent_type": "steps", "call": "c1-7",
            "attended": false,
            "lineage": [
                {"worker": "w1-1", "label": "agent-1", "agent": "steps"},
                {"worker": "w1-2", "label": "agent-2", "agent": "steps"},
            ],
        },
    });
    assert_eq!(payload, expect);
}

#[tokio::test]
async fn a_permission_request_names_no_call_but_what_always_would_save() {
    let ground = Ground::new().await;
    let seen = ground.path("seen.json");
    let line = format!("cat > {}", seen.display());
    let hooks = ground.hooks(vec![hook(ASKED, 1, &line)], Attended::Yes);
    let mut request = ground.request("npm test");
    request.proposals = vec![RuleProposal {
        rules: vec![RuleText::new("Bash(npm test *)"), RuleText::new("Read")],
    }];
    let turn = hooks
        .permission_request(&request, &CancellationToken::new())
        .await;
    assert_eq!(turn.answer, PermissionAnswer::None);
    let payload: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(payload.get("tool_use_id"), None);
    assert_eq!(payload["pointsman"]["request"], "r1-1");
    let suggestions = serde_json::json!([{
        "type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}, {"toolName": "Read"}],
    }]);
    assert_eq!(payload["permission_suggestions"], suggestions);
}

#[tokio::test]
async fn a_hook_runs_in_the_agents_folder_with_the_projects_variables_and_no_secrets() {
    let ground = Ground::new().await;
    let line = r#"printf '%s|%s|%s|%s' "$PWD" "$CLAUDE_PROJECT_DIR" "$CLAUDE_CODE_SESSION_ATTENDED" "$POINTSMAN_WORKER" >&2; exit 2"#;
    let turn = ask(&ground, vec![hook(PRE, 1, line)], "ls").await;
    let root = ground.root();
    let PreToolUseVote::Deny { text, .. } = turn.vote else {
        panic!("{:?}", turn.vote)
    };
    assert_eq!(*text, *format!("{root}|{root}|1|w1-1"));
}

#[tokio::test]
async fn a_program_with_arguments_is_read_by_no_shell() {
    let ground = Ground::new().await;
    ground.script("say.sh", r#"echo "$1|$2" >&2; exit 2"#);
    let run = HookRun::Program {
        program: "${CLAUDE_PROJECT_DIR}/say.sh".into(),
        args: vec!["$HOME;x".into(), "$POINTSMAN_PROJECT_DIR/y".into()],
    };
    let setting = HookSetting {
        run,
        ..hook(PRE, 1, "")
    };
    let turn = ask(&ground, vec![setting], "ls").await;
    let PreToolUseVote::Deny { text, .. } = turn.vote else {
        panic!("{:?}", turn.vote)
    };
    assert_eq!(*text, *format!("$HOME;x|{}/y", ground.root()));
}

#[tokio::test]
async fn all_hooks_run_at_once_and_each_to_its_end() {
    let ground = Ground::new().await;
    // Each of the two waits for the other: one after the other they would never end.
    let (a, b) = (ground.fifo("a"), ground.fifo("b"));
    let (a, b) = (a.display(), b.display());
    let one = hook(
        PRE,
        1,
        &format!("echo x > {a}; cat {b} > /dev/null; echo denied >&2; exit 2"),
    );
    let two = hook(PRE, 2, &format!("cat {a} > /dev/null; echo y > {b}"));
    let turn = ask(&ground, vec![one, two], "ls").await;
    assert_eq!(came(&turn.reports), [HookCame::Deny, HookCame::Nothing]);
}

#[tokio::test]
async fn the_same_program_is_asked_once_with_the_strictest_duty() {
    let ground = Ground::new().await;
    let count = ground.path("count");
    let line = format!("echo x >> {}; exit 1", count.display());
    let hooks = vec![hook(PRE, 1, &line), guard(users(hook(PRE, 2, &line)))];
    let turn = ask(&ground, hooks, "ls").await;
    assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    assert!(
        matches!(&turn.vote, PreToolUseVote::Ladder(HookVote::Ask { hook, text })
        if **hook == *"settings.json:2:1" && text.starts_with("the guard failed: it ended with code 1")),
        "{:?}",
        turn.vote
    );
}

#[tokio::test]
async fn matchers_choose_by_the_tools_name() {
    let ground = Ground::new().await;
    let only = |matcher: &str| HookSetting {
        matcher: HookMatcher::parse(matcher).unwrap(),
        ..hook(PRE, 1, "exit 2")
    };
    for (matcher, tool, asked) in [
        ("Bash", "Bash", true),
        ("Edit|Write", "Bash", false),
        ("mcp__git__.*", "mcp__git__log", true),
        ("Task", "Agent", true),
        ("Agent", "Agent", true),
    ] {
        let turn = ask_about(&ground, vec![only(matcher)], &call(&ground, tool, "{}")).await;
        assert_eq!(!turn.reports.is_empty(), asked, "{matcher} {tool}");
    }
}

#[tokio::test]
async fn a_late_hook_is_killed_with_all_it_started() {
    let ground = Ground::new().await;
    let alive = ground.fifo("alive");
    let reading = tokio::task::spawn_blocking({
        let alive = alive.clone();
        move || std::fs::read(alive).unwrap()
    });
    let line = format!("exec 3>{}; sleep 600 & sleep 600", alive.display());
    let late = HookSetting {
        timeout: Millis(30),
        ..guard(hook(PRE, 1, &line))
    };
    let turn = ask(&ground, vec![late], "ls").await;
    assert!(
        matches!(&turn.vote, PreToolUseVote::Ladder(HookVote::Ask { text, .. })
        if **text == *"the guard failed: it took longer than its time limit"),
        "{:?}",
        turn.vote
    );
    // The pipe was either opened and its holders are dead, or never opened: then it is now.
    drop(
        std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&alive)
            .unwrap(),
    );
    reading.await.unwrap();
}

#[tokio::test]
async fn a_hooks_process_group_is_on_record() {
    let ground = Ground::new().await;
    let _ = ask(&ground, vec![hook(PRE, 1, "exit 0")], "ls").await;
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let records = reader
        .records(&pointsman_ledger::Filter::default())
        .unwrap()
        .records;
    let groups: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::ProcessGroupStarted(started) => Some(("started", started.group.clone())),
            RecordBody::ProcessGroupEnded(ended) => Some(("ended", ended.group.clone())),
            _ => None,
        })
        .collect();
    let [("started", one), ("ended", other)] = groups.as_slice() else {
        panic!("{groups:?}")
    };
    assert_eq!(one, other);
    assert!(one.pgid > 0 && one.started_ticks > 0 && !one.mark.is_empty());
}

/// The real effects of a command, so that conditions have something to look at.
fn effects(ground: &Ground, command: &str) -> Effects {
    let input = pointsman_model::ToolInput::Bash(pointsman_model::BashInput {
        command: command.into(),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    });
    let at = pointsman_shell::Surroundings {
        folder: ground.root(),
        home: ground.root(),
        case: pointsman_shell::NameCase::Counts,
    };
    pointsman_policy::effects_of(&ToolName::parse("Bash").unwrap(), &input, &at)
}

#[tokio::test]
async fn a_condition_is_tried_on_each_command_of_the_line() {
    let ground = Ground::new().await;
    let setting = HookSetting {
        condition: Some(RuleText::new("Bash(git *)")),
        ..hook(PRE, 1, "exit 2")
    };
    let hooks = ground.hooks(vec![setting], Attended::Yes);
    let lineage = Lineage::root(ground.worker(1));
    let never = CancellationToken::new();
    for (command, asked) in [
        ("git status", true),
        ("FOO=1 git status", true),
        ("ls && git status", true),
        ("echo $(git status)", true),
        ("ls", false),
        ("echo git status", false),
    ] {
        let scene = HookScene {
            lineage: &lineage,
            folder: &ground.root(),
            mode: PermissionMode::Default,
            effects: &effects(&ground, command),
            stop: &never,
        };
        let input = serde_json::json!({ "command": command }).to_string();
        let turn = hooks
            .pre_tool_use(&call(&ground, "Bash", &input), &scene)
            .await;
        assert_eq!(!turn.reports.is_empty(), asked, "{command}");
    }
}
