//! The effective rules, each as what it came to: for a path rule the absolute patterns and how many
//! of the files that are there now they cover. A deny that covers none may protect nothing.

use pointsman_model::{AbsPath, PermissionRule, RuleBehavior};
use serde::Serialize;

use super::loaded::Loaded;
use super::place::SettingsPlaces;
use crate::index::{Anchors, Compiled, Strength};
use crate::rule::{PathDepth, PathPattern, Specifier};
use crate::subject::lower;
use crate::{EntryKind, Tree, parse_rule};

/// A rule and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownRule {
    /// The rule, with source and place.
    pub rule: PermissionRule,
    /// Its absolute patterns; none when it is no rule on paths.
    pub patterns: Vec<ShownPattern>,
}

/// An absolute pattern and what of the present files it covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownPattern {
    /// The pattern, beginning at the root.
    pub pattern: String,
    /// How many present files it covers.
    pub files: FileCount,
}

/// How many files there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "files", rename_all = "snake_case")]
pub enum FileCount {
    /// So many.
    Exactly(u32),
    /// So many were found before too much had been looked at.
    AtLeast(u32),
}

/// How many entries are looked at for one pattern: a second's work on a slow disk.
const LOOKED_AT_MAX: usize = 50_000;

/// The rules in force, in the order they were read.
#[must_use]
pub fn show(loaded: &Loaded, places: &SettingsPlaces, tree: &dyn Tree) -> Vec<ShownRule> {
    let anchors = Anchors {
        folder: places.folder.clone(),
        project: places.project.clone(),
        home: places.home.clone(),
    };
    let shown = |rule: &PermissionRule| ShownRule {
        rule: rule.clone(),
        patterns: patterns(rule, &anchors, tree),
    };
    loaded.rules.iter().map(shown).collect()
}

fn patterns(rule: &PermissionRule, anchors: &Anchors, tree: &dyn Tree) -> Vec<ShownPattern> {
    let Ok(parsed) = parse_rule(rule.text.as_str()) else {
        return Vec::new();
    };
    let Specifier::Path { pattern, .. } = &parsed.specifier else {
        return Vec::new();
    };
    let pattern = pattern.clone();
    let tightens = rule.behavior != RuleBehavior::Allow;
    let compiled = Compiled::new(rule.clone(), parsed, anchors);
    let meant = compiled
        .paths
        .iter()
        .filter(|at| at.meant == Strength::Sure);
    meant
        .map(|at| {
            let folder = as_written(&at.folder, rule, anchors, pattern.up);
            let begin = pattern
                .literal_segments()
                .fold(folder.clone(), |folder, name| folder.join(name));
            let begin = if at.glob.starts_with("**/") {
                &folder
            } else {
                &begin
            };
            let covers = |path: &AbsPath| {
                if tightens {
                    at.covers(&lower(path))
                } else {
                    at.covers(path)
                }
            };
            ShownPattern {
                pattern: full(&folder, &glob(&pattern, rule.behavior)),
                files: count(begin, tree, &covers),
            }
        })
        .collect()
}

/// The folder in the case it was given in; deny and ask rules are compared in lower case.
fn as_written(folder: &AbsPath, rule: &PermissionRule, anchors: &Anchors, up: usize) -> AbsPath {
    let roots = [
        &rule.anchor,
        &anchors.folder,
        &anchors.project,
        &anchors.home,
    ];
    let above = |root: &AbsPath| {
        (0..up).fold(root.clone(), |folder, _| {
            folder.parent().unwrap_or_else(AbsPath::root)
        })
    };
    let mut candidates = roots.into_iter().map(above);
    candidates
        .find(|candidate| candidate == folder || lower(candidate) == *folder)
        .unwrap_or_else(|| folder.clone())
}

fn glob(pattern: &PathPattern, behavior: RuleBehavior) -> String {
    match (pattern.depth, behavior) {
        (PathDepth::Any, _) | (PathDepth::AnyInDenies, RuleBehavior::Ask | RuleBehavior::Deny) => {
            format!("**/{}", pattern.glob)
        }
        (PathDepth::Anchored, _) | (PathDepth::AnyInDenies, RuleBehavior::Allow) => {
            pattern.glob.to_string()
        }
    }
}

fn full(folder: &AbsPath, glob: &str) -> String {
    let folder = folder.as_str().trim_end_matches('/');
    if glob.is_empty() {
        folder.to_owned()
    } else {
        format!("{folder}/{glob}")
    }
}

/// Counts the files at and below a path that are covered. Links to folders are not followed, so that
/// no file counts twice and the walk ends.
fn count(begin: &AbsPath, tree: &dyn Tree, covers: &dyn Fn(&AbsPath) -> bool) -> FileCount {
    let mut found = 0_u32;
    let mut looked_at = 0_usize;
    let mut open = vec![begin.clone()];
    while let Some(path) = open.pop() {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            return FileCount::AtLeast(found);
        }
        match tree.kind(&path) {
            EntryKind::File => found += u32::from(covers(&path)),
            EntryKind::Folder if path == *begin || tree.hops(&path).len() == 1 => {
                let left = LOOKED_AT_MAX.saturating_sub(looked_at + open.len()) + 1;
                let names = tree.list(&path, left).unwrap_or_default();
                open.extend(names.iter().map(|name| path.join(name)));
            }
            EntryKind::Folder | EntryKind::Missing | EntryKind::Other => {}
        }
    }
    FileCount::Exactly(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiskTree;
    use crate::settings::{MemoryFiles, load};

    #[test]
    fn rules_show_where_they_lead_and_how_many_files_they_cover() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        for file in [
            "P/.env",
            "P/sub/.env",
            "P/src/a.rs",
            "P/src/deep/b.rs",
            "h/.ssh/id",
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let settings = r#"{"permissions": {
            "deny": ["Read(.env)", "Read(~/.ssh/**)", "Edit(secrets/**)", "Bash(rm *)", "Read(/src/*.rs)"],
            "allow": ["Edit(/src/**)", "Edit(src/**)"]}}"#;
        let places = SettingsPlaces::of_project(root.join("P"), root.join("h"));
        let files = MemoryFiles::new().with(root.join("P/.claude/settings.local.json"), settings);
        let loaded = load(&places, &files);
        let mut shown = String::new();
        for rule in show(&loaded, &places, &DiskTree) {
            shown += &format!("{} {}", rule.rule.behavior, rule.rule.text);
            for pattern in rule.patterns {
                shown += &format!(
                    " {} {:?}",
                    pattern.pattern.replace(root.as_str(), ""),
                    pattern.files
                );
            }
            shown.push('\n');
        }
        assert_eq!(
            shown,
            "deny Read(.env) /P/**/.env Exactly(2)\n\
             deny Read(~/.ssh/**) /h/.ssh/** Exactly(1)\n\
             deny Edit(secrets/**) /P/**/secrets/** Exactly(0)\n\
             deny Bash(rm *)\n\
             deny Read(/src/*.rs) /P/src/*.rs Exactly(1)\n\
             allow Edit(/src/**) /P/src/** Exactly(2)\n\
             allow Edit(src/**) /P/src/** Exactly(2)\n"
        );
    }
}
