//! The verbs, one module each.

mod answer;
mod attach;
mod check;
mod course;
mod doctor;
mod explain;
mod grants;
mod hooks;
mod init;
mod instead;
mod job_text;
mod leader;
mod log;
mod manual;
mod policy;
mod queue;
mod room;
mod rules;
mod run;
mod runs;
mod tail;
mod trust;
mod why;
mod workers;

use pointsman_swarm::JobFile;

use crate::arguments::{SchemaArguments, Verb};
use crate::failure::{Code, Failure};
use crate::output::{Form, Output};

/// Does what was asked for.
pub(crate) fn run(verb: Verb, output: &mut Output) -> Result<Code, Failure> {
    match verb {
        Verb::Check(arguments) => check::run(&arguments, output),
        Verb::Init(arguments) => init::run(&arguments, output),
        Verb::Explain(arguments) => explain::run(&arguments, output),
        Verb::Hooks(arguments) => hooks::run(&arguments, output),
        Verb::Schema(SchemaArguments { form: _ }) => print_schema(&JobFile::schema(), output),
        Verb::Grants(arguments) => grants::run(&arguments, output),
        Verb::Policy(arguments) => policy::run(&arguments, output),
        Verb::Trust(arguments) => trust::run(&arguments, output),
        Verb::Run(arguments) => run::run(&arguments, output),
        Verb::Queue(arguments) => queue::queue(&arguments, output),
        Verb::Answer(arguments) => answer::run(&arguments, output),
        Verb::Show(arguments) => queue::show(&arguments, output),
        Verb::Workers(arguments) => workers::run(&arguments, output),
        Verb::Context(arguments) => workers::context(&arguments, output),
        Verb::Mode(arguments) => workers::mode(&arguments, output),
        Verb::Tell(arguments) => workers::tell(&arguments, output),
        Verb::Attach(arguments) => attach::run(&arguments, output),
        Verb::Runs(arguments) => runs::run(&arguments, output),
        Verb::Stop(arguments) => course::stop(&arguments, output),
        Verb::Pause(arguments) => course::pause(&arguments, output),
        Verb::Retry(arguments) => course::retry(&arguments, output),
        Verb::Add(arguments) => course::add(&arguments, output),
        Verb::Doctor(arguments) => doctor::run(&arguments, output),
        Verb::Completions(arguments) => manual::completions(&arguments, output),
        Verb::Man(arguments) => manual::pages(&arguments, output),
        Verb::Log(arguments) => log::run(&arguments, output),
        Verb::Why(arguments) => why::run(&arguments, output),
    }
}

/// Prints a JSON schema: over many lines for a person and for an editor's file, on one for a program.
fn print_schema(schema: &str, output: &mut Output) -> Result<Code, Failure> {
    match output.form() {
        Form::Person => output.raw(schema),
        Form::Program => {
            let schema: serde_json::Value =
                serde_json::from_str(schema).map_err(|error| Failure::of(&error))?;
            output.object(&schema);
        }
    }
    Ok(Code::Done)
}
