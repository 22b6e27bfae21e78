//! The decision path of one call, by number of rules: effects, ladder, reason and trail, beside the
//! bare ladder on effects that are known.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, AgentName, Attended, BashInput, ContextParts, HandlerKind, JsonText, Lineage,
    LineageStep, ModeInForce, Overlay, PermissionContext, PermissionMode, PermissionRule,
    RuleBehavior, RuleSource, RuleText, RunId, SandboxState, ToolInput, ToolName, ToolSet,
    WorkerId,
};
use pointsman_policy::{DiskTree, Frozen, HookVote, Question, effects_of, judge};
use pointsman_shell::Surroundings;

const RULES: [usize; 3] = [10, 1_000, 10_000];

struct Scene {
    frozen: Frozen,
    at: Surroundings,
    tool: ToolName,
    input: ToolInput,
    text: JsonText,
}

impl Scene {
    fn of(rules: usize) -> Self {
        let project = AbsPath::parse("/work/site").unwrap();
        let home = AbsPath::parse("/home/ada").unwrap();
        let rule = |number: usize| PermissionRule {
            behavior: match number % 10 {
                0..=5 => RuleBehavior::Allow,
                6 | 7 => RuleBehavior::Ask,
                _ => RuleBehavior::Deny,
            },
            text: RuleText::new(&format!("Bash(tool{number} run *)")),
            source: RuleSource::UserSettings,
            place: None,
            anchor: project.clone(),
        };
        let own = PermissionRule {
            behavior: RuleBehavior::Allow,
            text: RuleText::new("Bash(cargo test *)"),
            ..rule(0)
        };
        let rules: Vec<_> = (0..rules).map(rule).chain([own]).collect();
        let (frozen, problems) = Frozen::new(PermissionContext::freeze(ContextParts {
            lineage: Lineage::root(LineageStep {
                worker: WorkerId::new(RunId::FIRST, 1),
                label: "bench".into(),
                agent: AgentName::new("steps"),
            }),
            mode: ModeInForce::root(PermissionMode::Default),
            rules: rules.into(),
            tools: ToolSet::All,
            tools_to_pass_on: ToolSet::All,
            folder: project.clone(),
            project: project.clone(),
            home: home.clone(),
            directories: Arc::from([project.clone()]),
            depth_left: 0,
            handler: HandlerKind::Coordinator,
            attended: Attended::Yes,
            sandbox: SandboxState::Off,
        }));
        assert!(problems.is_empty(), "{problems:?}");
        let input = BashInput {
            command: "cargo test --workspace --quiet".into(),
            description: None,
            timeout_ms: None,
            run_in_background: None,
        };
        Self {
            frozen,
            at: Surroundings {
                folder: project,
                home,
                case: pointsman_shell::NameCase::Counts,
            },
            tool: ToolName::parse("Bash").unwrap(),
            text: JsonText::of(&input).unwrap(),
            input: ToolInput::Bash(input),
        }
    }

    fn question<'a>(
        &'a self,
        effects: &'a pointsman_model::Effects,
        overlay: &'a Overlay,
    ) -> Question<'a> {
        Question {
            tool: &self.tool,
            input: &self.text,
            effects,
            folder: &self.at.folder,
            frozen: &self.frozen,
            overlay,
            vote: &HookVote::None,
            tree: &DiskTree,
        }
    }
}

#[divan::bench(args = RULES)]
fn effects_and_ladder(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let scene = Scene::of(rules);
    let overlay = Overlay::default();
    bencher.bench(|| {
        let effects = effects_of(&scene.tool, &scene.input, &scene.at);
        judge(&scene.question(&effects, &overlay))
    });
}

#[divan::bench(args = RULES)]
fn ladder_alone(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let scene = Scene::of(rules);
    let overlay = Overlay::default();
    let effects = effects_of(&scene.tool, &scene.input, &scene.at);
    bencher.bench(|| judge(&scene.question(&effects, &overlay)));
}
