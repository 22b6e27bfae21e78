//! What rules on paths hold for beside what they say: the places that links lead to, and names with brackets.
//!
//! A deny or ask holds wherever its files are: each link on the names that its pattern begins with is followed. An
//! allow follows those alone that lead to the folder it hangs on. A link below that may be the agent's work, and
//! would let it choose what the rule is for.

use pointsman_model::AbsPath;

use super::paths::AnchoredPath;
use crate::Tree;

/// What a deny or ask holds for, too.
pub(super) fn tightening(at: &AnchoredPath, tree: &dyn Tree) -> Vec<AnchoredPath> {
    let bracketed = with_plain_brackets(at);
    let mut all = led_to(at, tree);
    all.extend(bracketed.iter().flat_map(|it| led_to(it, tree)));
    all.extend(bracketed);
    all
}

/// The pattern for what bears its brackets in its name: `[id]` is a folder of a web project more often than a letter.
fn with_plain_brackets(at: &AnchoredPath) -> Option<AnchoredPath> {
    let plain = |glob: &str| glob.replace('[', "\\[").into();
    let may_be_plain = at.glob.contains('[') && !at.glob.contains('\\');
    may_be_plain.then(|| AnchoredPath {
        glob: plain(&at.glob),
        spelled: plain(&at.spelled),
        ..at.clone()
    })
}

/// A deny or ask at the places that the names it begins with lead to.
fn led_to(at: &AnchoredPath, tree: &dyn Tree) -> Vec<AnchoredPath> {
    let deep = at.spelled.strip_prefix("**/");
    let anchored = begins(&at.written, &at.spelled);
    // A file or folder of that name may lie anywhere; right below the folder it is the one that is meant.
    let near = deep.map(|rest| begins(&at.written, rest));
    let mut out: Vec<AnchoredPath> = Vec::new();
    for (base, rest) in [Some(anchored), near].into_iter().flatten() {
        for hop in tree.hops(&base).into_iter().skip(1) {
            let moved = AnchoredPath {
                folder: crate::subject::lower(&hop),
                glob: rest.to_lowercase().into(),
                written: hop,
                spelled: rest.into(),
                meant: at.meant,
                leads_to: None,
            };
            let there = |it: &AnchoredPath| it.folder == moved.folder && it.glob == moved.glob;
            if !out.iter().any(there) {
                out.push(moved);
            }
        }
    }
    out
}

/// An allow at the place where the folder that it hangs on lies.
pub(super) fn allow(at: &AnchoredPath, tree: &dyn Tree) -> Option<AnchoredPath> {
    let named = at.leads_to.as_ref()?;
    let below = at.folder.below(named)?;
    let real = tree.hops(named).into_iter().skip(1).last()?;
    Some(AnchoredPath {
        folder: real.join(below),
        written: real.join(below),
        ..at.clone()
    })
}

/// The path that a pattern begins with, and what is left of the pattern.
pub(super) fn begins<'g>(folder: &AbsPath, glob: &'g str) -> (AbsPath, &'g str) {
    let mut base = folder.clone();
    let mut rest = glob;
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('/').unwrap_or((rest, ""));
        if name.contains(['*', '?', '[', '\\']) {
            break;
        }
        base = base.join(name);
        rest = behind;
    }
    (base, rest)
}
