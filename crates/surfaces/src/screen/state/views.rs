//! What the views tell beside requests that wait: states, transcripts, what the classifier refused.

use pointsman_ledger::{
    RecordBody, RequestClosed, RequestOpened, Showing, Speaker, TurnTaken, WorkerEnd,
};
use pointsman_model::{
    Answerer, Lineage, PermissionMode, PermissionRequest, RequestId, Surface, Verdict, VerdictKind,
};

use crate::fixture;
use crate::screen::event::{Effect, Event};
use crate::screen::stage::{Stage, request_of, step};
use crate::screen::state::Seat;

fn id(number: u32) -> RequestId {
    RequestId::new(fixture::run(), number)
}

#[test]
fn secrets_in_a_transcript_are_masked_until_they_are_asked_for() {
    let docs = Lineage::root(step(1, "docs"));
    let worker = docs.agent().worker;
    let request = request_of(1, "export API_KEY=hunter2hunter2", &docs);
    let mut stage = Stage::new(80, 20);
    stage
        .spawned(&docs)
        .runs(&request)
        .press("<tab><down><down>");
    assert!(!stage.text().contains("hunter2"), "{}", stage.text());
    stage.press("<enter>");
    stage.take(Event::Loaded(worker, Vec::new()));
    stage
        .runs(&request)
        .call_ends(&request, None, "password: correct-horse");
    let text = stage.text();
    assert!(
        text.contains("│ export API_KEY=‹secret, 14 characters›")
            && text.contains("│ password: ‹secret, 13 characters›"),
        "{text}"
    );
    stage.press("r");
    let text = stage.text();
    assert!(
        text.contains("API_KEY=hunter2hunter2") && text.contains("secrets shown"),
        "{text}"
    );
    stage.press("r");
    assert!(!stage.text().contains("hunter2"), "{}", stage.text());
}

#[test]
fn an_agent_waits_for_its_model_from_what_that_is_told_to_what_it_says() {
    let docs = Lineage::root(step(1, "docs"));
    let request = request_of(1, "make all", &docs);
    let mut stage = Stage::new(80, 20);
    let turn = |speaker| {
        RecordBody::TurnTaken(TurnTaken {
            worker: docs.agent().worker,
            number: 1,
            speaker,
            parts: Vec::new(),
            spent: None,
        })
    };
    stage.spawned(&docs).record(turn(Speaker::Person));
    // However long it thinks, it is not silent.
    stage.wait(75_000).see();
    assert!(
        stage.text().contains("~ docs") && stage.text().contains("waits for the model, 1m"),
        "{}",
        stage.text()
    );
    stage.record(turn(Speaker::Model)).see();
    assert!(stage.text().contains("· docs"), "{}", stage.text());
    stage.runs(&request).see();
    assert!(
        stage.text().contains("runs Bash make all"),
        "{}",
        stage.text()
    );
    stage
        .call_ends(&request, None, "built")
        .record(turn(Speaker::Person))
        .see();
    assert!(stage.text().contains("waits for the model"));
    stage.asks(request).see();
    assert!(stage.text().contains("waits for you"), "{}", stage.text());
}

/// A question that the classifier refuses in the person's place, on record.
fn refused_by_classifier(stage: &mut Stage, mut request: PermissionRequest) {
    request.mode = PermissionMode::Auto;
    request.opened_at = stage.now;
    let by = Answerer::Classifier {
        name: "small".into(),
    };
    stage.record(RecordBody::RequestOpened(Box::new(RequestOpened {
        request: request.clone(),
        showing: Showing::AfterChecks,
    })));
    close(
        stage,
        &request,
        by,
        VerdictKind::Deny {
            text: Some("it talks to a stranger".into()),
        },
    );
}

fn close(stage: &mut Stage, request: &PermissionRequest, by: Answerer, kind: VerdictKind) {
    let at = stage.now;
    stage.record(RecordBody::RequestClosed(RequestClosed {
        request: request.id,
        call: request.call.id,
        verdict: Verdict {
            kind,
            by,
            at,
            digest: request.digest,
        },
    }));
}

#[track_caller]
fn sees(stage: &Stage, text: &str) {
    assert!(stage.text().contains(text), "{text}\n{}", stage.text());
}

#[test]
fn a_classifiers_no_is_read_and_lifted_like_a_request() {
    let docs = Lineage::root(step(1, "docs"));
    let first = request_of(1, "curl example.org", &docs);
    let mut stage = Stage::new(80, 24);
    stage.spawned(&docs).press("c");
    sees(&stage, "no classifier has refused anything");
    refused_by_classifier(&mut stage, first.clone());
    stage.see();
    sees(&stage, "c refused by the classifier");
    sees(&stage, "nothing waits for you");
    stage.press("c<enter>");
    sees(&stage, "r3-1  docs was refused by the classifier");
    // What answers a question that waits does nothing here.
    stage.press("<end><pgdn>dxe");
    sees(&stage, "`a` lifts that");
    sees(&stage, "it talks to a stranger");
    stage.press("a");
    sees(&stage, "lift the classifier's no to r3-1");
    // Enter is no yes.
    stage.press("<enter>y");
    let lifts = |stage: &Stage| {
        let lift = |effect: &&Effect| matches!(effect, Effect::Lift(_));
        stage.effects.iter().filter(lift).count()
    };
    assert_eq!((lifts(&stage), stage.answers().len()), (0, 0));
    stage.press("<C-y>");
    assert_eq!((lifts(&stage), stage.answers().len()), (1, 0));
    assert!(!stage.effects.contains(&Effect::Touch(id(1))));
    stage
        .take(Event::Lifted(id(1), "r3-1 is lifted now".into()))
        .see();
    sees(&stage, "r3-1 is lifted now");

    // It is asked for again, and passes: nothing is left to lift.
    let mut again = request_of(2, "curl example.org", &docs);
    again.mode = PermissionMode::Auto;
    stage.record(RecordBody::RequestOpened(Box::new(RequestOpened {
        request: again.clone(),
        showing: Showing::AfterChecks,
    })));
    let person = Answerer::Person {
        surface: Surface::Terminal,
    };
    close(
        &mut stage,
        &again,
        person,
        VerdictKind::Allow {
            edited: None,
            grant: None,
        },
    );
    stage.press("<esc>");
    sees(&stage, "it was asked for again, and passed: Bash curl");
    stage.press("c");
    sees(&stage, "requests, in order of arrival");
}

/// To lift the no to something that can't be had back takes the second act too: its id, typed out.
#[test]
fn a_grave_lift_takes_its_id() {
    let docs = Lineage::root(step(1, "docs"));
    let mut grave = fixture::grave(1, "rm -rf build");
    grave.lineage = docs.clone();
    let mut stage = Stage::new(80, 24);
    stage.spawned(&docs);
    refused_by_classifier(&mut stage, grave);
    let lifts = |stage: &Stage| {
        let lift = |effect: &&Effect| matches!(effect, Effect::Lift(_));
        stage.effects.iter().filter(lift).count()
    };
    stage.see();
    stage.press("c<enter><end><pgdn>a<C-y>");
    sees(&stage, "to run it, type `r3-1` and press Enter");
    stage.press("<C-y><enter>y<enter>");
    assert_eq!(lifts(&stage), 0);
    stage.press("<bs>r3-1<enter>");
    assert_eq!((lifts(&stage), stage.answers().len()), (1, 0));
}

/// A screen full of refusals costs no more than what can be lifted, and those of an agent go with it.
#[test]
fn refusals_are_forgotten_with_their_agent_and_beyond_a_bound() {
    let docs = Lineage::root(step(1, "docs"));
    let mut stage = Stage::new(80, 24);
    stage.spawned(&docs);
    for number in 1..=300 {
        refused_by_classifier(
            &mut stage,
            request_of(number, &format!("curl {number}"), &docs),
        );
    }
    assert_eq!(stage.state.refused.list.len(), 256);
    stage.worker_ends(docs.agent().worker, WorkerEnd::Done, "done");
    assert_eq!(stage.state.refused.list.len(), 0);
}

/// However narrow the screen is, the key that tells all others is on it.
#[test]
fn the_help_is_named_in_every_view() {
    let docs = Lineage::root(step(1, "docs"));
    for width in [40, 60, 80] {
        let mut stage = Stage::new(width, 24);
        stage.state.seat = Seat::Attached;
        stage.spawned(&docs).asks(request_of(1, "make all", &docs));
        for keys in [
            "",
            "<tab>",
            "<down><down><enter>",
            "<esc><tab><down><enter>",
        ] {
            stage.press(keys).see();
            let text = stage.text();
            let last = text.lines().last().unwrap();
            assert!(last.ends_with("? help"), "{keys}, {width}: {last}");
        }
        stage.press("?");
        assert!(stage.text().contains("this help"), "{}", stage.text());
    }
}

#[test]
fn what_a_key_came_to_goes_with_the_next_key_and_news_go_with_time() {
    let one = fixture::request(1, "one");
    let nothing = "no classifier has refused anything";
    let mut stage = Stage::new(80, 24);
    stage.asks(one.clone()).press("c").wait(60_000).see();
    assert!(stage.text().contains(nothing), "{}", stage.text());
    stage.press("<enter>");
    assert!(!stage.text().contains(nothing), "{}", stage.text());
    stage.press("<esc>");
    stage.ends(&one, Surface::Command, VerdictKind::Deny { text: None });
    let news = "r3-1 denied by";
    stage.press("<tab>");
    assert!(stage.text().contains(news), "{}", stage.text());
    stage.wait(10_000).take(Event::Tick);
    assert!(!stage.text().contains(news), "{}", stage.text());
}

#[test]
fn a_window_that_is_too_small_says_how_to_get_away() {
    let mut stage = Stage::new(38, 9);
    assert!(stage.text().contains("Ctrl-C twice"), "{}", stage.text());
    stage.press("q");
    assert_eq!(stage.state.seat, Seat::Leading);
    stage.press("<C-c>");
    assert!(
        stage.text().contains("Ctrl-C once more"),
        "{}",
        stage.text()
    );
    stage.press("<esc>");
    stage.state.seat = Seat::Attached;
    assert!(stage.text().contains("q, or"), "{}", stage.text());
    stage.press("q");
    assert_eq!(stage.state.seat, Seat::Left);
}
