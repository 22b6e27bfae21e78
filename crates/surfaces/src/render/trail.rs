//! The ladder, drawn: each rung passed on the way, the one that decided marked.

use std::fmt::Write as _;

use pointsman_model::{Insistence, Judgement, PermissionDecision, RungOutcome, Trail, TrailStep};

use super::reason::reason_line;

/// Width of the question column, from the longest question.
const QUESTION_WIDTH: usize = 47;

/// Each rung on a line of its own, in order.
#[must_use]
pub fn trail_text(trail: &Trail) -> String {
    trail.0.iter().map(step_line).collect()
}

/// The answer, its reason, the way there, and what would be with nobody there.
#[must_use]
pub fn judgement_text(judgement: &Judgement) -> String {
    let mut text = decision_text(judgement);
    let nobody = &judgement.if_nobody;
    if nobody.decision == judgement.decision && nobody.reason == judgement.reason {
        text.push_str("with nobody there: the same\n");
        return text;
    }
    // Writing into a String can't fail.
    let _ = writeln!(
        text,
        "with nobody there: {}, {}",
        judgement.if_nobody.decision,
        reason_line(&judgement.if_nobody.reason)
    );
    text
}

/// The answer, its reason and the way there.
pub(super) fn decision_text(judgement: &Judgement) -> String {
    let mut text = format!(
        "{}{}: {}\n",
        judgement.decision,
        insistence_word(judgement),
        reason_line(&judgement.reason)
    );
    text.push_str(&trail_text(&judgement.trail));
    text
}

fn insistence_word(judgement: &Judgement) -> &'static str {
    match (judgement.decision, judgement.insistence) {
        (PermissionDecision::Ask, Insistence::MustAsk) => " (a person has to answer)",
        (PermissionDecision::Ask, Insistence::MayBeAnswered)
        | (PermissionDecision::Allow | PermissionDecision::Deny, _) => "",
    }
}

fn step_line(step: &TrailStep) -> String {
    let (mark, answer) = match &step.came_to {
        RungOutcome::Passed => ("│", "no".into()),
        RungOutcome::HeldBack => ("│", "held back: a person has to answer".into()),
        RungOutcome::MustAsk { reason } => ("├", format!("must ask: {}", reason_line(reason))),
        RungOutcome::WouldAsk { reason } => ("├", format!("would ask: {}", reason_line(reason))),
        RungOutcome::Decided { decision, reason } => {
            ("└", format!("{decision}: {}", reason_line(reason)))
        }
    };
    format!(
        "  {mark} {:<4} {:<QUESTION_WIDTH$} {answer}\n",
        step.rung.as_str(),
        step.rung.question(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_ladder_is_drawn_down_to_the_rung_that_decided() {
        let request = fixture::request(17, "git push");
        insta::assert_snapshot!(judgement_text(&request.judgement));
    }
}
