//! The table of programs that run a file which they are told of.

/// Programs that run files, each with where it takes them from.
pub(super) const RUNNERS: &[Runner] = &[
    // Their first plain word is a script.
    Runner {
        programs: &[
            "tsx",
            "ts-node",
            "babel-node",
            "kotlin",
            "scala",
            "groovy",
            "expect",
            "wish",
            "racket",
            "guile",
            "ocaml",
            "escript",
            "elixir",
            "dart",
            "crystal",
            "raku",
            "perl6",
            "gnuplot",
            "runghc",
            "runhaskell",
            "bb",
            "nu",
            "xonsh",
            "swift",
            "ansible-playbook",
            "papermill",
            "nodemon",
            "ts-node-esm",
            "R",
            "octave",
            "m4",
        ],
        plain: Plain::Script,
        options: &[
            "-f",
            "--file",
            "-l",
            "-r",
            "--require",
            "--import",
            "-c",
            "--config",
            "--init-file",
        ],
        ..NOTHING
    },
    Runner {
        programs: &[
            "bats", "robot", "mocha", "pytest", "py.test", "rspec", "phpunit",
        ],
        plain: Plain::Tests,
        options: &["-r", "--require", "-p", "-c", "--config", "--bootstrap"],
        ..NOTHING
    },
    Runner {
        programs: &["run-parts"],
        plain: Plain::Script,
        inside: &["*"],
        ..NOTHING
    },
    Runner {
        programs: &["java", "javaw"],
        plain: Plain::Script,
        options: &["-jar"],
        ..NOTHING
    },
    Runner {
        programs: &["pwsh", "powershell"],
        plain: Plain::Script,
        options: &["-File", "-f"],
        texts: &["-Command", "-c"],
        ..NOTHING
    },
    // What they do stands in front of it.
    Runner {
        programs: &[
            "uv",
            "dart",
            "crystal",
            "nim",
            "zig",
            "k6",
            "artillery",
            "streamlit",
            "coverage",
            "dotnet",
            "nextflow",
            "newman",
            "stack",
            "pm2",
            "rails",
            "packer",
        ],
        verbs: &[
            "run", "r", "script", "start", "runner", "exec", "build", "runghc",
        ],
        plain: Plain::Script,
        ..NOTHING
    },
    Runner {
        programs: &["jupyter"],
        verbs: &["--execute"],
        plain: Plain::Script,
        ..NOTHING
    },
    Runner {
        programs: &["go"],
        verbs: &["run"],
        plain: Plain::Script,
        inside: &["*.go"],
        ..NOTHING
    },
    // Their plain words are what they work on.
    Runner {
        programs: &["vim", "vi", "view", "gvim", "vimdiff", "nvim"],
        plain: Plain::Command,
        options: &["-S", "-s", "-u", "-l"],
        texts: &["-c", "--cmd"],
        ..NOTHING
    },
    Runner {
        programs: &["ex"],
        plain: Plain::Command,
        options: &["-S", "-u"],
        texts: &["-c", "--cmd"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["emacs", "emacsclient"],
        options: &["--script", "-l", "--load", "-script", "-load"],
        texts: &["--eval", "-eval", "--execute"],
        ..NOTHING
    },
    Runner {
        programs: &["gdb"],
        options: &["-x", "--command", "-command", "-ix", "--init-command"],
        texts: &["-ex", "-iex", "--eval-command"],
        ..NOTHING
    },
    Runner {
        programs: &["lldb"],
        options: &["-s", "--source", "-S", "--source-before-file"],
        texts: &["-o", "-O", "--one-line"],
        ..NOTHING
    },
    Runner {
        programs: &["sqlite3", "duckdb"],
        plain: Plain::Command,
        options: &["-init", "--init"],
        texts: &["-cmd", "-c"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["psql"],
        options: &["-f", "--file"],
        texts: &["-c", "--command"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["mysql", "mariadb"],
        texts: &["-e", "--execute"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["sbcl", "clisp", "ecl"],
        options: &["--script", "--load", "-i"],
        texts: &["--eval"],
        ..NOTHING
    },
    Runner {
        programs: &["clojure", "clj"],
        plain: Plain::Script,
        options: &["-i", "--init"],
        texts: &["-e", "--eval"],
        ..NOTHING
    },
    Runner {
        programs: &["kotlinc"],
        plain: Plain::Script,
        ..NOTHING
    },
    Runner {
        programs: &["at", "batch"],
        options: &["-f"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["crontab"],
        plain: Plain::Script,
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["screen"],
        options: &["-c"],
        ..NOTHING
    },
    Runner {
        programs: &["tmux"],
        options: &["-f"],
        ..NOTHING
    },
    Runner {
        programs: &["tmux"],
        verbs: &["source-file", "source"],
        plain: Plain::Script,
        ..NOTHING
    },
    Runner {
        programs: &["ed", "bc", "dc"],
        options: &["-f"],
        input: Input::IsCode,
        ..NOTHING
    },
    Runner {
        programs: &["locust"],
        options: &["-f", "--locustfile"],
        ..NOTHING
    },
];

const NOTHING: Runner = Runner {
    programs: &[],
    verbs: &[],
    plain: Plain::Data,
    options: &[],
    texts: &[],
    inside: &[],
    input: Input::IsData,
};

/// A program that runs a file.
pub(super) struct Runner {
    pub(super) programs: &'static [&'static str],
    /// What it has to be told to do so, if anything.
    pub(super) verbs: &'static [&'static str],
    /// What its plain words are.
    pub(super) plain: Plain,
    /// What has a file of code behind it, as a word of its own or joined to it.
    pub(super) options: &'static [&'static str],
    /// What has a command behind it, which may name such a file.
    pub(super) texts: &'static [&'static str],
    /// What it runs of a folder that its first plain word names.
    pub(super) inside: &'static [&'static str],
    pub(super) input: Input,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    /// The first is a script, the others are for it.
    Script,
    /// Each may be a file of tests. Which of a project's tests run is no more than what it works on.
    Tests,
    /// Each may hold a command.
    Command,
    Data,
}

/// What a program takes its standard input for, when nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    IsCode,
    IsData,
}
