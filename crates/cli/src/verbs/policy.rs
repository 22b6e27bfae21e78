//! `pointsman policy`: what the settings come to, what they say without meaning it, their schema, and
//! a team's policy test.

mod standing;

use std::path::PathBuf;

use pointsman_policy::DiskTree;
use pointsman_policy::settings::{DiskFiles, Loaded};
use pointsman_policy::settings::{FileCount, ShownRule, TrustRecord, lint, load, schema, show};
use pointsman_surfaces::shown;

use super::check::cases;
use super::rules;
use crate::arguments::{PolicyArguments, PolicyFilesArguments, PolicyVerb, SchemaArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Does what was asked for.
pub(super) fn run(arguments: &PolicyArguments, output: &mut Output) -> Result<Code, Failure> {
    match &arguments.verb {
        PolicyVerb::Lint(arguments) => lint_all(arguments, output),
        PolicyVerb::Show(arguments) => show_all(arguments, output),
        PolicyVerb::Schema(SchemaArguments { form: _ }) => {
            let schema = schema().map_err(|error| Failure::of(&error))?;
            super::print_schema(&schema, output)
        }
        PolicyVerb::Test(arguments) => cases::run(&arguments.file, output),
    }
}

/// Tells all that is wrong, as a fact and not beside one: so on standard output.
fn lint_all(arguments: &PolicyFilesArguments, output: &mut Output) -> Result<Code, Failure> {
    let loaded = as_if_trusted(&arguments.settings, &Place::here()?)?;
    let mut problems = loaded.problems.clone();
    problems.extend(lint(&loaded));
    for problem in &problems {
        output.text(&loaded.draw(problem));
        output.object(problem);
    }
    output.text(&match problems.len() {
        0 => "nothing to mend\n".into(),
        1 => "1 thing to look at\n".into(),
        count => format!("{count} things to look at\n"),
    });
    Ok(if problems.is_empty() {
        Code::Done
    } else {
        Code::Failed
    })
}

/// The settings as they would be if the project were trusted: what its files say is looked at before
/// anyone says yes to it.
fn as_if_trusted(named: &[PathBuf], place: &Place) -> Result<Loaded, Failure> {
    let (mut places, loaded) = rules::settings(named, place)?;
    if loaded.untrusted.is_empty() {
        return Ok(loaded);
    }
    let record = TrustRecord::of_project(places.main_checkout.clone());
    places.trust = Some(record.with(loaded.project_content));
    Ok(load(&places, &DiskFiles))
}

fn show_all(arguments: &PolicyFilesArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let (places, loaded) = rules::settings(&arguments.settings, &place)?;
    rules::tell(&loaded, output);
    standing::show(&loaded, output);
    let shown = show(&loaded, &places, &DiskTree);
    for rule in &shown {
        output.text(&text(rule));
        output.object(rule);
    }
    output.text(&match shown.len() {
        0 => "no rules are in force\n".into(),
        1 => "1 rule\n".into(),
        count => format!("{count} rules\n"),
    });
    standing::summary(&loaded, output);
    Ok(Code::Done)
}

fn text(shown: &ShownRule) -> String {
    let rule = &shown.rule;
    let behavior = rule.behavior.as_str();
    let mut text = format!("{behavior:5}  {}\n", shown::line(rule.text.as_str()));
    text.push_str(&match &rule.place {
        Some(place) => format!(
            "       {} {}\n",
            rule.source,
            shown::line(&place.to_string())
        ),
        None => format!("       {}\n", rule.source),
    });
    for pattern in &shown.patterns {
        let count = match pattern.files {
            FileCount::Exactly(1) => "1 file".into(),
            FileCount::Exactly(count) => format!("{count} files"),
            FileCount::AtLeast(count) => format!("at least {count} files"),
        };
        let path = shown::line(&pattern.pattern);
        text.push_str(&format!("       {path} covers {count}\n"));
    }
    text
}
