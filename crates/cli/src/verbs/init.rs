//! `pointsman init`: a commented job file to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};

use serde_json::json;

use crate::arguments::InitArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;

/// The file that is written.
const TEMPLATE: &str = include_str!("init/pointsman.toml");

/// Writes the file unless there is one.
pub(super) fn run(arguments: &InitArguments, output: &mut Output) -> Result<Code, Failure> {
    let shown = arguments.file.display();
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&arguments.file);
    let mut file = made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::bad_input(format!("`{shown}` is there already"))
            .hint("name another file: `pointsman init FILE`"),
        _ => Failure::of(&error).at(&shown),
    })?;
    file.write_all(TEMPLATE.as_bytes())
        .map_err(|error| Failure::of(&error).at(&shown))?;
    output.text(&format!(
        "wrote {shown}; run it with `pointsman run {shown}`\n"
    ));
    output.object(&json!({ "wrote": arguments.file }));
    Ok(Code::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_no_problem() {
        let parsed = pointsman_swarm::JobFile::parse(TEMPLATE, "pointsman.toml");
        assert!(parsed.is_ok(), "{parsed:?}");
    }
}
