//! One rule, ready to be compared: its text read, its anchors made absolute.

use pointsman_model::{AbsPath, HostName, PermissionRule, RuleBehavior, RuleSource};

use super::meet::meets;
use crate::rule::{
    Anchored, CommandPattern, HasOptions, Names, ParsedRule, PathAccess, PathAnchor, PathDepth,
    PathPattern, Specifier, covers, glob_with_gaps,
};
use crate::subject::{
    CommandSubject, KnownPath, Of, PathKind, PathSubject, Reading, ReadingFor, Subject, any_below,
    matches_name,
};
use crate::wild::{GAP, can_meet, plain_bytes};
use crate::{EntryKind, Tree};

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
    /// For rules on commands that name the user's home: the same with its path.
    at_home: Option<CommandPattern>,
}

/// A path pattern at one absolute folder.
#[derive(Debug, Clone)]
pub(crate) struct AnchoredPath {
    /// The folder; in lower case for deny and ask rules.
    pub(crate) folder: AbsPath,
    /// The pattern below it; in lower case for deny and ask rules.
    pub(crate) glob: Box<str>,
    /// Whether this is what the rule says, or only what its writer may have meant.
    pub(crate) meant: Strength,
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
        Self {
            rule,
            parsed,
            paths,
            at_home,
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
        let hits = |name: &str| {
            let text: Vec<u8> = plain_bytes(name)
                .map(|byte| if byte == b' ' { crate::wild::SEP } else { byte })
                .collect();
            pattern.words.as_ref().is_some_and(|it| it.matches(&text))
        };
        hits(name).then_some(Strength::Sure)
    }

    /// How a rule on hosts matches; a host that is not known may be any.
    fn host(&self, host: Option<&HostName>) -> Option<Strength> {
        let Specifier::Host(pattern) = &self.parsed.specifier else {
            return None;
        };
        match host {
            Some(host) => pattern.matches(host).then_some(Strength::Sure),
            None => self.tightens().then_some(Strength::May),
        }
    }

    /// How a rule on paths matches a path.
    fn path(&self, subject: &PathSubject, tree: &dyn Tree) -> Option<Strength> {
        let Specifier::Path { pattern, .. } = &self.parsed.specifier else {
            return None;
        };
        if self.tightens() {
            self.paths
                .iter()
                .filter_map(|at| tightens_path(at, pattern, subject, tree))
                .max()
        } else {
            self.paths
                .iter()
                .any(|at| allows_path(at, pattern, subject, tree))
                .then_some(Strength::Sure)
        }
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
    let reordered = pattern
        .options
        .as_ref()
        .filter(|_| !reading.is_spelling)
        .and_then(|form| form.matches(&reading.text))
        .map(|has| match has {
            HasOptions::Sure => Strength::Sure,
            HasOptions::May => Strength::May,
        });
    let may = reading
        .vanishing
        .as_ref()
        .is_some_and(|vanishing| it.may_match(vanishing) || it.may_match(&reading.text));
    reordered.max(may.then_some(Strength::May))
}

/// The folders a pattern hangs on, by the rule's behavior and source.
fn anchored(rule: &PermissionRule, pattern: &PathPattern, anchors: &Anchors) -> Vec<AnchoredPath> {
    let tightens = rule.behavior != RuleBehavior::Allow;
    if !tightens && pattern.up > 0 {
        return Vec::new();
    }
    let own_files = matches!(
        rule.source,
        RuleSource::UserSettings | RuleSource::PolicySettings
    );
    let mut folders: Vec<(AbsPath, Strength)> = match pattern.anchor {
        PathAnchor::Root => vec![(AbsPath::root(), Strength::Sure)],
        PathAnchor::Home => vec![(anchors.home.clone(), Strength::Sure)],
        PathAnchor::Source if tightens => vec![
            (rule.anchor.clone(), Strength::Sure),
            // `/etc/passwd` may be meant from the root.
            (AbsPath::root(), Strength::May),
        ],
        PathAnchor::Source => vec![(rule.anchor.clone(), Strength::Sure)],
        PathAnchor::Folder => vec![(anchors.folder.clone(), Strength::Sure)],
    };
    if tightens && pattern.anchor == PathAnchor::Folder {
        folders.push((anchors.project.clone(), Strength::Sure));
        if !own_files {
            folders.push((rule.anchor.clone(), Strength::Sure));
        }
    }
    let mut out: Vec<AnchoredPath> = Vec::new();
    for (mut folder, meant) in folders {
        for _ in 0..pattern.up {
            folder = folder.parent().unwrap_or_else(AbsPath::root);
        }
        let glob = match pattern.depth {
            PathDepth::Any => format!("**/{}", pattern.glob),
            PathDepth::AnyInDenies if tightens => format!("**/{}", pattern.glob),
            PathDepth::Anchored | PathDepth::AnyInDenies => pattern.glob.to_string(),
        };
        let (folder, glob) = if tightens {
            (crate::subject::lower(&folder), glob.to_lowercase())
        } else {
            (folder, glob)
        };
        if !out.iter().any(|it| it.folder == folder) {
            out.push(AnchoredPath {
                folder,
                glob: glob.into(),
                meant,
            });
        }
    }
    out
}

/// How a deny or ask matches.
fn tightens_path(
    at: &AnchoredPath,
    pattern: &PathPattern,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> Option<Strength> {
    let strength = match &subject.kind {
        PathKind::Unknown => Some(Strength::May),
        PathKind::Known(path) => tightens_known(at, path, subject, tree),
        PathKind::Pattern {
            base,
            names: Some(names),
            ..
        } => {
            // Files of such names that are there below it: which these are can be looked up.
            let found = named_below(at, base, names, subject.reach, tree);
            // Files of any name may come to be there; a folder's name is not looked for at every depth
            // then, that is for folders which are there.
            let unnamed = **names == *"*" && subject.reach == pointsman_model::Reach::ContentBelow;
            let may = || {
                let near = at.near(pattern).gaps();
                let comes = unnamed && base.lower.iter().any(|base| can_meet(&near, &below(base)));
                comes.then_some(Strength::May)
            };
            found.or_else(may)
        }
        PathKind::Pattern {
            base,
            now,
            complete,
            gaps,
            segments,
            names: None,
        } => {
            let surely = now
                .iter()
                .any(|path| path.lower.iter().any(|hop| at.covers(hop)))
                || base.lower.iter().any(|hop| at.covers(&hop.join("\u{2}")));
            if surely {
                Some(Strength::Sure)
            } else if *complete && segments.is_some() && !now.is_empty() {
                // All names that the shell will put there are known, so the pattern itself says nothing more.
                now.iter()
                    .filter_map(|path| tightens_known(at, path, subject, tree))
                    .max()
            } else {
                let meets = match segments {
                    Some(segments) => base
                        .lower
                        .iter()
                        .any(|folder| meets(at, folder, segments, subject.reach)),
                    None => can_meet(&at.gaps(), gaps),
                };
                meets.then_some(Strength::May)
            }
        }
    }?;
    if at.meant == Strength::May && !base_exists(pattern, tree) {
        return None;
    }
    Some(strength.min(at.meant))
}

/// How a rule matches files with names of a pattern at any depth below a folder.
fn named_below(
    at: &AnchoredPath,
    base: &KnownPath,
    names: &str,
    reach: pointsman_model::Reach,
    tree: &dyn Tree,
) -> Option<Strength> {
    let whole = |hop: &AbsPath| at.covers(hop) || at.covers(&hop.join("\u{2}"));
    if base.lower.iter().any(whole) {
        return Some(Strength::Sure);
    }
    let names = names.to_lowercase();
    let may = base.hops.iter().any(|hop| {
        any_below(hop, tree, &mut |file| {
            let below = file.below(hop).unwrap_or_default().to_lowercase();
            let mut parts = below.split('/').rev();
            let named = match reach {
                pointsman_model::Reach::Itself => {
                    parts.next().is_some_and(|it| matches_name(&names, it))
                }
                // A folder of such a name, with what lies in it.
                pointsman_model::Reach::NamesBelow | pointsman_model::Reach::ContentBelow => {
                    parts.any(|it| matches_name(&names, it))
                }
            };
            // A search that leaves hidden files out looks into no hidden folder either.
            let hidden = names == "[!.]*" && below.split('/').any(|it| it.starts_with('.'));
            named && !hidden && at.covers(&crate::subject::lower(file))
        })
    });
    // A rule that speaks of such names may mean one that is not there yet.
    let last = at.glob.rsplit('/').next().unwrap_or(&at.glob);
    // A hidden one is taken for meant only where its dot is.
    let hidden = last.starts_with('.') && names.starts_with(['*', '?', '[']);
    let any = matches!(&*names, "*" | "[!.]*");
    let speaks = !matches!(last, "*" | "**") && !any && !hidden;
    let may = may || speaks && can_meet(&glob_with_gaps(last), &glob_with_gaps(&names));
    may.then_some(Strength::May)
}

fn tightens_known(
    at: &AnchoredPath,
    path: &KnownPath,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> Option<Strength> {
    use pointsman_model::Reach;
    if path.lower.iter().any(|hop| at.covers(hop)) {
        return Some(Strength::Sure);
    }
    let looks_below = match subject.reach {
        // Looking at a folder shows the names in it.
        Reach::Itself => path
            .real()
            .is_some_and(|real| tree.kind(real) == EntryKind::Folder),
        Reach::NamesBelow | Reach::ContentBelow => true,
    };
    if !looks_below {
        return None;
    }
    // A name that no pattern but `**` or `*` knows: everything below is covered.
    if path.lower.iter().any(|hop| at.covers(&hop.join("\u{2}"))) {
        return Some(Strength::Sure);
    }
    if subject.reach != Reach::ContentBelow {
        return None;
    }
    let may = path.hops.iter().zip(&path.lower).any(|(hop, lower)| {
        let mut gaps: Vec<u8> = plain_bytes(lower.as_str()).collect();
        gaps.extend([b'/', GAP]);
        can_meet(&at.gaps(), &gaps)
            && any_below(hop, tree, &mut |file| {
                at.covers(&crate::subject::lower(file))
            })
    });
    may.then_some(Strength::May)
}

/// Whether an allow covers all that the subject can be.
fn allows_path(
    at: &AnchoredPath,
    pattern: &PathPattern,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> bool {
    use pointsman_model::Reach;
    let covers_one = |path: &AbsPath| -> bool {
        let whole = |path: &AbsPath, at: &AnchoredPath| match subject.reach {
            Reach::Itself => at.covers_with(path, pattern.names),
            // All below has to be covered.
            Reach::NamesBelow | Reach::ContentBelow => {
                at.covers_with(&path.join("\u{2}"), pattern.names)
            }
        };
        whole(path, at)
            || (tree.folds_case(path) && whole(&crate::subject::lower(path), &at.lower()))
    };
    let covers_known = |path: &KnownPath| {
        let ends = [path.hops.first(), path.hops.last()];
        ends.into_iter().flatten().all(covers_one)
    };
    match &subject.kind {
        PathKind::Unknown => false,
        PathKind::Known(path) => covers_known(path),
        PathKind::Pattern {
            base,
            now,
            complete,
            ..
        } => {
            *complete
                && now.iter().all(covers_known)
                && base.hops.iter().all(|hop| at.covers(&hop.join("\u{2}")))
        }
    }
}

/// Whether the folder that a pattern begins in exists when it is read from the root.
fn base_exists(pattern: &PathPattern, tree: &dyn Tree) -> bool {
    let base = pattern
        .literal_segments()
        .fold(AbsPath::root(), |at, segment| at.join(segment));
    base != AbsPath::root() && tree.kind(&base) != EntryKind::Missing
}

/// All that can lie below a folder, as a text with gaps.
fn below(folder: &AbsPath) -> Vec<u8> {
    let mut gaps: Vec<u8> = plain_bytes(folder.as_str()).collect();
    gaps.extend([b'/', GAP]);
    gaps
}

impl AnchoredPath {
    /// The same without the depth that a deny's one name has.
    fn near(&self, pattern: &PathPattern) -> Self {
        let glob = match self.glob.strip_prefix("**/") {
            Some(glob) if pattern.depth == PathDepth::AnyInDenies => glob,
            Some(_) | None => &self.glob,
        };
        Self {
            folder: self.folder.clone(),
            glob: glob.into(),
            meant: self.meant,
        }
    }

    /// Whether the pattern matches the path, or a folder on the way to it.
    pub(crate) fn covers(&self, path: &AbsPath) -> bool {
        self.covers_with(path, Names::Anything)
    }

    fn covers_with(&self, path: &AbsPath, names: Names) -> bool {
        match path.below(&self.folder) {
            None => false,
            Some("") => self.glob.is_empty(),
            Some(rest) => self.glob.is_empty() || covers(&self.glob, rest, names),
        }
    }

    fn lower(&self) -> Self {
        Self {
            folder: crate::subject::lower(&self.folder),
            glob: self.glob.to_lowercase().into(),
            meant: self.meant,
        }
    }

    /// At least all that the pattern covers, as a text with gaps.
    fn gaps(&self) -> Vec<u8> {
        let mut gaps: Vec<u8> = plain_bytes(self.folder.as_str()).collect();
        if gaps.last() != Some(&b'/') {
            gaps.push(b'/');
        }
        let glob = self.glob.strip_prefix("**/");
        if glob.is_some() {
            gaps.push(GAP);
        }
        gaps.extend(glob_with_gaps(glob.unwrap_or(&self.glob)));
        // What lies in a folder that matches is covered too.
        gaps.push(GAP);
        gaps
    }
}
