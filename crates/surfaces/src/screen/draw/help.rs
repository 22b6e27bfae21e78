//! The help: every key, and why a yes takes what it takes.

use ratatui::layout::Rect;

use super::Canvas;
use crate::screen::sheet::{Ink, Line, Row, Tone, wrap};

/// Keys and what they do; a heading where there is no key.
const HELP: &[(&str, &str)] = &[
    ("", "everywhere"),
    ("↑ ↓ PgUp PgDn", "move, read on; j, k and the blank too"),
    ("?", "this help"),
    ("Ctrl-L", "draw everything anew"),
    (
        "Ctrl-Z",
        "give the terminal back and stop; `fg` in the shell goes on",
    ),
    (
        "Ctrl-C",
        "ask whether to stop the run; once more stops it, or leaves it on where it was attached to",
    ),
    ("", "overview"),
    ("Tab", "the other list"),
    ("Enter", "open the request, or the transcript of the agent"),
    ("/", "show only what holds a text; Esc shows everything"),
    (
        "s",
        "stop the agent or the job under the cursor, or the run",
    ),
    ("c", "what the classifier refused: `a` at one lifts it"),
    (
        "q",
        "leave the run alone, which goes on: where it was attached to",
    ),
    ("", "request"),
    (
        "a",
        "let it run: once, or with a rule for later; Ctrl-Y sends it",
    ),
    ("e", "change what is to run; Ctrl-Y sends it"),
    ("d", "refuse it, with words for the agent; Enter sends them"),
    (
        "x",
        "refuse all that this agent and those below it ask now; they are listed",
    ),
    ("s", "stop the agent"),
    ("t", "transcript of the agent"),
    ("n p", "the next request, the one before"),
    ("Esc q", "back, nothing is answered"),
    ("", "transcript"),
    ("/", "search; n and N go on"),
    ("r", "show secrets, which are masked; once more masks them"),
    ("Esc", "back"),
    ("", "why a yes is slow"),
    (
        "",
        "Nothing runs by a key that one presses for something else: a yes is sent by Ctrl-Y alone, after the request was read to its end. What can't be had back, and what you have changed, wants its id typed out as well. New requests wait in the list; they never come under your fingers. A paste answers nothing.",
    ),
    ("", "in the tree"),
    ("?", "waits for you"),
    ("~", "waits for its model, and how long by now"),
    ("▶", "runs a tool"),
    ("·", "works, or waits for agents that it has started"),
    ("…", "was not heard of for a minute"),
    ("‖", "paused"),
    ("✓ ✗ ■", "done, failed or halted, stopped"),
];

/// The row at the top when the last one is in view.
pub(in crate::screen) fn help_end(body: Rect) -> usize {
    let rows = rows(body.width);
    rows.len().saturating_sub(usize::from(body.height))
}

pub(super) fn draw(top: usize, body: Rect, canvas: &mut Canvas<'_>) {
    canvas.clear(body);
    let top = top.min(help_end(body));
    for (at, row) in rows(body.width).iter().skip(top).enumerate() {
        canvas.row(body, at, row);
    }
}

fn rows(width: u16) -> Vec<Row> {
    let mut lines = Vec::new();
    let mut headed = false;
    for (key, what) in HELP {
        if key.is_empty() && what.len() < 30 {
            if headed {
                lines.push(Line::empty());
            }
            headed = true;
            lines.push(Line::plain(Tone::Heading, what));
        } else if key.is_empty() {
            let lead = Ink::new(Tone::Plain, "  ");
            lines.push(Line::ours(lead, Tone::Plain, what));
        } else {
            let lead = Ink::new(Tone::Key, format!("  {key:<14} "));
            lines.push(Line::ours(lead, Tone::Plain, what));
        }
    }
    wrap(&lines, width.min(90))
}
