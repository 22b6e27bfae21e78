//! Programs that are asked what they are: `rm --help`, `gcc --version`.
//!
//! Such a form does nothing else. Only programs are told here that no folder of the project stands in for, and that look at none of
//! its files first: the project says which compiler `cargo --version` starts, where `npm --version` writes
//! its log, and which code `yarn --version` loads.

use crate::walk::Called;

/// Sorted; looked through by halves.
static SYSTEM: [&str; 142] = [
    "ar",
    "as",
    "awk",
    "aws",
    "base64",
    "basename",
    "bash",
    "bzip2",
    "c++",
    "cat",
    "cc",
    "chgrp",
    "chmod",
    "chown",
    "clang",
    "clang++",
    "cmake",
    "cp",
    "csplit",
    "curl",
    "cut",
    "date",
    "dd",
    "df",
    "diff",
    "dirname",
    "docker",
    "du",
    "egrep",
    "emacs",
    "env",
    "fd",
    "fdfind",
    "ffmpeg",
    "ffprobe",
    "fgrep",
    "file",
    "find",
    "fish",
    "g++",
    "gawk",
    "gcc",
    "gdb",
    "gh",
    "git",
    "gmake",
    "gpg",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "hostname",
    "id",
    "install",
    "java",
    "javac",
    "journalctl",
    "jq",
    "ksh",
    "ld",
    "less",
    "ln",
    "ls",
    "ltrace",
    "lua",
    "make",
    "man",
    "mawk",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mknod",
    "mktemp",
    "mv",
    "mysql",
    "nano",
    "nice",
    "ninja",
    "nm",
    "node",
    "nohup",
    "nvim",
    "objdump",
    "od",
    "openssl",
    "pandoc",
    "patch",
    "perl",
    "php",
    "podman",
    "ps",
    "psql",
    "python",
    "python3",
    "readelf",
    "readlink",
    "realpath",
    "redis-cli",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "screen",
    "sed",
    "seq",
    "sha1sum",
    "sha256sum",
    "shred",
    "sleep",
    "sort",
    "split",
    "sqlite3",
    "ssh",
    "stat",
    "stdbuf",
    "strace",
    "strip",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "timeout",
    "tmux",
    "touch",
    "tr",
    "tree",
    "truncate",
    "uname",
    "uniq",
    "unzip",
    "valgrind",
    "vim",
    "watch",
    "wc",
    "wget",
    "which",
    "xargs",
    "xxd",
    "xz",
    "zip",
    "zsh",
    "zstd",
];

/// Whether the command only asks the program what it is.
pub(crate) fn asks_about_itself(called: &Called<'_>, name: &str) -> bool {
    let [only] = called.args() else {
        return false;
    };
    let Some(text) = only.text() else {
        return false;
    };
    match text {
        "--version" => SYSTEM.binary_search(&name).is_ok(),
        "--help" => !pages(name) && SYSTEM.binary_search(&name).is_ok(),
        "-v" => matches!(name, "node" | "perl" | "php"),
        "-V" => matches!(name, "python" | "python3" | "ssh" | "tmux"),
        "-version" => matches!(name, "ffmpeg" | "ffprobe"),
        "version" => matches!(name, "openssl" | "docker" | "podman"),
        _ => false,
    }
}

/// Whether the program hands its help to a viewer of the person's choice (`$PAGER` and the like), or, as
/// `aws`, to a formatter too.
fn pages(name: &str) -> bool {
    matches!(name, "aws" | "fish" | "git" | "journalctl" | "systemctl")
}

#[cfg(test)]
mod tests {
    use super::SYSTEM;

    #[test]
    fn the_list_is_sorted() {
        assert!(SYSTEM.is_sorted());
    }
}
