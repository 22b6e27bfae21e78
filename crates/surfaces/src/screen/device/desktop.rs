//! Notifications of the desktop by way of the terminal: those that have a sequence for it.

use crate::shown;

/// Longest text: what fits a notification; some terminals drop longer ones.
const CHARS_MAX: usize = 200;

/// What is written to the terminal to have the desktop told; nothing for a terminal that is not known to do so, which
/// would show the sequence, or beep.
pub(super) fn notification(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    // Nothing of the text can end the sequence: control characters are written out.
    let text: String = shown::line(text).chars().take(CHARS_MAX).collect();
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let term = variable("TERM").unwrap_or_default();
    // Multiplexers keep such sequences to themselves.
    if variable("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux") {
        return None;
    }
    let by_nine = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "ghostty")
        || matches!(term.as_str(), "xterm-kitty" | "xterm-ghostty" | "wezterm")
        || variable("WT_SESSION").is_some();
    let by_777 = term.starts_with("rxvt") || term.starts_with("foot");
    match (by_nine, by_777) {
        (true, _) => Some(format!("\u{1b}]9;{text}\u{7}")),
        (false, true) => {
            let text = text.replace(';', ",");
            Some(format!("\u{1b}]777;notify;pointsman;{text}\u{7}"))
        }
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, set: &[(&str, &str)]) -> Option<String> {
        notification(text, |name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn terminals_are_told_in_the_way_they_know_or_not_at_all() {
        let kitty = told("r1-1 waits", &[("TERM", "xterm-kitty")]);
        assert_eq!(kitty.as_deref(), Some("\u{1b}]9;r1-1 waits\u{7}"));
        let foot = told("a; b", &[("TERM", "foot")]);
        assert_eq!(
            foot.as_deref(),
            Some("\u{1b}]777;notify;pointsman;a, b\u{7}")
        );
        assert_eq!(told("x", &[("TERM", "xterm-256color")]), None);
        let inside = [("TERM", "tmux-256color"), ("TERM_PROGRAM", "WezTerm")];
        assert_eq!(told("x", &inside), None);
    }

    #[test]
    fn law_22_no_text_of_an_agent_ends_the_sequence() {
        let evil = told("x\u{7}\u{1b}]0;owned\u{7}", &[("TERM", "foot")]).unwrap();
        assert_eq!(evil.matches('\u{7}').count(), 1, "{evil:?}");
        assert_eq!(evil.matches('\u{1b}').count(), 1, "{evil:?}");
    }
}
