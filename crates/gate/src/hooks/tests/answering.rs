//! Hooks that answer a request, and what follows their answer.

use super::*;

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
        ..HookSettings::default()
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
