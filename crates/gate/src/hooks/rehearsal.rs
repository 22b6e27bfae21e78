//! A rehearsal: hooks are asked about a sample, and what each said is told with what it would mean.

mod sample;
mod telling;

use pointsman_ledger::HookCame;
use pointsman_model::{ExecutedCall, JsonText, Millis, PermissionRequest, VerdictKind};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookDuty, HookEvent, HookLife, HookRun, HookSetting};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::answer::AfterNo;
use super::asking::Occasion;
use super::happening::{Happening, Stopping};
use super::outcome::{PermissionAnswer, PreToolUseVote};
use super::payload::CallTold;
use super::selection::select;
use super::turn::Turn;
use super::wish::HookUpdate;
use super::{HookScene, Hooks, merge, payload};

pub use self::sample::sample_request;

/// What a rehearsal of one event came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rehearsal {
    /// The event.
    pub event: HookEvent,
    /// What hooks read, as one line of JSON.
    pub told: String,
    /// Each hook of the event, asked or not.
    pub hooks: Vec<RehearsedHook>,
    /// What all of them together would mean for the call.
    pub together: String,
}

/// One hook's part in a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RehearsedHook {
    /// The hook.
    pub hook: Box<str>,
    /// What it runs.
    pub runs: String,
    /// What it came to; nothing when its matcher or condition passes the sample over.
    pub came: Option<HookCame>,
    /// What it said, or how it failed.
    pub said: Box<str>,
    /// What that means.
    pub meaning: Vec<String>,
    /// How long it took.
    pub took: Millis,
}

/// The sample that hooks are asked about.
#[derive(Clone, Copy)]
struct Sample<'a> {
    call: &'a ExecutedCall,
    /// Its input as hooks are shown it.
    shown: &'a JsonText,
    request: &'a PermissionRequest,
}

impl Hooks {
    /// Asks the hooks of an event about a sample request, and its call. What they want changed is told
    /// and not done.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn rehearse(
        &self,
        event: HookEvent,
        request: &PermissionRequest,
        stop: &CancellationToken,
    ) -> Rehearsal {
        let scene = HookScene {
            lineage: &request.lineage,
            folder: &request.folder,
            mode: request.mode,
            effects: &request.effects,
            stop,
        };
        let shown = self.shown(&request.call.text, &request.folder);
        let sample = Sample {
            call: &request.call,
            shown: &shown,
            request,
        };
        let happening = happening(event, sample);
        let occasion = self.rehearsed(event, sample, happening.as_ref(), &scene);
        let told = payload::line(&occasion.told)
            .map(|line| String::from_utf8_lossy(&line).trim_end().to_owned())
            .unwrap_or_else(|error| error.to_string());
        let of_event: Vec<&HookSetting> = self
            .hooks
            .iter()
            .filter(|hook| hook.event == event)
            .collect();
        let selected = select(
            of_event.iter().copied(),
            &occasion.subject,
            &self.means.place,
        );
        let waited_for = |mut hook: HookSetting| {
            // In a rehearsal each is waited for, to show what it said; that counts for nothing all the same.
            if hook.life == HookLife::Detached {
                hook.life = HookLife::OneCall;
            }
            hook
        };
        let has_no_vote: Vec<Box<str>> = selected
            .iter()
            .filter(|hook| hook.life == HookLife::Detached)
            .map(|hook| (*hook.name()).into())
            .collect();
        let waited = selected.into_iter().map(waited_for).collect();
        let mut turns = self.ask_these(waited, &occasion).await;
        let hooks = of_event
            .iter()
            .map(|hook| rehearsed_hook(hook, &turns))
            .collect();
        turns.retain(|turn| !has_no_vote.contains(&turn.hook));
        Rehearsal {
            event,
            told,
            hooks,
            together: together(event, sample, turns),
        }
    }

    fn rehearsed<'a>(
        &'a self,
        event: HookEvent,
        sample: Sample<'a>,
        happening: Option<&'a Happening<'a>>,
        scene: &HookScene<'a>,
    ) -> Occasion<'a> {
        let call = event.is_of_a_call().then_some(CallTold {
            id: sample.call.id,
            tool: &sample.call.tool,
            input: sample.shown,
        });
        let mut occasion = self.occasion(event, call, scene);
        occasion.told.happening = happening;
        if event == HookEvent::PermissionRequest {
            occasion.told.request = Some(sample.request);
        }
        occasion.subject.value = match happening {
            Some(Happening::SubagentStarted | Happening::SubagentStops(_)) => {
                scene.lineage.agent().agent.as_str()
            }
            Some(Happening::Notified { kind, .. }) => kind,
            Some(Happening::SessionStarted { source }) => source,
            Some(Happening::SessionEnds { reason }) => reason,
            _ => occasion.subject.value,
        };
        occasion
    }
}

fn happening(event: HookEvent, sample: Sample<'_>) -> Option<Happening<'_>> {
    let call = sample.call;
    let stopping = Stopping {
        last_words: "done",
        held_before: 0,
    };
    Some(match event {
        HookEvent::PreToolUse | HookEvent::PermissionRequest => return None,
        HookEvent::PermissionDenied => Happening::Denied {
            call,
            reason: "a sample",
        },
        HookEvent::PostToolUse => Happening::Succeeded {
            call,
            text: "a sample",
            took: Millis(12),
        },
        HookEvent::PostToolUseFailure => Happening::Failed {
            call,
            error: "a sample",
            how: super::FailedHow::ByItself,
            took: Millis(12),
        },
        HookEvent::Notification => Happening::Notified {
            message: "a sample",
            kind: "permission_prompt",
        },
        HookEvent::SubagentStart => Happening::SubagentStarted,
        HookEvent::SubagentStop => Happening::SubagentStops(stopping),
        HookEvent::SessionStart => Happening::SessionStarted { source: "startup" },
        HookEvent::SessionEnd => Happening::SessionEnds { reason: "other" },
        HookEvent::Stop => Happening::Stops(stopping),
    })
}

fn rehearsed_hook(hook: &HookSetting, turns: &[Turn]) -> RehearsedHook {
    let name: Box<str> = (*hook.name()).into();
    let runs = match &hook.run {
        HookRun::Shell { line } => line.to_string(),
        HookRun::Program { program, args } => format!("{program} {}", args.join(" ")),
        HookRun::Http { url, .. } => url.to_string(),
    };
    match turns.iter().find(|turn| turn.hook == name) {
        None => RehearsedHook {
            hook: name,
            runs,
            came: None,
            said: "".into(),
            meaning: vec!["it is not asked here: its matcher or condition passes this over, or another hook is the same".into()],
            took: Millis(0),
        },
        Some(turn) => RehearsedHook {
            hook: name,
            runs,
            came: Some(turn.said.came),
            said: turn.said.text.clone(),
            meaning: meaning(hook, turn),
            took: turn.took,
        },
    }
}

/// What a turn means, in sentences.
fn meaning(hook: &HookSetting, turn: &Turn) -> Vec<String> {
    if hook.life == HookLife::Detached {
        return vec![
            "nobody waits for it (`async`), so it has no vote: what it says counts for nothing"
                .into(),
        ];
    }
    let said = &turn.said;
    let mut meaning = vec![came_to(hook, said.came).to_owned()];
    if let Some(updated) = &said.updated {
        meaning.push(format!("it makes the input {}", updated.as_str()));
    }
    if let Some(context) = &said.context {
        meaning.push(format!("the agent is told: {context}"));
    }
    if let Some(output) = &said.output {
        meaning.push(format!(
            "in place of the output the agent is told: {output}"
        ));
    }
    match said.after {
        AfterNo::GoesOn => {}
        AfterNo::Stops => meaning.push("the agent stops".into()),
        AfterNo::AsksAgain => meaning.push("the agent may ask again".into()),
    }
    for wish in &turn.wishes {
        let what = match &wish.update {
            HookUpdate::AddRules { behavior, rules } => {
                let rules: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
                format!("it adds {behavior} {}", rules.join(", "))
            }
            HookUpdate::SetMode(_) => "edits pass in the agent's directories".into(),
            HookUpdate::AddDirectories(folders) => format!("it adds {}", folders.join(", ")),
            HookUpdate::TakeBack(kind) => format!("`{kind}` does not count"),
        };
        let file = wish.file.map(|file| format!(", kept in `{file}`"));
        meaning.push(format!("{what}{}", file.unwrap_or_default()));
    }
    meaning
}

fn came_to(hook: &HookSetting, came: HookCame) -> &'static str {
    match (came, hook.event, hook.duty) {
        (HookCame::Nothing, _, _) => "it has no opinion",
        (HookCame::Allow, HookEvent::PreToolUse, _) => {
            "it lets the call pass, unless a rule denies it or it must be asked"
        }
        (HookCame::Allow, _, _) => "it answers the question with yes",
        (HookCame::Deny, HookEvent::PreToolUse, _) => "it refuses the call",
        (HookCame::Deny, HookEvent::PermissionRequest, _) => "it answers the question with no",
        (HookCame::Deny, HookEvent::Stop | HookEvent::SubagentStop, _) => "the agent has to go on",
        (HookCame::Deny, _, _) => "it objects, which the agent is told",
        (HookCame::Ask, _, _) => "the call must be asked",
        (HookCame::Halt, _, _) => "it halts the run",
        (HookCame::Failed, HookEvent::PreToolUse, HookDuty::Guard) => {
            "it failed, and as a guard: the call must be asked"
        }
        (HookCame::Failed, HookEvent::PermissionRequest, HookDuty::Guard) => {
            "it failed, and as a guard: only a person may answer"
        }
        (
            HookCame::Failed,
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure,
            HookDuty::Guard,
        ) => "it failed, and as a guard: it objects, which the agent is told",
        (HookCame::Failed, HookEvent::Stop | HookEvent::SubagentStop, HookDuty::Guard) => {
            "it failed, and as a guard: the agent has to go on"
        }
        (HookCame::Failed, HookEvent::SessionStart, HookDuty::Guard) => {
            "it failed, and as a guard: a run that nobody watches does not start"
        }
        (HookCame::Failed, _, HookDuty::Guard | HookDuty::Plain) => {
            "it failed, which counts for nothing"
        }
    }
}

/// What the event would come to.
fn together(event: HookEvent, sample: Sample<'_>, turns: Vec<Turn>) -> String {
    match event {
        HookEvent::PreToolUse => match merge::pre_tool_use(sample.shown, turns).vote {
            PreToolUseVote::Ladder(HookVote::None) => "the rules decide".into(),
            PreToolUseVote::Ladder(HookVote::Ask { hook, .. }) => {
                format!("the call must be asked, for `{hook}`")
            }
            PreToolUseVote::Ladder(HookVote::Allow { hook, .. }) => {
                format!("the call passes for `{hook}`, unless a rule denies it or it must be asked")
            }
            PreToolUseVote::Deny { hook, .. } => format!("the call is refused, for `{hook}`"),
            PreToolUseVote::Halt { hook, .. } => format!("the run is halted, for `{hook}`"),
        },
        HookEvent::PermissionRequest => {
            match merge::permission_request(sample.request, sample.shown, turns).answer {
                PermissionAnswer::None => "the question stays open for a person".into(),
                PermissionAnswer::Given { hook, kind } => match kind {
                    VerdictKind::Allow { .. } => {
                        format!(
                            "`{hook}` answers yes, unless it must be asked or somebody is quicker"
                        )
                    }
                    VerdictKind::Deny { .. }
                    | VerdictKind::Ended { .. }
                    | VerdictKind::Unjudged { .. } => {
                        format!("`{hook}` answers no, unless somebody is quicker")
                    }
                },
                PermissionAnswer::GuardFailed { hook, .. } => {
                    format!("only a person may answer, since the guard `{hook}` failed")
                }
            }
        }
        HookEvent::PermissionDenied
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::SessionStart
        | HookEvent::SessionEnd
        | HookEvent::Stop => {
            let heard = super::Heard::from_turns(turns);
            match (heard.halt, heard.objection) {
                (Some(word), _) => format!("the run is halted, for `{}`", word.hook),
                (None, Some(word)) => format!("`{}` objects", word.hook),
                (None, None) => "nothing changes".into(),
            }
        }
    }
}

#[cfg(test)]
mod tests;
