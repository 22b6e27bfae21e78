//! Lists of files: names of what a program packs, sends or sorts, which it takes from its input or from a file.
//!
//! Where the line tells what stands in the list, each line of it is a name; else it may name all that lies here.

use pointsman_model::{AbsPath, PathValue, Reach};

use super::carriers::values;
use super::transfer::{in_folders, tar_lists, tar_members};
use super::uses::Uses;
use super::{Asked, Use, UseKind};
use crate::expand::escaped;
use crate::field::{Field, Known};
use crate::walk::{Called, texts_in};

/// The files that the lists of a command name.
pub(super) fn listed(asked: &Asked<'_>, name: &str) -> Vec<Use> {
    let mut uses = Uses::default();
    for list in lists(asked.args(), name) {
        let fields = match list {
            List::Input => from_input(asked),
            List::File(file) => from_file(&file, asked),
        };
        let fields = match name {
            "tar" | "gtar" | "bsdtar" => tar_members(asked.args(), fields),
            "cpio" => {
                let options = ["-D", "--directory"].into_iter();
                let folders: Vec<Field> = options.flat_map(|it| values(asked.args(), it)).collect();
                in_folders(fields, &folders)
            }
            _ => fields,
        };
        for field in fields {
            uses.push(&field, UseKind::Read(Reach::ContentBelow));
        }
    }
    uses.list()
}

/// Where a list is taken from.
enum List {
    Input,
    File(Field),
}

impl List {
    fn of(file: Field) -> Self {
        if is_input(&file) {
            Self::Input
        } else {
            Self::File(file)
        }
    }
}

/// Whether the name of a file stands for what a program is fed.
pub(super) fn is_input(file: &Field) -> bool {
    matches!(
        file.text(),
        Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
    )
}

/// Options that name the file with the list, by program.
const LISTING: [(&[&str], &[&str]); 4] = [
    (&["rsync"], &["--files-from"]),
    (&["sort"], &["--files0-from"]),
    (
        &["restic"],
        &["--files-from", "--files-from-verbatim", "--files-from-raw"],
    ),
    (&["rclone"], &["--files-from", "--files-from-raw"]),
];

fn lists(args: &[Field], name: &str) -> Vec<List> {
    // A bundle of letters, as far as it is known.
    let bundle = |letters: &[char]| {
        args.iter()
            .map(Field::prefix)
            .any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains(letters))
    };
    let has = |option: &str| args.iter().any(|field| field.is(option));
    let input = match name {
        "cpio" | "afio" => bundle(&['o', 'p']) || has("--create") || has("--pass-through"),
        "pax" => bundle(&['w']),
        "zip" => bundle(&['@']) || has("--names-stdin"),
        "borg" => has("--paths-from-stdin"),
        "tar" | "gtar" | "bsdtar" => {
            return tar_lists(args).into_iter().map(List::of).collect();
        }
        _ => {
            let entry = LISTING.iter().find(|(names, _)| names.contains(&name));
            let options = entry.map_or(&[][..], |(_, options)| options);
            let files = options.iter().flat_map(|option| values(args, option));
            return files.map(List::of).collect();
        }
    };
    if input { vec![List::Input] } else { Vec::new() }
}

/// The names that the command is fed.
fn from_input(asked: &Asked<'_>) -> Vec<Field> {
    let called = asked.called;
    let input = called.input;
    if let Some(text) = input.text() {
        return lines(text, called);
    }
    if !input.fed {
        // It waits for a person.
        return Vec::new();
    }
    let names = input.names.as_deref().unwrap_or_default();
    let fields: Option<Vec<Field>> = names.iter().map(|place| field(place, asked)).collect();
    match fields {
        Some(fields) if !fields.is_empty() => fields,
        _ => vec![asked.here()],
    }
}

/// The names in a file; the line may have written it itself.
fn from_file(file: &Field, asked: &Asked<'_>) -> Vec<Field> {
    let texts = texts_in(file, asked.state);
    if texts.is_empty() {
        return vec![asked.here()];
    }
    let names = texts.iter().flat_map(|text| lines(text, asked.called));
    names.collect()
}

/// One name a line; a null character ends one too.
fn lines(text: &str, called: &Called<'_>) -> Vec<Field> {
    let names = text.split(['\n', '\0']).filter(|name| !name.is_empty());
    names.map(|name| Field::made(name, called.span)).collect()
}

fn field(place: &PathValue, asked: &Asked<'_>) -> Option<Field> {
    let span = asked.called.span;
    match place {
        PathValue::Known(path) => Some(Field::made(from_here(path, asked), span)),
        PathValue::Pattern { base, glob } => {
            let base = escaped(from_here(base, asked));
            Some(Field {
                known: Known::Glob(format!("{}/{glob}", base.trim_end_matches('/')).into()),
                ..Field::made("", span)
            })
        }
        PathValue::Unknown(_) => None,
    }
}

/// The path as it is printed here, as far as can be told: from this folder.
fn from_here<'p>(path: &'p AbsPath, asked: &Asked<'_>) -> &'p str {
    match asked.state.folder().and_then(|folder| path.below(folder)) {
        Some("") => ".",
        Some(below) => below,
        None => path.as_str(),
    }
}
