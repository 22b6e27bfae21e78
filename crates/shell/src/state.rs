//! What the line itself has set up so far: folder, variables, functions.
//!
//! A state says what is known at one place of the line. Where two ways meet, [`State::join`] keeps
//! what both may have left behind.

mod made;
mod shared;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use compact_str::CompactString;
use pointsman_model::{AbsPath, PathValue, Span};

use crate::field::{Field, Known, Shape, Unknown};
use crate::limits::ALTERNATIVES_MAX;

use self::made::{Made, Names, Stranger};
use self::shared::Empty;

pub(crate) use made::Written;
pub(crate) use shared::Shared;
pub(crate) use variables::Variables;

/// Folders that a place of the line may run in, beyond which none is told apart.
const FOLDERS_MAX: usize = 4;

/// A folder, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Folder {
    Known(AbsPath),
    /// Its spelling.
    Unknown(Box<str>),
}

impl Folder {
    /// The folder, when it is known.
    pub(crate) fn known(&self) -> Option<&AbsPath> {
        match self {
            Self::Known(folder) => Some(folder),
            Self::Unknown(_) => None,
        }
    }
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// One of these texts.
    Texts(Vec<Box<str>>),
    /// One of these texts, or anything else: what some ways have set.
    Among(Vec<Box<str>>),
    /// An array of these.
    List(Vec<Box<str>>),
    /// One of the names of files that match one of these patterns, or the pattern itself.
    Patterns(Vec<Box<str>>),
    /// Some number.
    Number,
    /// Anything.
    Unknown,
}

impl Value {
    pub(crate) fn text(text: impl Into<Box<str>>) -> Self {
        Self::Texts(vec![text.into()])
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Texts(mine), Self::Texts(others)) => {
                united(mine, others).map_or(Self::Unknown, Self::Texts)
            }
            (Self::Texts(mine) | Self::Among(mine), Self::Texts(others) | Self::Among(others)) => {
                united(mine, others).map_or(Self::Unknown, Self::Among)
            }
            (Self::Texts(texts) | Self::Among(texts), Self::Unknown)
            | (Self::Unknown, Self::Texts(texts) | Self::Among(texts)) => Self::Among(texts),
            (Self::Patterns(mine), Self::Patterns(others)) => {
                united(mine, others).map_or(Self::Unknown, Self::Patterns)
            }
            (mine, other) if mine == other => mine,
            (Self::Number, Self::Texts(texts)) | (Self::Texts(texts), Self::Number)
                if texts.iter().all(|text| text.parse::<i64>().is_ok()) =>
            {
                Self::Number
            }
            _ => Self::Unknown,
        }
    }
}

/// What stands in either list; nothing when that is too much to be told apart.
fn united(mut mine: Vec<Box<str>>, others: Vec<Box<str>>) -> Option<Vec<Box<str>>> {
    for text in others {
        if !mine.contains(&text) {
            mine.push(text);
        }
    }
    (mine.len() <= ALTERNATIVES_MAX).then_some(mine)
}

/// A function that the line defines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FunctionText {
    /// The text of its body.
    pub(crate) body: Box<str>,
}

/// What is known at one place of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// Where a command here runs: the likely folder first, then those of ways that go wrong.
    pub(crate) folders: Shared<Vec<Folder>>,
    /// `OLDPWD`.
    pub(crate) previous: Option<Folder>,
    /// What `pushd` left; `None` when it is not known.
    pub(crate) pushed: Option<Shared<Vec<Folder>>>,
    pub(crate) variables: Variables,
    /// Functions, all those that a name may stand for.
    pub(crate) functions: Shared<BTreeMap<Box<str>, Vec<Rc<FunctionText>>>>,
    /// The arguments of the function whose body this is.
    pub(crate) positional: Option<Rc<Vec<Field>>>,
    /// What few lines set up.
    rare: Shared<Rare>,
}

/// What few lines set up. It stands apart so that a state stays small on the stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rare {
    /// Variables that programs see.
    exported: BTreeSet<Box<str>>,
    /// Variables that take the value of an expression.
    integers: BTreeSet<Box<str>>,
    /// What traps may set variables to.
    haunted: BTreeMap<Box<str>, Value>,
    /// What the line has made for those behind it.
    made: Made,
}

impl Empty for Rare {
    const EMPTY: &'static Self = &Self {
        exported: BTreeSet::new(),
        integers: BTreeSet::new(),
        haunted: BTreeMap::new(),
        made: Made::NOTHING,
    };
}

/// What commands have made that ran inside another one.
#[derive(Debug, Default)]
pub(crate) struct Left(Option<Made>);

impl State {
    pub(crate) fn new(folder: &AbsPath) -> Self {
        Self {
            folders: Shared::new(vec![Folder::Known(folder.clone())]),
            previous: None,
            pushed: Some(Shared::default()),
            variables: Variables::default(),
            functions: Shared::default(),
            positional: None,
            rare: Shared::default(),
        }
    }

    /// The likely folder.
    pub(crate) fn folder(&self) -> Option<&AbsPath> {
        match self.folders.first() {
            Some(Folder::Known(path)) => Some(path),
            Some(Folder::Unknown(_)) | None => None,
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        let value = match self.rare.haunted.get(name) {
            Some(other) => value.join(other.clone()),
            None => value,
        };
        self.variables.set(name, value);
    }

    /// Whether nothing but variables differs.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let mut like = self.clone();
        like.variables = other.variables.clone();
        like.rare.made = other.rare.made.clone();
        like == *other
    }

    /// Changes the folder, as a `cd` that succeeds.
    pub(crate) fn change_folder(&mut self, to: Folder) {
        self.previous = self.folders.first().cloned();
        self.folders = Shared::new(vec![to]);
    }

    /// Takes in folders that a command may have failed to leave.
    pub(crate) fn may_also_be_in(&mut self, folders: &[Folder]) {
        for folder in folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
        }
        if self.folders.len() > FOLDERS_MAX {
            self.folders.truncate(1);
            self.folders.push(Folder::Unknown(".".into()));
        }
    }

    /// Takes in what another way to the same place may have left behind.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.folders != other.folders {
            self.may_also_be_in(&other.folders);
        }
        if self.previous != other.previous {
            self.previous = None;
        }
        match (&self.pushed, &other.pushed) {
            (mine, others) if mine == others => {}
            // Where one way has pushed nothing, `popd` fails there and stays.
            (Some(_), Some(others)) if others.is_empty() => {}
            (Some(mine), Some(others)) if mine.is_empty() => self.pushed = Some(others.clone()),
            _ => self.pushed = None,
        }
        self.variables.join(&other.variables);
        if self.functions != other.functions {
            for (name, bodies) in other.functions.iter() {
                let mine = self.functions.entry(name.clone()).or_default();
                for body in bodies {
                    if !mine.contains(body) {
                        mine.push(Rc::clone(body));
                    }
                }
            }
        }
        if self.positional != other.positional {
            // What no way has put there is what the line was started with.
            let ways = [&self.positional, &other.positional];
            if ways.into_iter().flatten().any(|it| is_news(it)) {
                self.forget_positional();
            } else {
                self.positional = None;
            }
        }
        if self.rare != other.rare {
            let mine = &mut *self.rare;
            mine.exported.extend(other.rare.exported.iter().cloned());
            mine.integers.extend(other.rare.integers.iter().cloned());
            for (name, value) in &other.rare.haunted {
                let value = match mine.haunted.remove(name) {
                    Some(mine) => mine.join(value.clone()),
                    None => value.clone(),
                };
                mine.haunted.insert(name.clone(), value);
            }
            mine.made.join(&other.rare.made);
        }
    }

    /// Programs see the variable from now on.
    pub(crate) fn export(&mut self, name: &str) {
        self.rare.exported.insert(name.into());
    }

    /// The variable takes the value of an expression from now on.
    pub(crate) fn make_integer(&mut self, name: &str) {
        self.rare.integers.insert(name.into());
    }

    pub(crate) fn is_integer(&self, name: &str) -> bool {
        matches!(name, "RANDOM" | "OPTIND" | "HISTCMD") || self.rare.integers.contains(name)
    }

    /// What a trap sets may be the variable's value at any time from now on.
    pub(crate) fn haunt(&mut self, name: &str, value: Value) {
        let before = self.variables.get(name).cloned();
        self.variables
            .set(name, before.unwrap_or(Value::Unknown).join(value.clone()));
        let haunted = &mut self.rare.haunted;
        let value = match haunted.remove(name) {
            Some(before) => before.join(value),
            None => value,
        };
        haunted.insert(name.into(), value);
    }

    /// Ends what a command has set for itself: the variable has the value that it had before, unless it was changed.
    pub(crate) fn restore(&mut self, name: &str, set: &Value, before: Option<Value>) {
        match (self.variables.get(name) == Some(set), before) {
            (true, Some(before)) => self.set(name, before),
            (true, None) => self.variables.remove(name),
            (false, before) => {
                let now = self.variables.get(name).cloned();
                let before = before.unwrap_or(Value::Unknown);
                self.set(name, before.join(now.unwrap_or(Value::Unknown)));
            }
        }
    }

    /// Remembers that these names lead there.
    pub(crate) fn link(&mut self, names: &[PathValue], targets: &[PathValue]) {
        for pair in pairs(names, targets) {
            self.made().link(pair);
        }
        self.meet_strangers(names, targets);
    }

    /// Remembers that these files hold what those did.
    pub(crate) fn copy(&mut self, names: &[PathValue], sources: &[PathValue]) {
        for pair in pairs(names, sources) {
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
                if let PathValue::Known(name) = name {
                    self.made().meet(stranger(name.clone()));
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

    /// The file under its other names.
    fn same_files(&self, file: &PathValue) -> Vec<AbsPath> {
        let PathValue::Known(file) = file else {
            return Vec::new();
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

    fn made(&mut self) -> &mut Made {
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
        places.drain(..1.min(places.len()));
        places
    }

    /// The file, and those that it is a name or a copy of; nothing when nobody can tell.
    fn behind(&self, path: &PathValue) -> Option<Vec<AbsPath>> {
        match path {
            PathValue::Known(path) => self.rare.made.places(path, Names::LinksAndCopies),
            PathValue::Pattern { .. } | PathValue::Unknown(_) => Some(Vec::new()),
        }
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

    /// What a program that this command starts sees: the folder, and the variables that are exported.
    pub(crate) fn for_program(&self) -> Self {
        let mut own = self.clone();
        own.functions.clear();
        own.variables
            .forget(|name, _| self.rare.exported.contains(name));
        own
    }

    /// The arguments are others that nobody knows.
    pub(crate) fn forget_positional(&mut self) {
        let anything = Known::Unknown(Unknown {
            prefix: CompactString::default(),
            shape: Shape::Many,
        });
        let nowhere = Span { start: 0, end: 0 };
        self.positional = Some(Rc::new(vec![Field {
            known: anything,
            ..Field::made("", nowhere)
        }]));
    }

    /// Forgets the values of all variables that differ from `before`, and the folder if it does.
    pub(crate) fn forget_changes(&mut self, before: &Self) {
        self.variables
            .forget(|name, value| before.variables.get(name) == Some(value));
        if self.folders != before.folders {
            self.folders.push(Folder::Unknown(".".into()));
        }
        if self.rare.made != before.rare.made {
            self.made().repeat(&before.rare.made);
        }
    }

    /// After code that may set anything.
    pub(crate) fn forget_variables(&mut self) {
        self.variables.forget(|_, value| *value == Value::Unknown);
    }
}

/// Whether something is among these arguments that nobody knows, or that may be an element of an array.
fn is_news(arguments: &[Field]) -> bool {
    arguments
        .iter()
        .any(|field| field.text().is_none_or(|text| text.contains('[')))
}

/// Each name with each place that it is made for.
fn pairs(names: &[PathValue], places: &[PathValue]) -> Vec<(AbsPath, AbsPath)> {
    let mut pairs = Vec::new();
    for name in names {
        for place in places {
            if let (PathValue::Known(name), PathValue::Known(place)) = (name, place)
                && name != place
            {
                pairs.push((name.clone(), place.clone()));
            }
        }
    }
    pairs
}
