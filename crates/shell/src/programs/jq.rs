//! `jq` and `yq`.

use pointsman_model::Reach;

use super::{Asked, Facts};
use crate::field::Field;

/// Options of jq without a value; letters may be bundled.
const LETTERS: &str = "CMSacejnrsxR0j";
const LONG: [&str; 20] = [
    "--raw-output",
    "--compact-output",
    "--slurp",
    "--null-input",
    "--raw-input",
    "--exit-status",
    "--sort-keys",
    "--color-output",
    "--monochrome-output",
    "--ascii-output",
    "--join-output",
    "--tab",
    "--unbuffered",
    "--stream",
    "--seq",
    "--raw-output0",
    "--version",
    "--help",
    "--stream-errors",
    "--binary",
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if name != "jq" {
        return None;
    }
    let mut facts = Facts::reader();
    let mut filter = None;
    let mut args = asked.args().iter();
    let mut text_args = false;
    while let Some(field) = args.next() {
        let Some(text) = field.text().filter(|_| field.may_be_option()) else {
            if field.may_be_option() {
                facts.spoil();
            }
            if filter.is_none() || !text_args {
                operand(&mut facts, &mut filter, field);
            }
            continue;
        };
        match text {
            "--arg" | "--argjson" => {
                args.next();
                args.next();
            }
            "--slurpfile" | "--rawfile" => {
                args.next();
                if let Some(file) = args.next() {
                    facts.read(file, Reach::Itself);
                }
            }
            "-f" | "--from-file" => {
                if let Some(file) = args.next() {
                    facts.read(file, Reach::Itself);
                    filter = Some(Field::made(".", field.span));
                }
            }
            "--indent" => {
                args.next();
            }
            "--args" | "--jsonargs" => text_args = true,
            "--" => {
                for field in args.by_ref() {
                    if filter.is_none() || !text_args {
                        operand(&mut facts, &mut filter, field);
                    }
                }
            }
            _ if LONG.contains(&text) => {}
            _ if !text.starts_with("--") && text.chars().skip(1).all(|c| LETTERS.contains(c)) => {}
            _ => facts.spoil(),
        }
    }
    let shows_secrets = filter
        .as_ref()
        .is_none_or(|filter| filter.text().is_none_or(names_environment));
    if shows_secrets && filter.is_some() {
        facts.spoil();
    }
    Some(facts)
}

/// The filter first, then files.
fn operand(facts: &mut Facts, filter: &mut Option<Field>, field: &Field) {
    if filter.is_none() {
        *filter = Some(field.clone());
    } else {
        facts.read(field, Reach::Itself);
    }
}

/// Whether the filter shows the environment, or loads code from elsewhere.
fn names_environment(filter: &str) -> bool {
    filter
        .split(|char: char| {
            !(char.is_ascii_alphanumeric() || matches!(char, '_' | '$' | '.' | '"'))
        })
        .any(|word| {
            matches!(word, "env" | "$ENV" | "import" | "include")
                || word.starts_with("env.")
                || word.starts_with("$ENV.")
        })
}
