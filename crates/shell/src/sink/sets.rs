//! Commands that only set variables which nothing but the line's own words sees.
//!
//! A program sees a variable of the shell when it was exported before, and then it may do something else: a line that sets
//! one asks. Not where nothing is started from there on but what is the shell's own: `v=$(git describe); echo "$v"` is
//! `echo "$(git describe)"`.

use pointsman_model::{AssignmentWeight, Effect, EffectKind, Run, RunNature};

use crate::variables::is_secret;

/// A command that sets variables.
#[derive(Debug)]
pub(crate) struct Sets {
    /// Its place among the effects.
    pub(crate) at: usize,
    /// What runs before it alone stands in front of this place: where it stands, or the begin of the loop that it is in.
    pub(crate) from: usize,
    /// The variables.
    pub(crate) names: Vec<Box<str>>,
}

/// So many are looked at, each against all that the line does.
const SETS_MAX: usize = 16;

/// Makes known readers of those that nothing sees but the line itself.
pub(crate) fn settle(effects: &mut [Effect], sets: &[Sets], line: &str) {
    // What is shown of a secret under its name is asked about, and would be shown under another one.
    if sets.is_empty() || sets.len() > SETS_MAX || is_secret(line) || line.contains("${!") {
        return;
    }
    if effects
        .iter()
        .filter_map(Effect::as_run)
        .any(|run| is(run, "trap"))
    {
        // It may run later what stands before.
        return;
    }
    let seen: Vec<bool> = sets
        .iter()
        .map(|it| sees(effects, sets, it, line))
        .collect();
    for (it, _) in sets.iter().zip(seen).filter(|(_, seen)| !seen) {
        if let Some(EffectKind::Run(run)) = effects.get_mut(it.at).map(|it| &mut it.kind) {
            run.nature = RunNature::KnownReader;
            for assignment in &mut run.assignments {
                assignment.weight = AssignmentWeight::Harmless;
            }
        }
    }
}

/// Whether a program may see what is set, or nobody looks at it: then it is set for something else.
fn sees(effects: &[Effect], sets: &[Sets], it: &Sets, line: &str) -> bool {
    // Names of the environment are in capitals; what only reads knows those that matter to it by their names.
    let of_the_shell = it
        .names
        .iter()
        .all(|name| !name.bytes().any(|byte| byte.is_ascii_uppercase()));
    let own = |(at, run): &(usize, &Run)| {
        sets.iter().any(|other| other.at == *at)
            || run.nature == RunNature::KnownReader && (of_the_shell || is_builtin(run))
    };
    let behind = || {
        let all = effects.iter().enumerate().skip(it.from);
        all.filter_map(|(at, effect)| Some((at, effect.as_run()?)))
    };
    let used = |run: &Run| it.names.iter().any(|name| expands(&run.text, name));
    let looked_at = || {
        let chooses = it.names.iter().any(|name| chooses(line, name));
        chooses || behind().any(|(at, run)| at != it.at && used(run))
    };
    !behind().all(|run| own(&run)) || !looked_at()
}

fn is(run: &Run, name: &str) -> bool {
    run.argv.first().and_then(|word| word.literal()) == Some(name)
}

/// Commands of the shell that look at no variable but those that their words name.
fn is_builtin(run: &Run) -> bool {
    const OWN: [&str; 11] = [
        "echo", "printf", "test", "[", "true", "false", ":", "exit", "return", "break", "continue",
    ];
    OWN.iter().any(|name| is(run, name))
}

/// Whether a branch of the line is chosen by it: `case $name in`.
fn chooses(line: &str, name: &str) -> bool {
    line.split("case ").skip(1).any(|rest| {
        let word = rest.split(" in").next().unwrap_or("");
        expands(word, name)
    })
}

/// Whether `$name` or `${name` stands in the text.
fn expands(text: &str, name: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        let rest = rest.trim_start_matches(['{', '#']);
        rest.strip_prefix(name).is_some_and(|rest| {
            !rest.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_')
        })
    })
}
