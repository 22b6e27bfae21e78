//! What the line itself has made: names for places that are there, copies, files with a text in them, aliases.
//!
//! It is there for rules that deny and ask: what such a thing stands for is a possibility where its name is
//! used further on in the line.

use std::rc::Rc;

use pointsman_model::AbsPath;

/// Things of each kind that are followed; nobody makes more in one line by hand.
const MADE_MAX: usize = 16;

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
        add_all(&mut self.links, &other.links);
        add_all(&mut self.copies, &other.copies);
        add_all(&mut self.written, &other.written);
        add_all(&mut self.strangers, &other.strangers);
        add_all(&mut self.aliases, &other.aliases);
    }
}

fn add_all<T: Clone + PartialEq>(list: &mut Vec<T>, others: &[T]) {
    for other in others {
        add(list, other.clone());
    }
}

pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if list.len() < MADE_MAX && !list.contains(&one) {
        list.push(one);
    }
}
