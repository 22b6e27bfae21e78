//! The control socket: how a command in another terminal reaches a running leader.
//!
//! One socket a run, in the state folder of the project, open to its owner alone; whoever connects
//! has to be the same user. Client and server speak one JSON object a line, the client first.

mod cards;
mod client;
mod server;
mod wire;

pub use cards::{ContextCard, GrantCard, JobWire, RequestCard, RuleCard};
pub use client::{Client, ClientError, FindError, find_leader};
pub use server::{ControlSocket, Served};
pub use wire::{
    AlwaysWire, AnswerWord, Ask, Came, CourseWord, LineError, ProblemWire, Reply, Seat, StatusWire,
    TightenWord, read_line,
};
