//! What people touch: the full screen, the terminal prompt and the control socket, and the text that
//! all of them show.

pub mod render;
pub mod shown;

mod edit;
#[cfg(test)]
mod fixture;
mod notify;
mod pause;
mod roster;
mod screen;
mod secret;
mod session;
pub mod socket;
mod terminal;
mod workers;

pub use edit::{Editable, NotEdited};
pub use notify::{Desktop, NotifyOptions, NotifyService, ToldEarlier};
pub use screen::{
    Bell, FarLeader, Link, Look, ScreenError, ScreenGone, ScreenHandle, ScreenOptions,
    ScreenService, TYPING_MAX, leave_full_screen,
};
pub use secret::{masked, masked_json};
pub use session::{ParseScopeError, SessionError, SessionScope, grant_for};
pub use terminal::{Terminal, TerminalError, TerminalHandle, TerminalOptions, TerminalService};
pub use workers::{WorkerRow, WorkerState, Workers};
