//! Drawing: a state and a moment in, cells out. Nothing is decided or kept here.

mod help;
mod overview;
mod request;
mod transcript;

use std::fmt;

use pointsman_model::{Millis, WallTime};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub(super) use help::help_end;

use super::dialog::Form;
use super::layout::{self, Frame};
use super::look::Look;
use super::notice::Keeps;
use super::sheet::{Ink, Line, Row, Tone, clip, clip_middle, text_width, wrap};
use super::state::{Course, Over, Seat, State, View};
use super::stop::{Again, StopBox, Target};
use crate::shown;

/// The key that shows all keys.
const HELP_KEY: &str = "?";

/// Keys that do something now, and what.
type Keys = Vec<(&'static str, &'static str)>;

/// Draws the screen as it is at `now`; gives where the terminal's cursor belongs, if anywhere.
pub(super) fn draw(
    state: &State,
    now: WallTime,
    look: Look,
    buffer: &mut Buffer,
) -> Option<Position> {
    let mut canvas = Canvas { buffer, look };
    if !layout::fits(state.size) {
        let area = Rect::new(0, 0, state.size.width, state.size.height);
        let text = too_small(state);
        for (at, row) in wrap(&[Line::plain(Tone::Plain, text)], area.width)
            .iter()
            .enumerate()
        {
            canvas.row(area, at, row);
        }
        return None;
    }
    let frame = Frame::of(state.size);
    let (cursor, keys) = match &state.view {
        View::Overview => overview::draw(state, now, frame, &mut canvas),
        View::Request(dialog) => request::draw(state, dialog, now, frame, &mut canvas),
        View::Transcript(reading, _) => transcript::draw(state, reading, frame, &mut canvas),
    };
    let (cursor, keys) = match &state.over {
        Over::Nothing => (cursor, keys),
        Over::Help(top) => {
            help::draw(*top, frame.body, &mut canvas);
            (None, vec![("↑↓", "read"), ("any other key", "back")])
        }
        Over::Stop(stop) => {
            let form = stop_form(stop, frame.body.width);
            let areas = layout::Dialog::with_panel(frame.body, form.body.len(), form.field_rows());
            let cursor = canvas.form(&form, areas, 0);
            (cursor, form.keys)
        }
    };
    let (text, width) = (state.notice.text(), frame.status.width);
    let text = match state.notice.keeps() {
        Keeps::Start => clip(text, width),
        Keeps::Both => clip_middle(text, width),
    };
    let notice = Line::told(Tone::Notice, text);
    for row in wrap(&[notice], frame.status.width).iter().take(1) {
        canvas.row(frame.status, 0, row);
    }
    canvas.keys(frame.footer, &keys);
    cursor
}

/// What is said where nothing else fits: also how to get away from here.
fn too_small(state: &State) -> &'static str {
    let leading = state.seat == Seat::Leading;
    match &state.over {
        Over::Stop(_) if leading => "Ctrl-C once more stops the run; Esc: back",
        Over::Stop(_) => "Ctrl-C once more leaves the run, which goes on; Esc: back",
        Over::Nothing | Over::Help(_) if leading => {
            "the window is too small to show a request; Ctrl-C twice stops the run"
        }
        Over::Nothing | Over::Help(_) => {
            "the window is too small to show a request; q, or Ctrl-C twice, leaves the run, which goes on"
        }
    }
}

/// The box that asks what to stop, or whether to leave.
fn stop_form(stop: &StopBox, width: u16) -> Form {
    let title = match stop.target() {
        Target::Agent(_, who) => format!("stop {who}, and all agents below it"),
        Target::Job(name) => {
            format!("stop the job {}, which is not at work", shown::line(name))
        }
        Target::Leave => "leave the run, which goes on".to_owned(),
        Target::Run => "stop the whole run".to_owned(),
    };
    let what = match stop.target() {
        Target::Leave => {
            "nothing is stopped: open questions wait for whoever attaches, or answers by command"
        }
        Target::Job(_) => {
            "it is not begun, or tried again, any more; jobs that need it are skipped"
        }
        Target::Agent(..) | Target::Run => {
            "open questions end as cancelled, running commands are killed"
        }
    };
    let leaves = *stop.target() == Target::Leave;
    let (how, enter) = if leaves {
        ("press Enter", "leave")
    } else {
        (
            "type `stop` and press Enter",
            "stop, once the word is there",
        )
    };
    let lines = [
        Line::plain(Tone::Plain, what),
        Line::plain(Tone::Notice, how),
    ];
    let mut keys = vec![("Enter", enter), ("Esc", "back")];
    keys.push(match (stop.again(), stop.target()) {
        (Again::Leaves, _) => ("Ctrl-C", "leave, stop nothing"),
        (Again::StopsRun, Target::Run | Target::Leave) => ("Ctrl-C", "stop at once"),
        (Again::StopsRun, Target::Agent(..) | Target::Job(_)) => ("Ctrl-C", "stop the whole run"),
    });
    if stop.has_choice() {
        let others = match (stop.target(), stop.again()) {
            (Target::Leave, _) => "stop the run",
            (Target::Run, Again::Leaves) => "another choice",
            (Target::Job(_), _) => "the job, or the run",
            (Target::Agent(..) | Target::Run, _) => "the agent, or the run",
        };
        keys.push(("Tab", others));
    }
    let field = (!leaves).then(|| ("> ", stop.field.drawn(width.saturating_sub(2))));
    Form {
        title,
        body: wrap(&lines, width),
        field,
        keys,
    }
}

/// What is drawn on.
struct Canvas<'a> {
    buffer: &'a mut Buffer,
    look: Look,
}

impl Canvas<'_> {
    /// Writes a row into the area's row of that number, cut at its edge and at that of the buffer: a terminal that is
    /// made smaller has a smaller buffer a moment before its new size is told.
    fn row(&mut self, area: Rect, number: usize, row: &Row) {
        let Ok(number) = u16::try_from(number) else {
            return;
        };
        if number >= area.height {
            return;
        }
        let y = area.y.saturating_add(number);
        let edge = area.right().min(self.buffer.area.right());
        if y >= self.buffer.area.bottom() || area.x >= edge {
            return;
        }
        let mut x = area.x;
        for ink in &row.inks {
            let left = usize::from(edge.saturating_sub(x));
            if left == 0 {
                return;
            }
            let style = self.look.style(ink.tone);
            (x, _) = self.buffer.set_stringn(x, y, &ink.text, left, style);
        }
    }

    /// Reverses the area's row of that number.
    fn reverse(&mut self, area: Rect, number: usize) {
        let Ok(number) = u16::try_from(number) else {
            return;
        };
        let row = Rect {
            y: area.y.saturating_add(number),
            height: 1.min(area.height.saturating_sub(number)),
            ..area
        };
        let style = self.look.reversed();
        self.buffer.set_style(row, style);
    }

    /// A title bar with a text at its left and one at its right.
    fn bar(&mut self, area: Rect, left: &str, right: &str) {
        // A blank at each edge, and two between the texts.
        let room = area
            .width
            .saturating_sub(text_width(right))
            .saturating_sub(4);
        let left = clip(left, room);
        let between = area
            .width
            .saturating_sub(text_width(&left))
            .saturating_sub(text_width(right))
            .saturating_sub(2);
        let text = format!(" {left}{}{right} ", " ".repeat(usize::from(between)));
        self.row(area, 0, &Row::of(vec![Ink::new(Tone::Heading, text)]));
        self.reverse(area, 0);
    }

    /// A heading of a pane, with what is out of view of the list below it.
    fn title(&mut self, area: Rect, text: &str, has_keys: Attention, hidden: Hidden) {
        let hidden = hidden.to_string();
        let room = area.width.saturating_sub(text_width(&hidden));
        let text = clip(text, room.saturating_sub(2));
        let rest = room.saturating_sub(text_width(&text)).saturating_sub(3);
        let (lead, tone) = match has_keys {
            Attention::Here => ("▌", Tone::Heading),
            Attention::Elsewhere => (" ", Tone::Quiet),
        };
        let line = "─".repeat(usize::from(rest));
        let inks = vec![
            Ink::new(Tone::Key, lead),
            Ink::new(tone, format!("{text} ")),
            Ink::new(Tone::Quiet, line),
            Ink::new(Tone::Heading, hidden),
        ];
        self.row(area, 0, &Row::of(inks));
    }

    /// A panel: its bar, its rows from `top` on, its text. Gives where the cursor belongs.
    fn form(&mut self, form: &Form, areas: layout::Dialog, top: usize) -> Option<Position> {
        for area in [areas.title, areas.panel, areas.field] {
            self.clear(area);
        }
        let hidden = form
            .body
            .len()
            .saturating_sub(usize::from(areas.panel.height));
        let more = if hidden > 0 { "PgDn: more" } else { "" };
        self.bar(areas.title, &form.title, more);
        for (at, row) in form.body.iter().skip(top).enumerate() {
            self.row(areas.panel, at, row);
        }
        let (label, drawn) = form.field.as_ref()?;
        let height = usize::from(areas.field.height).max(1);
        let first = drawn.row.saturating_add(1).saturating_sub(height);
        for (at, text) in drawn.rows.iter().skip(first).take(height).enumerate() {
            let lead = if at == 0 && first == 0 {
                (*label).to_owned()
            } else {
                " ".repeat(usize::from(text_width(label)))
            };
            let inks = vec![Ink::new(Tone::Quiet, lead), Ink::new(Tone::Plain, text)];
            self.row(areas.field, at, &Row::of(inks));
        }
        let row = u16::try_from(drawn.row.saturating_sub(first)).unwrap_or(0);
        let column = text_width(label).saturating_add(drawn.column);
        Some(Position {
            x: areas
                .field
                .x
                .saturating_add(column)
                .min(areas.field.right()),
            y: areas.field.y.saturating_add(row),
        })
    }

    /// The footer: what may be pressed now, as far as there is room. The help has its room always: it tells the rest.
    fn keys(&mut self, area: Rect, keys: &Keys) {
        let mut inks = Vec::new();
        let wide = |(key, what): &(&str, &str)| {
            // A blank between the two, and two behind.
            text_width(key)
                .saturating_add(text_width(what))
                .saturating_add(3)
        };
        let (help, others): (Keys, Keys) = keys.iter().partition(|(key, _)| *key == HELP_KEY);
        let mut left = area.width.saturating_add(2);
        for key in &help {
            left = left.saturating_sub(wide(key));
        }
        let fitting = others.iter().take_while(|key| {
            let fits = wide(key) <= left;
            left = left.saturating_sub(wide(key));
            fits
        });
        for (key, what) in fitting.chain(&help) {
            inks.push(Ink::new(Tone::Key, *key));
            inks.push(Ink::new(Tone::Plain, format!(" {what}  ")));
        }
        self.row(area, 0, &Row::of(inks));
    }

    fn clear(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }
}

/// How many rows of a list are out of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Hidden {
    above: usize,
    below: usize,
}

impl Hidden {
    /// Of a list of `rows`, when `height` of them are in view from `top` on.
    fn of(rows: usize, top: usize, height: usize) -> Self {
        Self {
            above: top.min(rows),
            below: rows.saturating_sub(top.saturating_add(height)),
        }
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.above, self.below) {
            (0, 0) => Ok(()),
            (0, below) => write!(f, " ↓ {below} more "),
            (above, 0) => write!(f, " ↑ {above} above "),
            (above, below) => write!(f, " ↑ {above} above, ↓ {below} more "),
        }
    }
}

/// Whether a pane has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attention {
    Here,
    Elsewhere,
}

/// The first row: the run, how far it is, who waits.
fn header(state: &State, canvas: &mut Canvas<'_>, frame: Frame) {
    let progress = state.roster.progress();
    let mut left = format!("pointsman {}", state.run);
    if progress.all > 0 {
        let ended = progress.done.saturating_add(progress.failed);
        left.push_str(&format!(
            "  {} {ended}/{} jobs",
            gauge(ended, progress.all),
            progress.all
        ));
    }
    if progress.failed > 0 {
        left.push_str(&format!(", {} not well", progress.failed));
    }
    left.push_str(&format!("  {} at work", state.roster.at_work()));
    if state.course == Course::Stopping {
        left.push_str("  stopping");
    } else if state.roster.is_paused() {
        left.push_str("  paused");
    }
    let right = match state.queue.len() {
        0 => "nothing waits for you".to_owned(),
        1 => "1 waits for you".to_owned(),
        many => format!("{many} wait for you"),
    };
    canvas.bar(frame.header, &left, &right);
}

/// A bar of eight cells.
fn gauge(part: usize, all: usize) -> String {
    const CELLS: usize = 8;
    let full = part.saturating_mul(CELLS) / all.max(1);
    let full = full.min(CELLS);
    format!(
        "{}{}",
        "█".repeat(full),
        "░".repeat(CELLS.saturating_sub(full))
    )
}

/// A length of time in at most four columns: `4s`, `12m`, `3h`, `9d`.
pub(super) fn short(of: Millis) -> String {
    let seconds = of.0 / 1_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Text at the left of a column of that width.
fn column(text: &str, width: u16) -> String {
    let text = clip(text, width);
    let rest = width.saturating_sub(text_width(&text));
    format!("{text}{}", " ".repeat(usize::from(rest)))
}

/// Text at the right of a column of that width.
fn column_right(text: &str, width: u16) -> String {
    let text = clip(text, width);
    let rest = width.saturating_sub(text_width(&text));
    format!("{}{text}", " ".repeat(usize::from(rest)))
}
