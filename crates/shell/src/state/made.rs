//! What the line itself has made: names for places that are there, copies, files with a text in them, aliases.
//!
//! It is there for rules that deny and ask: what such a thing stands for is a possibility where its name is
//! used further on in the line.

use std::rc::Rc;

use pointsman_model::AbsPath;

/// Things of each kind that are followed; nobody makes more in one line by hand. Beyond, any file is one that nobody knows.
const MADE_MAX: usize = 64;

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
    /// Anything: where it is a folder, all that is in it.
    Anything(AbsPath),
}

impl Stranger {
    pub(super) fn is_at(&self, path: &AbsPath) -> bool {
        match self {
            Self::File(name) => name == path,
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

    pub(super) fn link(&mut self, link: (AbsPath, AbsPath)) {
        let kept = add(&mut self.links, link);
        self.follow(kept);
    }

    pub(super) fn copy(&mut self, copy: (AbsPath, AbsPath)) {
        let kept = add(&mut self.copies, copy);
        self.follow(kept);
    }

    pub(super) fn write(&mut self, written: (AbsPath, Written)) {
        let kept = add(&mut self.written, written);
        self.follow(kept);
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
