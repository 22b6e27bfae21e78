//! pointsman: the whole ladder over the effects of the call, with the rung and the rule that decided, or with reason
//! and trail in words.

use std::hint::black_box;
use std::sync::Arc;

use pointsman_model::{
    AbsPath, AgentName, Attended, Change, ContextParts, Effect, EffectKind, EffectView, Effects,
    HandlerKind, Insistence, JsonText, Lineage, LineageStep, ModeInForce, Overlay, PathRole,
    PathUse, PathValue, PermissionContext, PermissionDecision, PermissionMode, PermissionRule,
    Reach, RuleBehavior, RuleSource, RuleText, Run, RunId, RunNature, SandboxState, Span, ToolName,
    ToolSet, Word, WordValue, WorkerId,
};
use pointsman_policy::{CaseTree, Frozen, HookVote, Question, decide, judge};

use crate::question::{Call, Engine, Kind, Rules, Scope, Verdict};

struct Ladder {
    frozen: Frozen,
    folder: AbsPath,
    bash: ToolName,
    edit: ToolName,
    input: JsonText,
    overlay: Overlay,
    tree: CaseTree,
    /// What each call would do: reading a command is the shell's work, and measured there.
    effects: Vec<Effects>,
    ask: Ask,
}

/// What is asked of the ladder.
type Ask = fn(&Question<'_>) -> (PermissionDecision, Insistence);

pub fn ladder(rules: &Rules) -> Box<dyn Engine> {
    with(rules, |question| {
        let ruling = black_box(decide(question));
        (ruling.decision, ruling.insistence)
    })
}

pub fn told(rules: &Rules) -> Box<dyn Engine> {
    with(rules, |question| {
        let judgement = black_box(judge(question));
        (judgement.decision, judgement.insistence)
    })
}

fn with(rules: &Rules, ask: Ask) -> Box<dyn Engine> {
    let folder = AbsPath::root().join("w/proj");
    let rules = rules.rules.iter().filter_map(|rule| {
        let behavior = match rule.verdict {
            Verdict::Nothing => return None,
            Verdict::Allow => RuleBehavior::Allow,
            Verdict::Ask => RuleBehavior::Ask,
            Verdict::Deny => RuleBehavior::Deny,
        };
        let text = match &rule.scope {
            Scope::Words(words) => format!("Bash({} *)", words.join(" ")),
            Scope::Folder(names) => format!("Edit(/{}/**)", names.join("/")),
        };
        Some(PermissionRule {
            behavior,
            text: RuleText::new(&text),
            source: RuleSource::ProjectSettings,
            place: None,
            anchor: folder.clone(),
        })
    });
    let run = RunId::new(1).expect("1 is a run");
    let step = LineageStep {
        worker: WorkerId::new(run, 1),
        label: Arc::from("bench"),
        agent: AgentName::new("bench"),
    };
    let (frozen, problems) = Frozen::new(PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(step),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: rules.collect(),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: folder.clone(),
        project: folder.clone(),
        home: AbsPath::root().join("home/dev"),
        directories: [folder.clone()].into(),
        depth_left: 0,
        handler: HandlerKind::Interactive,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    }));
    assert!(problems.is_empty(), "{problems:?}");
    Box::new(Ladder {
        frozen,
        folder,
        bash: ToolName::parse("Bash").expect("a tool"),
        edit: ToolName::parse("Edit").expect("a tool"),
        input: JsonText::parse("{}").expect("an object"),
        overlay: Overlay::default(),
        tree: CaseTree::new(),
        effects: Vec::new(),
        ask,
    })
}

impl Engine for Ladder {
    fn read(&mut self, calls: &[Call]) {
        self.effects = calls.iter().map(|call| self.effects_of(call)).collect();
    }

    fn decide(&self, call: &Call) -> Verdict {
        let (decision, insistence) = (self.ask)(&Question {
            tool: match call.kind {
                Kind::Shell => &self.bash,
                Kind::Path => &self.edit,
            },
            input: &self.input,
            effects: &self.effects[call.number],
            folder: &self.folder,
            frozen: &self.frozen,
            overlay: &self.overlay,
            vote: &HookVote::None,
            tree: &self.tree,
        });
        let by_rule = insistence == Insistence::MustAsk;
        match decision {
            PermissionDecision::Allow => Verdict::Allow,
            PermissionDecision::Deny => Verdict::Deny,
            PermissionDecision::Ask if by_rule => Verdict::Ask,
            PermissionDecision::Ask => Verdict::Nothing,
        }
    }
}

impl Ladder {
    fn effects_of(&self, call: &Call) -> Effects {
        let span = Span { start: 0, end: 0 };
        let kind = match call.kind {
            Kind::Shell => EffectKind::Run(Run {
                argv: call
                    .words
                    .iter()
                    .map(|word| Word {
                        value: WordValue::Literal(word.as_str().into()),
                        source: word.as_str().into(),
                        span,
                    })
                    .collect(),
                canonical: None,
                assignments: Vec::new(),
                text: call.words.join(" ").into(),
                folder: PathValue::Known(self.folder.clone()),
                nature: RunNature::Program,
                span,
                risks: Vec::new(),
            }),
            Kind::Path => EffectKind::Write {
                target: PathUse {
                    path: PathValue::Known(self.folder.join(&call.text)),
                    by: PathRole::Tool,
                    reach: Reach::Itself,
                    span: None,
                },
                change: Change::Content,
            },
        };
        let effect = Effect {
            kind,
            view: EffectView::Sure,
            part: 0,
        };
        Effects {
            list: vec![effect],
            line: None,
        }
    }
}
