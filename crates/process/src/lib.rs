//! Child processes: start, bounds, process groups, kill, reap.
//!
//! One function starts programs for everyone, [`run`]. Whoever calls it can't forget the time limit,
//! the output limit, the process group or the kill, and no secret of the leader's environment reaches
//! a child unless somebody wrote its name down.

mod environment;
mod group;
mod output;
mod reap;
mod run;

pub use environment::{Environment, SECRET_NAMES};
pub use group::ProcessGroup;
pub use output::Output;
pub use reap::{Reaped, reap, reap_owned_by};
pub use run::{CommandSpec, End, Finished, RunError, run};
