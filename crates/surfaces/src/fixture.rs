//! Requests for tests of this crate.

use pointsman_model::{
    AbsPath, AgentName, BashInput, CallId, DecisionReason, Digest, Effect, EffectKind, EffectView,
    Effects, ExecutedCall, IfNobody, Insistence, JsonText, Judgement, Lineage, LineageStep,
    Matched, Origin, PathValue, PermissionDecision, PermissionMode, PermissionRequest, RequestId,
    Risk, RiskTag, RuleProposal, RuleText, Run, RunId, RunNature, Rung, RungOutcome, Span,
    ToolInput, ToolName, Trail, TrailStep, WallTime, WorkerId,
};

/// The run all fixtures belong to.
pub(crate) fn run() -> RunId {
    RunId::new(3).unwrap()
}

/// A worker's sub-agent wants to run `command`; nothing covers it.
pub(crate) fn request(number: u32, command: &str) -> PermissionRequest {
    let matched = || Matched {
        text: command.into(),
        span: None,
    };
    let nothing = || DecisionReason::NothingDecided { matched: matched() };
    let input = BashInput {
        command: command.into(),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    };
    PermissionRequest {
        id: RequestId::new(run(), number),
        call: ExecutedCall {
            id: CallId::new(run(), number + 100),
            tool: ToolName::parse("Bash").unwrap(),
            text: JsonText::of(&input).unwrap(),
            input: ToolInput::Bash(input),
        },
        rewritten_from: None,
        supersedes: None,
        unheld: None,
        lineage: lineage(),
        task: "mend the links".into(),
        folder: AbsPath::parse("/w/proj").unwrap(),
        mode: PermissionMode::Default,
        origin: Origin::Foreground,
        effects: runs(command),
        judgement: Judgement {
            decision: PermissionDecision::Ask,
            reason: nothing(),
            insistence: Insistence::MayBeAnswered,
            trail: trail(nothing()),
            if_nobody: IfNobody {
                decision: PermissionDecision::Deny,
                reason: DecisionReason::NobodyCanAnswer {
                    question: Box::new(nothing()),
                },
            },
        },
        proposals: vec![
            proposal(&format!("Bash({command})")),
            proposal("Bash(git push *)"),
        ],
        opened_at: WallTime(1_000),
        deadline: WallTime(601_000),
        context: Digest::of(b"context"),
        digest: Digest::of(command.as_bytes()),
    }
}

/// The same, marked as destructive.
pub(crate) fn grave(number: u32, command: &str) -> PermissionRequest {
    let mut request = request(number, command);
    for effect in &mut request.effects.list {
        if let EffectKind::Run(run) = &mut effect.kind {
            run.risks.push(Risk {
                tag: RiskTag::Destructive,
                span: run.span,
            });
        }
    }
    request
}

fn proposal(rule: &str) -> RuleProposal {
    RuleProposal {
        rules: vec![RuleText::new(rule)],
    }
}

fn lineage() -> Lineage {
    let step = |number, label: &str, agent: &str| LineageStep {
        worker: WorkerId::new(run(), number),
        label: label.into(),
        agent: AgentName::new(agent),
    };
    Lineage::root(step(1, "docs", "steps")).child(step(4, "links", "reviewer"))
}

fn trail(reason: DecisionReason) -> Trail {
    let passed = |rung| TrailStep {
        rung,
        came_to: RungOutcome::Passed,
    };
    Trail(vec![
        passed(Rung::DenyRules),
        passed(Rung::AskRules),
        TrailStep {
            rung: Rung::NothingDecided,
            came_to: RungOutcome::Decided {
                decision: PermissionDecision::Ask,
                reason,
            },
        },
    ])
}

fn runs(command: &str) -> Effects {
    let span = Span {
        start: 0,
        end: u32::try_from(command.len()).unwrap(),
    };
    let run = Run {
        argv: Vec::new(),
        canonical: None,
        assignments: Vec::new(),
        text: command.into(),
        folder: PathValue::Known(AbsPath::parse("/w/proj").unwrap()),
        nature: RunNature::Program,
        span,
        risks: Vec::new(),
    };
    Effects {
        list: vec![Effect {
            kind: EffectKind::Run(run),
            view: EffectView::Sure,
            part: 0,
        }],
        line: Some(command.into()),
        ..Effects::default()
    }
}
