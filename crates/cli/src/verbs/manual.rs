//! `pointsman completions` and `pointsman man`: made from the very arguments that are parsed.

use clap::{Command, CommandFactory as _};
use serde_json::json;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;

/// The name of the program.
const NAME: &str = "pointsman";

/// Prints completions for a shell.
pub(super) fn completions(
    arguments: &CompletionsArguments,
    output: &mut Output,
) -> Result<Code, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut text);
    output.raw(&String::from_utf8_lossy(&text));
    Ok(Code::Done)
}

/// Prints the page of the program, or writes one for each verb.
pub(super) fn pages(arguments: &ManArguments, output: &mut Output) -> Result<Code, Failure> {
    let mut command = Arguments::command();
    command.build();
    let Some(folder) = &arguments.into else {
        output.raw(&page(command)?);
        return Ok(Code::Done);
    };
    let told = folder.display().to_string();
    let failed = |error: std::io::Error| Failure::of(&error).at(&told);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut pages = vec![(NAME.to_owned(), command.clone())];
    collect(&command, NAME, &mut pages);
    for (name, command) in pages {
        let file = folder.join(format!("{name}.1"));
        std::fs::write(&file, page(command.name(name))?).map_err(failed)?;
        output.object(&json!({ "page": file }));
    }
    Ok(Code::Done)
}

/// The verbs below a command, each under its whole name.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, Command)>) {
    for verb in command.get_subcommands() {
        if verb.is_hide_set() || verb.get_name() == "help" {
            continue;
        }
        let name = format!("{name}-{}", verb.get_name());
        pages.push((name.clone(), verb.clone()));
        collect(verb, &name, pages);
    }
}

fn page(command: Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::of(&error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
