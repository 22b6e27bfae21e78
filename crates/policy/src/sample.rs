//! Contexts, rules and calls for tests: written down briefly, or generated.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, AgentName, Attended, Change, ContextParts, Effect, EffectKind, EffectView, Effects,
    Grant, GrantId, GrantScope, HandlerKind, HostName, HostUse, JsonText, Judgement, Lineage,
    LineageStep, ModeInForce, Opaque, OpaqueWhy, Overlay, PathRole, PathUse, PathValue,
    PermissionContext, PermissionMode, PermissionRule, Reach, RuleBehavior, RuleSource, RuleText,
    Run, RunId, RunNature, SandboxState, Span, SpawnUse, ToolName, ToolSet, Uses, Word, WordValue,
    WorkerId,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::{CaseTree, Frozen, HookVote, Question, judge};

pub(crate) fn path(text: &str) -> AbsPath {
    AbsPath::parse(text).unwrap()
}

/// A context to judge in; `/w/proj` with home `/home/dev`, as in the corpora.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) rules: Vec<PermissionRule>,
    pub(crate) mode: PermissionMode,
    pub(crate) directories: Vec<AbsPath>,
    pub(crate) sandbox: SandboxState,
    pub(crate) overlay: Overlay,
    pub(crate) vote: HookVote,
    pub(crate) tree: CaseTree,
}

/// A call to judge.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: ToolName,
    pub(crate) input: JsonText,
    pub(crate) effects: Effects,
}

impl Sample {
    pub(crate) fn new() -> Self {
        let mut tree = CaseTree::new();
        tree.add_folder(&path("/w/proj/src"));
        tree.add_folder(&path("/home/dev"));
        Self {
            rules: Vec::new(),
            mode: PermissionMode::Default,
            directories: vec![path("/w/proj")],
            sandbox: SandboxState::Off,
            overlay: Overlay::default(),
            vote: HookVote::None,
            tree,
        }
    }

    /// Rules line by line: `user: deny Bash(rm *)`.
    pub(crate) fn with(mut self, rules: &str) -> Self {
        self.rules.extend(
            rules
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(rule),
        );
        self
    }

    pub(crate) fn in_mode(mut self, mode: PermissionMode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn context(&self) -> PermissionContext {
        let step = LineageStep {
            worker: WorkerId::new(RunId::new(1).unwrap(), 1),
            label: Arc::from("sample"),
            agent: AgentName::new("sample"),
        };
        PermissionContext::freeze(ContextParts {
            lineage: Lineage::root(step),
            mode: ModeInForce::root(self.mode),
            rules: self.rules.clone().into(),
            tools: ToolSet::All,
            tools_to_pass_on: ToolSet::All,
            folder: path("/w/proj"),
            project: path("/w/proj"),
            home: path("/home/dev"),
            directories: self.directories.clone().into(),
            depth_left: 1,
            handler: HandlerKind::Interactive,
            attended: Attended::Yes,
            sandbox: self.sandbox,
        })
    }

    pub(crate) fn judge(&self, call: &Call) -> Judgement {
        self.ask(call, judge)
    }

    pub(crate) fn ask<T>(&self, call: &Call, ask: impl FnOnce(&Question<'_>) -> T) -> T {
        let (frozen, _) = Frozen::new(self.context());
        ask(&Question {
            tool: &call.tool,
            input: &call.input,
            effects: &call.effects,
            folder: &path("/w/proj"),
            frozen: &frozen,
            overlay: &self.overlay,
            vote: &self.vote,
            tree: &self.tree,
        })
    }
}

/// One rule: `session: allow Bash(npm test)`; a rule without a source is the project's.
pub(crate) fn rule(line: &str) -> PermissionRule {
    let line = line.trim();
    let (source, rest) = match line.split_once(": ") {
        Some(("user", rest)) => (RuleSource::UserSettings, rest),
        Some(("policy", rest)) => (RuleSource::PolicySettings, rest),
        Some(("local", rest)) => (RuleSource::LocalSettings, rest),
        Some(("session", rest)) => (RuleSource::Session, rest),
        _ => (RuleSource::ProjectSettings, line),
    };
    let (behavior, text) = rest.split_once(' ').unwrap();
    PermissionRule {
        behavior: match behavior {
            "allow" => RuleBehavior::Allow,
            "ask" => RuleBehavior::Ask,
            "deny" => RuleBehavior::Deny,
            other => panic!("no behavior: {other}"),
        },
        text: RuleText::new(text),
        source,
        place: None,
        anchor: path("/w/proj"),
    }
}

pub(crate) fn grant(text: &str) -> Grant {
    let run = RunId::new(1).unwrap();
    Grant {
        id: GrantId::new(run, 1),
        rule: rule(&format!("session: allow {text}")),
        scope: GrantScope::Run { run },
        until: None,
        uses: Uses::Unlimited,
    }
}

impl Call {
    pub(crate) fn new(tool: &str, effects: Vec<Effect>) -> Self {
        Self {
            tool: ToolName::parse(tool).unwrap(),
            input: JsonText::parse("{}").unwrap(),
            effects: Effects {
                list: effects,
                ..Effects::default()
            },
        }
    }

    /// A Bash call of these commands, each a list of words; `?` is an unknown word. The first word says what
    /// kind of program it is.
    pub(crate) fn bash(commands: &[&[&str]]) -> Self {
        let mut list = Vec::new();
        for (part, words) in (0..).zip(commands) {
            list.push(effect(EffectKind::Run(run(words)), part));
        }
        Self::new("Bash", list)
    }

    pub(crate) fn read(file: &str) -> Self {
        Self::new("Read", vec![effect(EffectKind::Read(used(file)), 0)])
    }

    pub(crate) fn write(file: &str) -> Self {
        let kind = EffectKind::Write {
            target: used(file),
            change: Change::Content,
        };
        Self::new("Write", vec![effect(kind, 0)])
    }

    pub(crate) fn fetch(host: &str) -> Self {
        let kind = EffectKind::Connect(HostUse {
            host: Some(HostName::new(host)),
            source: host.into(),
            span: None,
        });
        Self::new("WebFetch", vec![effect(kind, 0)])
    }

    pub(crate) fn spawn(agent: &str) -> Self {
        let kind = EffectKind::Spawn(SpawnUse {
            agent: AgentName::new(agent),
        });
        Self::new("Agent", vec![effect(kind, 0)])
    }

    pub(crate) fn opaque(tool: &str, why: OpaqueWhy) -> Self {
        let kind = EffectKind::Opaque(Opaque {
            why,
            text: "opaque".into(),
            span: None,
        });
        Self::new(tool, vec![effect(kind, 0)])
    }
}

pub(crate) fn effect(kind: EffectKind, part: u32) -> Effect {
    Effect {
        kind,
        view: EffectView::Sure,
        part,
    }
}

pub(crate) fn used(file: &str) -> PathUse {
    PathUse {
        path: PathValue::Known(path("/w/proj").join(file)),
        by: PathRole::Tool,
        reach: Reach::Itself,
        span: None,
    }
}

pub(crate) fn run(words: &[&str]) -> Run {
    let span = Span { start: 0, end: 0 };
    let argv = words
        .iter()
        .map(|word| Word {
            value: if *word == "?" {
                WordValue::Unknown
            } else {
                WordValue::Literal((*word).into())
            },
            source: if *word == "?" {
                "$X".into()
            } else {
                (*word).into()
            },
            span,
        })
        .collect();
    Run {
        argv,
        canonical: None,
        assignments: Vec::new(),
        text: words.join(" ").replace('?', "$X").into(),
        folder: PathValue::Known(path("/w/proj")),
        nature: match words.first() {
            Some(&("ls" | "echo")) => RunNature::KnownReader,
            Some(&("touch" | "rm")) => RunNature::FileCommand,
            Some(&"sudo") => RunNature::Wrapper,
            _ => RunNature::Program,
        },
        span,
        risks: Vec::new(),
    }
}

/// Words that generated commands are made of; few, so that rules hit.
const WORDS: &[&str] = &["git", "push", "pull", "rm", "ls", "-f", "x", "npm", "sudo"];

/// Specifiers and bare names that generated rules are made of.
const RULES: &[&str] = &[
    "Bash",
    "Bash(*)",
    "Bash(git *)",
    "Bash(git push)",
    "Bash(git push *)",
    "Bash(git:*)",
    "Bash(gi*)",
    "Bash(* -f)",
    "Bash(* push *)",
    "Bash(rm *)",
    "Bash(rm -f x)",
    "Bash(ls)",
    "Bash(npm x *)",
    "Bash(sudo *)",
    "Bash(sudo rm x)",
    "Read",
    "Read(.env)",
    "Read(src/**)",
    "Read(//etc/**)",
    "Read(~/**)",
    "Read(*.md)",
    "Edit",
    "Edit(/src/**)",
    "Edit(src/a.rs)",
    "Edit(//**)",
    "Edit(**/gen/**)",
    "Write",
    "Write(*)",
    "WebFetch",
    "WebFetch(domain:a.test)",
    "WebFetch(domain:*.a.test)",
    "WebFetch(domain:a.*)",
    "Agent",
    "Agent(Explore)",
    "Task(Plan)",
    "mcp__s",
    "mcp__s__get",
    "mcp__s__get_*",
];

pub(crate) fn any_mode() -> impl Strategy<Value = PermissionMode> {
    select(PermissionMode::ALL.to_vec())
}

pub(crate) fn any_rule(behavior: RuleBehavior) -> impl Strategy<Value = PermissionRule> {
    let source = select(vec!["user", "policy", "local", "session", "project"]);
    (source, select(RULES)).prop_map(move |(source, text)| {
        rule(&format!("{source}: {behavior} {text}").replace("project: ", ""))
    })
}

pub(crate) fn any_rules(max: usize) -> impl Strategy<Value = Vec<PermissionRule>> {
    let one = prop_oneof![
        any_rule(RuleBehavior::Allow),
        any_rule(RuleBehavior::Ask),
        any_rule(RuleBehavior::Deny),
    ];
    proptest::collection::vec(one, 0..max)
}

pub(crate) fn any_words() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(WORDS, 1..4).prop_shuffle()
}

pub(crate) fn any_call() -> impl Strategy<Value = Call> {
    let files = select(vec![
        "src/a.rs",
        "README.md",
        ".env",
        "/etc/hosts",
        "/home/dev/notes.md",
        "gen/x",
        "a/gen/y",
        ".git/config",
    ]);
    let hosts = select(vec!["a.test", "b.a.test", "a.example"]);
    prop_oneof![
        4 => proptest::collection::vec(any_words(), 1..3).prop_map(|commands| {
            let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
            Call::bash(&commands)
        }),
        2 => files.clone().prop_map(Call::read),
        2 => files.prop_map(Call::write),
        1 => hosts.prop_map(Call::fetch),
        1 => select(vec!["Explore", "Plan"]).prop_map(Call::spawn),
        1 => select(vec!["mcp__s__get", "mcp__s__get_x", "mcp__t__get"])
            .prop_map(|tool| Call::opaque(tool, OpaqueWhy::UnknownTool)),
        1 => Just(Call::opaque("Bash", OpaqueWhy::UnknownScript)),
    ]
}

pub(crate) fn any_sample(rules_max: usize) -> impl Strategy<Value = Sample> {
    (any_rules(rules_max), any_mode()).prop_map(|(rules, mode)| Sample {
        rules,
        mode,
        ..Sample::new()
    })
}
