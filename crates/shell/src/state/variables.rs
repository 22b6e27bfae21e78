//! The variables that the line has set.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Shared, Value};
use crate::work;

/// Variables by name. Copies share their values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Variables(Shared<BTreeMap<Box<str>, Rc<Value>>>);

impl Variables {
    /// What the variable holds, where the line has set it. `_` is set by each command.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        const SET_ANEW: &Value = &Value::Unknown;
        match name {
            "_" => Some(SET_ANEW),
            name => self.0.get(name).map(Rc::as_ref),
        }
    }

    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> Vec<Box<str>> {
        self.0.keys().cloned().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        work::count(self.0.len() + 1);
        self.0.insert(name.into(), Rc::new(value));
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// The variables that hold something else in `other`, or nothing, and what they hold here.
    pub(crate) fn news<'v>(
        &'v self,
        other: &'v Self,
    ) -> impl Iterator<Item = (&'v str, &'v Value)> {
        let mine = self.0.iter().map(|(name, value)| (&**name, &**value));
        mine.filter(|(name, value)| other.0.get(*name).map(Rc::as_ref) != Some(*value))
    }

    /// Takes in what another way may have set.
    pub(super) fn join(&mut self, other: &Self) {
        if self == other {
            return;
        }
        work::count(self.0.len() + other.0.len());
        for (name, value) in &mut *self.0 {
            match other.0.get(name) {
                Some(others) if others == value => {}
                Some(others) => *value = Rc::new((**value).clone().join((**others).clone())),
                // Where nothing set it, it is what the line was started with.
                None => *value = Rc::new((**value).clone().join(Value::Unknown)),
            }
        }
        for (name, value) in other.0.iter() {
            if !self.0.contains_key(name) {
                let value = (**value).clone().join(Value::Unknown);
                self.0.insert(name.clone(), Rc::new(value));
            }
        }
    }

    /// Forgets the values that `keep` does not hold on to.
    pub(super) fn forget(&mut self, keep: impl Fn(&str, &Value) -> bool) {
        let forgotten: Vec<Box<str>> = self
            .0
            .iter()
            .filter(|(name, value)| !keep(name, value))
            .map(|(name, _)| name.clone())
            .collect();
        for name in forgotten {
            self.0.insert(name, Rc::new(Value::Unknown));
        }
    }
}
