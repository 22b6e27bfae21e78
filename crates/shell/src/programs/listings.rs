//! Listings of package managers and containers, and what else they do.

use super::{Asked, Facts};
use crate::field::Field;

/// A subcommand that only lists, and the options with which it does.
struct Listing {
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
}

const DOCKER: &[&str] = &[
    "-a",
    "--all",
    "-q",
    "--quiet",
    "--no-trunc",
    "-n",
    "--last",
    "-l",
    "--latest",
    "-s",
    "--size",
    "-f",
    "--filter",
    "--format",
    "--digests",
    "--tail",
    "--since",
    "--until",
    "-t",
    "--timestamps",
    "--details",
    "--follow",
    "--type",
];

/// Those of `gh` that neither open a browser nor write a file.
const GH: &[&str] = &[
    "-L",
    "--limit",
    "-s",
    "--state",
    "-a",
    "--author",
    "-A",
    "--assignee",
    "-l",
    "--label",
    "-m",
    "--milestone",
    "--json",
    "-q",
    "--jq",
    "-t",
    "--template",
    "-R",
    "--repo",
    "-S",
    "--search",
    "-c",
    "--comments",
    "-B",
    "--base",
    "-b",
    "--branch",
    "-H",
    "--head",
    "-d",
    "--draft",
    "--name-only",
    "--patch",
    "--color",
    "--log",
    "--log-failed",
    "-j",
    "--job",
    "-v",
    "--verbose",
    "--required",
];

const fn listing(
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
) -> Listing {
    Listing {
        program,
        words,
        options,
    }
}

static LISTINGS: [Listing; 41] = [
    listing("docker", &["ps"], DOCKER),
    listing("docker", &["images"], DOCKER),
    listing("docker", &["logs"], DOCKER),
    listing("docker", &["inspect"], DOCKER),
    listing("docker", &["container", "ls"], DOCKER),
    listing("docker", &["container", "list"], DOCKER),
    listing("docker", &["container", "ps"], DOCKER),
    listing("docker", &["container", "logs"], DOCKER),
    listing("docker", &["container", "inspect"], DOCKER),
    listing("docker", &["image", "ls"], DOCKER),
    listing("docker", &["image", "list"], DOCKER),
    listing("docker", &["image", "inspect"], DOCKER),
    listing("docker", &["container", "top"], &[]),
    listing("docker", &["container", "port"], &[]),
    listing("docker", &["container", "diff"], &[]),
    listing("docker", &["image", "history"], DOCKER),
    listing("docker", &["history"], DOCKER),
    listing("docker", &["top"], &[]),
    listing("docker", &["port"], &[]),
    listing("docker", &["diff"], &[]),
    listing("docker", &["stats", "--no-stream"], DOCKER),
    listing("docker", &["network", "inspect"], DOCKER),
    listing("docker", &["volume", "ls"], DOCKER),
    listing("docker", &["network", "ls"], DOCKER),
    listing("gh", &["pr", "list"], GH),
    listing("gh", &["pr", "view"], GH),
    listing("gh", &["pr", "diff"], GH),
    listing("gh", &["pr", "checks"], GH),
    listing("gh", &["pr", "status"], GH),
    listing("gh", &["issue", "list"], GH),
    listing("gh", &["issue", "view"], GH),
    listing("gh", &["issue", "status"], GH),
    listing("gh", &["repo", "view"], GH),
    listing("gh", &["repo", "list"], GH),
    listing("gh", &["run", "list"], GH),
    listing("gh", &["run", "view"], GH),
    listing("gh", &["release", "list"], GH),
    listing("kubectl", &["config", "current-context"], &[]),
    listing(
        "kubectl",
        &["config", "get-contexts"],
        &["-o", "--output", "--no-headers"],
    ),
    listing("kubectl", &["config", "get-clusters"], &[]),
    listing("kubectl", &["version", "--client"], &["-o", "--output"]),
];

/// Programs whose every subcommand talks to a server, but for those of `kubectl` that are listed here.
const SERVED: [&str; 9] = [
    "gh", "glab", "kubectl", "helm", "aws", "gcloud", "az", "heroku", "vercel",
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let served = SERVED.contains(&name);
    if !served && name != "docker" {
        return None;
    }
    let lists = LISTINGS
        .iter()
        .any(|listing| listing.is(name, asked.args()));
    let mut facts = if lists {
        Facts::reader()
    } else {
        Facts::program()
    };
    if served && !(lists && name == "kubectl") {
        let field = Field {
            known: crate::expand::unknown("", crate::field::Shape::One),
            ..Field::made("", asked.called.span)
        };
        facts.connect(&field);
    }
    Some(facts)
}

impl Listing {
    /// Whether the command is this listing, with options that leave it one.
    fn is(&self, name: &str, args: &[Field]) -> bool {
        if self.program != name {
            return false;
        }
        let words = args.iter().take(self.words.len());
        let head: Vec<&str> = words.map_while(Field::text).collect();
        let rest = args.get(self.words.len()..).unwrap_or_default();
        head == self.words
            && rest.iter().all(|field| match field.text() {
                Some(text) if field.may_be_option() => {
                    let option = text.split('=').next().unwrap_or(text);
                    self.options.contains(&option)
                }
                Some(_) => true,
                None => !field.may_be_option(),
            })
    }
}
