//! The effective rules, each as what it came to: for a path rule the absolute patterns and how many
//! of the files that are there now they cover. A deny that covers none may protect nothing.

mod count;

use pointsman_model::{AbsPath, PermissionRule, RuleBehavior};
use serde::Serialize;

use self::count::Count;
use super::loaded::Loaded;
use super::place::SettingsPlaces;
use crate::index::{AnchoredPath, Anchors, Compiled, Strength};
use crate::rule::{PathDepth, PathPattern, Specifier};
use crate::{RuleIndex, Tree};

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

/// The rules in force, in the order they were read. The files are walked once, whatever the number of rules.
#[must_use]
pub fn show(loaded: &Loaded, places: &SettingsPlaces, tree: &dyn Tree) -> Vec<ShownRule> {
    let anchors = Anchors {
        folder: places.folder.clone(),
        project: places.project.clone(),
        home: places.home.clone(),
    };
    let (index, _) = RuleIndex::build(&loaded.rules, &anchors);
    let begins = index.compiled().iter().flat_map(begins);
    let count = Count::of(&index, begins.map(|(_, begin)| begin), tree);
    // What is no rule is not among the compiled ones, which stand in the same order.
    let mut compiled = index.compiled().iter().enumerate().peekable();
    let shown = |rule: &PermissionRule| ShownRule {
        rule: rule.clone(),
        patterns: match compiled.next_if(|(_, it)| it.rule == *rule) {
            Some((number, it)) => patterns(number, it, &count),
            None => Vec::new(),
        },
    };
    loaded.rules.iter().map(shown).collect()
}

fn patterns(number: usize, it: &Compiled, count: &Count<'_>) -> Vec<ShownPattern> {
    let Specifier::Path { pattern, .. } = &it.parsed.specifier else {
        return Vec::new();
    };
    let shown = |(at, begin): (&AnchoredPath, AbsPath)| ShownPattern {
        pattern: full(&at.written, &glob(pattern, it.rule.behavior)),
        files: count.files(number, at, &begin),
    };
    begins(it).map(shown).collect()
}

/// The patterns of a rule on paths, each with the folder or file that all it covers lies in.
fn begins(it: &Compiled) -> impl Iterator<Item = (&AnchoredPath, AbsPath)> {
    let meant = it.paths.iter().filter(|at| at.meant == Strength::Sure);
    meant.filter_map(|at| {
        let Specifier::Path { pattern, .. } = &it.parsed.specifier else {
            return None;
        };
        let any_depth = at.glob.starts_with("**/");
        let names = pattern.literal_segments().filter(|_| !any_depth);
        Some((at, names.fold(at.written.clone(), |at, name| at.join(name))))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{MemoryFiles, load};
    use crate::{DiskTree, EntryKind, FileId, Hops, Kept};
    use std::sync::atomic::{AtomicUsize, Ordering};

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

    /// `/p` with two files in each of its folders, but in `big`, where there are so many; it counts how often a
    /// folder is listed.
    struct Listed {
        folders: &'static [&'static str],
        big: usize,
        listings: AtomicUsize,
    }

    impl Tree for Listed {
        fn hops(&self, path: &AbsPath) -> Hops {
            smallvec::smallvec![path.clone()]
        }

        fn kind(&self, path: &AbsPath) -> EntryKind {
            match path.segments().count() {
                0..=2 => EntryKind::Folder,
                _ => EntryKind::File,
            }
        }

        fn folds_case(&self, _path: &AbsPath) -> bool {
            false
        }

        fn list(&self, folder: &AbsPath, max: usize) -> Option<Vec<String>> {
            self.listings.fetch_add(1, Ordering::Relaxed);
            let names: Vec<String> = match (folder.segments().count(), folder.name()) {
                (0, _) => vec!["p".into()],
                (1, _) => self.folders.iter().map(|it| (*it).into()).collect(),
                (_, Some("big")) => (0..self.big).map(|n| format!("n{n}")).collect(),
                _ => vec!["a.rs".into(), "b.md".into()],
            };
            Some(names.into_iter().take(max).collect())
        }

        fn read_small(&self, _file: &AbsPath, _bytes_max: u64) -> Option<String> {
            None
        }

        fn file_id(&self, _file: &AbsPath) -> Option<FileId> {
            None
        }

        fn kept_by_git(&self, _folder: &AbsPath) -> Kept {
            Kept::NoRepository
        }
    }

    /// What the rules come to in `/p`, and how many listings that took.
    fn counted(folders: &'static [&'static str], big: usize, deny: &[&str]) -> (String, usize) {
        let tree = Listed {
            folders,
            big,
            listings: AtomicUsize::new(0),
        };
        let root = AbsPath::root();
        let places = SettingsPlaces::of_project(root.join("p"), root.join("home/dev"));
        let settings = serde_json::json!({"permissions": {"deny": deny}}).to_string();
        let file = root.join("p/.claude/settings.local.json");
        let loaded = load(&places, &MemoryFiles::new().with(file, settings));
        let shown = show(&loaded, &places, &tree);
        let counts = shown.iter().flat_map(|rule| &rule.patterns);
        let counts: Vec<String> = counts.map(|it| format!("{:?}", it.files)).collect();
        (counts.join(" "), tree.listings.into_inner())
    }

    #[test]
    fn the_files_are_walked_once_whatever_the_number_of_rules() {
        let folders = &["a", "b", "c"];
        let (_, one) = counted(folders, 0, &["Read(*.rs)"]);
        assert_eq!(one, 4);
        let rules: Vec<String> = (0..300)
            .flat_map(|n| [format!("Read(name{n})"), format!("Read(//p/b/x{n}*)")])
            .collect();
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        let many = [&["Read(*.rs)", "Edit(/b/**)", "Edit(//p/**)"], &*rules].concat();
        let (counts, listings) = counted(folders, 0, &many);
        assert_eq!(listings, one);
        assert!(
            counts.starts_with("Exactly(3) Exactly(2) Exactly(6) Exactly(0)"),
            "{counts}"
        );
    }

    #[test]
    fn a_folder_that_holds_too_much_takes_no_count_from_those_in_it_and_beside_it() {
        let rules = [
            "Edit(//p/**)",
            "Edit(//p/a/**)",
            "Edit(//p/big/**)",
            "Edit(//p/z/**)",
        ];
        let (counts, _) = counted(&["a", "big", "z"], 50_100, &rules);
        let counts: Vec<&str> = counts.split(' ').collect();
        let [all, a, big, z] = &*counts else {
            panic!("{counts:?}");
        };
        assert!(all.starts_with("AtLeast(500"), "{all}");
        assert!(big.starts_with("AtLeast(4999"), "{big}");
        assert_eq!([*a, *z], ["Exactly(2)"; 2]);
    }
}
