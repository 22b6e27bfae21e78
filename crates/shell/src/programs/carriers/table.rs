//! The options that carry commands, by program.

use crate::programs::told::Language;

/// In the place of an option: all operands.
pub(super) const OPERANDS: &str = "";

/// What the value of an option is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// A command line, or the name of a program.
    Script,
    /// `key=command` or `key command`, for these keys; `*x*` is any key that has `x` in it.
    Setting(&'static [&'static str]),
    /// A text in a language that can start commands.
    Text(Language),
    /// `key=program`; another argument has what it is given behind the second key.
    Program(&'static str, &'static str),
    /// A command line with commas for its blanks.
    Commas,
}

/// Options of some programs.
#[derive(Debug)]
pub(in crate::programs) struct Carrier {
    pub(in crate::programs) names: &'static [&'static str],
    /// Words of which one must be among the arguments; none for all forms of the program.
    pub(super) within: &'static [&'static str],
    pub(super) options: &'static [&'static str],
    pub(super) value: Value,
    /// Commands that a rule for the program covers too.
    pub(super) usual: &'static [&'static str],
}

const fn script(names: &'static [&'static str], options: &'static [&'static str]) -> Carrier {
    usual(names, options, &[])
}

const fn usual(
    names: &'static [&'static str],
    options: &'static [&'static str],
    usual: &'static [&'static str],
) -> Carrier {
    Carrier {
        names,
        within: &[],
        options,
        value: Value::Script,
        usual,
    }
}

const fn setting(
    names: &'static [&'static str],
    options: &'static [&'static str],
    keys: &'static [&'static str],
) -> Carrier {
    Carrier {
        value: Value::Setting(keys),
        ..script(names, options)
    }
}

const fn text(
    names: &'static [&'static str],
    options: &'static [&'static str],
    language: Language,
) -> Carrier {
    Carrier {
        value: Value::Text(language),
        ..script(names, options)
    }
}

const fn within(words: &'static [&'static str], carrier: Carrier) -> Carrier {
    Carrier {
        within: words,
        ..carrier
    }
}

const SSH: &[&str] = &[
    "ssh",
    "scp",
    "sftp",
    "autossh",
    "sshfs",
    "slogin",
    "ssh-copy-id",
];
const SSH_KEYS: &[&str] = &[
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "remotecommand",
    "pkcs11provider",
    "securitykeyprovider",
    "xauthlocation",
    "ssh_command",
];
const PACKERS: &[&str] = &[
    "gzip", "pigz", "bzip2", "pbzip2", "lbzip2", "xz", "pxz", "zstd", "zstdmt", "lz4", "lzip",
    "lzma", "lzop", "brotli", "compress",
];
const PAGERS: &[&str] = &["cat", "less", "more", "most", "/bin/cat", "col"];
const PRE_INVOKE: &[&str] = &[
    "*invoke*",
    "*::pre-*",
    "*::post-*",
    "*::tools*",
    "*::options*",
    "*command*",
    "dir::bin*",
    "*::bin::*",
    "*solver*",
    "*::proxyautodetect*",
    "*pager*",
    "*editor*",
    "*success*",
];

pub(in crate::programs) static CARRIERS: &[Carrier] = &[
    setting(SSH, &["-o"], SSH_KEYS),
    script(&["scp", "sftp"], &["-S", "-D"]),
    usual(&["mosh"], &["--ssh", "--server", "--client"], &["ssh"]),
    usual(&["rsync"], &["-e", "--rsh"], &["ssh", "rsh"]),
    usual(&["rsync"], &["--rsync-path"], &["rsync", "/usr/bin/rsync"]),
    script(&["rsync"], &["--early-input"]),
    usual(
        &["tar", "gtar", "bsdtar"],
        &["-I", "--use-compress-program"],
        PACKERS,
    ),
    usual(&["tar", "gtar"], &["--rsh-command"], &["ssh", "rsh"]),
    script(
        &["tar", "gtar", "bsdtar"],
        &["--to-command", "--info-script", "--new-volume-script", "-F"],
    ),
    setting(&["tar", "gtar"], &["--checkpoint-action"], &["exec"]),
    script(&["cpio"], &["--rsh-command"]),
    usual(&["man", "apropos", "whatis"], &["-P", "--pager"], PAGERS),
    script(&["man"], &["-H", "--html"]),
    text(&["make", "gmake"], &["--eval", "-E"], Language::Make),
    script(&["rg", "ripgrep"], &["--pre", "--hostname-bin"]),
    script(&["ag", "ack", "bat", "batcat", "delta"], &["--pager"]),
    usual(&["sort", "gsort"], &["--compress-program"], PACKERS),
    usual(&["split", "gsplit"], &["--filter"], PACKERS),
    usual(&["zip"], &["-TT", "--unzip-command"], &["unzip"]),
    script(&["nix-shell"], &["--run", "--command"]),
    script(&["cargo-watch"], &["-s", "--shell"]),
    script(&["just"], &["--shell"]),
    within(&["watch"], script(&["cargo"], &["-s", "--shell"])),
    script(&["nodemon", "ts-node-dev"], &["-x", "--exec"]),
    script(&["watchexec", "watchmedo"], &["-c", "--command", "--shell"]),
    script(&["entr"], &["-s"]),
    script(&["flock"], &["-c", "--command"]),
    script(&["capsh"], &["-c", "--shell"]),
    script(&["script", "scriptreplay"], &["-c", "--command", "-I"]),
    script(&["npx", "npm", "pnpm", "bunx", "pnpx"], &["-c", "--call"]),
    script(&["pnpm"], &["exec"]),
    script(&["doppler", "infisical", "chamber"], &["--command"]),
    script(&["vagrant", "fly", "flyctl"], &["-c", "-C", "--command"]),
    script(&["gcloud", "az"], &["--command", "--scripts"]),
    usual(
        &["docker", "podman", "nerdctl"],
        &["--entrypoint", "--health-cmd"],
        &["sh", "bash", "/bin/sh", "/bin/bash"],
    ),
    script(&["start-stop-daemon"], &["-x", "-a", "--exec", "--startas"]),
    script(
        &["dpkg", "dpkg-deb", "apt", "apt-get"],
        &["--pre-invoke", "--post-invoke", "--status-logger", "--hook"],
    ),
    setting(
        &["apt", "apt-get", "aptitude", "apt-cache"],
        &["-o", "--option"],
        PRE_INVOKE,
    ),
    script(
        &["nc", "ncat", "netcat"],
        &["-e", "-c", "--exec", "--sh-exec", "--lua-exec"],
    ),
    script(&["wget", "wget2"], &["--use-askpass"]),
    setting(
        &["wget", "wget2"],
        &["-e", "--execute"],
        &["use_askpass", "use-askpass", "useaskpass"],
    ),
    script(&["dig", "nslookup", "whois"], &["--exec"]),
    text(
        &["gdb", "cgdb", "rust-gdb"],
        &[
            "-ex",
            "-iex",
            "--ex",
            "--eval-command",
            "--init-eval-command",
            "-eval-command",
        ],
        Language::Debugger,
    ),
    text(
        &["lldb", "rust-lldb"],
        &["-o", "-O", "-k", "--one-line", "--one-line-before-file"],
        Language::Debugger,
    ),
    text(
        &[
            "vi", "vim", "nvim", "gvim", "view", "vimdiff", "ex", "rvim", "kak",
        ],
        &["-c", "--cmd", "-e", "-S"],
        Language::Editor,
    ),
    text(
        &["emacs", "emacsclient"],
        &["--eval", "-eval", "-e", "--execute", "-execute", "-f"],
        Language::Code,
    ),
    text(&["mysql", "mariadb"], &["-e", "--execute"], Language::Sql),
    text(&["psql"], &["-c", "--command"], Language::Sql),
    text(&["sqlite3", "sqlite"], &["-cmd"], Language::Sql),
    text(&["expect"], &["-c"], Language::Expect),
    text(&["lftp"], &["-c", "-e"], Language::Escapes),
    script(&["ansible"], &["-a", "--args"]),
    script(
        &["hyperfine"],
        &[
            "-p",
            "--prepare",
            "-s",
            "--setup",
            "-c",
            "--cleanup",
            "-S",
            "--shell",
        ],
    ),
    script(
        &["parallel"],
        &["--tmpl", "--trc", "--sshlogin", "-S", "--filter"],
    ),
    script(&["fd", "fdfind"], &["--exec", "--exec-batch"]),
    script(&["fzf", "sk"], &["--preview", "-c", "--cmd"]),
    setting(
        &["fzf", "sk"],
        &["--bind"],
        &["*execute*", "*become*", "*reload*"],
    ),
    script(&["pre-commit"], &["--commit-msg-filename-cmd"]),
    script(&["logrotate"], &["-m", "--mail"]),
    Carrier {
        value: Value::Program("exec.executable=", "exec.args="),
        ..script(&["mvn", "mvnw", "mvnd"], &["-D", "--define"])
    },
    setting(
        &["mvn", "mvnw", "mvnd", "gradle", "gradlew", "ant"],
        &["-D", "-P", "--define"],
        &["jvm", "*executable*", "argline", "*.cmd", "*command*"],
    ),
    text(
        &[
            "rpm", "rpmbuild", "rpmspec", "rpmlint", "rpmdb", "dnf", "yum",
        ],
        &["-E", "--eval", "-D", "--define"],
        Language::Macros,
    ),
    script(&["rpm", "rpmquery"], &["--pipe"]),
    within(
        &["timeit", "pdb", "trace", "cProfile", "profile"],
        text(
            &["python", "python3"],
            &[OPERANDS, "-s", "-c"],
            Language::Code,
        ),
    ),
    within(
        &["pkg"],
        setting(
            &["npm", "pnpm", "yarn", "bun"],
            &[OPERANDS],
            &["*scripts*", "*hooks*", "*bin*"],
        ),
    ),
    within(
        &["config", "set"],
        setting(
            &["npm", "pnpm", "yarn", "composer", "poetry"],
            &[OPERANDS],
            &["script-shell", "*scripts*", "shell", "*editor*"],
        ),
    ),
    within(
        &["env"],
        setting(
            &["go"],
            &["-w"],
            &["cc", "cxx", "fc", "ar", "pkg_config", "*exec*", "goflags"],
        ),
    ),
    setting(
        &["rustc", "cargo", "rustdoc"],
        &["-C", "--codegen"],
        &["linker"],
    ),
    script(
        &["aria2c"],
        &[
            "--on-download-complete",
            "--on-bt-download-complete",
            "--on-download-start",
            "--on-download-stop",
            "--on-download-pause",
            "--on-download-error",
        ],
    ),
    script(
        &["yt-dlp", "youtube-dl"],
        &["--exec", "--exec-before-download", "--netrc-cmd"],
    ),
    script(
        &["svn", "hg", "bzr"],
        &["--diff-cmd", "--editor-cmd", "--diff3-cmd"],
    ),
    setting(
        &["hg"],
        &["--config"],
        &[
            "*alias*",
            "*hooks*",
            "*extensions*",
            "*ssh*",
            "*editor*",
            "*pager*",
        ],
    ),
    script(&["tcpdump"], &["-z"]),
    usual(
        &["go"],
        &[
            "-exec",
            "-toolexec",
            "--exec",
            "--toolexec",
            "-vettool",
            "--vettool",
        ],
        &["sudo", "env"],
    ),
    script(
        &["rustc", "gcc", "g++", "cc", "clang"],
        &["-Clinker", "--linker"],
    ),
    Carrier {
        value: Value::Commas,
        ..script(&["gcc", "g++", "cc", "c++"], &["-wrapper"])
    },
    setting(
        &["cargo"],
        &["--config"],
        &[
            "*runner*",
            "*rustc*",
            "*linker*",
            "*wrapper*",
            "*alias*",
            "*credential*",
        ],
    ),
    script(&["pg_dump", "pg_restore"], &["--lock-wait-cmd"]),
    script(&["openssl"], &["-engine", "-provider-path"]),
    script(&["strace", "ltrace"], &["-o|"]),
    script(
        &["run0", "machinectl", "systemd-run", "systemd-cat"],
        &["--shell-command"],
    ),
    setting(
        &["systemd-run"],
        &["-p", "--property"],
        &[
            "execstart",
            "execstartpre",
            "execstartpost",
            "execstop",
            "execcondition",
            "execstoppost",
            "execreload",
        ],
    ),
    script(&["tmux"], &["-c"]),
    script(
        &["xterm", "gnome-terminal", "konsole", "alacritty", "kitty"],
        &["-e", "-x", "--command"],
    ),
    script(&["osascript"], &["-x"]),
    script(
        &["cmake"],
        &[
            "-DCMAKE_C_COMPILER",
            "-DCMAKE_C_COMPILER_LAUNCHER",
            "-DCMAKE_CXX_COMPILER_LAUNCHER",
        ],
    ),
    script(&["mutt", "mail"], &["-e"]),
    script(&["git-annex", "git-lfs"], &["--exec"]),
    script(&["coreutils"], &["--coreutils-prog"]),
    usual(
        &["npm", "pnpm", "yarn"],
        &["--script-shell", "--shell"],
        &["sh", "bash", "zsh", "/bin/sh", "/bin/bash", "/bin/zsh"],
    ),
    script(&["vault", "envconsul", "consul-template"], &["-exec"]),
    text(
        &[
            "mongo", "mongosh", "rake", "rails", "iex", "mix", "groovysh",
        ],
        &["--eval", "-e", "--execute"],
        Language::Code,
    ),
];

/// Programs that take commands of their own language from their input.
pub(in crate::programs) static FED: &[(&[&str], Language)] = &[
    (
        &["mysql", "mariadb", "psql", "sqlite3", "sqlite"],
        Language::Sql,
    ),
    (
        &["ftp", "sftp", "lftp", "tftp", "telnet", "ncftp"],
        Language::Escapes,
    ),
    (&["gdb", "lldb", "cgdb"], Language::Debugger),
    (&["expect", "tclsh", "wish"], Language::Expect),
    (
        &[
            "irb", "pry", "ipython", "ghci", "iex", "jshell", "psysh", "deno", "bun", "tsx",
            "ts-node",
        ],
        Language::Code,
    ),
    (&["ed", "ex", "vi", "vim", "nvim", "red"], Language::Editor),
];
