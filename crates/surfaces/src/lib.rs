//! What people touch: the terminal prompt and the control socket, and the text that all of them show.

pub mod render;
pub mod shown;
