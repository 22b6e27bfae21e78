//! What a file says that a call would write over: read when the request comes, so that the change is seen and not only
//! the new content.
//!
//! It shows what is there now. Whether that is still so when the call runs is looked at elsewhere (law 10).

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use pointsman_model::{AbsPath, PermissionRequest, ToolInput};

/// Longer files are not compared; their new content is shown whole.
const BYTES_MAX: u64 = 256 * 1024;

/// What lies where a call would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing.
    Nothing,
    /// A text.
    Text(Arc<str>),
    /// Something that can't be compared, in these words.
    Other(&'static str),
}

/// The file that a request would write anew, if that is what it would do.
pub(super) fn file_of(request: &PermissionRequest) -> Option<AbsPath> {
    match &request.call.input {
        ToolInput::Write(input) => Some(request.folder.join(&input.file_path)),
        ToolInput::Bash(_)
        | ToolInput::Read(_)
        | ToolInput::Edit(_)
        | ToolInput::Glob(_)
        | ToolInput::Grep(_)
        | ToolInput::Spawn(_)
        | ToolInput::Other(_) => None,
    }
}

/// Looks at it. Blocks on the disk, for no longer than a file of bounded length takes; nothing that may wait is opened.
pub(super) fn look(file: &Path) -> Before {
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Before::Nothing,
        Err(_) => return Before::Other("what is there now can't be read"),
    };
    if !meta.is_file() {
        return Before::Other("what is there now is no plain file");
    }
    if meta.len() > BYTES_MAX {
        return Before::Other("what is there now is too long to be compared");
    }
    let mut text = String::new();
    let read =
        std::fs::File::open(file).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    match read {
        Ok(_) => Before::Text(text.into()),
        Err(_) => Before::Other("what is there now is no text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_plain_files_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("text"), "a\n").unwrap();
        std::fs::write(at("bytes"), [0xff, 0xfe]).unwrap();
        std::fs::write(at("long"), "x".repeat(300 * 1024)).unwrap();
        assert_eq!(look(&at("text")), Before::Text("a\n".into()));
        assert_eq!(look(&at("none")), Before::Nothing);
        for other in ["bytes", "long", "."] {
            assert!(matches!(look(&at(other)), Before::Other(_)), "{other}");
        }
    }
}
