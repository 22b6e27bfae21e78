//! The story of one call: what `why` tells. Three questions: what decided; did something rewrite the
//! call on the way; what with nobody in the room.

use std::fmt::Write as _;

use pointsman_ledger::{CallStory, HookReport, RequestStory};
use pointsman_model::{JsonText, Millis, VerdictKind};

use super::difference::difference_text;
use super::explanation::explanation_lines;
use super::moment::{length, moment};
use super::reason::reason_line;
use super::record::{came_word, ended_line, verdict_with_time};
use super::request::call_text;
use super::trail::decision_text;
use crate::shown::{self, Extent};

/// The whole story, ending in a line feed.
#[must_use]
pub fn story_text(story: &CallStory) -> String {
    let mut text = who(story);
    text.push_str("\nwhat decided\n");
    text.push_str(&indented(&decided(story)));
    text.push_str("\ndid something rewrite it on the way\n");
    text.push_str(&indented(&rewritten(story)));
    text.push_str("\nwhat with nobody in the room\n");
    text.push_str(&indented(&with_nobody(story)));
    text
}

fn who(story: &CallStory) -> String {
    let mut text = story.call.to_string();
    if let Some(worker) = &story.worker {
        put(
            &mut text,
            &format!(
                "  {} (mode {}) wants",
                shown::line(&worker.lineage.to_string()),
                worker.mode.mode()
            ),
        );
    } else {
        text.push('\n');
    }
    match (story.decided.last(), &story.requested) {
        (Some(decided), _) => {
            put(
                &mut text,
                &format!(
                    "  {} in {}",
                    decided.call.tool,
                    shown::line(decided.folder.as_str())
                ),
            );
            text.push_str(&call_text(&decided.call, Extent::Screen));
        }
        (None, Some(requested)) => {
            put(&mut text, &format!("  {}", requested.call.tool));
            text.push_str(&shown::block(
                requested.call.input.as_str(),
                "  │ ",
                Extent::Screen,
            ));
        }
        (None, None) => {}
    }
    text
}

fn decided(story: &CallStory) -> String {
    let mut text = String::new();
    match story.decided.last() {
        Some(decided) => text.push_str(&decision_text(&decided.judgement)),
        None => text.push_str("it never came to the ladder\n"),
    }
    for request in &story.requests {
        text.push_str(&question(request, story));
    }
    for used in &story.grants_used {
        put(&mut text, &format!("{} let it pass", used.grant));
    }
    if let Some((at, started)) = &story.started {
        put(
            &mut text,
            &format!(
                "ran at {} in {}",
                moment(*at),
                shown::line(started.folder.as_str())
            ),
        );
    }
    match (&story.ended, &story.unknown) {
        (Some((_, ended)), _) => {
            put(&mut text, &format!("ended: {}", ended_line(ended)));
            text.push_str(&shown::block(&ended.text, "│ ", Extent::Screen));
        }
        (None, Some(_)) => put(
            &mut text,
            "unknown: it had started, and its end was not recorded; it is not repeated",
        ),
        (None, None) => put(&mut text, "it has not ended"),
    }
    text
}

fn question(story: &RequestStory, of: &CallStory) -> String {
    let mut text = String::new();
    let id = story.opened.request.id;
    put(
        &mut text,
        &format!("{id} asked at {}", moment(story.opened_at)),
    );
    if let Some(shown_at) = story.shown_at {
        put(
            &mut text,
            &format!("  shown after {}", length(shown_at.since(story.opened_at))),
        );
    }
    for advice in &story.advice {
        put(
            &mut text,
            &format!(
                "  {} advised: {}",
                shown::line(&advice.by.to_string()),
                shown::line(&advice.text)
            ),
        );
    }
    if let Some(explained) = &story.explained {
        for line in explanation_lines(&explained.explanation) {
            put(&mut text, &format!("  {line}"));
        }
    }
    match &story.closed {
        Some(closed) => {
            let waited: Millis = closed.verdict.at.since(story.opened_at);
            put(
                &mut text,
                &format!(
                    "  {}, after {}",
                    verdict_with_time(&closed.verdict),
                    length(waited)
                ),
            );
        }
        None if of.ended.is_some() => put(&mut text, "  no answer is on record"),
        None => put(&mut text, "  not answered yet"),
    }
    let mut told = 0;
    for late in &story.late {
        if let Some(between) = late.number.checked_sub(told + 1).filter(|count| *count > 0) {
            put(&mut text, &format!("  too late: {between} more"));
        }
        told = late.number;
        put(
            &mut text,
            &format!("  too late: {}", shown::line(&late.by.to_string())),
        );
    }
    text
}

/// Where the four versions of the call differ: asked for, as hooks made it, as answers edited it and it
/// ran, as the transcript keeps it.
fn rewritten(story: &CallStory) -> String {
    let mut text = String::new();
    for report in story.hooked.iter().flat_map(|hooked| &hooked.hooks) {
        put(&mut text, &hook_line("", report));
    }
    for told in &story.told {
        for report in &told.hooks {
            put(&mut text, &hook_line(&told.event, report));
        }
    }
    let before = text.len();
    for hooked in &story.hooked {
        if let Some(rewritten) = &hooked.rewritten {
            put_changes(&mut text, "the hooks", &hooked.call.input, rewritten);
        }
    }
    for request in &story.requests {
        if let Some((by, edited)) = edit(request) {
            let shown = &request.opened.request.call.text;
            put_changes(&mut text, &by, shown, edited);
        }
        if let Some(earlier) = &request.opened.request.supersedes {
            put(&mut text, "it changed after it was let pass");
            text.push_str(&shown::block(&earlier.difference, "│ ", Extent::Screen));
        }
    }
    if text.len() == before {
        let unchanged = match (&story.decided[..], &story.started) {
            (_, Some(_)) => "no: what was asked for is what was judged and run",
            ([_, ..], None) => "no: what was asked for is what was judged; it has not run",
            ([], None) => "no: it was not judged, and has not run",
        };
        put(&mut text, unchanged);
    }
    if let Some(decided) = story.decided.last() {
        let (ran, kept) = (&decided.call.text, &decided.recorded.input);
        put_changes(&mut text, "tidying for the transcript", ran, kept);
    }
    text
}

fn hook_line(event: &str, report: &HookReport) -> String {
    let event = match event {
        "" => String::new(),
        event => format!("{}: ", shown::line(event)),
    };
    let said = match &*report.text {
        "" => String::new(),
        text => format!(": {}", shown::line(text)),
    };
    let (hook, came) = (shown::line(&report.hook), came_word(report.came));
    format!("{event}hook `{hook}` {came}{said}")
}

/// Who edited the input with the answer, and into what.
fn edit(request: &RequestStory) -> Option<(String, &JsonText)> {
    let verdict = &request.closed.as_ref()?.verdict;
    match &verdict.kind {
        VerdictKind::Allow {
            edited: Some(edited),
            ..
        } => Some((shown::line(&verdict.by.to_string()), edited)),
        VerdictKind::Allow { edited: None, .. }
        | VerdictKind::Deny { .. }
        | VerdictKind::Ended { .. }
        | VerdictKind::Unjudged { .. } => None,
    }
}

fn put_changes(text: &mut String, by: &str, before: &JsonText, after: &JsonText) {
    let difference = changes(before, after);
    if !difference.is_empty() {
        put(text, &format!("{by} changed it"));
        text.push_str(&difference);
    }
}

fn changes(before: &JsonText, after: &JsonText) -> String {
    difference_text(before, after, Extent::Screen)
}

fn with_nobody(story: &CallStory) -> String {
    match story.decided.last() {
        Some(decided) => format!(
            "{}, {}\n",
            decided.judgement.if_nobody.decision,
            reason_line(&decided.judgement.if_nobody.reason)
        ),
        None => "the same: it never came to a question\n".into(),
    }
}

fn put(text: &mut String, line: &str) {
    // Writing into a String can't fail.
    let _ = writeln!(text, "{line}");
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use pointsman_ledger::{
        CallDecided, CallEnded, CallHooked, CallLeft, CallRequested, CallStarted, HookCame,
        HooksTold, LateAnswer, Lateness, RecordList, RequestClosed, RequestOpened, Showing,
    };
    use pointsman_model::{
        Answerer, CallState, HookedCall, Outcome, RecordedCall, RequestedCall, Superseded, Surface,
        Verdict, WallTime,
    };

    /// A call that a hook rewrote, that was asked, allowed, and run.
    #[expect(clippy::too_many_lines, reason = "a record lists its fields")]
    fn story() -> CallStory {
        let request = fixture::request(17, "git push");
        let call = request.call.clone();
        let worker = request.lineage.agent().worker;
        let asked = JsonText::parse(r#"{"command":"git push --force"}"#).unwrap();
        let allow = VerdictKind::Allow {
            edited: None,
            grant: None,
        };
        let by = |surface| Answerer::Person { surface };
        CallStory {
            call: call.id,
            worker: None,
            requested: Some(CallRequested {
                worker,
                call: RequestedCall {
                    id: call.id,
                    tool: call.tool.clone(),
                    input: asked.clone(),
                },
            }),
            hooked: vec![CallHooked {
                worker,
                call: HookedCall {
                    id: call.id,
                    tool: call.tool.clone(),
                    input: asked,
                },
                hooks: vec![HookReport {
                    hook: "no-force".into(),
                    came: HookCame::Nothing,
                    text: "".into(),
                    took: Millis(12),
                }],
                rewritten: Some(call.text.clone()),
            }],
            told: Vec::new(),
            decided: vec![CallDecided {
                worker,
                call: call.clone(),
                recorded: RecordedCall {
                    id: call.id,
                    tool: call.tool.clone(),
                    input: call.text.clone(),
                },
                folder: request.folder.clone(),
                effects: request.effects.clone(),
                judgement: request.judgement.clone(),
                context: request.context,
                grants: Vec::new(),
            }],
            requests: vec![RequestStory {
                opened: RequestOpened {
                    request: request.clone(),
                    showing: Showing::AtOnce,
                },
                opened_at: WallTime(1_000),
                shown_at: Some(WallTime(1_040)),
                advice: Vec::new(),
                explained: None,
                closed: Some(RequestClosed {
                    request: request.id,
                    call: call.id,
                    verdict: Verdict {
                        kind: allow.clone(),
                        by: by(Surface::Command),
                        at: WallTime(4_200),
                        digest: request.digest,
                    },
                }),
                late: vec![LateAnswer {
                    request: request.id,
                    call: call.id,
                    by: by(Surface::Terminal),
                    answer: allow,
                    lateness: Lateness::SameAgain,
                    number: 1,
                }],
            }],
            grants_used: Vec::new(),
            started: Some((
                WallTime(4_210),
                CallStarted {
                    worker,
                    call: call.clone(),
                    folder: request.folder.clone(),
                    request: Some(request.id),
                    digest: request.digest,
                },
            )),
            groups: Vec::new(),
            ended: Some((
                WallTime(5_000),
                CallEnded {
                    worker,
                    call: call.id,
                    state: CallState::Success,
                    outcome: Some(Outcome::Allowed),
                    text: "pushed".into(),
                    exit_code: Some(0),
                    took: Some(Millis(790)),
                    left: CallLeft::default(),
                },
            )),
            unknown: None,
            records: RecordList::default(),
        }
    }

    #[test]
    fn why_answers_three_questions() {
        insta::assert_snapshot!(story_text(&story()));
    }

    #[test]
    fn a_call_that_was_cut_off_is_told_as_unknown() {
        let mut story = story();
        story.ended = None;
        story.unknown = Some(WallTime(9_000));
        story.hooked.clear();
        story.requested = None;
        insta::assert_snapshot!(story_text(&story));
    }

    #[test]
    fn a_call_that_did_not_run_is_not_said_to_have_run() {
        let mut story = story();
        story.hooked.clear();
        let told = |story: &CallStory| rewritten(story).lines().next().unwrap().to_owned();
        assert!(told(&story).ends_with("judged and run"));
        story.started = None;
        assert!(told(&story).ends_with("judged; it has not run"));
        story.decided.clear();
        assert!(told(&story).ends_with("not judged, and has not run"));
    }

    #[test]
    fn a_question_without_an_answer_waits_only_while_its_call_does() {
        let mut story = story();
        for request in &mut story.requests {
            request.closed = None;
        }
        assert!(decided(&story).contains("no answer is on record"));
        story.ended = None;
        assert!(decided(&story).contains("not answered yet"));
    }

    #[test]
    fn each_version_is_told_with_who_made_it() {
        let mut story = story();
        let of = |text: &str| JsonText::parse(text).unwrap();
        story.told = vec![HooksTold {
            event: "PostToolUse".into(),
            worker: None,
            call: Some(story.call),
            hooks: vec![HookReport {
                hook: "format".into(),
                came: HookCame::Failed,
                text: "it ended with code 1".into(),
                took: Millis(3),
            }],
        }];
        let edited = of(r#"{"command":"git push --dry-run","run_in_background":false}"#);
        for request in &mut story.requests {
            request.opened.request.supersedes = Some(Superseded {
                request: None,
                difference: "`notes.md` changed".into(),
            });
            if let Some(closed) = &mut request.closed {
                closed.verdict.kind = VerdictKind::Allow {
                    edited: Some(edited.clone()),
                    grant: None,
                };
            }
        }
        for decided in &mut story.decided {
            decided.call.text = edited.clone();
            decided.recorded.input = of(r#"{"command":"git push --dry-run"}"#);
        }
        insta::assert_snapshot!(rewritten(&story));
    }
}
