//! A part of the state that many ways share until one of them changes it.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// What a thing is before anything is in it.
pub(crate) trait Empty: Clone + 'static {
    const EMPTY: &'static Self;
}

impl<T: Clone + 'static> Empty for Vec<T> {
    const EMPTY: &'static Self = &Self::new();
}

impl<K: Clone + 'static, V: Clone + 'static> Empty for BTreeMap<K, V> {
    const EMPTY: &'static Self = &Self::new();
}

/// A value whose copies cost nothing until they are changed, and that costs nothing while it is empty.
#[derive(Debug, Clone)]
pub(crate) struct Shared<T>(Option<Rc<T>>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(Rc::new(value)))
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Empty> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::EMPTY)
    }
}

impl<T: Empty> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(self.0.get_or_insert_with(|| Rc::new(T::EMPTY.clone())))
    }
}

impl<T: Empty + PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(mine), Some(others)) if Rc::ptr_eq(mine, others) => true,
            _ => **self == **other,
        }
    }
}

impl<T: Empty + Eq> Eq for Shared<T> {}
