//! Where a command line starts.

use pointsman_model::{AbsPath, Effect, EffectKind, EffectView, Effects, Opaque, OpaqueWhy};

/// Where a command line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder it runs in.
    pub folder: AbsPath,
    /// The user's home.
    pub home: AbsPath,
}

/// What a command line would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Its effects.
    pub effects: Effects,
}

/// Reads a command line. Nothing is understood yet, so all of it is opaque.
#[must_use]
pub fn analyse(line: &str, _at: &Surroundings) -> Analysis {
    let opaque = Opaque {
        why: OpaqueWhy::UnknownConstruct,
        text: line.into(),
        span: None,
    };
    let list = vec![Effect {
        kind: EffectKind::Opaque(opaque),
        view: EffectView::Sure,
        part: 0,
    }];
    Analysis {
        effects: Effects { list, line: None },
    }
}
