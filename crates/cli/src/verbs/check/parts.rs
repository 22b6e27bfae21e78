//! The parts of a command line as a tree: each with its verdict when it is judged alone, how it hangs on
//! the part above it, and what it would do.

use pointsman_model::{
    Cover, DecisionReason, Effect, EffectKind, EffectView, Effects, Judgement, PermissionDecision,
};
use pointsman_shell::{Nesting, Part};
use pointsman_surfaces::render::{cover_line, effect_line, reason_line, run_notes};
use pointsman_surfaces::shown;
use serde_json::{Value, json};

/// Deepest indentation; what is nested deeper is drawn there.
const DEPTH_MAX: usize = 16;

/// Width of the column with the verdicts.
const VERDICT_WIDTH: usize = 5;

/// A part and what it comes to alone.
pub(super) struct JudgedPart<'p> {
    part: &'p Part,
    effects: Effects,
    judgement: Judgement,
}

/// Judges each part alone: its own effects, without those of what it starts.
pub(super) fn judged<'p>(
    parts: &'p [Part],
    effects: &Effects,
    judge: impl Fn(&Effects) -> Judgement,
) -> Vec<JudgedPart<'p>> {
    let mut own: Vec<Vec<Effect>> = vec![Vec::new(); parts.len()];
    for effect in &effects.list {
        let part = usize::try_from(effect.part).ok();
        if let Some(own) = part.and_then(|part| own.get_mut(part)) {
            own.push(effect.clone());
        }
    }
    parts
        .iter()
        .zip(own)
        .map(|(part, list)| {
            // A rule for the whole line says nothing of a part.
            let effects = Effects {
                list,
                ..Effects::default()
            };
            JudgedPart {
                part,
                judgement: judge(&effects),
                effects,
            }
        })
        .collect()
}

/// The tree, ending in a line feed.
pub(super) fn text(judged: &[JudgedPart<'_>]) -> String {
    let mut text = String::new();
    for one in judged {
        let indent = "  ".repeat(depth(judged, one.part));
        let how = match one.part.nesting {
            Nesting::Line => "",
            Nesting::Substitution => "└ in a substitution: ",
            Nesting::Wrapped => "└ starts: ",
            Nesting::Script => "└ runs as a script: ",
            Nesting::Function => "└ in the function: ",
        };
        let verdict = verdict(one);
        let command = shown::line(&one.part.text);
        text.push_str(&format!(
            "  {verdict:VERDICT_WIDTH$} {indent}{how}{command}\n"
        ));
        let inner = if how.is_empty() { "" } else { "  " };
        for line in lines(one) {
            let none = "";
            text.push_str(&format!(
                "  {none:VERDICT_WIDTH$} {indent}{inner}  · {line}\n"
            ));
        }
    }
    text
}

/// The verdict of the part alone. None for what only may be started and what nothing refuses: it is
/// judged with what starts it.
fn verdict(one: &JudgedPart<'_>) -> &'static str {
    let sure = one.effects.sure().next().is_some();
    match one.judgement.decision {
        PermissionDecision::Allow if !sure => "",
        PermissionDecision::Allow => "allow",
        PermissionDecision::Deny => "deny",
        PermissionDecision::Ask => "ask",
    }
}

/// What decided, where that was more than a known reader, and what the part would do.
fn lines(one: &JudgedPart<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    match (one.judgement.decision, &one.judgement.reason) {
        (PermissionDecision::Allow, reason) => lines.extend(allowed(reason)),
        (_, DecisionReason::NothingDecided { matched }) if *matched.text == *one.part.text => {
            lines.push("nothing covers it".into());
        }
        (PermissionDecision::Deny | PermissionDecision::Ask, reason) => {
            lines.push(reason_line(reason));
        }
    }
    for effect in &one.effects.list {
        lines.push(match &effect.kind {
            // The part itself: its text stands above.
            EffectKind::Run(run) if run.text == one.part.text && run.assignments.is_empty() => {
                match effect.view {
                    EffectView::Sure | EffectView::Inferred => run_notes(run),
                    EffectView::Might | EffectView::Guessed => {
                        format!("perhaps {}", run_notes(run))
                    }
                }
            }
            _ => effect_line(effect),
        });
    }
    lines
}

/// What allowed the part, but for what its effects say themselves.
fn allowed(reason: &DecisionReason) -> Vec<String> {
    match reason {
        DecisionReason::Covered { by } => by
            .iter()
            .filter(|cover| match cover {
                Cover::KnownReader | Cover::InsideDirectories => false,
                Cover::Rule { .. }
                | Cover::Grant { .. }
                | Cover::Mode { .. }
                | Cover::Spawn
                | Cover::Sandbox
                | Cover::Hook { .. } => true,
            })
            .map(|cover| format!("covered by {}", cover_line(cover)))
            .collect(),
        other => vec![reason_line(other)],
    }
}

/// The parts for a program.
pub(super) fn objects(judged: &[JudgedPart<'_>]) -> Vec<Value> {
    judged
        .iter()
        .map(|one| {
            let nesting = match one.part.nesting {
                Nesting::Line => "line",
                Nesting::Substitution => "substitution",
                Nesting::Wrapped => "wrapped",
                Nesting::Script => "script",
                Nesting::Function => "function",
            };
            json!({
                "text": &*one.part.text,
                "span": one.part.span,
                "within": one.part.within,
                "nesting": nesting,
                "alone": {
                    "decision": one.judgement.decision,
                    "reason": one.judgement.reason,
                },
            })
        })
        .collect()
}

/// How many parts this one is nested in.
fn depth(judged: &[JudgedPart<'_>], part: &Part) -> usize {
    let mut depth = 0;
    let mut at = part;
    while let Some(outer) = at
        .within
        .and_then(|number| judged.get(usize::try_from(number).ok()?))
    {
        depth += 1;
        at = outer.part;
        if depth >= DEPTH_MAX {
            break;
        }
    }
    depth
}
