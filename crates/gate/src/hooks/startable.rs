//! Hooks that can't start, found when settings are loaded instead of at the first call.

mod first_line;

use pointsman_model::{AbsPath, EffectKind, EffectView, PathValue, Word};
use pointsman_policy::settings::{HookDuty, HookRun, HookSetting, HookSettings, line_with_root};
use pointsman_policy::{Problem, Severity, script_of};
use pointsman_process::{find_program, is_executable};
use pointsman_shell::{Surroundings, analyse};

use self::first_line::{NamedBy, first_line_of};
use super::HookPlace;
use super::turn::program_of;

/// What a shell does itself, so that no program of that name need be there.
const SHELL_WORDS: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "false", "fg", "getopts", "hash", "jobs", "kill", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit",
    "umask", "unalias", "unset", "wait",
];

/// The shells that [`line_that_cant_start`] reads lines for.
const SHELLS: &[&str] = &["sh", "bash", "dash"];

/// Each hook that can't start, as a problem of the place it is configured at. That of a guard keeps an
/// unattended run from starting, since the guard would refuse or ask at every call.
#[must_use]
pub fn hooks_that_cant_start(settings: &HookSettings, place: &HookPlace) -> Vec<Problem> {
    settings
        .hooks
        .iter()
        .filter_map(|hook| Some(problem(hook, fault(hook, place)?)))
        .collect()
}

fn problem(hook: &HookSetting, message: String) -> Problem {
    Problem {
        severity: match hook.duty {
            HookDuty::Guard => Severity::StopsUnattended,
            HookDuty::Plain => Severity::Warning,
        },
        place: Some(hook.place.clone()),
        message,
        hint: Some("the hook would fail at each call; correct its path, or take it out".into()),
    }
}

fn fault(hook: &HookSetting, place: &HookPlace) -> Option<String> {
    match &hook.run {
        HookRun::Http { url, .. } => reqwest::Url::parse(url)
            .err()
            .map(|error| format!("this hook's address can't be read: {error}")),
        HookRun::Program { .. } => {
            let (program, args) = program_of(&hook.run, place);
            let words = args.iter().map(|arg| Some(arg.as_str()));
            missing(&program, place)
                .or_else(|| missing_script(script_of(&program, words)?, &place.project, place))
                .map(|why| cant_start(&why))
        }
        HookRun::Shell { line } => line_that_cant_start(line, place).map(|why| cant_start(&why)),
    }
}

/// What is wrong with a line for the shell: the first program of it that surely runs is not there, or the script that it
/// is given, or what that names as its interpreter. What only the shell knows, a variable's value or a function, is not
/// looked into.
fn line_that_cant_start(line: &str, place: &HookPlace) -> Option<String> {
    let line = line_with_root(line, &place.project);
    let at = Surroundings {
        folder: place.project.clone(),
        home: place.home.clone(),
        case: pointsman_shell::NameCase::Counts,
    };
    // The first one is that of the assignment.
    let first = analyse(&line, &at).effects.list.into_iter().nth(1)?;
    let EffectKind::Run(run) = first.kind else {
        return None;
    };
    let program = run.program()?;
    if first.view != EffectView::Sure || SHELL_WORDS.contains(&program) {
        return None;
    }
    missing(program, place).or_else(|| {
        let words = run.argv.iter().skip(1).map(Word::literal);
        let script = script_of(program, words)?;
        match &run.folder {
            PathValue::Known(folder) => missing_script(script, folder, place),
            PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
        }
    })
}

/// What is wrong with a command, a program and its arguments: it is not there, or its script, or what a line for the
/// shell begins with.
#[must_use]
pub fn command_that_cant_start(command: &[Box<str>], place: &HookPlace) -> Option<String> {
    let (program, args) = command.split_first()?;
    let in_line = || match args {
        [dash, line] if SHELLS.contains(&&**program) && &**dash == "-c" => {
            line_that_cant_start(line, place)
        }
        _ => {
            let words = args.iter().map(|arg| Some(&**arg));
            missing_script(script_of(program, words)?, &place.project, place)
        }
    };
    missing(program, place).or_else(in_line)
}

fn cant_start(why: &str) -> String {
    format!("this hook can't start: {why}")
}

fn missing(program: &str, place: &HookPlace) -> Option<String> {
    match find_program(program, &place.project, &place.environment) {
        Err(error) => Some(error.to_string()),
        Ok(file) if !file.exists() => Some(format!("there is no `{program}`")),
        Ok(file) if !is_executable(&file) => {
            Some(format!("`{program}` is no program that may be run"))
        }
        Ok(file) => match first_line_of(&file)? {
            NamedBy::Path(path) => (!place.project.join(&path).as_path().exists())
                .then(|| format!("`{program}` is to be run by `{path}`, which is not there")),
            NamedBy::Name(name) => find_program(&name, &place.project, &place.environment)
                .err()
                .map(|error| format!("`{program}` is to be run by `{name}`: {error}")),
        },
    }
}

/// What is wrong with the script that an interpreter is given. Interpreters end with code 2 when it is not there, which
/// of a hook would be a no to each call.
fn missing_script(script: &str, folder: &AbsPath, place: &HookPlace) -> Option<String> {
    let file = folder.join(script);
    // Shells look for a bare name in `PATH` as well.
    let elsewhere = || {
        !script.contains('/') && find_program(script, &place.project, &place.environment).is_ok()
    };
    (!file.as_path().exists() && !elsewhere()).then(|| format!("there is no `{file}`"))
}

#[cfg(test)]
mod tests;
