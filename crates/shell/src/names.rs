//! Tables by the names of programs: one look-up instead of a walk over all entries.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// An index over tables whose entries say which programs they are for.
pub(crate) type ByName<T> = LazyLock<FxHashMap<&'static str, T>>;

/// The entries by name, the first one that a name has.
pub(crate) fn first<T>(
    entries: impl Iterator<Item = &'static T>,
    names: impl Fn(&'static T) -> &'static [&'static str],
) -> FxHashMap<&'static str, &'static T> {
    let mut index: FxHashMap<&str, &T> = FxHashMap::default();
    for entry in entries {
        for name in names(entry) {
            index.entry(name).or_insert(entry);
        }
    }
    index
}
