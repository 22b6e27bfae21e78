//! Programs that pack, unpack and carry files.

use pointsman_model::{Change, Reach};

use super::carriers::{is_beginning, values};
use super::{Asked, Facts, UseKind, files};
use crate::expand::escaped;
use crate::field::{Field, Known, Unknown};
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "tar" | "gtar" | "bsdtar" => Some(tar(asked)),
        "zip" | "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => Some(pack(asked, name)),
        "unzip" => Some(unzip(asked)),
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
    /// The folders that it goes to, one after another, each seen from where the command runs.
    folders: Vec<Field>,
    members: Vec<Member>,
    /// Files with names of further members.
    lists: Vec<Field>,
    /// Commands that it hands to a shell.
    scripts: Vec<Field>,
    /// Names that begin with a slash stand for what they say.
    anywhere: bool,
}

/// What goes into an archive, or comes out of it.
struct Member {
    name: Field,
    /// The folder that it is seen from, where one is named in front of it.
    from: Option<Field>,
}

impl Member {
    fn place(&self) -> Field {
        match &self.from {
            Some(folder) => inside(folder, &self.name),
            None => self.name.clone(),
        }
    }
}

/// Letters of `tar` that have a value: the next argument, or what is glued to them behind a dash.
const VALUED: [char; 13] = [
    'f', 'C', 'I', 'F', 'T', 'X', 'H', 'b', 'g', 'K', 'L', 'N', 'V',
];

/// Long options of `tar` that are looked at; any beginning that is long enough is taken for them.
const LONG: [&str; 10] = [
    "--absolute-names",
    "--create",
    "--extract",
    "--get",
    "--list",
    "--append",
    "--update",
    "--directory",
    "--files-from",
    "--add-file",
];

impl Tar {
    fn read(args: &[Field]) -> Self {
        let mut tar = Self::default();
        let old_style = args
            .first()
            .and_then(Field::text)
            .filter(|text| !text.is_empty() && !text.starts_with('-'));
        let mut at = 0;
        if let Some(letters) = old_style {
            at = 1;
            for letter in letters.chars() {
                at += tar.letter(letter, args.get(at));
            }
        }
        tar.take(args.get(at..).unwrap_or_default());
        tar.archive = tar.archive.filter(|field| !field.is("-"));
        tar
    }

    /// Takes arguments, or lines of a list.
    fn take(&mut self, args: &[Field]) {
        let mut at = 0;
        while let Some(field) = args.get(at) {
            let text = field.prefix();
            at += 1;
            if text.starts_with("--") {
                at += self.long(field, text, args.get(at));
            } else if text.len() > 1 && text.starts_with('-') {
                for (place, letter) in text.char_indices().skip(1) {
                    let glued = place + letter.len_utf8();
                    let more = glued < text.len() || field.text().is_none();
                    if VALUED.contains(&letter) && more {
                        self.letter(letter, Some(&field.tail(glued)));
                        break;
                    }
                    at += self.letter(letter, args.get(at));
                }
            } else {
                self.member(field);
            }
        }
    }

    fn member(&mut self, name: &Field) {
        self.members.push(Member {
            name: name.clone(),
            from: self.folders.last().cloned(),
        });
    }

    /// Goes to a folder, which is seen from the one before it.
    fn enter(&mut self, folder: Option<&Field>) {
        if let Some(folder) = folder {
            let there = match self.folders.last() {
                Some(before) => inside(before, folder),
                None => folder.clone(),
            };
            self.folders.push(there);
        }
    }

    /// Takes a letter; how many further arguments it takes.
    fn letter(&mut self, letter: char, next: Option<&Field>) -> usize {
        match letter {
            'c' | 'x' | 't' | 'r' | 'u' => self.mode = Some(letter),
            'f' => self.archive = next.cloned(),
            'C' => self.enter(next),
            // The old style, letters without a dash, is told here alone.
            'I' | 'F' => self.scripts.extend(next.cloned()),
            'T' => self.lists.extend(next.cloned()),
            'P' => self.anywhere = true,
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
        let whole = LONG.iter().find(|long| is_beginning(name, long));
        match whole.filter(|_| name != "--file").copied().unwrap_or(name) {
            "--create" => self.mode = Some('c'),
            "--extract" | "--get" => self.mode = Some('x'),
            "--list" => self.mode = Some('t'),
            "--absolute-names" => self.anywhere = true,
            "--append" | "--update" => self.mode = Some('r'),
            "--file" => {
                self.archive = value.or_else(|| next.cloned());
                return apart;
            }
            "--directory" => {
                self.enter(value.as_ref().or(next));
                return apart;
            }
            "--files-from" => {
                self.lists.extend(value.or_else(|| next.cloned()));
                return apart;
            }
            "--add-file" => {
                if let Some(name) = value.as_ref().or(next) {
                    self.member(name);
                }
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
    tar.lists
}

/// What the lines of such a file name: seen from where the command runs, and from each folder that it may have gone to.
/// A line may be an option itself: `-C/folder`.
pub(super) fn tar_members(args: &[Field], lines: Vec<Field>) -> Vec<Field> {
    let mut tar = Tar::read(args);
    tar.members.clear();
    let words = |line: Field| -> Vec<Field> {
        let option = line.text().map(str::trim_start);
        match option.filter(|text| text.starts_with('-')) {
            Some(text) => {
                let words = text.splitn(2, char::is_whitespace);
                words.map(|it| Field::made(it, line.span)).collect()
            }
            None => vec![line],
        }
    };
    let words: Vec<Field> = lines.into_iter().flat_map(words).collect();
    tar.take(&words);
    let names = tar.members.into_iter().map(|member| member.name);
    in_folders(names.collect(), &tar.folders)
}

/// The names, and the same in each of the folders.
pub(super) fn in_folders(mut names: Vec<Field>, folders: &[Field]) -> Vec<Field> {
    let here = names.len();
    for folder in folders {
        for at in 0..here {
            names.extend(names.get(at).map(|name| inside(folder, name)));
        }
    }
    names
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
            for place in tar.members.iter().map(Member::place) {
                facts.read(&place, Reach::ContentBelow);
                if removes {
                    facts.write(&place, Change::Remove);
                }
            }
        }
        mode => {
            if let Some(archive) = &tar.archive {
                facts.read(archive, Reach::Itself);
            }
            if mode.is_none() || asked.args().iter().any(|field| field.text().is_none()) {
                // It may make an archive all the same.
                for place in tar.members.iter().map(Member::place) {
                    facts.might(&place, UseKind::Read(Reach::ContentBelow));
                }
            }
            if mode == Some('x') {
                let target = tar.folders.into_iter().next_back();
                let target = target.unwrap_or_else(|| asked.here());
                facts.write(&target, Change::Content);
                facts.might(&target, UseKind::Below(Change::Content));
                facts.fill(&target);
                for folder in values(asked.args(), "--one-top-level") {
                    facts.fill(&folder);
                }
                if tar.anywhere {
                    facts.fill(&Field::made("/", asked.called.span));
                }
            }
        }
    }
    facts
}

/// A member in a folder that an option names. Where nobody knows the folder, it is whatever that is.
fn inside(folder: &Field, member: &Field) -> Field {
    if member.prefix().starts_with('/') {
        return member.clone();
    }
    let Some(front) = folder.text().map(|text| text.trim_end_matches('/')) else {
        return folder.clone();
    };
    let known = match &member.known {
        Known::Text(name) => Known::Text(format!("{front}/{name}").into()),
        Known::Glob(pattern) => Known::Glob(format!("{}/{pattern}", escaped(front)).into()),
        // It may lead anywhere.
        Known::Unknown(unknown) if unknown.prefix.is_empty() => return member.clone(),
        Known::Unknown(unknown) => Known::Unknown(Unknown {
            prefix: format!("{front}/{}", unknown.prefix).into(),
            shape: unknown.shape,
        }),
    };
    Field {
        known,
        ..member.clone()
    }
}

fn pack(asked: &Asked<'_>, name: &str) -> Facts {
    let mut facts = Facts::program();
    let mut operands = asked.args().iter().filter(|field| !field.may_be_option());
    match operands.next() {
        // `7z x archive`, `rar e archive`
        Some(verb) if name != "zip" && (verb.is("x") || verb.is("e")) => {
            unpack(asked, &mut facts, &operands.collect::<Vec<_>>());
            return facts;
        }
        Some(archive) => facts.write(archive, Change::Content),
        None => {}
    }
    for field in operands {
        facts.read(field, Reach::ContentBelow);
    }
    facts
}

/// `unrar x archive folder/`, `7z x archive -ofolder`, `rar x -opfolder archive`
fn unpack(asked: &Asked<'_>, facts: &mut Facts, operands: &[&Field]) {
    facts.fill(&asked.here());
    for folder in values(asked.args(), "-o") {
        facts.fill(&folder);
        if folder.prefix().starts_with('p') {
            facts.fill(&folder.tail(1));
        }
    }
    let Some((archive, rest)) = operands.split_first() else {
        return;
    };
    facts.read(archive, Reach::Itself);
    if let Some(folder) = rest.last() {
        facts.might(folder, UseKind::Write(Change::Content));
        facts.might(folder, UseKind::Below(Change::Content));
        facts.fill(folder);
    }
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
        facts.fill(&target);
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
    // Names are put together in the target as they stand.
    let mut whole = false;
    for arg in read(asked.args(), options, Order::Mixed) {
        match arg {
            Arg::Option("R" | "--relative", _) => whole = true,
            Arg::Option(
                "--exclude-from" | "--include-from" | "--files-from" | "i" | "F",
                Some(file),
            ) => {
                whole = true;
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
            match target.filter(|target| !is_remote(target)) {
                Some(target) if whole => facts.fill(target),
                Some(target) => facts.fill(&landed(target, field)),
                None => {}
            }
            continue;
        }
        facts.read(field, Reach::ContentBelow);
        if let Some(target) = target {
            let inside = files::inside(target, field);
            for name in std::iter::once(target).chain(&inside) {
                facts.copies.push((name.clone(), field.clone()));
            }
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

/// Where what another machine has under that name comes to lie, as far as that is known: the target, or a place in it where it
/// is a folder that holds other things too.
pub(super) fn landed(target: &Field, source: &Field) -> Field {
    let folder = target
        .text()
        .filter(|text| matches!(*text, "." | "..") || text.ends_with('/'));
    let name = source
        .text()
        .and_then(|text| text.rsplit(['/', ':']).next());
    let plain = |name: &&str| {
        !matches!(*name, "" | "." | "..") && !name.contains(['*', '?', '[', '{', '\\', '$', '`'])
    };
    match (folder, name.filter(plain)) {
        (Some(folder), Some(name)) => {
            let folder = folder.trim_end_matches('/');
            Field::made(&format!("{folder}/{name}"), target.span)
        }
        _ => target.clone(),
    }
}

/// Whether the name is one of another machine's.
pub(super) fn is_remote(field: &Field) -> bool {
    let prefix = field.prefix();
    match prefix.find(':') {
        Some(at) => !prefix.get(..at).unwrap_or("").contains('/'),
        None => false,
    }
}
