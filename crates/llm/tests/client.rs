//! The client against real servers on loopback: both dialects, faults of every kind, cassettes.

#[path = "client/cassettes.rs"]
mod cassettes;
#[path = "client/faults.rs"]
mod faults;
#[path = "client/replies.rs"]
mod replies;
#[path = "client/stage.rs"]
mod stage;
