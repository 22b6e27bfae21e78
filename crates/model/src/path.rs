//! Absolute paths in one spelling: no `.`, no `..`, no doubled or trailing slash.
//!
//! Cleaning is by text alone, as a shell's `cd` does it; where symbolic links lead is looked up in
//! the policy crate, through its `Tree`.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

/// An absolute path in one spelling. Copies share their text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AbsPath(Arc<str>);

/// A text that is no absolute path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no absolute path")]
pub struct AbsPathError(String);

impl AbsPath {
    /// Reads an absolute path and brings it into its one spelling.
    ///
    /// # Errors
    /// When `text` does not begin with a slash or holds a NUL.
    pub fn parse(text: &str) -> Result<Self, AbsPathError> {
        if !text.starts_with('/') || text.contains('\0') {
            return Err(AbsPathError(text.into()));
        }
        Ok(Self::root().join(text))
    }

    /// The root folder.
    #[must_use]
    pub fn root() -> Self {
        static ROOT: LazyLock<AbsPath> = LazyLock::new(|| AbsPath("/".into()));
        ROOT.clone()
    }

    /// Where `text` leads when it is said in this folder: an absolute text leads to itself, a
    /// relative one is walked from here, `..` at the root stays there.
    #[must_use]
    pub fn join(&self, text: &str) -> Self {
        if matches!(text, "" | ".") {
            return self.clone();
        }
        let plain = |segment: &str| !matches!(segment, "" | "." | "..");
        if text.split('/').all(plain) {
            let mut joined = String::with_capacity(self.0.len() + 1 + text.len());
            joined.push_str(&self.0);
            if self.0.len() > 1 {
                joined.push('/');
            }
            joined.push_str(text);
            return Self(joined.into());
        }
        let mut joined = String::with_capacity(self.0.len() + text.len() + 1);
        if !text.starts_with('/') && self.0.len() > 1 {
            joined.push_str(&self.0);
        }
        for segment in text.split('/') {
            match segment {
                "" | "." => {}
                ".." => joined.truncate(joined.rfind('/').unwrap_or(0)),
                plain => {
                    joined.push('/');
                    joined.push_str(plain);
                }
            }
        }
        if joined.is_empty() {
            return Self::root();
        }
        Self(joined.into())
    }

    /// The names from the root down; none for the root itself.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// The last name; `None` for the root.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// The folder that holds this path; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let cut = self.0.rfind('/')?;
        match self.0.get(..cut) {
            _ if self.0.len() == 1 => None,
            None | Some("") => Some(Self::root()),
            Some(parent) => Some(Self(parent.into())),
        }
    }

    /// Whether this path is `folder` or lies below it.
    #[must_use]
    pub fn is_within(&self, folder: &Self) -> bool {
        self.below(folder).is_some()
    }

    /// The rest of this path below `folder`: empty for the folder itself, `None` when it lies elsewhere.
    #[must_use]
    pub fn below(&self, folder: &Self) -> Option<&str> {
        if folder.0.len() == 1 {
            return self.0.get(1..);
        }
        match self.0.strip_prefix(&*folder.0)? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        }
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for the standard library's file functions.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(&*self.0)
    }
}

impl fmt::Display for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AbsPath {
    type Error = AbsPathError;
    fn try_from(text: String) -> Result<Self, AbsPathError> {
        Self::parse(&text)
    }
}

impl From<AbsPath> for String {
    fn from(path: AbsPath) -> Self {
        path.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(folder: &str, text: &str, expect: &str) {
        assert_eq!(AbsPath::parse(folder).unwrap().join(text).as_str(), expect);
    }

    #[test]
    fn joining_walks_as_cd_does() {
        check("/w/proj", "a/./b//c", "/w/proj/a/b/c");
        check("/w/proj", "../x", "/w/x");
        check("/w/proj", "../../../..", "/");
        check("/w/proj", "/etc/", "/etc");
        check("/w/proj", "", "/w/proj");
        check("/", "a", "/a");
    }

    #[test]
    fn below_knows_whole_names_only() {
        let folder = AbsPath::parse("/w/proj").unwrap();
        assert!(AbsPath::parse("/w/proj/a").unwrap().is_within(&folder));
        assert!(folder.is_within(&folder));
        assert!(!AbsPath::parse("/w/project").unwrap().is_within(&folder));
        assert!(folder.is_within(&AbsPath::root()));
        assert_eq!(AbsPath::root().parent(), None);
        assert_eq!(
            AbsPath::parse("/a").unwrap().parent(),
            Some(AbsPath::root())
        );
    }

    proptest! {
        #[test]
        fn a_path_has_one_spelling(text in "(/|\\.|a|b){0,20}") {
            let path = AbsPath::root().join(&text);
            prop_assert_eq!(&AbsPath::parse(path.as_str()).unwrap(), &path);
            prop_assert!(!path.as_str().contains("//"));
            prop_assert!(path.segments().all(|s| s != "." && s != ".."));
        }
    }
}
