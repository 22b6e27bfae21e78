//! Settings of the shell: `set`, `shopt`, and what other shells have in their place.
//!
//! A line is read as Bash with its usual settings reads it. Where it changes a setting that patterns, words or folders hang
//! on, or one that is not known here, the commands behind it may be read in another way.

use pointsman_model::OpaqueWhy;

use super::{opaque, program, reader};
use crate::field::Field;
use crate::state::State;
use crate::walk::{Called, Walker};

/// What a setting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Setting {
    /// When the shell stops and what it prints; as harmless as a reader.
    Idle,
    /// The shell or what it starts, but not how lines are read.
    Known,
    /// How lines are read, or nobody knows what.
    Odd,
}

/// What a setting of that name changes, however the shell spells it: `errexit`, `err_exit`, `NO_ERR_EXIT`.
pub(crate) fn by_name(name: &str) -> Setting {
    let name: String = name
        .chars()
        .filter(|char| !matches!(char, '_' | '-'))
        .map(|char| char.to_ascii_lowercase())
        .collect();
    let plain = |name: &str| match name {
        "errexit" | "nounset" | "pipefail" | "xtrace" | "noglob" | "noclobber" | "verbose"
        | "errtrace" | "functrace" | "monitor" | "notify" => Some(Setting::Idle),
        "allexport" | "braceexpand" | "emacs" | "hashall" | "ignoreeof" | "ksharrays"
        | "localoptions" | "noexec" | "nolog" | "nomatch" | "onecmd" | "posix" | "privileged"
        | "shwordsplit" | "vi" => Some(Setting::Known),
        _ => None,
    };
    let positive = || name.strip_prefix("no").and_then(plain);
    plain(&name).or_else(positive).unwrap_or(Setting::Odd)
}

/// What a setting of that letter changes.
pub(crate) fn by_letter(letter: char) -> Setting {
    match letter {
        'e' | 'u' | 'x' | 'f' | 'v' | 'C' | 'E' | 'T' | 'm' | 'b' | 'B' | 'H' => Setting::Idle,
        'a' | 'h' | 'n' | 'p' | 't' => Setting::Known,
        _ => Setting::Odd,
    }
}

/// Whether an option of `shopt` leaves it as it is how lines are read. Not `dotglob`, `nocaseglob` and `globstar`, with which
/// patterns stand for other names, and `nullglob`, with which one stands for nothing, so that the word behind it takes its
/// place.
pub(crate) fn is_plain_shopt(name: &str) -> bool {
    matches!(
        name,
        "failglob"
            | "nocasematch"
            | "inherit_errexit"
            | "extglob"
            | "checkwinsize"
            | "globasciiranges"
    )
}

/// `shift [NUMBER]`
pub(super) fn shift(called: &Called<'_>, state: &mut State) {
    let Some(arguments) = &state.positional else {
        return;
    };
    let count = match called.args() {
        [] => Some(1),
        [number] => number.text().and_then(|text| text.parse().ok()),
        _ => None,
    };
    let apart = !arguments.iter().any(Field::is_many);
    match count.and_then(|count: usize| arguments.get(count..)) {
        Some(rest) if apart => state.positional = Some(std::rc::Rc::new(rest.to_vec())),
        _ => state.forget_positional(),
    }
}

pub(super) fn set(walker: &mut Walker<'_>, called: &Called<'_>, state: &mut State) {
    let args = called.args();
    let mut worst = match args {
        [] => Setting::Known,
        _ => Setting::Idle,
    };
    let mut number = 0;
    while let Some(field) = args.get(number) {
        number += 1;
        let Some(text) = field.text() else {
            // `set "$X"` sets what stands in it.
            worst = worst.max(match field.may_be_option() {
                true => Setting::Odd,
                false => Setting::Known,
            });
            state.forget_positional();
            break;
        };
        if text == "--" || !text.starts_with(['-', '+']) {
            let from = if text == "--" { number } else { number - 1 };
            let rest = args.get(from..).unwrap_or_default().to_vec();
            state.positional = Some(std::rc::Rc::new(rest));
            break;
        }
        for letter in text.chars().skip(1) {
            let setting = match letter {
                'o' => {
                    number += 1;
                    match args.get(number - 1) {
                        Some(name) => name.text().map_or(Setting::Odd, by_name),
                        None => Setting::Known,
                    }
                }
                letter => by_letter(letter),
            };
            worst = worst.max(setting);
        }
        if worst == Setting::Odd {
            // Bash may refuse the whole command.
            state.forget_positional();
            break;
        }
    }
    changed(walker, called, worst, state);
}

pub(super) fn shopt(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    let plain = called.args().iter().all(|field| {
        field
            .text()
            .is_some_and(|text| matches!(text, "-s" | "-u" | "-q" | "-p") || is_plain_shopt(text))
    });
    let setting = if plain { Setting::Idle } else { Setting::Odd };
    changed(walker, called, setting, state);
}

/// `setopt` and `unsetopt`, which the Z shell has for `set -o` and `set +o`.
pub(super) fn setopt(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    let setting = |field: &Field| match field.text() {
        Some(text) if !text.starts_with(['-', '+']) => by_name(text),
        Some(_) | None => Setting::Odd,
    };
    let worst = called.args().iter().map(setting).max();
    // Elsewhere it is a program like any other.
    let worst = worst.unwrap_or(Setting::Idle).max(Setting::Known);
    changed(walker, called, worst, state);
}

/// `emulate`: the Z shell reads what stands behind it as another shell does.
pub(super) fn emulate(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    changed(walker, called, Setting::Odd, state);
}

fn changed(walker: &mut Walker<'_>, called: &Called<'_>, worst: Setting, state: &State) {
    match worst {
        Setting::Idle => reader(walker, called, state),
        Setting::Known => program(walker, called, state),
        Setting::Odd => {
            program(walker, called, state);
            opaque(walker, called, OpaqueWhy::UnknownConstruct);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_known_however_they_are_spelled() {
        for (name, expect) in [
            ("errexit", Setting::Idle),
            ("ERR_EXIT", Setting::Idle),
            ("no-err-exit", Setting::Idle),
            ("noglob", Setting::Idle),
            ("allexport", Setting::Known),
            ("nonomatch", Setting::Known),
            ("SH_WORD_SPLIT", Setting::Known),
            ("nullglob", Setting::Odd),
            ("null_glob", Setting::Odd),
            ("no_null_glob", Setting::Odd),
            ("keyword", Setting::Odd),
            // With these `!!` is an earlier line, and what stands behind `#` runs.
            ("history", Setting::Odd),
            ("histexpand", Setting::Odd),
            ("interactive-comments", Setting::Odd),
            ("", Setting::Odd),
        ] {
            assert_eq!(by_name(name), expect, "{name}");
        }
    }
}
