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

const LISTINGS: [Listing; 4] = [
    Listing {
        program: "docker",
        words: &["ps"],
        options: DOCKER,
    },
    Listing {
        program: "docker",
        words: &["images"],
        options: DOCKER,
    },
    Listing {
        program: "docker",
        words: &["logs"],
        options: DOCKER,
    },
    Listing {
        program: "docker",
        words: &["inspect"],
        options: DOCKER,
    },
];

/// Programs whose every subcommand talks to a server.
const SERVED: [&str; 9] = [
    "gh", "glab", "kubectl", "helm", "aws", "gcloud", "az", "heroku", "vercel",
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let args = asked.args();
    if SERVED.contains(&name) {
        let mut facts = Facts::program();
        let field = Field {
            known: crate::expand::unknown("", crate::field::Shape::One),
            ..Field::made("", asked.called.span)
        };
        facts.connect(&field);
        return Some(facts);
    }
    let mut known = LISTINGS
        .iter()
        .filter(|listing| listing.program == name)
        .peekable();
    known.peek()?;
    for listing in known {
        let head: Vec<&str> = args
            .iter()
            .take(listing.words.len())
            .map_while(Field::text)
            .collect();
        if head != listing.words {
            continue;
        }
        let rest = args.get(listing.words.len()..).unwrap_or_default();
        let plain = rest.iter().all(|field| match field.text() {
            Some(text) if field.may_be_option() => {
                let option = text.split('=').next().unwrap_or(text);
                listing.options.contains(&option)
            }
            Some(_) => true,
            None => !field.may_be_option(),
        });
        if plain {
            return Some(Facts::reader());
        }
    }
    Some(Facts::program())
}
