//! A rehearsal, told to a person.

use std::fmt::Write as _;

use pointsman_ledger::HookCame;
use pointsman_model::visible;

use super::{Rehearsal, RehearsedHook};

impl Rehearsal {
    /// All of it as text, ending in a line feed. What hooks wrote is made visible.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a String can't fail.
        let _ = writeln!(text, "{}", self.event.as_str());
        let _ = writeln!(text, "  told    {}", visible(&self.told));
        for hook in &self.hooks {
            let _ = writeln!(text, "  {}  {}", visible(&hook.hook), visible(&hook.runs));
            text.push_str(&part(hook));
        }
        if self.hooks.is_empty() {
            text.push_str("  no hook is configured for it\n");
        }
        let _ = writeln!(text, "  together: {}", visible(&self.together));
        text
    }
}

fn part(hook: &RehearsedHook) -> String {
    let mut text = String::new();
    if let Some(came) = hook.came {
        let said = match &*hook.said {
            "" => String::new(),
            said => format!(": {}", visible(said)),
        };
        let took = hook.took.0;
        let _ = writeln!(text, "    said    {}{said} ({took} ms)", word(came));
    }
    for meaning in &hook.meaning {
        let _ = writeln!(text, "    means   {}", visible(meaning));
    }
    text
}

/// What a turn came to, in a word; the same words stand in JSON.
pub(super) fn word(came: HookCame) -> &'static str {
    match came {
        HookCame::Nothing => "nothing",
        HookCame::Allow => "allow",
        HookCame::Deny => "deny",
        HookCame::Ask => "ask",
        HookCame::Halt => "halt",
        HookCame::Failed => "failed",
    }
}
