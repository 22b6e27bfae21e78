//! Containers: what of this machine they are given, built from, and copied in and out.
//!
//! What a command in the container names below a mount is the file here: [`mounts`] tells which name
//! stands for which place. A program that is given the project's own folder is a program that runs in the project, and
//! no more is told of it than of those outside; one that is given another folder may read and change all of it.

use pointsman_model::{Change, EffectView, Reach};

use super::carriers::values;
use super::{Use, UseKind};
use crate::field::{Field, Known};
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
    )
}

/// The folders that a container is given.
pub(crate) fn mounts(args: &[Field]) -> Vec<Mount> {
    let mut found = Vec::new();
    for option in ["-v", "--volume", "-B", "--bind", "--bind-ro"] {
        for value in values(args, option) {
            found.push(short(&value));
        }
    }
    for value in values(args, "--mount") {
        found.extend(long(&unquoted(&value)));
    }
    for (at, option) in args.iter().enumerate() {
        let binds = matches!(option.text(), Some("--bind" | "--ro-bind" | "--dev-bind"));
        // `bwrap --bind here there`
        if let (true, Some(from), Some(there)) = (binds, args.get(at + 1), args.get(at + 2))
            && !from.prefix().contains(':')
        {
            found.push(Mount {
                from: from.clone(),
                at: Some(there.clone()),
                mounted: if option.is("--ro-bind") {
                    Mounted::ToRead
                } else {
                    Mounted::ToChange
                },
            });
        }
    }
    found
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
            from: cut(value, value.prefix().find(':')),
            at: None,
            mounted: Mounted::ToChange,
        };
    };
    let mut parts = text.split(':');
    let from = parts.next().unwrap_or("");
    let at = parts.next().map(|at| Field::made(at, value.span));
    let alone = |word: &str| matches!(word, "ro" | "readonly");
    let mounted = match parts.next().is_some_and(|it| it.split(',').any(alone)) {
        true => Mounted::ToRead,
        false => Mounted::ToChange,
    };
    Mount {
        from: cut(value, Some(from.len())),
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
                    from: cut(&from, Some(place.len()).filter(|_| from.text().is_some())),
                    at: None,
                    mounted,
                });
            }
            Some(("dst" | "target" | "destination", place)) => {
                at = Some(Field::made(place, value.span));
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

/// The field up to this place in it.
fn cut(field: &Field, end: Option<usize>) -> Field {
    match (&field.known, end) {
        (_, None) => field.clone(),
        (Known::Text(text), Some(end)) => Field {
            known: Known::Text(text.get(..end).unwrap_or(text).into()),
            ..field.clone()
        },
        (Known::Glob(_) | Known::Unknown(_), Some(end)) => Field {
            known: Known::Text(field.prefix().get(..end).unwrap_or("").into()),
            ..field.clone()
        },
    }
}

/// The files of this machine that the command hands to containers, or takes from them.
pub(super) fn uses(called: &Called<'_>, name: &str) -> Vec<Use> {
    let mut uses = Uses(Vec::new());
    if !runs_containers(name) {
        return uses.0;
    }
    let args = called.args();
    if !removes(args) {
        // Whatever the subcommand: it may be unknown, an alias, or one of a newer version.
        for mount in mounts(args) {
            uses.push(&mount.from, UseKind::Mount(mount.mounted));
        }
    }
    let words: Vec<&Field> = args.iter().filter(|it| !it.may_be_option()).collect();
    let verb = words.iter().take(4).find_map(|word| verb_of(word.text()?));
    match verb {
        Some(Verb::Build) => built(called, &words, &mut uses),
        Some(Verb::Compose) => composed(called, &words, &mut uses),
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
            composed(called, &words, &mut uses);
        }
        None => {}
    }
    if words.iter().take(4).any(|word| word.is("load")) {
        for value in ["-i", "--input"].iter().flat_map(|it| values(args, it)) {
            uses.push(&value, UseKind::Read(Reach::Itself));
        }
    }
    uses.0
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
}

fn verb_of(word: &str) -> Option<Verb> {
    match word {
        "build" | "bud" => Some(Verb::Build),
        "compose" | "stack" => Some(Verb::Compose),
        "import" | "add" | "copy" | "play" | "kube" | "secret" | "config" | "plugin" => {
            Some(Verb::Take)
        }
        _ => None,
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
            let place = value.tail(skip);
            let end = place.prefix().find(',');
            let place = cut(&place, end);
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
    let at = args.iter().position(|field| std::ptr::eq(field, word));
    let before = at.and_then(|at| args.get(at.checked_sub(1)?));
    before.and_then(Field::text).is_some_and(|option| {
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
fn composed(called: &Called<'_>, words: &[&Field], uses: &mut Uses) {
    let args = called.args();
    let mut named = false;
    for option in ["-f", "--file", "-c", "--compose-file"] {
        for file in values(args, option) {
            named = true;
            uses.push(&file, UseKind::Read(Reach::Itself));
        }
    }
    let shows = |word: &&&Field| matches!(word.text(), Some("config" | "convert"));
    let usual: &[&str] = match words.iter().find(shows) {
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

struct Uses(Vec<Use>);

impl Uses {
    fn push(&mut self, field: &Field, kind: UseKind) {
        let used = Use {
            field: field.clone(),
            kind,
            view: EffectView::Might,
        };
        if !self.0.contains(&used) {
            self.0.push(used);
        }
    }
}
