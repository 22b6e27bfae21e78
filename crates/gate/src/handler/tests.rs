//! The three strategies over a real table of requests, with hooks that are real programs.

mod swarm_worker;

use std::sync::Arc;

use pointsman_approvals::{Answered, RequestEvent, RequestEvents};
use pointsman_model::{
    AfterNoVote, Answerer, Attended, Insistence, Millis, NoVoteCause, Outcome, PermissionMode,
    RequestId, VerdictKind,
};
use pointsman_policy::settings::{HookEvent, HookSetting};

use super::*;
use crate::fixture::{
    Ground, Told, a_person, allow, answers, deny, guard, hook, no, no_vote, users, yes,
};
use crate::{Classifier, ClassifierVote, Lifted};

const ASKED: HookEvent = HookEvent::PermissionRequest;

fn saying(behavior: &str) -> HookSetting {
    hook(ASKED, 1, &answers(behavior, ""))
}

fn with(panel: Panel, classifier: &Arc<Told>) -> Panel {
    Panel {
        classifier: Some(Arc::clone(classifier) as Arc<dyn Classifier>),
        ..panel
    }
}

fn unattended(panel: Panel) -> Panel {
    Panel {
        attended: Attended::No,
        ..panel
    }
}

fn classifier() -> Answerer {
    Answerer::Classifier {
        name: "told".into(),
    }
}

/// Starts the handler on a request.
fn resolving(
    handler: impl PermissionHandler + 'static,
    request: &PermissionRequest,
) -> tokio::task::JoinHandle<Verdict> {
    let request = request.clone();
    tokio::spawn(async move { handler.resolve(request).await })
}

/// Waits for the advice on a request.
async fn advised(events: &mut RequestEvents) -> String {
    loop {
        if let RequestEvent::Advised { advice, .. } = events.next().await.unwrap() {
            return format!("{} {}", advice.by, advice.text);
        }
    }
}

async fn person_allows(ground: &Ground, id: RequestId) {
    assert!(matches!(ground.person(id, allow()).await, Answered::Won(_)));
}

#[tokio::test]
async fn interactive_shows_the_dialog_at_once_and_kills_the_hook_when_a_person_is_first() {
    let ground = Ground::new().await;
    let alive = ground.fifo("alive");
    let line = format!("exec 3>{}; echo up >&3; sleep 600", alive.display());
    let handler = InteractiveHandler::new(ground.panel(vec![hook(ASKED, 1, &line)]));
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    // Reading to the end waits until the hook's whole group is dead.
    let dead = tokio::task::spawn_blocking(move || std::fs::read_to_string(alive).unwrap());
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
    // The hook may have been killed before it opened the pipe; then nobody ever will.
    let path = ground.path("alive");
    drop(
        std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap(),
    );
    dead.await.unwrap();
}

#[tokio::test]
async fn interactive_takes_a_hooks_answer_while_the_dialog_is_open() {
    let ground = Ground::new().await;
    for (behavior, outcome) in [("allow", Outcome::Allowed), ("deny", Outcome::DeniedByHook)] {
        let handler = InteractiveHandler::new(ground.panel(vec![saying(behavior)]));
        let verdict = handler.resolve(ground.request("ls")).await;
        assert_eq!(verdict.outcome(), outcome);
        assert_eq!(
            verdict.by,
            Answerer::Hook {
                name: "settings.json:1:1".into()
            }
        );
        assert!(ground.requests.list().is_empty());
    }
}

#[tokio::test]
async fn interactive_takes_the_classifiers_yes_and_shows_its_no_as_advice() {
    let ground = Ground::new().await;
    let handler = InteractiveHandler::new(with(ground.panel(vec![]), &Told::now(yes())));
    assert_eq!(handler.resolve(ground.request("ls")).await.by, classifier());

    for (vote, advice) in [
        (no(), "classifier `told` would refuse: not harmless"),
        (
            no_vote(),
            "classifier `told` has no vote (unavailable): not available",
        ),
    ] {
        let handler = InteractiveHandler::new(with(ground.panel(vec![]), &Told::now(vote)));
        let request = ground.request("ls");
        let mut events = ground.requests.subscribe();
        let verdict = resolving(handler, &request);
        assert_eq!(advised(&mut events).await, advice);
        person_allows(&ground, request.id).await;
        assert_eq!(verdict.await.unwrap().by, a_person());
    }
}

#[tokio::test]
async fn law_13_a_touched_dialog_is_the_persons() {
    let ground = Ground::new().await;
    let slow = Told::when_let(yes());
    let handler = InteractiveHandler::new(with(ground.panel(vec![]), &slow));
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    ground.requests.touch(request.id).await;
    slow.gate.add_permits(1);
    let mut denied = ground.requests.subscribe();
    assert!(matches!(
        ground.person(request.id, deny("no")).await,
        Answered::Won(_)
    ));
    assert_eq!(verdict.await.unwrap().outcome(), Outcome::DeniedByPerson);
    while !matches!(denied.next().await.unwrap(), RequestEvent::Closed { .. }) {}
}

#[tokio::test]
async fn coordinator_asks_hooks_then_the_classifier_then_a_person() {
    let ground = Ground::new().await;
    // The hook's answer spares the classifier.
    let spared = Told::now(yes());
    let handler = CoordinatorHandler::new(with(ground.panel(vec![saying("deny")]), &spared));
    assert_eq!(
        handler.resolve(ground.request("ls")).await.outcome(),
        Outcome::DeniedByHook
    );
    assert_eq!(spared.asked(), 0);

    // Without one the classifier is asked, and its yes spares the dialog.
    let mut events = ground.requests.subscribe();
    let silent = || hook(ASKED, 1, "exit 0");
    let handler = CoordinatorHandler::new(with(ground.panel(vec![silent()]), &Told::now(yes())));
    assert_eq!(handler.resolve(ground.request("ls")).await.by, classifier());
    loop {
        match events.next().await.unwrap() {
            RequestEvent::Shown { .. } => panic!("it was shown"),
            RequestEvent::Opened(open) => assert!(!open.shown),
            RequestEvent::Closed { .. } => break,
            _ => {}
        }
    }

    // Its no goes on the dialog, which is shown then.
    let handler = CoordinatorHandler::new(with(ground.panel(vec![silent()]), &Told::now(no())));
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    assert!(
        advised(&mut events)
            .await
            .ends_with("would refuse: not harmless")
    );
    ground.shown(&mut events, request.id).await;
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
}

/// A classifier that breaks down.
struct Breaking;

#[async_trait::async_trait]
impl Classifier for Breaking {
    fn name(&self) -> &str {
        "breaking"
    }

    async fn classify(&self, _request: &PermissionRequest) -> ClassifierVote {
        panic!("a defect of the classifier")
    }
}

#[tokio::test]
async fn law_15_a_check_that_breaks_down_leaves_it_to_people_and_takes_nothing_with_it() {
    let ground = Ground::new().await;
    let panel = || Panel {
        classifier: Some(Arc::new(Breaking)),
        ..ground.panel(vec![])
    };
    let handlers: [Box<dyn PermissionHandler>; 2] = [
        Box::new(CoordinatorHandler::new(panel())),
        Box::new(InteractiveHandler::new(panel())),
    ];
    for handler in handlers {
        let request = ground.request("ls");
        let mut events = ground.requests.subscribe();
        let answering = async {
            ground.shown(&mut events, request.id).await;
            person_allows(&ground, request.id).await;
        };
        let (verdict, ()) = tokio::join!(handler.resolve(request.clone()), answering);
        assert_eq!(verdict.by, a_person());
    }
}

#[tokio::test]
async fn law_15_after_a_check_broke_down_no_hook_says_yes() {
    let ground = Ground::new().await;
    let panel = Panel {
        classifier: Some(Arc::new(Breaking)),
        ..ground.panel(vec![saying("allow")])
    };
    let handler = CoordinatorHandler::new(panel);
    // It stands in for the question there, so it comes before hooks.
    let request = in_auto(ground.request("ls"));
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
}

#[tokio::test]
async fn a_hook_that_failed_is_shown_on_the_dialog() {
    let ground = Ground::new().await;
    let handler = CoordinatorHandler::new(ground.panel(vec![hook(ASKED, 1, "exit 7")]));
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    let advice = advised(&mut events).await;
    assert_eq!(
        advice,
        "hook `settings.json:1:1` failed: it ended with code 7"
    );
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_15_a_failed_guard_keeps_the_classifier_from_saying_yes() {
    let ground = Ground::new().await;
    let ready = Told::now(yes());
    let broken = guard(hook(ASKED, 1, "exit 7"));
    let handler = CoordinatorHandler::new(with(ground.panel(vec![broken]), &ready));
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    assert_eq!(ready.asked(), 0);
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_12_unattended_hooks_have_their_turn_and_then_it_is_refused_at_once() {
    let ground = Ground::new().await;
    let each = |hooks: Vec<HookSetting>| -> Vec<Box<dyn PermissionHandler>> {
        let panel = unattended(ground.panel(hooks));
        vec![
            Box::new(InteractiveHandler::new(panel.clone())),
            Box::new(CoordinatorHandler::new(panel)),
        ]
    };
    for handler in each(vec![saying("allow")]) {
        assert_eq!(
            handler.resolve(ground.request("ls")).await.outcome(),
            Outcome::Allowed
        );
    }
    for hooks in [
        vec![],
        vec![hook(ASKED, 1, "exit 0")],
        vec![hook(ASKED, 1, "exit 1")],
    ] {
        for handler in each(hooks) {
            let verdict = handler.resolve(ground.request("ls")).await;
            assert_eq!(verdict.outcome(), Outcome::NobodyCanAnswer);
            assert_eq!(verdict.by, Answerer::Runtime);
        }
    }
    for handler in each(vec![guard(hook(ASKED, 1, "exit 1")), saying("allow")]) {
        let verdict = handler.resolve(ground.request("ls")).await;
        assert_eq!(verdict.outcome(), Outcome::NobodyCanAnswer);
        let VerdictKind::Ended { text, .. } = verdict.kind else {
            panic!()
        };
        assert!(text.contains("the guard failed"), "{text}");
    }
    assert!(ground.requests.list().is_empty());
}

#[tokio::test]
async fn law_2_unattended_what_must_be_asked_is_refused_unless_the_persons_own_hook_speaks() {
    let ground = Ground::new().await;
    let must = || {
        let mut request = ground.request("ls");
        request.judgement.insistence = Insistence::MustAsk;
        request
    };
    let resolve = |hooks| {
        let panel = with(unattended(ground.panel(hooks)), &Told::now(yes()));
        CoordinatorHandler::new(panel)
    };
    let refused = resolve(vec![saying("allow")]).resolve(must()).await;
    assert_eq!(refused.outcome(), Outcome::NobodyCanAnswer);
    let allowed = resolve(vec![users(saying("allow"))]).resolve(must()).await;
    assert_eq!(allowed.outcome(), Outcome::Allowed);
}

#[tokio::test]
async fn in_mode_auto_the_classifier_stands_in_for_the_question() {
    let ground = Ground::new().await;
    let auto = |insistence| {
        let mut request = ground.request("ls");
        request.mode = PermissionMode::Auto;
        request.judgement.insistence = insistence;
        request
    };
    for attended in [Attended::Yes, Attended::No] {
        let panel = |vote| Panel {
            attended,
            ..with(ground.panel(vec![]), &Told::now(vote))
        };
        let handlers = |vote: ClassifierVote| -> [Box<dyn PermissionHandler>; 2] {
            [
                Box::new(InteractiveHandler::new(panel(vote.clone()))),
                Box::new(CoordinatorHandler::new(panel(vote))),
            ]
        };
        for handler in handlers(yes()) {
            let verdict = handler.resolve(auto(Insistence::MayBeAnswered)).await;
            assert_eq!(
                (verdict.outcome(), verdict.by),
                (Outcome::Allowed, classifier())
            );
        }
        for handler in handlers(no()) {
            let verdict = handler.resolve(auto(Insistence::MayBeAnswered)).await;
            assert_eq!(verdict.outcome(), Outcome::DeniedByClassifier);
        }
    }
    let must = unattended(with(ground.panel(vec![]), &Told::now(yes())));
    let verdict = CoordinatorHandler::new(must)
        .resolve(auto(Insistence::MustAsk))
        .await;
    assert_eq!(verdict.outcome(), Outcome::NobodyCanAnswer);
}

#[tokio::test]
async fn a_request_that_can_not_be_stored_is_refused() {
    let ground = Ground::new().await;
    ground.ledger.close().await;
    let handler = CoordinatorHandler::new(ground.panel(vec![saying("allow")]));
    let verdict = handler.resolve(ground.request("ls")).await;
    assert_eq!(verdict.outcome(), Outcome::Unavailable);
}

#[tokio::test]
async fn a_passed_deadline_ends_the_checks_and_never_approves() {
    let ground = Ground::new().await;
    let slow = hook(ASKED, 1, &format!("sleep 600; {}", answers("allow", "")));
    let handler = CoordinatorHandler::new(ground.panel(vec![slow]));
    let mut request = ground.request("ls");
    request.deadline = ground.clock.now().plus(Millis(50));
    assert_eq!(handler.resolve(request).await.outcome(), Outcome::Expired);
}

fn in_auto(request: PermissionRequest) -> PermissionRequest {
    PermissionRequest {
        mode: PermissionMode::Auto,
        ..request
    }
}

fn not_judging(cause: NoVoteCause) -> Arc<Told> {
    Told::now(ClassifierVote::NoVote {
        cause,
        why: "so it is".into(),
    })
}

/// Each cause has its own end, none is a yes, and what can't be read or is refused too often halts the agent.
#[tokio::test]
async fn unattended_in_mode_auto_each_missing_vote_ends_in_its_own_way() {
    use AfterNoVote::{GoesOn, Halts};
    let ground = Ground::new().await;
    let cases = [
        (NoVoteCause::Unavailable, Outcome::Unavailable, GoesOn),
        (NoVoteCause::Unreadable, Outcome::Unavailable, GoesOn),
        (NoVoteCause::LeftToPeople, Outcome::NobodyCanAnswer, GoesOn),
        (NoVoteCause::TooLong, Outcome::NobodyCanAnswer, Halts),
        (NoVoteCause::OverLimits, Outcome::NobodyCanAnswer, Halts),
    ];
    assert_eq!(cases.len(), NoVoteCause::ALL.len());
    let mut texts = Vec::new();
    for (cause, outcome, afterwards) in cases {
        let panel = unattended(with(ground.panel(vec![]), &not_judging(cause)));
        let verdict = CoordinatorHandler::new(panel)
            .resolve(in_auto(ground.request("make")))
            .await;
        assert_eq!(verdict.outcome(), outcome, "{cause:?}");
        let VerdictKind::Unjudged { cause: told, text } = &verdict.kind else {
            panic!("{verdict:?}");
        };
        assert_eq!((*told, told.afterwards()), (cause, afterwards));
        assert!(text.contains("so it is"), "{text}");
        texts.push(text.clone());
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), cases.len());
}

/// A guard that fails besides does not keep an agent going whose action can't be judged.
#[tokio::test]
async fn unattended_a_failing_guard_hides_no_missing_vote() {
    let ground = Ground::new().await;
    for cause in NoVoteCause::ALL {
        let hooks = vec![guard(hook(ASKED, 1, "exit 1"))];
        let panel = unattended(with(ground.panel(hooks), &not_judging(cause)));
        let verdict = CoordinatorHandler::new(panel)
            .resolve(in_auto(ground.request("make")))
            .await;
        assert!(
            matches!(verdict.kind, VerdictKind::Unjudged { cause: of, .. } if of == cause),
            "{verdict:?}"
        );
    }
}

/// In each mode and at each handler a person is asked, and is told which of the causes it was.
#[tokio::test]
async fn attended_each_missing_vote_is_named_on_the_dialog() {
    let ground = Ground::new().await;
    for cause in NoVoteCause::ALL {
        for auto in [true, false] {
            let panel = || with(ground.panel(vec![]), &not_judging(cause));
            let handlers: [Box<dyn PermissionHandler>; 2] = [
                Box::new(CoordinatorHandler::new(panel())),
                Box::new(InteractiveHandler::new(panel())),
            ];
            for handler in handlers {
                let asked = ground.request("make");
                let request = if auto { in_auto(asked) } else { asked };
                let mut events = ground.requests.subscribe();
                let verdict = tokio::spawn({
                    let request = request.clone();
                    async move { handler.resolve(request).await }
                });
                let advice = loop {
                    if let RequestEvent::Advised { advice, .. } = events.next().await.unwrap() {
                        break advice;
                    }
                };
                assert_eq!(advice.no_vote, Some(cause));
                assert!(advice.text.contains(&cause.to_string()), "{}", advice.text);
                let open = ground.requests.get(request.id).unwrap();
                assert_eq!(open.advice.len(), 1);
                person_allows(&ground, request.id).await;
                assert_eq!(verdict.await.unwrap().by, a_person());
            }
        }
    }
}

/// A hook of the person's own may still answer what the classifier could not judge.
#[tokio::test]
async fn unattended_a_hook_answers_what_the_classifier_can_not_judge() {
    let ground = Ground::new().await;
    let told = Told::now(ClassifierVote::NoVote {
        cause: NoVoteCause::TooLong,
        why: "too long".into(),
    });
    let panel = unattended(with(ground.panel(vec![users(saying("allow"))]), &told));
    let verdict = CoordinatorHandler::new(panel)
        .resolve(in_auto(ground.request("make")))
        .await;
    assert_eq!(verdict.outcome(), Outcome::Allowed);
}

/// The verdict stands; the same call passes once more, and another one does not.
#[tokio::test]
async fn a_person_lifts_the_classifiers_no_for_the_same_call_once() {
    let ground = Ground::new().await;
    let told = Told::now(no());
    let panel = with(ground.panel(vec![]), &told);
    let lifts = panel.lifts.clone();
    let handler = CoordinatorHandler::new(panel);
    let bound = |command: &str| {
        let mut request = in_auto(ground.request(command));
        request.folder = ground.root();
        request.digest = pointsman_approvals::bind(
            &request.call,
            &request.folder,
            &request.lineage,
            request.context,
            &request.effects,
        )
        .unwrap();
        request
    };
    let first = bound("make");
    let refused = handler.resolve(first.clone()).await;
    assert_eq!(refused.outcome(), Outcome::DeniedByClassifier);
    assert_eq!(
        lifts.lift(bound("x").id, pointsman_model::Surface::Command),
        Lifted::NotRefused
    );
    assert_eq!(
        lifts.lift(first.id, pointsman_model::Surface::Command),
        Lifted::Now
    );
    assert_eq!(
        lifts.lift(first.id, pointsman_model::Surface::Command),
        Lifted::Before
    );
    let other = handler.resolve(bound("make install")).await;
    assert_eq!(other.outcome(), Outcome::DeniedByClassifier);
    let lifted = handler.resolve(bound("make")).await;
    assert_eq!(lifted.outcome(), Outcome::Allowed);
    assert!(matches!(lifted.by, Answerer::Person { .. }));
    let again = handler.resolve(bound("make")).await;
    assert_eq!(again.outcome(), Outcome::DeniedByClassifier);
}
