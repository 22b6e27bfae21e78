//! A request in full, and the panel of the answer that is being made.

use pointsman_model::WallTime;
use ratatui::layout::Position;

use super::{Canvas, Keys, short};
use crate::screen::dialog::Dialog;
use crate::screen::layout::Frame;
use crate::screen::queue::Which;
use crate::screen::sheet::{Ink, Row, Tone, text_width};
use crate::screen::state::State;
use crate::shown;

/// Columns for who asks, and for what stands between that, the id and the edges.
const NAME_MIN: u16 = 14;

pub(super) fn draw(
    state: &State,
    dialog: &Dialog,
    now: WallTime,
    frame: Frame,
    canvas: &mut Canvas<'_>,
) -> (Option<Position>, Keys) {
    bar(state, dialog, now, frame, canvas);
    let form = dialog.form();
    let areas = dialog.areas(frame.body, form.as_ref());
    let (rows, top) = dialog.sheet(areas.sheet.height);
    for (at, row) in rows.iter().skip(top).enumerate() {
        canvas.row(areas.sheet, at, row);
    }
    if let Some(form) = form {
        let panel_top = dialog.panel_top(form.body.len(), areas.panel.height);
        let cursor = canvas.form(&form, areas, panel_top);
        return (cursor, form.keys);
    }
    let height = usize::from(areas.sheet.height);
    let below = rows.len().saturating_sub(top.saturating_add(height));
    let text = match (top, below, dialog.unseen()) {
        (above, 0, 0) => format!(" ↑ {above} rows above "),
        (_, below, 0) => format!(" ↓ {below} more rows "),
        (_, 0, unseen) => format!(" ↑ {unseen} to read before a yes "),
        (_, below, unseen) => format!(" ↓ {below} more rows, {unseen} before a yes "),
    };
    let mut corner = areas.mark;
    corner.x = corner.right().saturating_sub(text_width(&text));
    corner.width = text_width(&text);
    canvas.row(corner, 0, &Row::of(vec![Ink::new(Tone::Heading, text)]));
    canvas.reverse(corner, 0);
    (None, keys(state, dialog))
}

/// The first row: which request, who asks, since when, until when.
fn bar(state: &State, dialog: &Dialog, now: WallTime, frame: Frame, canvas: &mut Canvas<'_>) {
    let list = state.list(dialog.which);
    let Some(open) = dialog.drawn_request(list) else {
        return;
    };
    let request = &open.request;
    let still = dialog.left(list);
    let equal = match still {
        0 | 1 => String::new(),
        count => format!(" and {} alike", count.saturating_sub(1)),
    };
    let asks = match dialog.which {
        Which::Waiting => "asks",
        Which::Refused => "was refused by the classifier",
    };
    let left = format!(
        "{}{equal}  {} {asks}",
        request.id,
        shown::line(&request.lineage.to_string())
    );
    let others = list.len().saturating_sub(still);
    let others = match others {
        0 => String::new(),
        count => match dialog.which {
            Which::Waiting => format!("  {count} more wait"),
            Which::Refused => format!("  {count} more"),
        },
    };
    let asked = short(now.since(request.opened_at));
    let ends = format!("ends in {}", short(request.deadline.since(now)));
    let (what, least) = if dialog.is_over(list) {
        let least = "it has ended".to_owned();
        let end = dialog.last_end();
        (
            end.map_or_else(|| least.clone(), |end| end.told(now)),
            least,
        )
    } else if list.is_sending(request.id) {
        (
            "your answer is on its way".to_owned(),
            "on its way".to_owned(),
        )
    } else if dialog.which == Which::Refused {
        (format!("{asked} ago"), String::new())
    } else {
        (format!("{asked} ago, {ends}"), ends)
    };
    // The id is whole, and some of who asks, however narrow the screen is.
    let kept = text_width(&request.id.to_string()).saturating_add(NAME_MIN);
    let room = frame.header.width.saturating_sub(kept);
    let fitting = [format!("{what}{others}"), what, least];
    let right = fitting.into_iter().find(|text| text_width(text) <= room);
    canvas.bar(frame.header, &left, &right.unwrap_or_default());
}

/// Keys that do something now.
fn keys(state: &State, dialog: &Dialog) -> Keys {
    if dialog.is_over(state.list(dialog.which)) {
        return vec![
            ("Enter", "next"),
            ("Esc q", "back"),
            ("t", "transcript"),
            ("?", "help"),
        ];
    }
    let answers = match (dialog.which, dialog.unseen()) {
        (Which::Refused, 0) => vec![("a", "lift the no…")],
        (Which::Refused, _) => vec![("↓", "read on, then lift")],
        (Which::Waiting, 0) => vec![("a", "allow…"), ("d", "deny…"), ("e", "edit…")],
        (Which::Waiting, _) => vec![("↓", "read on, then allow"), ("d", "deny…")],
    };
    let mut keys = answers;
    if dialog.which == Which::Waiting {
        keys.push(("x", "deny agent…"));
    }
    keys.extend([
        ("n p", "others"),
        ("Esc q", "back"),
        ("t", "transcript"),
        ("s", "stop…"),
        ("?", "help"),
    ]);
    keys
}
