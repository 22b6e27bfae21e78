//! The tables of the index: which rules are worth comparing with a subject.

use std::ops::Deref;
use std::sync::OnceLock;

use pointsman_model::{AbsPath, HostName};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{AnchoredPath, Compiled};
use crate::Tree;
use crate::rule::{HostPattern, PathAccess, PathDepth, PathPattern, Specifier, ToolPattern};
use crate::subject::{CommandSubject, Of, PathKind, PathSubject, Reading};
use crate::wild::{GAP, SEP};

/// Rules by their place in the list.
type Few = SmallVec<[u32; 4]>;

/// The rules that are worth comparing.
pub(super) enum Candidates<'a> {
    /// Those that were looked up.
    Few(Few),
    /// A whole list.
    All(&'a [u32]),
}

impl Deref for Candidates<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::Few(few) => few,
            Self::All(all) => all,
        }
    }
}

/// Where to look for the rules of a subject.
#[derive(Debug, Default)]
pub(super) struct Tables {
    tools: FxHashMap<Box<str>, Few>,
    tool_patterns: Few,
    /// By the words that all their commands begin with.
    commands: FxHashMap<Box<[u8]>, Few>,
    /// Denies and asks that spell an operator: what they match may begin anywhere in a line.
    operators: Vec<u32>,
    /// The largest number of words in `commands`.
    command_words_max: usize,
    /// Denies and asks on commands, by the text that all their commands begin with; made for the first command
    /// that holds something unknown.
    command_tightenings: OnceLock<Vec<(Box<[u8]>, u32)>>,
    reads: Paths,
    edits: Paths,
    hosts: FxHashMap<HostName, Few>,
    host_patterns: Few,
    all_hosts: Vec<u32>,
    names: FxHashMap<Box<str>, Vec<u32>>,
    tightenings: Vec<u32>,
}

/// Rules on paths, of one access.
#[derive(Debug, Default)]
struct Paths {
    /// By the folder in lower case that all their paths lie in.
    folders: FxHashMap<Box<str>, Few>,
    /// By the folder in lower case, for what they hold for beside that; looked up for the first path.
    moved: OnceLock<FxHashMap<Box<str>, Few>>,
    /// By a name in lower case that all their paths have on them.
    names: FxHashMap<Box<str>, Few>,
    /// All of them.
    all: Vec<u32>,
}

impl Paths {
    fn add(&mut self, at: u32, it: &Compiled, pattern: &PathPattern) {
        self.all.push(at);
        let name = (pattern.depth == PathDepth::Any)
            .then(|| pattern.glob.to_lowercase())
            .filter(|name| !name.contains(['*', '?', '[', '\\']));
        match name {
            Some(name) => self.names.entry(name.into()).or_default().push(at),
            None => {
                for anchored in &it.paths {
                    self.folders
                        .entry(base_of(anchored).into())
                        .or_default()
                        .push(at);
                }
            }
        }
    }

    /// The table of what the rules hold for beside their patterns.
    fn moved(&self, rules: &[Compiled], tree: &dyn Tree) -> &FxHashMap<Box<str>, Few> {
        self.moved.get_or_init(|| {
            let mut moved: FxHashMap<Box<str>, Few> = FxHashMap::default();
            for at in &self.all {
                let rule = rules.get(*at as usize);
                for anchored in rule.into_iter().flat_map(|it| it.moved(tree)) {
                    let base = base_of(anchored).into();
                    moved.entry(base).or_default().push(*at);
                }
            }
            moved
        })
    }

    /// Rules whose paths can be one of these, which are in lower case; also by the folders of `moved`.
    fn find(&self, hops: &[AbsPath], moved: Option<&FxHashMap<Box<str>, Few>>) -> Few {
        let mut found = Few::new();
        let mut take = |few: Option<&Few>| found.extend(few.into_iter().flatten().copied());
        for hop in hops {
            for name in hop.segments() {
                take(self.names.get(name));
            }
            let text = hop.as_str();
            let above = text.match_indices('/').skip(1);
            let above = above.map(|(slash, _)| text.get(..slash).unwrap_or(text));
            let itself = (text.len() > 1).then_some(text);
            for folder in ["/"].into_iter().chain(above).chain(itself) {
                take(self.folders.get(folder));
                take(moved.and_then(|moved| moved.get(folder)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Tables {
    pub(super) fn of(rules: &[Compiled]) -> Self {
        let mut tables = Self::default();
        tables.commands.reserve(rules.len());
        for (at, compiled) in rules.iter().enumerate() {
            tables.add(u32::try_from(at).unwrap_or(u32::MAX), compiled);
        }
        tables
    }

    fn add(&mut self, at: u32, it: &Compiled) {
        match &it.parsed.specifier {
            Specifier::Whole | Specifier::Inside | Specifier::Param { .. } => {
                match &it.parsed.tool {
                    ToolPattern::Exact(name) => {
                        self.tools.entry(name.clone()).or_default().push(at)
                    }
                    ToolPattern::Server(_) | ToolPattern::Glob(_) => self.tool_patterns.push(at),
                }
                return;
            }
            Specifier::Command(_) => self.add_command(at, it),
            Specifier::Path { access, pattern } => {
                let paths = match access {
                    PathAccess::Read => &mut self.reads,
                    PathAccess::Edit => &mut self.edits,
                };
                paths.add(at, it, pattern);
            }
            Specifier::Host(pattern) => {
                self.all_hosts.push(at);
                match pattern {
                    HostPattern::Exact(name) | HostPattern::Below(name) => {
                        self.hosts.entry(name.clone()).or_default().push(at);
                    }
                    HostPattern::Any | HostPattern::Labels(_) => self.host_patterns.push(at),
                }
            }
            Specifier::Name(_) => {
                if let ToolPattern::Exact(tool) = &it.parsed.tool {
                    let tool = if &**tool == "SlashCommand" {
                        "Skill"
                    } else {
                        tool
                    };
                    self.names.entry(tool.into()).or_default().push(at);
                }
                return;
            }
            Specifier::Never(_) => return,
        }
        if it.tightens() {
            self.tightenings.push(at);
        }
    }

    fn add_command(&mut self, at: u32, it: &Compiled) {
        for pattern in it.commands() {
            for reading in [&pattern.words, &pattern.spelling].into_iter().flatten() {
                self.add_words(at, reading.literal_words());
            }
            if it.tightens() && pattern.operators.is_some() && self.operators.last() != Some(&at) {
                self.operators.push(at);
            }
            // Its options may come later than where it has them.
            if let (true, Some(form)) = (it.tightens(), &pattern.options) {
                self.add_words(at, &form.prefix);
            }
        }
    }

    fn add_words(&mut self, at: u32, words: &[u8]) {
        self.command_words_max = self.command_words_max.max(words_in(words));
        self.commands.entry(words.into()).or_default().push(at);
    }

    /// Rules for that tool as such.
    pub(super) fn tool(&self, name: &str) -> Few {
        let mut found = self.tool_patterns.clone();
        found.extend(self.tools.get(name).into_iter().flatten().copied());
        found
    }

    /// Rules for agent types or skills.
    pub(super) fn names(&self, tool: &str) -> &[u32] {
        self.names.get(tool).map_or(&[], Vec::as_slice)
    }

    /// All denies and asks on commands, paths and hosts.
    pub(super) fn tightenings(&self) -> &[u32] {
        &self.tightenings
    }

    /// Rules whose first words are those of the command.
    pub(super) fn command(&self, subject: &CommandSubject, rules: &[Compiled]) -> Few {
        let mut found = Few::new();
        for reading in &subject.readings {
            self.command_reading(reading, rules, &mut found);
        }
        if subject.of == Of::Line {
            found.extend_from_slice(&self.operators);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn command_reading(&self, reading: &Reading, rules: &[Compiled], found: &mut Few) {
        let mut probe = |words: &[u8]| {
            found.extend(self.commands.get(words).into_iter().flatten().copied());
        };
        probe(&[]);
        let known = match reading.text.iter().position(|byte| *byte == GAP) {
            None => &*reading.text,
            Some(gap) => reading.text.get(..gap).unwrap_or(&[]),
        };
        let ends = known
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == SEP)
            .map(|(at, _)| at)
            .chain((known.len() == reading.text.len()).then_some(known.len()));
        for end in ends.take(self.command_words_max) {
            if end > 0 {
                probe(known.get(..end).unwrap_or(&[]));
            }
        }
        for text in [Some(&reading.text), reading.vanishing.as_ref()]
            .into_iter()
            .flatten()
        {
            if let Some(gap) = text.iter().position(|byte| *byte == GAP) {
                self.might_begin_with(text.get(..gap).unwrap_or(&[]), rules, found);
            }
        }
    }

    /// Denies and asks whose commands go on from this known beginning. Those that begin with less of it are found by its
    /// words.
    fn might_begin_with(&self, known: &[u8], rules: &[Compiled], found: &mut Few) {
        let list = self.command_tightenings.get_or_init(|| starts(rules));
        let from = list.partition_point(|(start, _)| &**start < known);
        let longer = list.iter().skip(from);
        found.extend(
            longer
                .take_while(|(start, _)| start.starts_with(known))
                .map(|(_, at)| *at),
        );
    }

    /// Rules whose paths can be this one.
    pub(super) fn path(
        &self,
        access: PathAccess,
        subject: &PathSubject,
        rules: &[Compiled],
        tree: &dyn Tree,
    ) -> Candidates<'_> {
        use pointsman_model::Reach;
        let paths = match access {
            PathAccess::Read => &self.reads,
            PathAccess::Edit => &self.edits,
        };
        match (&subject.kind, subject.reach) {
            (PathKind::Known(path), Reach::Itself) if path.file.is_none() => {
                let moved = paths.moved(rules, tree);
                Candidates::Few(paths.find(&path.lower, Some(moved).filter(|it| !it.is_empty())))
            }
            // Rules for what lies below, for another name of the file, or for what a pattern can become, may hang anywhere.
            (PathKind::Known(_) | PathKind::Pattern { .. } | PathKind::Unknown, _) => {
                Candidates::All(&paths.all)
            }
        }
    }

    /// Rules of both kinds whose patterns can cover a path of that spelling, which is in lower case.
    pub(super) fn spelling(&self, lower: &AbsPath) -> impl Iterator<Item = u32> {
        let hops = std::slice::from_ref(lower);
        let tables = [&self.reads, &self.edits];
        tables
            .into_iter()
            .flat_map(move |paths| paths.find(hops, None))
    }

    /// Rules for that host.
    pub(super) fn host(&self, host: Option<&HostName>) -> Vec<u32> {
        let Some(host) = host else {
            return self.all_hosts.clone();
        };
        let mut found = self.host_patterns.to_vec();
        let mut rest = host.as_str();
        loop {
            found.extend(
                self.hosts
                    .get(&HostName::new(rest))
                    .into_iter()
                    .flatten()
                    .copied(),
            );
            match rest.split_once('.') {
                Some((_, after)) => rest = after,
                None => return found,
            }
        }
    }
}

/// The texts that denies and asks on commands begin with, in order.
fn starts(rules: &[Compiled]) -> Vec<(Box<[u8]>, u32)> {
    let mut starts = Vec::new();
    for (at, it) in (0..).zip(rules).filter(|(_, it)| it.tightens()) {
        for pattern in it.commands() {
            for reading in [&pattern.words, &pattern.spelling].into_iter().flatten() {
                let start = reading.bare().unwrap_or(reading.wild.literal_start());
                starts.push((start.into(), at));
            }
        }
    }
    starts.sort();
    starts
}

fn words_in(text: &[u8]) -> usize {
    text.split(|byte| *byte == SEP).count()
}

/// The folder, in lower case, that all paths of the pattern lie in or are.
fn base_of(anchored: &AnchoredPath) -> String {
    let literal = anchored
        .glob
        .split('/')
        .take_while(|segment| !segment.is_empty() && !segment.contains(['*', '?', '[', '\\']));
    let mut base = anchored.folder.as_str().trim_end_matches('/').to_owned();
    for segment in literal {
        base.push('/');
        base.push_str(segment);
    }
    match base.as_str() {
        "" => "/".into(),
        _ => base.to_lowercase(),
    }
}
