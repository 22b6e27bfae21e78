//! Programs that put what they are fed into files, and those that write files without anything new in them.

use super::last_name;
use crate::field::Field;
use crate::walk::{Called, is_input};

/// How a program puts what it is fed into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Whole,
    /// Behind what the file holds.
    Behind,
    /// A part of it, or over a part of what the file holds.
    InParts,
}

/// How the command keeps its input in the files that it writes, if it does.
pub(crate) fn keeps_input(called: &Called<'_>) -> Option<Kept> {
    let args = called.args();
    let has = |option: &str| args.iter().any(|field| field.is(option));
    match last_name(called.program()?) {
        "tee" if has("-a") || has("--append") || !args.iter().all(is_plain) => Some(Kept::Behind),
        "sponge" if has("-a") => Some(Kept::Behind),
        "tee" | "sponge" => Some(Kept::Whole),
        "dd" => {
            let other =
                |field: &Field| field.prefix().starts_with("if=") && !is_input(&field.tail(3));
            let whole = |field: &Field| {
                let names = ["if=", "of=", "bs=", "status="];
                names.iter().any(|name| field.prefix().starts_with(name))
            };
            match args.iter().all(whole) {
                _ if args.iter().any(other) => None,
                true => Some(Kept::Whole),
                false => Some(Kept::InParts),
            }
        }
        "cp" | "mv" | "install" | "gcp" | "gmv" => args.iter().any(is_input).then_some(Kept::Whole),
        _ => None,
    }
}

fn is_plain(field: &Field) -> bool {
    !field.may_be_option()
        || field
            .text()
            .is_some_and(|text| matches!(text, "-i" | "-p" | "--"))
}

/// Whether the text that the command puts into files comes of its arguments, or of other files in another form.
pub(crate) fn makes_text(called: &Called<'_>) -> bool {
    matches!(
        last_name(called.program().unwrap_or("")),
        "find"
            | "shuf"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
            | "split"
            | "csplit"
            | "sort"
            | "uniq"
            | "iconv"
            | "xxd"
            | "uudecode"
            | "base64"
            | "openssl"
            | "gpg"
            | "gpg2"
            | "age"
            | "rage"
            | "sops"
            | "ansible-vault"
            | "xz"
            | "zstd"
            | "lz4"
            | "brotli"
            | "envsubst"
            | "gomplate"
            | "jinja2"
            | "m4"
    )
}

/// Whether what the command writes is empty, or a copy of files that is told as one; or a program that it builds from
/// sources, which are looked at by those who run them.
pub(crate) fn puts_nothing_new(called: &Called<'_>) -> bool {
    let name = last_name(called.program().unwrap_or(""));
    matches!(
        name,
        "mkdir"
            | "touch"
            | "mktemp"
            | "mkfifo"
            | "mknod"
            | "truncate"
            | "fallocate"
            | "cp"
            | "mv"
            | "install"
            | "gcp"
            | "gmv"
            | "ln"
            | "link"
            | "dd"
            | "cc"
            | "gcc"
            | "g++"
            | "c++"
            | "clang"
            | "clang++"
            | "tcc"
            | "rustc"
            | "go"
            | "ld"
            | "as"
            | "nasm"
            | "ghc"
            | "swiftc"
            | "zig"
            | "javac"
            | "tar"
            | "zip"
            | "unzip"
    )
}
