//! Where things stand on a screen of a given size. What is drawn and what is counted as seen follow
//! from the same numbers.

use ratatui::layout::{Rect, Size};

/// Smallest screen on which a request can be read and answered.
pub(super) const WIDTH_MIN: u16 = 40;
/// See [`WIDTH_MIN`].
pub(super) const HEIGHT_MIN: u16 = 10;
/// From this width on the tree stands beside the queue, and from this height of the body on, that of a screen of 30
/// rows, what is under the cursor is shown below it.
const WIDE: u16 = 100;
const TALL: u16 = 27;
/// By so many rows the list of requests grows over what is shown below it.
const QUEUE_STEP: usize = 4;
/// Rows of the sheet that stay in view beside a panel where there is room.
const SHEET_BESIDE: u16 = 4;

/// Whether anything can be drawn.
pub(super) fn fits(size: Size) -> bool {
    size.width >= WIDTH_MIN && size.height >= HEIGHT_MIN
}

/// The screen without its first row (who and how far), and its last two (what happened, what may be
/// pressed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) header: Rect,
    pub(super) body: Rect,
    pub(super) status: Rect,
    pub(super) footer: Rect,
}

impl Frame {
    pub(super) fn of(size: Size) -> Self {
        let row = |y| Rect::new(0, y, size.width, 1);
        Self {
            header: row(0),
            body: Rect::new(0, 1, size.width, size.height.saturating_sub(3)),
            status: row(size.height.saturating_sub(2)),
            footer: row(size.height.saturating_sub(1)),
        }
    }
}

/// The overview: the tree, the queue, and on large screens the request under the cursor. Each has a
/// title row of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overview {
    pub(super) tree: Rect,
    pub(super) queue: Rect,
    pub(super) preview: Option<Rect>,
}

impl Overview {
    /// With so many requests in the list, which leaves the rows that it does not need to the preview.
    pub(super) fn of(body: Rect, requests: usize) -> Self {
        if body.width < WIDE {
            let upper = body.height / 2;
            let (tree, queue) = rows(body, upper);
            return Self {
                tree,
                queue,
                preview: None,
            };
        }
        let (tree, right) = columns(body, body.width.saturating_mul(2) / 5);
        if body.height < TALL {
            return Self {
                tree,
                queue: right,
                preview: None,
            };
        }
        // Below its title. In steps, so that what is being read below does not move with each request that comes.
        let wanted = requests.saturating_add(1).next_multiple_of(QUEUE_STEP);
        let wanted = u16::try_from(wanted).unwrap_or(u16::MAX);
        let (queue, preview) = rows(right, wanted.min(right.height / 2));
        Self {
            tree,
            queue,
            preview: Some(preview),
        }
    }

    /// Rows for entries in a pane, below its title.
    pub(super) fn entries(pane: Rect) -> usize {
        usize::from(pane.height.saturating_sub(1))
    }
}

/// A request with a panel of that many rows below it: a title, a body and a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialog {
    pub(super) sheet: Rect,
    /// Says how much of the sheet is out of view. Nothing stands over the sheet itself: a row of it that is in view
    /// counts as seen.
    pub(super) mark: Rect,
    pub(super) title: Rect,
    pub(super) panel: Rect,
    pub(super) field: Rect,
}

impl Dialog {
    /// The sheet alone, of so many rows.
    pub(super) fn alone(body: Rect, sheet_rows: usize) -> Self {
        let none = Rect::new(0, body.bottom(), body.width, 0);
        let mark = u16::from(sheet_rows > usize::from(body.height));
        let (sheet, mark) = rows(body, body.height.saturating_sub(mark));
        Self {
            sheet,
            mark,
            title: none,
            panel: none,
            field: none,
        }
    }

    /// The sheet above a panel, which has the room it needs before the sheet has any.
    pub(super) fn with_panel(body: Rect, panel_rows: usize, field_rows: usize) -> Self {
        let wanted = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
        let room = body.height.saturating_sub(1);
        let half = (room / 2).max(1);
        let field = wanted(field_rows).min(if panel_rows == 0 {
            room.saturating_sub(SHEET_BESIDE).max(half)
        } else {
            half
        });
        let panel = wanted(panel_rows).min(room.saturating_sub(field));
        let sheet = room.saturating_sub(field).saturating_sub(panel);
        let (sheet, rest) = rows(body, sheet);
        let (title, rest) = rows(rest, 1);
        let (panel, field) = rows(rest, panel);
        Self {
            sheet,
            mark: Rect::new(0, body.bottom(), body.width, 0),
            title,
            panel,
            field,
        }
    }
}

fn rows(area: Rect, upper: u16) -> (Rect, Rect) {
    let upper = upper.min(area.height);
    (
        Rect {
            height: upper,
            ..area
        },
        Rect {
            y: area.y.saturating_add(upper),
            height: area.height.saturating_sub(upper),
            ..area
        },
    )
}

fn columns(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    (
        Rect {
            // A blank column between the two.
            width: left.saturating_sub(1),
            ..area
        },
        Rect {
            x: area.x.saturating_add(left),
            width: area.width.saturating_sub(left),
            ..area
        },
    )
}
