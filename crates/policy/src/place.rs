//! Where a path lies: inside the agent's directories, on a protected place, on one that nobody wants removed.

mod critical;
mod directories;
mod git;
mod landed;
mod ourselves;
mod protected;

pub(crate) use critical::{Precious, is_critical};
pub(crate) use directories::Directories;
pub(crate) use landed::{COPY, Landing};
pub(crate) use ourselves::changed_through_ourselves;
pub(crate) use protected::{Removes, protected, protected_by_spelling};
