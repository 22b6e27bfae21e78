//! What a frame shows, as far as it tells one frame's rows from another's: two frames of one scene differ in what goes on
//! in it, those of two scenes have nothing to do with each other.

use pointsman_model::WorkerId;

use super::dialog::Making;
use super::queue::{Place, Which};

/// See the module's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    /// The two lists.
    Overview(Which),
    /// A request, and what is being made below it.
    Request(Which, Place, Making),
    /// What an agent did.
    Transcript(WorkerId),
    Help,
    /// Asked what to stop.
    Stop,
}
