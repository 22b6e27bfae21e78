//! The explanation that needs no model: effects and risks in words.

use pointsman_model::{
    Change, Effect, EffectKind, EffectView, ExplainedBy, Explanation, PermissionRequest, RiskLevel,
    RiskTag, RunNature, ToolInput,
};

use crate::classifier::effect_in_words;

/// Effects that are named one by one; a person reads no more in a dialog.
const NAMED_MAX: usize = 4;

/// Characters of an effect, and of a task.
const CHARS_MAX: usize = 160;

/// What the analyser's tables say of an action.
pub(super) fn explain(request: &PermissionRequest) -> Explanation {
    let sure: Vec<&Effect> = request.effects.sure().collect();
    let of_effects = request.effects.list.iter().map(weight);
    let guarded = request.judgement.touches_protected();
    let of_place = guarded.then_some((
        RiskLevel::High,
        "it changes what may run or what agents may do, or removes what is needed",
    ));
    let (risk_level, risk) = of_effects
        .chain(of_place)
        .max_by_key(|(level, _)| *level)
        .unwrap_or((RiskLevel::Medium, "what it does is not known here"));
    Explanation {
        explanation: explanation(request, &sure),
        reasoning: reasoning(request),
        risk: risk.into(),
        risk_level,
        by: ExplainedBy::Analyser,
    }
}

fn explanation(request: &PermissionRequest, sure: &[&Effect]) -> String {
    if sure.is_empty() {
        return format!("Calls the tool {}.", request.call.tool);
    }
    let named: Vec<String> = sure
        .iter()
        .take(NAMED_MAX)
        .map(|effect| cut(&effect_in_words(effect)))
        .collect();
    let more = match sure.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("It {}{more}.", named.join("; "))
}

/// The agent's own words on what the call is for, or its task.
fn reasoning(request: &PermissionRequest) -> String {
    let said = match &request.call.input {
        ToolInput::Bash(bash) => bash.description.as_deref(),
        ToolInput::Spawn(spawn) => spawn.description.as_deref(),
        ToolInput::Read(_)
        | ToolInput::Write(_)
        | ToolInput::Edit(_)
        | ToolInput::Glob(_)
        | ToolInput::Grep(_)
        | ToolInput::Other(_) => None,
    };
    match said {
        Some(said) => format!("I said of this call: {}", cut(said)),
        None => format!("I work on this task: {}", cut(&request.task)),
    }
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// How risky one effect is, and what could go wrong with it.
fn weight(effect: &Effect) -> (RiskLevel, &'static str) {
    match &effect.kind {
        EffectKind::Run(run) => match run.risks.iter().map(|risk| tagged(risk.tag)).max() {
            Some(tagged) => tagged,
            None => nature(run.nature),
        },
        EffectKind::Read(_) => (RiskLevel::Low, "it reads, and changes nothing"),
        EffectKind::Write {
            change: Change::Remove,
            ..
        } => (RiskLevel::High, "what it removes may be gone for good"),
        EffectKind::Write { .. } => (
            RiskLevel::Medium,
            "files change; what stood there is lost where version control lacks it",
        ),
        EffectKind::Connect(_) => (RiskLevel::Medium, "it talks to another machine"),
        EffectKind::Spawn(_) => (
            RiskLevel::Low,
            "the agent it starts has each of its calls judged",
        ),
        EffectKind::Opaque(_) => match effect.view {
            EffectView::Sure => (
                RiskLevel::High,
                "part of what it does is known only when it runs",
            ),
            EffectView::Might | EffectView::Inferred | EffectView::Guessed => (
                RiskLevel::Medium,
                "it may do more than can be told beforehand",
            ),
        },
    }
}

fn tagged(tag: RiskTag) -> (RiskLevel, &'static str) {
    match tag {
        RiskTag::Destructive => (
            RiskLevel::High,
            "what it removes, overwrites or publishes can't be had back",
        ),
        RiskTag::Privilege => (
            RiskLevel::High,
            "it acts as another user, or changes who may do what",
        ),
        RiskTag::Persistence => (
            RiskLevel::High,
            "it leaves something behind that runs later",
        ),
        RiskTag::Secrets => (RiskLevel::High, "it touches keys, tokens or passwords"),
        RiskTag::Network => (RiskLevel::Medium, "it talks to another machine"),
    }
}

fn nature(nature: RunNature) -> (RiskLevel, &'static str) {
    match nature {
        RunNature::KnownReader => (RiskLevel::Low, "it reads, and changes nothing"),
        RunNature::FileCommand => (
            RiskLevel::Medium,
            "files change; what stood there is lost where version control lacks it",
        ),
        RunNature::PlainWrapper => (RiskLevel::Low, "it only starts what stands beside it"),
        RunNature::Program => (
            RiskLevel::Medium,
            "what the program does beyond this is not known here",
        ),
        RunNature::InlineCode => (
            RiskLevel::Medium,
            "it runs code that was written for this call",
        ),
        RunNature::Wrapper => (RiskLevel::Medium, "it starts what its arguments say"),
    }
}
