//! `pointsman grants`: what a running leader lets pass because somebody said so, and the end of it.

use pointsman_surfaces::socket::{Ask, GrantCard, Reply, TightenWord};
use pointsman_surfaces::{render, shown};
use serde_json::json;

use super::leader::{leader, order, refused};
use crate::arguments::{GrantsArguments, GrantsVerb, Tighter};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Lists the grants in force, or takes one back.
pub(super) fn run(arguments: &GrantsArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    match &arguments.verb {
        None => {
            let (run, mut leader) = leader(&place, arguments.leader.run)?;
            let reply = leader.ask(&Ask::Grants);
            match reply.map_err(|error| Failure::of(&error))? {
                Reply::Grants { grants, .. } => {
                    for card in &grants {
                        output.text(&line(card));
                        output.object(card);
                    }
                    if grants.is_empty() {
                        output.text(&format!("nothing is granted in {run}\n"));
                    }
                    Ok(Code::Done)
                }
                other => Err(refused(other)),
            }
        }
        Some(GrantsVerb::Tighten(arguments)) => {
            let (_, mut leader) = leader(&place, arguments.leader.run)?;
            let ask = Ask::Tighten {
                behavior: match arguments.behavior {
                    Tighter::Deny => TightenWord::Deny,
                    Tighter::Ask => TightenWord::Ask,
                },
                rule: arguments.rule.clone(),
            };
            order(&mut leader, &ask, output)
        }
        Some(GrantsVerb::Revoke(arguments)) => {
            let (_, mut leader) = leader(&place, Some(arguments.id.run()))?;
            let reply = leader.ask(&Ask::Revoke { id: arguments.id });
            match reply.map_err(|error| Failure::of(&error))? {
                Reply::Revoked { id } => {
                    output.text(&format!("{id} is revoked\n"));
                    output.object(&json!({ "revoked": id }));
                    Ok(Code::Done)
                }
                Reply::NotFound { text } => Err(Failure::bad_input(text)
                    .hint("`pointsman grants` lists those that are in force")),
                other => Err(refused(other)),
            }
        }
    }
}

fn line(card: &GrantCard) -> String {
    let whom = match card.scope.as_str() {
        "job" => format!("the job of {}", card.of),
        _ => card.of.clone(),
    };
    let uses = match card.uses {
        None => String::new(),
        Some(1) => "  once more".into(),
        Some(left) => format!("  {left} times more"),
    };
    let until = card
        .until
        .map(|until| format!("  until {}", render::moment(until)))
        .unwrap_or_default();
    format!(
        "{}  {}  for {whom}{uses}{until}\n",
        card.id,
        shown::line(&card.rule)
    )
}
