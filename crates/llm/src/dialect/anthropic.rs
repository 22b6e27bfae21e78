//! Anthropic's Messages: `POST /v1/messages`.

mod reading;
mod writing;

pub(super) use self::reading::{Stream, whole};
pub(super) use self::writing::request;
