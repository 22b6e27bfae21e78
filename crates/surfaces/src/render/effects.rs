//! Effects as lines: what a call would do, in the words of a person.

use pointsman_model::{
    Change, Effect, EffectKind, EffectView, Effects, PathUse, PathValue, Reach, RiskTag, Run,
    RunNature,
};

use super::reason::opaque_line;
use crate::shown;

/// Lines shown of a call's effects; a longer list hides what matters.
const LINES_MAX: usize = 40;

/// All effects, a line each, in reading order; a long rest is counted.
#[must_use]
pub fn effect_lines(effects: &Effects) -> Vec<String> {
    let mut lines: Vec<String> = effects
        .list
        .iter()
        .take(LINES_MAX)
        .map(effect_line)
        .collect();
    let rest = effects.list.len().saturating_sub(LINES_MAX);
    if rest > 0 {
        lines.push(format!("‹{rest} more, not shown here›"));
    }
    lines
}

/// One effect: `runs git push  (a program, its effects unknown)`.
#[must_use]
pub fn effect_line(effect: &Effect) -> String {
    let may = match effect.view {
        EffectView::Sure => "",
        EffectView::Might | EffectView::Guessed => "may be read as: ",
        EffectView::Inferred => "seems to be: ",
    };
    let what = match &effect.kind {
        EffectKind::Run(run) => run_line(run),
        EffectKind::Read(path) => format!("{} {}", reads(path.reach), path_text(path)),
        EffectKind::Write { target, change } => {
            format!("{} {}", changes(*change), path_text(target))
        }
        EffectKind::Connect(host) => match &host.host {
            Some(name) if name.may_look_alike() => format!(
                "connects to `{}`, not to what it looks like: written `{}`, with letters of another script",
                shown::line(name.as_str()),
                shown::line(&host.source)
            ),
            Some(name) => format!("connects to `{}`", shown::line(name.as_str())),
            None if host.source.is_empty() => "connects to a host that is named elsewhere".into(),
            None => format!(
                "connects to what `{}` stands for",
                shown::line(&host.source)
            ),
        },
        EffectKind::Spawn(spawn) => {
            format!("starts an agent `{}`", shown::line(spawn.agent.as_str()))
        }
        EffectKind::Opaque(opaque) => format!(
            "does what can't be told: {} in `{}`",
            opaque_line(opaque.why),
            shown::line(&opaque.text)
        ),
    };
    format!("{may}{what}")
}

/// What a command is, and what speaks for a second look at it: `a plain file command; destructive`.
#[must_use]
pub fn run_notes(run: &Run) -> String {
    let mut notes = vec![match run.nature {
        RunNature::KnownReader => "a known reader",
        RunNature::FileCommand => "a plain file command",
        RunNature::Program => "a program, its further effects unknown",
        RunNature::InlineCode => "inline code",
        RunNature::Wrapper | RunNature::PlainWrapper => "starts what its arguments say",
    }];
    let mut tags: Vec<RiskTag> = run.risks.iter().map(|risk| risk.tag).collect();
    tags.sort_unstable();
    tags.dedup();
    notes.extend(tags.into_iter().map(risk_word));
    notes.join("; ")
}

fn run_line(run: &Run) -> String {
    let assignments: String = run
        .assignments
        .iter()
        .map(|set| {
            format!(
                "{}={} ",
                shown::line(&set.name),
                shown::line(&set.value.source)
            )
        })
        .collect();
    format!(
        "runs `{assignments}{}` ({})",
        shown::line(&shown::command(&run.text)),
        run_notes(run)
    )
}

fn risk_word(tag: RiskTag) -> &'static str {
    match tag {
        RiskTag::Destructive => "destructive",
        RiskTag::Network => "talks to other machines",
        RiskTag::Privilege => "changes who may do what",
        RiskTag::Persistence => "leaves something that runs later",
        RiskTag::Secrets => "touches secrets",
    }
}

fn reads(reach: Reach) -> &'static str {
    match reach {
        Reach::Itself => "reads",
        Reach::NamesBelow => "lists names below",
        Reach::ContentBelow => "reads all below",
        Reach::TrackedBelow => "reads what git keeps below",
        Reach::Tracked => "reads what git keeps around",
    }
}

fn changes(change: Change) -> &'static str {
    match change {
        Change::Content => "writes",
        Change::Remove => "removes",
        Change::Attributes => "changes mode, owner or times of",
    }
}

fn path_text(path: &PathUse) -> String {
    match &path.path {
        PathValue::Known(path) => format!("`{}`", shown::line(path.as_str())),
        PathValue::Pattern { base, glob } if path.path.way().is_some() => {
            format!("`{}`", shown::line(&format!("{base}/{glob}")))
        }
        PathValue::Pattern { base, glob } => format!(
            "whatever matches `{}` in `{}`",
            shown::line(glob),
            shown::line(base.as_str())
        ),
        PathValue::Unknown(source) => format!("`{}`, known only when it runs", shown::line(source)),
    }
}
