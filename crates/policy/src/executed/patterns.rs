//! Files that a line runs, or hands on, by a pattern or a search: which of them there are tells the disk alone.

use std::collections::BTreeSet;

use pointsman_model::{
    AbsPath, Effect, EffectKind, EffectView, Effects, PathRole, PathUse, PathValue, Run, Word,
    WordValue,
};

use super::started::started;
use super::variables::LineVariables;
use super::{
    INTERPRETERS, OPTION_INTERPRETERS, build, configured, executed_by, folder_of, hands_on,
    is_one_of, names_in, runners, script, sources,
};
use crate::subject::matches_name;

/// What a pattern is spelled with.
const WILDCARDS: [char; 5] = ['*', '?', '[', '(', '\\'];

/// So many patterns of a line are looked up: a line that people write has a few. Where there are as many, there may be more.
pub const PATTERNS_MAX: usize = 1 << 10;

/// So many words of a program are looked at as folders that it works in.
const PLACES_MAX: usize = 16;

/// A pattern whose files a call runs, or hands on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Searched {
    /// The folder that it is looked up in.
    pub base: AbsPath,
    /// The pattern below it, as shells spell one; `**` stands for folders of any depth.
    pub glob: Box<str>,
    /// What the files are to the call.
    pub becomes: Becomes,
    /// Whether links are followed on the way down.
    pub follows: bool,
}

/// What files that a pattern finds are to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Becomes {
    /// They are handed to a program of which nobody knows what it does with them.
    Handed,
    /// They stand among the arguments of a script.
    Argument,
    /// They are run.
    Code,
}

/// The patterns of a call whose files it runs or hands on, in order. Where there are as many as are looked at, there may be
/// more.
#[must_use]
pub fn searched(folder: &AbsPath, effects: &Effects) -> Vec<Searched> {
    let variables = LineVariables::of(effects);
    let mut patterns = Vec::new();
    for effect in &effects.list {
        let EffectKind::Run(run) = &effect.kind else {
            continue;
        };
        patterns.extend(by_words(folder, run, effects));
        patterns.extend(of_programs(folder, run));
        patterns.extend(in_folders(folder, &variables.seen_by(run), effects));
        if is_full(&mut patterns) {
            break;
        }
    }
    let found_by = |used: &PathUse, becomes| match &used.path {
        PathValue::Pattern { base, glob } => below(base, glob, becomes),
        PathValue::Known(_) | PathValue::Unknown(_) => None,
    };
    let read = sources::read_into_code(effects);
    patterns.extend(read.filter_map(|used| found_by(used, Becomes::Argument)));
    let fed = effects.list.iter().filter_map(Effect::as_read);
    let fed = fed.filter(|used| used.by == PathRole::Redirect);
    patterns.extend(fed.filter_map(|used| found_by(used, Becomes::Handed)));
    sources::add_searched_origins(&mut patterns, &effects.code.copied);
    let follows = effects.runs().any(follows_links);
    patterns.iter_mut().for_each(|it| it.follows = follows);
    patterns.sort();
    patterns.dedup();
    patterns.truncate(PATTERNS_MAX);
    patterns
}

/// Whether there are as many as are looked at; those that are told twice count once.
fn is_full(patterns: &mut Vec<Searched>) -> bool {
    if patterns.len() >= PATTERNS_MAX {
        patterns.sort();
        patterns.dedup();
    }
    patterns.len() >= PATTERNS_MAX
}

/// The patterns among the words of a run.
fn by_words(folder: &AbsPath, run: &Run, effects: &Effects) -> Vec<Searched> {
    if !hands_on(run) {
        return Vec::new();
    }
    let folder = folder_of(folder, run);
    let program = run.program().unwrap_or_default();
    let literal: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let interprets = INTERPRETERS.iter().any(|family| is_one_of(program, family))
        || is_one_of(program, OPTION_INTERPRETERS)
        || build::is_tool(program, &literal);
    let code = script::code_words(program, &literal);
    let mut patterns = Vec::new();
    for (at, word) in run.argv.iter().enumerate() {
        let WordValue::Glob(glob) = &word.value else {
            continue;
        };
        // The first word is the program.
        let becomes = match (at == 0, interprets) {
            (true, _) => Becomes::Code,
            (false, true) if at <= code => Becomes::Code,
            (false, true) => Becomes::Argument,
            (false, false) => Becomes::Handed,
        };
        let pattern = below(folder, glob, becomes);
        patterns.extend(
            pattern.filter(|pattern| becomes == Becomes::Code || !is_data(word, pattern, effects)),
        );
    }
    patterns
}

/// What programs run of a folder that they are given or work in.
fn of_programs(folder: &AbsPath, run: &Run) -> Vec<Searched> {
    let folder = folder_of(folder, run);
    let literal: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let code = |base: AbsPath, glob: &str| Searched {
        base,
        glob: glob.into(),
        becomes: Becomes::Code,
        follows: false,
    };
    let hooks = configured::hooks(folder, run).into_iter();
    let mut patterns: Vec<Searched> = hooks.map(|place| code(place, "*")).collect();
    for (program, words) in started(run.program().unwrap_or_default(), &literal) {
        let inside = runners::inside(program, words).into_iter();
        patterns.extend(inside.map(|(name, glob)| code(folder.join(name), glob)));
        let usual: Vec<&str> = build::usual_patterns(program, words).collect();
        let named = words.iter().flatten().flat_map(|word| names_in(word));
        let places = named.map(|name| folder.join(name)).chain([folder.clone()]);
        let places = places.take(PLACES_MAX);
        patterns.extend(places.flat_map(|place| {
            let each = usual.iter();
            each.map(|glob| code(place.clone(), glob))
                .collect::<Vec<_>>()
        }));
    }
    patterns
}

/// Whether what a word finds is surely read or written as data.
fn is_data(word: &Word, pattern: &Searched, effects: &Effects) -> bool {
    let is_it = |used: &PathUse| {
        let found = match &used.path {
            PathValue::Pattern { base, glob } => *base == pattern.base && *glob == pattern.glob,
            PathValue::Known(_) | PathValue::Unknown(_) => false,
        };
        found && used.by == PathRole::Operand && used.span == Some(word.span)
    };
    let mut sure = effects.list.iter();
    sure.any(|it| {
        let used = it.as_read().or_else(|| it.as_written());
        it.view == EffectView::Sure && used.is_some_and(is_it)
    })
}

/// Whether a run is a search that goes into what links lead to.
fn follows_links(run: &Run) -> bool {
    let Some(program) = run.program() else {
        return false;
    };
    let mut words = run.argv.iter().skip(1).filter_map(Word::literal);
    if is_one_of(program, &["find", "gfind"]) {
        return words.any(|word| matches!(word, "-L" | "-follow"));
    }
    let is_bundled = |word: &str| word.starts_with('-') && !word.starts_with("--");
    is_one_of(program, &["fd", "fdfind", "rg"])
        && words.any(|word| word == "--follow" || is_bundled(word) && word.contains('L'))
}

/// The folder in front of a pattern's wildcards, as it is spelled: with its slash, or nothing.
pub(super) fn in_front(glob: &str) -> Option<&str> {
    let plain = glob.get(..glob.find(WILDCARDS)?)?;
    plain.get(..plain.rfind('/').map_or(0, |slash| slash + 1))
}

/// A pattern in a folder, from where its wildcards begin.
fn below(folder: &AbsPath, glob: &str, becomes: Becomes) -> Option<Searched> {
    let base = in_front(glob)?;
    Some(Searched {
        base: folder.join(base),
        glob: glob.get(base.len()..)?.into(),
        becomes,
        follows: false,
    })
}

/// What a run that takes place in each folder of a pattern finds there by itself (`for d in */; do (cd $d && make); done`).
fn in_folders(folder: &AbsPath, run: &Run, effects: &Effects) -> Vec<Searched> {
    let mut found = Vec::new();
    for Searched { base, glob, .. } in folders_of(folder, run, effects) {
        if is_full(&mut found) {
            break;
        }
        if glob.split('/').any(|name| name == "..") {
            continue;
        }
        let place = base.join(&glob);
        let there = Run {
            folder: PathValue::Known(place.clone()),
            ..run.clone()
        };
        let files = match executed_by(&place, &there) {
            Ok(files) => files,
            Err(many) => many.counted,
        };
        let names = files.iter().filter_map(|it| it.path.below(&place));
        found.extend(names.map(|name| Searched {
            base: base.clone(),
            glob: format!("{glob}/{name}").into(),
            becomes: Becomes::Code,
            follows: false,
        }));
    }
    found
}

/// The folders of a run where a pattern finds them.
fn folders_of(folder: &AbsPath, run: &Run, effects: &Effects) -> BTreeSet<Searched> {
    match &run.folder {
        PathValue::Known(_) => BTreeSet::new(),
        PathValue::Pattern { base, glob } => below(base, glob, Becomes::Code).into_iter().collect(),
        // A variable that goes through what a pattern finds stands for that in a word, too.
        PathValue::Unknown(spelled) => {
            let spelled = spelled.trim_matches('"');
            let words = effects.runs().flat_map(|run| {
                let words = run.argv.iter();
                words.map(move |word| (folder_of(folder, run), word))
            });
            let same = words.filter(|(_, word)| word.source.trim_matches('"') == spelled);
            let found = same.filter_map(|(folder, word)| match &word.value {
                WordValue::Glob(glob) => below(folder, glob, Becomes::Code),
                WordValue::Literal(_) | WordValue::Unknown => None,
            });
            found.collect()
        }
    }
}

/// Whether a name in a folder is one of those that a part of a pattern finds, or may be for some shell. Hidden names are
/// told from others by a setting of the shell, so they count as found.
#[must_use]
pub fn may_match(part: &str, name: &str) -> bool {
    matches_name(part, name)
}
