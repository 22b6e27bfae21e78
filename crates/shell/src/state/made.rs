//! What the line itself has made: names for places that are there, copies, files with a text in them, aliases.
//!
//! It is there for rules that deny and ask: what such a thing stands for is a possibility where its name is
//! used further on in the line.

use std::rc::Rc;

use pointsman_model::AbsPath;

use crate::limits::VALUE_BYTES_MAX;

/// Things of each kind that are followed; nobody makes more in one line by hand. Beyond, any file is one that nobody knows.
const MADE_MAX: usize = 64;

/// Texts that one file may hold, beyond which nobody tells them apart.
const TEXTS_MAX: usize = 8;

/// Places that one name may lead to, beyond which it is one that nobody knows.
const PLACES_MAX: usize = 64;

/// What the line has put into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Written {
    /// This text, perhaps among others.
    Text(Rc<str>),
    /// What nobody knows: another program's output, or what another machine sent.
    Unknown,
}

/// A name or a copy of what nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stranger {
    /// A file that some of those are which a pattern stands for: in a folder they keep their names.
    File(AbsPath),
    /// Files in the folder whose names begin like this.
    Like(AbsPath, Box<str>),
    /// Anything: where it is a folder, all that is in it.
    Anything(AbsPath),
}

impl Stranger {
    pub(super) fn is_at(&self, path: &AbsPath) -> bool {
        match self {
            Self::File(name) => name == path,
            Self::Like(folder, front) => {
                let name = path.below(folder);
                name.is_some_and(|name| !name.is_empty() && name.starts_with(&**front))
            }
            Self::Anything(name) => path.is_within(name),
        }
    }
}

/// What the line has made so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Made {
    /// Names for other places: the name, and where it leads.
    pub(super) links: Vec<(AbsPath, AbsPath)>,
    /// Files that hold what another one held.
    pub(super) copies: Vec<(AbsPath, AbsPath)>,
    pub(super) written: Vec<(AbsPath, Written)>,
    pub(super) strangers: Vec<Stranger>,
    pub(super) aliases: Vec<(Box<str>, Box<str>)>,
}

/// Names that lead elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// For the same file.
    Links,
    /// For the same file, or for one that holds the same.
    LinksAndCopies,
}

impl Made {
    pub(super) const NOTHING: Self = Self {
        links: Vec::new(),
        copies: Vec::new(),
        written: Vec::new(),
        strangers: Vec::new(),
        aliases: Vec::new(),
    };

    /// Takes in what another way may have made.
    pub(super) fn join(&mut self, other: &Self) {
        other.links.iter().cloned().for_each(|it| self.link(it));
        other.copies.iter().cloned().for_each(|it| self.copy(it));
        other.written.iter().cloned().for_each(|it| self.write(it));
        other.strangers.iter().cloned().for_each(|it| self.meet(it));
        for alias in &other.aliases {
            self.alias(alias.clone());
        }
    }

    /// The files that the line has made or filled.
    pub(super) fn files(&self) -> impl Iterator<Item = &AbsPath> {
        let pairs = self.links.iter().chain(&self.copies);
        let names = pairs.map(|(name, _)| name);
        names.chain(self.written.iter().map(|(file, _)| file))
    }

    pub(super) fn link(&mut self, link: (AbsPath, AbsPath)) {
        let kept = add(&mut self.links, link);
        self.follow(kept);
    }

    pub(super) fn copy(&mut self, copy: (AbsPath, AbsPath)) {
        let kept = add(&mut self.copies, copy);
        self.follow(kept);
    }

    pub(super) fn write(&mut self, (file, written): (AbsPath, Written)) {
        let texts = self.texts_of(&file).count();
        let known = self
            .written
            .iter()
            .any(|it| it.0 == file && it.1 == written);
        let one = match written {
            Written::Text(_) if texts >= TEXTS_MAX && !known => Written::Unknown,
            written => written,
        };
        let kept = add(&mut self.written, (file, one));
        self.follow(kept);
    }

    /// Puts something behind what the file holds.
    pub(super) fn append(&mut self, (file, written): (AbsPath, Written)) {
        let before: Vec<Rc<str>> = self.texts_of(&file).map(Rc::clone).collect();
        let Written::Text(text) = &written else {
            return self.write((file, written));
        };
        if before.is_empty() {
            return self.write((file, written));
        }
        self.written
            .retain(|(other, held)| *other != file || *held == Written::Unknown);
        for held in before {
            let one = match held.len() + text.len() {
                0..=VALUE_BYTES_MAX => Written::Text(format!("{held}{text}").into()),
                _ => Written::Unknown,
            };
            self.write((file.clone(), one));
        }
    }

    /// What differs from `before` may have been done any number of times.
    pub(super) fn repeat(&mut self, before: &Self) {
        let news = self
            .written
            .iter()
            .filter(|it| !before.written.contains(it));
        let files: Vec<AbsPath> = news.map(|(file, _)| file.clone()).collect();
        for file in files {
            self.write((file, Written::Unknown));
        }
    }

    fn texts_of(&self, file: &AbsPath) -> impl Iterator<Item = &Rc<str>> {
        let of_file = self.written.iter().filter(move |(other, _)| other == file);
        of_file.filter_map(|(_, written)| match written {
            Written::Text(text) => Some(text),
            Written::Unknown => None,
        })
    }

    /// The path, and where else it leads by those names; nothing when that is too much to be told.
    pub(super) fn places(&self, path: &AbsPath, by: Names) -> Option<Vec<AbsPath>> {
        let copies = match by {
            Names::Links => &[][..],
            Names::LinksAndCopies => &self.copies,
        };
        let mut places = vec![path.clone()];
        let mut at = 0;
        while let Some(place) = places.get(at).cloned() {
            at += 1;
            for (name, target) in self.links.iter().chain(copies) {
                let Some(below) = place.below(name) else {
                    continue;
                };
                // It leads into itself: what lies there has been followed to its end.
                if target.is_within(name) && place.is_within(target) {
                    continue;
                }
                let behind = target.join(below);
                if places.contains(&behind) {
                    continue;
                }
                if places.len() >= PLACES_MAX {
                    return None;
                }
                places.push(behind);
            }
        }
        Some(places)
    }

    pub(super) fn meet(&mut self, stranger: Stranger) {
        let kept = add(&mut self.strangers, stranger);
        self.follow(kept);
    }

    pub(super) fn alias(&mut self, alias: (Box<str>, Box<str>)) {
        // What an alias is for, rules alone look at.
        let _ = add(&mut self.aliases, alias);
    }

    fn follow(&mut self, kept: Kept) {
        let anything = || Stranger::Anything(AbsPath::root());
        if kept == Kept::No && !self.strangers.contains(&anything()) {
            self.strangers.push(anything());
        }
    }
}

/// Whether a thing is among those that are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) -> Kept {
    if list.contains(&one) {
        return Kept::Yes;
    }
    if list.len() >= MADE_MAX {
        return Kept::No;
    }
    list.push(one);
    Kept::Yes
}
