//! What git says about a project, read from its files: which checkout a worktree belongs to, and
//! whether the local settings are checked in, so that they are not the person's own word.

use bstr::ByteSlice as _;
use pointsman_model::AbsPath;

use super::files::SettingsFiles;
use super::place::{Author, LOCAL};

/// The main checkout of which `project` is a worktree; the project itself when it is none, or when
/// the two don't name each other (a folder that merely claims to be a worktree of a trusted project
/// gets nothing from it).
#[must_use]
pub fn main_checkout(project: &AbsPath, files: &dyn SettingsFiles) -> AbsPath {
    worktree(project, files).map_or_else(|| project.clone(), |worktree| worktree.main)
}

/// What a worktree's own git folder says.
struct Worktree {
    main: AbsPath,
    git: AbsPath,
}

fn worktree(project: &AbsPath, files: &dyn SettingsFiles) -> Option<Worktree> {
    let pointer = project.join(".git");
    let git = project.join(text(&pointer, files)?.strip_prefix("gitdir:")?.trim());
    let common = git.join(text(&git.join("commondir"), files)?.trim());
    let back = git.join(text(&git.join("gitdir"), files)?.trim());
    let main = common.parent()?;
    (back == pointer && common.name() == Some(".git")).then_some(Worktree { main, git })
}

fn text(path: &AbsPath, files: &dyn SettingsFiles) -> Option<String> {
    String::from_utf8(files.read(path).ok()??).ok()
}

/// Whose word the local settings below `root` are: the person's own, unless they are checked in or
/// their folder is a link, so that the project decides what they say.
pub(super) fn author_of_local(root: &AbsPath, files: &dyn SettingsFiles) -> Author {
    if matches!(files.read(&root.join(LOCAL)), Ok(None)) {
        return Author::Person;
    }
    let linked = files.is_link(&root.join(".claude")) || files.is_link(&root.join(LOCAL));
    if linked || is_checked_in(root, files) {
        Author::Project
    } else {
        Author::Person
    }
}

/// Whether git's index holds the local settings; the index may lie in a folder above.
fn is_checked_in(root: &AbsPath, files: &dyn SettingsFiles) -> bool {
    let mut next = Some(root.clone());
    while let Some(folder) = next {
        let index = match worktree(&folder, files) {
            Some(worktree) => worktree.git.join("index"),
            None => folder.join(".git/index"),
        };
        match files.read(&index) {
            Ok(None) => {}
            Ok(Some(bytes)) => return holds_local(&bytes),
            Err(_) => return true,
        }
        next = folder.parent();
    }
    false
}

/// An index whose paths are stored in parts (version 4), or that is no index, holds them for all we
/// know.
fn holds_local(index: &[u8]) -> bool {
    let whole_paths = index.starts_with(b"DIRC\0\0\0\x02") || index.starts_with(b"DIRC\0\0\0\x03");
    !whole_paths || index.contains_str([LOCAL.as_bytes(), b"\0"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MemoryFiles;

    fn path(text: &str) -> AbsPath {
        AbsPath::parse(text).unwrap()
    }

    fn linked_worktree(back: &str) -> MemoryFiles {
        MemoryFiles::new()
            .with(
                path("/w/tree/.git"),
                "gitdir: /w/main/.git/worktrees/tree\n",
            )
            .with(path("/w/main/.git/worktrees/tree/commondir"), "../..\n")
            .with(path("/w/main/.git/worktrees/tree/gitdir"), back)
    }

    #[test]
    fn a_worktree_knows_its_main_checkout() {
        let files = linked_worktree("/w/tree/.git\n");
        assert_eq!(main_checkout(&path("/w/tree"), &files), path("/w/main"));
        assert_eq!(main_checkout(&path("/w/main"), &files), path("/w/main"));
    }

    #[test]
    fn a_folder_that_only_claims_to_be_a_worktree_stands_alone() {
        let files = linked_worktree("/w/other/.git\n");
        assert_eq!(main_checkout(&path("/w/tree"), &files), path("/w/tree"));
    }

    #[track_caller]
    fn check_index(index: Option<&[u8]>, expect: Author) {
        let mut files = MemoryFiles::new().with(path("/w/.claude/settings.local.json"), "{}");
        if let Some(index) = index {
            files = files.with(path("/w/.git/index"), index);
        }
        assert_eq!(author_of_local(&path("/w"), &files), expect);
    }

    #[test]
    fn local_settings_in_the_index_are_the_projects_word() {
        check_index(None, Author::Person);
        check_index(Some(b"DIRC\0\0\0\x02..src/main.rs\0"), Author::Person);
        check_index(
            Some(b"DIRC\0\0\0\x02...claude/settings.local.json\0"),
            Author::Project,
        );
        check_index(Some(b"DIRC\0\0\0\x04anything"), Author::Project);
        check_index(Some(b"half"), Author::Project);
        check_index(
            Some(b"DIRC\0\0\0\x03../sub/.claude/settings.local.json\0"),
            Author::Project,
        );
    }

    #[test]
    fn local_settings_behind_a_link_are_the_projects_word() {
        let files = MemoryFiles::new()
            .with(path("/w/.claude/settings.local.json"), "{}")
            .with_link(path("/w/.claude"));
        assert_eq!(author_of_local(&path("/w"), &files), Author::Project);
    }
}
