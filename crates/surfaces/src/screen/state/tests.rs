//! Answers, told as keys and what came of them; and what news may not do to the view.

use std::sync::Arc;

use pointsman_approvals::Advice;
use pointsman_model::{
    Answerer, EditInput, GrantScope, JsonText, Lineage, PermissionRequest, RequestId, RuleText,
    Surface, ToolInput, ToolName, VerdictKind,
};
use ratatui::layout::Size;

use super::*;
use crate::fixture;
use crate::screen::key::Key;
use crate::screen::stage::{Stage, request_of, step};

fn id(number: u32) -> RequestId {
    RequestId::new(fixture::run(), number)
}

/// Answers in words: `r3-17 yes`, `r3-17 yes edited`, `r3-17 yes grant [..] to ..`, `r3-17 no: text`.
fn told(stage: &Stage) -> Vec<String> {
    let words = |(request, kind): (Arc<PermissionRequest>, VerdictKind)| {
        let what = match kind {
            VerdictKind::Allow {
                edited: None,
                grant: None,
            } => "yes".to_owned(),
            VerdictKind::Allow {
                edited: Some(edited),
                ..
            } => format!("yes edited {}", edited.as_str()),
            VerdictKind::Allow {
                grant: Some(grant), ..
            } => {
                let rules: Vec<&str> = grant.rules.iter().map(RuleText::as_str).collect();
                let scope = match grant.scope {
                    GrantScope::Call { .. } => "call",
                    GrantScope::Worker { .. } => "agent",
                    GrantScope::Job { .. } => "job",
                    GrantScope::Run { .. } => "run",
                };
                format!("yes grant {rules:?} to {scope}")
            }
            VerdictKind::Deny { text: None } => "no".to_owned(),
            VerdictKind::Deny { text: Some(text) } => format!("no: {text}"),
            VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => "ended".to_owned(),
        };
        format!("{} {what}", request.id)
    };
    stage.answers().into_iter().map(words).collect()
}

#[track_caller]
fn check(request: PermissionRequest, keys: &str, answers: &[&str]) {
    let mut stage = Stage::new(80, 40);
    stage.asks(request).press(keys);
    assert_eq!(told(&stage), answers, "{keys}\n{}", stage.text());
}

#[test]
fn a_usual_request_is_answered_by_two_acts_or_a_word() {
    let push = || fixture::request(17, "git push");
    check(push(), "<enter>a<C-y>", &["r3-17 yes"]);
    check(push(), "<enter>d<enter>", &["r3-17 no"]);
    check(
        push(),
        "<enter>duse the other branch 1<enter>",
        &["r3-17 no: use the other branch 1"],
    );
    let grant = |rule: &str, scope: &str| format!("r3-17 yes grant [{rule:?}] to {scope}");
    for (keys, rule, scope) in [
        ("<enter>a<down><C-y>", "Bash(git push)", "agent"),
        ("<enter>a<down><down><C-y>", "Bash(git push)", "job"),
        ("<enter>a<down><down><down><C-y>", "Bash(git push)", "run"),
        ("<enter>a<down><right><C-y>", "Bash(git push *)", "agent"),
        (
            "<enter>a<down>e<bs> --dry-run)<C-y>",
            "Bash(git push --dry-run)",
            "agent",
        ),
        (
            "<enter>a<down>e<bs> x)<esc><C-y>",
            "Bash(git push x)",
            "agent",
        ),
    ] {
        check(push(), keys, &[&grant(rule, scope)]);
    }
    check(
        push(),
        "<enter>e -n<C-y>r3-17<enter>",
        &[r#"r3-17 yes edited {"command":"git push -n"}"#],
    );
}

#[test]
fn what_is_not_an_answer() {
    let push = || fixture::request(17, "git push");
    for keys in [
        "<enter>a<enter>",
        "<enter>a y<enter>yes<enter>",
        "<enter><C-y><C-y>",
        "<C-y>",
        "<enter>a<esc><C-y>",
        "<enter>d<C-y>",
        "<enter>dno way<esc><enter>",
        // Nothing is changed.
        "<enter>e<C-y>",
        // No rule, or none that may be granted.
        "<enter>a<down>e<C-u><C-y>",
        "<enter>a<down>e<bs><C-y>",
        "<enter>e<C-c><enter>",
    ] {
        check(push(), keys, &[]);
    }
}

#[test]
fn what_can_t_be_had_back_takes_its_id_too() {
    let remove = || fixture::grave(17, "rm -rf build");
    check(remove(), "<enter>a<C-y>", &[]);
    check(remove(), "<enter>a<C-y><C-y><enter>y<enter>", &[]);
    check(remove(), "<enter>a<C-y>r3-1<enter>", &[]);
    check(remove(), "<enter>a<C-y>r3-17<enter>", &["r3-17 yes"]);
    check(remove(), "<enter>a<C-y>r3-17<esc><enter>", &[]);
    check(remove(), "<enter>d<enter>", &["r3-17 no"]);
    check(
        remove(),
        "<enter>e2<C-y>r3-17<enter>",
        &[r#"r3-17 yes edited {"command":"rm -rf build2"}"#],
    );
}

#[test]
fn an_edit_of_each_tool_is_written_back_into_its_input() {
    let mut edit = fixture::request(17, "x");
    let input = EditInput {
        file_path: "/w/proj/a.rs".into(),
        old_string: "80".into(),
        new_string: "8080".into(),
        replace_all: None,
    };
    edit.call.tool = ToolName::parse("Edit").unwrap();
    edit.call.text = JsonText::of(&input).unwrap();
    edit.call.input = ToolInput::Edit(input);
    check(
        edit,
        "<enter>e1<C-y>r3-17<enter>",
        &[
            r#"r3-17 yes edited {"file_path":"/w/proj/a.rs","new_string":"80801","old_string":"80"}"#,
        ],
    );
    let mut other = fixture::request(18, "x");
    other.call.text = JsonText::parse(r#"{"q":1}"#).unwrap();
    other.call.input = ToolInput::Other(pointsman_model::OtherInput {
        raw: other.call.text.clone(),
    });
    check(other.clone(), "<enter>e<bs><C-y>", &[]);
    check(
        other,
        r#"<enter>e<bs>,"r":2}<C-y>r3-18<enter>"#,
        &[r#"r3-18 yes edited {"q":1,"r":2}"#],
    );
}

#[test]
fn nothing_is_approved_before_it_was_read_to_its_end() {
    let long = fixture::request(17, &"echo line\n".repeat(60));
    check(long.clone(), "<enter>a<C-y>", &[]);
    check(long.clone(), "<enter><end>a<C-y>", &[]);
    check(long.clone(), "<enter>e1<C-y>", &[]);
    check(long.clone(), "<enter>d<enter>", &["r3-17 no"]);
    check(
        long.clone(),
        "<enter><pgdn><pgdn><pgdn><pgdn><pgdn>a<C-y>",
        &["r3-17 yes"],
    );
    // Pages that were passed without a frame between them were not seen.
    let mut stage = Stage::new(80, 40);
    stage.asks(long).press("<enter>").see();
    for _ in 0..6 {
        stage.take(Event::Key(Key::PageDown));
    }
    stage.press("a<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
}

#[test]
fn a_resize_has_what_was_read_in_part_read_again() {
    let long = fixture::request(17, &"echo line\n".repeat(60));
    let mut stage = Stage::new(80, 40);
    stage.asks(long).press("<enter><pgdn>");
    stage.take(Event::Resized(Size::new(60, 30)));
    stage.press("<end>a<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
    // A panel that the new size has not shown yet sends nothing.
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(17, "git push"))
        .press("<enter>a")
        .see();
    stage.take(Event::Resized(Size::new(30, 5)));
    stage.take(Event::Key(Key::Chord('y')));
    stage.press("<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
    stage.take(Event::Resized(Size::new(80, 40)));
    stage.take(Event::Key(Key::Chord('y')));
    assert_eq!(told(&stage), Vec::<String>::new());
    stage.press("<C-y>");
    assert_eq!(told(&stage), ["r3-17 yes"]);
}

#[test]
fn law_13_a_key_after_the_grace_is_a_touch_and_one_in_it_is_dropped() {
    let touches = |stage: &Stage| {
        let touch = |effect: &&Effect| matches!(effect, Effect::Touch(_));
        stage.effects.iter().filter(touch).count()
    };
    let mut stage = Stage::new(80, 40);
    stage.asks(fixture::request(17, "git push"));
    stage.take(Event::Key(Key::Enter));
    // Nothing of it was drawn yet.
    stage.wait(5_000).take(Event::Key(Key::Char('a')));
    stage.take(Event::Drawn).wait(150);
    stage.take(Event::Key(Key::Char('a')));
    assert_eq!(touches(&stage), 0);
    stage.press("<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
    assert_eq!(
        stage
            .effects
            .iter()
            .filter(|e| **e == Effect::Touch(id(17)))
            .count(),
        1
    );
    stage.press("<down><up>");
    assert_eq!(touches(&stage), 1);
}

#[test]
fn law_13_the_approving_chord_claims_in_the_grace_of_its_panel_too() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(17, "git push"))
        .press("<enter>a");
    // The frame with the panel was drawn just now.
    stage.take(Event::Key(Key::Chord('y')));
    assert_eq!(told(&stage), ["r3-17 yes"]);
}

#[test]
fn one_answer_is_sent_once_and_the_next_request_follows() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(1, "one"))
        .asks(fixture::request(2, "two"))
        .press("<enter>a<C-y><C-y><C-y>a<C-y>");
    assert_eq!(told(&stage), ["r3-1 yes"]);
    stage.answers_get_in();
    assert!(
        stage.text().contains("r3-2  docs › links asks"),
        "{}",
        stage.text()
    );
    // What was typed before the next one was drawn is not for it.
    stage
        .take(Event::Key(Key::Char('a')))
        .take(Event::Key(Key::Chord('y')));
    assert_eq!(told(&stage), Vec::<String>::new());
    stage.press("a<C-y>").answers_get_in();
    assert!(
        stage.text().contains("nothing waits for you"),
        "{}",
        stage.text()
    );
}

#[test]
fn an_answer_that_did_not_get_in_may_be_given_again() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(1, "one"))
        .press("<enter>a<C-y>");
    stage.take(Event::Refused(id(1), "can't be recorded".into()));
    assert!(
        stage.text().contains("r3-1 can't be recorded"),
        "{}",
        stage.text()
    );
    stage.press("a<C-y>");
    assert_eq!(told(&stage), ["r3-1 yes", "r3-1 yes"]);
}

#[test]
fn equal_requests_fold_and_a_bulk_answer_covers_what_was_previewed() {
    let agents: Vec<Lineage> = (1..=4)
        .map(|number| Lineage::root(step(number, &format!("job-{number}"))))
        .collect();
    let push = |number: u32| request_of(number, "git push", &agents[number as usize - 1]);
    let mut stage = Stage::new(80, 40);
    stage
        .asks(push(1))
        .asks(push(2))
        .asks(push(3))
        .press("<enter>");
    assert!(
        stage.text().contains("asked by 3 agents alike"),
        "{}",
        stage.text()
    );
    // One more comes while the three are read.
    stage.asks(push(4)).press("a<down><C-y>");
    assert_eq!(told(&stage), ["r3-1 yes", "r3-2 yes", "r3-3 yes"]);
    stage.answers_get_in();
    assert_eq!(stage.state.queue.len(), 1);
    // One that has ended meanwhile is left out.
    let mut stage = Stage::new(80, 40);
    stage
        .asks(push(1))
        .asks(push(2))
        .asks(push(3))
        .press("<enter>a<down>");
    stage.ends(&push(2), Surface::Command, VerdictKind::Deny { text: None });
    assert!(
        stage.text().contains("r3-1 and 1 alike"),
        "{}",
        stage.text()
    );
    stage.press("<C-y>");
    assert_eq!(told(&stage), ["r3-1 yes", "r3-3 yes"]);
    // Another folder, another question.
    let mut elsewhere = push(2);
    elsewhere.folder = pointsman_model::AbsPath::parse("/w/other").unwrap();
    let mut stage = Stage::new(80, 40);
    stage.asks(push(1)).asks(elsewhere);
    assert_eq!(stage.state.queue.rows("").count(), 2);
}

#[test]
fn grave_requests_in_bulk_take_their_number() {
    let agent = |number| Lineage::root(step(number, "job"));
    let mut stage = Stage::new(80, 40);
    for number in 1..=2 {
        let mut request = fixture::grave(number, "rm -rf build");
        request.lineage = agent(number);
        stage.asks(request);
    }
    stage.press("<enter>a<down><C-y>r3-1<enter>");
    assert_eq!(told(&stage), Vec::<String>::new());
    stage.press("<bs><bs><bs><bs>all 2<enter>");
    assert_eq!(told(&stage), ["r3-1 yes", "r3-2 yes"]);
}

#[test]
fn a_no_to_all_of_an_agent_covers_those_that_were_listed() {
    let docs = Lineage::root(step(1, "docs"));
    let below = docs.child(step(2, "links"));
    let other = Lineage::root(step(3, "other"));
    let mut stage = Stage::new(80, 40);
    stage
        .asks(request_of(1, "one", &docs))
        .asks(request_of(2, "two", &below))
        .asks(request_of(3, "three", &other))
        .press("<enter>x");
    assert!(
        stage
            .text()
            .contains("no to all 2 that docs and agents below it ask now"),
        "{}",
        stage.text()
    );
    stage
        .asks(request_of(4, "four", &docs))
        .press("not now<enter>");
    assert_eq!(told(&stage), ["r3-1 no: not now", "r3-2 no: not now"]);
}

#[test]
fn one_that_ends_elsewhere_stays_under_the_person_and_answers_nothing() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage
        .asks(one.clone())
        .asks(fixture::request(2, "two"))
        .press("<enter>a");
    stage.ends(&one, Surface::Command, VerdictKind::Deny { text: None });
    let ended = "denied by a person by command, 0s ago";
    assert!(stage.text().contains(ended), "{}", stage.text());
    stage.press("<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
    assert!(
        stage.text().contains("nothing was sent"),
        "{}",
        stage.text()
    );
    stage.press("ad<enter>");
    assert!(
        stage.text().contains("r3-2  docs › links asks"),
        "{}",
        stage.text()
    );
    assert_eq!(told(&stage), Vec::<String>::new());
}

#[test]
fn a_request_that_is_gone_and_comes_again_is_another_question() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage.asks(one.clone()).press("<enter>a");
    stage.ends(&one, Surface::Command, VerdictKind::Deny { text: None });
    stage.asks(fixture::request(2, "one")).press("<C-y>a<C-y>");
    assert_eq!(told(&stage), Vec::<String>::new());
    assert_eq!(stage.state.queue.rows("").count(), 2);
}

#[test]
fn a_checkers_word_comes_into_the_request_that_is_read() {
    let mut stage = Stage::new(80, 60);
    stage.asks(fixture::request(1, "one")).press("<enter>");
    stage.take(Event::Advised(
        id(1),
        Advice::says(
            Answerer::Classifier {
                name: "guard".into(),
            },
            "looks\nodd",
        ),
    ));
    let text = stage.text();
    assert!(text.contains("what checks say of it"), "{text}");
    assert!(text.contains("│ looks\n│ odd"), "{text}");
}

#[test]
fn missed_news_are_made_up_for() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(1, "one"))
        .asks(fixture::request(2, "two"));
    let again = vec![
        crate::screen::stage::open(fixture::request(2, "two")),
        crate::screen::stage::open(fixture::request(3, "three")),
    ];
    stage.take(Event::Listed(again));
    let mut ids = stage.state.queue.ids();
    ids.sort();
    assert_eq!(ids, [id(2), id(3)]);
}

#[test]
fn a_filter_hides_rows_and_never_answers_them() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(1, "git push"))
        .asks(fixture::request(2, "cargo test"))
        .press("/cargo<enter>");
    let text = stage.text();
    assert!(
        text.contains("only with `cargo`") && !text.contains("git push"),
        "{text}"
    );
    stage.press("<enter>");
    assert!(stage.text().contains("r3-2  docs"), "{}", stage.text());
    stage.press("<esc><esc>");
    assert!(stage.text().contains("git push"), "{}", stage.text());
}

#[test]
fn a_transcript_is_read_searched_and_followed() {
    let docs = Lineage::root(step(1, "docs"));
    let worker = docs.agent().worker;
    let request = request_of(1, "make all", &docs);
    let mut stage = Stage::new(80, 20);
    stage.spawned(&docs).press("<tab><down><down><enter>");
    assert!(
        stage.effects.contains(&Effect::Load(worker)),
        "{:?}",
        stage.effects
    );
    stage.take(Event::Loaded(worker, Vec::new()));
    stage
        .runs(&request)
        .call_ends(&request, None, &"built\n".repeat(30));
    stage.call_ends(&request, None, "the last one");
    let text = stage.text();
    assert!(
        text.contains("│ the last one") && !text.contains("make all"),
        "{text}"
    );
    stage.press("/MAKE<enter>");
    assert!(stage.text().contains("│ make all"), "{}", stage.text());
    stage.press("<esc><esc>");
    assert!(
        stage.text().contains("requests, in order of arrival"),
        "{}",
        stage.text()
    );
}

#[test]
fn the_bell_rings_when_somebody_begins_to_wait_and_not_for_each() {
    let rings = |stage: &Stage| {
        let ring = |effect: &&Effect| **effect == Effect::Ring;
        stage.effects.iter().filter(ring).count()
    };
    let mut stage = Stage::new(80, 40);
    let one = fixture::request(1, "one");
    stage.asks(one.clone()).asks(fixture::request(2, "two"));
    stage.take(Event::Shown(crate::screen::stage::open(one)));
    assert_eq!(rings(&stage), 1);
    stage.wait(6_000).asks(fixture::request(3, "three"));
    assert_eq!(rings(&stage), 2);
}
