//! Programs that pack, unpack and carry files.

use pointsman_model::{Change, Reach};

use super::carriers::values;
use super::{Asked, Facts, UseKind};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "tar" | "gtar" | "bsdtar" => Some(tar(asked)),
        "zip" | "7z" | "7za" | "rar" => Some(pack(asked)),
        "unzip" | "unrar" => Some(unzip(asked)),
        "rsync" => Some(carry(asked, &RSYNC)),
        "scp" => Some(carry(asked, &SCP)),
        _ => None,
    }
}

/// The command line of `tar`, whose letters may stand without a dash.
#[derive(Default)]
struct Tar {
    /// One of `cxtru`.
    mode: Option<char>,
    archive: Option<Field>,
    /// The folders that it goes to, one after another.
    folders: Vec<Field>,
    members: Vec<Field>,
    /// Files with names of further members.
    lists: Vec<Field>,
    /// Commands that it hands to a shell.
    scripts: Vec<Field>,
}

/// Letters of `tar` that have a value: the next argument, or what is glued to them behind a dash.
const VALUED: [char; 13] = [
    'f', 'C', 'I', 'F', 'T', 'X', 'H', 'b', 'g', 'K', 'L', 'N', 'V',
];

impl Tar {
    fn read(args: &[Field]) -> Self {
        let mut tar = Self::default();
        let mut at = 0;
        while let Some(field) = args.get(at) {
            let text = field.text().unwrap_or("");
            at += 1;
            let old_style = at == 1 && !text.is_empty() && !text.starts_with('-');
            if text.starts_with("--") {
                at += tar.long(field, text, args.get(at));
            } else if old_style {
                for letter in text.chars() {
                    at += tar.letter(letter, args.get(at));
                }
            } else if text.len() > 1 && text.starts_with('-') {
                for (place, letter) in text.char_indices().skip(1) {
                    let glued = place + letter.len_utf8();
                    if VALUED.contains(&letter) && glued < text.len() {
                        tar.letter(letter, Some(&field.tail(glued)));
                        break;
                    }
                    at += tar.letter(letter, args.get(at));
                }
            } else {
                tar.members.push(field.clone());
            }
        }
        tar.archive = tar.archive.filter(|field| !field.is("-"));
        tar
    }

    /// Takes a letter; how many further arguments it takes.
    fn letter(&mut self, letter: char, next: Option<&Field>) -> usize {
        match letter {
            'c' | 'x' | 't' | 'r' | 'u' => self.mode = Some(letter),
            'f' => self.archive = next.cloned(),
            'C' => self.folders.extend(next.cloned()),
            // The old style, letters without a dash, is told here alone.
            'I' | 'F' => self.scripts.extend(next.cloned()),
            'T' => self.lists.extend(next.cloned()),
            _ => {}
        }
        usize::from(VALUED.contains(&letter))
    }

    /// Takes a long option; how many further arguments it takes.
    fn long(&mut self, field: &Field, text: &str, next: Option<&Field>) -> usize {
        let (name, value) = match text.split_once('=') {
            Some((name, _)) => (name, Some(field.tail(name.len() + 1))),
            None => (text, None),
        };
        let apart = usize::from(value.is_none());
        match name {
            "--create" => self.mode = Some('c'),
            "--extract" | "--get" => self.mode = Some('x'),
            "--list" => self.mode = Some('t'),
            "--append" | "--update" => self.mode = Some('r'),
            "--file" => {
                self.archive = value.or_else(|| next.cloned());
                return apart;
            }
            "--directory" => {
                self.folders.extend(value.or_else(|| next.cloned()));
                return apart;
            }
            _ => {}
        }
        0
    }
}

/// The files with names of what an archive is made of.
pub(super) fn tar_lists(args: &[Field]) -> Vec<Field> {
    let tar = Tar::read(args);
    if matches!(tar.mode, Some('x' | 't')) {
        return Vec::new();
    }
    let mut lists = tar.lists;
    lists.extend(values(args, "--files-from"));
    lists
}

fn tar(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let tar = Tar::read(asked.args());
    for script in tar.scripts {
        facts.starts(script);
    }
    match tar.mode {
        Some('c' | 'r' | 'u') => {
            if let Some(archive) = &tar.archive {
                facts.write(archive, Change::Content);
            }
            let removes = asked
                .args()
                .iter()
                .any(|field| field.prefix().starts_with("--remove"));
            for member in &tar.members {
                facts.read(member, Reach::ContentBelow);
                if removes {
                    facts.write(member, Change::Remove);
                }
                for folder in &tar.folders {
                    if let Some(there) = inside(folder, member) {
                        facts.might(&there, UseKind::Read(Reach::ContentBelow));
                    }
                }
            }
        }
        mode => {
            if let Some(archive) = &tar.archive {
                facts.read(archive, Reach::Itself);
            }
            if mode.is_none() || asked.args().iter().any(|field| field.text().is_none()) {
                // It may make an archive all the same.
                for member in &tar.members {
                    facts.might(member, UseKind::Read(Reach::ContentBelow));
                }
            }
            if mode == Some('x') {
                let target = tar.folders.into_iter().next_back();
                let target = target.unwrap_or_else(|| asked.here());
                facts.write(&target, Change::Content);
                facts.might(&target, UseKind::Below(Change::Content));
            }
        }
    }
    facts
}

/// A member in a folder that an option names.
fn inside(folder: &Field, member: &Field) -> Option<Field> {
    let (front, name) = (folder.text()?, member.text()?);
    let path = if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("{}/{name}", front.trim_end_matches('/'))
    };
    Some(Field::made(&path, member.span))
}

fn pack(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let mut operands = asked.args().iter().filter(|field| !field.may_be_option());
    if let Some(archive) = operands.next() {
        facts.write(archive, Change::Content);
    }
    for field in operands {
        facts.read(field, Reach::ContentBelow);
    }
    facts
}

fn unzip(asked: &Asked<'_>) -> Facts {
    const UNZIP: Options = Options {
        short: "abcCfjklLMnopqstTuUvVWXZ",
        short_value: "dPx",
        short_glued: "",
        long: &[],
        long_value: &[],
    };
    let mut facts = Facts::program();
    let mut target = None;
    let mut keeps = true;
    let mut first = true;
    for arg in read(asked.args(), &UNZIP, Order::Mixed) {
        match arg {
            Arg::Option("d", folder) => target = folder,
            Arg::Option("l" | "p" | "t" | "v" | "Z" | "c", _) => keeps = false,
            Arg::Operand(field) if first => {
                first = false;
                facts.read(field, Reach::Itself);
            }
            Arg::Option(..) | Arg::Stranger(_) | Arg::Operand(_) => {}
        }
    }
    if keeps {
        let target = target.unwrap_or_else(|| asked.here());
        facts.write(&target, Change::Content);
        facts.might(&target, UseKind::Below(Change::Content));
    }
    facts
}

const RSYNC: Options = Options {
    short: "0468abcCdDEgGHhiIJKkLlmnNOopPqrRsStuUvWwxXyz",
    short_value: "BefMT@",
    short_glued: "",
    long: &[
        "archive",
        "verbose",
        "delete",
        "delete-after",
        "delete-before",
        "delete-excluded",
        "dry-run",
        "progress",
        "recursive",
        "compress",
        "human-readable",
        "stats",
        "partial",
        "update",
        "checksum",
        "links",
        "perms",
        "times",
        "quiet",
        "ignore-existing",
        "existing",
        "relative",
        "size-only",
        "inplace",
        "remove-source-files",
        "itemize-changes",
    ],
    long_value: &[
        "rsh",
        "rsync-path",
        "exclude",
        "include",
        "exclude-from",
        "include-from",
        "files-from",
        "filter",
        "bwlimit",
        "timeout",
        "port",
        "info",
        "chmod",
        "chown",
        "backup-dir",
        "link-dest",
        "log-file",
        "max-size",
        "min-size",
    ],
};

const SCP: Options = Options {
    short: "346ABCOpqRrTv",
    short_value: "cDFiJloPSX",
    short_glued: "",
    long: &[],
    long_value: &[],
};

/// Sources, then one target; what has a colon is on another machine.
fn carry(asked: &Asked<'_>, options: &Options) -> Facts {
    let mut facts = Facts::program();
    let mut operands: Vec<&Field> = Vec::new();
    for arg in read(asked.args(), options, Order::Mixed) {
        match arg {
            Arg::Option(
                "--exclude-from" | "--include-from" | "--files-from" | "i" | "F",
                Some(file),
            ) => {
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--log-file" | "--backup-dir", Some(file)) => {
                facts.write(&file, Change::Content);
            }
            Arg::Option("--remove-source-files" | "--delete", _) => {
                for field in asked.args() {
                    if !field.may_be_option() && !is_remote(field) {
                        facts.might(field, UseKind::Write(Change::Remove));
                    }
                }
            }
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    let target = operands.pop();
    for field in operands {
        if is_remote(field) {
            facts.connect(field);
            continue;
        }
        facts.read(field, Reach::ContentBelow);
        if let Some(target) = target {
            facts.copies.push((target.clone(), field.clone()));
        }
    }
    if let Some(field) = target {
        if is_remote(field) {
            facts.connect(field);
        } else {
            facts.write(field, Change::Content);
            facts.might(field, UseKind::Below(Change::Content));
        }
    }
    facts
}

fn is_remote(field: &Field) -> bool {
    let prefix = field.prefix();
    match prefix.find(':') {
        Some(at) => !prefix.get(..at).unwrap_or("").contains('/'),
        None => false,
    }
}
