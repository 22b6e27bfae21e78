//! What a decision costs, by number of rules, beside the floor: a flat trie of interned words.
//!
//! `decide` is the whole ladder, which names the rung and the rule that decided; `judge` makes the texts of reason
//! and trail too. Both are asked of calls drawn from all rules (the caches are as cold as in real life) and of one call
//! again and again. The trie only finds the strongest verdict of prefix rules; it marks what a look-up by words
//! costs on this machine.

#![expect(
    clippy::expect_used,
    reason = "a bench that can not be set up has nothing to measure"
)]

use std::hint::black_box;
use std::sync::Arc;

use divan::{AllocProfiler, Bencher};
use pointsman_model::{
    AbsPath, AgentName, Attended, Change, ContextParts, Effect, EffectKind, EffectView, Effects,
    HandlerKind, JsonText, Lineage, LineageStep, ModeInForce, Overlay, PathRole, PathUse,
    PathValue, PermissionContext, PermissionMode, PermissionRule, Reach, RuleBehavior, RuleSource,
    RuleText, Run, RunId, RunNature, SandboxState, Span, ToolName, ToolSet, Word, WordValue,
    WorkerId,
};
use pointsman_policy::{CaseTree, Frozen, HookVote, Question, decide, judge};
use rustc_hash::FxHashMap;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const COUNTS: [usize; 4] = [10, 1_000, 10_000, 100_000];

/// Calls drawn over all rules; more than fit into the caches with their rules.
const CALLS: usize = 4_096;

fn main() {
    divan::main();
}

/// The n-th rule: 70 % commands, 30 % paths; 60 % allow, 20 % ask, 20 % deny; few programs, many sub-commands.
fn rule(n: usize) -> PermissionRule {
    let behavior = match n % 5 {
        0 => RuleBehavior::Deny,
        1 => RuleBehavior::Ask,
        _ => RuleBehavior::Allow,
    };
    let text = if n % 10 < 7 {
        let [program, sub, _] = words(n);
        format!("Bash({program} {sub} *)")
    } else {
        format!("Edit(/area{}/part{}/**)", n % 97, n)
    };
    PermissionRule {
        behavior,
        text: RuleText::new(&text),
        source: RuleSource::ProjectSettings,
        place: None,
        anchor: folder(),
    }
}

fn words(n: usize) -> [String; 3] {
    [format!("prog{}", n % 23), format!("sub{n}"), "main".into()]
}

fn folder() -> AbsPath {
    AbsPath::root().join("w/proj")
}

fn frozen(count: usize) -> Frozen {
    let run = RunId::new(1).expect("1 is a run");
    let step = LineageStep {
        worker: WorkerId::new(run, 1),
        label: Arc::from("bench"),
        agent: AgentName::new("bench"),
    };
    let (frozen, problems) = Frozen::new(PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(step),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: (0..count).map(rule).collect(),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: folder(),
        project: folder(),
        home: AbsPath::root().join("home/dev"),
        directories: [folder()].into(),
        depth_left: 0,
        handler: HandlerKind::Interactive,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    }));
    assert!(problems.is_empty(), "{problems:?}");
    frozen
}

fn effects(kind: EffectKind) -> Effects {
    Effects {
        list: vec![Effect {
            kind,
            view: EffectView::Sure,
            part: 0,
        }],
        ..Effects::default()
    }
}

fn shell_call(n: usize) -> Effects {
    let span = Span { start: 0, end: 0 };
    let words = words(n);
    effects(EffectKind::Run(Run {
        argv: words
            .iter()
            .map(|word| Word {
                value: WordValue::Literal(word.as_str().into()),
                source: word.as_str().into(),
                span,
            })
            .collect(),
        canonical: None,
        assignments: Vec::new(),
        text: words.join(" ").into(),
        folder: PathValue::Known(folder()),
        nature: RunNature::Program,
        span,
        risks: Vec::new(),
    }))
}

fn path_call(n: usize) -> Effects {
    let file = format!("area{}/part{}/src/lib.rs", n % 97, n);
    effects(EffectKind::Write {
        target: PathUse {
            path: PathValue::Known(folder().join(&file)),
            by: PathRole::Tool,
            reach: Reach::Itself,
            span: None,
        },
        change: Change::Content,
    })
}

/// Asks of calls in turn.
fn each<T>(
    bencher: Bencher<'_, '_>,
    count: usize,
    tool: &str,
    calls: &[Effects],
    ask: impl Fn(&Question<'_>) -> T,
) {
    let frozen = frozen(count);
    let tool = ToolName::parse(tool).expect("a tool's name");
    let input = JsonText::parse("{}").expect("an object");
    let (overlay, tree, folder) = (Overlay::default(), CaseTree::new(), folder());
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 1) % calls.len();
        ask(&Question {
            tool: &tool,
            input: &input,
            effects: black_box(calls.get(at).expect("in range")),
            folder: &folder,
            frozen: &frozen,
            overlay: &overlay,
            vote: &HookVote::None,
            tree: &tree,
        })
    });
}

/// Numbers of rules of a kind, drawn in no order.
fn drawn(count: usize, kinds: std::ops::Range<usize>) -> Vec<usize> {
    let fitting: Vec<usize> = (0..count).filter(|n| kinds.contains(&(n % 10))).collect();
    let mut state = 1_usize;
    (0..CALLS)
        .filter_map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            fitting.get((state >> 33) % fitting.len()).copied()
        })
        .collect()
}

#[divan::bench(args = COUNTS)]
fn shell_hot(bencher: Bencher<'_, '_>, count: usize) {
    each(bencher, count, "Bash", &[shell_call(2)], decide);
}

#[divan::bench(args = COUNTS)]
fn shell_over_all_rules(bencher: Bencher<'_, '_>, count: usize) {
    let calls: Vec<Effects> = drawn(count, 0..7).into_iter().map(shell_call).collect();
    each(bencher, count, "Bash", &calls, decide);
}

#[divan::bench(args = COUNTS)]
fn path_hot(bencher: Bencher<'_, '_>, count: usize) {
    each(bencher, count, "Edit", &[path_call(7)], decide);
}

#[divan::bench(args = COUNTS)]
fn path_over_all_rules(bencher: Bencher<'_, '_>, count: usize) {
    let calls: Vec<Effects> = drawn(count, 7..10).into_iter().map(path_call).collect();
    each(bencher, count, "Edit", &calls, decide);
}

#[divan::bench(args = COUNTS)]
fn shell_hot_with_texts(bencher: Bencher<'_, '_>, count: usize) {
    each(bencher, count, "Bash", &[shell_call(2)], judge);
}

#[divan::bench(args = COUNTS)]
fn path_hot_with_texts(bencher: Bencher<'_, '_>, count: usize) {
    each(bencher, count, "Edit", &[path_call(7)], judge);
}

#[divan::bench(args = COUNTS, sample_count = 5)]
fn build(bencher: Bencher<'_, '_>, count: usize) {
    bencher.bench_local(|| frozen(black_box(count)));
}

/// The floor: words are interned, a node and a word lead to a node, a node holds a verdict.
#[derive(Default)]
struct FlatTrie {
    words: FxHashMap<Box<str>, u32>,
    nodes: FxHashMap<(u32, u32), u32>,
    verdicts: Vec<Option<RuleBehavior>>,
}

impl FlatTrie {
    fn of(count: usize) -> Self {
        let mut trie = Self::default();
        trie.verdicts.push(None);
        for n in (0..count).filter(|n| n % 10 < 7) {
            let [program, sub, _] = words(n);
            let mut node = 0;
            for word in [program, sub] {
                let next = u32::try_from(trie.words.len()).expect("few words");
                let word = *trie.words.entry(word.into()).or_insert(next);
                let fresh = u32::try_from(trie.verdicts.len()).expect("few nodes");
                node = *trie.nodes.entry((node, word)).or_insert(fresh);
                if node == fresh {
                    trie.verdicts.push(None);
                }
            }
            if let Some(verdict) = trie.verdicts.get_mut(node as usize) {
                *verdict = (*verdict).max(Some(rule(n).behavior));
            }
        }
        trie
    }

    fn find(&self, words: &[String; 3]) -> Option<RuleBehavior> {
        let mut node = 0;
        let mut strongest = None;
        for word in words {
            let Some(word) = self.words.get(word.as_str()) else {
                break;
            };
            let Some(next) = self.nodes.get(&(node, *word)) else {
                break;
            };
            node = *next;
            strongest = strongest.max(self.verdicts.get(node as usize).copied().flatten());
        }
        strongest
    }
}

#[divan::bench(args = COUNTS)]
fn floor_flat_trie_hot(bencher: Bencher<'_, '_>, count: usize) {
    let trie = FlatTrie::of(count);
    let call = words(2);
    bencher.bench_local(|| trie.find(black_box(&call)));
}

#[divan::bench(args = COUNTS)]
fn floor_flat_trie_over_all_rules(bencher: Bencher<'_, '_>, count: usize) {
    let trie = FlatTrie::of(count);
    let calls: Vec<[String; 3]> = drawn(count, 0..7).into_iter().map(words).collect();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 1) % calls.len();
        trie.find(black_box(calls.get(at).expect("in range")))
    });
}
