//! The command line of pointsman: parses arguments, wires the crates, prints.
//!
//! Each verb is a module of [`verbs`]. A verb gives its exit code, or a [`failure::Failure`] that is
//! printed here, once, in one form. Nothing else in the workspace writes to the terminal but the
//! terminal prompt.

mod arguments;
mod failure;
mod log;
mod output;
mod place;
mod verbs;

use arguments::{Arguments, Verb};
use output::Output;

fn main() -> std::process::ExitCode {
    let arguments = match Arguments::read(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(told) => return output::tell_usage(&told),
    };
    let mut output = Output::of(arguments.verb.form());
    // A check is made before each command of somebody else's agent: nothing that is not needed is set up for it.
    if !matches!(arguments.verb, Verb::Check(_)) {
        log::listen();
    }
    let ended = verbs::run(arguments.verb, &mut output);
    output.finish(ended)
}
