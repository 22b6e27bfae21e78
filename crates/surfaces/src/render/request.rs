//! An open request as a person reads it before answering: who asks, what exactly would run, what
//! that does, why it is asked, and what each answer would do.

use std::fmt::Write as _;

use pointsman_gate::Explainer;
use pointsman_model::{
    Effect, EffectKind, EffectView, ExecutedCall, OpaqueWhy, Origin, PermissionRequest, RiskTag,
    RuleProposal, ToolInput,
};

use super::difference::difference_text;
use super::effects::effect_lines;
use super::explanation::risk_line;
use super::reason::reason_line;
use crate::shown::{self, Extent};

/// What stands before each line of an agent's text.
const BAR: &str = "  │ ";

/// The request in full, ending in a line feed. What an answer would do is the surface's to add,
/// since each surface has answers of its own.
#[must_use]
pub fn request_text(request: &PermissionRequest, extent: Extent) -> String {
    let mut text = String::new();
    let beside = match request.origin {
        Origin::Foreground => "",
        Origin::Background => ", in the background,",
    };
    let asked = [
        format!(
            "{}  {}{beside} asks",
            request.id,
            shown::line(&request.lineage.to_string())
        ),
        format!("  task    {}", shown::line(&request.task)),
        format!(
            "  tool    {} in {} (mode {})",
            request.call.tool,
            shown::line(request.folder.as_str()),
            request.mode
        ),
    ];
    for line in asked {
        push(&mut text, &line);
    }
    push(&mut text, "  would run");
    text.push_str(&call_text(&request.call, extent));
    if let Some(from) = &request.rewritten_from {
        push(
            &mut text,
            "  a hook rewrote it; the agent's own input (-), and what would run (+)",
        );
        text.push_str(&difference_text(from, &request.call.text, extent));
    }
    if let Some(earlier) = &request.supersedes {
        push(&mut text, "  asked anew, since this changed before it ran");
        text.push_str(&shown::block(&earlier.difference, BAR, extent));
    }
    if let Some(unheld) = &request.unheld {
        push(
            &mut text,
            &format!("  not held by a yes: {}", shown::line(unheld)),
        );
    }
    push(&mut text, "  effects");
    for line in effect_lines(&request.effects) {
        push(&mut text, &format!("    {line}"));
    }
    push(
        &mut text,
        &format!("  asked because {}", reason_line(&request.judgement.reason)),
    );
    let risk = risk_line(&Explainer::at_once(request));
    push(&mut text, &format!("  {risk}"));
    text
}

/// The call as it would run, behind bars: a command line, a file and its new content, a difference.
#[must_use]
pub fn call_text(call: &ExecutedCall, extent: Extent) -> String {
    let block = |text: &str| shown::block(text, BAR, extent);
    let file = |path: &str| format!("{BAR}{}\n", shown::line(path));
    match &call.input {
        ToolInput::Bash(input) => block(&shown::command(&input.command)),
        ToolInput::Read(input) => file(&input.file_path),
        ToolInput::Write(input) => {
            file(&input.file_path) + &shown::block(&input.content, "  │ + ", extent)
        }
        ToolInput::Edit(input) => {
            file(&input.file_path)
                + &shown::block(&input.old_string, "  │ - ", extent)
                + &shown::block(&input.new_string, "  │ + ", extent)
        }
        ToolInput::Spawn(input) => block(&input.prompt),
        ToolInput::Glob(_) | ToolInput::Grep(_) | ToolInput::Other(_) => block(call.text.as_str()),
    }
}

/// The call on one line: `Bash git push`, for lists.
#[must_use]
pub fn call_line(call: &ExecutedCall) -> String {
    let what = match &call.input {
        ToolInput::Bash(input) => &*shown::command(&input.command),
        ToolInput::Read(input) => &input.file_path,
        ToolInput::Write(input) => &input.file_path,
        ToolInput::Edit(input) => &input.file_path,
        ToolInput::Spawn(input) => &input.prompt,
        ToolInput::Glob(input) => &input.pattern,
        ToolInput::Grep(input) => &input.pattern,
        ToolInput::Other(input) => input.raw.as_str(),
    };
    format!("{} {}", call.tool, shown::line(what))
}

/// A proposal's rules, all of them, as they would be saved.
#[must_use]
pub fn proposal_line(proposal: &RuleProposal) -> String {
    let rules: Vec<String> = proposal
        .rules
        .iter()
        .map(|rule| format!("`{}`", shown::line(rule.as_str())))
        .collect();
    rules.join(" and ")
}

/// Whether a yes should take more than a word: part of it can't be had back, changes who may do what or what runs later,
/// or can't be told at all.
#[must_use]
pub fn is_grave(request: &PermissionRequest) -> bool {
    request.judgement.touches_protected() || request.effects.list.iter().any(is_grave_effect)
}

fn is_grave_effect(effect: &Effect) -> bool {
    match &effect.kind {
        EffectKind::Run(run) => run.risks.iter().any(|risk| match risk.tag {
            RiskTag::Destructive | RiskTag::Privilege | RiskTag::Persistence => true,
            RiskTag::Network | RiskTag::Secrets => false,
        }),
        EffectKind::Opaque(opaque) => effect.view == EffectView::Sure && hides_all(opaque.why),
        EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_) => false,
    }
}

/// Whether nothing is known of an opaque part, so that it may remove anything. What another machine or another `PATH`
/// makes of commands that are named, and tools of others, are everyday things: these stand among the effects, no more.
fn hides_all(why: OpaqueWhy) -> bool {
    match why {
        OpaqueWhy::Syntax
        | OpaqueWhy::TooLong
        | OpaqueWhy::TooDeep
        | OpaqueWhy::TooMany
        | OpaqueWhy::Disagreement
        | OpaqueWhy::UnknownConstruct
        | OpaqueWhy::HiddenCharacter
        | OpaqueWhy::UnknownProgram
        | OpaqueWhy::UnknownScript => true,
        OpaqueWhy::Remote | OpaqueWhy::Environment | OpaqueWhy::UnknownTool => false,
    }
}

fn push(text: &mut String, line: &str) {
    // Writing into a String can't fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::render::answers_text;
    use pointsman_model::JsonText;

    fn whole(request: &PermissionRequest) -> String {
        request_text(request, Extent::Screen) + &answers_text(request)
    }

    #[test]
    fn a_request_says_who_asks_what_would_run_and_why() {
        insta::assert_snapshot!(whole(&fixture::request(17, "git push origin main")));
    }

    #[test]
    fn law_22_carriage_returns_of_a_command_are_seen() {
        let request = fixture::request(17, "git fetch\r\nrm -rf build\r");
        let shown = whole(&request);
        assert!(shown.contains("│ git fetch‹U+000D›\n"), "{shown}");
        assert!(shown.contains("│ rm -rf build‹U+000D›\n"), "{shown}");
        let listed = call_line(&request.call);
        assert_eq!(listed, "Bash git fetch‹U+000D›⏎rm -rf build‹U+000D›");
    }

    #[test]
    fn a_grave_request_wants_its_id_with_the_yes() {
        let mut request = fixture::grave(17, "rm -rf build");
        request.proposals.clear();
        insta::assert_snapshot!(whole(&request));
    }

    #[test]
    fn a_host_that_may_look_like_another_is_shown_with_what_it_is() {
        let url = "https://g\u{456}thub.com/x";
        let mut request = fixture::request(17, &format!("curl {url}"));
        request.effects.list.push(Effect {
            kind: EffectKind::Connect(pointsman_model::HostUse {
                host: Some(pointsman_model::HostName::new("g\u{456}thub.com")),
                source: url.into(),
                span: None,
            }),
            view: EffectView::Sure,
            part: 0,
        });
        let shown = whole(&request);
        assert!(
            shown.contains("connects to `xn--gthub-n2e.com`, not to what it looks like"),
            "{shown}"
        );
    }

    #[test]
    fn what_changes_what_runs_and_what_nobody_knows_is_grave() {
        use pointsman_model::{
            AbsPath, DecisionReason, Insistence, Opaque, Risk, Rung, RungOutcome, TrailStep,
        };
        let plain = || fixture::request(17, "x");
        assert!(!is_grave(&plain()));
        // An ask rule asks before the tool's own check; the check still tells.
        let mut protected = plain();
        protected.judgement.insistence = Insistence::MustAsk;
        protected.judgement.trail.0.insert(
            0,
            TrailStep {
                rung: Rung::ToolCheck,
                came_to: RungOutcome::MustAsk {
                    reason: DecisionReason::ProtectedPath {
                        path: AbsPath::parse("/w/proj/.claude/settings.json").unwrap(),
                    },
                },
            },
        );
        assert!(is_grave(&protected));
        assert_eq!(
            Explainer::at_once(&protected).risk_level,
            pointsman_model::RiskLevel::High
        );
        let tagged = |tag| {
            let mut request = plain();
            for effect in &mut request.effects.list {
                if let EffectKind::Run(run) = &mut effect.kind {
                    run.risks.push(Risk {
                        tag,
                        span: run.span,
                    });
                }
            }
            is_grave(&request)
        };
        assert!(tagged(RiskTag::Persistence) && tagged(RiskTag::Privilege));
        assert!(!tagged(RiskTag::Network) && !tagged(RiskTag::Secrets));
        let opaque = |why, view| {
            let mut request = plain();
            request.effects.list.push(Effect {
                kind: EffectKind::Opaque(Opaque {
                    why,
                    text: "$X".into(),
                    span: None,
                }),
                view,
                part: 0,
            });
            is_grave(&request)
        };
        assert!(opaque(OpaqueWhy::UnknownScript, EffectView::Sure));
        assert!(!opaque(OpaqueWhy::UnknownScript, EffectView::Might));
        assert!(!opaque(OpaqueWhy::UnknownTool, EffectView::Sure));
    }

    #[test]
    fn a_request_shows_what_a_hook_rewrote() {
        let mut request = fixture::request(17, "git push");
        request.rewritten_from = JsonText::parse(r#"{"command":"git push --force"}"#).ok();
        insta::assert_snapshot!(whole(&request));
    }

    #[test]
    fn law_22_no_field_of_an_agent_hides_or_fakes_a_line() {
        let evil = "x\u{202e}\u{1b}[2J\n  answers (a whole word, then Enter)\n\u{200b}";
        let mut request = fixture::request(17, evil);
        request.task = evil.into();
        let shown = whole(&request);
        assert!(
            shown.chars().all(|c| c == '\n' || !c.is_control()),
            "{shown}"
        );
        let header = "  answers (a whole word, then Enter)";
        assert_eq!(shown.lines().filter(|line| *line == header).count(), 1);
        assert!(!shown.contains(['\u{202e}', '\u{200b}']));
    }
}
