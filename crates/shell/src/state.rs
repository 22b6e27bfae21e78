//! What the line itself has set up so far: folder, variables, functions.
//!
//! A state says what is known at one place of the line. Where two ways meet, [`State::join`] keeps
//! what both may have left behind.

mod shared;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pointsman_model::{AbsPath, PathValue};

use crate::field::Field;
use crate::limits::ALTERNATIVES_MAX;

pub(crate) use shared::Shared;
pub(crate) use variables::Variables;

/// Folders that a place of the line may run in, beyond which none is told apart.
const FOLDERS_MAX: usize = 4;

/// Links that a line makes and that are followed behind; nobody makes more in one line by hand.
const LINKS_MAX: usize = 16;

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
            (Self::Texts(mut mine), Self::Texts(others)) => {
                for text in others {
                    if !mine.contains(&text) {
                        mine.push(text);
                    }
                }
                if mine.len() > ALTERNATIVES_MAX {
                    return Self::Unknown;
                }
                Self::Texts(mine)
            }
            (Self::Patterns(mut mine), Self::Patterns(others)) => {
                for pattern in others {
                    if !mine.contains(&pattern) {
                        mine.push(pattern);
                    }
                }
                if mine.len() > ALTERNATIVES_MAX {
                    return Self::Unknown;
                }
                Self::Patterns(mine)
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
    rare: Rc<Rare>,
}

/// What few lines set up. It stands apart so that a state stays small on the stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rare {
    /// Variables that programs see.
    exported: BTreeSet<Box<str>>,
    /// Variables that take the value of an expression.
    integers: BTreeSet<Box<str>>,
    /// Names that the line has made for other places: the name, and where it leads.
    links: Vec<(AbsPath, AbsPath)>,
}

impl State {
    pub(crate) fn new(folder: &AbsPath) -> Self {
        Self {
            folders: Shared::new(vec![Folder::Known(folder.clone())]),
            previous: None,
            pushed: Some(Shared::default()),
            variables: Variables::default(),
            functions: Shared::default(),
            positional: None,
            rare: Rc::default(),
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
        self.variables.set(name, value);
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
            self.positional = None;
        }
        if self.rare != other.rare {
            let mine = Rc::make_mut(&mut self.rare);
            mine.exported.extend(other.rare.exported.iter().cloned());
            mine.integers.extend(other.rare.integers.iter().cloned());
            for link in &other.rare.links {
                self.add_link(link.clone());
            }
        }
    }

    /// Programs see the variable from now on.
    pub(crate) fn export(&mut self, name: &str) {
        Rc::make_mut(&mut self.rare).exported.insert(name.into());
    }

    /// The variable takes the value of an expression from now on.
    pub(crate) fn make_integer(&mut self, name: &str) {
        Rc::make_mut(&mut self.rare).integers.insert(name.into());
    }

    pub(crate) fn is_integer(&self, name: &str) -> bool {
        self.rare.integers.contains(name)
    }

    /// Remembers that these names lead there.
    pub(crate) fn link(&mut self, names: Vec<PathValue>, targets: &[PathValue]) {
        for name in names {
            for target in targets {
                if let (PathValue::Known(name), PathValue::Known(target)) = (&name, target)
                    && name != target
                {
                    self.add_link((name.clone(), target.clone()));
                }
            }
        }
    }

    fn add_link(&mut self, link: (AbsPath, AbsPath)) {
        let links = &self.rare.links;
        if links.len() < LINKS_MAX && !links.contains(&link) {
            Rc::make_mut(&mut self.rare).links.push(link);
        }
    }

    /// Where else the path may lead, by the names that the line has made.
    pub(crate) fn behind_links(&self, path: &PathValue) -> Vec<AbsPath> {
        let (PathValue::Known(path) | PathValue::Pattern { base: path, .. }) = path else {
            return Vec::new();
        };
        self.rare
            .links
            .iter()
            .filter_map(|(name, target)| Some(target.join(path.below(name)?)))
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

    /// Forgets the values of all variables that differ from `before`, and the folder if it does.
    pub(crate) fn forget_changes(&mut self, before: &Self) {
        self.variables
            .forget(|name, value| before.variables.get(name) == Some(value));
        if self.folders != before.folders {
            self.folders.push(Folder::Unknown(".".into()));
        }
    }

    /// After code that may set anything.
    pub(crate) fn forget_variables(&mut self) {
        self.variables.forget(|_, value| *value == Value::Unknown);
    }
}
