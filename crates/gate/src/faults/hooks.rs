//! Hooks: programs, programs that stay, and addresses.

use futures_util::future::join_all;
use pointsman_model::{HookedCall, Lineage, Millis};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookEvent, HookLife, HookRun, HookSetting};
use pointsman_testkit::{Ending, ModelAnswer, ModelServer};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::fixture::{Told, answers, guard, hook, users, yes};
use crate::{HookScene, InteractiveHandler, PreToolUseVote};

/// An answer of a hook that is as wrong as can be: a yes to everything, in the forms of both events.
fn a_yes(event: HookEvent) -> String {
    match event {
        HookEvent::PreToolUse => {
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#.into()
        }
        _ => answers("allow", ""),
    }
}

/// A hook that writes what is no answer, and ends well.
const WORDS: &str = "echo all is well; exit 0";

/// Faults of programs. Each says yes before it fails, wherever it still can.
fn program_faults(event: HookEvent) -> Vec<(&'static str, String)> {
    let yes = a_yes(event);
    let other = match event {
        HookEvent::PreToolUse => a_yes(HookEvent::PermissionRequest),
        _ => a_yes(HookEvent::PreToolUse),
    };
    let mut faults = vec![
        ("crash", format!("{yes}; kill -SEGV $$")),
        ("signal", format!("{yes}; kill -KILL $$")),
        ("hang", format!("{yes}; sleep 600")),
        (
            "hang with its output closed",
            format!("{yes}; exec >&- 2>&-; sleep 600"),
        ),
        (
            "huge output",
            format!("{yes}; head -c 9000000 /dev/zero | tr '\\0' x"),
        ),
        (
            "huge output before the answer",
            format!("head -c 9000000 /dev/zero | tr '\\0' ' '; {yes}"),
        ),
        (
            "invalid JSON",
            "echo '{\"hookSpecificOutput\": allow}'".into(),
        ),
        ("half JSON", format!("{yes} | head -c 40")),
        ("two objects", format!("{yes}; {yes}")),
        (
            "no UTF-8 beside it",
            yes.replacen("echo '{", "printf '{\"x\":\"\\377\",", 1),
        ),
        ("wrong event name", other),
        ("unknown decision", yes.replace("allow", "sure")),
        ("half JSON, code 0", format!("{yes} | head -c 20; exit 0")),
        ("code 1", format!("{yes}; exit 1")),
        ("code 1 with nothing", "exit 1".into()),
        ("code 3", format!("{yes}; exit 3")),
        ("code 126", format!("{yes}; exit 126")),
        ("code 127", format!("{yes}; exit 127")),
        ("no such program", "/nowhere/hook".into()),
    ];
    // Before a call this code is a no; a question it can't answer.
    if event == HookEvent::PermissionRequest {
        faults.extend(code_2(&yes));
    } else {
        faults.push(("code 0 with words", WORDS.into()));
    }
    faults
}

/// Programs that end with code 2: with a yes or nothing, with words on standard error or none.
fn code_2(yes: &str) -> Vec<(&'static str, String)> {
    vec![
        ("code 2", format!("{yes}; exit 2")),
        ("code 2 with nothing", "exit 2".into()),
        ("code 2 with words", "echo no push >&2; exit 2".into()),
        (
            "code 2 with words beside a yes",
            format!("{yes}; echo no push >&2; exit 2"),
        ),
    ]
}

/// Faults of programs that stay. Each says yes, wherever it still can, in a line that does not count.
#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn resident_faults(event: HookEvent) -> Vec<(&'static str, String)> {
    let yes = |turn: &str| {
        let object = match event {
            HookEvent::PreToolUse => {
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#
            }
            _ => {
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#
            }
        };
        let numbered = object.replacen('{', &format!("{{{turn}"), 1);
        format!("echo '{numbered}'")
    };
    let named = yes(r#""turn":'"$turn"',"#);
    // The yes without its line feed: a line that never ends.
    let unended = named.replacen("echo", "printf %s", 1);
    let each = |answer: &str| {
        format!("while read -r line; do turn=${{line#*:}}; turn=${{turn%%,*}}; {answer}; done")
    };
    vec![
        (
            "a crash that stays",
            each(&format!("{unended}; kill -SEGV $$")),
        ),
        (
            "a signal that stays",
            each(&format!("{unended}; kill -KILL $$")),
        ),
        ("hang that stays", each(&format!("{unended}; sleep 600"))),
        ("hang that stays and reads nothing", "sleep 600".into()),
        (
            "hang that stays with its output closed",
            each("exec >&- 2>&-; sleep 600"),
        ),
        ("an end before the answer, code 0", "exit 0".into()),
        ("an end before the answer, code 1", each("exit 1")),
        ("an end before the answer, code 2", each("exit 2")),
        ("an end before the answer, code 3", each("exit 3")),
        ("an end before the answer, code 126", each("exit 126")),
        ("an end before the answer, code 127", each("exit 127")),
        (
            "an end within the answer",
            each(&format!("{unended}; exit 0")),
        ),
        (
            "a huge line",
            each(&format!(
                "printf %s '{{'; head -c 9000000 /dev/zero | tr '\\0' ' '; {named}"
            )),
        ),
        ("lines before the answer", each(&format!("echo; {named}"))),
        (
            "words before the answer",
            each(&format!("echo ready; {named}")),
        ),
        (
            "a byte order mark before the answer",
            each(&format!("printf '\\357\\273\\277'; {named}")),
        ),
        (
            "a NUL before the answer",
            each(&format!("printf '\\000'; {named}")),
        ),
        (
            "an answer in a list",
            each(&named.replace("'{", "'[{").replace("}'", "}]'")),
        ),
        (
            "two answers in a line",
            each(&format!("{unended}; {named}")),
        ),
        (
            "no UTF-8 beside the answer",
            each(
                &named
                    .replacen("echo", "printf", 1)
                    .replacen("}'", ",\"x\":\"\\377\"}\\n'", 1),
            ),
        ),
        (
            "half an answer",
            each(&format!("{named} | head -c 50; echo")),
        ),
        ("an answer to no line", each(&yes(""))),
        ("an answer to another line", each(&yes(r#""turn":0,"#))),
        (
            "an answer to a line by its name",
            each(&yes(r#""turn":"1","#)),
        ),
        (
            "an answer to two lines",
            each(&yes(r#""turn":'"$turn"',"turn":1,"#)),
        ),
        (
            "another event that stays",
            each(
                &named
                    .replace("PreToolUse", "Stop")
                    .replace("PermissionRequest", "Stop"),
            ),
        ),
        (
            "an unknown decision that stays",
            each(&named.replace("allow", "sure")),
        ),
        ("no such program that stays", "/nowhere/hook".into()),
    ]
}

/// Faults of addresses.
fn address_faults(event: HookEvent) -> Vec<(&'static str, ModelAnswer)> {
    let yes = match event {
        HookEvent::PreToolUse => {
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#
        }
        _ => {
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#
        }
    };
    let json = |status: u16, text: &str| ModelAnswer::of(status, "application/json", text);
    vec![
        ("status 429", json(429, yes)),
        ("status 500", json(500, yes)),
        ("status 404", json(404, yes)),
        (
            "a redirect",
            json(302, yes).with_header("location", "http://127.0.0.1:1/"),
        ),
        (
            "cut in the middle",
            json(200, yes).in_pieces_of(20).ending_after(2, Ending::Cut),
        ),
        (
            "silence",
            json(200, yes)
                .in_pieces_of(20)
                .ending_after(1, Ending::Silence),
        ),
        (
            "no UTF-8 beside it",
            json(200, yes).with_body(|body| *body = [b"{\"x\":\"\xff\",", &body[1..]].concat()),
        ),
        ("no JSON", json(200, "allow")),
        ("half JSON", json(200, &yes[..40])),
        (
            "too long",
            json(200, &format!("{yes}{}", " ".repeat(9_000_000))),
        ),
    ]
}

/// Hooks that fail, each with the name of its fault. Their servers live as long as the second part.
async fn failing_hooks(event: HookEvent) -> (Vec<(&'static str, HookSetting)>, Vec<ModelServer>) {
    let timed = |setting: HookSetting, name: &str| HookSetting {
        // What hangs is given up soon; the others get the time that a busy machine takes.
        timeout: if name.contains("hang") || name == "silence" {
            Millis::from(LATE)
        } else {
            Millis::from(PATIENCE)
        },
        ..users(setting)
    };
    let mut hooks: Vec<_> = program_faults(event)
        .into_iter()
        .map(|(name, line)| (name, timed(hook(event, 1, &line), name)))
        .collect();
    let stays = |setting: HookSetting| HookSetting {
        life: HookLife::Resident,
        ..setting
    };
    hooks.extend(
        resident_faults(event)
            .into_iter()
            .map(|(name, line)| (name, timed(stays(hook(event, 1, &line)), name))),
    );
    let at = |url: String| HookRun::Http {
        url: url.into(),
        headers: Vec::new(),
        env: Vec::new(),
    };
    let mut servers = Vec::new();
    for (name, answer) in address_faults(event) {
        let server = ModelServer::answering(move |_| answer.clone())
            .await
            .unwrap();
        let setting = HookSetting {
            run: at(server.url().into()),
            ..hook(event, 1, "")
        };
        hooks.push((name, timed(setting, name)));
        servers.push(server);
    }
    let refused = HookSetting {
        run: at(refusing()),
        ..hook(event, 1, "")
    };
    hooks.push(("refused", timed(refused, "refused")));
    (hooks, servers)
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_failing_hook_that_is_asked_a_question_answers_nothing() {
    let ground = Ground::new().await;
    let (hooks, _servers) = failing_hooks(HookEvent::PermissionRequest).await;
    let rows = hooks.into_iter().map(|(name, setting)| {
        let ground = &ground;
        async move {
            for (duty, setting) in [("plain", setting.clone()), ("guard", guard(setting))] {
                let panel = ground.panel(vec![setting.clone()]);
                let alone = CoordinatorHandler::new(unattended(panel.clone()));
                let ended = verdict(ground, alone, ground.request("ls")).await;
                let outcome = ended.expect("nobody is there to wait for").outcome();
                assert_eq!(outcome, Outcome::NobodyCanAnswer, "{name}, {duty}");
                // With somebody there, people decide; beside a guard that failed no classifier may say yes either.
                let classifier = (duty == "guard").then(|| Told::now(yes()) as Arc<dyn Classifier>);
                let attended = Panel {
                    classifier,
                    ..panel
                };
                let ended = verdict(
                    ground,
                    CoordinatorHandler::new(attended.clone()),
                    ground.request("ls"),
                )
                .await;
                assert_eq!(ended, None, "{name}, {duty}");
                if duty == "plain" {
                    let ended = verdict(
                        ground,
                        InteractiveHandler::new(attended),
                        ground.request("ls"),
                    )
                    .await;
                    assert_eq!(ended, None, "{name}, {duty}, interactive");
                }
            }
        }
    });
    join_all(rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_failing_hook_before_a_call_has_no_vote_and_a_guard_asks() {
    let ground = Ground::new().await;
    let (hooks, _servers) = failing_hooks(HookEvent::PreToolUse).await;
    let rows = hooks.into_iter().map(|(name, setting)| {
        let ground = &ground;
        async move {
            for attended in [Attended::Yes, Attended::No] {
                let plain = pre_tool_use(ground, setting.clone(), attended).await;
                assert_eq!(plain, PreToolUseVote::Ladder(HookVote::None), "{name}");
                let guarded = pre_tool_use(ground, guard(setting.clone()), attended).await;
                let asks = matches!(guarded, PreToolUseVote::Ladder(HookVote::Ask { .. }));
                assert!(asks, "{name}: {guarded:?}");
            }
        }
    });
    join_all(rows).await;
}

/// Code 2 before a call is a no whatever was written, of a plain hook and of a guard, whoever is there.
#[tokio::test(flavor = "multi_thread")]
async fn code_2_before_a_call_is_a_no_with_the_words_of_the_hook() {
    let ground = Ground::new().await;
    let rows = code_2(&a_yes(HookEvent::PreToolUse)).into_iter();
    let rows = rows.map(|(name, line)| {
        let ground = &ground;
        let words = if name.contains("words") {
            "no push"
        } else {
            "it ended with code 2, which blocks"
        };
        async move {
            let plain = hook(HookEvent::PreToolUse, 1, &line);
            for setting in [plain.clone(), guard(plain)] {
                for attended in [Attended::Yes, Attended::No] {
                    let vote = pre_tool_use(ground, setting.clone(), attended).await;
                    let PreToolUseVote::Deny { text, .. } = vote else {
                        panic!("{name}, {attended:?}: {vote:?}");
                    };
                    assert_eq!(&*text, words, "{name}, {attended:?}");
                }
            }
        }
    });
    join_all(rows).await;
}

/// Code 0 with nothing is no fault and no word: the rules decide, also beside a guard.
#[tokio::test(flavor = "multi_thread")]
async fn code_0_with_nothing_is_no_vote_and_no_failure() {
    let ground = Ground::new().await;
    let silent = |event| users(hook(event, 1, "exit 0"));
    let before = silent(HookEvent::PreToolUse);
    let asked = silent(HookEvent::PermissionRequest);
    for attended in [Attended::Yes, Attended::No] {
        for setting in [before.clone(), guard(before.clone())] {
            let vote = pre_tool_use(&ground, setting, attended).await;
            assert_eq!(vote, PreToolUseVote::Ladder(HookVote::None), "{attended:?}");
        }
    }
    for setting in [asked.clone(), guard(asked)] {
        let panel = ground.panel(vec![setting]);
        let alone = CoordinatorHandler::new(unattended(panel.clone()));
        let ended = verdict(&ground, alone, ground.request("ls")).await;
        let outcome = ended.expect("nobody is there to wait for").outcome();
        assert_eq!(outcome, Outcome::NobodyCanAnswer);
        // Beside a guard that failed this yes would not count.
        let judged = Panel {
            classifier: Some(Told::now(yes()) as Arc<dyn Classifier>),
            ..panel
        };
        let ended = verdict(
            &ground,
            CoordinatorHandler::new(judged),
            ground.request("ls"),
        )
        .await;
        assert_eq!(ended.map(|ended| ended.outcome()), Some(Outcome::Allowed));
    }
}

/// Code 0 with words is no fault of a plain hook, which has no opinion; of a guard it is one.
#[tokio::test(flavor = "multi_thread")]
async fn law_15_words_answer_no_question_and_of_a_guard_leave_it_to_people() {
    let ground = Ground::new().await;
    let plain = users(hook(HookEvent::PermissionRequest, 1, WORDS));
    for (setting, judged) in [
        (plain.clone(), Some(Outcome::Allowed)),
        (guard(plain), None),
    ] {
        let panel = ground.panel(vec![setting]);
        let alone = CoordinatorHandler::new(unattended(panel.clone()));
        let ended = verdict(&ground, alone, ground.request("ls")).await;
        let outcome = ended.expect("nobody is there to wait for").outcome();
        assert_eq!(outcome, Outcome::NobodyCanAnswer);
        let attended = CoordinatorHandler::new(Panel {
            classifier: Some(Told::now(yes()) as Arc<dyn Classifier>),
            ..panel
        });
        let ended = verdict(&ground, attended, ground.request("ls")).await;
        assert_eq!(ended.map(|ended| ended.outcome()), judged);
    }
}

async fn pre_tool_use(ground: &Ground, hook: HookSetting, attended: Attended) -> PreToolUseVote {
    let hooks = ground.hooks(vec![hook], attended);
    let request = ground.request("ls");
    let call = HookedCall {
        id: request.call.id,
        tool: request.call.tool.clone(),
        input: request.call.text.clone(),
    };
    let scene = HookScene {
        lineage: &Lineage::root(ground.worker(1)),
        folder: &request.folder,
        mode: request.mode,
        effects: &request.effects,
        stop: &CancellationToken::new(),
    };
    let turn = hooks.pre_tool_use(&call, &scene);
    tokio::time::timeout(PATIENCE, turn)
        .await
        .expect("it hangs")
        .vote
}

/// A hook that is slow and well is heard, as is one that is given a call of megabytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_hook_is_waited_for_and_an_over_long_call_is_shown_whole() {
    let ground = Ground::new().await;
    let long = format!("ls {}", "x".repeat(3_000_000));
    let yes = answers("allow", "");
    let no = answers("deny", r#","message":"too little came""#);
    let reads = format!("if [ $(wc -c) -gt 3000000 ]; then {yes}; else {no}; fi");
    for (line, command) in [
        (format!("sleep 0.3; {yes}"), "ls"),
        (reads, &*long),
        // It reads none of it, and is heard all the same.
        (yes, &*long),
    ] {
        let plain = hook(HookEvent::PermissionRequest, 1, &line);
        for setting in [plain.clone(), guard(plain)] {
            let attended = ground.panel(vec![setting]);
            for panel in [unattended(attended.clone()), attended] {
                let handler = CoordinatorHandler::new(panel);
                let ended = verdict(&ground, handler, ground.request(command)).await;
                let outcome = ended.map(|ended| ended.outcome());
                assert_eq!(outcome, Some(Outcome::Allowed), "{line}");
            }
        }
    }
}
