use super::*;
use crate::fixture::{grave, request};
use pointsman_model::{Digest, GrantScope};

const LATER: WallTime = WallTime(10_000);

/// A desk at which these requests came in, at time 0.
fn desk(requests: &[PermissionRequest]) -> Desk {
    let mut desk = Desk::default();
    for request in requests {
        desk.handle(Event::Shown(Arc::new(request.clone())), WallTime(0));
    }
    desk
}

fn keys(desk: &mut Desk, text: &str, at: WallTime) -> Vec<Effect> {
    desk.handle(Event::Keys(text.as_bytes().to_vec()), at)
}

/// The answers among the effects: which request, in short what.
fn answers(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Answer(request, kind) => Some(format!("{} {}", request.id, in_short(kind))),
            _ => None,
        })
        .collect()
}

fn in_short(kind: &VerdictKind) -> String {
    match kind {
        VerdictKind::Allow { grant: None, .. } => "allow".into(),
        VerdictKind::Allow {
            grant: Some(grant), ..
        } => format!("allow+{}", grant.rules[0]),
        VerdictKind::Deny { text: Some(text) } => format!("deny:{text}"),
        VerdictKind::Deny { text: None } => "deny".into(),
        VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => "ended".into(),
    }
}

fn said(effects: &[Effect]) -> String {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Say(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn verdict(by: Answerer) -> Verdict {
    Verdict {
        kind: VerdictKind::Allow {
            edited: None,
            grant: None,
        },
        by,
        at: LATER,
        digest: Digest::of(b""),
    }
}

#[track_caller]
fn check(request: PermissionRequest, line: &str, expect: &[&str]) {
    let mut desk = desk(&[request]);
    let effects = keys(&mut desk, &format!("{line}\r"), LATER);
    assert_eq!(answers(&effects), expect, "`{line}`");
}

#[test]
fn a_typed_word_answers_the_request_in_focus() {
    let push = || request(1, "git push origin main");
    check(push(), "allow", &["r3-1 allow"]);
    check(
        push(),
        "session",
        &["r3-1 allow+Bash(git push origin main)"],
    );
    check(push(), "session 2", &["r3-1 allow+Bash(git push *)"]);
    check(push(), "session 3", &[]);
    check(push(), "deny not today", &["r3-1 deny:not today"]);
    check(push(), "", &[]);
    check(push(), "y", &[]);
    check(push(), "allow r3-2", &[]);
}

#[test]
fn what_can_t_be_had_back_wants_its_id_said() {
    check(grave(1, "rm -rf build"), "allow", &[]);
    check(grave(1, "rm -rf build"), "allow r3-1", &["r3-1 allow"]);
}

#[test]
fn a_grant_goes_to_the_agent_that_asked_unless_more_is_said() {
    let mut desk = desk(&[request(1, "git push")]);
    let effects = keys(&mut desk, "session job\r", LATER);
    let scope = effects.iter().find_map(|effect| match effect {
        Effect::Answer(_, VerdictKind::Allow { grant, .. }) => grant.clone().map(|g| g.scope),
        _ => None,
    });
    let job = request(1, "").lineage.steps()[0].worker;
    assert_eq!(scope, Some(GrantScope::Job { worker: job }));
}

#[test]
fn first_come_first_shown_and_the_answer_is_for_what_is_drawn() {
    let mut desk = desk(&[request(1, "one"), request(2, "two")]);
    let effects = keys(&mut desk, "allow\r", LATER);
    assert_eq!(answers(&effects), ["r3-1 allow"]);
    let person = Answerer::Person {
        surface: Surface::Terminal,
    };
    let id = request(1, "").id;
    let effects = desk.handle(Event::Closed(id, verdict(person)), LATER);
    assert!(said(&effects).contains("│ two"), "{}", said(&effects));
    assert!(effects.contains(&Effect::DropInput));
}

#[test]
fn a_dialog_closes_with_who_was_first() {
    let mut desk = desk(&[request(1, "one"), request(2, "two")]);
    keys(&mut desk, "deny becau", LATER);
    let by = Answerer::Person {
        surface: Surface::Command,
    };
    let id = request(1, "").id;
    let effects = desk.handle(Event::Closed(id, verdict(by)), LATER);
    assert!(
        said(&effects).starts_with(
            "r3-1  allowed by a person by command; what you were typing was not sent\n"
        )
    );
    // The rest of the sentence goes to the next request as what it is: no answer.
    let effects = keys(&mut desk, "se of the tests\r", LATER);
    assert_eq!(answers(&effects), Vec::<String>::new());
}

#[test]
fn what_was_typed_before_a_dialog_is_dropped() {
    let mut desk = Desk::default();
    keys(&mut desk, "al", WallTime(0));
    let shown = Arc::new(request(1, "one"));
    let effects = desk.handle(Event::Shown(shown), WallTime(1));
    assert!(effects.contains(&Effect::DropInput));
    let effects = keys(&mut desk, "low\r", LATER);
    assert_eq!(answers(&effects), Vec::<String>::new());
}

#[test]
fn law_13_keys_in_the_grace_are_no_touch_and_a_whole_answer_counts_at_once() {
    let touched = |effects: &[Effect]| effects.iter().any(|e| matches!(e, Effect::Touch(_)));
    let mut first = desk(&[request(1, "one")]);
    assert!(!touched(&keys(&mut first, "a", WallTime(199))));
    assert!(touched(&keys(&mut first, "l", WallTime(200))));
    assert!(!touched(&keys(&mut first, "l", WallTime(201))));
    let mut second = desk(&[request(1, "one")]);
    let effects = keys(&mut second, "allow\r", WallTime(50));
    assert_eq!(answers(&effects), ["r3-1 allow"]);
}

#[test]
fn an_answer_is_sent_once() {
    let mut desk = desk(&[request(1, "one")]);
    let effects = keys(&mut desk, "allow\rdeny\r", LATER);
    assert_eq!(answers(&effects), ["r3-1 allow"]);
    let id = request(1, "").id;
    desk.handle(Event::Refused(id, "the disk is full".into()), LATER);
    let effects = keys(&mut desk, "deny\r", LATER);
    assert_eq!(answers(&effects), ["r3-1 deny"]);
}

#[test]
fn stop_refuses_and_ends_the_run() {
    let mut desk = desk(&[request(1, "one")]);
    let effects = keys(&mut desk, "stop\r", LATER);
    assert_eq!(answers(&effects), ["r3-1 deny:the run was stopped"]);
    assert!(effects.contains(&Effect::Stop));
}

#[test]
fn others_are_counted_listed_and_can_be_turned_to() {
    let mut desk = desk(&[request(1, "one"), request(2, "two"), request(3, "three")]);
    let effects = keys(&mut desk, "list\r", LATER);
    assert_eq!(
        said(&effects),
        "r3-1  9s  docs › links: Bash one\nr3-2  9s  docs › links: Bash two\n\
         r3-3  9s  docs › links: Bash three\n"
    );
    assert_eq!(
        effects.last(),
        Some(&Effect::Prompt("r3-1 (2 more)> ".into()))
    );
    keys(&mut desk, "r3-3\r", LATER);
    let effects = keys(&mut desk, "allow\r", LATER);
    assert_eq!(answers(&effects), ["r3-3 allow"]);
}

#[test]
fn after_missed_news_the_list_counts() {
    let mut desk = desk(&[request(1, "one"), request(2, "two")]);
    let open = vec![Arc::new(request(2, "two")), Arc::new(request(3, "three"))];
    let effects = desk.handle(Event::Listed(open), LATER);
    assert!(said(&effects).contains("│ two"), "{}", said(&effects));
    assert_eq!(
        effects.last(),
        Some(&Effect::Prompt("r3-2 (1 more)> ".into()))
    );
}
