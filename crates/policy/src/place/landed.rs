//! What a copy or an archive puts below its target: a protected place may be among it, though the line names none.
//!
//! The names are those of the sources: `cp -r template/. .` changes `.git/hooks` where the template holds such, and
//! `tar xf x.tar .git/config` says so itself. What an archive holds beside is not looked up.

use pointsman_model::{AbsPath, Effect, PathUse, PathValue, Reach, Run, Word};

use super::Removes;
use super::protected::{is_protected, protected_path};
use crate::subject::{Below, KnownPath, Look, PathKind, PathSubject, look_below, lower};
use crate::{EntryKind, Tree};

/// So many entries of a source are looked at, what is left out not counted with them. A source tree is smaller than that.
const ENTRIES_MAX: usize = 20_000;

/// Packages bring such files by the thousand, and nobody heeds them there.
const PACKAGES: &str = "node_modules";

/// Programs that put what they read below their target, under its names.
pub(crate) const COPY: [&str; 8] = ["cp", "gcp", "mv", "gmv", "install", "rsync", "ditto", "scp"];

/// Programs that are told which files of an archive they put there.
const UNPACK: [&str; 9] = [
    "tar", "gtar", "bsdtar", "unzip", "7z", "7za", "7zr", "7zz", "unar",
];

/// The same, of an archive that they read from their input or behind an option, each plain word one of its files; with the
/// letters that are followed by a value which is no file of the archive, in every version of the program.
const UNPACK_WORDS: [(&[&str], &str); 2] = [
    (&["cpio", "bsdcpio"], "CDEFHIMOR"),
    (&["pax", "bsdpax"], "BEGTUbfopsx"),
];

/// The effects of one command, for what lands below its first target.
pub(crate) struct Landing<'e> {
    run: &'e Run,
    target: &'e AbsPath,
    effects: Vec<&'e Effect>,
}

impl<'e> Landing<'e> {
    /// Of a change, when it is the first one of a command that copies or unpacks.
    pub(crate) fn of(effect: &'e Effect, all: &'e [Effect]) -> Option<Self> {
        let run = all
            .iter()
            .filter(|it| it.part == effect.part)
            .find_map(Effect::as_run)?;
        let program = name_of(run)?;
        let by_words = letters_of(program).is_some();
        if !COPY.contains(&program) && !UNPACK.contains(&program) && !by_words {
            return None;
        }
        let effects: Vec<&Effect> = all.iter().filter(|it| it.part == effect.part).collect();
        let changes = effects.iter().filter_map(|it| it.as_written());
        // The archive may be among them.
        let mut changes = changes.filter(|it| !by_words || it.reach == Reach::ContentBelow);
        let first = changes.next()?;
        if !std::ptr::eq(first, effect.as_written()?) {
            return None;
        }
        let target = match &first.path {
            PathValue::Known(path) => path,
            PathValue::Pattern { base, glob } if &**glob == "**" => base,
            PathValue::Pattern { .. } | PathValue::Unknown(_) => return None,
        };
        Some(Self {
            run,
            target,
            effects,
        })
    }

    /// A protected place that something lands on.
    pub(crate) fn protected(&self, tree: &dyn Tree) -> Option<AbsPath> {
        let program = name_of(self.run)?;
        if COPY.contains(&program) {
            return self.reads().find_map(|used| self.copied(used, tree));
        }
        // Without a folder that it fills, it packs or lists.
        let fills = |it: &&Effect| {
            it.as_written()
                .is_some_and(|it| it.reach == Reach::ContentBelow)
        };
        let fills = self.effects.iter().any(fills);
        match (fills, letters_of(program)) {
            (false, _) => None,
            (true, Some(letters)) => self.member_by_word(letters),
            (true, None) => self.member(),
        }
    }

    /// A protected place that is named as one of the files of an archive that no plain word names.
    fn member_by_word(&self, letters: &str) -> Option<AbsPath> {
        let mut words = self.run.argv.iter().skip(1).filter_map(Word::literal);
        while let Some(word) = words.next() {
            let is_option = word.starts_with('-');
            if takes_next(word, letters) {
                words.next();
                continue;
            }
            let place = self.target.join(word);
            if !is_option && is_protected(&lower(&place)) {
                return Some(place);
            }
        }
        None
    }

    fn reads(&self) -> impl Iterator<Item = &'e PathUse> {
        self.effects.iter().filter_map(|it| it.as_read())
    }

    /// A protected place that a source, or something in it, lands on.
    fn copied(&self, used: &PathUse, tree: &dyn Tree) -> Option<AbsPath> {
        let sources = match PathSubject::of(used, tree).kind {
            PathKind::Known(path) => vec![path],
            PathKind::Pattern { now, .. } => now,
            PathKind::Unknown => return None,
        };
        let spelled = self
            .run
            .argv
            .iter()
            .find(|word| Some(word.span) == used.span);
        let spelled = spelled.map_or("", |word| &word.source);
        sources.iter().find_map(|source| {
            let named = source.hops.first()?;
            let goes_below = used.reach == Reach::ContentBelow && source.is_folder(tree);
            self.places(named, spelled, tree)
                .into_iter()
                .find_map(|place| {
                    let lands = place != *named && is_protected(&lower(&place));
                    if lands {
                        return Some(place);
                    }
                    goes_below
                        .then(|| self.below(named, &place, tree))
                        .flatten()
                })
        })
    }

    /// Where a source lands: under its name, its whole path, or its content alone in the target.
    fn places(&self, source: &AbsPath, spelled: &str, tree: &dyn Tree) -> Vec<AbsPath> {
        let syncs = name_of(self.run) == Some("rsync");
        let has = |is: fn(&str) -> bool| self.run.argv.iter().filter_map(Word::literal).any(is);
        let keeps_folders = if syncs {
            has(|it| it == "--relative" || has_letter(it, 'R'))
        } else {
            has(|it| it == "--parents")
        };
        if let PathValue::Known(folder) = &self.run.folder
            && keeps_folders
            && let Some(way) = source.below(folder)
        {
            return vec![self.target.join(way)];
        }
        let dotted = matches!(spelled, "." | "..") || spelled.ends_with("/.");
        let content_alone = dotted || syncs && spelled.ends_with('/');
        let whole = has(|it| it == "--no-target-directory" || has_letter(it, 'T'));
        let is_there = tree.kind(self.target) == EntryKind::Folder;
        let name_alone = syncs || is_there && !whole;
        let by_name = source.name().filter(|_| !content_alone);
        let by_name = by_name.map(|name| self.target.join(name));
        let content = (by_name.is_none() || !name_alone).then(|| self.target.clone());
        by_name.into_iter().chain(content).collect()
    }

    /// A protected place that something in a folder lands on, when its content comes to lie in `place`.
    fn below(&self, folder: &AbsPath, place: &AbsPath, tree: &dyn Tree) -> Option<AbsPath> {
        let left_out = self.left_out();
        let mut found = None;
        let mut lands = |entry: &AbsPath| {
            let Some(way) = entry.below(folder) else {
                return Look::Past;
            };
            let at = place.join(way);
            if way.split('/').any(|name| left_out.contains(&name)) {
                return Look::Past;
            }
            if at == *entry {
                return Look::GoOn;
            }
            // Links and the hooks that a repository names are those of folders.
            let linked = || {
                let is_folder = tree.kind(entry) == EntryKind::Folder;
                is_folder && protected_path(&KnownPath::of(&at, tree), Removes::No, tree).is_some()
            };
            if is_protected(&lower(&at)) || linked() {
                found = Some(at);
                return Look::Found;
            }
            Look::GoOn
        };
        match look_below(folder, tree, ENTRIES_MAX, &mut lands) {
            // Nobody knows what the rest brings.
            Below::TooMuch => Some(place.clone()),
            Below::Found | Below::Nothing => found,
        }
    }

    /// Names that nobody heeds, and those that the program is told to leave out.
    fn left_out(&self) -> Vec<&str> {
        let mut names = vec![PACKAGES];
        let mut words = self.run.argv.iter().filter_map(Word::literal);
        while let Some(word) = words.next() {
            let name = match word {
                "--exclude" => words.next(),
                word => word.strip_prefix("--exclude="),
            };
            names.extend(name.map(|name| name.trim_matches('/')));
        }
        names
    }

    /// A protected place that is named as one of the archive's files.
    fn member(&self) -> Option<AbsPath> {
        let archives: Vec<&AbsPath> = self
            .reads()
            .filter_map(|used| match &used.path {
                PathValue::Known(path) => Some(path),
                PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
            })
            .collect();
        let mut words = self.run.argv.iter().skip(1).filter_map(Word::literal);
        while let Some(word) = words.next() {
            match word {
                "-x" if self.run.program() == Some("unzip") => return None,
                "--exclude" | "--exclude-from" | "-X" => {
                    words.next();
                }
                option if option.starts_with('-') => {}
                name => {
                    let place = self.target.join(name);
                    let is_archive = || archives.iter().any(|it| it.as_str().ends_with(name));
                    if is_protected(&lower(&place)) && !is_archive() {
                        return Some(place);
                    }
                }
            }
        }
        None
    }
}

/// Whether a word holds such a short option.
fn has_letter(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

/// Whether a bundle of short options ends with one that has its value in the next word: `-rf a.pax`, not `-rfa.pax`.
fn takes_next(word: &str, letters: &str) -> bool {
    let bundle = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
    let value = bundle.and_then(|bundle| bundle.split_once(|letter| letters.contains(letter)));
    value.is_some_and(|(_, joined)| joined.is_empty())
}

/// Of a program that is told files of an archive by plain words: the letters that are followed by a value.
fn letters_of(program: &str) -> Option<&'static str> {
    let known = UNPACK_WORDS.iter();
    let mut known = known.filter(|(programs, _)| programs.contains(&program));
    known.next().map(|(_, letters)| *letters)
}

fn name_of(run: &Run) -> Option<&str> {
    run.program()?.rsplit('/').next()
}
