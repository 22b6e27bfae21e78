//! Patterns for paths, with the meaning that lines of a `.gitignore` have, and four anchors:
//! `//from/the/root`, `~/from/home`, `/from/the/source`, `from/the/folder`.

use bstr::ByteSlice as _;
use gix_glob::wildmatch::Mode;

use crate::wild::{GAP, plain_bytes};

/// What a path rule governs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathAccess {
    /// `Read(...)`: every Read effect.
    Read,
    /// `Edit(...)`: every Write effect.
    Edit,
}

/// What the pattern hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathAnchor {
    /// The root of the file system.
    Root,
    /// The user's home.
    Home,
    /// The folder that belongs to the rule's source.
    Source,
    /// The agent's folder.
    Folder,
}

/// How far below its anchor a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathDepth {
    /// Right below it.
    Anchored,
    /// At any depth: a name without a slash.
    Any,
    /// `dir/**` with one name: right below it in an allow, at any depth in a deny or ask.
    AnyInDenies,
}

/// What a pattern matches when it matches a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Names {
    /// Whatever has the name.
    Anything,
    /// What lies in a folder of that name: the pattern ends in a slash.
    Folders,
}

/// The paths that a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    pub(crate) anchor: PathAnchor,
    /// How many folders above its anchor it begins (`../x`).
    pub(crate) up: usize,
    pub(crate) depth: PathDepth,
    /// The pattern below its anchor, without a slash at either end. Empty for the anchor itself.
    pub(crate) glob: Box<str>,
    /// What it matches.
    pub(crate) names: Names,
}

impl PathPattern {
    /// Reads the text between the parentheses; `None` when no path can match it.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.starts_with('!') {
            return None;
        }
        // As a shell would read it.
        let home = ["~", "$HOME", "${HOME}"];
        let below_home = home.iter().find_map(|home| {
            let rest = text.strip_prefix(home)?;
            if rest.is_empty() {
                Some("")
            } else {
                rest.strip_prefix('/')
            }
        });
        let (anchor, rest) = if let Some(rest) = below_home {
            (PathAnchor::Home, rest)
        } else if let Some(rest) = text.strip_prefix("//") {
            (PathAnchor::Root, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (PathAnchor::Source, rest)
        } else {
            (PathAnchor::Folder, text)
        };
        let dotted = rest.starts_with("./");
        let (up, segments) = walk(rest)?;
        let names = if rest.ends_with('/') && !segments.is_empty() {
            Names::Folders
        } else {
            Names::Anything
        };
        let relative = anchor == PathAnchor::Folder && up == 0;
        let (depth, glob) = match &*segments {
            [name] if relative && !dotted && *name != "**" => (PathDepth::Any, escaped(name)),
            ["**", name] if *name != "**" => (PathDepth::Any, escaped(name)),
            [name, "**"] if relative && *name != "**" => {
                (PathDepth::AnyInDenies, format!("{}/**", escaped(name)))
            }
            all => (
                PathDepth::Anchored,
                all.iter()
                    .map(|it| escaped(it))
                    .collect::<Vec<_>>()
                    .join("/"),
            ),
        };
        Some(Self {
            anchor,
            up,
            depth,
            glob: glob.into(),
            names,
        })
    }

    /// Whether it is for every path below its anchor.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(&*self.glob, "**" | "*")
    }

    /// The names below the anchor that everything it matches lies in; none for patterns of any depth.
    pub(crate) fn literal_segments(&self) -> impl Iterator<Item = &str> {
        let anchored = self.depth != PathDepth::Any;
        self.glob
            .split('/')
            .filter(move |_| anchored)
            .take_while(|segment| !segment.is_empty() && !segment.contains(['*', '?', '[', '\\']))
    }
}

/// Walks a pattern's segments: how many folders it goes up first, and what is left.
fn walk(text: &str) -> Option<(usize, Vec<&str>)> {
    let mut up = 0;
    let mut segments: Vec<&str> = Vec::new();
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => match segments.pop() {
                None => up += 1,
                Some(gone) if gone.contains(['*', '?', '[']) => return None,
                Some(_) => {}
            },
            plain => segments.push(plain),
        }
    }
    Some((up, segments))
}

/// A bracket that is never closed stands for itself.
fn escaped(segment: &str) -> String {
    match segment.rfind('[') {
        Some(at) if !segment.get(at..).is_some_and(|rest| rest.contains(']')) => {
            segment.replace('[', "\\[")
        }
        _ => segment.into(),
    }
}

/// Whether a glob matches a path below its anchor, or a folder on the way to it.
pub(crate) fn covers(glob: &str, path: &str, names: Names) -> bool {
    let mode = Mode::NO_MATCH_SLASH_LITERAL;
    let hits = |part: &str| {
        gix_glob::wildmatch(glob.as_bytes().as_bstr(), part.as_bytes().as_bstr(), mode)
    };
    if names == Names::Anything && hits(path) {
        return true;
    }
    path.match_indices('/')
        .any(|(at, _)| path.get(..at).is_some_and(hits))
}

/// A glob as a text with gaps: at least what it matches, whoever reads it.
pub(crate) fn with_gaps(glob: &str) -> Vec<u8> {
    let bytes: Vec<u8> = plain_bytes(glob).collect();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let of_segment = || rest.iter().take_while(|byte| **byte != b'/').count();
        at += 1;
        match byte {
            // A list of patterns, for shells that know such.
            b'*' | b'?' | b'+' | b'@' | b'!' if rest.first() == Some(&b'(') => {
                out.push(GAP);
                at += of_segment();
            }
            b'*' | b'?' => out.push(GAP),
            b'[' => {
                out.push(GAP);
                // Where a class ends that holds more than letters is read in several ways.
                at += certain_class(rest).unwrap_or_else(of_segment);
            }
            b'\\' => {
                out.extend(rest.first());
                at += 1;
            }
            plain => out.push(plain),
        }
    }
    out
}

/// How many bytes of `rest`, which stands behind a `[`, belong to a class that every shell and every matcher reads alike:
/// plain signs, with ranges among letters or digits of one kind; all but these behind a `!` (`^` is a sign like another
/// to some shells).
fn certain_class(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().position(|byte| *byte == b']')?;
    let inner = rest.get(..end)?;
    let mut inner = inner.strip_prefix(b"!").unwrap_or(inner);
    if inner.is_empty() {
        return None;
    }
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    loop {
        inner = match inner {
            [] => return Some(end + 1),
            [from, b'-', to, more @ ..] if kind(*from)? == kind(*to)? && from <= to => more,
            [b'-', ..] | [_, b'-', ..] => return None,
            [b'[' | b'\\' | b'/' | b'!' | b'^', ..] => return None,
            [b' '..=b'~', more @ ..] => more,
            _ => return None,
        };
    }
}

/// So many stars a pattern may have before matchers give up on it.
const STARS_MAX: usize = 16;

/// Whether every shell and the matcher here read the pattern alike, so that what does not match it here does not match it
/// there: plain ASCII with stars, question marks and plain classes. Named and equivalence classes, ranges over signs and
/// escapes are left to the shell. Where one is told to take `^`, `~` and `#` for "all but" and "often", its whole text is
/// one that nobody knows.
pub(crate) fn is_certain(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    let mut stars = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        at += 1;
        match byte {
            b'\\' | b'(' | b'{' => return false,
            b'*' => stars += 1,
            b'[' => match certain_class(rest) {
                Some(length) => at += length,
                None => return false,
            },
            b' '..=b'~' => {}
            _ => return false,
        }
    }
    stars <= STARS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap is told as `?`.
    #[track_caller]
    fn gaps(glob: &str, expect: &str) {
        let told: String = with_gaps(glob)
            .into_iter()
            .map(|byte| if byte == GAP { '?' } else { char::from(byte) })
            .collect();
        assert_eq!(told, expect, "{glob}");
    }

    #[test]
    fn what_a_pattern_leaves_open_ends_where_it_surely_does() {
        gaps("a/b.txt", "a/b.txt");
        gaps("a*b?c", "a?b?c");
        gaps("x/[ab]c/d", "x/?c/d");
        gaps("x[a-c]y[!0-9]z", "x?y?z");
        // Where such a class ends is read in several ways: it may be all of the name.
        gaps("x[a/b]c/d", "x?/b]c/d");
        gaps("x[[:alpha:]]c/d", "x?/d");
        // Nor is it known of a list of patterns.
        gaps("ab@(c|d)e/f", "ab?/f");
        gaps("ab/c+(d)e/f/g", "ab/c?/f/g");
        gaps("a\\*b", "a*b");
    }

    #[test]
    fn a_pattern_is_certain_that_everybody_reads_alike() {
        for pattern in [
            "", "a*.rs", "a?b", "[ab]c", "x[a-c]", "[ab][cd]", "abc[!x]*",
        ] {
            assert!(is_certain(pattern), "{pattern}");
        }
        for pattern in [
            "a\\*",
            "@(a)",
            "{a,b}",
            "[[:alpha:]]",
            "[a",
            "[ab][",
            "ab[cd][e",
            "ä",
            "[^a]",
        ] {
            assert!(!is_certain(pattern), "{pattern}");
        }
        assert!(is_certain(&"*".repeat(STARS_MAX)));
        assert!(!is_certain(&"*".repeat(STARS_MAX + 1)));
    }
}
