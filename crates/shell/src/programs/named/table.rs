//! The options that name files, by program.

mod build;
mod convert;
mod send;
mod talk;

/// What the operands of a program are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operands {
    /// Nothing that is told here.
    None,
    /// Files that it reads.
    Read,
    /// Folders that it shows to others with all that is in them; none for the one it runs in.
    Tree,
    /// The folder that it packs or sends, the one it runs in when none is named.
    Folder,
    /// Folders and files among other things, by the look of their names: `.`, `./x`, `../y`, `/z`.
    Places,
    /// Folders and files that it takes along with all that is in them.
    Carried,
    /// Files that it changes.
    Write,
    /// The last one is a file that it changes.
    WriteLast,
    /// Files that it reads, and the place where it puts them.
    CopyToLast,
    /// Archives, whose content it puts into the folder it runs in.
    Unpack,
}

/// Options of some programs.
#[derive(Debug)]
pub(in crate::programs) struct Named {
    pub(in crate::programs) names: &'static [&'static str],
    /// Words of which one must be among the arguments; none for all forms of the program.
    pub(super) within: &'static [&'static str],
    pub(super) reads: &'static [&'static str],
    /// Options that name folders, of which it reads all that is in them.
    pub(super) trees: &'static [&'static str],
    pub(super) writes: &'static [&'static str],
    pub(super) operands: Operands,
}

const BASE: Named = Named {
    names: &[],
    within: &[],
    reads: &[],
    trees: &[],
    writes: &[],
    operands: Operands::None,
};

const fn options(
    names: &'static [&'static str],
    reads: &'static [&'static str],
    writes: &'static [&'static str],
) -> Named {
    Named {
        names,
        reads,
        writes,
        ..BASE
    }
}

const fn trees(names: &'static [&'static str], trees: &'static [&'static str]) -> Named {
    Named {
        names,
        trees,
        ..BASE
    }
}

const fn operands(names: &'static [&'static str], operands: Operands) -> Named {
    Named {
        names,
        operands,
        ..BASE
    }
}

const fn within(words: &'static [&'static str], named: Named) -> Named {
    Named {
        within: words,
        ..named
    }
}

/// All of them.
pub(in crate::programs) fn named() -> impl Iterator<Item = &'static Named> {
    [build::NAMED, convert::NAMED, send::NAMED, talk::NAMED]
        .into_iter()
        .flatten()
}
