//! Configuration that a line takes from another place: it may name code (hooks, aliases, start files) that no word shows.

use pointsman_model::{AbsPath, Run, Word};

use super::{GIT, assigned, folder_of, is_one_of};
use crate::{EntryKind, Tree};

/// Variables that say where configuration lies, and the files below that programs look for; no name is the place itself.
const PLACES: &[(&[&str], &[&str])] = &[
    (
        &["HOME"],
        &[
            ".gitconfig",
            ".config/git/config",
            ".profile",
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".zshenv",
            ".zshrc",
            ".zprofile",
            ".config/fish/config.fish",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".cargo/config",
            ".cargo/config.toml",
            ".pip/pip.conf",
            ".config/pip/pip.conf",
            ".vimrc",
            ".vim/vimrc",
            ".config/nvim/init.lua",
            ".config/nvim/init.vim",
            ".emacs",
            ".emacs.d/init.el",
            ".psqlrc",
            ".sqliterc",
            ".gdbinit",
            ".ssh/config",
            ".docker/config.json",
            ".kube/config",
            ".m2/settings.xml",
            ".gradle/init.gradle",
            ".ansible.cfg",
            ".terraformrc",
            ".curlrc",
            ".wgetrc",
        ],
    ),
    (
        &["XDG_CONFIG_HOME"],
        &[
            "git/config",
            "fish/config.fish",
            "pip/pip.conf",
            "nvim/init.lua",
            "nvim/init.vim",
        ],
    ),
    (&["ZDOTDIR"], &[".zshenv", ".zshrc", ".zprofile", ".zlogin"]),
    (&["GIT_DIR", "GIT_COMMON_DIR"], &["config"]),
    (&["GIT_TEMPLATE_DIR"], &["config", "hooks"]),
    (&["CARGO_HOME"], &["config", "config.toml"]),
    (&["DOCKER_CONFIG"], &["config.json"]),
    (&["GRADLE_USER_HOME"], &["init.gradle", "gradle.properties"]),
    (&["CURL_HOME"], &[".curlrc"]),
    (
        &[
            "GIT_CONFIG",
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_SYSTEM",
            "NPM_CONFIG_USERCONFIG",
            "NPM_CONFIG_GLOBALCONFIG",
            "npm_config_userconfig",
            "npm_config_globalconfig",
            "PIP_CONFIG_FILE",
            "KUBECONFIG",
            "ANSIBLE_CONFIG",
            "TF_CLI_CONFIG_FILE",
            "PSQLRC",
            "WGETRC",
        ],
        &[""],
    ),
];

/// Variables that hold configuration themselves, as it is written in no file.
const GIT_SETTINGS: &[&str] = &["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"];

/// The setting of git that names the folder of its hooks.
const HOOKS: &str = "core.hookspath";

/// The files of configuration that a run looks for where the line says; most are not there.
pub(super) fn files(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let mut files = Vec::new();
    for (name, piece) in assigned(run) {
        let known = PLACES.iter().find(|(names, _)| names.contains(&name));
        let below = known.map_or(&[] as &[&str], |(_, below)| below);
        if piece.is_empty() || piece == "/dev/null" {
            continue;
        }
        let place = folder.join(&piece);
        files.extend(below.iter().map(|file| place.join(file)));
    }
    let included = settings(run).filter(|setting| is_include(&setting.name));
    let named = included.filter_map(|setting| setting.value);
    files.extend(named.map(|name| folder.join(name)));
    files
}

/// The folders of hooks that a run of git is told to take.
pub(super) fn hooks(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let named = settings(run).filter(|setting| setting.name == HOOKS);
    let named = named.filter_map(|setting| setting.value);
    named.map(|name| folder.join(name)).collect()
}

/// Whether a run takes configuration from another place than others do, and something is there. What that names in turn is
/// seen by nobody.
pub(super) fn is_elsewhere(folder: &AbsPath, run: &Run, tree: &dyn Tree) -> bool {
    let is_set = |name: &str| {
        let mut set = run.assignments.iter().filter(|it| *it.name == *name);
        set.any(|it| !matches!(it.value.literal(), Some("" | "0")))
    };
    let mut files = files(folder, run).into_iter();
    GIT_SETTINGS.iter().any(|name| is_set(name))
        || files.any(|file| tree.kind(&file) != EntryKind::Missing)
}

/// Whether a run of git takes code, or a file that may name some, from a variable of the environment that nobody sees here.
pub(super) fn is_from_environment(run: &Run) -> bool {
    let mut hidden = settings(run).filter(|setting| setting.value.is_none());
    hidden.any(|setting| setting.name == HOOKS || is_include(&setting.name))
}

/// A setting that a run of git is given in front of what it is to do.
struct Setting<'r> {
    /// In small letters.
    name: String,
    /// Nothing where a variable of the environment holds it that the line does not set.
    value: Option<&'r str>,
}

/// Whether a setting of git names a file of settings (`include.path`, `includeIf.gitdir:x.path`).
fn is_include(name: &str) -> bool {
    name == "include.path" || name.starts_with("includeif.") && name.ends_with(".path")
}

/// The settings that a run of git is given in front of what it is to do.
fn settings(run: &Run) -> impl Iterator<Item = Setting<'_>> {
    let is_git = run.program().is_some_and(|it| is_one_of(it, GIT));
    let words = || run.argv.iter().map(Word::literal);
    let pairs = words().zip(words().skip(1).chain([None]));
    let given = pairs.filter(move |_| is_git);
    given.filter_map(|(option, next)| match option? {
        "-c" => setting(next?),
        "--config-env" => from_environment(run, next?),
        option => from_environment(run, option.strip_prefix("--config-env=")?),
    })
}

/// `name=value`; one without a value is a switch.
fn setting(spelled: &str) -> Option<Setting<'_>> {
    // A condition may hold the sign, a name of its end does not (`includeIf.onbranch:a=b.path=f`).
    let includes = spelled.to_ascii_lowercase().starts_with("includeif.");
    let at = match includes {
        true => spelled.to_ascii_lowercase().find(".path=")? + ".path".len(),
        false => spelled.find('=')?,
    };
    Some(Setting {
        name: spelled.get(..at)?.to_ascii_lowercase(),
        value: Some(spelled.get(at + 1..)?),
    })
}

/// `name=VARIABLE`.
fn from_environment<'r>(run: &'r Run, spelled: &str) -> Option<Setting<'r>> {
    let (name, variable) = spelled.rsplit_once('=')?;
    let set = run.assignments.iter().rev();
    let mut set = set.filter(|it| *it.name == *variable);
    Some(Setting {
        name: name.to_ascii_lowercase(),
        value: set.next().and_then(|it| it.value.literal()),
    })
}
