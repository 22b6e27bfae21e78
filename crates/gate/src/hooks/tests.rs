//! Hooks as real programs.

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
        args: vec!["$HOME;x".into(), "$CLAUDE_PROJECT_DIR/y".into()],
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

/// Asks a hook that nobody waits for about a call of an agent that `stop` stops.
async fn start_detached(ground: &Ground, line: &str, stop: &CancellationToken) -> Arc<Hooks> {
    let detached = HookSetting {
        life: HookLife::Detached,
        ..hook(PRE, 1, line)
    };
    let hooks = ground.hooks(vec![detached], Attended::Yes);
    let lineage = Lineage::root(ground.worker(1));
    let scene = HookScene {
        lineage: &lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop,
    };
    let turn = hooks
        .pre_tool_use(&call(ground, "Bash", "{}"), &scene)
        .await;
    assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None));
    hooks
}

#[tokio::test]
async fn a_detached_hook_has_no_vote_and_outlives_its_agent() {
    let ground = Ground::new().await;
    let (hold, done) = (ground.fifo("hold"), ground.path("done"));
    let line = format!("cat {} > {}; exit 2", hold.display(), done.display());
    let stop = CancellationToken::new();
    let hooks = start_detached(&ground, &line, &stop).await;
    let letting = tokio::task::spawn_blocking(move || {
        // Opened once the hook reads: it runs, and only then does its agent end.
        let mut hold = std::fs::OpenOptions::new().write(true).open(hold).unwrap();
        stop.cancel();
        std::io::Write::write_all(&mut hold, b"let go").unwrap();
    });
    letting.await.unwrap();
    hooks.finish().await;
    assert_eq!(std::fs::read_to_string(done).unwrap(), "let go");
}

#[tokio::test]
async fn a_detached_hook_without_end_is_ended_after_the_run() {
    let ground = Ground::new().await;
    let ran = ground.path("ran");
    let line = format!("touch {}; exec sleep 600", ran.display());
    let hooks = start_detached(&ground, &line, &CancellationToken::new()).await;
    while !ran.exists() {
        tokio::task::yield_now().await;
    }
    // Time leaps to whatever is waited for next.
    tokio::time::pause();
    hooks.finish().await;
    tokio::time::resume();
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let records = reader.records(&pointsman_ledger::Filter::default());
    let ended = records
        .unwrap()
        .records
        .into_iter()
        .find_map(|record| match record.body {
            RecordBody::ProcessGroupEnded(ended) => Some(ended.text),
            _ => None,
        });
    assert_eq!(ended.as_deref(), Some("Stopped"));
}

#[tokio::test]
async fn law_21_a_cancel_ends_hooks_that_nobody_waits_for_at_once() {
    for (cancel, ended) in [
        (
            (|hooks, _| hooks.end_unawaited()) as fn(&Hooks, WorkerId),
            true,
        ),
        (|hooks, worker| hooks.end_unawaited_of(worker), true),
        // Another agent's is not meant.
        (
            |hooks, worker| hooks.end_unawaited_of(WorkerId::new(worker.run(), 9)),
            false,
        ),
    ] {
        let ground = Ground::new().await;
        let (hold, done) = (ground.fifo("hold"), ground.path("done"));
        let line = format!(
            "cat {} > /dev/null; touch {}",
            hold.display(),
            done.display()
        );
        let stop = CancellationToken::new();
        let hooks = start_detached(&ground, &line, &stop).await;
        let opening = tokio::task::spawn_blocking(move || {
            // Opened once the hook reads.
            std::fs::OpenOptions::new().write(true).open(hold).unwrap()
        });
        let hold = opening.await.unwrap();
        stop.cancel();
        cancel(&hooks, ground.worker(1).worker);
        let kept = ended.then_some(hold);
        // Not `finish`, which ends what is left in the end: while the pipe is held, only a cancel ends this one.
        hooks.means.tasks.close();
        let all_ended = tokio::time::timeout(PATIENCE, hooks.means.tasks.wait()).await;
        assert!(all_ended.is_ok(), "it runs still");
        assert_eq!(done.exists(), !ended);
        drop(kept);
    }
}

/// The answer to a request, as one line.
async fn answer(ground: &Ground, hooks: Vec<HookSetting>, insistence: Insistence) -> String {
    answer_of(ground, &ground.hooks(hooks, Attended::Yes), insistence).await
}

async fn answer_of(ground: &Ground, hooks: &Hooks, insistence: Insistence) -> String {
    let mut request = ground.request("ls");
    request.judgement.insistence = insistence;
    let turn = hooks
        .permission_request(&request, &CancellationToken::new())
        .await;
    match turn.answer {
        PermissionAnswer::None => "none".into(),
        PermissionAnswer::GuardFailed { hook, text } => format!("guard {hook}: {text}"),
        PermissionAnswer::Given { hook, kind } => match kind {
            VerdictKind::Allow { edited, grant } => {
                let edited = edited.map(|edited| format!(" -> {}", edited.as_str()));
                let grant = grant.map(|grant| {
                    let scope = match grant.scope {
                        GrantScope::Run { .. } => "run",
                        GrantScope::Worker { .. } => "worker",
                        GrantScope::Call { .. } | GrantScope::Job { .. } => "other",
                    };
                    format!(" +{} {}", scope, grant.rules[0])
                });
                format!(
                    "allow {hook}{}{}",
                    edited.unwrap_or_default(),
                    grant.unwrap_or_default()
                )
            }
            VerdictKind::Deny { text } => format!("deny {hook}: {}", text.unwrap_or_default()),
            VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => "ended".into(),
        },
    }
}

#[tokio::test]
async fn a_request_is_answered_deny_over_failed_guard_over_allow() {
    let ground = Ground::new().await;
    let may = Insistence::MayBeAnswered;
    let yes = || hook(ASKED, 1, &answers("allow", ""));
    let no = || hook(ASKED, 2, &answers("deny", r#","message":"not today""#));
    let broken = || guard(hook(ASKED, 3, "exit 1"));
    assert_eq!(
        answer(&ground, vec![yes()], may).await,
        "allow settings.json:1:1"
    );
    assert_eq!(
        answer(&ground, vec![yes(), no()], may).await,
        "deny settings.json:2:1: not today"
    );
    assert_eq!(
        answer(&ground, vec![no(), broken()], may).await,
        "deny settings.json:2:1: not today"
    );
    let failed = answer(&ground, vec![yes(), broken()], may).await;
    assert_eq!(
        failed,
        "guard settings.json:3:1: the guard failed: it ended with code 1"
    );
}

#[tokio::test]
async fn law_2_a_projects_hook_does_not_discharge_what_must_be_asked() {
    let ground = Ground::new().await;
    let must = Insistence::MustAsk;
    let yes = |line| hook(ASKED, line, &answers("allow", &format!(r#","x":{line}"#)));
    assert_eq!(answer(&ground, vec![yes(1)], must).await, "none");
    assert_eq!(
        answer(&ground, vec![yes(1), users(yes(2))], must).await,
        "allow settings.json:2:1"
    );
    let managed = HookSetting {
        source: pointsman_model::RuleSource::PolicySettings,
        ..yes(3)
    };
    assert_eq!(
        answer(&ground, vec![managed], must).await,
        "allow settings.json:3:1"
    );
    let no = hook(ASKED, 4, &answers("deny", ""));
    assert_eq!(
        answer(&ground, vec![no], must).await,
        "deny settings.json:4:1: "
    );
}

#[tokio::test]
async fn edits_and_rules_come_with_the_answer() {
    let ground = Ground::new().await;
    let may = Insistence::MayBeAnswered;
    let more = r#","updatedInput":{"command":"ls -l"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls *"}],"behavior":"allow","destination":"session"}]"#;
    let yes = hook(ASKED, 1, &answers("allow", more));
    assert_eq!(
        answer(&ground, vec![yes.clone()], may).await,
        r#"allow settings.json:1:1 -> {"command":"ls -l"} +worker Bash(ls *)"#
    );
    assert_eq!(
        answer(&ground, vec![users(yes.clone())], may).await,
        r#"allow settings.json:1:1 -> {"command":"ls -l"} +run Bash(ls *)"#
    );
    // Where managed allow rules count alone, the yes stands and the rule goes.
    let mut place = ground.hook_place(Attended::Yes);
    place.allow_rules = Whose::ManagedOnly;
    let settings = HookSettings {
        hooks: vec![users(yes.clone())],
    };
    assert_eq!(
        answer_of(&ground, &Hooks::new(settings, place), may).await,
        r#"allow settings.json:1:1 -> {"command":"ls -l"}"#
    );
    // Two that edit the same field differently leave it to a person.
    let other = hook(
        ASKED,
        2,
        &answers("allow", r#","updatedInput":{"command":"ls -a"}"#),
    );
    assert_eq!(answer(&ground, vec![yes, other], may).await, "none");
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

/// What a hook of this happening reads, without what every event tells, and what it comes to.
async fn told(ground: &Ground, happening: &Happening<'_>, lineage: &Lineage) -> (Value, Heard) {
    let seen = ground.path("told.json");
    let line = format!(
        r#"cat > {}; echo '{{"systemMessage":"seen"}}'"#,
        seen.display()
    );
    let hooks = ground.hooks(vec![hook(happening.event(), 1, &line)], Attended::Yes);
    let never = CancellationToken::new();
    let scene = HookScene {
        lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop: &never,
    };
    let heard = match happening {
        Happening::SessionStarted { .. } | Happening::SessionEnds { .. } => {
            hooks.tell_of_run(ground.run, happening, &never).await
        }
        _ => hooks.tell(happening, &scene).await,
    };
    let mut payload: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    let fields = payload.as_object_mut().unwrap();
    assert_eq!(
        fields.remove("hook_event_name").unwrap(),
        happening.event().as_str()
    );
    for common in ["session_id", "transcript_path", "cwd", "pointsman"] {
        assert!(fields.remove(common).is_some(), "{common} is missing");
    }
    (payload, heard)
}

#[tokio::test]
async fn events_of_a_call_tell_what_existing_hooks_read() {
    let ground = Ground::new().await;
    let root = Lineage::root(ground.worker(1));
    let call = ground.request("ls").call;
    let (call, took) = (&call, Millis(12));
    let rows = [
        (
            Happening::Succeeded {
                call,
                text: "a",
                took,
            },
            serde_json::json!({"duration_ms": 12, "tool_response":
                {"stdout": "a", "stderr": "", "interrupted": false, "isImage": false}}),
        ),
        (
            Happening::Failed {
                call,
                error: "e",
                how: FailedHow::Interrupted,
                took,
            },
            serde_json::json!({"duration_ms": 12, "error": "e", "is_interrupt": true}),
        ),
        (
            Happening::Denied { call, reason: "r" },
            serde_json::json!({"reason": "r"}),
        ),
    ];
    for (happening, more) in rows {
        let mut expect = serde_json::json!({
            "permission_mode": "default", "tool_name": "Bash", "tool_use_id": "c1-1",
            "tool_input": {"command": "ls"},
        });
        let fields = expect.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let (payload, heard) = told(&ground, &happening, &root).await;
        assert_eq!(payload, expect);
        assert_eq!((heard.reports.len(), &*heard.reports[0].text), (1, "seen"));
    }
}

#[tokio::test]
async fn events_of_agents_and_runs_tell_what_existing_hooks_read() {
    let ground = Ground::new().await;
    let root = Lineage::root(ground.worker(1));
    let spawned = root.child(ground.worker(2));
    let stopping = |held_before| Stopping {
        last_words: "bye",
        held_before,
    };
    let rows = [
        (
            Happening::Stops(stopping(1)),
            &root,
            serde_json::json!({"permission_mode": "default", "stop_hook_active": true,
                "last_assistant_message": "bye", "background_tasks": [], "session_crons": []}),
        ),
        (
            Happening::Notified {
                message: "m",
                kind: "k",
            },
            &root,
            serde_json::json!({"permission_mode": "default", "message": "m", "notification_type": "k"}),
        ),
        (
            Happening::SessionStarted { source: "startup" },
            &root,
            serde_json::json!({"source": "startup"}),
        ),
        (
            Happening::SessionEnds { reason: "other" },
            &root,
            serde_json::json!({"reason": "other"}),
        ),
        (
            Happening::SubagentStarted,
            &spawned,
            serde_json::json!({"agent_id": "w1-2", "agent_type": "steps"}),
        ),
        (
            Happening::SubagentStops(stopping(0)),
            &spawned,
            serde_json::json!({"permission_mode": "default", "agent_id": "w1-2",
                "agent_type": "steps", "stop_hook_active": false, "last_assistant_message": "bye",
                "background_tasks": [], "session_crons": [], "agent_transcript_path": ""}),
        ),
    ];
    for (happening, lineage, expect) in rows {
        let (payload, _) = told(&ground, &happening, lineage).await;
        assert_eq!(payload, expect);
    }
}

#[tokio::test]
async fn hooks_of_other_events_are_on_record() {
    let ground = Ground::new().await;
    let lineage = Lineage::root(ground.worker(1));
    let call = ground.request("ls").call;
    let happening = Happening::Succeeded {
        call: &call,
        text: "a",
        took: Millis(1),
    };
    let _ = told(&ground, &happening, &lineage).await;
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let story = reader.call_story(call.id).unwrap().unwrap();
    assert_eq!(
        (&*story.told[0].event, story.told[0].hooks[0].came),
        ("PostToolUse", HookCame::Nothing)
    );
}

/// What follows an answer of a hook that counts, and whether it is forgotten when it does not.
#[tokio::test]
async fn what_follows_an_answer_follows_that_answer_alone() {
    let ground = Ground::new().await;
    let more = r#","message":"no","interrupt":true"#;
    for (line, reach) in [
        (answers("deny", more), HaltReach::Agent),
        (
            r#"echo '{"continue":false,"stopReason":"no"}'"#.into(),
            HaltReach::Run,
        ),
    ] {
        let hooks = ground.hooks(vec![hook(ASKED, 1, &line)], Attended::Yes);
        let request = ground.request("ls");
        let never = CancellationToken::new();
        let turn = hooks.permission_request(&request, &never).await;
        let PermissionAnswer::Given { hook, kind } = turn.answer else {
            panic!("{:?}", turn.answer)
        };
        assert!(matches!(kind, VerdictKind::Deny { .. }));
        let verdict = |by| Verdict {
            kind: kind.clone(),
            by,
            at: ground.clock.now(),
            digest: request.digest,
        };
        let by = Answerer::Hook { name: hook };
        let aftermaths = hooks.aftermaths();
        aftermaths.keep(&request, by.clone(), turn.aftermath.clone());
        let by_person = verdict(crate::fixture::a_person());
        assert_eq!(aftermaths.of(request.id, &by_person), None);
        let by_hook = verdict(by.clone());
        assert_eq!(aftermaths.of(request.id, &by_hook), None, "it is forgotten");
        aftermaths.keep(&request, by.clone(), turn.aftermath.clone());
        let Some(halt) = aftermaths.of(request.id, &by_hook).unwrap().halt else {
            panic!("it halts nobody");
        };
        assert_eq!((halt.reach, &*halt.word.text), (reach, "no"));
        // An agent that is dropped while it asks never comes for it.
        aftermaths.keep(&request, by, turn.aftermath);
        aftermaths.forget(request.lineage.agent().worker);
        assert_eq!(aftermaths.len(), 0);
    }
}
