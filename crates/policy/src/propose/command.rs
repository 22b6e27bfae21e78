//! Rules for commands.

use pointsman_model::{AssignmentWeight, RiskTag, RuleText, Run, RunNature, Word};

/// Programs that run what their arguments say, or stand for any other: a prefix of them would be a rule for everything.
const NEVER_A_PREFIX: &[&str] = &[
    "ansible",
    "ansible-console",
    "aria2c",
    "asdf",
    "ash",
    "at",
    "awk",
    "aws-vault",
    "bash",
    "batch",
    "bpftrace",
    "builtin",
    "bunx",
    "busctl",
    "busybox",
    "bwrap",
    "cgexec",
    "chokidar",
    "chroot",
    "chrt",
    "cmd",
    "command",
    "concurrently",
    "crontab",
    "cross-env",
    "cross-env-shell",
    "csh",
    "curl",
    "dash",
    "dbus-run-session",
    "devbox",
    "direnv",
    "distrobox",
    "doas",
    "docker",
    "doppler",
    "dotenv",
    "dotenvx",
    "ed",
    "emacs",
    "entr",
    "env",
    "env-cmd",
    "eval",
    "ex",
    "exec",
    "expect",
    "fakeroot",
    "faketime",
    "find",
    "firejail",
    "fish",
    "flatpak",
    "flock",
    "foreman",
    "ftp",
    "gawk",
    "gdb",
    "guix",
    "honcho",
    "http",
    "https",
    "hyperfine",
    "ionice",
    "ksh",
    "kubectl",
    "lftp",
    "lldb",
    "ltrace",
    "machinectl",
    "mariadb",
    "mawk",
    "mise",
    "mosh",
    "mysql",
    "nc",
    "ncat",
    "nice",
    "nix",
    "nix-shell",
    "nodemon",
    "nohup",
    "npm-run-all",
    "npx",
    "nsenter",
    "numactl",
    "nvim",
    "nvm",
    "onchange",
    "op",
    "parallel",
    "perf",
    "pipx",
    "pkexec",
    "pnpx",
    "podman",
    "powershell",
    "prlimit",
    "proot",
    "proxychains",
    "psql",
    "pwsh",
    "rclone",
    "rlwrap",
    "rr",
    "rsync",
    "run-p",
    "run-s",
    "runcon",
    "runuser",
    "scp",
    "screen",
    "script",
    "setpriv",
    "setsid",
    "sftp",
    "sg",
    "sh",
    "socat",
    "source",
    "sqlite3",
    "ssh",
    "sshpass",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "telnet",
    "time",
    "timeout",
    "tmux",
    "toolbox",
    "torsocks",
    "unbuffer",
    "unshare",
    "uvx",
    "valgrind",
    "vi",
    "vim",
    "watch",
    "watchexec",
    "wget",
    "wsl",
    "xargs",
    "xh",
    "xvfb-run",
    "zsh",
];

/// Programs whose sub-commands have sub-commands, or name a script: the prefix is a word longer.
const NESTED: &[(&str, &str)] = &[
    ("argocd", "*"),
    ("aws", "*"),
    ("az", "*"),
    ("brew", "services"),
    ("bun", "run"),
    ("bundle", "exec"),
    ("cargo", "xtask"),
    ("composer", "run"),
    ("conda", "config"),
    ("conda", "env"),
    ("dart", "pub"),
    ("deno", "task"),
    ("doctl", "*"),
    ("dotnet", "ef"),
    ("dotnet", "nuget"),
    ("dotnet", "tool"),
    ("eksctl", "*"),
    ("flutter", "pub"),
    ("fly", "*"),
    ("flyctl", "*"),
    ("gcloud", "*"),
    ("gh", "*"),
    ("git", "bisect"),
    ("git", "bundle"),
    ("git", "flow"),
    ("git", "lfs"),
    ("git", "notes"),
    ("git", "reflog"),
    ("git", "remote"),
    ("git", "sparse-checkout"),
    ("git", "stash"),
    ("git", "submodule"),
    ("git", "subtree"),
    ("git", "svn"),
    ("git", "worktree"),
    ("glab", "*"),
    ("go", "mod"),
    ("go", "tool"),
    ("helm", "plugin"),
    ("helm", "repo"),
    ("istioctl", "*"),
    ("lerna", "run"),
    ("netlify", "*"),
    ("npm", "cache"),
    ("npm", "config"),
    ("npm", "pkg"),
    ("npm", "run"),
    ("npm", "run-script"),
    ("nx", "run"),
    ("oc", "*"),
    ("php", "artisan"),
    ("pip", "cache"),
    ("pip", "config"),
    ("pnpm", "config"),
    ("pnpm", "run"),
    ("poetry", "env"),
    ("poetry", "self"),
    ("poetry", "source"),
    ("prisma", "db"),
    ("prisma", "migrate"),
    ("python", "manage.py"),
    ("python3", "manage.py"),
    ("rustup", "*"),
    ("supabase", "*"),
    ("terraform", "state"),
    ("terraform", "workspace"),
    ("tofu", "state"),
    ("tofu", "workspace"),
    ("turbo", "run"),
    ("uv", "cache"),
    ("uv", "pip"),
    ("uv", "python"),
    ("uv", "tool"),
    ("vault", "*"),
    ("wrangler", "*"),
    ("yarn", "run"),
];

/// Sub-commands that run whatever follows them.
const RUNNERS: &[(&str, &str)] = &[
    ("bun", "x"),
    ("bundle", "exec"),
    ("cargo", "run"),
    ("composer", "exec"),
    ("go", "run"),
    ("npm", "exec"),
    ("npm", "explore"),
    ("npm", "x"),
    ("pdm", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
    ("yarn", "workspace"),
    ("yarn", "workspaces"),
];

/// Sub-commands by these names run what follows them, whatever the program: `asdf exec`, `conda run`, `guix shell`.
const RUN_WHAT_FOLLOWS: &[&str] = &[
    "dlx",
    "enter",
    "exec",
    "foreach",
    "rsh",
    "run",
    "run-command",
    "shell",
    "ssh",
    "x",
];

/// Where such a name is another thing: a script of the project's by its name, runs of a service.
const RUN_THEIR_OWN: &[(&str, &str)] = &[
    ("bun", "run"),
    ("composer", "run"),
    ("gcloud", "run"),
    ("gh", "run"),
    ("lerna", "run"),
    ("npm", "run"),
    ("nx", "run"),
    ("pnpm", "run"),
    ("turbo", "run"),
    ("yarn", "run"),
];

/// The longest rule that a person reads to its end.
const RULE_CHARS_MAX: usize = 400;

/// A rule for this very command; nothing when a word of it may become anything.
pub(super) fn exact(run: &Run) -> Option<RuleText> {
    let unknown = |word: &Word| word.literal().is_none();
    if run.argv.iter().any(unknown) || run.assignments.iter().any(|it| unknown(&it.value)) {
        return None;
    }
    let heavy = run
        .assignments
        .iter()
        .filter(|it| it.weight != AssignmentWeight::Harmless)
        .map(|it| format!("{}={} ", it.name, it.value.source));
    exact_rule(&format!("{}{}", heavy.collect::<String>(), run.text))
}

/// A rule for this very text.
pub(super) fn exact_rule(text: &str) -> Option<RuleText> {
    let fits = !text.contains('\n')
        && !text.trim().is_empty()
        && text.chars().count() <= RULE_CHARS_MAX
        && pointsman_model::first_hidden(text).is_none()
        // A star would be read as any text, a `:*` as any end.
        && !text.contains('*');
    fits.then(|| RuleText::new(&format!("Bash({text})")))
}

/// A rule for this command with other arguments; its sub-command stays.
pub(super) fn prefix(run: &Run) -> Option<RuleText> {
    let risky = run.risks.iter().any(|risk| match risk.tag {
        RiskTag::Destructive | RiskTag::Privilege | RiskTag::Persistence => true,
        RiskTag::Network | RiskTag::Secrets => false,
    });
    let plain = match run.nature {
        RunNature::Program | RunNature::FileCommand | RunNature::KnownReader => true,
        RunNature::InlineCode | RunNature::Wrapper | RunNature::PlainWrapper => false,
    };
    if risky || !plain || !run.assignments.is_empty() {
        return None;
    }
    let mut words = run.argv.iter().map(|word| word.literal());
    let program = words.next()??;
    let name = program.rsplit('/').next().unwrap_or(program);
    let sub = words.next()?.filter(|word| is_plain(word))?;
    let pair = |table: &[(&str, &str)]| {
        table
            .iter()
            .any(|(one, two)| *one == name && (*two == sub || *two == "*"))
    };
    let starts = RUN_WHAT_FOLLOWS.contains(&sub) && !pair(RUN_THEIR_OWN);
    if NEVER_A_PREFIX.contains(&name) || !is_program(program) || pair(RUNNERS) || starts {
        return None;
    }
    if pair(NESTED) {
        let third = words.next()?.filter(|word| is_plain(word))?;
        if RUN_WHAT_FOLLOWS.contains(&third) && !pair(RUN_THEIR_OWN) {
            return None;
        }
        return Some(RuleText::new(&format!("Bash({program} {sub} {third} *)")));
    }
    Some(RuleText::new(&format!("Bash({program} {sub} *)")))
}

/// Whether a word may stand for a sub-command in a rule: no option, nothing that a shell or a rule would read otherwise.
fn is_plain(word: &str) -> bool {
    let first = word
        .chars()
        .next()
        .is_some_and(|char| char.is_ascii_alphanumeric());
    let rest =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | ':' | '/');
    first && word.chars().all(rest) && !word.ends_with(':')
}

fn is_program(word: &str) -> bool {
    word.chars()
        .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '/' | '+'))
}
