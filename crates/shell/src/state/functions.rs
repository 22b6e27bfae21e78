//! The functions that the line defines, and whether they stand behind their names.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{FunctionText, State};

/// What may be otherwise with a function than its definition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// There may be none of that name.
    Missing,
    /// It may stay as it is when it is defined anew.
    Fixed,
}

pub(super) type Doubts = BTreeSet<Doubt>;

impl State {
    /// Takes in a definition.
    pub(crate) fn define(&mut self, name: &str, text: FunctionText) {
        let mut fixed = false;
        if self.rare.doubts.contains_key(name) {
            let doubts = self.rare.doubts.entry(name.into()).or_default();
            doubts.remove(&Doubt::Missing);
            fixed = doubts.contains(&Doubt::Fixed);
        }
        let bodies = self.functions.entry(name.into()).or_default();
        if !fixed {
            bodies.clear();
        }
        let text = Rc::new(text);
        if !bodies.contains(&text) {
            bodies.push(text);
        }
    }

    /// The function may be gone from now on.
    pub(crate) fn may_undefine(&mut self, name: &str) {
        self.doubt(name, Doubt::Missing);
    }

    /// Any function may be gone from now on.
    pub(crate) fn may_undefine_any(&mut self) {
        let names: Vec<Box<str>> = self.functions.keys().cloned().collect();
        for name in names {
            self.may_undefine(&name);
        }
    }

    /// The function may keep its definition from now on.
    pub(crate) fn fix_function(&mut self, name: &str) {
        self.doubt(name, Doubt::Fixed);
    }

    fn doubt(&mut self, name: &str, doubt: Doubt) {
        if self.functions.contains_key(name) {
            let doubts = self.rare.doubts.entry(name.into()).or_default();
            doubts.insert(doubt);
        }
    }

    /// What stands behind the name where its function is not there; nothing where it surely is.
    pub(crate) fn without_function(&self, name: &str) -> Option<Self> {
        let doubts = self.rare.doubts.get(name)?;
        doubts.contains(&Doubt::Missing).then(|| {
            let mut without = self.clone();
            without.functions.remove(name);
            without
        })
    }

    /// Takes in the functions of another way. Those that one way alone has may be missing.
    pub(super) fn join_functions(&mut self, other: &Self) {
        if self.functions == other.functions {
            return;
        }
        let mine = self.functions.keys();
        let alone = mine.filter(|name| !other.functions.contains_key(&***name));
        let others = other.functions.keys();
        let alone = alone.chain(others.filter(|name| !self.functions.contains_key(&***name)));
        let alone: Vec<Box<str>> = alone.cloned().collect();
        for (name, bodies) in other.functions.iter() {
            let mine = self.functions.entry(name.clone()).or_default();
            for body in bodies {
                if !mine.contains(body) {
                    mine.push(Rc::clone(body));
                }
            }
        }
        for name in alone {
            self.may_undefine(&name);
        }
    }
}
