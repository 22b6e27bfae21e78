//! The call that a person names on the command line: a tool and its input, short or as JSON.

use pointsman_model::{JsonText, OtherInput, ToolInput, ToolName};
use pointsman_tools::Toolbox;
use serde_json::json;

use super::Call;
use crate::failure::Failure;

/// Reads the call. A short input means what the tool is mostly given: a command line, a file, a
/// pattern, the type of an agent.
pub(in crate::verbs) fn read(tool: &str, input: &str) -> Result<Call, Failure> {
    let name = ToolName::parse(tool).map_err(|error| Failure::of(&error))?;
    let toolbox = Toolbox::built_in();
    let Some(known) = toolbox.get(&name) else {
        return other(name, input);
    };
    let name = known.spec().name.clone();
    let text = match is_json(&name, input) {
        true => parse(input)?,
        false => short(&name, input)?,
    };
    let checked = known.check(&text).map_err(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Failure::bad_input(format!(
            "the input does not fit `{name}`: {}",
            told.join("; ")
        ))
        .hint("write the input as its JSON object")
    })?;
    Ok(Call {
        tool: name,
        input: checked,
        text,
    })
}

/// Whether the input is meant as a JSON object. A command line may begin with a brace too: `{ ls; }`.
fn is_json(tool: &ToolName, input: &str) -> bool {
    let input = input.trim_start();
    match tool.as_str() {
        "Bash" => {
            let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(input);
            // A slip in an object is told as such.
            object.is_ok() || input.starts_with("{\"")
        }
        _ => input.starts_with('{'),
    }
}

/// A tool that is none of pointsman's own: only MCP servers have such.
fn other(tool: ToolName, input: &str) -> Result<Call, Failure> {
    if tool.mcp_server().is_none() {
        let toolbox = Toolbox::built_in();
        let known: Vec<&str> = toolbox
            .tools()
            .map(|tool| tool.spec().name.as_str())
            .collect();
        return Err(
            Failure::bad_input(format!("there is no tool `{tool}`")).hint(format!(
                "there are {}, and `mcp__server__tool`",
                known.join(", ")
            )),
        );
    }
    let text = parse(input)?;
    Ok(Call {
        tool,
        input: ToolInput::Other(OtherInput { raw: text.clone() }),
        text,
    })
}

fn parse(input: &str) -> Result<JsonText, Failure> {
    JsonText::parse(input).map_err(|error| {
        Failure::of(&error).hint("write the input as a JSON object, like '{\"command\":\"ls\"}'")
    })
}

fn short(tool: &ToolName, input: &str) -> Result<JsonText, Failure> {
    let fields = match tool.as_str() {
        "Bash" => json!({ "command": input }),
        "Read" => json!({ "file_path": input }),
        "Write" => json!({ "file_path": input, "content": "" }),
        "Edit" => json!({ "file_path": input, "old_string": "a", "new_string": "b" }),
        "Glob" | "Grep" => json!({ "pattern": input }),
        "Agent" => json!({ "subagent_type": input, "prompt": "do it" }),
        _ => {
            return Err(Failure::bad_input(format!("`{tool}` has no short input"))
                .hint("write the input as its JSON object"));
        }
    };
    JsonText::of(&fields).map_err(|error| Failure::of(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brace_begins_an_object_or_a_group_of_commands() {
        let bash = ToolName::parse("Bash").unwrap();
        let read = ToolName::parse("Read").unwrap();
        for (tool, input, expect) in [
            (&bash, r#"{"command":"ls"}"#, true),
            (&bash, r#" { "command": "ls" }"#, true),
            (&bash, r#"{"command":"ls""#, true),
            (&bash, "{ rm -rf x; }", false),
            (&bash, "{a,b}", false),
            (&bash, "ls", false),
            (&read, r#"{"file_path":"x"}"#, true),
            (&read, "{", true),
            (&read, "x", false),
        ] {
            assert_eq!(is_json(tool, input), expect, "{tool} {input}");
        }
    }
}
