//! What the line itself has set up so far: folder, variables, functions.
//!
//! A state says what is known at one place of the line. Where two ways meet, [`State::join`] keeps
//! what both may have left behind.

mod attributes;
mod files;
mod functions;
mod made;
mod rare;
mod scope;
mod shared;
mod variables;

use std::collections::BTreeMap;
use std::rc::Rc;

use compact_str::CompactString;
use pointsman_model::{AbsPath, Span};

use crate::field::{Field, Known, Shape, Unknown};
use crate::limits::ALTERNATIVES_MAX;

use self::rare::Rare;

pub(crate) use attributes::{Attribute, is_plain_number};
pub(crate) use files::Left;
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

    pub(crate) fn join(self, other: Self) -> Self {
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
            (Self::Number, Self::Texts(texts) | Self::Among(texts))
            | (Self::Texts(texts) | Self::Among(texts), Self::Number) => Self::Among(texts),
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

    /// Gives the variable a value, as a command does.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        let value = self.taken(name, value);
        self.put(name, value);
    }

    /// Goes by this value of the variable, whatever its attributes.
    pub(crate) fn put(&mut self, name: &str, value: Value) {
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
        self.join_functions(other);
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
            self.rare.join(&other.rare);
        }
    }

    /// What a program that this command starts sees: the folder, and the variables that are exported.
    pub(crate) fn for_program(&self) -> Self {
        let mut own = self.clone();
        own.functions.clear();
        own.variables
            .forget(|name, _| self.rare.exported.contains(name));
        if !self.rare.scopes.is_empty() || !self.rare.attributes.is_empty() {
            own.rare.scopes.clear();
            own.rare.attributes.clear();
        }
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
        if self.rare.scopes != before.rare.scopes {
            self.rare.forget_hidden(Some(&before.rare));
        }
        if self.rare.made != before.rare.made {
            self.made().repeat(&before.rare.made);
        }
    }

    /// After code that may set anything.
    pub(crate) fn forget_variables(&mut self) {
        self.variables.forget(|_, value| *value == Value::Unknown);
        if !self.rare.scopes.is_empty() {
            self.rare.forget_hidden(None);
        }
    }
}

/// Whether something is among these arguments that nobody knows, or that may be an element of an array.
fn is_news(arguments: &[Field]) -> bool {
    arguments
        .iter()
        .any(|field| field.text().is_none_or(|text| text.contains('[')))
}
