//! What a case is judged in: a frozen context made of its settings, a tree made of its files.

use pointsman_model::{
    AbsPath, EffectKind, Effects, JsonText, Judgement, OtherInput, Overlay, PathUse, PathValue,
    PermissionRule, Reach, RuleBehavior, RuleSource, RuleText, ToolInput, ToolName,
};
use pointsman_shell::{NameCase, Surroundings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::line::Line;
use super::{CaseError, lineage, settings};
use crate::{
    CaseTree, EntryKind, Frozen, HookVote, Problem, Question, Tree as _, effects_of, judge,
};

/// A case, ready to be judged.
pub(super) struct Scene {
    tool: ToolName,
    input: JsonText,
    effects: Effects,
    folder: AbsPath,
    frozen: Frozen,
    tree: CaseTree,
    pub(super) problems: Vec<Problem>,
}

impl Scene {
    pub(super) fn of(case: &Line) -> Result<Self, CaseError> {
        let folder = AbsPath::parse(&case.cwd).map_err(|error| wrong("cwd", error))?;
        let home = AbsPath::parse(&case.home).map_err(|error| wrong("home", error))?;
        let tool = ToolName::parse(&case.tool).map_err(|error| wrong("tool", error))?;
        let input = JsonText::parse(case.input.get()).map_err(|error| wrong("input", error))?;
        let root = match &case.fs.settings_root {
            None => lineage::first_folder(case)?,
            Some(root) => AbsPath::parse(root).map_err(|error| wrong("settings_root", error))?,
        };
        let at = Surroundings {
            folder: folder.clone(),
            home: home.clone(),
            case: if case.fs.case_insensitive {
                NameCase::Folds
            } else {
                NameCase::Counts
            },
        };
        let effects = effects_of(&tool, &read_input(&tool, &input), &at);
        let tree = tree_of(case, &folder, &home, &effects)?;
        let settings = settings::read(case, &root, &home);
        let mut rules = settings.rules.clone();
        if case.parent.is_none() {
            rules.extend(lineage::own_rules(case, &root));
        }
        let context = lineage::context(case, &home, &root, &settings, rules)?;
        // What is wrong with the rules was told where they were read.
        let (frozen, _) = Frozen::new(context);
        Ok(Self {
            tool,
            input,
            effects,
            folder,
            frozen,
            tree,
            problems: settings.problems,
        })
    }

    pub(super) fn judge(&self) -> Judgement {
        judge(&Question {
            tool: &self.tool,
            input: &self.input,
            effects: &self.effects,
            folder: &self.folder,
            frozen: &self.frozen,
            overlay: &Overlay::default(),
            vote: &HookVote::None,
            tree: &self.tree,
        })
    }
}

pub(super) fn wrong(
    field: &'static str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> CaseError {
    CaseError::Value {
        field,
        source: Box::new(error),
    }
}

pub(super) fn rule(behavior: RuleBehavior, text: &str, anchor: &AbsPath) -> PermissionRule {
    PermissionRule {
        behavior,
        text: RuleText::new(text),
        source: RuleSource::ProjectSettings,
        place: None,
        anchor: anchor.clone(),
    }
}

fn tree_of(
    case: &Line,
    folder: &AbsPath,
    home: &AbsPath,
    effects: &Effects,
) -> Result<CaseTree, CaseError> {
    let mut tree = CaseTree::new();
    let path = |text: &str| AbsPath::parse(text).map_err(|error| wrong("fs", error));
    for at in [folder, home] {
        tree.add_folder(at);
    }
    for (file, content) in &case.fs.files {
        tree.add_file(&path(file)?, content);
    }
    for (link, target) in &case.fs.symlinks {
        tree.add_link(&path(link)?, target);
    }
    for (name, first) in &case.fs.hard_links {
        tree.add_name(&path(name)?, &path(first)?);
    }
    if let Some(files) = &case.fs.git_tracked {
        let files: Result<_, _> = files.iter().map(|file| path(file)).collect();
        tree.track(files?);
    }
    if !case.fs.git_config.is_empty() {
        tree.add_file(&folder.join(".git/config"), &git_config(case));
    }
    if case.fs.case_insensitive {
        tree.fold_case();
    }
    for effect in &effects.list {
        match &effect.kind {
            EffectKind::Read(used) | EffectKind::Write { target: used, .. } => {
                add_named(&mut tree, used);
            }
            EffectKind::Run(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => {}
        }
    }
    Ok(tree)
}

/// Files that the input names exist.
fn add_named(tree: &mut CaseTree, used: &PathUse) {
    let path = match (&used.path, used.path.way()) {
        (PathValue::Known(path), _) => path,
        (_, Some((base, way))) => &base.join(way),
        (PathValue::Pattern { .. } | PathValue::Unknown(_), None) => return,
    };
    if tree.kind(path) == EntryKind::Missing {
        match used.reach {
            Reach::Itself => tree.add_file(path, ""),
            Reach::NamesBelow | Reach::ContentBelow => tree.add_folder(path),
            // Perhaps a file, perhaps a folder; what git keeps of it is there or not.
            Reach::TrackedBelow | Reach::Tracked => {}
        }
    }
}

/// `section.name` and value, as git writes them.
fn git_config(case: &Line) -> String {
    let mut text = String::new();
    for (key, value) in &case.fs.git_config {
        let (section, name) = key.rsplit_once('.').unwrap_or(("core", key));
        text.push_str(&format!("[{section}]\n\t{name} = {value}\n"));
    }
    text
}

/// The input in its type. Fields that pointsman's tools don't know are left out: a case may come from another agent.
fn read_input(tool: &ToolName, input: &JsonText) -> ToolInput {
    let read = match tool.as_str() {
        "Bash" => fields(input, &["command", "run_in_background"]).map(ToolInput::Bash),
        "Read" => fields(input, &["file_path"]).map(ToolInput::Read),
        "Write" => fields(input, &["file_path", "content"]).map(ToolInput::Write),
        "Edit" => fields(input, &["file_path", "old_string", "new_string"]).map(ToolInput::Edit),
        "Glob" => fields(input, &["pattern", "path"]).map(ToolInput::Glob),
        "Grep" => fields(input, &["pattern", "path", "glob"]).map(ToolInput::Grep),
        "Agent" | "Task" => fields(input, &["prompt", "subagent_type"]).map(ToolInput::Spawn),
        _ => None,
    };
    read.unwrap_or_else(|| ToolInput::Other(OtherInput { raw: input.clone() }))
}

fn fields<T: DeserializeOwned>(input: &JsonText, keep: &[&str]) -> Option<T> {
    let all: Map<String, Value> = serde_json::from_str(input.as_str()).ok()?;
    let kept = all
        .into_iter()
        .filter(|(key, _)| keep.contains(&&**key))
        .collect();
    serde_json::from_value(Value::Object(kept)).ok()
}
