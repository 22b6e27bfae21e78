//! Programs that bring files from elsewhere: where these come to lie.
//!
//! What is there afterwards nobody knows. It is remembered for the commands behind it in the line, which may run it; of
//! itself it is no effect.

use super::carriers::values;
use super::git::cloned_into;
use super::transfer::{is_remote, landed};
use super::uses::Uses;
use super::{Use, UseKind};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::walk::Called;

/// Where a program puts what it brings.
#[derive(Debug, Clone, Copy)]
enum Lands {
    /// In a folder with the name of its source, or in the second operand.
    Cloned,
    /// In the second operand, or here under its own name.
    Second,
    /// What is in its source in the second operand, or here.
    Inside,
    /// In the last operand, its sources on another machine.
    Last,
    /// Here, or in the folder of one of these options.
    Option(&'static [&'static str]),
}

/// A form of some programs.
struct Fetch {
    names: &'static [&'static str],
    /// What its first operands are; nothing for all forms.
    verbs: &'static [&'static [&'static str]],
    lands: Lands,
}

const FETCHES: [Fetch; 13] = [
    Fetch {
        names: &["gh", "glab"],
        verbs: &[&["repo", "clone"], &["gist", "clone"]],
        lands: Lands::Cloned,
    },
    Fetch {
        names: &["gh", "glab"],
        verbs: &[&["release", "download"], &["run", "download"]],
        lands: Lands::Option(&["-D", "--dir", "-O", "--output"]),
    },
    Fetch {
        names: &["hg", "bzr", "brz", "darcs", "fossil", "sl"],
        verbs: &[&["clone"], &["branch"], &["get"]],
        lands: Lands::Cloned,
    },
    Fetch {
        names: &["svn"],
        verbs: &[&["checkout"], &["co"], &["export"]],
        lands: Lands::Cloned,
    },
    Fetch {
        names: &["jj"],
        verbs: &[&["git", "clone"]],
        lands: Lands::Cloned,
    },
    Fetch {
        names: &["degit", "tiged", "giget"],
        verbs: &[],
        lands: Lands::Inside,
    },
    Fetch {
        names: &["sftp"],
        verbs: &[],
        lands: Lands::Second,
    },
    Fetch {
        names: &["adb"],
        verbs: &[&["pull"]],
        lands: Lands::Second,
    },
    Fetch {
        names: &["lxc", "incus"],
        verbs: &[&["file", "pull"]],
        lands: Lands::Second,
    },
    Fetch {
        names: &["multipass", "limactl", "minikube", "vagrant"],
        verbs: &[&["transfer"], &["copy"], &["cp"], &["scp"]],
        lands: Lands::Last,
    },
    Fetch {
        names: &["aria2c", "axel", "yt-dlp", "youtube-dl", "smbget"],
        verbs: &[],
        lands: Lands::Option(&["-d", "--dir", "-o", "--out", "--output", "-P", "--paths"]),
    },
    Fetch {
        names: &["pip", "pip3"],
        verbs: &[&["download"]],
        lands: Lands::Option(&["-d", "--dest"]),
    },
    Fetch {
        names: &["hf", "huggingface-cli"],
        verbs: &[&["download"]],
        lands: Lands::Option(&["--local-dir"]),
    },
];

/// Options of these programs that have a value.
const OPTIONS: Options = Options {
    short: "",
    short_value: "bcFiIJloPrRuUSB",
    short_glued: "",
    long: &[],
    long_value: &[
        "branch",
        "config",
        "depth",
        "hostname",
        "password",
        "remote",
        "repo",
        "rev",
        "revision",
        "ssh",
        "upstream-remote-name",
        "username",
    ],
};

/// The places that a command fills.
pub(super) fn uses(called: &Called<'_>, name: &str) -> Vec<Use> {
    let mut forms = FETCHES
        .iter()
        .filter(|it| it.names.contains(&name))
        .peekable();
    if forms.peek().is_none() {
        return Vec::new();
    }
    let mut uses = Uses::default();
    let args = called.args();
    // What stands behind dashes is for another program.
    let own = args.iter().position(|field| field.is("--"));
    let own = args.get(..own.unwrap_or(args.len())).unwrap_or_default();
    let read = read(own, &OPTIONS, Order::Mixed);
    let operands: Vec<&Field> = read
        .into_iter()
        .filter_map(|arg| match arg {
            Arg::Operand(field) => Some(field),
            Arg::Option(..) | Arg::Stranger(_) => None,
        })
        .collect();
    for form in forms {
        let Some(operands) = behind(&operands, form.verbs) else {
            continue;
        };
        for place in places(form.lands, operands, args, called) {
            uses.push(&place, UseKind::Fills);
        }
    }
    uses.list()
}

/// The operands behind one of these verbs.
fn behind<'o, 'f>(operands: &'o [&'f Field], verbs: &[&[&str]]) -> Option<&'o [&'f Field]> {
    if verbs.is_empty() {
        return Some(operands);
    }
    verbs.iter().find_map(|verb| {
        let begins = operands
            .iter()
            .zip(*verb)
            .all(|(field, word)| field.is(word));
        (begins && operands.len() >= verb.len()).then(|| operands.get(verb.len()..))?
    })
}

fn places(lands: Lands, operands: &[&Field], args: &[Field], called: &Called<'_>) -> Vec<Field> {
    let here = || Field::made(".", called.span);
    match (lands, operands) {
        (Lands::Option(options), _) => {
            let named = options.iter().flat_map(|option| values(args, option));
            let mut places: Vec<Field> = named.collect();
            if places.is_empty() {
                places.push(here());
            }
            places
        }
        (Lands::Cloned, [source]) => vec![cloned_into(source).unwrap_or_else(here)],
        (Lands::Second, [source]) => vec![landed(&here(), source)],
        (Lands::Inside, [_]) => vec![here()],
        (Lands::Cloned | Lands::Inside, [_, target, ..]) => vec![(*target).clone()],
        (Lands::Second, [source, target, ..]) => vec![landed(target, source)],
        (Lands::Last, [sources @ .., target]) => {
            let brings = sources.iter().any(|it| is_remote(it)) && !is_remote(target);
            let target = brings.then(|| (*target).clone());
            target.into_iter().collect()
        }
        (Lands::Cloned | Lands::Second | Lands::Inside | Lands::Last, _) => Vec::new(),
    }
}
