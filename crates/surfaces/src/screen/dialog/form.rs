//! A panel as it is drawn: a title, rows to read, a text that is being written, keys.

use crate::screen::field::Drawn;
use crate::screen::sheet::Row;

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct Form {
    pub(in crate::screen) title: String,
    pub(in crate::screen) body: Vec<Row>,
    /// What stands before the text, and the text.
    pub(in crate::screen) field: Option<(&'static str, Drawn)>,
    /// Keys that do something now, and what.
    pub(in crate::screen) keys: Vec<(&'static str, &'static str)>,
}

impl Form {
    /// Rows that the text takes.
    pub(in crate::screen) fn field_rows(&self) -> usize {
        self.field.as_ref().map_or(0, |(_, drawn)| drawn.rows.len())
    }
}
