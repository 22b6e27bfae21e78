//! Rules in the shadow of others.

use std::collections::HashMap;

use pointsman_model::{PermissionRule, RuleBehavior, ToolName};

use super::Read;
use crate::rule::{
    Anchored, CommandPattern, HostPattern, Names, PathAnchor, PathDepth, PathPattern, Specifier,
    ToolPattern,
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
    /// The whole words that a command or name begins with.
    Words(Box<[u8]>),
    /// The text in the parentheses.
    Specifier(Box<str>),
    /// The folder that a path lies in, or `**/` and a name on it.
    Below(Box<str>),
    /// The host, or the one that it lies below.
    Host(Box<str>),
    /// The tool and the field of its input.
    Field(Box<str>, Box<str>),
    /// Nothing that could be told.
    Any,
}

impl<'r> Shadows<'r> {
    /// Sorts the rules.
    pub(super) fn new(rules: &'r [Read<'r>]) -> Self {
        let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
        // What has a fault is in force for nothing, and casts no shadow.
        let sound = |read: &&Read<'_>| read.parsed.fault(read.rule.behavior).is_none();
        for (at, read) in rules.iter().enumerate().filter(|(_, read)| sound(read)) {
            by_key.entry(key(&read.parsed)).or_default().push(at);
        }
        Self { rules, by_key }
    }

    /// The problem of a rule that another one leaves nothing to do.
    pub(super) fn over(&self, read: &Read<'_>, index: usize) -> Option<Problem> {
        // Of each list the first one that does; of these the first.
        let first = |key: Key| {
            let list = self.by_key.get(&key)?;
            list.iter().copied().find(|at| {
                let other = self.rules.get(*at);
                *at != index && other.is_some_and(|other| shadows(other, *at, read, index))
            })
        };
        let found = wider(&read.parsed).into_iter().filter_map(first).min()?;
        self.rules.get(found).map(|other| problem(read, other))
    }
}

/// The keys under which a rule stands that covers this one.
fn wider(parsed: &ParsedRule) -> Vec<Key> {
    let mut keys = vec![Key::Any, Key::Tool(parsed.tool().into())];
    match key(parsed) {
        Key::Words(words) => {
            let ends = words.iter().enumerate().filter(|(_, byte)| **byte == SEP);
            let fronts = ends.filter_map(|(at, _)| words.get(..at));
            keys.extend(fronts.map(|front| Key::Words(front.into())));
            keys.push(Key::Words(words));
        }
        Key::Host(host) => {
            let dots = host.match_indices('.').map(|(at, _)| at + 1);
            let below = dots.filter_map(|at| host.get(at..));
            keys.extend(below.map(|host| Key::Host(host.into())));
            keys.push(Key::Host(host));
        }
        Key::Any | Key::Tool(_) => {}
        own @ (Key::Specifier(_) | Key::Field(..) | Key::Below(_)) => keys.push(own),
    }
    if let Specifier::Path { pattern, .. } = &parsed.specifier {
        let glob = &*pattern.glob;
        let folders = glob
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([glob.len()]);
        let folders = folders.filter_map(|at| glob.get(..at)).map(Into::into);
        let names = glob.split('/').map(|name| format!("**/{name}").into());
        keys.extend(folders.chain(names).map(Key::Below));
    }
    keys
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
            if words.is_empty() {
                Key::Any
            } else {
                Key::Words(words.into())
            }
        }
        (_, Specifier::Path { pattern, .. }) if *pattern.glob == *"**" => Key::Any,
        (_, Specifier::Path { pattern, .. }) if below(pattern).is_some() => {
            Key::Below(below(pattern).unwrap_or_default())
        }
        (_, Specifier::Path { .. } | Specifier::Never(_)) => {
            Key::Specifier(parsed.specifier().unwrap_or_default().trim().into())
        }
        (_, Specifier::Host(HostPattern::Exact(host) | HostPattern::Below(host))) => {
            Key::Host(host.as_str().into())
        }
        (_, Specifier::Host(HostPattern::Any | HostPattern::Labels(_))) => Key::Any,
        (_, Specifier::Param { field, .. }) => Key::Field(parsed.tool().into(), field.clone()),
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
        (Specifier::Host(one), Specifier::Host(two)) => host_covers(wide.rule.behavior, one, two),
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
    one.matches(two.with_gaps())
}

fn command_covers(one: &CommandPattern, two: &CommandPattern) -> bool {
    let within = |one: &Anchored, two: &Anchored| {
        let bare = two.bare();
        one.matches(two.wild.with_gaps()) && bare.is_none_or(|bare| one.matches(bare))
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
    if !same_place || one.up > 0 || two.up > 0 {
        return false;
    }
    // A deny or ask holds for at least what an allow with the same text does.
    if *one.glob == *"**" || one == two {
        return true;
    }
    let Some(folder) = below(one) else {
        return false;
    };
    let names = || two.glob.split('/');
    if let Some(name) = folder.strip_prefix("**/") {
        return names().any(|it| it == name);
    }
    // A folder of one name is found at any depth by a deny.
    let deep = |rule: &PermissionRule, pattern: &PathPattern| {
        pattern.depth == PathDepth::AnyInDenies && rule.behavior != RuleBehavior::Allow
    };
    let anchored = two.depth != PathDepth::Any && (!deep(narrow, two) || deep(wide, one));
    let lies_below = || {
        let rest = two.glob.strip_prefix(&*folder)?;
        Some(rest.strip_prefix('/').is_some_and(|rest| !rest.is_empty()))
    };
    anchored && lies_below() == Some(true)
}

/// The folder that a pattern holds all of, without wildcards in its name; `**/` and the name where it may lie anywhere.
fn below(pattern: &PathPattern) -> Option<Box<str>> {
    if pattern.names == Names::Folders {
        return None;
    }
    let folder = pattern.glob.strip_suffix("/**").unwrap_or(&pattern.glob);
    let plain = !folder.is_empty() && !folder.contains(['*', '?', '[', '\\']);
    plain.then(|| match pattern.depth {
        PathDepth::Any => format!("**/{folder}").into(),
        PathDepth::Anchored | PathDepth::AnyInDenies => folder.into(),
    })
}

fn host_covers(behavior: RuleBehavior, one: &HostPattern, two: &HostPattern) -> bool {
    match two {
        HostPattern::Exact(host) if behavior == RuleBehavior::Allow => one.allows(host),
        HostPattern::Exact(host) => one.matches(host),
        HostPattern::Below(_) | HostPattern::Labels(_) | HostPattern::Any => one == two,
    }
}
