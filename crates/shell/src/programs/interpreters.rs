//! Interpreters: code inline, from their input, or from a file.

use pointsman_model::{Reach, RunNature};

use super::{Asked, Facts};
use crate::field::Field;

/// An interpreter: its name, options with code for their value, letters that may be bundled in
/// front of those, and options with another value.
const INTERPRETERS: [(&str, &[&str], &[&str]); 20] = [
    ("python", &["-c"], &["-W", "-X", "-m"]),
    (
        "node",
        &["-e", "--eval", "-p", "--print", "-pe"],
        &["-r", "--require", "--import", "--loader"],
    ),
    ("deno", &["eval"], &[]),
    ("bun", &["-e", "--eval", "-p", "--print"], &[]),
    ("perl", &["-e", "-E"], &["-I", "-M"]),
    ("ruby", &["-e"], &["-r", "-I"]),
    ("php", &["-r", "-B", "-R", "-E"], &["-d", "-c"]),
    ("lua", &["-e"], &["-l"]),
    ("luajit", &["-e"], &["-l"]),
    ("Rscript", &["-e"], &[]),
    ("R", &["-e"], &[]),
    ("julia", &["-e", "-E"], &[]),
    ("osascript", &["-e"], &["-l"]),
    ("tclsh", &[], &[]),
    ("ghc", &["-e"], &[]),
    ("elixir", &["-e"], &[]),
    ("erl", &["-eval"], &[]),
    ("groovy", &["-e"], &[]),
    ("scala", &["-e"], &[]),
    ("sqlite3", &[], &[]),
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let base = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let base = match base {
        "pypy" | "ipython" => "python",
        base => base,
    };
    let (_, codes, valued) = INTERPRETERS
        .iter()
        .find(|(interpreter, ..)| *interpreter == base || *interpreter == name)?;
    let mut facts = Facts::program();
    let mut args = asked.args().iter();
    let mut file: Option<&Field> = None;
    while let Some(field) = args.next() {
        let Some(text) = field.text() else {
            facts.nature = RunNature::InlineCode;
            file = Some(field);
            break;
        };
        if is_code(text, codes) {
            return Some(Facts::of(RunNature::InlineCode));
        }
        if valued.contains(&text) {
            args.next();
            if text == "-m" {
                return Some(facts);
            }
            continue;
        }
        if text != "-" && !text.starts_with('-') {
            file = Some(field);
            break;
        }
    }
    match file {
        Some(field) if field.text().is_some() => facts.read(field, Reach::Itself),
        Some(_) => {}
        None if asked.called.input.fed => facts.nature = RunNature::InlineCode,
        None => {}
    }
    Some(facts)
}

/// Whether the option has code for its value, glued, bundled or apart.
fn is_code(text: &str, codes: &[&str]) -> bool {
    codes.iter().any(|code| {
        if text == *code {
            return true;
        }
        match code.strip_prefix("--") {
            Some(_) => text
                .strip_prefix(code)
                .is_some_and(|rest| rest.starts_with('=')),
            // `-ne code`, `-ccode`: the letter stands in a bundle.
            None => match code.strip_prefix('-') {
                Some(letter) if letter.len() == 1 => {
                    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
                }
                _ => false,
            },
        }
    })
}
