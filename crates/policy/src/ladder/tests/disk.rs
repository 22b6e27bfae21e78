//! Denies on reading, over real files: links, `/proc`, patterns, names that are no text.

use std::fs;
use std::os::unix::fs::symlink;

use pointsman_model::PermissionDecision::{Allow, Ask, Deny};
use pointsman_model::{
    AbsPath, JsonText, PermissionContext, PermissionDecision, RuleSource, ToolInput, ToolName,
};
use pointsman_shell::Surroundings;

use super::super::{HookVote, Question, judge};
use crate::sample::Sample;
use crate::{DiskTree, Frozen};

/// A project on the disk under two denies.
struct Ground {
    _folder: tempfile::TempDir,
    root: AbsPath,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = fs::canonicalize(folder.path()).unwrap();
        for file in [".env", "src/a.rs", "src/b.rs", "secrets/key", "sub/c.txt"] {
            fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
            fs::write(at.join(file), "x").unwrap();
        }
        symlink(".env", at.join("alias")).unwrap();
        symlink("secrets", at.join("lnk")).unwrap();
        symlink("/proc/self/root", at.join("all")).unwrap();
        fs::create_dir(at.join("copies")).unwrap();
        fs::hard_link(at.join(".env"), at.join("copies/twin")).unwrap();
        fs::hard_link(at.join("secrets/key"), at.join("copies/key")).unwrap();
        fs::hard_link(at.join("src/a.rs"), at.join("src/twin.rs")).unwrap();
        let root = AbsPath::parse(at.to_str().unwrap()).unwrap();
        Self {
            _folder: folder,
            root,
        }
    }

    fn judge(&self, tool: &str, input: &str) -> PermissionDecision {
        let mut sample = Sample::new().with("allow Bash\ndeny Read(.env)\ndeny Read(secrets/**)");
        for rule in &mut sample.rules {
            rule.anchor = self.root.clone();
            rule.source = RuleSource::LocalSettings;
        }
        let mut parts = sample.context().parts().clone();
        parts.folder = self.root.clone();
        parts.project = self.root.clone();
        parts.directories = vec![self.root.clone()].into();
        let (frozen, problems) = Frozen::new(PermissionContext::freeze(parts));
        assert!(problems.is_empty());
        let at = Surroundings {
            folder: self.root.clone(),
            home: sample.context().parts().home.clone(),
            case: pointsman_shell::NameCase::Counts,
        };
        let name = ToolName::parse(tool).unwrap();
        let field = match tool {
            "Bash" => "command",
            "Read" => "file_path",
            _ => "path",
        };
        let mut object = serde_json::Map::new();
        object.insert(field.into(), input.into());
        if matches!(tool, "Grep" | "Glob") {
            object.insert("pattern".into(), "*".into());
        }
        let text = serde_json::Value::Object(object).to_string();
        let json = JsonText::parse(&text).unwrap();
        let read = match tool {
            "Bash" => serde_json::from_str(&text).map(ToolInput::Bash),
            "Read" => serde_json::from_str(&text).map(ToolInput::Read),
            "Grep" => serde_json::from_str(&text).map(ToolInput::Grep),
            _ => serde_json::from_str(&text).map(ToolInput::Glob),
        }
        .unwrap();
        let effects = crate::effects_of(&name, &read, &at);
        judge(&Question {
            tool: &name,
            input: &json,
            effects: &effects,
            folder: &self.root,
            frozen: &frozen,
            overlay: &sample.overlay,
            vote: &HookVote::None,
            tree: &DiskTree,
        })
        .decision
    }
}

#[test]
fn a_denied_file_is_denied_by_every_way_to_it() {
    let ground = Ground::new();
    let all = format!("all{}/.env", ground.root);
    let proc_root = format!("/proc/self/root{}/.env", ground.root);
    for path in [
        ".env",
        ".ENV",
        "sub/../.env",
        "alias",
        "lnk/key",
        "./secrets/./key",
        &*all,
        &*proc_root,
        "/proc/self/cwd/.env",
        "copies/twin",
        "copies/key",
    ] {
        assert_eq!(ground.judge("Read", path), Deny, "{path}");
    }
    for line in [
        "cat .e*",
        "cat < alias",
        "cat copies/*",
        "cat < copies/key",
        "cat lnk/*",
        "cat {x,.env}",
        "cd secrets && cat key",
        "head -1 s*s/key",
    ] {
        assert_eq!(ground.judge("Bash", line), Deny, "{line}");
    }
}

#[test]
fn who_reads_all_below_a_folder_is_asked_where_a_denied_file_lies_there() {
    let ground = Ground::new();
    for (tool, input, expect) in [
        ("Bash", "grep -r x .", Ask),
        ("Bash", "grep -r x src", Allow),
        ("Bash", "grep -r x s*", Deny),
        ("Bash", "grep -r x su* src", Allow),
        ("Bash", "find . -name '*.env' -exec cat {} +", Ask),
        ("Bash", "find src -name '*.rs' -exec cat {} +", Allow),
        ("Bash", "find src -type f -exec cat {} +", Allow),
        ("Bash", "find . -type f -exec cat {} +", Ask),
        ("Grep", ".", Ask),
        ("Grep", "src", Allow),
        ("Grep", "secrets", Deny),
        ("Glob", "src", Allow),
    ] {
        assert_eq!(ground.judge(tool, input), expect, "{tool} {input}");
    }
}

#[test]
fn a_file_with_other_names_is_no_question_by_itself() {
    let ground = Ground::new();
    assert_eq!(ground.judge("Read", "src/twin.rs"), Allow);
    assert_eq!(ground.judge("Bash", "cat src/a.rs sub/c.txt"), Allow);
}

#[test]
fn a_pattern_that_stands_for_nothing_denied_is_no_question() {
    let ground = Ground::new();
    for line in [
        "cat src/*",
        "wc -l src/*.rs",
        "cat sub/*.txt",
        "cat src/*.none",
        "ls s*c",
    ] {
        assert_eq!(ground.judge("Bash", line), Allow, "{line}");
    }
    for line in ["shopt -s dotglob; cat src/*", "cat later/.e*", "cat $X/*"] {
        assert_eq!(ground.judge("Bash", line), Ask, "{line}");
    }
}
