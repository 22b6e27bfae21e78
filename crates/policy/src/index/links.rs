//! Other names of a file: a deny or ask on one of them holds for all.

use pointsman_model::AbsPath;

use super::moved::begins;
use super::paths::AnchoredPath;
use crate::subject::{Below, Look, look_below};
use crate::{EntryKind, FileId, Tree};

/// So many entries below a rule's folder are looked at for another name of a file. A rule whose files lie deeper in more
/// than these is not one that names a file.
const ENTRIES_MAX: usize = 5_000;

/// Whether a name of the file that the rule covers is there.
pub(super) fn covers_another_name(at: &AnchoredPath, file: &FileId, tree: &dyn Tree) -> bool {
    let (base, _) = begins(&at.written, &at.spelled);
    let is = |path: &AbsPath| {
        at.covers(&crate::subject::lower(path)) && tree.file_id(path).as_ref() == Some(file)
    };
    if tree.kind(&base) != EntryKind::Folder {
        return is(&base);
    }
    let mut look = |path: &AbsPath| match is(path) {
        true => Look::Found,
        false => Look::GoOn,
    };
    look_below(&base, tree, ENTRIES_MAX, &mut look) == Below::Found
}
