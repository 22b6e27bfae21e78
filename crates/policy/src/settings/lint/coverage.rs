//! Rules in the shadow of others.

use std::collections::HashMap;

use pointsman_model::{PermissionRule, RuleBehavior, ToolName};

use super::Read;
use crate::rule::{
    Anchored, CommandPattern, HostPattern, PathAnchor, PathPattern, Specifier, ToolPattern,
};
use crate::wild::{SEP, Wild};
use crate::{ParsedRule, Problem};

/// Rules by what a rule that they cover must have: so few are compared with each, that ten thousand
/// rules take no longer than they should.
pub(super) struct Shadows<'r> {
    rules: &'r [Read<'r>],
    by_key: HashMap<Key, Vec<usize>>,
}

/// What a rule that is covered by another shares with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// The tool, of a rule for all of its calls.
    Tool(Box<str>),
    /// The first word of a command.
    Word(Box<[u8]>),
    /// The text in the parentheses.
    Specifier(Box<str>),
    /// Nothing that could be told.
    Any,
}

impl<'r> Shadows<'r> {
    /// Sorts the rules.
    pub(super) fn new(rules: &'r [Read<'r>]) -> Self {
        let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
        for (at, read) in rules.iter().enumerate() {
            by_key.entry(key(&read.parsed)).or_default().push(at);
        }
        Self { rules, by_key }
    }

    /// The problem of a rule that another one leaves nothing to do.
    pub(super) fn over(&self, read: &Read<'_>, index: usize) -> Option<Problem> {
        let tool = Key::Tool(read.parsed.tool().into());
        let own = key(&read.parsed);
        let keys = [Some(&Key::Any), Some(&tool), (own != tool).then_some(&own)];
        let mut candidates: Vec<usize> = keys
            .into_iter()
            .flatten()
            .filter_map(|key| self.by_key.get(key))
            .flatten()
            .copied()
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut candidates = candidates
            .into_iter()
            .filter_map(|at| Some((at, self.rules.get(at)?)));
        candidates
            .find(|(at, other)| *at != index && shadows(other, *at, read, index))
            .map(|(_, other)| problem(read, other))
    }
}

fn key(parsed: &ParsedRule) -> Key {
    match (&parsed.tool, &parsed.specifier) {
        (ToolPattern::Server(_) | ToolPattern::Glob(_), _) => Key::Any,
        (ToolPattern::Exact(_), Specifier::Whole | Specifier::Inside) => {
            Key::Tool(parsed.tool().into())
        }
        (_, Specifier::Command(pattern) | Specifier::Name(pattern)) => {
            let words = pattern
                .words
                .as_ref()
                .map_or(&[][..], Anchored::literal_words);
            match words.split(|byte| *byte == SEP).next() {
                None | Some([]) => Key::Any,
                Some(word) => Key::Word(word.into()),
            }
        }
        (_, Specifier::Path { pattern, .. }) if *pattern.glob == *"**" => Key::Any,
        (_, Specifier::Path { .. } | Specifier::Never(_))
        | (_, Specifier::Host(HostPattern::Exact(_))) => {
            Key::Specifier(parsed.specifier().unwrap_or_default().trim().into())
        }
        (_, Specifier::Host(_) | Specifier::Param { .. }) => Key::Any,
    }
}

/// Whether a rule leaves another nothing to decide.
fn shadows(other: &Read<'_>, at: usize, read: &Read<'_>, index: usize) -> bool {
    covers(other, read)
        && match (other.rule.behavior, read.rule.behavior) {
            (RuleBehavior::Deny, RuleBehavior::Ask | RuleBehavior::Allow)
            | (RuleBehavior::Ask, RuleBehavior::Allow) => true,
            // Of two that cover each other the later is the needless one.
            (one, two) => one == two && (at < index || !covers(read, other)),
        }
}

fn problem(read: &Read<'_>, other: &Read<'_>) -> Problem {
    let message = if other.rule.behavior == read.rule.behavior {
        format!(
            "`{}` adds nothing: `{}` covers it",
            read.rule.text,
            shown(other.rule)
        )
    } else {
        let verb = match other.rule.behavior {
            RuleBehavior::Deny => "refuses",
            RuleBehavior::Ask => "asks for",
            RuleBehavior::Allow => "allows",
        };
        format!(
            "`{}` never decides: `{}` {verb} all that it matches",
            read.rule.text,
            shown(other.rule)
        )
    };
    read.problem(
        message,
        "remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow",
    )
}

/// A rule with where it stands.
fn shown(rule: &PermissionRule) -> String {
    match &rule.place {
        Some(place) => format!("{} {} ({place})", rule.behavior, rule.text),
        None => format!("{} {}", rule.behavior, rule.text),
    }
}

/// Whether `wide` surely matches all that `narrow` does. A doubt is a no.
fn covers(wide: &Read<'_>, narrow: &Read<'_>) -> bool {
    let (one, two): (&ParsedRule, &ParsedRule) = (&wide.parsed, &narrow.parsed);
    if !tool_covers(&one.tool, &two.tool) {
        return false;
    }
    match (&one.specifier, &two.specifier) {
        // Rules on paths and hosts hold for effects of other tools too, a bare name for its own alone.
        (Specifier::Whole, Specifier::Path { .. } | Specifier::Host(_)) => {
            matches!(&one.tool, ToolPattern::Glob(all) if wild_covers(all, &Wild::starred("*")))
        }
        (Specifier::Whole, _) => true,
        (Specifier::Command(one), Specifier::Command(two))
        | (Specifier::Name(one), Specifier::Name(two)) => command_covers(one, two),
        (
            Specifier::Path {
                access: one_access,
                pattern: one,
            },
            Specifier::Path {
                access: two_access,
                pattern: two,
            },
        ) => one_access == two_access && path_covers(wide.rule, one, narrow.rule, two),
        (Specifier::Host(one), Specifier::Host(two)) => host_covers(one, two),
        (
            Specifier::Param {
                field: one_field,
                value: one,
            },
            Specifier::Param {
                field: two_field,
                value: two,
            },
        ) => one_field == two_field && wild_covers(one, two),
        (Specifier::Inside, Specifier::Inside) => true,
        (
            Specifier::Inside
            | Specifier::Command(_)
            | Specifier::Path { .. }
            | Specifier::Host(_)
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_),
            _,
        ) => false,
    }
}

fn tool_covers(one: &ToolPattern, two: &ToolPattern) -> bool {
    match two {
        ToolPattern::Exact(name) => ToolName::parse(name).is_ok_and(|name| one.matches(&name)),
        ToolPattern::Server(_) | ToolPattern::Glob(_) => one == two,
    }
}

fn wild_covers(one: &Wild, two: &Wild) -> bool {
    one.matches(&two.with_gaps())
}

fn command_covers(one: &CommandPattern, two: &CommandPattern) -> bool {
    let within = |one: &Anchored, two: &Anchored| {
        let bare = two.bare.as_deref();
        one.matches(&two.wild.with_gaps()) && bare.is_none_or(|bare| one.matches(bare))
    };
    match (&one.words, &two.words) {
        (Some(one), Some(two)) => within(one, two),
        (None, _) | (_, None) => one == two,
    }
}

fn path_covers(
    wide: &PermissionRule,
    one: &PathPattern,
    narrow: &PermissionRule,
    two: &PathPattern,
) -> bool {
    let same_place = one.anchor == two.anchor
        && (one.anchor != PathAnchor::Source || wide.anchor == narrow.anchor);
    let same_behavior =
        (wide.behavior == RuleBehavior::Allow) == (narrow.behavior == RuleBehavior::Allow);
    same_place
        && one.up == 0
        && two.up == 0
        && (*one.glob == *"**" || (one == two && same_behavior))
}

fn host_covers(one: &HostPattern, two: &HostPattern) -> bool {
    match two {
        HostPattern::Exact(host) => one.matches(host),
        HostPattern::Below(_) | HostPattern::Labels(_) | HostPattern::Any => one == two,
    }
}
