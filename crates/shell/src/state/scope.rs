//! Variables that a function has for itself: what they hide comes back when it ends.
//!
//! As in Bash, a function that is called from another one sees the variables of that one.

use std::collections::BTreeMap;

use super::attributes::{self, Attributes};
use super::rare::Rare;
use super::{State, Value};

/// The variables that one function has for itself.
pub(super) type Scope = BTreeMap<Box<str>, Local>;

/// A variable that a function has for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Local {
    /// What it hides.
    outer: Outer,
    made: Made,
}

/// Which ways have made a variable one of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    ByAll,
    BySome,
}

/// A variable as it stands outside of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outer {
    /// Nothing where the line has not set it.
    value: Option<Value>,
    attributes: Option<Attributes>,
    exported: bool,
}

impl Outer {
    fn join(&mut self, other: &Self) {
        if self.value != other.value {
            let known = |it: &Self| it.value.clone().unwrap_or(Value::Unknown);
            self.value = Some(known(self).join(known(other)));
        }
        if self.attributes != other.attributes {
            let (mine, others) = (self.attributes.as_ref(), other.attributes.as_ref());
            self.attributes = Some(attributes::joined(mine, others));
        }
        self.exported &= other.exported;
    }
}

/// Takes in what functions have for themselves on another way.
pub(super) fn join(mine: &mut [Scope], others: &[Scope]) {
    for (mine, others) in mine.iter_mut().zip(others) {
        for (name, local) in mine.iter_mut() {
            match others.get(name) {
                Some(other) => {
                    local.outer.join(&other.outer);
                    if other.made == Made::BySome {
                        local.made = Made::BySome;
                    }
                }
                None => local.made = Made::BySome,
            }
        }
        for (name, local) in others {
            mine.entry(name.clone()).or_insert_with(|| Local {
                made: Made::BySome,
                ..local.clone()
            });
        }
    }
}

impl Rare {
    /// What is hidden may be anything, where it is not what it was before.
    pub(super) fn forget_hidden(&mut self, before: Option<&Self>) {
        for (level, scope) in self.scopes.iter_mut().enumerate() {
            let same = before.and_then(|it| it.scopes.get(level));
            for (name, local) in scope.iter_mut() {
                if same.and_then(|it| it.get(name)) != Some(local) {
                    local.outer.value = Some(Value::Unknown);
                }
            }
        }
    }
}

impl State {
    pub(crate) fn enter_function(&mut self) {
        self.rare.scopes.push(Scope::new());
    }

    /// What the function has hidden comes back.
    pub(crate) fn leave_function(&mut self) {
        for (name, local) in self.rare.scopes.pop().unwrap_or_default() {
            let mut back = local.outer;
            match local.made {
                Made::ByAll => {}
                Made::BySome => back.join(&self.standing(&name)),
            }
            self.put_back(&name, back);
        }
    }

    /// Ends all functions that are called in the one at hand in `outer`.
    pub(crate) fn leave_functions_of(&mut self, outer: &Self) {
        while self.rare.scopes.len() > outer.rare.scopes.len() {
            self.leave_function();
            self.positional.clone_from(&outer.positional);
        }
    }

    pub(crate) fn is_in_function(&self) -> bool {
        !self.rare.scopes.is_empty()
    }

    /// Makes the variable one of the function at hand, and empty where it was none before.
    pub(crate) fn make_local(&mut self, name: &str) {
        let now = self.standing(name);
        let Some(scope) = self.rare.scopes.last_mut() else {
            return;
        };
        match scope.get_mut(name) {
            Some(local) if local.made == Made::ByAll => return,
            Some(local) => {
                local.outer.join(&now);
                local.made = Made::ByAll;
            }
            None => {
                let local = Local {
                    outer: now.clone(),
                    made: Made::ByAll,
                };
                scope.insert(name.into(), local);
            }
        }
        self.end_attributes(name);
        if let Some(value) = now.value {
            // What stands in front of the call is there in the function too.
            self.put(name, value.join(Value::text("")));
        }
    }

    /// Does something to the variable that stands outside of all functions.
    pub(crate) fn outside(&mut self, name: &str, act: impl FnOnce(&mut Self)) {
        let Some(level) = self.rare.scopes.iter().position(|it| it.contains_key(name)) else {
            return act(self);
        };
        let inner = self.standing(name);
        if let Some(outer) = self.local(level, name).map(|it| it.outer.clone()) {
            self.put_back(name, outer);
        }
        act(self);
        let outer = self.standing(name);
        let mut visible = inner;
        if let Some(local) = self.local(level, name) {
            local.outer = outer.clone();
            if local.made == Made::BySome {
                visible.join(&outer);
            }
        }
        self.put_back(name, visible);
    }

    /// Ends the variable. Gives what is found in its place: what the function around this one has hidden
    /// with its own, or what stood there before it was set for a command.
    pub(crate) fn end_variable(&mut self, name: &str) -> Value {
        let scopes = &self.rare.scopes;
        let level = scopes.iter().rposition(|it| it.contains_key(name));
        let around = level.filter(|level| level + 1 < scopes.len());
        self.end_attributes(name);
        let nothing = match self.covered(name) {
            Some(covered) => covered.clone().join(Value::text("")),
            None => Value::text(""),
        };
        let Some(local) = around.and_then(|level| self.local(level, name)) else {
            return nothing;
        };
        local.made = Made::BySome;
        let found = local.outer.value.clone().unwrap_or(Value::Unknown);
        found.join(nothing)
    }

    fn local(&mut self, level: usize, name: &str) -> Option<&mut Local> {
        self.rare.scopes.get_mut(level)?.get_mut(name)
    }

    /// The variable as it stands now.
    fn standing(&self, name: &str) -> Outer {
        Outer {
            value: self.variables.get(name).cloned(),
            attributes: self.rare.attributes.get(name).cloned(),
            exported: self.rare.exported.contains(name),
        }
    }

    fn put_back(&mut self, name: &str, outer: Outer) {
        match outer.value {
            Some(value) => self.put(name, value),
            None => self.variables.remove(name),
        }
        if outer.attributes.as_ref() != self.rare.attributes.get(name) {
            match outer.attributes {
                Some(attributes) => self.rare.attributes.insert(name.into(), attributes),
                None => self.rare.attributes.remove(name),
            };
        }
        if outer.exported != self.rare.exported.contains(name) {
            match outer.exported {
                true => self.export(name),
                false => self.keep_from_programs(name),
            }
        }
    }
}
