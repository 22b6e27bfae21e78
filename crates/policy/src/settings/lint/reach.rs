//! Allows that reach much further than they look.

use pointsman_model::AbsPath;

use super::Read;
use crate::rule::{HostPattern, PathAnchor, Specifier};
use crate::settings::loaded::Loaded;
use crate::wild::SEP;
use crate::{Problem, Severity};

/// Programs that run what their arguments say, and what kind of program each is.
const RUNNERS: &[(&str, &[&str])] = &[
    (
        "a shell",
        &[
            "sh", "bash", "zsh", "fish", "dash", "ksh", "csh", "tcsh", "busybox", "eval", "source",
            ".",
        ],
    ),
    (
        "an interpreter",
        &[
            "python",
            "python2",
            "python3",
            "node",
            "deno",
            "bun",
            "ruby",
            "perl",
            "php",
            "lua",
            "osascript",
            "awk",
            "gawk",
            "mawk",
            "Rscript",
            "java",
            "julia",
            "irb",
            "ipython",
            "pwsh",
            "tclsh",
            "ts-node",
            "tsx",
        ],
    ),
    (
        "a wrapper",
        &[
            "sudo", "doas", "su", "env", "xargs", "parallel", "watch", "timeout", "nohup", "nice",
            "setsid", "stdbuf", "time", "exec", "command", "builtin", "chroot", "unshare",
            "nsenter", "flock", "strace", "ltrace", "script", "ssh", "entr", "ionice", "taskset",
        ],
    ),
    (
        "a runner of packages",
        &[
            "npx", "bunx", "pnpx", "uvx", "pipx", "uv", "poetry", "pipenv", "devbox", "mise",
            "direnv", "nix",
        ],
    ),
    (
        "a build tool, which runs what the project's files say",
        &[
            "make", "gmake", "just", "task", "cmake", "ninja", "gradle", "gradlew", "mvn", "mvnw",
            "ant", "bazel", "rake", "bundle", "dotnet", "flutter", "swift",
        ],
    ),
    (
        "a test runner, which runs what the project's files say",
        &[
            "ava", "jest", "mocha", "nox", "phpunit", "pytest", "rspec", "tox", "vitest",
        ],
    ),
    (
        "a container tool, which can reach the whole machine",
        &["docker", "podman", "kubectl", "nerdctl"],
    ),
    (
        "a remote control of other programs",
        &[
            "tmux",
            "screen",
            "gdb",
            "lldb",
            "vim",
            "vi",
            "nvim",
            "emacs",
            "ed",
            "systemd-run",
            "crontab",
            "at",
        ],
    ),
];

/// Programs that run what the project's files say only behind one word, as `npm run`.
const RUNNERS_BY_WORD: &[(&str, &[&str])] = &[
    (
        "npm",
        &[
            "run",
            "run-script",
            "exec",
            "x",
            "test",
            "start",
            "install",
            "i",
            "ci",
        ],
    ),
    (
        "pnpm",
        &["run", "exec", "dlx", "test", "start", "install", "add"],
    ),
    (
        "yarn",
        &["run", "exec", "dlx", "test", "start", "install", "add"],
    ),
    ("pip", &["install", "wheel"]),
    ("pip3", &["install", "wheel"]),
    ("cargo", &["run", "test", "bench", "build", "check"]),
    ("go", &["run", "test", "generate", "build"]),
    ("git", &["-c", "config", "rebase", "bisect", "submodule"]),
    ("find", &["-exec", "-execdir"]),
];

/// The problem of an allow that comes to everything, or nearly.
pub(super) fn of_allow(read: &Read<'_>) -> Option<Problem> {
    let text = &read.rule.text;
    let wide = |what: String, hint: &str| Some(read.problem(format!("`{text}` {what}"), hint));
    match &read.parsed.specifier {
        Specifier::Whole => match read.parsed.tool() {
            "Bash" | "PowerShell" => wide(
                "allows every command".into(),
                "allow commands one by one, as `Bash(npm test *)`",
            ),
            "WebFetch" => wide(
                "lets data go to every host".into(),
                "name the hosts, as `WebFetch(domain:docs.example.com)`",
            ),
            _ => None,
        },
        Specifier::Command(pattern) if !pattern.is_exact() => {
            let words = pattern.words.as_ref()?.literal_words();
            runs_anything(words).and_then(|(what, hint)| wide(what, hint))
        }
        Specifier::Path { pattern, .. } if pattern.is_everything() => match pattern.anchor {
            PathAnchor::Root => wide(
                "covers every file of the machine, keys and passwords too".into(),
                "name the folders that are needed",
            ),
            PathAnchor::Home => wide(
                "covers all of the home folder, keys and passwords too".into(),
                "name the folders that are needed",
            ),
            PathAnchor::Source | PathAnchor::Folder => None,
        },
        Specifier::Host(HostPattern::Any) => wide(
            "lets data go to every host".into(),
            "name the hosts, as `WebFetch(domain:docs.example.com)`",
        ),
        Specifier::Inside
        | Specifier::Command(_)
        | Specifier::Path { .. }
        | Specifier::Host(_)
        | Specifier::Name(_)
        | Specifier::Param { .. }
        | Specifier::Never(_) => None,
    }
}

/// What an open pattern that begins with these words comes to, when that is everything.
fn runs_anything(words: &[u8]) -> Option<(String, &'static str)> {
    let words: Vec<String> = words
        .split(|byte| *byte == SEP)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let program = words.first().filter(|program| !program.is_empty());
    let Some(program) = program else {
        return Some((
            "begins with a star, so that it allows any program".into(),
            "begin with the program's name",
        ));
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    for (kind, programs) in RUNNERS {
        // `python -m pytest *` is narrower than `python *`, and its module still runs what files say.
        if programs.contains(&name) {
            return Some((
                format!("comes to every command: `{name}` is {kind}"),
                "allow the exact commands that are needed, without a star",
            ));
        }
    }
    let (_, inner) = RUNNERS_BY_WORD
        .iter()
        .find(|(program, _)| *program == name)?;
    let runs = match words.get(1) {
        None => true,
        Some(word) => inner.contains(&&**word),
    };
    runs.then(|| {
        (
            format!("comes to every command that the project's files name: `{name}` runs them"),
            "allow the exact commands that are needed, as `Bash(npm run lint)`",
        )
    })
}

/// Folders that are as good as the whole machine.
pub(super) fn of_directories(loaded: &Loaded) -> Vec<Problem> {
    let root = AbsPath::root();
    let wide = loaded.additional_directories.iter().filter(|setting| {
        let depth = setting.folder.segments().count();
        let home = setting.folder.is_within(&root.join("home")) && depth == 2;
        depth < 2 || home
    });
    wide.map(|setting| Problem {
        severity: Severity::Warning,
        place: Some(setting.place.clone()),
        message: format!(
            "the folder `{}` holds far more than a project",
            setting.folder
        ),
        hint: Some("name the folders that are needed".into()),
    })
    .collect()
}
