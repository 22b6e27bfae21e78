//! The walk that Glob and Grep share: files below a folder, by path, without what version control
//! ignores, without links, until it is stopped.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use pointsman_model::AbsPath;
use tokio_util::sync::CancellationToken;

/// The largest number of files that one search looks at. A checkout of a large project has fewer.
const FILES_MAX: usize = 200_000;

/// Why a search found nothing to walk.
#[derive(Debug, thiserror::Error)]
pub(super) enum SearchError {
    #[error("`{0}` does not exist")]
    Missing(AbsPath),
    #[error("`{pattern}` is no file pattern: {why}")]
    Pattern { pattern: Box<str>, why: Box<str> },
    #[error("`{0}` is looked for below `path`, so it can't begin with a slash or go up with `..`")]
    Escapes(Box<str>),
    #[error("the search was stopped")]
    Stopped,
    #[error("there are more than {FILES_MAX} files below `{0}`; search in a folder further down")]
    TooMany(AbsPath),
}

/// A pattern of the tool Glob, as far as it is left to match below the folder that the call was judged for: policy
/// has walked into the folders that the pattern begins with.
pub(super) fn pattern_below(text: &str) -> Result<GlobMatcher, SearchError> {
    let segments: Vec<&str> = text.split('/').collect();
    let plain = segments
        .iter()
        .take_while(|segment| !segment.contains(['*', '?', '[', '{']))
        .count()
        .min(segments.len().saturating_sub(1));
    let rest = segments.get(plain..).unwrap_or_default().join("/");
    if segments.len() == 1 {
        pattern(&rest)
    } else {
        compiled(text, &rest)
    }
}

/// A file pattern that counts below the folder of a search; one without a slash counts at any depth, as git and
/// editors read it.
pub(super) fn pattern(text: &str) -> Result<GlobMatcher, SearchError> {
    let escapes = text.starts_with('/') || text.split('/').any(|segment| segment == "..");
    if escapes {
        return Err(SearchError::Escapes(text.into()));
    }
    if text.contains('/') {
        compiled(text, text.strip_prefix("./").unwrap_or(text))
    } else {
        compiled(text, &format!("**/{text}"))
    }
}

fn compiled(text: &str, glob: &str) -> Result<GlobMatcher, SearchError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| SearchError::Pattern {
            pattern: text.into(),
            why: error.kind().to_string().into(),
        })
}

/// The files below `root` (or `root` itself, when it is one) whose paths from it match, in order of their paths.
/// Names that are no UTF-8 are left out.
pub(super) fn files(
    root: &AbsPath,
    matching: Option<&GlobMatcher>,
    stop: &CancellationToken,
) -> Result<Vec<AbsPath>, SearchError> {
    if !root.as_path().exists() {
        return Err(SearchError::Missing(root.clone()));
    }
    let walk = WalkBuilder::new(root.as_path())
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found = Vec::new();
    for entry in walk {
        if stop.is_cancelled() {
            return Err(SearchError::Stopped);
        }
        // What can't be read can't be searched either; the rest can.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let Some(path) = entry
            .path()
            .to_str()
            .and_then(|text| AbsPath::parse(text).ok())
        else {
            continue;
        };
        if matching.is_none_or(|glob| is_match(glob, root, &path)) {
            if found.len() == FILES_MAX {
                return Err(SearchError::TooMany(root.clone()));
            }
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn is_match(glob: &GlobMatcher, root: &AbsPath, path: &AbsPath) -> bool {
    match path.below(root) {
        Some("") | None => path
            .name()
            .is_some_and(|name| glob.is_match(Path::new(name))),
        Some(rest) => glob.is_match(Path::new(rest)),
    }
}
