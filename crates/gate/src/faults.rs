//! The fault table: whatever goes wrong with a hook or a model, plain or guard, with somebody there or not. None of it is
//! ever a yes, and nothing hangs.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use pointsman_approvals::RequestEvent;
use pointsman_llm::{ApiKey, BaseUrl, Dialect, Endpoint, ModelName, Spending, Transport};
use pointsman_model::{
    Attended, HookedCall, Lineage, Millis, Outcome, PermissionMode, PermissionRequest, Verdict,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookEvent, HookRun, HookSetting};
use pointsman_testkit::{AnthropicReply, Ending, Heard, ModelAnswer, ModelServer};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Ground, Told, answers, guard, hook, users, yes};
use crate::{
    Classifier, ClassifierGuidance, ClassifierVote, CoordinatorHandler, Explainer, HookScene,
    InteractiveHandler, ModelClassifier, Panel, PermissionHandler, PreToolUseVote,
};

/// Longer than anything here may take; what meets it hangs.
const PATIENCE: Duration = Duration::from_secs(240);

/// How long a hook or a model may take here that never ends.
const LATE: Duration = Duration::from_millis(400);

/// An answer of a hook that is as wrong as can be: a yes to everything, in the forms of both events.
fn a_yes(event: HookEvent) -> String {
    match event {
        HookEvent::PreToolUse => {
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#.into()
        }
        _ => answers("allow", ""),
    }
}

/// Faults of programs. Each says yes before it fails, wherever it still can.
fn program_faults(event: HookEvent) -> Vec<(&'static str, String)> {
    let yes = a_yes(event);
    let other = match event {
        HookEvent::PreToolUse => a_yes(HookEvent::PermissionRequest),
        _ => a_yes(HookEvent::PreToolUse),
    };
    vec![
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
        ("wrong event name", other),
        ("unknown decision", yes.replace("allow", "sure")),
        ("code 1", format!("{yes}; exit 1")),
        ("code 3", format!("{yes}; exit 3")),
        ("code 126", format!("{yes}; exit 126")),
        ("code 127", format!("{yes}; exit 127")),
        ("no such program", "/nowhere/hook".into()),
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

/// An address at which nobody listens.
fn refusing() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

fn unattended(panel: Panel) -> Panel {
    Panel {
        attended: Attended::No,
        ..panel
    }
}

fn auto(request: PermissionRequest) -> PermissionRequest {
    PermissionRequest {
        mode: PermissionMode::Auto,
        ..request
    }
}

/// Resolves a request to its end, or to where it waits for a person, which is no verdict.
async fn verdict(
    ground: &Ground,
    handler: impl PermissionHandler + 'static,
    request: PermissionRequest,
) -> Option<Verdict> {
    let mut events = ground.requests.subscribe();
    let id = request.id;
    let handler = Arc::new(handler);
    let running = {
        let handler = Arc::clone(&handler);
        tokio::spawn(async move { handler.resolve(request).await })
    };
    let waits = async {
        let mut shown = false;
        let mut advised = false;
        loop {
            match events.next().await.unwrap() {
                RequestEvent::Opened(open) if open.request.id == id => shown |= open.shown,
                RequestEvent::Shown { id: of } if of == id => shown = true,
                RequestEvent::Advised { id: of, .. } if of == id => advised = true,
                RequestEvent::Closed { id: of, .. } if of == id => return false,
                _ => {}
            }
            // It is before a person, and what failed has said so.
            if shown && advised {
                return true;
            }
        }
    };
    let waiting = tokio::time::timeout(PATIENCE, waits)
        .await
        .expect("it hangs");
    if waiting {
        running.abort();
        return None;
    }
    Some(
        tokio::time::timeout(PATIENCE, running)
            .await
            .expect("it hangs")
            .unwrap(),
    )
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

/// A hook that is slow and well is heard.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_hook_is_waited_for() {
    let ground = Ground::new().await;
    let line = format!("sleep 0.3; {}", answers("allow", ""));
    let panel = unattended(ground.panel(vec![hook(HookEvent::PermissionRequest, 1, &line)]));
    let ended = verdict(
        &ground,
        CoordinatorHandler::new(panel),
        ground.request("ls"),
    )
    .await;
    assert_eq!(ended.unwrap().outcome(), Outcome::Allowed);
}

/// The answer that a model was asked for, as a yes.
fn model_yes(heard: &Heard) -> String {
    let system = heard.json()["system"][0]["text"].to_string();
    let code: String = system
        .split_once("code is ")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_hexdigit).collect())
        .unwrap_or_default();
    serde_json::json!({"action": code, "verdict": "allow", "reason": "so it is"}).to_string()
}

type Answers = Box<dyn FnMut(&Heard) -> ModelAnswer + Send>;

/// Faults of models. Where a body comes at all, it says yes, in the right form.
#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn model_faults() -> Vec<(&'static str, Answers)> {
    fn made(make: impl Fn(String) -> ModelAnswer + Send + 'static) -> Answers {
        Box::new(move |heard| make(model_yes(heard)))
    }
    let whole = |yes: String| AnthropicReply::text(&yes).whole();
    vec![
        (
            "status 429",
            made(|yes| ModelAnswer::of(429, "text/plain", yes)),
        ),
        (
            "status 500",
            made(|yes| ModelAnswer::of(500, "application/json", yes)),
        ),
        (
            "status 529",
            made(|yes| ModelAnswer::of(529, "application/json", yes)),
        ),
        (
            "status 401",
            made(|yes| ModelAnswer::of(401, "application/json", yes)),
        ),
        (
            "a redirect",
            made(|yes| {
                ModelAnswer::of(302, "text/plain", yes)
                    .with_header("location", "http://127.0.0.1:1/")
            }),
        ),
        (
            "cut in the middle",
            made(move |yes| whole(yes).in_pieces_of(30).ending_after(2, Ending::Cut)),
        ),
        (
            "closed at once",
            made(move |yes| whole(yes).ending_after(0, Ending::Cut)),
        ),
        (
            "hang",
            made(move |yes| whole(yes).in_pieces_of(30).ending_after(1, Ending::Silence)),
        ),
        (
            "hang from the start",
            made(move |yes| whole(yes).ending_after(0, Ending::Silence)),
        ),
        (
            "too long",
            made(|yes| AnthropicReply::text(&format!("{yes}{}", " ".repeat(3_000_000))).whole()),
        ),
        (
            "no JSON",
            made(|_| ModelAnswer::of(200, "application/json", "allow")),
        ),
        (
            "half JSON",
            made(|_| ModelAnswer::of(200, "application/json", "{\"content\":[{\"type\":\"te")),
        ),
        (
            "half an answer",
            made(|yes| AnthropicReply::text(&yes[..yes.len() / 2]).whole()),
        ),
        (
            "words around it",
            made(|yes| AnthropicReply::text(&format!("Sure! {yes}")).whole()),
        ),
        (
            "a fence around it",
            made(|yes| AnthropicReply::text(&format!("```json\n{yes}\n```")).whole()),
        ),
        ("no words", made(|_| AnthropicReply::text("").whole())),
        (
            "a tool in its place",
            made(|yes| {
                AnthropicReply::uses("1", "allow", serde_json::from_str(&yes).unwrap()).whole()
            }),
        ),
        (
            "another dialect",
            made(|yes| pointsman_testkit::ChatReply::text(&yes).whole()),
        ),
    ]
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        dialect: Dialect::Anthropic,
        base_url: BaseUrl::parse(url).unwrap(),
        key: ApiKey::new("sk-0123456789"),
        model: ModelName::new("small"),
    }
}

/// How long one judgement may take: what hangs is given up soon; all else comes to its own end, tries again and their
/// waits included, however busy the machine is, so that it is the fault that is seen and not the time.
///
/// All of it is by the real clock. Servers and programs are real, and a clock that jumps whenever this process waits would
/// be ahead of them.
fn judgement(fault: &str) -> Duration {
    if fault.starts_with("hang") {
        LATE
    } else {
        PATIENCE
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_failing_model_neither_votes_nor_explains() {
    let ground = Ground::new().await;
    let mut servers = Vec::new();
    let mut rows = vec![("refused", refusing())];
    for (name, answers) in model_faults() {
        let server = ModelServer::answering(answers).await.unwrap();
        rows.push((name, server.url().to_owned()));
        servers.push(server);
    }
    let rows = rows.into_iter().map(|(name, url)| {
        let ground = &ground;
        async move { judged(ground, name, &url).await }
    });
    join_all(rows).await;
}

async fn judged(ground: &Ground, name: &str, url: &str) {
    let transport = Transport::network(None).unwrap();
    let classifier = ModelClassifier::new(
        endpoint(url),
        transport.clone(),
        Spending::unlimited(),
        judgement(name),
        ClassifierGuidance::default(),
        Arc::clone(&ground.clock),
    );
    let classifier: Arc<dyn Classifier> = Arc::new(classifier.unwrap());
    let panel = Panel {
        classifier: Some(classifier),
        ..ground.panel(vec![])
    };
    let alone = CoordinatorHandler::new(unattended(panel.clone()));
    let ended = verdict(ground, alone, auto(ground.request("make")))
        .await
        .unwrap();
    assert_eq!(ended.outcome(), Outcome::Unavailable, "{name}: {ended:?}");
    for request in [auto(ground.request("make")), ground.request("make")] {
        let mode = request.mode;
        let attended = CoordinatorHandler::new(panel.clone());
        let ended = verdict(ground, attended, request).await;
        assert_eq!(ended, None, "{name}, {mode}");
    }
    let spending = Spending::unlimited();
    let explainer = Explainer::new(endpoint(url), transport, spending, judgement(name)).unwrap();
    let request = ground.request("make");
    let told = tokio::time::timeout(PATIENCE, explainer.ask(&request));
    assert_eq!(told.await.expect("it hangs"), None, "{name}");
}

/// Slow and well is no fault: the vote counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_answers_in_small_pieces_is_heard() {
    let ground = Ground::new().await;
    let server = ModelServer::answering(|heard| {
        AnthropicReply::text(&model_yes(heard))
            .whole()
            .in_pieces_of(3)
    });
    let server = server.await.unwrap();
    let classifier = ModelClassifier::new(
        endpoint(server.url()),
        Transport::network(None).unwrap(),
        Spending::unlimited(),
        PATIENCE,
        ClassifierGuidance::default(),
        Arc::clone(&ground.clock),
    );
    let vote = classifier.unwrap().classify(&ground.request("make")).await;
    assert!(matches!(vote, ClassifierVote::Yes { .. }), "{vote:?}");
}
