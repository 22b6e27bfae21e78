//! Chat completions: `POST .../chat/completions`.

mod reading;
mod writing;

pub(super) use self::reading::{Stream, whole};
pub(super) use self::writing::request;
