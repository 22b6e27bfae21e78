//! Where paths of a call lead that go up from a name which is a link: elsewhere than their names say.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, Effects};
use pointsman_policy::{Executed, Role, Spelling, TooManyFiles, climbing};

/// So many files are looked for where such paths lead: as many as a module is looked for in the places of a line. People
/// write a path or two of them.
const CLIMBED_MAX: usize = 4096;

/// One such path.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Climbed {
    /// Where it leads as one joins names without a look at links.
    pub(super) named: AbsPath,
    /// Where it really leads, as the system goes.
    pub(super) place: AbsPath,
    /// Whether it is given to a program of which nobody knows what it does with it.
    is_handed: bool,
}

/// Those of a call. Blocks on the disk.
pub(super) fn climbed(folder: &AbsPath, effects: &Effects) -> BTreeSet<Climbed> {
    let spelled = climbing(folder, effects).into_iter();
    let climbed = spelled.filter_map(|path| {
        let named = AbsPath::parse(&path.spelled).ok()?;
        let place = real_place(&path.spelled)?;
        (real_place(named.as_str()).as_ref() != Some(&place)).then_some(Climbed {
            named,
            place,
            is_handed: path.is_handed,
        })
    });
    climbed.collect()
}

/// Adds to what a call executes what lies there. Blocks on the disk.
///
/// # Errors
/// When there is too much of it.
pub(super) fn add_climbed(
    files: &mut Vec<Executed>,
    climbed: &BTreeSet<Climbed>,
) -> Result<(), TooManyFiles> {
    let mut elsewhere = BTreeSet::new();
    for Climbed {
        named,
        place,
        is_handed,
    } in climbed
    {
        if *is_handed && place.as_path().is_file() {
            elsewhere.insert((place.clone(), Role::Argument));
        }
        // What is looked for in a folder is looked for there.
        for file in files.iter() {
            let path = file.path.below(named).map(|rest| place.join(rest));
            if let Some(path) = path.filter(|path| path.as_path().is_file()) {
                elsewhere.insert((path, Role::Code));
            }
            if elsewhere.len() > CLIMBED_MAX {
                let counted = std::mem::take(files);
                return Err(TooManyFiles { counted });
            }
        }
    }
    files.extend(elsewhere.into_iter().map(|(path, role)| Executed {
        path,
        role,
        spelling: Spelling::Path,
    }));
    Ok(())
}

fn real_place(spelled: &str) -> Option<AbsPath> {
    let place = std::fs::canonicalize(spelled).ok()?;
    AbsPath::parse(place.to_str()?).ok()
}
