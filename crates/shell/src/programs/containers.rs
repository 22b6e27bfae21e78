//! Containers: what of this machine they are given, built from, and copied in and out.
//!
//! What a command in the container names below a mount is the file here: [`mounts`] tells which name
//! stands for which place. A program that is given the project's own folder is a program that runs in the project, and
//! no more is told of it than of those outside; one that is given another folder may read and change all of it.

use pointsman_model::{Change, Reach};

use super::carriers::values;
use super::transfer::{is_remote, landed};
use super::uses::Uses;
use super::{Use, UseKind};
use crate::field::Field;
use crate::walk::Called;

/// A folder of this machine under its name in the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Its place here.
    pub(crate) from: Field,
    /// Its name in there, when that is told.
    pub(crate) at: Option<Field>,
    pub(crate) mounted: Mounted,
}

/// What a container may do with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mounted {
    ToRead,
    ToChange,
}

/// Whether programs of that name run containers.
pub(crate) fn runs_containers(name: &str) -> bool {
    matches!(
        name,
        "docker"
            | "podman"
            | "nerdctl"
            | "docker-compose"
            | "podman-compose"
            | "buildah"
            | "container"
            | "apptainer"
            | "singularity"
            | "systemd-nspawn"
            | "ctr"
            | "finch"
            | "distrobox"
            | "distrobox-create"
            | "distrobox-ephemeral"
    )
}

/// The folders that a container is given.
pub(crate) fn mounts(name: &str, args: &[Field]) -> Vec<Mount> {
    let mut found = Vec::new();
    for value in volumes(name, args) {
        found.push(short(&value));
    }
    for value in values(args, "--mount") {
        found.extend(long(&unquoted(&value)));
    }
    for option in ["-o", "--opt"] {
        // `docker volume create -o device=/here`
        let values = values(args, option);
        found.extend(values.iter().filter_map(device));
    }
    if name == "systemd-nspawn" {
        for option in ["-D", "--directory", "--template", "-i", "--image"] {
            for from in values(args, option) {
                let root = Field::made("/", from.span);
                found.push(Mount {
                    from,
                    at: Some(root),
                    mounted: Mounted::ToChange,
                });
            }
        }
    }
    for (at, option) in args.iter().enumerate() {
        let mounted = match option.text() {
            Some("--bind" | "--dev-bind" | "--bind-try" | "--dev-bind-try") => Mounted::ToChange,
            Some("--ro-bind" | "--ro-bind-try") => Mounted::ToRead,
            Some(_) | None => continue,
        };
        // `bwrap --bind here there`
        if let (Some(from), Some(there)) = (args.get(at + 1), args.get(at + 2))
            && !from.prefix().contains(':')
        {
            found.push(Mount {
                from: from.clone(),
                at: Some(there.clone()),
                mounted,
            });
        }
    }
    found
}

/// The values of options that say in short what is mounted where.
fn volumes(name: &str, args: &[Field]) -> Vec<Field> {
    // To others `-v` is a word for itself.
    let options: &[&str] = match name {
        "distrobox" | "distrobox-create" | "distrobox-ephemeral" => &["--volume"],
        _ => &["-v", "--volume", "-B", "--bind", "--bind-ro"],
    };
    let told = options.iter().flat_map(|option| values(args, option));
    let mut found: Vec<Field> = told.chain(args.iter().filter_map(bundled)).collect();
    for value in &mut found {
        // `-v=/here:/there`
        if value.prefix().starts_with('=') {
            *value = value.tail(1);
        }
    }
    if !matches!(name, "apptainer" | "singularity") {
        return found;
    }
    let pieces = |value: Field| -> Vec<Field> {
        let span = value.span;
        match value.text() {
            Some(text) => text.split(',').map(|it| Field::made(it, span)).collect(),
            None => vec![value],
        }
    };
    found.into_iter().flat_map(pieces).collect()
}

/// `-itv/here:/there`, where switches stand in front of the option in one word.
fn bundled(field: &Field) -> Option<Field> {
    let letters = field.prefix().strip_prefix('-')?;
    let rest = letters.trim_start_matches(['i', 't', 'd', 'P', 'q']);
    let value = rest.strip_prefix('v')?;
    let switches = letters.len() - rest.len();
    (switches > 0 && !value.is_empty()).then(|| field.tail(1 + switches + 1))
}

/// `device=/here`, as volumes are told what they stand for.
fn device(setting: &Field) -> Option<Mount> {
    const KEY: &str = "device=";
    let place = setting.prefix().strip_prefix(KEY)?;
    // Other devices are words: `tmpfs`.
    let known = setting.text().is_some();
    let is_place = place.starts_with(['/', '.', '~']) || place.is_empty() && !known;
    is_place.then(|| Mount {
        from: setting.tail(KEY.len()),
        at: None,
        mounted: Mounted::ToChange,
    })
}

/// The value without the quotes that its parts may stand in.
fn unquoted(value: &Field) -> Field {
    match value.text() {
        Some(text) if text.contains('"') => Field::made(&text.replace('"', ""), value.span),
        Some(_) | None => value.clone(),
    }
}

/// The folder in which a command in the container runs, where an option says so.
pub(crate) fn folder(args: &[Field]) -> Option<Field> {
    ["-w", "--workdir", "--pwd", "--chdir"]
        .into_iter()
        .find_map(|option| values(args, option).into_iter().next())
}

/// `/here:/there:ro`
fn short(value: &Field) -> Mount {
    let Some(text) = value.text().map(str::to_owned) else {
        // What stands behind the part that is known may be anything.
        return Mount {
            from: value.until(&[':']),
            at: None,
            mounted: Mounted::ToChange,
        };
    };
    let mut parts = text.split(':').skip(1);
    let at = parts.next().map(|at| Field::made(at, value.span));
    let alone = |word: &str| matches!(word, "ro" | "readonly");
    let mounted = match parts.next().is_some_and(|it| it.split(',').any(alone)) {
        true => Mounted::ToRead,
        false => Mounted::ToChange,
    };
    Mount {
        from: value.until(&[':']),
        at,
        mounted,
    }
}

/// `type=bind,source=/here,target=/there,readonly`
fn long(value: &Field) -> Option<Mount> {
    let prefix = value.prefix();
    let mut mount: Option<Mount> = None;
    let mut at = None;
    let mut mounted = Mounted::ToChange;
    let mut skip = 0;
    for piece in prefix.split(',') {
        match piece.split_once('=') {
            Some(("src" | "source", place)) => {
                let from = value.tail(skip + piece.len() - place.len());
                mount = Some(Mount {
                    from: from.until(&[',']),
                    at: None,
                    mounted,
                });
            }
            Some(("dst" | "target" | "destination", place)) => {
                at = Some(Field::made(place, value.span));
            }
            Some(("volume-opt", option)) => {
                let option = value.tail(skip + piece.len() - option.len());
                mount = device(&option.until(&[','])).or(mount);
            }
            // `ctr` has them in a list of their own.
            Some(("options", list)) if list.split(':').any(|it| it == "ro") => {
                mounted = Mounted::ToRead;
            }
            Some(("readonly" | "ro", "false")) => mounted = Mounted::ToChange,
            Some(("readonly" | "ro", _)) => mounted = Mounted::ToRead,
            None if matches!(piece, "readonly" | "ro") => mounted = Mounted::ToRead,
            _ => {}
        }
        skip += piece.len() + 1;
    }
    if mount.is_none() && value.text().is_none() {
        // It may name any folder.
        return Some(Mount {
            from: value.clone(),
            at: None,
            mounted,
        });
    }
    mount.map(|mount| Mount {
        at,
        mounted,
        ..mount
    })
}

/// The files of this machine that the command hands to containers, or takes from them.
pub(super) fn uses(called: &Called<'_>, name: &str) -> Vec<Use> {
    if !runs_containers(name) {
        return Vec::new();
    }
    let mut uses = Uses::default();
    let args = called.args();
    if !removes(args) {
        // Whatever the subcommand: it may be unknown, an alias, or one of a newer version.
        for mount in mounts(name, args) {
            uses.push(&mount.from, UseKind::Mount(mount.mounted));
        }
    }
    let words: Vec<&Field> = args.iter().filter(|it| !it.may_be_option()).collect();
    let own = own(args, &words);
    let verbs = verbs(args, own);
    let verb = verbs.iter().find_map(|word| verb_of(word.text()?));
    // So many options may stand in front of it that it is looked for among all of them.
    let copies = |word: &&Field| word.is("cp") && !is_value(word, args);
    if own.iter().any(copies) {
        copied(&words, &mut uses);
    }
    match verb {
        Some(Verb::Build) => built(called, &words, &mut uses),
        Some(Verb::Compose) => composed(called, verbs, &mut uses),
        Some(Verb::Take) => {
            // `docker secret ls` takes nothing.
            let taking = |word: &Field| {
                let text = word.text();
                matches!(text, Some("import" | "add" | "copy" | "create" | "play"))
            };
            if let Some(at) = words.iter().position(|word| taking(word)) {
                for word in words.iter().skip(at + 1) {
                    uses.push(word, UseKind::Read(Reach::ContentBelow));
                }
            }
        }
        None if matches!(name, "docker-compose" | "podman-compose") => {
            composed(called, verbs, &mut uses);
        }
        Some(Verb::Copy) | None => {}
    }
    if verbs.iter().any(|word| word.is("load")) {
        for value in ["-i", "--input"].iter().flat_map(|it| values(args, it)) {
            uses.push(&value, UseKind::Read(Reach::Itself));
        }
    }
    uses.list()
}

/// The words that are the program's own: none behind the one with which a command in the container begins.
fn own<'w>(args: &[Field], words: &'w [&Field]) -> &'w [&'w Field] {
    let runs = |word: &&Field| {
        let text = word.text();
        matches!(text, Some("run" | "exec" | "create" | "start"))
            // There it may be a name: `docker --context run build .`
            && !may_be_value(word, args)
    };
    let end = words.iter().position(runs).unwrap_or(words.len());
    words.get(..end).unwrap_or_default()
}

/// Words that surely are no option's value and may say what is done, beyond which none is looked at.
const VERBS_MAX: usize = 4;

/// Words that are looked at in search of them; what programs have global options for is less.
const SEARCHED_MAX: usize = 16;

/// The words that may say what is done.
fn verbs<'w>(args: &[Field], own: &'w [&Field]) -> &'w [&'w Field] {
    let searched = own.get(..SEARCHED_MAX).unwrap_or(own);
    let sure = |word: &(usize, &&Field)| !may_be_value(word.1, args);
    let beyond = searched.iter().enumerate().filter(sure).nth(VERBS_MAX);
    let end = beyond.map_or(searched.len(), |(at, _)| at);
    searched.get(..end).unwrap_or_default()
}

/// Whether an option stands in front of the word that has no value yet.
fn may_be_value(word: &Field, args: &[Field]) -> bool {
    word.before(args)
        .is_some_and(|before| before.may_be_option() && !before.prefix().contains('='))
}

/// `docker rm -v name`, `docker compose down -v`: there the option takes no value. In front of the
/// word nothing may stand that could have it for a value.
fn removes(args: &[Field]) -> bool {
    let noun = args
        .first()
        .is_some_and(|it| matches!(it.text(), Some("container" | "compose")));
    let verb = args.get(usize::from(noun)).and_then(Field::text);
    matches!(verb, Some("rm" | "down"))
}

/// What is done with files of this machine.
enum Verb {
    /// An image is made from a folder.
    Build,
    /// A file says which folders are built from and mounted.
    Compose,
    /// The operands are taken in.
    Take,
    /// Files go into a container, or come out of it.
    Copy,
}

fn verb_of(word: &str) -> Option<Verb> {
    match word {
        "build" | "bud" => Some(Verb::Build),
        "cp" => Some(Verb::Copy),
        "compose" | "stack" => Some(Verb::Compose),
        "import" | "add" | "copy" | "play" | "kube" | "secret" | "config" | "plugin" => {
            Some(Verb::Take)
        }
        _ => None,
    }
}

/// `docker cp here container:there`, and back. What is on the other side looks like a name that is not here.
fn copied(words: &[&Field], uses: &mut Uses) {
    let operands = words.iter().skip_while(|word| !word.is("cp")).skip(1);
    let mut operands: Vec<&&Field> = operands.collect();
    let target = operands.pop();
    if let Some(target) = target {
        uses.push(target, UseKind::Write(Change::Content));
        uses.push(target, UseKind::Below(Change::Content));
    }
    for source in operands {
        uses.push(source, UseKind::Read(Reach::ContentBelow));
        if let Some(target) = target.filter(|_| is_remote(source)) {
            uses.push(&landed(target, source), UseKind::Fills);
        }
    }
}

/// The whole folder is sent to what builds.
fn built(called: &Called<'_>, words: &[&Field], uses: &mut Uses) {
    let args = called.args();
    for value in values(args, "--build-context") {
        let skip = value.prefix().find('=').map_or(0, |at| at + 1);
        uses.push(&value.tail(skip), UseKind::Read(Reach::ContentBelow));
    }
    for option in ["-o", "--output"] {
        for value in values(args, option) {
            let skip = value.prefix().find("dest=").map_or(0, |at| at + 5);
            let place = value.tail(skip).until(&[',']);
            uses.push(&place, UseKind::Write(Change::Content));
            uses.push(&place, UseKind::Below(Change::Content));
        }
    }
    let places = words.iter().filter(|word| {
        let text = word.prefix();
        let nothing = text.is_empty() && word.text().is_some();
        !(nothing || text.contains("://"))
    });
    for place in places {
        let word = place.text().is_some_and(|text| verb_of(text).is_some());
        if !word && !is_value(place, args) {
            uses.push(place, UseKind::Read(Reach::ContentBelow));
        }
    }
}

/// Whether the word is the value of an option that names no folder to build from.
fn is_value(word: &Field, args: &[Field]) -> bool {
    word.before(args)
        .and_then(Field::text)
        .is_some_and(|option| {
            matches!(
                option,
                "-t" | "--tag"
                | "--target"
                | "--build-arg"
                | "--platform"
                | "--network"
                | "--progress"
                | "--label"
                | "--builder"
                | "--cache-from"
                | "--cache-to"
                // Told as mounts.
                | "-v"
                | "--volume"
                | "--mount"
            )
        })
}

/// The files that are read by their names: which folders they mount and build from stands in them.
fn composed(called: &Called<'_>, verbs: &[&Field], uses: &mut Uses) {
    let args = called.args();
    let mut named = false;
    for option in ["-f", "--file", "-c", "--compose-file"] {
        for file in values(args, option) {
            named = true;
            uses.push(&file, UseKind::Read(Reach::Itself));
        }
    }
    let shows = |word: &&&Field| matches!(word.text(), Some("config" | "convert"));
    let usual: &[&str] = match verbs.iter().find(shows) {
        // Values for what the files leave open are taken from there, and shown.
        Some(_) => &[".env", "compose.yaml", "docker-compose.yml"],
        None => &["compose.yaml", "docker-compose.yml"],
    };
    let folder = values(args, "--project-directory").into_iter().next();
    let folder = folder.as_ref().and_then(Field::text).unwrap_or(".");
    for name in usual.iter().filter(|name| !named || **name == ".env") {
        let file = format!("{}/{name}", folder.trim_end_matches('/'));
        uses.push(
            &Field::made(&file, called.span),
            UseKind::Read(Reach::Itself),
        );
    }
}
