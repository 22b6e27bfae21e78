//! Package runners, containers and remote shells: a rule for them covers what they start, which is
//! listed for rules that deny and ask.

use pointsman_model::{EffectView, OpaqueWhy, RunNature};

use super::table::Kind;
use super::{Guess, OneWord, guess, outer};
use crate::field::Field;
use crate::names::ByName;
use crate::programs;
use crate::state::State;
use crate::walk::{Called, Scene, Walker, folder_of, paths};

/// Programs that run a package's command: all of their arguments, or those behind these words.
const RUNNERS: [(&str, &[&str]); 79] = [
    ("npx", &[]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("uvx", &[]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["dlx", "exec"]),
    ("yarn", &["dlx", "exec"]),
    ("bun", &["x"]),
    ("uv", &["run"]),
    ("pipx", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("bundle", &["exec"]),
    ("conda", &["run"]),
    ("mamba", &["run"]),
    ("docker", &["exec", "run", "create"]),
    ("podman", &["exec", "run", "create"]),
    ("nerdctl", &["exec", "run", "create"]),
    ("container", &["exec", "run", "create"]),
    ("finch", &["exec", "run", "create"]),
    ("ctr", &["exec", "run"]),
    ("buildah", &["run", "from"]),
    ("apptainer", &["exec", "run", "shell"]),
    ("singularity", &["exec", "run", "shell"]),
    ("systemd-nspawn", &[]),
    ("docker-compose", &["exec", "run"]),
    ("podman-compose", &["exec", "run"]),
    ("kubectl", &["exec", "run", "debug"]),
    ("oc", &["exec", "run", "rsh", "debug"]),
    ("heroku", &["run", "run:detached"]),
    ("toolbox", &["run"]),
    ("distrobox", &["enter", "ephemeral"]),
    ("flatpak", &["run"]),
    ("lxc", &["exec"]),
    ("incus", &["exec"]),
    ("multipass", &["exec"]),
    ("vagrant", &["ssh"]),
    ("minikube", &["ssh"]),
    ("gcloud", &["ssh"]),
    ("gh", &["ssh", "alias"]),
    ("glab", &["alias"]),
    ("fly", &["ssh"]),
    ("flyctl", &["ssh"]),
    ("machinectl", &["shell"]),
    ("ip", &["exec"]),
    ("cargo", &["watch"]),
    ("direnv", &["exec"]),
    ("nix", &["develop", "shell", "run"]),
    ("cmake", &["-E"]),
    ("dotnet", &["exec", "watch"]),
    ("just", &["--command", "-c"]),
    ("tox", &["--"]),
    ("nox", &["--"]),
    ("capsh", &["--"]),
    ("concurrently", &[]),
    ("nodemon", &[]),
    ("watchexec", &[]),
    ("cargo-watch", &[]),
    ("pee", &[]),
    ("cmd", &["/c", "/C", "/k", "/K"]),
    ("cmd.exe", &["/c", "/C", "/k", "/K"]),
    ("adb", &["shell"]),
    ("mise", &["exec", "x", "run"]),
    ("asdf", &["exec"]),
    ("nvm", &["exec", "run"]),
    ("fnm", &["exec"]),
    ("volta", &["run"]),
    ("rustup", &["run"]),
    ("railway", &["run"]),
    ("env-cmd", &[]),
    ("rtk", &[]),
    ("consul", &["exec", "lock", "watch"]),
    ("sops", &["exec-env", "exec-file"]),
    ("sshpass", &[]),
    ("foreman", &["run"]),
    ("honcho", &["run"]),
];

static BY_NAME: ByName<&[&str]> = ByName::new(|| RUNNERS.into_iter().collect());

/// Subcommands of a terminal's multiplexer that run a command line, type one, or keep one for later.
const MULTIPLEXED: [&str; 34] = [
    "new",
    "new-session",
    "neww",
    "new-window",
    "splitw",
    "split-window",
    "respawn-pane",
    "respawnp",
    "respawn-window",
    "respawnw",
    "run",
    "run-shell",
    "if",
    "if-shell",
    "pipe-pane",
    "pipep",
    "popup",
    "display-popup",
    "confirm",
    "confirm-before",
    "send",
    "send-keys",
    "set",
    "set-option",
    "setw",
    "set-window-option",
    "set-hook",
    "bind",
    "bind-key",
    "-X",
    "-dm",
    "-d",
    "-dmS",
    "-m",
];

/// Whether a program of that name is a runner.
pub(super) fn is_runner(name: &str) -> bool {
    BY_NAME.contains_key(name) || matches!(name, "tmux" | "screen" | "byobu" | "zellij")
}

/// Calls the runner, if the command is one in a form that runs something.
pub(super) fn call(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &mut State,
) -> bool {
    if matches!(name, "ssh" | "mosh" | "autossh" | "dbclient") {
        remote(walker, scene, called, state);
        return true;
    }
    if matches!(name, "tmux" | "screen" | "byobu" | "zellij") {
        return multiplexer(walker, scene, called, name, state);
    }
    let Some(words) = BY_NAME.get(name) else {
        return false;
    };
    let args = called.args();
    let from = if words.is_empty() {
        0
    } else {
        let compose = usize::from(args.first().is_some_and(|field| field.is("compose")));
        match args
            .iter()
            .skip(compose)
            .take(4)
            .position(|field| field.text().is_some_and(|text| words.contains(&text)))
        {
            Some(at) => compose + at + 1,
            None => return false,
        }
    };
    let facts = programs::describe(&programs::Asked {
        called,
        state,
        start: walker.start,
    });
    if facts.nature == RunNature::KnownReader {
        // A listing whose operand has such a name.
        return false;
    }
    outer(walker, called, Kind::Runner, state);
    let mut own = state.clone();
    own.forget_variables();
    if programs::runs_containers(name) {
        enter(name, args, state, &mut own);
        // Another command of the line may run in the same container.
        let before = state.clone();
        mount_names(name, args, &before, state);
    }
    // Where the command begins depends on options that differ from version to version.
    let begins = Guess {
        from,
        skip: in_front(name),
        word: words_of(name, args, from),
    };
    guess(walker, scene, called, begins, &own);
    true
}

/// How many words stand in front of a runner's command besides its options and their values.
fn in_front(name: &str) -> usize {
    match name {
        // Each word is a command.
        "concurrently" | "pee" => usize::MAX / 2,
        // `alias set name command`
        "gh" | "glab" => 2,
        // A container, an image, a place, a version, a file.
        "adb" | "apptainer" | "buildah" | "consul" | "container" | "ctr" | "direnv"
        | "distrobox" | "docker" | "docker-compose" | "finch" | "flatpak" | "gcloud" | "incus"
        | "ip" | "kubectl" | "lxc" | "machinectl" | "mise" | "multipass" | "nerdctl" | "nvm"
        | "oc" | "podman" | "podman-compose" | "rustup" | "singularity" | "sops" | "vagrant" => 1,
        _ => 0,
    }
}

/// What becomes of the words behind the subcommand, which ends in front of `from`. What `exec` starts in a container is
/// given its words as they are; with `run` an image may begin with a shell.
fn words_of(name: &str, args: &[Field], from: usize) -> OneWord {
    const VALUED: [&str; 10] = [
        "-f",
        "--file",
        "-p",
        "--project-name",
        "--project-directory",
        "--profile",
        "--env-file",
        "-n",
        "--namespace",
        "--context",
    ];
    let execs = matches!(
        name,
        "docker" | "docker-compose" | "podman" | "podman-compose" | "nerdctl" | "kubectl" | "oc"
    );
    let mut at = usize::from(args.first().is_some_and(|it| it.is("compose")));
    while let Some(text) = args.get(at).and_then(Field::text)
        && let Some(option) = text.split('=').next().filter(|it| VALUED.contains(it))
    {
        at += if option == text { 2 } else { 1 };
    }
    if execs && at + 1 == from && args.get(at).is_some_and(|it| it.is("exec")) {
        OneWord::Argument
    } else {
        OneWord::MayBeScript
    }
}

/// What the command in a container finds there: names for what is mounted, and the folder that it runs
/// in. That the container is given it, its arguments tell whatever the subcommand.
fn enter(name: &str, args: &[Field], state: &State, own: &mut State) {
    mount_names(name, args, state, own);
    if let Some(folder) = programs::container_folder(args) {
        own.may_also_be_in(&[folder_of(&folder, state)]);
    }
}

/// The names by which a command behind the options knows what is mounted there.
pub(super) fn mount_names(name: &str, args: &[Field], state: &State, own: &mut State) {
    for mount in programs::mounts(name, args) {
        if let Some(at) = &mount.at {
            own.link(&paths(at, state), &paths(&mount.from, state));
        }
    }
}

/// `tmux new 'command'`, `tmux send-keys 'command' Enter`, `screen -dm command`, `screen command`.
fn multiplexer(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &mut State,
) -> bool {
    let args = called.args();
    let told = args
        .iter()
        .position(|field| field.text().is_some_and(|text| MULTIPLEXED.contains(&text)));
    let direct = name == "screen" && args.iter().any(|field| !field.may_be_option());
    let Some(at) = told.or(direct.then_some(0)) else {
        return false;
    };
    outer(walker, called, Kind::Loud, state);
    let mut own = state.clone();
    own.forget_variables();
    // The subcommand stands in front.
    let begins = Guess::at(at, usize::from(told.is_some()));
    guess(walker, scene, called, begins, &own);
    true
}

/// `ssh [options] host [command]`
fn remote(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &mut State) {
    const VALUED: &str = "BbcDEeFIiJLlmOopPQRSWw";
    outer(walker, called, Kind::Runner, state);
    let args = called.args();
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let Some(text) = field.text().filter(|text| text.starts_with('-')) else {
            break;
        };
        at += 1;
        let letters = text.get(1..).unwrap_or("");
        let valued = letters.find(|char| VALUED.contains(char));
        if valued.is_some_and(|valued| valued + 1 == letters.len()) {
            at += 1;
        }
    }
    let Some(host) = args.get(at) else {
        return;
    };
    let name = host.text().map(|text| {
        let text = text.strip_prefix("ssh://").unwrap_or(text);
        let text = text.rsplit('@').next().unwrap_or(text);
        text.split([':', '/']).next().unwrap_or(text)
    });
    walker.connect(called.view, name, host, called.part);
    // Options may stand behind the host too.
    let mut behind = at + 1;
    while let Some(text) = args.get(behind).and_then(Field::text)
        && text.starts_with('-')
    {
        behind += 1;
        let letters = text.get(1..).unwrap_or("");
        let valued = letters.find(|char| VALUED.contains(char));
        behind += usize::from(valued.is_some_and(|at| at + 1 == letters.len()));
        if text == "--" {
            break;
        }
    }
    let command = args.get(behind..).unwrap_or_default();
    if command.is_empty() && !called.input.fed {
        return;
    }
    walker.sink.opaque(
        called.part,
        called.view,
        OpaqueWhy::Remote,
        &called.text(),
        called.span,
    );
    let texts: Option<Vec<&str>> = command.iter().map(Field::text).collect();
    if command.is_empty() {
        super::shells::fed(walker, scene, called, EffectView::Might, state);
    } else if let Some(texts) = texts {
        let mut own = state.clone();
        own.functions.clear();
        own.forget_variables();
        let text = texts.join(" ");
        let (span, view) = (called.span, EffectView::Might);
        let inner = Scene { view, ..*scene };
        walker.call_script(&inner, called, &text, span, view, &mut own);
    } else {
        super::unknown_script(walker, called, None);
    }
}
