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
        let (anchor, rest) = if let Some(rest) = text.strip_prefix("//") {
            (PathAnchor::Root, rest)
        } else if text == "~" {
            (PathAnchor::Home, "")
        } else if let Some(rest) = text.strip_prefix("~/") {
            (PathAnchor::Home, rest)
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

/// A glob as a text with gaps: at least what it matches.
pub(crate) fn with_gaps(glob: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(glob.len());
    let mut bytes = plain_bytes(glob).peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' => out.push(GAP),
            b'[' => {
                // The first byte of a class may itself be `]`.
                bytes.next();
                while bytes.next().is_some_and(|inner| inner != b']') {}
                out.push(GAP);
            }
            b'\\' => out.extend(bytes.next()),
            plain => out.push(plain),
        }
    }
    out
}
