//! `jq` and `yq`.

mod filter;

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
    match &filter {
        // What it says stands in a file: the first operand, or the value of the option.
        Some(filter) if takes_file(asked.args()) => {
            facts.spoil();
            facts.read(filter, Reach::Itself);
        }
        Some(filter) if !filter.text().is_some_and(filter::is_plain) => facts.spoil(),
        Some(_) | None => {}
    }
    Some(facts)
}

/// Whether an option says that the filter stands in a file.
fn takes_file(args: &[Field]) -> bool {
    args.iter()
        .take_while(|field| !field.is("--"))
        .any(|field| {
            let text = field.prefix();
            let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-'));
            text.starts_with("--from-file") || letters.is_some_and(|it| it.contains('f'))
        })
}

/// The filter first, then files.
fn operand(facts: &mut Facts, filter: &mut Option<Field>, field: &Field) {
    if filter.is_none() {
        *filter = Some(field.clone());
    } else {
        facts.read(field, Reach::Itself);
    }
}
