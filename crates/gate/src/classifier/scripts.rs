//! The files that an action would execute, read for the classifier: a command line that starts a script says nothing of
//! what the script does.

use std::fs::File;
use std::io::{self, Read as _};

use pointsman_model::{AbsPath, PermissionRequest, first_hidden};
use pointsman_policy::executed_files;
use serde::Serialize;

use super::showing::{ACTION_BYTES_MAX, Unfit};

/// A file that the action would execute.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Script {
    pub(super) file: String,
    /// What stands in it; nothing when it is no text.
    pub(super) content: Option<String>,
}

/// Reads the scripts of an action. One that can't be read whole is not for the classifier.
pub(super) async fn read(request: &PermissionRequest) -> Result<Vec<Script>, Unfit> {
    let files = executed_files(&request.folder, &request.effects);
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let reading = tokio::task::spawn_blocking(move || files.iter().filter_map(of).collect());
    let read: Result<Vec<Script>, Unfit> = match reading.await {
        Ok(read) => read,
        Err(_) => Err(unreadable("what it would execute")),
    };
    read
}

/// One file; nothing when there is none of that name.
fn of(path: &AbsPath) -> Option<Result<Script, Unfit>> {
    match content(path) {
        Ok(Content::NoFile) => None,
        Ok(Content::Text(text)) if first_hidden(&text).is_some() => Some(Err(Unfit::NeedsPerson {
            why: format!("{path} holds characters that hide or reorder text"),
        })),
        Ok(Content::Text(text)) => Some(Ok(Script {
            file: path.to_string(),
            content: Some(text),
        })),
        Ok(Content::NoText) => Some(Ok(Script {
            file: path.to_string(),
            content: None,
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

enum Content {
    NoFile,
    Text(String),
    /// A program, or other bytes.
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
