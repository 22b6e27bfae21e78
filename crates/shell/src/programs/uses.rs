//! What a program may use, put together from many tables: nothing stands in it twice.

use pointsman_model::EffectView;

use super::{Use, UseKind};
use crate::field::Field;

/// Possible uses.
#[derive(Debug, Default)]
pub(super) struct Uses(Vec<Use>);

impl Uses {
    pub(super) fn push(&mut self, field: &Field, kind: UseKind) {
        let used = Use {
            field: field.clone(),
            kind,
            view: EffectView::Might,
        };
        if !self.0.contains(&used) {
            self.0.push(used);
        }
    }

    pub(super) fn list(self) -> Vec<Use> {
        self.0
    }
}
