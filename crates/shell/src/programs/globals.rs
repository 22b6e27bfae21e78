//! Options in front of a subcommand: `docker --context x run`, `npm -w web publish`.
//!
//! Which of them take the next word for their value differs from program to program and version to
//! version. What matters for rules that deny and ask is the subcommand behind them, wherever it is:
//! each word that may be it is tried.

use pointsman_model::EffectView;

use super::Inner;
use super::known::{self, Tables};
use crate::field::Field;
use crate::walk::Called;

/// Programs whose first operand is a subcommand.
pub(super) const SUBCOMMANDED: [&str; 96] = [
    "adb",
    "ansible",
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "argocd",
    "aws",
    "az",
    "borg",
    "brew",
    "bun",
    "bundle",
    "bzr",
    "cargo",
    "cf",
    "choco",
    "composer",
    "conda",
    "consul",
    "crictl",
    "dart",
    "deno",
    "dnf",
    "docker",
    "docker-compose",
    "doctl",
    "dotnet",
    "eb",
    "eksctl",
    "firebase",
    "flatpak",
    "flutter",
    "fly",
    "flyctl",
    "gcloud",
    "gem",
    "gh",
    "glab",
    "go",
    "gopass",
    "gradle",
    "gsutil",
    "hatch",
    "helm",
    "heroku",
    "hg",
    "incus",
    "istioctl",
    "jj",
    "just",
    "kubectl",
    "lerna",
    "lxc",
    "make",
    "mamba",
    "minikube",
    "multipass",
    "mvn",
    "nerdctl",
    "netlify",
    "nix",
    "nomad",
    "npm",
    "nx",
    "oc",
    "pass",
    "pdm",
    "pip",
    "pip3",
    "pipenv",
    "pm2",
    "pnpm",
    "podman",
    "poetry",
    "pulumi",
    "railway",
    "rake",
    "rclone",
    "restic",
    "rustup",
    "rye",
    "serverless",
    "snap",
    "supabase",
    "svn",
    "systemctl",
    "terraform",
    "tofu",
    "turbo",
    "uv",
    "vagrant",
    "vault",
    "vercel",
    "wrangler",
    "yarn",
];

/// Words that may be the subcommand; more options than that stand in front of none.
const TRIED_MAX: usize = 4;

/// Whether the first operand of a program of that name is a subcommand.
pub(super) fn has_subcommands(name: &str) -> bool {
    known::of(name).subcommands
}

/// The command without the options in front of its subcommand, in each way that they may be read.
pub(super) fn without(called: &Called<'_>, name: &str, known: &Tables) -> Vec<Inner> {
    let args = called.args();
    let option = |field: &Field| field.prefix().starts_with(['-', '+']);
    if !known.subcommands || !args.first().is_some_and(option) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(field) = args.get(at) {
        at += 1;
        if option(field) {
            continue;
        }
        // A word that no option stands in front of ends the options.
        let valued = at
            .checked_sub(2)
            .and_then(|before| args.get(before))
            .is_some_and(|before| option(before) && !before.prefix().contains('='));
        let mut plain = vec![Field::made(name, called.span)];
        plain.extend_from_slice(args.get(at - 1..).unwrap_or_default());
        found.push(Inner::Argv(plain, EffectView::Might));
        if !valued || found.len() >= TRIED_MAX {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::SUBCOMMANDED;

    #[test]
    fn the_list_is_sorted() {
        assert!(SUBCOMMANDED.is_sorted());
    }
}
