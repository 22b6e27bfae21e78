//! The files that an action would execute, read for the classifier: a command line that starts a script says nothing of
//! what the script does.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};

use pointsman_model::{AbsPath, EffectKind, PathValue, PermissionRequest, first_hidden};
use pointsman_policy::executed_files;
use serde::Serialize;

use super::showing::{ACTION_BYTES_MAX, Unfit};

/// A file that the action would execute.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Script {
    pub(super) file: String,
    /// What stands in it; nothing for a compiled program.
    pub(super) content: Option<String>,
}

/// Reads the scripts of an action. One that can't be read whole is not for the classifier.
pub(super) async fn read(request: &PermissionRequest) -> Result<Vec<Script>, Unfit> {
    let files = executed_files(&request.folder, &request.effects);
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let programs = programs(request);
    let read = move || {
        let each = files.iter();
        each.filter_map(|file| {
            let how = match programs.contains(file) {
                true => Started::BySystem,
                false => Started::ByInterpreter,
            };
            of(file, how)
        })
        .collect()
    };
    let reading = tokio::task::spawn_blocking(read);
    let read: Result<Vec<Script>, Unfit> = match reading.await {
        Ok(read) => read,
        Err(_) => Err(unreadable("what it would execute")),
    };
    read
}

/// The programs that are named by a path: the system itself starts these.
fn programs(request: &PermissionRequest) -> BTreeSet<AbsPath> {
    let runs = request
        .effects
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some(run),
            EffectKind::Read(_)
            | EffectKind::Write { .. }
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        });
    let named = runs.filter_map(|run| {
        let folder = match &run.folder {
            PathValue::Known(folder) => folder,
            PathValue::Pattern { .. } | PathValue::Unknown(_) => &request.folder,
        };
        let program = run.program().filter(|program| program.contains('/'))?;
        Some(folder.join(program))
    });
    named.collect()
}

/// One file; nothing when there is none of that name.
fn of(path: &AbsPath, how: Started) -> Option<Result<Script, Unfit>> {
    match content(path) {
        Ok(Content::NoFile) => None,
        Ok(Content::Text(text)) if first_hidden(&text).is_some() => Some(Err(Unfit::NeedsPerson {
            why: format!("{path} holds characters that hide or reorder text"),
        })),
        Ok(Content::Text(text)) => Some(Ok(Script {
            file: path.to_string(),
            content: Some(text),
        })),
        Ok(Content::Compiled) if how == Started::BySystem => Some(Ok(Script {
            file: path.to_string(),
            content: None,
        })),
        // One byte that is none of a text would hide a whole script.
        Ok(Content::Compiled | Content::NoText) => Some(Err(Unfit::NeedsPerson {
            why: format!("{path} is no text, so what it does can't be shown"),
        })),
        Ok(Content::TooLong { bytes }) => Some(Err(Unfit::TooLong { bytes })),
        Err(_) => Some(Err(unreadable(path.as_str()))),
    }
}

fn unreadable(what: &str) -> Unfit {
    Unfit::NeedsPerson {
        why: format!("{what} can't be read"),
    }
}

/// Who starts a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    /// The system, by its first bytes.
    BySystem,
    /// A shell or an interpreter, which reads it as its language.
    ByInterpreter,
}

/// How the programs begin that systems start without an interpreter: ELF, and Mach-O in its forms.
const COMPILED: &[&[u8]] = &[
    b"\x7fELF",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

enum Content {
    NoFile,
    Text(String),
    /// It begins as programs do that the system starts.
    Compiled,
    /// Other bytes.
    NoText,
    TooLong {
        bytes: usize,
    },
}

fn content(path: &AbsPath) -> io::Result<Content> {
    let found = match std::fs::metadata(path.as_path()) {
        Ok(found) => found,
        Err(error) if is_no_file(&error) => return Ok(Content::NoFile),
        Err(error) => return Err(error),
    };
    // A pipe would block, and has nothing that could be shown beforehand.
    if found.is_dir() {
        return Ok(Content::NoFile);
    }
    if !found.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let limit = u64::try_from(ACTION_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path.as_path())?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if COMPILED.iter().any(|magic| bytes.starts_with(magic)) {
        return Ok(Content::Compiled);
    }
    if bytes.contains(&0) {
        return Ok(Content::NoText);
    }
    if bytes.len() > ACTION_BYTES_MAX {
        let bytes = usize::try_from(found.len()).unwrap_or(usize::MAX);
        return Ok(Content::TooLong { bytes });
    }
    Ok(String::from_utf8(bytes).map_or(Content::NoText, Content::Text))
}

/// A word that could be a script's name and is none: too long for a name, or below a file.
fn is_no_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}
