//! The search itself: patterns looked up side by side, so that none takes the others' share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use pointsman_policy::{Searched, may_match};

use super::place_of;

/// So many entries of folders are looked at for the patterns of a call: as many as rules look at below a folder, more than
/// a project's own files, and looked through in some tenths of a second while somebody waits.
const ENTRIES_MAX: usize = 50_000;

/// So many parts of patterns are compared with an entry before it counts as one more.
const COMPARED_AS_ONE: usize = 64;

/// Folders of what others wrote, or of what was built: looked at behind all else, so that a project's own files are found
/// in any case.
const LATE: &[&str] = &[".git", "node_modules", "target", ".venv", "venv", "vendor"];

/// One pattern that is looked up.
pub(super) struct Lookup {
    pub(super) pattern: Searched,
    pub(super) segments: Vec<String>,
    /// The names that it finds below its folder.
    pub(super) names: BTreeSet<PathBuf>,
}

/// A part of a pattern that is next: the pattern's number, and the part's.
type Part = (usize, usize);

/// A folder that is to be looked at, for all the patterns that lead there.
struct Step {
    base: PathBuf,
    /// By which names it was come to from there.
    way: PathBuf,
    here: Rc<Place>,
    parts: BTreeSet<Part>,
}

/// Where a folder really lies, and by way of which others it was come to.
struct Place {
    real: PathBuf,
    above: Option<Rc<Place>>,
}

impl Place {
    fn leads_through(&self, place: &Path) -> bool {
        let mut on_way = std::iter::successors(Some(self), |it| it.above.as_deref());
        on_way.any(|it| it.real == place)
    }
}

/// All patterns of a call, the nearer folders first.
pub(super) struct Search {
    pub(super) lookups: Vec<Lookup>,
    pub(super) files: BTreeSet<PathBuf>,
    /// Whether not all was looked at.
    pub(super) is_cut: bool,
    /// How many entries are looked at still.
    left: usize,
}

impl Search {
    /// Looks patterns up. Blocks on the disk.
    pub(super) fn of(lookups: Vec<Lookup>) -> Self {
        let mut search = Self {
            lookups,
            files: BTreeSet::new(),
            is_cut: false,
            left: ENTRIES_MAX,
        };
        search.run();
        search
    }

    fn run(&mut self) {
        let mut open = self.first();
        let mut late = VecDeque::new();
        while let Some(step) = open.pop_front().or_else(|| late.pop_front()) {
            if self.left == 0 {
                self.is_cut = true;
                return;
            }
            for next in self.look(&step) {
                let name = next.way.file_name().and_then(OsStr::to_str);
                match name.is_some_and(|name| LATE.contains(&name)) {
                    true => late.push_back(next),
                    false => open.push_back(next),
                }
            }
        }
    }

    /// The folders that patterns begin in, each once.
    fn first(&self) -> VecDeque<Step> {
        let mut by_base: BTreeMap<&Path, BTreeSet<Part>> = BTreeMap::new();
        for (at, lookup) in self.lookups.iter().enumerate() {
            let base = lookup.pattern.base.as_path();
            by_base.entry(base).or_default().insert((at, 0));
        }
        let first = by_base.into_iter().map(|(base, parts)| Step {
            base: base.to_owned(),
            way: PathBuf::new(),
            here: Rc::new(Place {
                real: fs::canonicalize(base).unwrap_or_else(|_| base.to_owned()),
                above: None,
            }),
            parts,
        });
        first.collect()
    }

    /// Looks in one folder, and says in which others to go on.
    fn look(&mut self, step: &Step) -> Vec<Step> {
        let folder = step.base.join(&step.way);
        let parts = self.with_no_depth(&step.parts);
        let texts = parts.iter().filter_map(|part| self.text(*part));
        let (wild, plain): (Vec<&str>, Vec<&str>) = texts.partition(|text| is_wild(text));
        let compared = wild.len();
        let plain: BTreeSet<OsString> = plain.into_iter().map(OsString::from).collect();
        let mut entries = BTreeMap::new();
        if compared > 0 {
            entries = self.listed(&folder, compared);
        }
        for name in plain {
            self.left = self.left.saturating_sub(1);
            if let Ok(found) = fs::symlink_metadata(folder.join(&name)) {
                entries.insert(name, found.file_type());
            }
        }
        let next = entries.into_iter();
        next.filter_map(|(name, file_type)| self.take(step, &parts, &name, file_type))
            .collect()
    }

    /// Takes an entry in where a pattern ends with it, and says how to go on below it if one goes on.
    fn take(
        &mut self,
        step: &Step,
        parts: &BTreeSet<Part>,
        name: &OsStr,
        file_type: fs::FileType,
    ) -> Option<Step> {
        let way = step.way.join(name);
        let place = step.base.join(&way);
        let is_link = file_type.is_symlink();
        let mut below = BTreeSet::new();
        let mut is_found = false;
        for (at, part) in parts.iter().copied() {
            let Some(lookup) = self.lookups.get_mut(at) else {
                continue;
            };
            let Some(text) = lookup.segments.get(part) else {
                continue;
            };
            if !hits(text, name) {
                continue;
            }
            let is_last = part + 1 == lookup.segments.len();
            if is_last {
                lookup.names.insert(way.clone());
                is_found = true;
            }
            // Links lead on where a name is asked for, and on the way down only where the search says so.
            match text == "**" {
                true if is_link && !lookup.pattern.follows => {}
                true => {
                    below.insert((at, part));
                }
                false if is_last => {}
                false => {
                    below.insert((at, part + 1));
                }
            }
        }
        if !is_found && below.is_empty() {
            return None;
        }
        let is_folder = match is_link {
            true => place.is_dir(),
            false => file_type.is_dir(),
        };
        if !is_folder {
            if is_found {
                self.files.insert(place_of(&step.base, &way));
            }
            return None;
        }
        let real = match is_link || name == ".." {
            true => fs::canonicalize(&place).unwrap_or(place),
            false => step.here.real.join(name),
        };
        self.leave_circles(&mut below, &step.here, &real);
        (!below.is_empty()).then(|| Step {
            base: step.base.clone(),
            way,
            here: Rc::new(Place {
                real,
                above: Some(Rc::clone(&step.here)),
            }),
            parts: below,
        })
    }

    /// A folder on the way to itself is a circle: what follows links goes down there no more.
    fn leave_circles(&self, below: &mut BTreeSet<Part>, here: &Place, real: &Path) {
        let follows = |at: usize| self.lookups.get(at).is_some_and(|it| it.pattern.follows);
        if here.leads_through(real) {
            below.retain(|part| !follows(part.0) || self.text(*part) != Some("**"));
        }
    }

    /// Any depth is none, too.
    fn with_no_depth(&self, parts: &BTreeSet<Part>) -> BTreeSet<Part> {
        let mut all = parts.clone();
        for (at, part) in parts.iter().copied() {
            if self.text((at, part)) == Some("**") && self.text((at, part + 1)).is_some() {
                all.insert((at, part + 1));
            }
        }
        all
    }

    fn text(&self, (at, part): Part) -> Option<&str> {
        let segment = self.lookups.get(at)?.segments.get(part)?;
        Some(segment)
    }

    /// What is in a folder, as much of it as is looked at still, each entry for so many parts of patterns.
    fn listed(&mut self, folder: &Path, parts: usize) -> BTreeMap<OsString, fs::FileType> {
        let each = 1 + parts / COMPARED_AS_ONE;
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut entries = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name(), entry.file_type().ok()?))
        });
        self.left = self.left.saturating_sub(1);
        let listed: BTreeMap<_, _> = entries.by_ref().take(self.left / each).collect();
        self.left = self.left.saturating_sub(listed.len().saturating_mul(each));
        if entries.next().is_some() {
            self.is_cut = true;
            self.left = 0;
        }
        listed
    }
}

fn is_wild(text: &str) -> bool {
    text.contains(['*', '?', '[', '\\'])
}

/// Whether a part of a pattern finds a name. One that is no text may be anything to a shell.
fn hits(text: &str, name: &OsStr) -> bool {
    match name.to_str() {
        Some(name) if is_wild(text) => text == "**" || may_match(text, name),
        Some(name) => text == name,
        None => is_wild(text),
    }
}
