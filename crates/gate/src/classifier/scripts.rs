//! The files that an action would execute, read for the classifier: a command line that starts a script says nothing of
//! what the script does.
//!
//! What is shown is what the request's digest was made of: both are taken from one reading, so that nobody shows one
//! script and runs another. What a shell or an interpreter runs and is no text is for people: it can't be shown, and is run
//! all the same.

use std::collections::BTreeMap;

use pointsman_approvals::{Found, bind_showing, executed_on_disk};
use pointsman_model::{AbsPath, Effect, Opaque, OpaqueWhy, PermissionRequest, first_hidden};
use pointsman_policy::{DiskTree, Role, Unseen, by_gravest_role, check_seen, says_it_is_code};
use serde::Serialize;

use super::showing::{ACTION_BYTES_MAX, Unfit};

/// How programs begin that this machine's system starts. What it does not know it leaves to the shell, which runs it as
/// text: one of another system's is a script here.
#[cfg(not(target_os = "macos"))]
const PROGRAM_MARKS: &[&[u8]] = &[b"\x7fELF"];
#[cfg(target_os = "macos")]
const PROGRAM_MARKS: &[&[u8]] = &[
    &[0xce, 0xfa, 0xed, 0xfe],
    &[0xcf, 0xfa, 0xed, 0xfe],
    &[0xca, 0xfe, 0xba, 0xbe],
];

/// Where programs of the machine lie.
const MACHINES: &[&str] = &[
    "/bin/",
    "/usr/",
    "/opt/",
    "/nix/store/",
    "/run/current-system/",
];

/// A file that the action would execute.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Script {
    pub(super) file: String,
    /// What stands in it; nothing of a program of the machine, or of data that is no text.
    pub(super) content: Option<String>,
}

/// Reads the scripts of an action. One that can't be read whole is not for the classifier, nor is an action of which
/// something has changed since it was asked.
pub(super) async fn read(request: &PermissionRequest) -> Result<Vec<Script>, Unfit> {
    let request = request.clone();
    let reading = tokio::task::spawn_blocking(move || of(&request));
    match reading.await {
        Ok(read) => read,
        Err(_) => Err(person("what it would execute can't be read")),
    }
}

fn of(request: &PermissionRequest) -> Result<Vec<Script>, Unfit> {
    let executed = executed_on_disk(&request.folder, &request.effects);
    let executed = executed.map_err(|many| person(&many.to_string()))?;
    let files = by_gravest_role(executed);
    let seen = check_seen(&request.folder, &request.effects, &files, &DiskTree);
    seen.map_err(|unseen| person(&in_words(&unseen)))?;
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let sets_path =
        |opaque: &Opaque| opaque.why == OpaqueWhy::Environment && opaque.text.starts_with("PATH");
    let mut opaque = request.effects.list.iter().filter_map(Effect::as_opaque);
    let mut reading = Reading {
        files,
        path_is_set: opaque.any(sets_path),
        bytes: 0,
        read: Ok(Vec::new()),
    };
    let bound = bind_showing(request, &mut |path, found| reading.see(path, found));
    match bound {
        Ok(digest) if digest == request.digest => reading.read,
        Ok(_) => Err(person("what it would run changed since it was asked")),
        Err(_) => Err(person("what it would execute can't be read")),
    }
}

/// Why the code is not seen, with a file that is there if one is.
fn in_words(unseen: &Unseen) -> String {
    let there = match unseen {
        Unseen::Changed(files) => files.iter().find(|file| file.as_path().exists()),
        Unseen::Unknown(_) | Unseen::Configured(_) | Unseen::TooMany => None,
    };
    there.map_or_else(|| unseen.to_string(), |file| format!("{unseen}: {file}"))
}

/// What is read of an action's files, up to the first that is not for the classifier.
struct Reading {
    files: BTreeMap<AbsPath, Role>,
    /// Whether the line says where programs are looked for.
    path_is_set: bool,
    bytes: usize,
    read: Result<Vec<Script>, Unfit>,
}

impl Reading {
    /// What a script says that the system has to start it with is a program of the machine, without code or a module of its
    /// own behind it.
    fn check_first_line(&self, path: &AbsPath, bytes: &[u8]) -> Result<(), Unfit> {
        let Some(line) = bytes.strip_prefix(b"#!") else {
            return Ok(());
        };
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        let program = words.next().unwrap_or_default();
        let is_the_machines =
            MACHINES.iter().any(|folder| program.starts_with(folder)) && !program.contains("..");
        // `env` takes the program from its words; an option of it may hold one.
        let looks_up = program.ends_with("/env");
        let name = match looks_up {
            true => words.find(|word| !matches!(*word, "-S" | "-i")),
            false => None,
        };
        let is_elsewhere = looks_up
            && name.is_none_or(|name| {
                self.path_is_set || name.contains(['/', '=']) || name.starts_with('-')
            });
        let is_plain = |word: &str| {
            let letters = word.strip_prefix('-').unwrap_or("?");
            letters.len() <= 4
                && letters
                    .chars()
                    .all(|sign| sign.is_ascii_alphabetic() && !"mMrI".contains(sign))
        };
        match is_the_machines && !is_elsewhere && words.all(is_plain) {
            true => Ok(()),
            false => Err(person(&format!(
                "{path} says that something else is to run it"
            ))),
        }
    }

    fn see(&mut self, path: &AbsPath, found: Found<'_>) {
        if self.read.is_err() {
            return;
        }
        let Some(role) = self.files.get(path) else {
            return;
        };
        let shown = match (role, found) {
            (Role::Program, Found::Content(begins) | Found::Large { begins, .. })
                if is_program(begins) =>
            {
                Ok(None)
            }
            // Data of a script is not run, as far as the line tells: a picture is no script that hides. What says of
            // itself that it is code may well be run by the script that gets it.
            (Role::Argument, Found::Content(bytes))
                if as_text(bytes).is_none() && !says_it_is_code(path.as_str(), bytes) =>
            {
                Ok(None)
            }
            (Role::Argument, Found::Large { begins, .. })
                if !begins_as_text(begins) && !says_it_is_code(path.as_str(), begins) =>
            {
                Ok(None)
            }
            (Role::Program, Found::Content(bytes)) => {
                let started = self.check_first_line(path, bytes);
                started.and_then(|()| text(path, bytes).map(Some))
            }
            (_, Found::Content(bytes)) => text(path, bytes).map(Some),
            (_, Found::Large { bytes, .. }) => Err(Unfit::TooLong {
                bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            }),
            (_, Found::NoFile) => Err(person(&format!("{path} is no plain file"))),
            (_, Found::Unread) => Err(person(&format!("{path} can't be read"))),
        };
        match shown {
            Ok(content) => {
                let bytes = content.as_ref().map_or(0, String::len);
                self.bytes = self.bytes.saturating_add(bytes);
                let file = path.to_string();
                if let Ok(scripts) = &mut self.read {
                    scripts.push(Script { file, content });
                }
            }
            Err(unfit) => self.read = Err(unfit),
        }
        // All of them are held at once until they are shown.
        if self.read.is_ok() && self.bytes > ACTION_BYTES_MAX {
            self.read = Err(Unfit::TooLong { bytes: self.bytes });
        }
    }
}

fn is_program(begins: &[u8]) -> bool {
    PROGRAM_MARKS.iter().any(|mark| begins.starts_with(mark))
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok();
    text.filter(|text| !text.contains('\0'))
}

/// Whether what begins so may be text: its first bytes may end within a character.
fn begins_as_text(begins: &[u8]) -> bool {
    let is_cut_off = |error: &std::str::Utf8Error| error.error_len().is_none();
    let is_text = std::str::from_utf8(begins)
        .as_ref()
        .map_or_else(is_cut_off, |_| true);
    is_text && !begins.contains(&0)
}

/// What is run as code, as text.
fn text(path: &AbsPath, bytes: &[u8]) -> Result<String, Unfit> {
    let Some(text) = as_text(bytes) else {
        return Err(person(&format!("{path} would be run and is no text")));
    };
    if text.len() > ACTION_BYTES_MAX {
        return Err(Unfit::TooLong { bytes: text.len() });
    }
    if first_hidden(text).is_some() {
        let why = format!("{path} holds characters that hide or reorder text");
        return Err(person(&why));
    }
    Ok(text.to_owned())
}

fn person(why: &str) -> Unfit {
    Unfit::NeedsPerson { why: why.into() }
}
