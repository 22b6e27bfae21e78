//! One rule, ready to be compared: its text read, its anchors made absolute.

use std::sync::OnceLock;

use pointsman_model::{AbsPath, HostName, PermissionRule, RuleBehavior};

use super::moved;
use super::paths::{AnchoredPath, allows_path, anchored, tightens_path};
use crate::Tree;
use crate::rule::{
    Anchored, CommandPattern, HasOptions, LooksUp, ParsedRule, PathAccess, Specifier,
};
use crate::subject::{CommandSubject, GlobWord, Of, PathSubject, Reading, ReadingFor, Subject};
use crate::wild::plain_bytes;

/// How surely a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// It matches if what is unknown turns out so.
    May,
    /// It matches.
    Sure,
}

/// What relative rules hang on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchors {
    /// The folder that the agents of this index start in.
    pub(crate) folder: AbsPath,
    /// The project's root.
    pub(crate) project: AbsPath,
    /// The user's home.
    pub(crate) home: AbsPath,
}

/// A rule that was read, with what it is compared by.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    /// The rule as people wrote it.
    pub(crate) rule: PermissionRule,
    /// What it says.
    pub(crate) parsed: ParsedRule,
    /// For rules on paths: the pattern at each of its anchors.
    pub(crate) paths: Vec<AnchoredPath>,
    /// The same where links lead, and with brackets that are names; looked up when a path is first compared.
    moved: OnceLock<Vec<AnchoredPath>>,
    /// For rules on commands that name the user's home: the same with its path.
    at_home: Option<CommandPattern>,
    /// For deny and ask rules on names: the same without regard to case and separators, as agents look types up.
    loose: Option<CommandPattern>,
}

impl Compiled {
    /// Makes a rule ready.
    pub(crate) fn new(rule: PermissionRule, parsed: ParsedRule, anchors: &Anchors) -> Self {
        let paths = match &parsed.specifier {
            Specifier::Path { pattern, .. } => anchored(&rule, pattern, anchors),
            Specifier::Whole
            | Specifier::Inside
            | Specifier::Command(_)
            | Specifier::Host(_)
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => Vec::new(),
        };
        let at_home = match &parsed.specifier {
            Specifier::Command(pattern) => pattern.with_home(&anchors.home),
            Specifier::Whole
            | Specifier::Inside
            | Specifier::Path { .. }
            | Specifier::Host(_)
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => None,
        };
        let loose = match &parsed.specifier {
            Specifier::Name(pattern) if rule.behavior != RuleBehavior::Allow => {
                Some(pattern.loosely(looks_up(&parsed)))
            }
            Specifier::Name(_)
            | Specifier::Whole
            | Specifier::Inside
            | Specifier::Path { .. }
            | Specifier::Command(_)
            | Specifier::Host(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => None,
        };
        Self {
            rule,
            parsed,
            paths,
            moved: OnceLock::new(),
            at_home,
            loose,
        }
    }

    /// The patterns of a rule on commands.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &CommandPattern> {
        let own = match &self.parsed.specifier {
            Specifier::Command(pattern) => Some(pattern),
            Specifier::Whole
            | Specifier::Inside
            | Specifier::Path { .. }
            | Specifier::Host(_)
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => None,
        };
        own.into_iter().chain(&self.at_home)
    }

    /// Whether it denies or asks.
    pub(crate) fn tightens(&self) -> bool {
        self.rule.behavior != RuleBehavior::Allow
    }

    /// How the rule matches.
    pub(crate) fn strength(&self, subject: &Subject<'_>, tree: &dyn Tree) -> Option<Strength> {
        match subject {
            Subject::Command(command) => self.command(command),
            Subject::Path(access, path) if self.access() == Some(*access) => self.path(path, tree),
            Subject::Path(..) => None,
            Subject::Host(host) => self.host(*host),
            Subject::Agent(agent) => self.name("Agent", agent.as_str()),
            Subject::Skill(call) => self.name("Skill", call),
            Subject::Anything => self.anything(),
        }
    }

    /// A deny or ask on what calls do may match what may do anything.
    fn anything(&self) -> Option<Strength> {
        let on_effects = match &self.parsed.specifier {
            Specifier::Command(_) | Specifier::Path { .. } | Specifier::Host(_) => true,
            Specifier::Whole
            | Specifier::Inside
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => false,
        };
        (on_effects && self.tightens()).then_some(Strength::May)
    }

    /// How a command rule matches a command.
    fn command(&self, subject: &CommandSubject) -> Option<Strength> {
        let mut best = None;
        for pattern in self.commands() {
            let counts = match (subject.of, self.tightens()) {
                (Of::Command, _) | (Of::Guarded, true) => true,
                (Of::Guarded | Of::Line, false) => pattern.is_exact(),
                (Of::Line, true) => pattern.has_operator(),
            };
            if let (Of::Line, true, Some(operators)) =
                (subject.of, self.tightens(), &pattern.operators)
            {
                best = best.max(match subject.operated() {
                    Some(texts) => texts
                        .iter()
                        .any(|it| operators.matches(it))
                        .then_some(Strength::Sure),
                    None => Some(Strength::May),
                });
            }
            let readings = subject
                .readings
                .iter()
                .filter(|reading| counts && (reading.by == ReadingFor::All || self.tightens()));
            for reading in readings {
                best = best.max(reads(pattern, reading, self.rule.behavior));
            }
        }
        best
    }

    /// How a rule on names matches an agent type or a skill.
    fn name(&self, tool: &str, name: &str) -> Option<Strength> {
        let Specifier::Name(pattern) = &self.parsed.specifier else {
            return None;
        };
        if !self.parsed.names_by(tool) {
            return None;
        }
        let hits = |pattern: &CommandPattern, name: &str| {
            let text: Vec<u8> = plain_bytes(name)
                .map(|byte| if byte == b' ' { crate::wild::SEP } else { byte })
                .collect();
            pattern.words.as_ref().is_some_and(|it| it.matches(&text))
        };
        let loose = || {
            self.loose
                .as_ref()
                .is_some_and(|it| hits(it, &looks_up(&self.parsed).loosely(name)))
        };
        (hits(pattern, name) || loose()).then_some(Strength::Sure)
    }

    /// How a rule on hosts matches; a host that is not known may be any.
    fn host(&self, host: Option<&HostName>) -> Option<Strength> {
        let Specifier::Host(pattern) = &self.parsed.specifier else {
            return None;
        };
        match host {
            Some(host) if self.tightens() => pattern.matches(host).then_some(Strength::Sure),
            Some(host) => pattern.allows(host).then_some(Strength::Sure),
            None => self.tightens().then_some(Strength::May),
        }
    }

    /// How a rule on paths matches a path.
    fn path(&self, subject: &PathSubject, tree: &dyn Tree) -> Option<Strength> {
        let Specifier::Path { pattern, .. } = &self.parsed.specifier else {
            return None;
        };
        let all = self.paths.iter().chain(self.moved(tree));
        if self.tightens() {
            all.filter_map(|at| tightens_path(at, pattern, subject, tree))
                .max()
        } else {
            allows_path(all, pattern, subject, tree).then_some(Strength::Sure)
        }
    }

    /// What a rule on paths holds for beside its patterns: where links lead to from there, names with brackets.
    pub(super) fn moved(&self, tree: &dyn Tree) -> &[AnchoredPath] {
        let tightens = self.tightens();
        let of = |at| {
            if tightens {
                moved::tightening(at, tree)
            } else {
                moved::allow(at, tree).into_iter().collect()
            }
        };
        self.moved
            .get_or_init(|| self.paths.iter().flat_map(of).collect())
    }

    /// What the rule governs, when it is one on paths.
    fn access(&self) -> Option<PathAccess> {
        match &self.parsed.specifier {
            Specifier::Path { access, .. } => Some(*access),
            Specifier::Whole
            | Specifier::Inside
            | Specifier::Command(_)
            | Specifier::Host(_)
            | Specifier::Name(_)
            | Specifier::Param { .. }
            | Specifier::Never(_) => None,
        }
    }
}

fn reads(pattern: &CommandPattern, reading: &Reading, behavior: RuleBehavior) -> Option<Strength> {
    // A pattern without quotes says the same of the spelling as of the words.
    let it: &Anchored = if reading.is_spelling {
        pattern.spelling.as_ref().or(pattern.words.as_ref())?
    } else {
        pattern.words.as_ref()?
    };
    if it.matches(&reading.text) {
        return Some(Strength::Sure);
    }
    if behavior == RuleBehavior::Allow {
        return None;
    }
    let form = pattern.options.as_ref().filter(|_| !reading.is_spelling);
    let reordered = form
        .and_then(|form| form.matches(&reading.text))
        .map(|has| match has {
            HasOptions::Sure => Strength::Sure,
            HasOptions::May => Strength::May,
        });
    if reordered.is_none() && form.is_some_and(|form| form.lacks_an_option(&reading.text)) {
        return None;
    }
    let may = reading
        .vanishing
        .as_ref()
        .is_some_and(|vanishing| it.may_match(vanishing) || it.may_match(&reading.text));
    let other_word = |glob: &GlobWord| glob.rules_out(it.literal_words());
    let may = may && !reading.first_glob.as_ref().is_some_and(other_word);
    reordered.max(may.then_some(Strength::May))
}

fn looks_up(parsed: &ParsedRule) -> LooksUp {
    if parsed.names_by("Agent") {
        LooksUp::Agents
    } else {
        LooksUp::Skills
    }
}
