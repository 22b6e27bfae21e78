//! What few lines set up.

use std::collections::{BTreeMap, BTreeSet};

use super::attributes::{self, Attributes};
use super::functions::Doubts;
use super::made::Made;
use super::scope::{self, Scope};
use super::shared::Empty;
use super::{State, Value};
use crate::walk::{Feed, Input};

/// What few lines set up. It stands apart so that a state stays small on the stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rare {
    /// Variables that programs see, on all ways that led here.
    pub(super) exported: BTreeSet<Box<str>>,
    /// What variables do with values that they are given, where they don't just hold them.
    pub(super) attributes: BTreeMap<Box<str>, Attributes>,
    /// What may be otherwise with functions than their definitions say.
    pub(super) doubts: BTreeMap<Box<str>, Doubts>,
    /// What the functions at hand have for themselves, that of the outermost first.
    pub(super) scopes: Vec<Scope>,
    /// What stands again in the place of variables that are set for a command, once that unsets them.
    pub(super) covered: BTreeMap<Box<str>, Value>,
    /// What stands at the shell's own input, where `exec` has put something there.
    pub(super) input: Option<Input>,
    /// The texts of traps that may run at any time.
    pub(super) traps: BTreeSet<Box<str>>,
    /// What traps may set variables to.
    pub(super) haunted: BTreeMap<Box<str>, Value>,
    /// What the line has made for those behind it.
    pub(super) made: Made,
}

impl Rare {
    /// Takes in what another way may have set up.
    pub(super) fn join(&mut self, other: &Self) {
        self.exported.retain(|name| other.exported.contains(name));
        self.join_attributes(other);
        for (name, doubts) in &other.doubts {
            let mine = self.doubts.entry(name.clone()).or_default();
            mine.extend(doubts.iter().copied());
        }
        scope::join(&mut self.scopes, &other.scopes);
        self.traps.extend(other.traps.iter().cloned());
        if self.input != other.input {
            self.input = Some(Input::of(Feed::Commands));
        }
        add_all(&mut self.covered, &other.covered);
        add_all(&mut self.haunted, &other.haunted);
        self.made.join(&other.made);
    }

    fn join_attributes(&mut self, other: &Self) {
        if self.attributes == other.attributes {
            return;
        }
        let names = self.attributes.keys().chain(other.attributes.keys());
        let joined = names.map(|name| {
            let (mine, others) = (self.attributes.get(name), other.attributes.get(name));
            (name.clone(), attributes::joined(mine, others))
        });
        self.attributes = joined.collect();
    }
}

/// Takes in the values of another way, beside those that are there.
fn add_all(values: &mut BTreeMap<Box<str>, Value>, others: &BTreeMap<Box<str>, Value>) {
    for (name, value) in others {
        add(values, name, value.clone());
    }
}

fn add(values: &mut BTreeMap<Box<str>, Value>, name: &str, value: Value) {
    let value = match values.remove(name) {
        Some(before) => before.join(value),
        None => value,
    };
    values.insert(name.into(), value);
}

impl Empty for Rare {
    const EMPTY: &'static Self = &Self {
        exported: BTreeSet::new(),
        attributes: BTreeMap::new(),
        doubts: BTreeMap::new(),
        scopes: Vec::new(),
        covered: BTreeMap::new(),
        input: None,
        traps: BTreeSet::new(),
        haunted: BTreeMap::new(),
        made: Made::NOTHING,
    };
}

impl State {
    /// Programs see the variable from now on.
    pub(crate) fn export(&mut self, name: &str) {
        self.rare.exported.insert(name.into());
    }

    /// Programs don't see the variable any more.
    pub(crate) fn keep_from_programs(&mut self, name: &str) {
        if self.rare.exported.contains(name) {
            self.rare.exported.remove(name);
        }
    }

    /// The variables that programs see, where the line has set them, and what they hold.
    pub(crate) fn exported(&self) -> impl Iterator<Item = (&str, &Value)> {
        let names = self.rare.exported.iter();
        names.filter_map(|name| Some((&**name, self.variables.get(name)?)))
    }

    /// What stands at the shell's own input, where the line has put something there.
    pub(crate) fn input(&self) -> Option<&Input> {
        self.rare.input.as_ref()
    }

    /// From now on this stands at the shell's own input.
    pub(crate) fn set_input(&mut self, input: Input) {
        self.rare.input = Some(input);
    }

    /// Remembers a text that may run at any time from now on.
    pub(crate) fn remember_trap(&mut self, text: &str) {
        self.rare.traps.insert(text.into());
    }

    /// Whether a text that may run at any time has the name in it.
    pub(crate) fn is_trapped(&self, name: &str) -> bool {
        let is_name = |char: char| char.is_ascii_alphanumeric() || "_-.:".contains(char);
        self.rare.traps.iter().any(|text| {
            let plain = text.replace(['\\', '\'', '"'], "");
            let mut words = plain.split(|char| !is_name(char));
            words.any(|word| word == name)
        })
    }

    /// What a trap sets may be the variable's value at any time from now on.
    pub(crate) fn haunt(&mut self, name: &str, value: Value) {
        let before = self.variables.get(name).cloned();
        self.variables
            .set(name, before.unwrap_or(Value::Unknown).join(value.clone()));
        add(&mut self.rare.haunted, name, value);
    }

    /// Programs find the variable unset from now on.
    pub(crate) fn hide(&mut self, name: &str) {
        self.put(name, Value::text(""));
        self.export(name);
    }

    /// Programs find all variables unset from now on.
    pub(crate) fn hide_all(&mut self) {
        for name in self.variables.names() {
            self.hide(&name);
        }
    }

    /// Programs may find any variable unset from now on.
    pub(crate) fn may_hide_all(&mut self) {
        for name in self.variables.names() {
            let now = self.variables.get(&name).cloned();
            let now = now.unwrap_or(Value::Unknown);
            self.put(&name, now.join(Value::text("")));
        }
    }

    /// Sets a variable for one command. Its attributes may not count for that.
    pub(crate) fn set_in_front(&mut self, name: &str, value: Value) -> InFront {
        let before = self.variables.get(name).cloned();
        let exported = self.rare.exported.contains(name);
        self.put(name, value.clone().join(self.taken(name, value)));
        self.export(name);
        let covered = self.rare.covered.get(name).cloned();
        let below = before.clone().unwrap_or(Value::Unknown);
        add(&mut self.rare.covered, name, below);
        InFront {
            name: name.into(),
            set: self.variables.get(name).cloned(),
            before,
            covered,
            exported,
        }
    }

    /// What the variable holds once a command has unset that of its own.
    pub(super) fn covered(&self, name: &str) -> Option<&Value> {
        self.rare.covered.get(name)
    }

    fn uncover(&mut self, one: &mut InFront) {
        match one.covered.take() {
            Some(covered) => self.rare.covered.insert(one.name.clone(), covered),
            None => self.rare.covered.remove(&one.name),
        };
    }

    /// What a command has set for itself may stay: the variable has this value, or the one that it had before.
    pub(crate) fn may_stay(&mut self, mut one: InFront) {
        self.uncover(&mut one);
        let now = self.variables.get(&one.name).cloned();
        let before = one.before.unwrap_or(Value::Unknown);
        self.put(&one.name, before.join(now.unwrap_or(Value::Unknown)));
        if !one.exported {
            self.keep_from_programs(&one.name);
        }
    }

    /// Ends what a command has set for itself: the variable has the value that it had before, unless it was changed.
    pub(crate) fn restore(&mut self, mut one: InFront) {
        self.uncover(&mut one);
        let now = self.variables.get(&one.name);
        match (now == one.set.as_ref(), one.before) {
            (true, Some(before)) => self.put(&one.name, before),
            (true, None) => self.variables.remove(&one.name),
            (false, before) => {
                let now = now.cloned().unwrap_or(Value::Unknown);
                self.put(&one.name, before.unwrap_or(Value::Unknown).join(now));
            }
        }
        if !one.exported {
            self.keep_from_programs(&one.name);
        }
    }
}

/// A variable that is set for one command.
#[derive(Debug)]
pub(crate) struct InFront {
    name: Box<str>,
    /// What it holds while the command runs.
    set: Option<Value>,
    /// What it held before; nothing where the line had not set it.
    before: Option<Value>,
    /// What stood below that.
    covered: Option<Value>,
    /// Whether programs saw it before.
    exported: bool,
}
