//! `pointsman trust`: what a project's files loosen, and a person's yes to exactly that.

use std::io::{BufRead as _, IsTerminal as _};

use pointsman_approvals::{Revoked, TrustFile};
use pointsman_model::{AbsPath, Digest};
use pointsman_policy::settings::{Loaded, Loosening, LooseningKind};
use pointsman_surfaces::shown;
use serde_json::json;

use super::rules;
use crate::arguments::TrustArguments;
use crate::failure::{Code, Failure};
use crate::output::{Form, Output};
use crate::place::Place;

/// What has to be typed. A single letter is typed too easily.
const YES: &str = "yes";

/// Whether what the files loosen counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// They loosen nothing.
    NothingLoosened,
    /// A yes was given to their present content.
    Trusted,
    /// It was not.
    Untrusted,
}

/// Shows what the project's files loosen, and keeps or takes back the yes to it.
pub(super) fn run(arguments: &TrustArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let (places, loaded) = rules::settings(&[], &place)?;
    let file = place.trust_file(&places);
    if arguments.revoke {
        return revoke(&file, &place.project, output);
    }
    for problem in &loaded.problems {
        output.note(&loaded.draw(problem));
    }
    show(&loaded, &place.project, output);
    let content = loaded.project_content;
    let standing = standing(&loaded);
    if let Some(expected) = arguments.digest
        && expected != content
    {
        object(&loaded, &place.project, standing, output);
        return Err(Failure::failed(format!(
            "the content is {content}, not {expected}; nothing was changed"
        ))
        .hint("look at what is listed above, and pass the digest of what you agree to"));
    }
    let standing = match standing {
        Standing::Untrusted if arguments.yes || arguments.digest.is_some() || asked(output)? => {
            place
                .trust_place(&places)
                .prepare()
                .map_err(|error| Failure::of(&error))?;
            file.add(&places.main_checkout, content)
                .map_err(|error| Failure::of(&error))?;
            Standing::Trusted
        }
        as_it_was => as_it_was,
    };
    object(&loaded, &place.project, standing, output);
    match standing {
        Standing::NothingLoosened => {
            output.text("nothing needs trust\n");
            Ok(Code::Done)
        }
        Standing::Trusted => {
            output.text("trusted: all of it is in force until one of these files changes\n");
            Ok(Code::Done)
        }
        Standing::Untrusted => {
            output.text("not trusted: none of it is in force\n");
            output.note(&format!(
                "say yes with `pointsman trust --yes`, in a script with `--digest {content}`\n"
            ));
            Ok(Code::Failed)
        }
    }
}

fn standing(loaded: &Loaded) -> Standing {
    if loaded.loosens.is_empty() {
        Standing::NothingLoosened
    } else if loaded.untrusted.is_empty() {
        Standing::Trusted
    } else {
        Standing::Untrusted
    }
}

fn show(loaded: &Loaded, project: &AbsPath, output: &mut Output) {
    if loaded.loosens.is_empty() {
        output.text(&format!("the files of {project} loosen nothing\n"));
        return;
    }
    output.text(&format!("what the files of {project} loosen:\n"));
    let lines: Vec<(String, &Loosening)> = loaded
        .loosens
        .iter()
        .map(|loosening| (place(loosening, project), loosening))
        .collect();
    let width = lines.iter().map(|(place, _)| place.chars().count()).max();
    for (place, loosening) in &lines {
        output.text(&format!(
            "  {place:width$}  {:20}  {}\n",
            kind(loosening.kind),
            shown::line(&loosening.what),
            width = width.unwrap_or(0),
        ));
    }
    output.text(&format!("content {}\n", loaded.project_content));
}

/// The place, seen from the project.
fn place(loosening: &Loosening, project: &AbsPath) -> String {
    let at = &loosening.place;
    let path = AbsPath::parse(&at.file).ok();
    let file = path.as_ref().and_then(|path| path.below(project));
    let file = shown::line(file.unwrap_or(&at.file));
    format!("{file}:{}:{}", at.line, at.column)
}

fn kind(kind: LooseningKind) -> &'static str {
    match kind {
        LooseningKind::AllowRule => "allows",
        LooseningKind::AdditionalDirectory => "opens the folder",
        LooseningKind::DefaultMode => "sets the mode",
        LooseningKind::Hook => "runs the hook",
        LooseningKind::DisabledHooks => "switches hooks off",
        LooseningKind::AgentMode => "sets the mode",
        LooseningKind::Surface => "counts as someone",
    }
}

/// Asks the person at the terminal, if there is one.
fn asked(output: &Output) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if output.form() == Form::Program || !stdin.is_terminal() {
        return Ok(false);
    }
    output.note(&format!("type `{YES}` to let all of it count: "));
    let mut typed = String::new();
    stdin
        .lock()
        .read_line(&mut typed)
        .map_err(|error| Failure::of(&error))?;
    Ok(typed.trim() == YES)
}

fn revoke(file: &TrustFile, project: &AbsPath, output: &mut Output) -> Result<Code, Failure> {
    let revoked = file.revoke().map_err(|error| Failure::of(&error))?;
    output.text(&match revoked {
        Revoked::Some => format!("{project} is not trusted any more\n"),
        Revoked::Nothing => format!("{project} was not trusted\n"),
    });
    output.object(&json!({ "project": project, "revoked": revoked == Revoked::Some }));
    Ok(Code::Done)
}

fn object(loaded: &Loaded, project: &AbsPath, standing: Standing, output: &mut Output) {
    let content: Digest = loaded.project_content;
    output.object(&json!({
        "project": project,
        "content": content,
        "loosens": loaded.loosens,
        "trusted": standing != Standing::Untrusted,
    }));
}
