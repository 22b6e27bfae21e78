//! The readers that run without a rule.
//!
//! The other tables tell what a program reads and changes; this list says which of those that only read people
//! expect to run unasked: what Claude Code documents as its read-only commands, what other agents
//! agree on, and the siblings of those in coreutils. A program that is only asked what it is (`node --version`) needs no
//! entry here. Everything else is a program like any other, however harmless: many a lister is found in the project's own
//! folders (`tsc`, `tokei`) or runs what the project configures (`mvn`, `pnpm`, `rustc`).

/// Sorted, for people.
pub(super) const RUN_UNASKED: [&str; 94] = [
    "[",
    "arch",
    "awk",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "cal",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "docker",
    "du",
    "egrep",
    "expand",
    "expr",
    "fd",
    "fdfind",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "free",
    "gawk",
    "getconf",
    "gh",
    "git",
    "grep",
    "groups",
    "head",
    "hexdump",
    "hostname",
    "id",
    "ifconfig",
    "ip",
    "join",
    "jq",
    "kubectl",
    "locale",
    "ls",
    "lsof",
    "man",
    "mawk",
    "md5sum",
    "netstat",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pgrep",
    "pr",
    "ps",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sed",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "sleep",
    "sort",
    "ss",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "tee",
    "test",
    "tput",
    "tr",
    "tree",
    "tsort",
    "uname",
    "unexpand",
    "uniq",
    "uptime",
    "wc",
    "which",
    "whoami",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::known::of;

    #[test]
    fn the_list_is_sorted() {
        assert!(RUN_UNASKED.is_sorted());
        assert!(of("cat").unasked && !of("tokei").unasked);
    }
}
