//! The story of one call: what `why` tells. Three questions: what decided; did something rewrite the
//! call on the way; what with nobody in the room.

use std::fmt::Write as _;

use pointsman_ledger::{CallStory, RequestStory};
use pointsman_model::{JsonText, Millis};

use super::difference::difference_text;
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
        text.push_str(&question(request));
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
            "unknown: it had started, and its leader died before the end was recorded; it is not repeated",
        ),
        (None, None) => put(&mut text, "it has not ended"),
    }
    text
}

fn question(story: &RequestStory) -> String {
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
        None => put(&mut text, "  not answered yet"),
    }
    for late in &story.late {
        put(
            &mut text,
            &format!("  too late: {}", shown::line(&late.by.to_string())),
        );
    }
    text
}

fn rewritten(story: &CallStory) -> String {
    let mut text = String::new();
    for hooked in &story.hooked {
        for report in &hooked.hooks {
            let said = if report.text.is_empty() {
                String::new()
            } else {
                format!(": {}", shown::line(&report.text))
            };
            put(
                &mut text,
                &format!(
                    "hook `{}` {}{said}",
                    shown::line(&report.hook),
                    came_word(report.came)
                ),
            );
        }
    }
    let forms = [
        (
            "the hooks",
            story.requested.as_ref().map(|form| &form.call.input),
            story.decided.last().map(|form| &form.call.text),
        ),
        (
            "the answer",
            story.decided.last().map(|form| &form.call.text),
            story.started.as_ref().map(|(_, form)| &form.call.text),
        ),
    ];
    let mut same = true;
    for (by, before, after) in forms {
        if let (Some(before), Some(after)) = (before, after) {
            let difference = changes(before, after);
            if !difference.is_empty() {
                same = false;
                put(&mut text, &format!("{by} changed it"));
                text.push_str(&difference);
            }
        }
    }
    if same {
        put(
            &mut text,
            "no: what was asked for is what was judged and run",
        );
    }
    text
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
        CallDecided, CallEnded, CallHooked, CallRequested, CallStarted, HookCame, HookReport,
        LateAnswer, Lateness, RecordList, RequestClosed, RequestOpened, Showing,
    };
    use pointsman_model::{
        Answerer, CallState, HookedCall, Outcome, RecordedCall, RequestedCall, Surface, Verdict,
        VerdictKind, WallTime,
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
}
