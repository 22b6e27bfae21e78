//! What speaks for a second look at a command, for the dialog. Nothing is decided by it.

mod words;

use pointsman_model::{
    AbsPath, Change, Effect, EffectKind, PathUse, PathValue, Risk, RiskTag, Run, RunNature, Span,
    Word,
};

use crate::names::ByName;
use crate::programs::last_name;

/// Programs that earn a tag by their name.
const PROGRAMS: [(RiskTag, &[&str]); 5] = [
    (
        RiskTag::Destructive,
        &[
            "rm", "rmdir", "shred", "dd", "mkfs", "truncate", "wipefs", "fdisk", "parted", "srm",
            "unlink", "shutdown", "reboot", "halt", "poweroff", "killall5",
        ],
    ),
    (
        RiskTag::Network,
        &[
            "curl", "wget", "ssh", "scp", "sftp", "ftp", "rsync", "nc", "ncat", "netcat", "socat",
            "telnet", "nmap", "aria2c",
        ],
    ),
    (
        RiskTag::Privilege,
        &[
            "sudo", "su", "doas", "pkexec", "run0", "chown", "chgrp", "setfacl", "usermod",
            "useradd", "visudo", "passwd", "mount", "umount", "insmod", "modprobe", "sysctl",
            "nsenter", "unshare", "setcap", "gosu",
        ],
    ),
    (
        RiskTag::Persistence,
        &["crontab", "at", "batch", "update-rc.d", "chkconfig"],
    ),
    (
        RiskTag::Secrets,
        &[
            "printenv",
            "gpg",
            "pass",
            "op",
            "security",
            "secret-tool",
            "ssh-add",
            "vault",
            "keyctl",
        ],
    ),
];

static BY_NAME: ByName<RiskTag> = ByName::new(|| {
    let tagged = PROGRAMS.into_iter();
    tagged
        .flat_map(|(tag, names)| names.iter().map(move |name| (*name, tag)))
        .collect()
});

/// First words that earn a tag, by program and subcommand.
static COMMANDS: [(RiskTag, &str, &[&str]); 14] = [
    (
        RiskTag::Destructive,
        "git",
        &["clean", "filter-branch", "gc", "prune"],
    ),
    (
        RiskTag::Network,
        "git",
        &["push", "pull", "fetch", "clone", "ls-remote"],
    ),
    (
        RiskTag::Network,
        "npm",
        &["install", "i", "ci", "publish", "update", "add"],
    ),
    (
        RiskTag::Network,
        "pnpm",
        &["install", "i", "add", "publish", "update"],
    ),
    (RiskTag::Network, "yarn", &["install", "add", "publish"]),
    (RiskTag::Network, "pip", &["install", "download"]),
    (RiskTag::Network, "pip3", &["install", "download"]),
    (
        RiskTag::Network,
        "cargo",
        &["install", "publish", "fetch", "update", "add"],
    ),
    (RiskTag::Network, "docker", &["pull", "push", "login"]),
    (
        RiskTag::Destructive,
        "docker",
        &["rm", "rmi", "system", "prune", "volume"],
    ),
    (
        RiskTag::Destructive,
        "kubectl",
        &["delete", "drain", "replace"],
    ),
    (RiskTag::Destructive, "terraform", &["destroy", "apply"]),
    (RiskTag::Network, "apt", &["install", "update", "upgrade"]),
    (
        RiskTag::Network,
        "apt-get",
        &["install", "update", "upgrade"],
    ),
];

/// Options that earn a tag, by program.
static OPTIONS: [(RiskTag, &str, &[&str]); 6] = [
    (
        RiskTag::Destructive,
        "git",
        &[
            "--force",
            "-f",
            "--hard",
            "--force-with-lease",
            "-D",
            "--mirror",
        ],
    ),
    (RiskTag::Destructive, "find", &["-delete"]),
    (
        RiskTag::Destructive,
        "rsync",
        &["--delete", "--remove-source-files"],
    ),
    (
        RiskTag::Privilege,
        "chmod",
        &["777", "-R", "+s", "u+s", "4755"],
    ),
    (RiskTag::Privilege, "docker", &["--privileged"]),
    (RiskTag::Destructive, "sed", &["-i"]),
];

/// Names of files with secrets, and ends of such names.
const SECRET_NAMES: [&str; 14] = [
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "credentials",
    "credentials.json",
    "shadow",
    ".git-credentials",
    "secrets.json",
    "secrets.yaml",
];
const SECRET_ENDS: [&str; 6] = [".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore"];
const SECRET_FOLDERS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".kube", ".docker", "secrets"];

/// What is read at the start of a session, or by a timer.
const LASTING_NAMES: [&str; 14] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".xinitrc",
    ".xprofile",
    "authorized_keys",
    "crontab",
    "rc.local",
    ".gitconfig",
];
const LASTING_FOLDERS: [&str; 9] = [
    ".husky",
    "cron.d",
    "cron.daily",
    "cron.hourly",
    "cron.weekly",
    "LaunchAgents",
    "LaunchDaemons",
    "autostart",
    "init.d",
];

/// Puts the tags on the runs, from what they are and from the effects beside them.
pub(crate) fn mark(effects: &mut [Effect], home: &AbsPath) {
    let mut earned: Vec<(u32, Risk)> = Vec::new();
    for effect in effects.iter() {
        match &effect.kind {
            EffectKind::Read(used) if is_secret(used) => {
                earned.push((effect.part, risk(RiskTag::Secrets, used.span)));
            }
            EffectKind::Write { target, change } => {
                if is_lasting(target) {
                    earned.push((effect.part, risk(RiskTag::Persistence, target.span)));
                }
                if *change == Change::Remove {
                    earned.push((effect.part, risk(RiskTag::Destructive, target.span)));
                }
                if outside_home(target, home) {
                    earned.push((effect.part, risk(RiskTag::Privilege, target.span)));
                }
            }
            EffectKind::Connect(host) => {
                earned.push((effect.part, risk(RiskTag::Network, host.span)));
            }
            EffectKind::Read(_)
            | EffectKind::Run(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => {}
        }
    }
    for effect in effects.iter_mut() {
        let part = effect.part;
        let EffectKind::Run(run) = &mut effect.kind else {
            continue;
        };
        if run.nature != RunNature::KnownReader {
            by_name(run);
        } else if empties(run) {
            push(run, RiskTag::Destructive, run.span);
        }
        for (_, risk) in earned.iter().filter(|(of, _)| *of == part) {
            push(run, risk.tag, risk.span);
        }
    }
}

fn risk(tag: RiskTag, span: Option<Span>) -> Risk {
    Risk {
        tag,
        span: span.unwrap_or(Span { start: 0, end: 0 }),
    }
}

/// Each tag once.
fn push(run: &mut Run, tag: RiskTag, span: Span) {
    if !run.risks.iter().any(|risk| risk.tag == tag) {
        run.risks.push(Risk { tag, span });
    }
}

fn by_name(run: &mut Run) {
    let Some(program) = run.program() else {
        return;
    };
    let name = last_name(program);
    let mut found: Vec<(RiskTag, Span)> = Vec::new();
    let head = run.argv.first().map_or(run.span, |word| word.span);
    if let Some(tag) = BY_NAME.get(name) {
        found.push((*tag, head));
    } else if name.starts_with("mkfs.") {
        found.push((RiskTag::Destructive, head));
    }
    let words = run.canonical.as_ref().unwrap_or(&run.argv);
    for (tag, program, subcommands) in &COMMANDS {
        if *program == name
            && let Some(word) = words.get(1)
            && word
                .literal()
                .is_some_and(|text| subcommands.contains(&text))
        {
            found.push((*tag, word.span));
        }
    }
    for (tag, program, options) in &OPTIONS {
        if *program == name
            && let Some(word) = words
                .iter()
                .skip(1)
                .find(|word| word.literal().is_some_and(|text| options.contains(&text)))
        {
            found.push((*tag, word.span));
        }
    }
    found.extend(words::by_words(name, words));
    found.extend(words::by_code(run, name));
    found.extend(emptied(name, words));
    if run.nature == RunNature::Program && name == "env" && run.argv.len() == 1 {
        found.push((RiskTag::Secrets, head));
    }
    for (tag, span) in found {
        push(run, tag, span);
    }
}

/// Where a file is put over another one, or in its place, that has nothing in it.
fn emptied(name: &str, words: &[Word]) -> Option<(RiskTag, Span)> {
    if !matches!(name, "cp" | "install" | "ln") {
        return None;
    }
    let empty = words
        .iter()
        .skip(1)
        .find(|word| word.literal() == Some("/dev/null"))?;
    Some((RiskTag::Destructive, empty.span))
}

/// Whether it is a redirect alone, which empties its file.
fn empties(run: &Run) -> bool {
    run.argv.is_empty() && run.text.starts_with('>') && !run.text.starts_with(">>")
}

fn path_text(used: &PathUse) -> &str {
    match &used.path {
        PathValue::Known(path) => path.as_str(),
        PathValue::Pattern { glob, .. } => glob,
        PathValue::Unknown(source) => source,
    }
}

fn is_secret(used: &PathUse) -> bool {
    let path = path_text(used);
    let name = last_name(path);
    SECRET_NAMES.contains(&name)
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || name == ".env"
        || name.starts_with(".env.") && !name.ends_with("example")
        || path
            .split('/')
            .rev()
            .skip(1)
            .any(|folder| SECRET_FOLDERS.contains(&folder))
}

fn is_lasting(used: &PathUse) -> bool {
    let path = path_text(used);
    let name = last_name(path);
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    // A folder of that name is a repository's own; sources have such folders too.
    let repository = |folders: &[&str]| {
        folders.first() == Some(&"hooks") && folders.iter().any(|folder| folder.ends_with(".git"))
    };
    LASTING_NAMES.contains(&name)
        || repository(&folders)
        || folders
            .iter()
            .any(|folder| LASTING_FOLDERS.contains(folder))
}

/// Folders that only the machine's administrator changes.
fn outside_home(used: &PathUse, home: &AbsPath) -> bool {
    const SYSTEM: [&str; 8] = [
        "/etc", "/usr", "/bin", "/sbin", "/boot", "/lib", "/opt", "/root",
    ];
    let PathValue::Known(path) = &used.path else {
        return false;
    };
    !path.is_within(home)
        && SYSTEM.iter().any(|folder| {
            path.as_str()
                .strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

#[cfg(test)]
mod tests;
