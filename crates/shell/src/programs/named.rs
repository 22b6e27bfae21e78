//! Options that name files, and programs that change the files they are given: what a program that
//! is no known reader reads and writes because an argument says so.
//!
//! All of it is a possibility: it is there for rules that deny and ask, and for the guard of
//! protected places; a rule for the program covers what the program does with its arguments.

mod formatters;
mod table;

use pointsman_model::{Change, Reach};

use self::table::Operands;
use super::carriers::values;
use super::known::Tables;
use super::marks::Marks;
use super::uses::Uses;
use super::{Use, UseKind};
use crate::expand::escaped;
use crate::field::{Field, Known, Shape};
use crate::walk::Called;

pub(super) use self::formatters::{FORMATTERS, Formatter};
pub(super) use self::table::{Named, named as entries};

/// The files that the arguments of a command name.
pub(super) fn named(called: &Called<'_>, name: &str, known: &Tables, marks: Marks) -> Vec<Use> {
    let mut uses = Uses::default();
    let args = called.args();
    for entry in &known.named {
        if !has_word(args, entry.within, marks) {
            continue;
        }
        for option in entry.reads.iter().filter(|it| marks.may_have(it)) {
            for value in values(args, option) {
                uses.file(&value, UseKind::Read(Reach::Itself));
            }
        }
        for option in entry.writes.iter().filter(|it| marks.may_have(it)) {
            for value in values(args, option) {
                uses.file(&value, UseKind::Write(Change::Content));
            }
        }
        for option in entry.trees.iter().filter(|it| marks.may_have(it)) {
            for value in values(args, option) {
                uses.file(&value, UseKind::Read(Reach::ContentBelow));
            }
        }
        uses.operands(entry, called);
    }
    if matches!(name, "npm" | "pnpm" | "yarn") && sets_settings(args) {
        // Whichever of its files it is, each is protected under this name too.
        let file = Field::made(".npmrc", called.span);
        uses.push(&file, UseKind::Write(Change::Content));
    }
    uses.told(called, name, marks);
    if name == "stow" {
        for option in ["-t", "--target"] {
            for target in values(args, option) {
                uses.push(&target, UseKind::Below(Change::Content));
            }
        }
    }
    if let Some(places) = installs(name, args) {
        for place in places {
            uses.push(
                &Field::made(place, called.span),
                UseKind::Write(Change::Content),
            );
        }
    }
    for formatter in &known.formatters {
        uses.formatted(formatter, called, marks);
    }
    uses.list()
}

const HOOKS: &[&str] = &[".git/hooks/pre-commit", ".git/hooks/*"];
const START_FILES: &[&str] = &["~/.bashrc", "~/.bash_profile", "~/.profile", "~/.zshrc"];

/// Places that some programs put themselves into, to be started from there.
fn installs(name: &str, args: &[Field]) -> Option<&'static [&'static str]> {
    let verb = || {
        let mut operands = args.iter().filter(|field| !field.may_be_option());
        operands.next().and_then(Field::text).unwrap_or("")
    };
    let has = |option| args.iter().any(|field| field.is(option));
    match name {
        "pre-commit" | "lefthook" => matches!(verb(), "install" | "uninstall").then_some(HOOKS),
        "husky" | "simple-git-hooks" => Some(HOOKS),
        "overcommit" => has("--install").then_some(HOOKS),
        "conda" | "mamba" | "micromamba" => {
            matches!(verb(), "init" | "shell").then_some(START_FILES)
        }
        "pipx" => (verb() == "ensurepath").then_some(START_FILES),
        "pnpm" | "volta" => (verb() == "setup").then_some(START_FILES),
        "rustup-init" | "rustup-init.sh" => (!has("--no-modify-path")).then_some(START_FILES),
        _ => None,
    }
}

/// `npm config set x y`, `npm set x y`.
fn sets_settings(args: &[Field]) -> bool {
    let mut words = args
        .iter()
        .filter(|field| !field.may_be_option())
        .filter_map(Field::text);
    match (words.next(), words.next()) {
        (Some("set"), Some(_)) => true,
        (Some("config" | "c"), Some(verb)) => {
            matches!(verb, "set" | "delete" | "rm" | "unset" | "edit" | "fix")
        }
        _ => false,
    }
}

/// Whether one of the words is among the arguments, or none is asked for.
fn has_word(args: &[Field], words: &[&str], marks: Marks) -> bool {
    words.is_empty() || has_any(args, words, marks)
}

fn has_any(args: &[Field], words: &[&str], marks: Marks) -> bool {
    marks.may_have_any(words)
        && args
            .iter()
            .filter_map(Field::text)
            .any(|text| words.iter().any(|word| is_option(text, word)))
}

/// Whether the argument is the option, with a value behind `=` or not, or in a bundle of letters.
fn is_option(text: &str, option: &str) -> bool {
    if !option.starts_with('-') || !text.starts_with('-') {
        return text == option;
    }
    let bundled = || {
        let letter = option.strip_prefix('-').filter(|it| it.len() == 1);
        letter.is_some_and(|letter| {
            text.strip_prefix('-').is_some_and(|letters| {
                !letters.starts_with('-')
                    && letters.contains(letter)
                    && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            })
        })
    };
    text == option
        || text
            .strip_prefix(option)
            .is_some_and(|rest| rest.starts_with('='))
        || bundled()
}

impl Uses {
    /// A value that names a file, whatever stands in front of the name: `@f`, `key=f`, `file://f`.
    fn file(&mut self, value: &Field, kind: UseKind) {
        self.push(value, kind);
        let prefix = value.prefix();
        for front in ["@", "file://localhost", "file://", "FILE:", "fd:", "file:"] {
            if prefix.starts_with(front) {
                self.push(&value.tail(front.len()), kind);
            }
        }
        for key in ["src=", "source=", "path=", "file="] {
            if let Some(at) = prefix.find(key) {
                self.push(&value.tail(at + key.len()).until(&[',', ';', ' ']), kind);
            }
        }
        if let Some(at) = prefix.find('@') {
            // `field@file`
            self.push(&value.tail(at + 1).until(&[';', ',']), kind);
        }
        if let Some((key, _)) = prefix.split_once('=') {
            let behind = value.tail(key.len() + 1);
            self.push(&behind, kind);
            if behind.prefix().starts_with('@') {
                self.push(&behind.tail(1), kind);
            }
        }
        if prefix.contains(':') {
            // `-v FILE:PLACE`, `EXEC:x`.
            self.push(&value.until(&[':']), kind);
        }
    }

    /// Files that stand in what a program is told: in statements, in lists, behind a scheme.
    fn told(&mut self, called: &Called<'_>, name: &str, marks: Marks) {
        let args = called.args();
        if matches!(name, "psql" | "mysql" | "mariadb" | "sqlite3") {
            let told = args.iter().filter_map(Field::text);
            for text in told.chain(called.input.text()) {
                self.copied(text, called);
            }
        }
        if !marks.colon {
            return;
        }
        for field in args.iter().filter(|field| field.prefix().contains(':')) {
            for front in ["file://", "fileb://"] {
                if let Some(at) = field.prefix().find(front) {
                    self.push(&field.tail(at + front.len()), UseKind::Read(Reach::Itself));
                }
            }
        }
    }

    /// A file that may be read, and written too.
    fn changed(&mut self, file: &str, called: &Called<'_>) {
        let file = Field::made(file, called.span);
        self.push(&file, UseKind::Read(Reach::Itself));
        self.push(&file, UseKind::Write(Change::Content));
    }

    /// `\copy t to 'file'`, `\o file`, `source file` and kin of the clients of databases.
    fn copied(&mut self, text: &str, called: &Called<'_>) {
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let names_one = matches!(
                word,
                "to" | "from"
                    | "TO"
                    | "FROM"
                    | "source"
                    | "infile"
                    | "INFILE"
                    | "outfile"
                    | "OUTFILE"
            ) || word.starts_with('\\') && word != "\\copy";
            if let (true, Some(file)) = (names_one, words.peek()) {
                self.changed(file.trim_matches(['\'', '"', ';']), called);
            }
        }
        for function in ["readfile(", "writefile(", "load_file(", "LOAD_FILE("] {
            for (at, _) in text.match_indices(function) {
                let rest = text.get(at + function.len()..).unwrap_or("");
                let file = rest.trim_start_matches(['\'', '"', ' ']);
                let end = file.find(['\'', '"', ')', ',']).unwrap_or(file.len());
                self.changed(file.get(..end).unwrap_or(""), called);
            }
        }
    }

    fn operands(&mut self, entry: &Named, called: &Called<'_>) {
        let args = called.args();
        let plain =
            |field: &&Field| !field.may_be_option() && !entry.within.contains(&field.prefix());
        let mut operands = args.iter().filter(plain);
        match entry.operands {
            Operands::None => {}
            Operands::Read => operands.for_each(|it| self.file(it, UseKind::Read(Reach::Itself))),
            Operands::Tree => {
                // A port or an address is no folder, and does not say which one is shown.
                let here = Field::made(".", called.span);
                for folder in operands.chain([&here]) {
                    self.push(folder, UseKind::Read(Reach::ContentBelow));
                }
            }
            Operands::Folder => {
                let places: Vec<&Field> = operands.filter(|it| is_place(it)).collect();
                let here = Field::made(".", called.span);
                let all = if places.is_empty() {
                    vec![&here]
                } else {
                    places
                };
                for folder in all {
                    self.push(folder, UseKind::Read(Reach::ContentBelow));
                }
                if !args.iter().any(|it| it.is("pack") || it.is("package")) {
                    let host = Field {
                        known: crate::expand::unknown("", Shape::One),
                        ..Field::made("", called.span)
                    };
                    self.push(&host, UseKind::Connect);
                }
            }
            Operands::Places => {
                for place in operands.filter(|it| is_place(it) && !stays(it, args)) {
                    // `.[dev]`
                    let place = without_pattern(place).until(&['[']);
                    self.push(&place, UseKind::Read(Reach::ContentBelow));
                }
            }
            Operands::Carried => {
                operands.for_each(|it| self.file(it, UseKind::Read(Reach::ContentBelow)));
            }
            Operands::Write => {
                operands.for_each(|it| self.file(it, UseKind::Write(Change::Content)));
            }
            Operands::WriteLast => {
                if let Some(last) = operands.next_back() {
                    self.push(last, UseKind::Write(Change::Content));
                }
            }
            Operands::CopyToLast => {
                let mut operands: Vec<&Field> = operands.collect();
                if let Some(last) = operands.pop() {
                    self.push(last, UseKind::Write(Change::Content));
                    self.push(last, UseKind::Below(Change::Content));
                    if !is_elsewhere(last) && operands.iter().any(|it| is_elsewhere(it)) {
                        self.push(last, UseKind::Fills);
                    }
                }
                for field in operands {
                    self.file(field, UseKind::Read(Reach::ContentBelow));
                }
            }
            Operands::Unpack => {
                let here = Field::made(".", called.span);
                self.push(&here, UseKind::Below(Change::Content));
                self.push(&here, UseKind::Fills);
                operands.for_each(|it| self.file(it, UseKind::Read(Reach::Itself)));
            }
        }
    }

    fn formatted(&mut self, formatter: &Formatter, called: &Called<'_>, marks: Marks) {
        let args = called.args();
        if !has_word(args, formatter.words, marks)
            || !has_word(args, formatter.when, marks)
            || has_any(args, formatter.unless, marks)
        {
            return;
        }
        let mut operands: Vec<Field> = args
            .iter()
            .filter(|field| !field.may_be_option() && !formatter.words.contains(&field.prefix()))
            .cloned()
            .collect();
        if operands.is_empty() || operands.iter().all(|it| it.prefix().contains("...")) {
            operands = vec![Field::made(".", called.span)];
        }
        for field in &operands {
            if !field.is(".") {
                self.push(field, UseKind::Write(Change::Content));
            }
            for names in formatter.files {
                if let Some(below) = below(field, names) {
                    self.push(&below, UseKind::Write(Change::Content));
                }
            }
        }
    }
}

/// Whether the word names something on another machine: `s3://b/x`, `pod:/x`, `space/pod:/x`.
fn is_elsewhere(field: &Field) -> bool {
    let prefix = field.prefix();
    prefix.contains(':') && !prefix.starts_with(['/', '.', '~'])
}

/// Whether the folder is left where it is: `pip install -e .`
fn stays(field: &Field, args: &[Field]) -> bool {
    let option = field.before(args);
    option.is_some_and(|option| option.is("-e") || option.is("--editable"))
}

/// Whether the word looks like the place of a file, or its beginning does.
fn is_place(field: &Field) -> bool {
    // `.[dev]` is the folder, with something of it chosen.
    let prefix = field.prefix().split('[').next().unwrap_or("");
    let archive = [".tgz", ".tar.gz", ".whl", ".zip"];
    matches!(prefix, "." | "..")
        || ["./", "../", "/", "~"]
            .iter()
            .any(|it| prefix.starts_with(it))
        || prefix.contains('/') && !prefix.starts_with('@') && !prefix.contains("://")
        || archive.iter().any(|end| prefix.ends_with(end))
}

/// What a pattern begins with, as a text: in front of a bracket that is none for the program.
fn without_pattern(field: &Field) -> Field {
    match &field.known {
        Known::Glob(_) => Field {
            known: Known::Text(field.prefix().into()),
            ..field.clone()
        },
        Known::Text(_) | Known::Unknown(_) => field.clone(),
    }
}

/// What lies below a folder and has such a name.
pub(crate) fn below(folder: &Field, names: &str) -> Option<Field> {
    let front = match &folder.known {
        Known::Text(text) => escaped(text),
        Known::Glob(pattern) => pattern.to_string(),
        Known::Unknown(_) => return None,
    };
    let front = front.trim_end_matches('/');
    let glob = if names == "**" {
        format!("{front}/**")
    } else {
        format!("{front}/**/{names}")
    };
    Some(Field {
        known: Known::Glob(glob.into()),
        ..folder.clone()
    })
}
