//! Readers of lines, columns and bytes. Each program has a table of its own: what is a switch to one takes a value
//! in another, and a file that stands there would not be seen. Where systems differ it is a switch.

use super::super::Lists;
use super::{BASE, NONE, Reader};
use crate::options::Options;

pub(super) static READERS: [Reader; 18] = [
    Reader {
        names: &["cat", "rev"],
        options: Options {
            short: "AbeEnstTuv",
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["tac"],
        options: Options {
            short: "br",
            short_value: "s",
            long_value: &["separator"],
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["nl"],
        options: Options {
            short: "p",
            short_value: "bdfhilnsvw",
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["expand", "unexpand"],
        options: Options {
            short: "ai",
            short_value: "t",
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["fold"],
        options: Options {
            short: "bs",
            short_value: "w",
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["fmt"],
        options: Options {
            short: "cstu",
            short_value: "gpw",
            ..NONE
        },
        lists: Lists::WhatItIsFed,
        ..BASE
    },
    Reader {
        names: &["cut"],
        options: Options {
            short: "nsz",
            short_value: "bcdf",
            long: &["only-delimited", "complement", "zero-terminated"],
            long_value: &[
                "bytes",
                "characters",
                "delimiter",
                "fields",
                "output-delimiter",
            ],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["paste"],
        options: Options {
            short: "sz",
            short_value: "d",
            long_value: &["delimiters"],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["column"],
        options: Options {
            short: "deJLntxV",
            short_value: "cEHilNoOprRsTW",
            long: &["table", "json"],
            long_value: &[
                "output-separator",
                "output-width",
                "separator",
                "table-columns",
                "table-name",
                "table-right",
            ],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["comm"],
        options: Options {
            short: "123iz",
            long_value: &["output-delimiter"],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["join"],
        options: Options {
            short: "iz",
            short_value: "aejotv12",
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["cmp"],
        options: Options {
            short: "blsv",
            short_value: "in",
            long_value: &["bytes"],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["numfmt"],
        options: Options {
            short: "z",
            short_value: "d",
            long_value: &[
                "delimiter",
                "field",
                "format",
                "from",
                "from-unit",
                "invalid",
                "padding",
                "round",
                "suffix",
                "to",
                "to-unit",
            ],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["pr"],
        options: Options {
            short: "0123456789acdfFJmprtTv",
            short_value: "DhlNowW",
            short_glued: "einsS",
            long_value: &[
                "columns",
                "date-format",
                "first-line-number",
                "header",
                "indent",
                "length",
                "page-width",
                "width",
            ],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["od"],
        options: Options {
            short: "aBbcDdeFfHhIiLlOosvXx",
            short_value: "AjNSt",
            short_glued: "w",
            long_value: &[
                "address-radix",
                "endian",
                "format",
                "read-bytes",
                "skip-bytes",
            ],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["strings"],
        options: Options {
            short: "0123456789adfowvV",
            short_value: "entTU",
            long_value: &["bytes", "encoding", "radix"],
            ..NONE
        },
        ..BASE
    },
    Reader {
        names: &["hexdump"],
        options: Options {
            short: "bcCdovxX",
            short_value: "efns",
            short_glued: "L",
            long_value: &["format", "format-file", "length", "skip"],
            ..NONE
        },
        files: &["f", "--format-file"],
        ..BASE
    },
    Reader {
        names: &[
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "sum",
            "shasum",
            "tsort",
            "base64",
            "base32",
            "basenc",
            "xxhsum",
            "md5",
        ],
        options: Options {
            // Behind `-a`, `-l` and `-w` a name or a number stands: read as a file, it is none.
            short: "abcdDilnoqrstUwxz0",
            long_value: &["wrap", "algorithm", "length"],
            ..NONE
        },
        ..BASE
    },
];
