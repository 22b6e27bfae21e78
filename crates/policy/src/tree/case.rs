//! The files of a case: what its `fs` says, and nothing of the machine.

use std::collections::{BTreeMap, BTreeSet};

use pointsman_model::AbsPath;

use smallvec::smallvec;

use super::{EntryKind, FileId, Hops, Kept, Tree, disk::follow, nearest_by_kind};

/// Files, links and folders held in memory.
#[derive(Debug, Clone, Default)]
pub struct CaseTree {
    files: BTreeMap<AbsPath, String>,
    links: BTreeMap<AbsPath, String>,
    folders: BTreeSet<AbsPath>,
    /// Other names of files, with the first one.
    same_files: BTreeMap<AbsPath, AbsPath>,
    tracked: Option<Vec<AbsPath>>,
    folds_case: bool,
}

impl CaseTree {
    /// A tree without anything in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a file there; its folders come with it.
    pub fn add_file(&mut self, path: &AbsPath, content: &str) {
        if let Some(parent) = path.parent() {
            self.add_folder(&parent);
        }
        self.files.insert(path.clone(), content.into());
    }

    /// Puts a symbolic link there.
    pub fn add_link(&mut self, path: &AbsPath, target: &str) {
        if let Some(parent) = path.parent() {
            self.add_folder(&parent);
        }
        self.links.insert(path.clone(), target.into());
    }

    /// Puts a folder there, and all that lead to it.
    pub fn add_folder(&mut self, path: &AbsPath) {
        let mut at = Some(path.clone());
        while let Some(here) = at {
            at = here.parent();
            self.folders.insert(here);
        }
    }

    /// Gives a file another name. A file that has the first one comes with it.
    pub fn add_name(&mut self, path: &AbsPath, first: &AbsPath) {
        for name in [first, path] {
            if self.kind(name) == EntryKind::Missing {
                self.add_file(name, "");
            }
            self.same_files.insert(name.clone(), first.clone());
        }
    }

    /// Says which files the repository keeps. Otherwise it may keep any.
    pub fn track(&mut self, files: Vec<AbsPath>) {
        self.tracked = Some(files);
    }

    /// Makes names that differ in case alone the same name.
    pub fn fold_case(&mut self) {
        self.folds_case = true;
    }

    fn same(&self, one: &AbsPath, other: &AbsPath) -> bool {
        one == other
            || (self.folds_case && one.as_str().to_lowercase() == other.as_str().to_lowercase())
    }

    fn real(&self, path: &AbsPath) -> AbsPath {
        let hops = self.hops(path);
        hops.last().unwrap_or(path).clone()
    }
}

impl Tree for CaseTree {
    fn hops(&self, path: &AbsPath) -> Hops {
        if self.links.is_empty() {
            return smallvec![path.clone()];
        }
        follow(path, |at| {
            let at = AbsPath::parse(at).ok()?;
            let found = self.links.iter().find(|(link, _)| self.same(link, &at));
            found.map(|(_, target)| target.clone())
        })
    }

    fn kind(&self, path: &AbsPath) -> EntryKind {
        let real = self.real(path);
        if self.files.keys().any(|file| self.same(file, &real)) {
            EntryKind::File
        } else if self.folders.iter().any(|folder| self.same(folder, &real)) {
            EntryKind::Folder
        } else {
            EntryKind::Missing
        }
    }

    fn nearest(&self, path: &AbsPath, name: &str) -> Option<(AbsPath, EntryKind)> {
        let mut all = self.files.keys().chain(&self.folders);
        let plain = self.links.is_empty() && !self.folds_case;
        if plain && !all.any(|at| at.name() == Some(name)) {
            return None;
        }
        nearest_by_kind(self, path, name)
    }

    fn folds_case(&self, _path: &AbsPath) -> bool {
        self.folds_case
    }

    fn list(&self, folder: &AbsPath, max: usize) -> Option<Vec<String>> {
        let real = self.real(folder);
        if !self.folders.iter().any(|at| self.same(at, &real)) {
            return None;
        }
        let all = self
            .files
            .keys()
            .chain(self.links.keys())
            .chain(&self.folders);
        let names: BTreeSet<String> = all
            .filter(|at| at.parent().is_some_and(|parent| self.same(&parent, &real)))
            .filter_map(|at| at.name().map(String::from))
            .collect();
        Some(names.into_iter().take(max).collect())
    }

    fn read_small(&self, file: &AbsPath, bytes_max: u64) -> Option<String> {
        let real = self.real(file);
        let (_, text) = self.files.iter().find(|(at, _)| self.same(at, &real))?;
        (text.len() as u64 <= bytes_max).then(|| text.clone())
    }

    fn file_id(&self, file: &AbsPath) -> Option<FileId> {
        let first = self.same_files.get(&self.real(file))?;
        Some(FileId(first.as_str().into()))
    }

    fn kept_by_git(&self, _folder: &AbsPath) -> Kept {
        match &self.tracked {
            Some(files) => Kept::Files(files.clone()),
            None => Kept::Unsaid,
        }
    }
}
