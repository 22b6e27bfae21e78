//! Files that git changes besides its own store and its settings: what an option sends output to.

use pointsman_model::Change;

use crate::field::Field;
use crate::programs::Facts;

/// Where an option sends the output of a subcommand.
pub(super) fn outputs(facts: &mut Facts, name: &str, rest: &[Field]) {
    let short = matches!(name, "archive" | "format-patch");
    for (at, field) in rest.iter().enumerate() {
        if field.is("--") {
            break;
        }
        let prefix = field.prefix();
        let glued = ["--output=", "--output-directory="]
            .into_iter()
            .find(|option| prefix.starts_with(option));
        if let Some(option) = glued {
            facts.write(&field.tail(option.len()), Change::Content);
        } else if field.is("--output") || field.is("--output-directory") || short && field.is("-o")
        {
            if let Some(target) = rest.get(at + 1) {
                facts.write(target, Change::Content);
            }
        } else if short && prefix.len() > 2 && prefix.starts_with("-o") {
            facts.write(&field.tail(2), Change::Content);
        }
    }
    if name == "bundle" && rest.first().is_some_and(|field| field.is("create")) {
        let target = rest.iter().skip(1).find(|field| !field.may_be_option());
        if let Some(target) = target {
            facts.write(target, Change::Content);
        }
    }
}
