//! A request in full: all that a person reads before answering, nothing of it cut.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_gate::Explainer;
use pointsman_model::{
    Effect, EffectKind, Effects, ExecutedCall, HostName, Insistence, JsonText, Origin,
    PermissionRequest, RuleText, RungOutcome, ToolInput, WriteInput,
};

use super::difference::{change_lines, difference_lines};
use super::{Ink, Line, Tone, agents_lines};
use crate::render::{effect_line, explanation_lines, is_grave, reason_line};
use crate::screen::before::Before;
use crate::screen::dialog::End;
use crate::secret::Secrets;
use crate::shown;

/// A request on paper.
#[derive(Debug)]
pub(in crate::screen) struct RequestSheet {
    /// What has to be read before a yes: the call, what it does, why it is asked, what checks say.
    pub(in crate::screen) needed: Vec<Line>,
    /// What may be read: the way through the ladder.
    pub(in crate::screen) further: Vec<Line>,
}

/// The sheet of a request, or of equal ones: the first is drawn, all are named.
///
/// `before` is what lies where it would write, when that is known; those of `ends` have ended.
pub(in crate::screen) fn request_sheet(
    equal: &[Arc<OpenRequest>],
    before: Option<&Before>,
    ends: &[End],
) -> RequestSheet {
    let Some(open) = equal.first() else {
        return RequestSheet {
            needed: Vec::new(),
            further: Vec::new(),
        };
    };
    let request = &open.request;
    let mut lines = facts(request);
    lines.extend(askers(equal, ends));
    let folder = shown::line(request.folder.as_str());
    heading(
        &mut lines,
        &format!("{} would run in {folder}", request.call.tool),
    );
    match (&request.call.input, before) {
        (ToolInput::Write(input), Some(before)) => lines.extend(written(input, before)),
        (_, Some(_) | None) => lines.extend(call_lines(&request.call, Secrets::Shown)),
    }
    if let Some(from) = &request.rewritten_from {
        heading(
            &mut lines,
            "rewritten by a hook: - the agent's own, + what would run",
        );
        lines.extend(rewritten(from, &request.call.text));
    }
    if let Some(earlier) = &request.supersedes {
        heading(&mut lines, "asked anew, since this changed before it ran");
        lines.extend(agents_lines(&earlier.difference, "", Tone::Agent));
    }
    if let Some(unheld) = &request.unheld {
        heading(&mut lines, "not held by a yes");
        lines.push(Line::told(Tone::Plain, unheld.to_string()));
    }
    heading(&mut lines, "would do");
    lines.extend(effect_tree(&request.effects));
    if is_grave(request) {
        lines.push(Line::plain(
            Tone::Danger,
            "! part of this can't be had back or told, or changes who may do or run what",
        ));
    }
    heading(&mut lines, "asked because");
    lines.push(Line::told(
        Tone::Plain,
        reason_line(&request.judgement.reason),
    ));
    heading(&mut lines, "what could go wrong");
    let explanation = match &open.explanation {
        Some(model) => model.as_ref().clone(),
        None => Explainer::at_once(request),
    };
    for line in explanation_lines(&explanation) {
        lines.push(Line::told(Tone::Plain, line));
    }
    if !open.advice.is_empty() {
        heading(&mut lines, "what checks say of it");
        for advice in &open.advice {
            let who = format!("{}:", shown::line(&advice.by.to_string()));
            lines.push(Line::told(Tone::Quiet, who));
            lines.extend(agents_lines(&advice.text, "", Tone::Agent));
        }
    }
    RequestSheet {
        needed: lines,
        further: the_way(request),
    }
}

/// The call as it would run: a command line, a file and its new content, a difference.
pub(in crate::screen) fn call_lines(call: &ExecutedCall, secrets: Secrets) -> Vec<Line> {
    let said = |text: &str| agents_lines(&secrets.of(text), "", Tone::Agent);
    let file = said;
    match &call.input {
        ToolInput::Bash(input) => said(&shown::command(&input.command)),
        ToolInput::Read(input) => file(&input.file_path),
        ToolInput::Write(input) => {
            let mut lines = file(&input.file_path);
            let content = secrets.of(&input.content);
            lines.extend(agents_lines(&content, "+ ", Tone::Added));
            lines
        }
        ToolInput::Edit(input) => {
            let mut lines = file(&input.file_path);
            if input.replace_all == Some(true) {
                lines.push(Line::plain(Tone::Notice, "each place in the file:"));
            }
            let (old, new) = (secrets.of(&input.old_string), secrets.of(&input.new_string));
            lines.extend(difference_lines(&old, &new));
            lines
        }
        ToolInput::Spawn(input) => {
            let kind = input.subagent_type.as_deref().unwrap_or("an agent");
            let mut lines = file(kind);
            lines.extend(said(&input.prompt));
            lines
        }
        ToolInput::Glob(_) | ToolInput::Grep(_) | ToolInput::Other(_) => said(call.text.as_str()),
    }
}

/// What writing a file would make of what is there.
fn written(input: &WriteInput, before: &Before) -> Vec<Line> {
    let mut lines = agents_lines(&input.file_path, "", Tone::Agent);
    let mut note = |text: &str| lines.push(Line::told(Tone::Quiet, text));
    match before {
        Before::Nothing => note("a new file:"),
        Before::Other(why) => note(&format!("{why}; it would say:")),
        Before::Text(text) if **text == *input.content => {
            note("the file says this already, and would go on to say it:");
            lines.extend(agents_lines(&input.content, "  ", Tone::Agent));
            return lines;
        }
        Before::Text(text) => {
            note("- what is there now, + what it would say:");
            lines.extend(change_lines(text, &input.content));
            return lines;
        }
    }
    lines.extend(agents_lines(&input.content, "+ ", Tone::Added));
    lines
}

/// Rules as they would be granted, whole.
pub(in crate::screen) fn rule_lines(rules: &[RuleText]) -> Vec<Line> {
    rules
        .iter()
        .flat_map(|rule| agents_lines(rule.as_str(), "", Tone::Agent))
        .collect()
}

fn facts(request: &PermissionRequest) -> Vec<Line> {
    let waits = match (request.origin, request.lineage.depth()) {
        (Origin::Foreground, 0 | 1) => "",
        (Origin::Foreground, _) => ", its parent waits for it",
        (Origin::Background, _) => ", in the background",
    };
    let agent = &request.lineage.agent().agent;
    let who = format!(
        "{} ({}), mode {}{waits}",
        shown::line(&request.lineage.to_string()),
        shown::line(agent.as_str()),
        request.mode
    );
    let mut lines = vec![fact("who", &who), fact("task", &shown::line(&request.task))];
    if let Insistence::MustAsk = request.judgement.insistence {
        lines.push(Line::plain(Tone::Notice, "a person has to answer this"));
    }
    lines
}

fn fact(name: &str, what: &str) -> Line {
    Line::mixed(
        Ink::new(Tone::Quiet, format!("{name:<5} ")),
        vec![Ink::new(Tone::Plain, what)],
    )
}

/// Who asks equal requests, where there are more than one.
fn askers(equal: &[Arc<OpenRequest>], ends: &[End]) -> Vec<Line> {
    let mut lines = Vec::new();
    if equal.len() > 1 {
        let text = format!("asked by {} agents alike", equal.len());
        heading(&mut lines, &text);
        lines.extend(equal.iter().map(|open| {
            let end = ends.iter().find(|end| end.id == open.request.id);
            asker(&open.request, end)
        }));
    }
    lines
}

fn asker(request: &PermissionRequest, end: Option<&End>) -> Line {
    let mut inks = vec![Ink::new(
        Tone::Plain,
        shown::line(&request.lineage.to_string()),
    )];
    inks.push(match end {
        None => Ink::new(Tone::Quiet, format!("  {}", shown::line(&request.task))),
        Some(end) => Ink::new(Tone::Notice, format!("  {}", end.words)),
    });
    Line::mixed(
        Ink::new(Tone::Quiet, format!("{:<7} ", request.id.to_string())),
        inks,
    )
}

fn heading(lines: &mut Vec<Line>, text: &str) {
    lines.push(Line::empty());
    lines.push(Line::told(Tone::Heading, text));
}

/// The two inputs, a field a line, so that the difference tells which fields were touched.
fn rewritten(from: &JsonText, to: &JsonText) -> Vec<Line> {
    let spread = |input: &JsonText| {
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(input.as_str())
            .map_or_else(
                |_| input.as_str().to_owned(),
                |fields| {
                    let text = |name: &str, value: &serde_json::Value| match value {
                        serde_json::Value::String(text) if name == "command" => {
                            shown::command(text).into_owned()
                        }
                        serde_json::Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    let fields = fields.iter();
                    fields
                        .map(|(name, value)| format!("{name}: {}\n", text(name, value)))
                        .collect()
                },
            )
    };
    difference_lines(&spread(from), &spread(to))
}

/// Effects as a tree: each command of the line, and below it what it reads, changes and talks to.
fn effect_tree(effects: &Effects) -> Vec<Line> {
    if effects.list.is_empty() {
        return vec![Line::plain(Tone::Quiet, "nothing that is known of")];
    }
    let is_run = |effect: &Effect| matches!(effect.kind, EffectKind::Run(_));
    let mut lines = Vec::with_capacity(effects.list.len());
    let mut at = 0;
    while let Some(head) = effects.list.get(at) {
        at = at.saturating_add(1);
        lines.push(effect_row("", head));
        if !is_run(head) {
            continue;
        }
        let below = effects
            .list
            .iter()
            .skip(at)
            .take_while(|next| next.part == head.part && !is_run(next))
            .count();
        for (number, effect) in effects.list.iter().skip(at).take(below).enumerate() {
            let branch = if number.saturating_add(1) == below {
                "└ "
            } else {
                "├ "
            };
            lines.push(effect_row(branch, effect));
        }
        at = at.saturating_add(below);
    }
    lines
}

fn effect_row(branch: &str, effect: &Effect) -> Line {
    let grave = match &effect.kind {
        EffectKind::Run(run) => !run.risks.is_empty(),
        EffectKind::Opaque(_) => true,
        EffectKind::Connect(used) => used.host.as_ref().is_some_and(HostName::may_look_alike),
        EffectKind::Read(_) | EffectKind::Write { .. } | EffectKind::Spawn(_) => false,
    };
    let tone = if grave { Tone::Notice } else { Tone::Plain };
    Line::mixed(
        Ink::new(Tone::Quiet, branch),
        vec![Ink::new(tone, effect_line(effect))],
    )
}

/// The ladder: the rungs that had something to say, and what would be with nobody there.
fn the_way(request: &PermissionRequest) -> Vec<Line> {
    let mut lines = Vec::new();
    heading(&mut lines, "the way here");
    for step in &request.judgement.trail.0 {
        let (tone, came) = match &step.came_to {
            RungOutcome::Passed => (Tone::Quiet, "no".to_owned()),
            RungOutcome::HeldBack => (Tone::Quiet, "held back".to_owned()),
            RungOutcome::MustAsk { reason } => {
                (Tone::Notice, format!("must ask: {}", reason_line(reason)))
            }
            RungOutcome::WouldAsk { reason } => {
                (Tone::Plain, format!("would ask: {}", reason_line(reason)))
            }
            RungOutcome::Decided { decision, reason } => {
                (Tone::Plain, format!("{decision}: {}", reason_line(reason)))
            }
        };
        lines.push(Line::mixed(
            Ink::new(Tone::Quiet, format!("{:<5}", step.rung.as_str())),
            vec![
                Ink::new(Tone::Quiet, format!("{} ", step.rung.question())),
                Ink::new(tone, came),
            ],
        ));
    }
    let nobody = &request.judgement.if_nobody;
    lines.push(Line::mixed(
        Ink::new(Tone::Quiet, "with nobody there: "),
        vec![Ink::new(
            Tone::Quiet,
            format!("{}, {}", nobody.decision, reason_line(&nobody.reason)),
        )],
    ));
    lines
}

#[cfg(test)]
mod tests {
    use pointsman_approvals::{Advice, Epoch};
    use pointsman_model::{Answerer, ExplainedBy, Explanation, RiskLevel};

    use super::super::{Row, wrap};
    use super::*;
    use crate::fixture;
    use crate::screen::stage::{FAKES, nothing_faked, step};

    /// A request all of whose texts are an agent's, or a model's that an agent may have talked over.
    fn asked(text: &str) -> OpenRequest {
        let mut request = fixture::request(1, text);
        request.task = text.into();
        request.lineage = pointsman_model::Lineage::root(step(1, text));
        request.rewritten_from = JsonText::of(&serde_json::json!({ "command": text })).ok();
        OpenRequest {
            request: Arc::new(request),
            epoch: Epoch::FIRST,
            shown: true,
            touched: false,
            advice: vec![Advice::says(
                Answerer::Classifier { name: "c".into() },
                text,
            )],
            explanation: Some(Arc::new(Explanation {
                explanation: text.into(),
                reasoning: text.into(),
                risk: text.into(),
                risk_level: RiskLevel::Low,
                by: ExplainedBy::Model,
            })),
        }
    }

    #[test]
    fn no_row_of_an_agents_text_begins_as_a_line_of_ours() {
        for fake in FAKES {
            for filled in 0..50 {
                let text = format!("make {} {fake}", "a".repeat(filled));
                let equal = [asked(&text), asked(&text)].map(Arc::new);
                let sheet = request_sheet(&equal, None, &[]);
                let rows = wrap(&[sheet.needed, sheet.further].concat(), 60);
                let texts: Vec<String> = rows.iter().map(Row::text).collect();
                nothing_faked(texts.iter().map(String::as_str));
                assert!(texts.iter().any(|text| text.contains("faked")));
            }
        }
    }
}
