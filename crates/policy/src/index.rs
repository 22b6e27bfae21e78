//! The rules of all sources, compiled into one immutable index.
//!
//! A call costs a few probes whatever the number of rules: a command is looked up by the words it
//! begins with, a path by the folders it lies in and the names on it, a host by its labels, a tool by
//! its name. What has a wildcard hangs at the literal text in front of it and is tried only there. Every
//! candidate is then compared in full, so the tables decide how much is looked at, never what matches.

mod compiled;
mod hits;
mod links;
mod meet;
mod moved;
mod paths;
mod tables;

use pointsman_model::{AbsPath, PermissionRule, RuleBehavior, ToolName};

pub(crate) use compiled::{Anchors, Compiled, Strength};
pub(crate) use hits::{Hit, Hits};
pub(crate) use paths::AnchoredPath;

use crate::rule::{Specifier, canonical_tool};
use crate::subject::Subject;
use crate::{ParsedRule, ParsedRules, Problem, Severity, Tree, parse_rule};
use tables::Tables;

/// Every rule of a context, ready to be matched.
#[derive(Debug)]
pub struct RuleIndex {
    rules: Vec<Compiled>,
    tables: Tables,
    unreadable: Vec<PermissionRule>,
    anchors: Anchors,
}

impl RuleIndex {
    /// Compiles rules, and says what is wrong with them. An allow that is no rule is dropped; a deny or ask that is none
    /// is kept as one that may match every call.
    pub(crate) fn build(rules: &[PermissionRule], anchors: &Anchors) -> (Self, Vec<Problem>) {
        Self::build_of(rules, ParsedRules::default(), anchors)
    }

    /// The same, with those of the rules' texts that were read before.
    pub(crate) fn build_of(
        rules: &[PermissionRule],
        mut before: ParsedRules,
        anchors: &Anchors,
    ) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut compiled = Vec::with_capacity(rules.len());
        let mut unreadable = Vec::new();
        for rule in rules {
            let parsed = match before.take(&rule.text) {
                Some(parsed) => Ok(with_fault(rule, parsed)),
                None => read(rule),
            };
            match parsed {
                Ok((parsed, problem)) => {
                    problems.extend(problem);
                    compiled.push(Compiled::new(rule.clone(), parsed, anchors));
                }
                Err(problem) => {
                    problems.push(problem);
                    if rule.behavior != RuleBehavior::Allow {
                        unreadable.push(rule.clone());
                    }
                }
            }
        }
        let tables = Tables::of(&compiled);
        let index = Self {
            rules: compiled,
            tables,
            unreadable,
            anchors: anchors.clone(),
        };
        (index, problems)
    }

    /// How many rules it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len() + self.unreadable.len()
    }

    /// Whether it holds no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rules that were read, in the order they were given.
    pub(crate) fn compiled(&self) -> &[Compiled] {
        &self.rules
    }

    /// The rules on paths whose patterns can cover a path of that spelling, by their place among [`Self::compiled`].
    pub(crate) fn on_spelling(&self, lower: &AbsPath) -> impl Iterator<Item = (usize, &Compiled)> {
        let places = self.tables.spelling(lower).map(|at| at as usize);
        places.filter_map(|at| Some((at, self.rules.get(at)?)))
    }

    /// The rules with that behavior that were read, with what they say.
    pub fn rules(
        &self,
        behavior: RuleBehavior,
    ) -> impl Iterator<Item = (&PermissionRule, &ParsedRule)> {
        self.rules
            .iter()
            .filter(move |it| it.rule.behavior == behavior)
            .map(|it| (&it.rule, &it.parsed))
    }

    /// A deny rule for every call of the tool: such a tool is not offered at all.
    #[must_use]
    pub fn bare_deny(&self, tool: &ToolName) -> Option<&PermissionRule> {
        let hits = self.tool(tool, &|_, _| false);
        hits.deny
            .filter(|hit| {
                matches!(
                    hit.compiled.parsed.specifier,
                    Specifier::Whole | Specifier::Inside
                )
            })
            .map(|hit| &hit.compiled.rule)
    }

    /// A deny or ask that can't be read; it may match every call.
    pub(crate) fn unreadable(&self) -> Option<&PermissionRule> {
        self.unreadable
            .iter()
            .min_by(|one, other| hits::order(one, other))
    }

    /// Rules for the tool as such and for fields of its input; `param` says whether a field has such a value.
    pub(crate) fn tool(&self, tool: &ToolName, param: Param<'_>) -> Hits<'_> {
        self.collect(&self.tables.tool(canonical_tool(tool.as_str())), |it| {
            tool_strength(it, tool, param)
        })
    }

    /// Rules for one thing that a call does.
    pub(crate) fn hits(&self, subject: &Subject<'_>, tree: &dyn Tree) -> Hits<'_> {
        let strength = |it: &Compiled| it.strength(subject, tree);
        match subject {
            Subject::Command(command) => {
                self.collect(&self.tables.command(command, &self.rules), strength)
            }
            Subject::Path(access, path) => {
                let candidates = self.tables.path(*access, path, &self.rules, tree);
                self.collect(&candidates, strength)
            }
            Subject::Host(host) => self.collect(&self.tables.host(*host), strength),
            Subject::Agent(_) => self.collect(self.tables.names("Agent"), strength),
            Subject::Skill(_) => self.collect(self.tables.names("Skill"), strength),
            Subject::Anything => self.collect(self.tables.tightenings(), strength),
        }
    }

    /// What relative rules of this index hang on.
    pub(crate) fn anchors(&self) -> &Anchors {
        &self.anchors
    }

    fn collect(
        &self,
        candidates: &[u32],
        strength: impl Fn(&Compiled) -> Option<Strength>,
    ) -> Hits<'_> {
        let mut hits = Hits::default();
        for at in candidates {
            if let Some(compiled) = self.rules.get(*at as usize)
                && hits.wants(compiled)
                && let Some(strength) = strength(compiled)
            {
                hits.add(Hit { compiled, strength });
            }
        }
        hits
    }
}

/// Says whether a field of the call's input has a value that matches.
pub(crate) type Param<'a> = &'a dyn Fn(&str, &crate::wild::Wild) -> bool;

/// How a rule matches the tool as such.
pub(crate) fn tool_strength(it: &Compiled, tool: &ToolName, param: Param<'_>) -> Option<Strength> {
    if !it.parsed.tool.matches(tool) || (!it.tightens() && !it.parsed.tool.may_allow()) {
        return None;
    }
    match &it.parsed.specifier {
        Specifier::Whole => Some(Strength::Sure),
        // As an allow it is the weaker one: it counts inside the directories alone.
        Specifier::Inside if it.tightens() => Some(Strength::Sure),
        Specifier::Inside => Some(Strength::May),
        Specifier::Param { field, value } => {
            (it.tightens() && param(field, value)).then_some(Strength::Sure)
        }
        Specifier::Command(_)
        | Specifier::Path { .. }
        | Specifier::Host(_)
        | Specifier::Name(_)
        | Specifier::Never(_) => None,
    }
}

/// Reads a rule's text, and says what is wrong with it.
pub(crate) fn read(rule: &PermissionRule) -> Result<(ParsedRule, Option<Problem>), Problem> {
    match parse_rule(rule.text.as_str()) {
        Ok(parsed) => Ok(with_fault(rule, parsed)),
        Err(error) => {
            let place = rule.place.clone().map(|mut place| {
                place.column += error.column();
                place
            });
            let severity = match rule.behavior {
                RuleBehavior::Allow => Severity::DroppedAllow,
                RuleBehavior::Ask | RuleBehavior::Deny => Severity::StopsUnattended,
            };
            Err(Problem {
                severity,
                place,
                message: error.to_string(),
                hint: error.hint().map(Into::into),
            })
        }
    }
}

/// A rule that was read, with what is wrong with it.
fn with_fault(rule: &PermissionRule, parsed: ParsedRule) -> (ParsedRule, Option<Problem>) {
    let problem = parsed.fault(rule.behavior).map(|fault| Problem {
        severity: fault.severity,
        place: rule.place.clone(),
        message: fault.message,
        hint: fault.hint,
    });
    (parsed, problem)
}

#[cfg(test)]
mod tests;
