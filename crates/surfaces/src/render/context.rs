//! What an agent may do, for a person: its frozen context, and which rule of which file says so.

use crate::shown;
use crate::socket::{ContextCard, RuleCard};

/// Widest column of rules; longer ones push the rest of their line.
const RULE_WIDTH_MAX: usize = 48;

/// The text of a context for a person: what the agent may do, and which rule of which file says so.
#[must_use]
pub fn context_text(card: &ContextCard) -> String {
    let mut text = format!("{}  {}\n", card.worker, shown::line(&card.agent));
    let mut row = |name: &str, what: &str| {
        text.push_str(&format!("  {name:<10} {what}\n"));
    };
    let questions = match card.questions.as_str() {
        "refused" => ", its questions are refused",
        _ => "",
    };
    let held = match &card.held_to {
        None => String::new(),
        Some(mode) => format!(", held to {mode} since"),
    };
    row("mode", &format!("{}{held}{questions}", card.mode));
    let tools = match &card.tools {
        None => "all".into(),
        Some(tools) if tools.is_empty() => "none".into(),
        Some(tools) => shown::line(&tools.join(", ")),
    };
    row("tools", &tools);
    row("folder", &shown::line(&card.folder));
    for directory in card.directories.iter().filter(|dir| **dir != card.folder) {
        row("and in", &shown::line(directory));
    }
    let below = match card.depth_left {
        0 => "may start no agents".into(),
        1 => "1 more generation of agents".into(),
        more => format!("{more} more generations of agents"),
    };
    row("below it", &below);
    let asks = match (card.attended, card.handler.as_str()) {
        (false, _) => "nobody: what would be a question is refused",
        (true, "swarm_worker") => "the leader, by mailbox",
        (true, "interactive") => "all answerers at once",
        (true, _) => "hooks, then the classifier, then you",
    };
    row("asks", asks);
    row("sandbox", &card.sandbox.replace('_', " "));
    row("frozen as", &card.digest.to_string());
    text.push_str(&rules_text("rules", &card.rules));
    if !card.grants.is_empty() {
        text.push_str("  granted since\n");
        for grant in &card.grants {
            text.push_str(&format!("    {}  {}\n", grant.id, shown::line(&grant.rule)));
        }
    }
    if !card.tightenings.is_empty() {
        text.push_str(&rules_text("tightened since", &card.tightenings));
    }
    text
}

fn rules_text(title: &str, rules: &[RuleCard]) -> String {
    if rules.is_empty() {
        return format!("  {title}: none\n");
    }
    let width = rules
        .iter()
        .map(|card| shown::line(&card.rule).chars().count())
        .max()
        .unwrap_or_default()
        .min(RULE_WIDTH_MAX);
    let mut text = format!("  {title}\n");
    for card in rules {
        let place = card.place.as_deref().unwrap_or("given by hand");
        text.push_str(&format!(
            "    {:<5}  {:<width$}  {:<14}  {}\n",
            card.behavior,
            shown::line(&card.rule),
            card.source,
            shown::line(place),
        ));
    }
    text
}
