//! Child processes: start, bounds, process groups, kill, reap.
//!
//! Programs are started in two ways for everyone: [`run`] takes one to its end, [`Resident`] keeps one
//! that answers line by line. Whoever uses them can't forget the output limit, the process group or
//! the kill, and no secret of the leader's environment reaches a child unless somebody wrote its name
//! down.

mod child;
mod environment;
mod group;
mod origin;
mod orphans;
mod output;
mod reap;
mod resident;
mod run;
mod spawn;

pub use child::{find_program, is_executable};
pub use environment::{Environment, KEY_LEFT_OUT};
pub use group::ProcessGroup;
pub use origin::{Origin, origin_of};
pub use orphans::Orphans;
pub use output::Output;
pub use reap::{Reaped, reap, reap_owned_by};
pub use resident::{ExchangeError, Resident, ResidentSpec};
pub use run::{CommandSpec, End, Finished, RunError, run};
