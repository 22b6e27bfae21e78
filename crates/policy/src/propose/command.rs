//! Rules for commands.

use pointsman_model::{AssignmentWeight, RiskTag, RuleText, Run, RunNature, Word};

/// Programs that run what their arguments say, or stand for any other: a prefix of them would be a rule for everything.
const NEVER_A_PREFIX: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "builtin",
    "bunx",
    "busybox",
    "chroot",
    "cmd",
    "command",
    "csh",
    "dash",
    "devbox",
    "direnv",
    "doas",
    "docker",
    "doppler",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "flatpak",
    "flock",
    "gawk",
    "gdb",
    "ionice",
    "kubectl",
    "ksh",
    "mawk",
    "mise",
    "nice",
    "nix",
    "nix-shell",
    "nohup",
    "nsenter",
    "npx",
    "op",
    "parallel",
    "pipx",
    "pkexec",
    "podman",
    "powershell",
    "pwsh",
    "runuser",
    "screen",
    "script",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "time",
    "timeout",
    "tmux",
    "unshare",
    "uvx",
    "vim",
    "watch",
    "xargs",
    "zsh",
];

/// Programs whose sub-commands have sub-commands, or name a script: the prefix is a word longer.
const NESTED: &[(&str, &str)] = &[
    ("aws", "*"),
    ("az", "*"),
    ("bun", "run"),
    ("bundle", "exec"),
    ("composer", "run"),
    ("deno", "task"),
    ("gcloud", "*"),
    ("gh", "*"),
    ("git", "bisect"),
    ("git", "notes"),
    ("git", "remote"),
    ("git", "stash"),
    ("git", "submodule"),
    ("git", "worktree"),
    ("glab", "*"),
    ("go", "mod"),
    ("go", "tool"),
    ("helm", "repo"),
    ("npm", "run"),
    ("npm", "run-script"),
    ("pnpm", "run"),
    ("rustup", "*"),
    ("terraform", "state"),
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
    ("npm", "x"),
    ("pdm", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
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
    if NEVER_A_PREFIX.contains(&name) || !is_program(program) || pair(RUNNERS) {
        return None;
    }
    if pair(NESTED) {
        let third = words.next()?.filter(|word| is_plain(word))?;
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
