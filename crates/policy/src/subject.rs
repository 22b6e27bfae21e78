//! What a rule is compared with: commands, paths, hosts and names of one call, brought into the
//! forms that rules are compared in. Made once a call.

mod command;
mod glob;
pub(crate) mod operators;
mod path;

pub(crate) use command::{CommandSubject, GlobWord, Of, Reading, ReadingFor};
pub(crate) use glob::{Below, Look, any_below, look_below, matches_name};
pub(crate) use path::{KnownPath, PathKind, PathSubject, lower, walked};

use pointsman_model::{AgentName, HostName};

use crate::rule::PathAccess;

/// One thing that rules are compared with.
#[derive(Debug, Clone)]
pub(crate) enum Subject<'a> {
    /// A command.
    Command(&'a CommandSubject),
    /// A use of a path.
    Path(PathAccess, &'a PathSubject),
    /// A connection.
    Host(Option<&'a HostName>),
    /// The start of an agent.
    Agent(&'a AgentName),
    /// The call of a skill, with its arguments.
    Skill(Box<str>),
    /// Something that may do anything.
    Anything,
}
