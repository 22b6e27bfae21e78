//! Whose an answer is, how far it goes, and what is in view while it is made.

use pointsman_model::{
    Lineage, PermissionRequest, RequestId, Surface, ToolInput, ToolName, VerdictKind, WriteInput,
};

use crate::fixture;
use crate::screen::event::Event;
use crate::screen::stage::{Stage, request_of, step};

fn id(number: u32) -> RequestId {
    RequestId::new(fixture::run(), number)
}

#[track_caller]
fn sees(stage: &Stage, text: &str) {
    assert!(stage.text().contains(text), "{text}\n{}", stage.text());
}

/// The requests that were denied, in order.
fn denied(stage: &Stage) -> Vec<RequestId> {
    let no = |kind: &VerdictKind| matches!(kind, VerdictKind::Deny { .. });
    let answers = stage.answers().into_iter();
    let denied = answers.filter(|(_, kind)| no(kind));
    denied.map(|(request, _)| request.id).collect()
}

#[test]
fn law_9_an_answer_from_another_screen_leaves_this_one_where_it_is() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 40);
    stage
        .asks(one.clone())
        .asks(fixture::request(2, "two"))
        .press("<enter>duse the other");
    // Every screen answers by the same name.
    stage.ends(&one, Surface::Terminal, VerdictKind::Deny { text: None });
    sees(&stage, "denied by a person at another screen, 0s ago");
    sees(&stage, "tell the agent: use the other");
    stage.press(" branch");
    sees(&stage, "tell the agent: use the other branch");
    stage.press("<enter>");
    assert_eq!(stage.answers(), []);
    sees(&stage, "r3-1: denied by a person at another screen, ");
    sees(&stage, "r3-1  docs");
    stage.press("<enter>");
    sees(&stage, "r3-2  docs");
}

#[test]
fn law_22_the_second_act_shows_what_was_written() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::grave(17, "rm -rf build"))
        .press("<enter>e/cache<C-y>");
    let text = stage.text();
    let (_, second) = text.split_once("are you sure?").unwrap();
    assert!(second.contains("│ rm -rf build/cache"), "{text}");
    assert!(!second.contains("rm -rf build\n"), "{text}");
    assert!(second.contains("type `r3-17`"), "{text}");

    let mut write = fixture::request(18, "write");
    let input = WriteInput {
        file_path: "/w/proj/notes.md".into(),
        content: "one\n".into(),
    };
    write.call.tool = ToolName::parse("Write").unwrap();
    write.call.text = pointsman_model::JsonText::of(&input).unwrap();
    write.call.input = ToolInput::Write(input);
    let mut stage = Stage::new(80, 40);
    stage.asks(write).press("<enter>etwo<C-y>");
    let text = stage.text();
    let (_, second) = text.split_once("are you sure?").unwrap();
    assert!(second.contains("│ /w/proj/notes.md"), "{text}");
    assert!(
        second.contains("│ + one") && second.contains("│ + two"),
        "{text}"
    );
}

#[test]
fn law_22_the_second_act_shows_the_rule_and_for_whom_it_holds() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::grave(17, "rm -rf build"))
        .press("<enter>a<down><down><down><right><C-y>");
    let text = stage.text();
    let (_, second) = text.split_once("are you sure?").unwrap();
    assert!(
        second.contains("granted for later to all agents of"),
        "{text}"
    );
    assert!(second.contains("│ Bash(git push *)"), "{text}");
}

#[test]
fn law_22_a_long_text_is_seen_whole_in_the_second_act() {
    let mut stage = Stage::new(80, 24);
    stage.asks(fixture::request(17, "one")).press("<enter>e");
    stage.see().take(Event::Pasted("\nline".repeat(60)));
    stage.press("<C-y>r3-17<enter>");
    assert_eq!(stage.answers(), []);
    sees(&stage, "not all in view yet");
    stage.press("<pgdn><pgdn><pgdn><pgdn><pgdn><enter>");
    assert_eq!(stage.answers().len(), 1);
}

#[test]
fn esc_in_the_second_act_keeps_what_was_made() {
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::grave(17, "rm -rf build"))
        .press("<enter>e/cache<C-y>r3<esc>");
    sees(&stage, "that is to run instead");
    sees(&stage, "rm -rf build/cache");
    stage.press("<esc>");
    sees(&stage, "a allow");
    stage.press("e");
    sees(&stage, "rm -rf build/cache");
    stage.press("<esc>a<down>e<bs> x)<esc><C-y><esc>");
    sees(&stage, "Bash(rm -rf build x)");
}

#[test]
fn esc_in_a_transcript_goes_back_to_the_request_as_it_was_left() {
    let docs = Lineage::root(step(1, "docs"));
    let long = request_of(1, &"echo line\n".repeat(60), &docs);
    let mut stage = Stage::new(80, 24);
    stage
        .spawned(&docs)
        .asks(long)
        .asks(fixture::request(2, "two"))
        .press("<enter><pgdn><pgdn><pgdn><pgdn><pgdn><pgdn><pgdn>");
    sees(&stage, "a allow");
    stage.press("e and more<esc>t");
    stage.take(Event::Loaded(docs.agent().worker, Vec::new()));
    stage.press("<esc>");
    sees(&stage, "r3-1  docs asks");
    // What was read is read, and what was written is there.
    sees(&stage, "a allow");
    stage.press("e<end>");
    sees(&stage, " and more");
    // One that ends meanwhile is where it was, and says so.
    let mut stage = Stage::new(80, 24);
    let one = request_of(1, "one", &docs);
    stage
        .spawned(&docs)
        .asks(one.clone())
        .asks(fixture::request(2, "two"))
        .press("<enter>t");
    stage.ends(&one, Surface::Command, VerdictKind::Deny { text: None });
    stage.press("<esc>");
    sees(&stage, "denied by a person by command");
    stage.press("<enter>");
    sees(&stage, "r3-2  docs");
}

#[test]
fn x_reaches_the_agent_that_asks_and_never_an_equal_question_of_another() {
    let [docs, other] =
        [(1, "docs"), (2, "other")].map(|(number, name)| Lineage::root(step(number, name)));
    let asks = |questions: &[PermissionRequest]| {
        let mut stage = Stage::new(80, 40);
        for question in questions {
            stage.asks(question.clone());
        }
        stage
    };
    let push = |number, lineage: &Lineage| request_of(number, "git push", lineage);
    let mut stage = asks(&[push(1, &docs), push(2, &other)]);
    stage.press("<enter>x");
    sees(&stage, "no to all that docs asks now: r3-1");
    stage.press("<enter>");
    assert_eq!(denied(&stage), [id(1)]);
    let mut stage = asks(&[push(1, &docs), push(2, &other)]);
    stage.press("<enter>d<tab><enter>");
    assert_eq!(denied(&stage), [id(1), id(2)]);
    let mut stage = asks(&[push(1, &docs), request_of(2, "make", &docs)]);
    stage.press("<enter>x");
    sees(&stage, "no to all 2 that docs asks now");
}
