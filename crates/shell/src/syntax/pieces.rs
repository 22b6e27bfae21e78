//! The pieces of a word. Most words have one, and need no list for it.

use std::ops::{Deref, DerefMut};

use super::Piece;

/// A list of pieces that puts the first one in no memory of its own. (`SmallVec` would tie the lifetimes
/// of all that borrows a tree together.)
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces<'a>(Held<'a>);

#[derive(Debug, Clone, Default)]
enum Held<'a> {
    #[default]
    None,
    One(Piece<'a>),
    Many(Vec<Piece<'a>>),
}

impl<'a> Pieces<'a> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of(piece: Piece<'a>) -> Self {
        Self(Held::One(piece))
    }

    pub(crate) fn as_slice(&self) -> &[Piece<'a>] {
        self
    }

    pub(crate) fn push(&mut self, piece: Piece<'a>) {
        self.0 = match std::mem::take(&mut self.0) {
            Held::None => Held::One(piece),
            Held::One(first) => Held::Many(vec![first, piece]),
            Held::Many(mut pieces) => {
                pieces.push(piece);
                Held::Many(pieces)
            }
        };
    }

    /// All pieces.
    pub(crate) fn into_vec(self) -> Vec<Piece<'a>> {
        match self.0 {
            Held::None => Vec::new(),
            Held::One(piece) => vec![piece],
            Held::Many(pieces) => pieces,
        }
    }
}

impl<'a> From<Vec<Piece<'a>>> for Pieces<'a> {
    fn from(mut pieces: Vec<Piece<'a>>) -> Self {
        Self(match pieces.pop() {
            None => Held::None,
            Some(piece) if pieces.is_empty() => Held::One(piece),
            Some(piece) => {
                pieces.push(piece);
                Held::Many(pieces)
            }
        })
    }
}

impl<'a> Deref for Pieces<'a> {
    type Target = [Piece<'a>];

    fn deref(&self) -> &[Piece<'a>] {
        match &self.0 {
            Held::None => &[],
            Held::One(piece) => std::slice::from_ref(piece),
            Held::Many(pieces) => pieces,
        }
    }
}

impl DerefMut for Pieces<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match &mut self.0 {
            Held::None => &mut [],
            Held::One(piece) => std::slice::from_mut(piece),
            Held::Many(pieces) => pieces,
        }
    }
}

impl PartialEq for Pieces<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Pieces<'_> {}

impl<'p, 'a> IntoIterator for &'p Pieces<'a> {
    type Item = &'p Piece<'a>;
    type IntoIter = std::slice::Iter<'p, Piece<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'p, 'a> IntoIterator for &'p mut Pieces<'a> {
    type Item = &'p mut Piece<'a>;
    type IntoIter = std::slice::IterMut<'p, Piece<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
