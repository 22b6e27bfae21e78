//! Whether a path pattern of a deny or ask rule and a shell pattern could mean the same path, name by name.
//!
//! Asked of patterns that stand for nothing yet, or for more than was looked at.

use pointsman_model::{AbsPath, Reach};

use super::paths::AnchoredPath;
use crate::rule::glob_with_gaps;
use crate::wild::{GAP, can_meet, plain_bytes};

/// Whether something that the shell pattern may stand for in `folder`, or something that its use reaches below that, is
/// covered by the rule's pattern.
pub(super) fn meets(
    rule: &AnchoredPath,
    folder: &AbsPath,
    pattern: &[Vec<u8>],
    reach: Reach,
) -> bool {
    let literal = |text: &str| plain_bytes(text).collect::<Vec<u8>>();
    let mut rule_names: Vec<Vec<u8>> = rule.folder.segments().map(literal).collect();
    let glob = rule.glob.split('/').filter(|name| !name.is_empty());
    rule_names.extend(glob.map(|name| match name {
        "**" => vec![GAP, GAP],
        name => glob_with_gaps(name),
    }));
    let mut names: Vec<Vec<u8>> = folder.segments().map(literal).collect();
    names.extend_from_slice(pattern);
    covers(&rule_names, &names, reach)
}

/// Whether the rule covers the path or a folder on the way to it; for uses that go below it, whether it may cover
/// something there.
fn covers(rule: &[Vec<u8>], names: &[Vec<u8>], reach: Reach) -> bool {
    let Some((first, rest)) = rule.split_first() else {
        return true;
    };
    let deep = *first == [GAP, GAP];
    let Some((name, behind)) = names.split_first() else {
        // Who looks at a folder sees what a rule for all in it hides.
        return reach == Reach::ContentBelow || deep && rest.is_empty();
    };
    if deep {
        return covers(rest, names, reach) || covers(rule, behind, reach);
    }
    one_name(first, name) && covers(rest, behind, reach)
}

/// Whether both can be the same name. The shell's wildcards don't begin a name that begins with a dot.
fn one_name(rule: &[u8], name: &[u8]) -> bool {
    let hidden = rule.first() == Some(&b'.') && name.first() == Some(&GAP);
    !hidden && can_meet(rule, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Strength;

    fn meet(rule: &str, pattern: &str, reach: Reach) -> bool {
        let path = |text: &str| AbsPath::parse(text).unwrap();
        let rule = AnchoredPath {
            folder: path("/p"),
            glob: rule.into(),
            written: path("/p"),
            spelled: rule.into(),
            meant: Strength::Sure,
            leads_to: None,
        };
        let names: Vec<Vec<u8>> = pattern.split('/').map(glob_with_gaps).collect();
        meets(&rule, &path("/p"), &names, reach)
    }

    #[test]
    fn a_pattern_meets_only_what_it_could_stand_for() {
        let own = Reach::Itself;
        for pattern in [".e*", ".en?", "src/.e*", "*/.env"] {
            assert!(meet("**/.env", pattern, own), "{pattern}");
        }
        for pattern in ["*", "src/*", "*.rs"] {
            assert!(!meet("**/.env", pattern, own), "{pattern}");
        }
        assert!(meet("secrets/**", "*", own) && meet("secrets/**", "s*/*", own));
        assert!(!meet("secrets/**", "src/*", own) && !meet("secrets/**", "*.pem", own));
        assert!(meet("**/*.key", "src/*", own) && !meet("**/*.key", "src/*.rs", own));
        assert!(meet("src/a/b", "src/*", Reach::ContentBelow) && !meet("src/a/b", "src/*", own));
        assert!(meet("**/.env", "src/*", Reach::ContentBelow));
    }
}
