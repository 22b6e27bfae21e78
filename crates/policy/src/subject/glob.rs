//! What a shell pattern stands for now, and what lies below a folder; both with a bound.

use bstr::ByteSlice as _;
use gix_glob::wildmatch::Mode;
use pointsman_model::AbsPath;

use crate::rule::is_certain;
use crate::{EntryKind, Tree};

/// So many paths of one pattern are looked at; a pattern that stands for more is not known in full.
const EXPANDED_MAX: usize = 2_000;

/// So many entries below a folder are looked at before it counts as holding anything.
const BELOW_MAX: usize = 50_000;

/// What a pattern stands for.
pub(super) struct Expanded {
    /// The paths that match now.
    pub(super) paths: Vec<AbsPath>,
    /// Whether all that is not among these lies below one of them or of the base, and nothing above:
    /// `**` stands for folders of any depth, or for one name.
    pub(super) complete: bool,
}

/// Looks up a shell pattern below `base`.
pub(super) fn expand(base: &AbsPath, glob: &str, tree: &dyn Tree) -> Expanded {
    let mut paths = vec![base.clone()];
    let mut complete = !glob.contains(['(', '{']);
    for segment in glob.split('/').filter(|segment| !segment.is_empty()) {
        if segment == ".." {
            complete = false;
        }
        let mut next = Vec::new();
        for path in &paths {
            if !segment.contains(['*', '?', '[', '\\']) {
                next.push(path.join(segment));
                continue;
            }
            let names = tree.list(path, EXPANDED_MAX).unwrap_or_default();
            complete &= names.len() < EXPANDED_MAX && reads_alike(segment, &names);
            let hits = |name: &String| {
                (!name.starts_with('.') || segment.starts_with('.'))
                    && gix_glob::wildmatch(
                        segment.as_bytes().as_bstr(),
                        name.as_bytes().as_bstr(),
                        Mode::NO_MATCH_SLASH_LITERAL,
                    )
            };
            next.extend(
                names
                    .iter()
                    .filter(|name| hits(name))
                    .map(|name| path.join(name)),
            );
        }
        if next.len() > EXPANDED_MAX {
            next.truncate(EXPANDED_MAX);
            complete = false;
        }
        paths = next;
    }
    Expanded { paths, complete }
}

/// Whether the shell finds the same among these names as is found here. What one letter is depends on its locale.
fn reads_alike(pattern: &str, names: &[impl AsRef<str>]) -> bool {
    let counts_letters = pattern.contains(['?', '[']);
    let all_plain = || names.iter().all(|name| name.as_ref().is_ascii());
    is_certain(pattern) && (!counts_letters || all_plain())
}

/// Whether a name matches one of a shell pattern's, or may.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    !reads_alike(pattern, &[name])
        || gix_glob::wildmatch(
            pattern.as_bytes().as_bstr(),
            name.as_bytes().as_bstr(),
            Mode::NO_MATCH_SLASH_LITERAL,
        )
}

/// Whether something below `folder` is such; also when there is too much below it to look at all of it. Links are
/// not followed.
pub(crate) fn any_below(
    folder: &AbsPath,
    tree: &dyn Tree,
    is: &mut dyn FnMut(&AbsPath) -> bool,
) -> bool {
    let mut look = |path: &AbsPath| match is(path) {
        true => Look::Found,
        false => Look::GoOn,
    };
    look_below(folder, tree, BELOW_MAX, &mut look) != Below::Nothing
}

/// What one entry is to whoever looks for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is that.
    Found,
    /// It is not; what lies below it may be.
    GoOn,
    /// Neither it nor what lies below it is.
    Past,
}

/// What a look at all below a folder came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Below {
    /// Something there is such.
    Found,
    /// Nothing is.
    Nothing,
    /// There is more than was looked at, and nothing of that is.
    TooMuch,
}

/// Looks whether something below `folder` is such, at `entries_max` entries at most. Links are not followed.
pub(crate) fn look_below(
    folder: &AbsPath,
    tree: &dyn Tree,
    entries_max: usize,
    look: &mut dyn FnMut(&AbsPath) -> Look,
) -> Below {
    let mut looked_at = 0;
    let mut open = vec![folder.clone()];
    while let Some(here) = open.pop() {
        let Some(names) = tree.list(&here, entries_max) else {
            continue;
        };
        for name in names {
            looked_at += 1;
            if looked_at > entries_max {
                return Below::TooMuch;
            }
            let path = here.join(&name);
            match look(&path) {
                Look::Found => return Below::Found,
                Look::GoOn => {}
                Look::Past => continue,
            }
            let linked = tree.hops(&path).len() > 1;
            if !linked && tree.kind(&path) == EntryKind::Folder {
                open.push(path);
            }
        }
    }
    Below::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaseTree;
    use crate::sample::path;

    #[test]
    fn a_look_ends_where_there_is_more_than_it_may_look_at() {
        let mut tree = CaseTree::new();
        for file in ["/w/a", "/w/b/c", "/w/b/d", "/w/b/e/f"] {
            tree.add_file(&path(file), "");
        }
        tree.add_link(&path("/w/link"), "/elsewhere");
        tree.add_file(&path("/elsewhere/x"), "");
        let below = |entries_max: usize, wanted: &str, past: &str| {
            let mut look = |at: &AbsPath| match at.as_str() {
                at if at == wanted => Look::Found,
                at if at == past => Look::Past,
                _ => Look::GoOn,
            };
            look_below(&path("/w"), &tree, entries_max, &mut look)
        };
        // Seven entries: the link is one, and what it leads to is none.
        assert_eq!(below(7, "", ""), Below::Nothing);
        assert_eq!(below(6, "", ""), Below::TooMuch);
        assert_eq!(below(7, "/w/b/e/f", ""), Below::Found);
        assert_eq!(below(7, "/elsewhere/x", ""), Below::Nothing);
        assert_eq!(below(3, "/w/b/e/f", "/w/b"), Below::Nothing);
    }
}
