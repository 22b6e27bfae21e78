use pointsman_model::{Lineage, PermissionRequest, Surface, VerdictKind};

use crate::fixture;
use crate::screen::event::Event;
use crate::screen::stage::{Stage, request_of, step};

const YES: VerdictKind = VerdictKind::Allow {
    edited: None,
    grant: None,
};
const NO: VerdictKind = VerdictKind::Deny { text: None };

#[track_caller]
fn sees(stage: &Stage, text: &str) {
    assert!(stage.text().contains(text), "{text}\n{}", stage.text());
}

#[track_caller]
fn misses(stage: &Stage, text: &str) {
    assert!(!stage.text().contains(text), "{text}\n{}", stage.text());
}

/// Whom answers were sent to, since the last that got in.
fn answered(stage: &Stage) -> Vec<u32> {
    let answers = stage.answers().into_iter();
    answers.map(|(request, _)| request.id.number()).collect()
}

/// The same question of so many agents.
fn alike(
    count: u32,
    question: impl Fn(u32) -> PermissionRequest,
) -> (Stage, Vec<PermissionRequest>) {
    let mut stage = Stage::new(80, 50);
    let asks = |number| PermissionRequest {
        lineage: Lineage::root(step(number, &format!("job-{number}"))),
        ..question(number)
    };
    let requests: Vec<PermissionRequest> = (1..=count).map(asks).collect();
    for request in &requests {
        stage.asks(request.clone());
    }
    (stage, requests)
}

fn push(number: u32) -> PermissionRequest {
    request_of(number, "git push", &Lineage::root(step(1, "docs")))
}

#[test]
fn law_9_the_loser_of_two_screens_is_told_who_won_how_and_when() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage
        .asks(one.clone())
        .asks(fixture::request(2, "two"))
        .press("<enter>d<enter>");
    assert_eq!(answered(&stage), [1]);
    // The other screen's yes was first: the no that is on its way from here is not what ended it.
    stage.ends(&one, Surface::Terminal, YES);
    sees(&stage, "r3-1 allowed by a person at another screen");
    stage.wait(3_000);
    sees(&stage, "allowed by a person at another screen, 3s ago");
    sees(&stage, "r3-1  docs");
    let before = "was answered before: allowed by a person at the terminal";
    stage.take(Event::Refused(one.id, before.into()));
    sees(
        &stage,
        "r3-1 was answered before: allowed by a person at another screen, 3s ago",
    );
    stage.press("a");
    sees(
        &stage,
        "r3-1: allowed by a person at another screen, 3s ago",
    );
}

#[test]
fn law_9_the_same_answer_of_two_screens_is_ones_own() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage
        .asks(one.clone())
        .asks(fixture::request(2, "two"))
        .press("<enter>d<enter>");
    stage.ends(&one, Surface::Terminal, NO);
    sees(&stage, "r3-1 denied by a person at the terminal");
    sees(&stage, "r3-2  docs");
}

#[test]
fn law_9_what_ended_by_command_says_so_in_its_first_row() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage.asks(one.clone()).press("<enter>");
    stage.ends(&one, Surface::Command, NO).wait(20_000);
    let text = stage.text();
    let first = text.lines().next().unwrap();
    assert!(
        first.contains("denied by a person by command, 20s ago"),
        "{text}"
    );
}

#[test]
fn equal_requests_that_end_while_a_yes_to_each_is_made_are_marked_and_counted_out() {
    let (mut stage, requests) = alike(3, push);
    stage.press("<enter>a<down>");
    sees(&stage, "once each: these 3 that are listed above");
    stage.ends(&requests[1], Surface::Command, NO);
    sees(&stage, "those 2 of the 3 listed above that are open still");
    sees(&stage, "r3-2 is out of it: denied by a person by command");
    sees(&stage, "r3-2    job-2  denied by a person by command");
    sees(&stage, "r3-1 and 1 alike");
    // What comes now was not in view when the answer was begun.
    stage.asks(push(4));
    stage.press("<C-y>");
    assert_eq!(answered(&stage), [1, 3]);
    sees(&stage, "2 from r3-1 to r3-3: a yes is on its way");
    stage.answers_get_in();
    sees(
        &stage,
        "2 of 2 allowed by a person at the terminal: r3-3 just now",
    );
    // Nothing that it covered is open: it goes on, to the one that came since.
    sees(&stage, "r3-4  docs asks");
    misses(&stage, "r3-1  job-1");
}

#[test]
fn a_bulk_answer_goes_back_to_the_lists_once_all_of_it_got_in() {
    let (mut stage, requests) = alike(3, push);
    stage.press("<enter>a<down>");
    stage.ends(&requests[0], Surface::Command, NO);
    sees(&stage, "r3-1 is out of it");
    stage.press("<C-y>");
    assert_eq!(answered(&stage), [2, 3]);
    stage.answers_get_in();
    sees(&stage, "requests, in order of arrival");
    sees(
        &stage,
        "2 of 2 allowed by a person at the terminal: r3-3 just now",
    );
}

#[test]
fn the_word_of_the_second_act_is_that_of_what_is_left() {
    let (mut stage, requests) = alike(3, |number| fixture::grave(number, "rm -rf build"));
    stage.press("<enter>a<down><C-y>");
    sees(&stage, "type `all 3`");
    stage.ends(&requests[2], Surface::Command, NO);
    sees(&stage, "r3-3 is out of it: denied by a person by command");
    stage.press("all 3<enter>");
    assert!(answered(&stage).is_empty());
    stage.press("<bs>2<enter>");
    assert_eq!(answered(&stage), [1, 2]);
}

#[test]
fn a_no_to_equal_ones_says_how_many_of_them_are_open_still() {
    let (mut stage, requests) = alike(3, push);
    stage.press("<enter>d<tab>");
    sees(&stage, "no to these 3 equal ones");
    stage.ends(&requests[0], Surface::Command, YES);
    sees(&stage, "no to these 3 equal ones, 2 of them open still");
    sees(&stage, "r3-1 is out of it: allowed by a person by command");
    stage.press("<enter>");
    assert_eq!(answered(&stage), [2, 3]);
}
