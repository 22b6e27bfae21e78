//! The request under the cursor, beside the lists: laid out when it is another one, not for each frame.

use super::before::Before;
use super::queue::{Group, Place, Which};
use super::sheet::{Line, Row, Tone, request_sheet, wrap};

/// Calls and files longer than this, taken together, are not laid out here: whoever walks down the list would wait.
const BYTES_MAX: usize = 32 * 1024;

/// What a preview was made of. Another one of it says something else, or in other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) which: Which,
    pub(super) place: Place,
    /// See [`Group::version`].
    pub(super) version: u64,
    pub(super) width: u16,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Preview {
    made: Made,
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
}

impl Preview {
    /// Lays a group out.
    pub(super) fn new(made: Made, group: &Group) -> Self {
        let before = match &group.before {
            Some(Before::Text(text)) => text.len(),
            Some(Before::Nothing | Before::Other(_)) | None => 0,
        };
        let bytes = group.first.call.text.as_str().len().saturating_add(before);
        let rows = if bytes > BYTES_MAX {
            let text = "too long to be shown here";
            wrap(&[Line::plain(Tone::Quiet, text)], made.width)
        } else {
            let sheet = request_sheet(&group.open, group.before.as_ref(), &[]);
            let mut rows = wrap(&sheet.needed, made.width);
            rows.extend(wrap(&sheet.further, made.width));
            rows
        };
        Self {
            made,
            title: match &group.ended {
                None => format!("{}, Enter opens it", group.first.id),
                Some(_) => format!("{}, which has ended", group.first.id),
            },
            rows,
        }
    }

    /// Whether it is what would be made of this.
    pub(super) fn is_of(&self, made: Made) -> bool {
        self.made == made
    }
}
