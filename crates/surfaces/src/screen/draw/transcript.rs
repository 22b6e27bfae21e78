//! The transcript of an agent, drawn.

use ratatui::layout::{Position, Rect};

use super::{Attention, Canvas, Hidden, Keys, header};
use crate::screen::layout::Frame;
use crate::screen::sheet::{Ink, Row, Tone, clip, text_width};
use crate::screen::state::State;
use crate::screen::transcript::{Transcript, Typing};
use crate::secret::Secrets;
use crate::shown;

pub(super) fn draw(
    state: &State,
    reading: &Transcript,
    frame: Frame,
    canvas: &mut Canvas<'_>,
) -> (Option<Position>, Keys) {
    header(state, canvas, frame);
    let body = frame.body;
    let who = state.roster.agent(reading.worker).map_or_else(
        || reading.worker.to_string(),
        |agent| {
            let who = shown::line(&agent.lineage.to_string());
            format!("{who} (mode {})", agent.mode)
        },
    );
    let area = Rect {
        y: body.y.saturating_add(1),
        height: body.height.saturating_sub(1),
        ..body
    };
    let height = usize::from(area.height);
    let (top, all) = reading.extent(height);
    let place = if all > height {
        let last = top.saturating_add(height).min(all);
        format!(", rows {} to {last} of {all}", top.saturating_add(1))
    } else {
        String::new()
    };
    let (secrets, reveal) = match reading.secrets {
        Secrets::Masked => ("", "show secrets"),
        Secrets::Shown => (", secrets shown", "mask secrets"),
    };
    let what = "transcript of ";
    let taken = [what, &place, secrets].map(text_width).iter().sum::<u16>();
    // Whatever an agent is called, what stands behind its name is there.
    let who = clip(&who, body.width.saturating_sub(taken).saturating_sub(2));
    canvas.title(
        body,
        &format!("{what}{who}{place}{secrets}"),
        Attention::Here,
        Hidden::default(),
    );
    if !reading.is_loaded() {
        canvas.row(area, 0, &Row::of(vec![Ink::new(Tone::Quiet, "reading…")]));
    }
    let wanted = reading.wanted();
    for (at, row) in reading.view(height).iter().enumerate() {
        canvas.row(area, at, row);
        let holds = |wanted: &String| row.text().to_lowercase().contains(wanted);
        if wanted.as_ref().is_some_and(holds) {
            canvas.reverse(area, at);
        }
    }
    if reading.typing == Typing::Nothing {
        let keys = vec![
            ("↑↓", "read"),
            ("/", "search"),
            ("n N", "next, before"),
            ("r", reveal),
            ("Esc", "back"),
            ("?", "help"),
        ];
        return (None, keys);
    }
    (
        typed(reading, body, canvas),
        vec![("Enter", "find"), ("Esc", "no search")],
    )
}

/// The text that is searched for, over the last row, and where the cursor belongs.
fn typed(reading: &Transcript, body: Rect, canvas: &mut Canvas<'_>) -> Option<Position> {
    let field = reading.search.as_ref()?;
    let row = Row::of(vec![
        Ink::new(Tone::Key, "/"),
        Ink::new(Tone::Plain, shown::line(field.text())),
    ]);
    let line = Rect {
        y: body.bottom().saturating_sub(1),
        height: 1,
        ..body
    };
    canvas.clear(line);
    canvas.row(line, 0, &row);
    Some(Position {
        x: text_width(&row.text()).min(line.width.saturating_sub(1)),
        y: line.y,
    })
}
