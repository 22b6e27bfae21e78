//! The doing: dispatch and its states, the built-in tools; declares [`Spawner`] for sub-agents.
//!
//! [`Dispatch::admit`] and [`Dispatch::execute`] are the only way to run a tool. An
//! [`AdmittedCall`] can't be made anywhere else, so nothing runs that was not judged.

mod built_in;
mod call_end;
mod dispatch;
mod follow_ups;
mod in_background;
mod input_fields;
mod pace;
mod past;
mod run_ids;
mod seat;
mod spawner;
mod tool;
mod toolbox;

pub use call_end::{CallEnd, CallMoved};
pub use dispatch::{
    Admission, AdmittedCall, AskedCall, Dispatch, Halt, HaltCause, StopWord, holds_key,
};
pub use follow_ups::{FollowUpSender, FollowUps, NotHeard};
pub use in_background::{InBackground, started_beside};
pub use pace::{Course, Pace};
pub use past::{Became, PastAgent, PastCall, PastQuestion, Standing};
pub use run_ids::RunIds;
pub use seat::Seat;
pub use spawner::{NoSpawner, SpawnError, Spawned, SpawnedEnd, SpawnedHow, Spawner};
pub use tool::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};
pub use toolbox::Toolbox;
