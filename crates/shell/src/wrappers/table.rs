//! Wrappers whose command line is their operands.

use crate::names::{self, ByName};
use crate::options::Options;

/// How far a wrapper steps aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Changes nothing of what runs behind it but time, priority or output.
    Plain,
    /// No prefix rule may cover it.
    Loud,
    /// A program like others: a rule for it covers what it starts.
    Runner,
    /// No prefix rule may cover it, and what it runs is its own program of that name.
    Applets,
}

/// A wrapper.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) names: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) options: Options,
    /// Operands in front of the command.
    pub(super) skip: usize,
    /// `NAME=value` may stand in front of the command.
    pub(super) assigns: bool,
    /// `-10` may stand first.
    pub(super) numbers: bool,
    /// `-c TEXT` may stand in the command's place.
    pub(super) script_flag: bool,
    /// The command runs in another place or as another user.
    pub(super) elsewhere: bool,
    /// The command runs in the shell itself.
    pub(super) in_shell: bool,
}

const NONE: Options = Options {
    short: "",
    short_value: "",
    short_glued: "",
    long: &[],
    long_value: &[],
};

const BASE: Entry = Entry {
    names: &[],
    kind: Kind::Loud,
    options: NONE,
    skip: 0,
    assigns: false,
    numbers: false,
    script_flag: false,
    elsewhere: false,
    in_shell: false,
};

static BY_NAME: ByName<&Entry> = ByName::new(|| names::first(ENTRIES.iter(), |entry| entry.names));

/// The wrapper of that name.
pub(super) fn find(name: &str) -> Option<&'static Entry> {
    BY_NAME.get(name).copied()
}

static ENTRIES: [Entry; 38] = [
    Entry {
        names: &["command"],
        kind: Kind::Plain,
        options: Options { short: "p", ..NONE },
        in_shell: true,
        ..BASE
    },
    Entry {
        names: &["builtin", "noglob", "nocorrect"],
        kind: Kind::Plain,
        in_shell: true,
        ..BASE
    },
    Entry {
        // `repeat 2 command`, a word of zsh.
        names: &["repeat"],
        skip: 1,
        in_shell: true,
        ..BASE
    },
    Entry {
        // Commands of zsh, with a name for the terminal and with a time in front.
        names: &["zpty"],
        options: Options {
            short: "be",
            ..NONE
        },
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["sched"],
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["nohup"],
        kind: Kind::Plain,
        ..BASE
    },
    Entry {
        names: &["timeout", "gtimeout"],
        kind: Kind::Plain,
        options: Options {
            short: "vpf",
            short_value: "ks",
            long: &["preserve-status", "foreground", "verbose"],
            long_value: &["kill-after", "signal"],
            ..NONE
        },
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["nice"],
        kind: Kind::Plain,
        options: Options {
            short_value: "n",
            long_value: &["adjustment"],
            ..NONE
        },
        numbers: true,
        ..BASE
    },
    Entry {
        names: &["stdbuf"],
        kind: Kind::Plain,
        options: Options {
            short_value: "ioe",
            long_value: &["input", "output", "error"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        // The program, not the reserved word. `-o` writes a file, and is not in the table.
        names: &["time", "gtime"],
        kind: Kind::Plain,
        options: Options {
            short: "pvq",
            short_value: "f",
            long: &["portability", "verbose", "quiet"],
            long_value: &["format"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["sudo"],
        options: Options {
            short: "AbEeHikKlnNPSsvV",
            short_value: "acCDghprRTtuU",
            long: &[
                "askpass",
                "background",
                "edit",
                "set-home",
                "help",
                "login",
                "remove-timestamp",
                "reset-timestamp",
                "list",
                "non-interactive",
                "no-update",
                "preserve-groups",
                "stdin",
                "shell",
                "validate",
                "version",
                "bell",
                "preserve-env",
            ],
            long_value: &[
                "close-from",
                "chdir",
                "group",
                "host",
                "prompt",
                "chroot",
                "command-timeout",
                "type",
                "role",
                "other-user",
                "user",
            ],
            ..NONE
        },
        assigns: true,
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &[
            "doas", "run0", "pkexec", "gosu", "su-exec", "setpriv", "chpst",
        ],
        options: Options {
            short: "Lns",
            short_value: "aCu",
            long_value: &["user", "reuid", "regid", "init-groups", "chdir"],
            long: &["keep-cwd", "clear-groups", "reset-env", "no-new-privs"],
            ..NONE
        },
        assigns: true,
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &["setsid"],
        options: Options {
            short: "cfw",
            long: &["ctty", "fork", "wait"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["ionice"],
        options: Options {
            short: "t",
            short_value: "cnpPu",
            long: &["ignore"],
            long_value: &["class", "classdata", "pid", "pgid", "uid"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["chrt"],
        options: Options {
            short: "abdfiomrvR",
            short_value: "TPD",
            long: &[
                "batch",
                "deadline",
                "fifo",
                "idle",
                "other",
                "rr",
                "reset-on-fork",
            ],
            long_value: &["sched-runtime", "sched-period", "sched-deadline"],
            ..NONE
        },
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["taskset"],
        options: Options {
            short: "ac",
            long: &["all-tasks", "cpu-list"],
            ..NONE
        },
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["strace", "ltrace"],
        options: Options {
            short: "cCdDfFhiknqrtTvVxyYzZ",
            short_value: "abeEIoOpPsSuUX",
            long: &["follow-forks", "summary-only", "summary"],
            long_value: &["trace", "output"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["flock"],
        options: Options {
            short: "esxunoFv",
            short_value: "wE",
            long: &[
                "exclusive",
                "shared",
                "unlock",
                "nonblock",
                "nb",
                "close",
                "no-fork",
                "verbose",
            ],
            long_value: &["timeout", "wait", "conflict-exit-code"],
            ..NONE
        },
        skip: 1,
        script_flag: true,
        ..BASE
    },
    Entry {
        names: &["unshare"],
        options: Options {
            short: "cfriTCUmnpu",
            short_value: "RSGw",
            long: &[
                "fork",
                "map-root-user",
                "map-current-user",
                "mount",
                "uts",
                "ipc",
                "net",
                "pid",
                "user",
                "cgroup",
                "time",
                "mount-proc",
                "keep-caps",
            ],
            long_value: &["root", "wd", "setuid", "setgid"],
            ..NONE
        },
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &["nsenter"],
        options: Options {
            short: "aeFZ",
            short_value: "tSG",
            short_glued: "muinpUCTrw",
            long: &[
                "all",
                "mount",
                "uts",
                "ipc",
                "net",
                "pid",
                "cgroup",
                "user",
                "root",
                "wd",
                "preserve-credentials",
                "no-fork",
            ],
            long_value: &["target", "setuid", "setgid"],
        },
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &["chroot"],
        options: Options {
            long: &["skip-chdir"],
            long_value: &["userspec", "groups"],
            ..NONE
        },
        skip: 1,
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &["busybox", "toybox"],
        kind: Kind::Applets,
        ..BASE
    },
    Entry {
        names: &[
            "runcon",
            "uclampset",
            "choom",
            "ifne",
            "cross-env",
            "cross-env-shell",
            "softlimit",
            "schedtool",
            "cgexec",
            "aa-exec",
            "ld.so",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
            "ld-musl-x86_64.so.1",
        ],
        assigns: true,
        ..BASE
    },
    Entry {
        names: &[
            "setuidgid",
            "envuidgid",
            "envdir",
            "s6-setuidgid",
            "logsave",
            "sg",
        ],
        script_flag: true,
        elsewhere: true,
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["valgrind"],
        options: Options {
            short: "qv",
            long: &[
                "leak-check",
                "track-origins",
                "show-leak-kinds",
                "error-exitcode",
                "tool",
            ],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &[
            "fakeroot",
            "faketime",
            "eatmydata",
            "proxychains",
            "proxychains4",
            "torsocks",
        ],
        options: Options {
            short: "qf",
            ..NONE
        },
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &[
            "xvfb-run",
            "dbus-run-session",
            "dbus-launch",
            "unbuffer",
            "rlwrap",
            "catchsegv",
        ],
        options: Options {
            short: "alcp",
            short_value: "ensw",
            long: &["auto-servernum", "exit-with-session"],
            long_value: &["server-args", "server-num", "error-file"],
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["systemd-run", "systemd-inhibit", "systemd-cat"],
        options: Options {
            short: "dGPqrSt",
            short_value: "EHMp",
            long: &[
                "user", "scope", "pty", "pipe", "wait", "quiet", "collect", "no-block", "shell",
            ],
            long_value: &[
                "unit", "property", "slice", "what", "who", "why", "mode", "setenv",
            ],
            ..NONE
        },
        elsewhere: true,
        ..BASE
    },
    Entry {
        names: &[
            "firejail", "bwrap", "proot", "numactl", "cpulimit", "prlimit",
        ],
        ..BASE
    },
    Entry {
        names: &[
            "linux32",
            "linux64",
            "setarch",
            "arch",
            "caffeinate",
            "tini",
            "dumb-init",
        ],
        options: Options {
            short: "dimsuvgRL3BFISTXZ",
            short_value: "tw",
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &[
            "ssh-agent",
            "dotenv",
            "dotenvx",
            "with-contenv",
            "chronic",
            "ts-node-dev",
        ],
        options: Options {
            short_value: "ef",
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["perf"],
        options: NONE,
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["entr"],
        options: Options {
            short: "acdnprsxz",
            ..NONE
        },
        ..BASE
    },
    Entry {
        names: &["start-stop-daemon", "daemonize", "daemon"],
        ..BASE
    },
    Entry {
        names: &["devbox", "rtx"],
        kind: Kind::Runner,
        skip: 1,
        ..BASE
    },
    Entry {
        names: &[
            "aws-vault",
            "op",
            "doppler",
            "infisical",
            "chamber",
            "teller",
            "vaulted",
        ],
        kind: Kind::Runner,
        skip: 1,
        ..BASE
    },
    Entry {
        names: &["sem", "nq", "tsp", "ts"],
        ..BASE
    },
    Entry {
        names: &["gdb", "lldb"],
        options: Options {
            short: "qn",
            long: &["args", "batch"],
            ..NONE
        },
        ..BASE
    },
];
