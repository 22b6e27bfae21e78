//! The terminal prompt.

mod desk;
mod draft;
mod words;
