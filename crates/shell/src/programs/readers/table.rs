//! The plain readers and their options, but for those of text.

use pointsman_model::Reach;

use super::super::Lists;
use super::{BASE, NONE, Operands, Reader};
use crate::options::Options;

pub(super) static READERS: [Reader; 25] = [
    Reader {
        names: &["head", "tail"],
        options: Options {
            short: "fFqvz0123456789",
            short_value: "cns",
            long: &[
                "follow",
                "quiet",
                "silent",
                "verbose",
                "retry",
                "zero-terminated",
            ],
            long_value: &[
                "bytes",
                "lines",
                "pid",
                "sleep-interval",
                "max-unchanged-stats",
            ],
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["wc"],
        options: Options {
            short: "clLmw",
            long: &["bytes", "chars", "lines", "words", "max-line-length"],
            long_value: &["files0-from", "total"],
            ..NONE
        },
        files: &["--files0-from"],
        ..BASE
    },
    Reader {
        names: &["ls", "dir", "vdir"],
        options: Options {
            short: "aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1",
            short_value: "ITw",
            long: &[
                "all",
                "almost-all",
                "recursive",
                "color",
                "human-readable",
                "reverse",
                "directory",
                "classify",
                "full-time",
                "group-directories-first",
                "inode",
                "size",
            ],
            long_value: &[
                "ignore",
                "hide",
                "sort",
                "time",
                "time-style",
                "format",
                "block-size",
                "width",
                "indicator-style",
                "quoting-style",
                "tabsize",
            ],
            ..NONE
        },
        deep: &["R", "--recursive"],
        lists: Lists::WhatItReads,
        ..BASE
    },
    Reader {
        names: &["du"],
        operands: Operands::Files(Reach::NamesBelow),
        options: Options {
            short: "0abcDhHklLmPsSx",
            short_value: "BdtX",
            long: &[
                "all",
                "apparent-size",
                "bytes",
                "total",
                "human-readable",
                "si",
                "summarize",
                "one-file-system",
                "null",
                "time",
            ],
            long_value: &[
                "block-size",
                "max-depth",
                "threshold",
                "exclude",
                "exclude-from",
                "files0-from",
                "time-style",
            ],
            ..NONE
        },
        files: &["X", "--exclude-from", "--files0-from"],
        ..BASE
    },
    Reader {
        names: &["stat", "readlink", "realpath"],
        options: Options {
            short: "efLmnqstzPfx",
            short_value: "c",
            long: &[
                "dereference",
                "file-system",
                "terse",
                "canonicalize",
                "canonicalize-existing",
                "canonicalize-missing",
                "no-newline",
                "zero",
                "quiet",
            ],
            long_value: &["format", "printf", "relative-to", "relative-base", "cached"],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["diff", "colordiff"],
        options: Options {
            short: "abBcdeEfHiNnpPqrstTuwyZl0123456789",
            short_value: "CDFIULSxXW",
            long: &[
                "brief",
                "recursive",
                "new-file",
                "unified",
                "context",
                "side-by-side",
                "ignore-all-space",
                "ignore-space-change",
                "ignore-blank-lines",
                "ignore-case",
                "text",
                "color",
                "minimal",
                "speed-large-files",
                "strip-trailing-cr",
                "suppress-common-lines",
                "report-identical-files",
                "no-dereference",
            ],
            long_value: &[
                "exclude",
                "exclude-from",
                "label",
                "ignore-matching-lines",
                "width",
                "show-function-line",
                "from-file",
                "to-file",
                "starting-file",
            ],
            ..NONE
        },
        files: &["X", "--exclude-from", "--from-file", "--to-file"],
        deep: &["r", "--recursive"],
        ..BASE
    },
    Reader {
        names: &["diff3"],
        options: Options {
            short: "aAeEimTvxX3",
            short_value: "L",
            long: &[
                "text",
                "show-all",
                "ed",
                "show-overlap",
                "easy-only",
                "overlap-only",
                "merge",
                "strip-trailing-cr",
                "initial-tab",
            ],
            long_value: &["label"],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["zcat", "bzcat", "xzcat", "zstdcat", "gzcat"],
        every_option: false,
        options: Options {
            short: "fqv",
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["readelf"],
        options: Options {
            short: "aABCdDefghilnopqrsStuvVwWxzTLPX",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["nm"],
        options: Options {
            short: "aABCdDefghilnopqrsStuvVwWxzTjP",
            short_value: "tX",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["size"],
        options: Options {
            short: "ABdfGotx",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["objdump"],
        options: Options {
            short: "aABCdDefghilnopqrsStuvVwWxzTF",
            short_value: "bEjmMP",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["file"],
        options: Options {
            short: "0bdEhiIklLnNprsSv",
            short_value: "eFP",
            long: &[
                "brief",
                "mime",
                "mime-type",
                "mime-encoding",
                "dereference",
                "no-dereference",
                "keep-going",
                "raw",
                "extension",
                "print0",
            ],
            long_value: &["exclude", "separator", "parameter"],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["tree"],
        operands: Operands::Files(Reach::NamesBelow),
        options: Options {
            short: "acCdDfFghilnNpqQrsStuUvxJX",
            short_value: "HILPT",
            long: &[
                "dirsfirst",
                "du",
                "si",
                "gitignore",
                "prune",
                "noreport",
                "inodes",
                "device",
                "matchdirs",
                "ignore-case",
                "nolinks",
                "metafirst",
                "info",
                "filesfirst",
            ],
            long_value: &["filelimit", "timefmt", "charset", "sort"],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &[
            "basename", "dirname", "seq", "sleep", "expr", "tr", "factor", "test", "[", "nproc",
            "arch", "logname", "tty", "locale", "cal", "ncal", "which", "whereis", "id", "groups",
            "whoami", "uname", "free", "uptime", "df", "tput", "w", "lscpu", "lsblk", "sw_vers",
            "command", "help",
        ],
        operands: Operands::Text,
        ..BASE
    },
    Reader {
        names: &["who", "users"],
        operands: Operands::Names,
        ..BASE
    },
    Reader {
        names: &[
            "pgrep", "pidof", "pstree", "vmstat", "iostat", "lsmod", "mpstat",
        ],
        operands: Operands::Text,
        ..BASE
    },
    Reader {
        names: &["lsb_release"],
        operands: Operands::Text,
        options: Options {
            short: "acdirs",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["ss", "netstat"],
        operands: Operands::Text,
        options: Options {
            short: "aeilmnoprstuvwx046HORSTZgc",
            short_value: "Af",
            long: &[
                "all",
                "listening",
                "numeric",
                "tcp",
                "udp",
                "processes",
                "summary",
                "no-header",
                "programs",
                "route",
                "statistics",
            ],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["man", "apropos", "whatis", "info"],
        operands: Operands::Names,
        options: Options {
            short: "afkw",
            short_value: "s",
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["cloc", "tokei", "scc"],
        operands: Operands::Files(Reach::NamesBelow),
        options: Options {
            long: &["by-file", "json", "quiet", "vcs"],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["getconf"],
        operands: Operands::Text,
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["ifconfig"],
        operands: Operands::None,
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["hostname", "dnsdomainname"],
        operands: Operands::None,
        options: Options {
            short: "adfiIsy",
            long: &[
                "all-fqdns",
                "alias",
                "domain",
                "fqdn",
                "long",
                "short",
                "ip-address",
                "all-ip-addresses",
            ],
            ..NONE
        },
        every_option: false,
        ..BASE
    },
    Reader {
        names: &["shuf"],
        options: Options {
            short: "erz",
            short_value: "in",
            long: &["echo", "repeat", "zero-terminated"],
            long_value: &["input-range", "head-count"],
            ..NONE
        },
        every_option: false,
        lists: Lists::WhatItIsFed,
        ..BASE
    },
];
