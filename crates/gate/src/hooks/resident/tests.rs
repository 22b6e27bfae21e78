//! Hooks that stay, as real programs.

use pointsman_ledger::{HookCame, RecordBody};
use pointsman_model::{
    Attended, CallId, Effects, HookedCall, JsonText, Lineage, Millis, PermissionMode, ToolName,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookEvent, HookLife, HookSetting};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Ground, guard, hook};
use crate::hooks::{HookScene, Hooks, PreToolUse, PreToolUseVote};

/// Answers each line by denying with its own number and the call's, and its count of lines.
const COUNTING: &str = r#"n=0; while read -r line; do n=$((n+1)); id=${line#*'"tool_use_id":"'}; id=${id%%'"'*}; echo "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"$$ $n $id\"}}"; done"#;

fn stays(line: &str) -> HookSetting {
    HookSetting {
        life: HookLife::Resident,
        ..hook(HookEvent::PreToolUse, 1, line)
    }
}

async fn ask(ground: &Ground, hooks: &Hooks, number: u32) -> PreToolUse {
    let lineage = Lineage::root(ground.worker(1));
    let never = CancellationToken::new();
    let call = HookedCall {
        id: CallId::new(ground.run, number),
        tool: ToolName::parse("Bash").unwrap(),
        input: JsonText::parse(r#"{"command":"ls"}"#).unwrap(),
    };
    let scene = HookScene {
        lineage: &lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop: &never,
    };
    hooks.pre_tool_use(&call, &scene).await
}

fn denied(turn: &PreToolUse) -> Vec<String> {
    match &turn.vote {
        PreToolUseVote::Deny { text, .. } => text.split(' ').map(str::to_owned).collect(),
        other => panic!("{other:?}, {:?}", turn.reports),
    }
}

fn failed(turn: &PreToolUse) -> String {
    assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None));
    assert_eq!(turn.reports[0].came, HookCame::Failed);
    turn.reports[0].text.clone().into()
}

#[tokio::test]
async fn one_process_is_asked_again_and_again_and_ends_with_the_run() {
    let ground = Ground::new().await;
    let hooks = ground.hooks(vec![stays(COUNTING)], Attended::Yes);
    let first = denied(&ask(&ground, &hooks, 1).await);
    let second = denied(&ask(&ground, &hooks, 2).await);
    assert_eq!(first[0], second[0], "one process");
    assert_eq!((&*first[1], &*second[1]), ("1", "2"));
    hooks.finish().await;
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let records = reader
        .records(&pointsman_ledger::Filter::default())
        .unwrap();
    let groups: Vec<_> = records
        .records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::ProcessGroupStarted(started) => Some(started.group.pgid),
            RecordBody::ProcessGroupEnded(ended) => Some(-ended.group.pgid),
            _ => None,
        })
        .collect();
    let process: i32 = first[0].parse().unwrap();
    assert_eq!(groups, [process, -process]);
}

#[tokio::test]
async fn many_agents_at_once_get_each_its_own_answer() {
    let ground = Ground::new().await;
    let hooks = ground.hooks(vec![stays(COUNTING)], Attended::Yes);
    let asked = (1..=50).map(|number| {
        let (ground, hooks) = (&ground, &hooks);
        async move { denied(&ask(ground, hooks, number).await) }
    });
    let answers = futures_util::future::join_all(asked).await;
    let process = &answers[0][0];
    for (number, answer) in (1..).zip(&answers) {
        assert_eq!(&answer[0], process);
        assert_eq!(
            answer[2],
            format!("c1-{number}"),
            "an answer to another call"
        );
    }
}

#[tokio::test]
async fn one_that_died_is_started_anew() {
    let ground = Ground::new().await;
    let line = "read -r line; echo '{}'; exit 1";
    let hooks = ground.hooks(vec![stays(line)], Attended::Yes);
    for number in 1..4 {
        let turn = ask(&ground, &hooks, number).await;
        let came = turn.reports[0].came;
        // Its death may be seen only when it is written to; then that question has no answer.
        assert!(matches!(came, HookCame::Nothing | HookCame::Failed));
    }
    let line = "read -r line; echo boom >&2; exit 1";
    let hooks = ground.hooks(vec![stays(line)], Attended::Yes);
    for number in 1..3 {
        let text = failed(&ask(&ground, &hooks, number).await);
        assert_eq!(text, "it ended instead of answering: boom");
    }
}

#[tokio::test]
async fn one_that_is_late_is_ended_and_its_answer_goes_to_nobody() {
    let ground = Ground::new().await;
    let once = ground.path("once");
    // The first of them never answers, each further one does.
    let line = format!(
        "if [ -e {0} ]; then {COUNTING}; else touch {0}; read -r line; sleep 600; fi",
        once.display()
    );
    let late = HookSetting {
        timeout: Millis(300),
        ..stays(&line)
    };
    let hooks = ground.hooks(vec![late], Attended::Yes);
    let text = failed(&ask(&ground, &hooks, 1).await);
    assert_eq!(text, "it took longer than its time limit");
    // The process is started within the time limit of a question, or at the next one.
    let mut answer = ask(&ground, &hooks, 2).await;
    while matches!(answer.vote, PreToolUseVote::Ladder(_)) {
        answer = ask(&ground, &hooks, 2).await;
    }
    assert_eq!(denied(&answer)[2], "c1-2");
}

#[tokio::test]
async fn law_15_what_is_no_answer_is_no_vote_and_a_guards_asks() {
    let ground = Ground::new().await;
    let allow =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    for (fault, line, text) in [
        (
            "plain text",
            "while read -r line; do echo fine; done".to_owned(),
            "no answer",
        ),
        (
            "half an object",
            "read -r line; printf '{\"hookSpec'".to_owned(),
            "it ended",
        ),
        (
            "another line's",
            format!(
                "read -r line; echo '{}'",
                allow.replacen('{', r#"{"turn":99,"#, 1)
            ),
            "answered to line 99",
        ),
        (
            "two lines",
            format!("read -r line; printf '%s\\n%s\\n' '{allow}' '{allow}'; sleep 600"),
            "out of step",
        ),
        ("no program", "exec /nowhere/at/all".to_owned(), "it ended"),
    ] {
        let hooks = ground.hooks(vec![stays(&line)], Attended::Yes);
        let said = failed(&ask(&ground, &hooks, 1).await);
        assert!(said.contains(text), "{fault}: {said}");
        let hooks = ground.hooks(vec![guard(stays(&line))], Attended::Yes);
        let turn = ask(&ground, &hooks, 1).await;
        assert!(
            matches!(turn.vote, PreToolUseVote::Ladder(HookVote::Ask { .. })),
            "{fault}: {:?}",
            turn.vote
        );
    }
}

/// A hook that answers each line with these words, and with the number of the line where it is to.
fn answering(words: &str) -> String {
    let allow =
        r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow""#;
    match words {
        "allow" => format!("{allow}}}"),
        "allow and rules" => format!(
            r#"{allow},"updatedPermissions":[{{"type":"addRules","behavior":"allow","rules":[{{"toolName":"Bash"}}]}}]}}"#
        ),
        "another input" => r#""hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pwd"}}"#.into(),
        "deny" => allow.replace("allow", "deny") + "}",
        "halt" => r#""continue":false"#.into(),
        "nothing" => r#""systemMessage":"seen""#.into(),
        other => panic!("{other}"),
    }
}

/// `n` holds the number that stands in the line.
fn each_line(answer: &str) -> String {
    format!(
        "while read -r line; do n=${{line#'{{\"turn\":'}}; n=${{n%%,*}}; printf '%s\\n' {answer}; done"
    )
}

#[tokio::test]
async fn law_15_what_loosens_counts_only_with_the_number_of_its_line() {
    // The answer, what it comes to with the number and without it, and without it from a guard.
    for (words, named, unnamed, of_a_guard) in [
        ("allow", "allow", "none", "ask"),
        ("allow and rules", "allow +1", "none", "ask"),
        ("another input", "none rewritten", "none", "ask"),
        ("nothing", "none", "none", "ask"),
        ("deny", "deny", "deny", "deny"),
        ("halt", "halt", "halt", "halt"),
    ] {
        let ground = Ground::new().await;
        let words = answering(words);
        let with = each_line(&format!(r#"'{{"turn":'"$n"',{words}}}'"#));
        let without = each_line(&format!("'{{{words}}}'"));
        for (line, duty, expect) in [
            (&with, stays as fn(&str) -> HookSetting, named),
            (&with, |line| guard(stays(line)), named),
            (&without, stays, unnamed),
            (&without, |line| guard(stays(line)), of_a_guard),
        ] {
            let hooks = ground.hooks(vec![duty(line)], Attended::Yes);
            for number in 1..3 {
                let turn = ask(&ground, &hooks, number).await;
                assert_eq!(came_to(&turn), expect, "{line}: {:?}", turn.reports);
            }
        }
    }
}

fn came_to(turn: &PreToolUse) -> String {
    let mut text = match &turn.vote {
        PreToolUseVote::Ladder(HookVote::None) => "none".to_owned(),
        PreToolUseVote::Ladder(HookVote::Allow { .. }) => "allow".into(),
        PreToolUseVote::Ladder(HookVote::Ask { .. }) => "ask".into(),
        PreToolUseVote::Deny { .. } => "deny".into(),
        PreToolUseVote::Halt { .. } => "halt".into(),
    };
    if !turn.wishes.is_empty() {
        text.push_str(&format!(" +{}", turn.wishes.len()));
    }
    if turn.rewritten.is_some() {
        text.push_str(" rewritten");
    }
    text
}

/// It answers each line with what it would have said to the one before: its yes to the first would let pass the
/// second, which it denies.
#[tokio::test]
async fn law_15_a_guard_that_is_one_line_late_lets_nothing_pass() {
    let ground = Ground::new().await;
    let (allow, deny) = (answering("allow"), answering("deny"));
    let late = format!(
        "said='{{}}'; while read -r line; do echo \"$said\"; case $line in *c1-1*) said='{{{allow}}}';; *) said='{{{deny}}}';; esac; done"
    );
    let hooks = ground.hooks(vec![guard(stays(&late))], Attended::Yes);
    for number in 1..4 {
        let came = came_to(&ask(&ground, &hooks, number).await);
        assert!(["ask", "deny"].contains(&&*came), "{number}: {came}");
    }
}

/// A line that it writes behind its answer is nobody's, whatever it says: the next call is asked of a new process.
#[tokio::test]
async fn law_15_a_stray_line_is_no_answer_to_the_next_call() {
    let ground = Ground::new().await;
    let allow = answering("allow");
    let wrote = ground.path("wrote");
    let go = ground.path("go");
    let stray = each_line(&format!(
        r#"'{{"turn":'"$n"'}}'; [ -e '{wrote}' ] || {{ while [ ! -e '{go}' ]; do sleep 0.01; done; echo '{{"turn":'$((n+1))',{allow}}}'; touch '{wrote}'; }}"#,
        wrote = wrote.display(),
        go = go.display(),
    ));
    let hooks = ground.hooks(vec![guard(stays(&stray))], Attended::Yes);
    assert_eq!(came_to(&ask(&ground, &hooks, 1).await), "none");
    std::fs::write(go, "").unwrap();
    while !wrote.exists() {
        tokio::task::yield_now().await;
    }
    assert_eq!(came_to(&ask(&ground, &hooks, 2).await), "none");
}
