//! Cedar: one policy a rule. It knows permit and forbid alone; an ask is a forbid whose name says so, and the names of
//! the policies that decided tell which it was.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::str::FromStr as _;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityUid, PolicySet, Request,
    RestrictedExpression,
};

use crate::question::{Call, Engine, Kind, Rules, Scope, Verdict};
use crate::{floor, strongest};

struct Cedar {
    policies: PolicySet,
    authorizer: Authorizer,
    /// How calls are put to it.
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Texts in the context, compared with `like`.
    Like,
    /// The call lies in the folders, or words, that lead to it.
    Within,
}

pub fn like(rules: &Rules) -> Box<dyn Engine> {
    make(rules, Way::Like)
}

pub fn within(rules: &Rules) -> Box<dyn Engine> {
    make(rules, Way::Within)
}

fn make(rules: &Rules, way: Way) -> Box<dyn Engine> {
    let mut text = String::new();
    for (n, rule) in rules.rules.iter().enumerate() {
        let (name, effect) = match rule.verdict {
            Verdict::Nothing => continue,
            Verdict::Allow => ("allow", "permit"),
            Verdict::Ask => ("ask", "forbid"),
            Verdict::Deny => ("deny", "forbid"),
        };
        let action = match rule.scope {
            Scope::Words(_) => "run",
            Scope::Folder(_) => "edit",
        };
        let start = floor::start(&rule.scope);
        let _ = match way {
            Way::Like => writeln!(
                text,
                "@id(\"{name}{n}\") {effect}(principal, action == Action::\"{action}\", resource) \
                 when {{ context.text like \"{start}*\" }};"
            ),
            Way::Within => writeln!(
                text,
                "@id(\"{name}{n}\") {effect}(principal, action == Action::\"{action}\", \
                 resource in Prefix::\"{start}\");"
            ),
        };
    }
    let read = PolicySet::from_str(&text).expect("policies are well-formed");
    // The names are those of the annotation.
    let policies = read.policies().map(|policy| {
        let name = policy.annotation("id").expect("each has one");
        policy.new_id(name.parse().expect("a name"))
    });
    let policies = PolicySet::from_policies(policies).expect("names differ");
    Box::new(Cedar {
        policies,
        authorizer: Authorizer::new(),
        way,
    })
}

fn uid(kind: &str, name: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.parse().expect("a type"), name.parse().expect("a name"))
}

impl Engine for Cedar {
    fn decide(&self, call: &Call) -> Verdict {
        let action = match call.kind {
            Kind::Shell => "run",
            Kind::Path => "edit",
        };
        let resource = uid("Call", "this");
        let (context, entities) = match self.way {
            Way::Like => {
                let value = RestrictedExpression::new_string(call.text.clone());
                let context = Context::from_pairs([("text".to_owned(), value)]);
                (context.expect("a text"), Entities::empty())
            }
            Way::Within => {
                let parents: HashSet<EntityUid> =
                    call.starts().map(|start| uid("Prefix", start)).collect();
                let this = Entity::new_no_attrs(resource.clone(), parents);
                let entities = Entities::from_entities([this], None).expect("one entity");
                (Context::empty(), entities)
            }
        };
        let request = Request::new(
            uid("Agent", "a"),
            uid("Action", action),
            resource,
            context,
            None,
        )
        .expect("no schema");
        let response = self
            .authorizer
            .is_authorized(&request, &self.policies, &entities);
        match response.decision() {
            Decision::Allow => Verdict::Allow,
            Decision::Deny => strongest(response.diagnostics().reason().map(|id| {
                let name: &str = id.as_ref();
                if name.starts_with("deny") {
                    Verdict::Deny
                } else {
                    Verdict::Ask
                }
            })),
        }
    }
}
