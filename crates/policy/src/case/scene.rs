//! What a case is judged in: a frozen context made of its settings, a tree made of its files.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, AgentName, Attended, ContextParts, EffectKind, Effects, HandlerKind, JsonText,
    Judgement, Lineage, LineageStep, ModeInForce, OtherInput, Overlay, PathUse, PathValue,
    PermissionContext, PermissionMode, PermissionRule, Reach, RuleBehavior, RuleSource, RuleText,
    RunId, SandboxState, ToolInput, ToolName, ToolSet, WorkerId,
};
use pointsman_shell::{NameCase, Surroundings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::CaseError;
use super::line::Line;
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
        let mode = mode_of(case)?;
        let root = match &case.fs.settings_root {
            None => folder.clone(),
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
        let added = &case.settings.permissions.additional_directories;
        let directories: Vec<AbsPath> = std::iter::once(folder.clone())
            .chain(added.iter().map(|dir| match dir.strip_prefix("~/") {
                Some(below) => home.join(below),
                None => root.join(dir),
            }))
            .collect();
        let context = PermissionContext::freeze(ContextParts {
            lineage: lineage()?,
            mode: ModeInForce::root(mode),
            rules: rules_of(case, &root).into(),
            tools: ToolSet::All,
            tools_to_pass_on: ToolSet::All,
            folder: folder.clone(),
            project: root.clone(),
            home,
            directories: directories.into(),
            depth_left: 0,
            handler: HandlerKind::Interactive,
            attended: Attended::Yes,
            sandbox: SandboxState::Off,
        });
        let (frozen, problems) = Frozen::new(context);
        Ok(Self {
            tool,
            input,
            effects,
            folder,
            frozen,
            tree,
            problems,
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

fn wrong(field: &'static str, error: impl std::error::Error + Send + Sync + 'static) -> CaseError {
    CaseError::Value {
        field,
        source: Box::new(error),
    }
}

/// The mode; one that the case's settings forbid is mode default.
fn mode_of(case: &Line) -> Result<PermissionMode, CaseError> {
    let mode: PermissionMode = case.mode.parse().map_err(|error| wrong("mode", error))?;
    let permissions = &case.settings.permissions;
    let forbids = |setting: &Option<String>| setting.as_deref() == Some("disable");
    let forbidden = match mode {
        PermissionMode::BypassPermissions => forbids(&permissions.disable_bypass_permissions_mode),
        PermissionMode::Auto => forbids(&permissions.disable_auto_mode),
        PermissionMode::Plan
        | PermissionMode::DontAsk
        | PermissionMode::Default
        | PermissionMode::AcceptEdits => false,
    };
    Ok(if forbidden {
        PermissionMode::Default
    } else {
        mode
    })
}

/// Every agent needs a lineage; a case's has one step.
fn lineage() -> Result<Lineage, CaseError> {
    let run = RunId::new(1).ok_or_else(|| CaseError::Value {
        field: "id",
        source: "no run".into(),
    })?;
    Ok(Lineage::root(LineageStep {
        worker: WorkerId::new(run, 1),
        label: Arc::from("case"),
        agent: AgentName::new("case"),
    }))
}

fn rules_of(case: &Line, anchor: &AbsPath) -> Vec<PermissionRule> {
    let permissions = &case.settings.permissions;
    let lists = [
        (RuleBehavior::Allow, &permissions.allow),
        (RuleBehavior::Ask, &permissions.ask),
        (RuleBehavior::Deny, &permissions.deny),
    ];
    let mut rules = Vec::new();
    for (behavior, list) in lists {
        let texts = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        rules.extend(texts.map(|text| PermissionRule {
            behavior,
            text: RuleText::new(text),
            source: RuleSource::ProjectSettings,
            place: None,
            anchor: anchor.clone(),
        }));
    }
    rules
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
