//! What the line itself has made, as the commands behind it find it.

use pointsman_model::{AbsPath, PathValue};

use super::made::{Made, Names, Stranger, Written};
use super::{Folder, State};

/// What commands have made that ran inside another one.
#[derive(Debug, Default)]
pub(crate) struct Left(Option<Made>);

impl State {
    /// Remembers that these names lead there.
    pub(crate) fn link(&mut self, names: &[PathValue], targets: &[PathValue]) {
        for pair in self.pairs(names, targets) {
            self.made().link(pair);
        }
        self.meet_strangers(names, targets);
    }

    /// Remembers that these files hold what those did.
    pub(crate) fn copy(&mut self, names: &[PathValue], sources: &[PathValue]) {
        for pair in self.pairs(names, sources) {
            self.made().copy(pair);
        }
        self.meet_strangers(names, sources);
    }

    /// Remembers the names of what is not known.
    fn meet_strangers(&mut self, names: &[PathValue], places: &[PathValue]) {
        let stranger = |place: &PathValue| match place {
            PathValue::Known(_) => None,
            PathValue::Pattern { .. } => Some(Stranger::File as fn(AbsPath) -> Stranger),
            PathValue::Unknown(_) => Some(Stranger::Anything as fn(AbsPath) -> Stranger),
        };
        for stranger in places.iter().filter_map(stranger) {
            for name in names {
                for name in self.touched(name) {
                    self.made().meet(stranger(name));
                }
            }
        }
    }

    /// Remembers that these folders are filled with what nobody knows.
    pub(crate) fn unpack(&mut self, folders: &[PathValue]) {
        for folder in folders {
            if let PathValue::Known(folder) = folder {
                self.made().meet(Stranger::Anything(folder.clone()));
            }
        }
    }

    /// Remembers what was written into a file, in the place of what it held or not.
    pub(crate) fn write(&mut self, file: &PathValue, written: &Written) {
        for place in self.same_files(file) {
            self.made().write((place, written.clone()));
        }
    }

    /// Remembers what was put behind what a file holds.
    pub(crate) fn append(&mut self, file: &PathValue, written: &Written) {
        for place in self.same_files(file) {
            self.made().append((place, written.clone()));
        }
    }

    /// Each name with each place that it is made for.
    fn pairs(&self, names: &[PathValue], places: &[PathValue]) -> Vec<(AbsPath, AbsPath)> {
        let mut pairs = Vec::new();
        for name in names.iter().flat_map(|name| self.touched(name)) {
            for place in places {
                if let PathValue::Known(place) = place
                    && name != *place
                {
                    pairs.push((name.clone(), place.clone()));
                }
            }
        }
        pairs
    }

    /// The files of the line that the path may stand for.
    fn touched(&self, path: &PathValue) -> Vec<AbsPath> {
        match path {
            PathValue::Known(path) => vec![path.clone()],
            PathValue::Pattern { base, glob } => {
                let files = self.rare.made.files();
                let mut touched: Vec<AbsPath> = files
                    .filter(|file| file.below(base).is_some_and(|name| may_match(name, glob)))
                    .cloned()
                    .collect();
                touched.sort();
                touched.dedup();
                touched
            }
            PathValue::Unknown(source) if goes_up(source) => {
                let mut touched: Vec<AbsPath> = self.rare.made.files().cloned().collect();
                touched.sort();
                touched.dedup();
                touched
            }
            PathValue::Unknown(_) => Vec::new(),
        }
    }

    /// The file under its other names. Files of which a part of the name is known are remembered as what nobody knows.
    fn same_files(&mut self, file: &PathValue) -> Vec<AbsPath> {
        let file = match file {
            PathValue::Known(file) => file,
            PathValue::Pattern { base, glob } => {
                let touched = self.touched(file);
                let end = glob.find(['*', '?', '[', '\\']).unwrap_or(glob.len());
                let front = glob.get(..end).unwrap_or("");
                // Names of any kind are those of files that it changes, none that it makes.
                if !front.is_empty() && !glob.contains('/') {
                    let like = Stranger::Like(base.clone(), front.into());
                    self.made().meet(like);
                }
                let made = &self.rare.made;
                let places = |file: AbsPath| made.places(&file, Names::Links).unwrap_or(vec![file]);
                return touched.into_iter().flat_map(places).collect();
            }
            PathValue::Unknown(_) => {
                let made = &self.rare.made;
                let places = |file: AbsPath| made.places(&file, Names::Links).unwrap_or(vec![file]);
                return self.touched(file).into_iter().flat_map(places).collect();
            }
        };
        let places = self.rare.made.places(file, Names::Links);
        places.unwrap_or_else(|| vec![file.clone()])
    }

    /// Remembers what a name is to stand for in front of a command line.
    pub(crate) fn alias(&mut self, name: &str, text: &str) {
        self.made().alias((name.into(), text.into()));
    }

    /// Takes in what a process of its own has made: files stay behind.
    pub(crate) fn keep_made(&mut self, other: &Self) {
        if self.rare.made != other.rare.made {
            self.made().join(&other.rare.made);
        }
    }

    /// Leaves what was made here behind for those that this state was made of.
    pub(crate) fn leave(&self, left: &mut Left) {
        if self.has_made() {
            left.0.get_or_insert_default().join(&self.rare.made);
        }
    }

    /// Takes what was left behind.
    pub(crate) fn take(&mut self, left: &mut Left) {
        if let Some(made) = left.0.take()
            && made != self.rare.made
        {
            self.made().join(&made);
        }
    }

    pub(super) fn made(&mut self) -> &mut Made {
        &mut self.rare.made
    }

    /// Where else the path may lead, by the names that the line has made.
    pub(crate) fn behind_links(&self, path: &PathValue) -> Vec<AbsPath> {
        let (PathValue::Known(path) | PathValue::Pattern { base: path, .. }) = path else {
            return Vec::new();
        };
        let links = self.rare.made.links.iter();
        links
            .filter_map(|(name, target)| Some(target.join(path.below(name)?)))
            .collect()
    }

    /// The programs that the file may be, by the names and copies that the line has made.
    pub(crate) fn programs_behind(&self, path: &PathValue) -> Vec<AbsPath> {
        let mut places = self.behind(path).unwrap_or_default();
        // What a pattern stands for is another name than its own.
        if let PathValue::Known(_) = path {
            places.drain(..1.min(places.len()));
        }
        places
    }

    /// The file, and those that it is a name or a copy of; nothing when nobody can tell.
    fn behind(&self, path: &PathValue) -> Option<Vec<AbsPath>> {
        let mut places = Vec::new();
        for file in self.touched(path) {
            places.extend(self.rare.made.places(&file, Names::LinksAndCopies)?);
        }
        Some(places)
    }

    /// Whether the line has made the file a name or a copy of what nobody knows.
    pub(crate) fn is_stranger(&self, path: &PathValue) -> bool {
        let strangers = &self.rare.made.strangers;
        let Some(places) = self.behind(path) else {
            return true;
        };
        let mut places = places.iter();
        places.any(|place| strangers.iter().any(|it| it.is_at(place)))
    }

    /// Whether the path is a folder that the command may run in, or one around it.
    pub(crate) fn is_around(&self, path: &PathValue) -> bool {
        let mut folders = self.folders.iter().filter_map(Folder::known);
        matches!(path, PathValue::Known(path) if folders.any(|it| it.is_within(path)))
    }

    /// Whether the line has made anything that is followed.
    pub(crate) fn has_made(&self) -> bool {
        self.rare.made != Made::NOTHING
    }

    /// Whether the line has written into any file.
    pub(crate) fn has_written(&self) -> bool {
        !self.rare.made.written.is_empty()
    }

    /// What the line has written into the file, or into one that it is a name or a copy of.
    pub(crate) fn written(&self, path: &PathValue) -> Vec<Written> {
        let made = &self.rare.made;
        if made.written.is_empty() {
            return Vec::new();
        }
        let places = self.behind(path).unwrap_or_default();
        let written = made.written.iter();
        written
            .filter(|(file, _)| places.contains(file))
            .map(|(_, written)| written.clone())
            .collect()
    }

    /// What the name is to stand for, by the aliases of the line.
    pub(crate) fn aliased(&self, name: &str) -> Vec<Box<str>> {
        let aliases = self.rare.made.aliases.iter();
        aliases
            .filter(|(alias, _)| **alias == *name)
            .map(|(_, text)| text.clone())
            .collect()
    }
}

/// Whether the spelling is a pattern that goes up from what it stands for, and nothing else that is unknown.
fn goes_up(source: &str) -> bool {
    let names = || source.split('/');
    names().any(|name| name == "..")
        && source.contains(['*', '?', '['])
        && !source.contains(['$', '`', '(', '~'])
}

/// Whether a shell's pattern may stand for the name; where nobody can tell by its ends, it may.
fn may_match(name: &str, glob: &str) -> bool {
    const SIGNS: [char; 4] = ['*', '?', '[', '\\'];
    let names: Vec<&str> = glob
        .split('/')
        .filter(|it| !matches!(*it, "" | "."))
        .collect();
    let glob = names.join("/");
    let front = glob.find(SIGNS).unwrap_or(glob.len());
    let behind = match glob.contains(['\\', '(']) {
        true => glob.len(),
        false => glob.rfind(['*', '?', ']']).map_or(glob.len(), |at| at + 1),
    };
    let (front, behind) = (glob.get(..front), glob.get(behind..));
    let (front, behind) = (front.unwrap_or(""), behind.unwrap_or(""));
    let deep = glob.contains('/') || glob.contains("**");
    name.len() >= front.len() + behind.len()
        && name.starts_with(front)
        && name.ends_with(behind)
        && (deep || !name.contains('/'))
}
