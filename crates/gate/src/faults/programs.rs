//! A classifier that is a program.

use futures_util::future::join_all;
use pointsman_process::Environment;

use super::*;
use crate::{ClassifierVote, ProgramClassifier};

/// Reads the action, and keeps its code as `$code`.
const READ: &str = r#"read -r line; code=${line#*'"action":"'}; code=${code%%'"'*}; "#;

/// The answer that was asked for, as a yes.
const YES: &str = r#"printf '{"action":"%s","verdict":"allow","reason":"so it is"}\n' "$code""#;

/// Faults of the program. Each says yes before it fails, wherever it still can.
fn faults() -> Vec<(&'static str, String)> {
    let read = |rest: String| format!("{READ}{rest}");
    let yes = YES;
    vec![
        ("crash", read(format!("{yes}; kill -SEGV $$"))),
        ("signal", read(format!("{yes}; kill -KILL $$"))),
        ("hang", read(format!("{yes}; sleep 600"))),
        ("hang that reads nothing", "sleep 600".into()),
        (
            "hang with its output closed",
            read(format!("{yes}; exec >&- 2>&-; sleep 600")),
        ),
        ("nothing", read("exit 0".into())),
        ("code 1", read(format!("{yes}; exit 1"))),
        ("code 1 with nothing", read("exit 1".into())),
        ("code 2", read(format!("{yes}; exit 2"))),
        ("code 2 with nothing", read("exit 2".into())),
        (
            "code 2 with words",
            read("echo no push >&2; exit 2".into()),
        ),
        (
            "code 2 with words beside a yes",
            read(format!("{yes}; echo no push >&2; exit 2")),
        ),
        ("code 3", read(format!("{yes}; exit 3"))),
        ("code 126", read(format!("{yes}; exit 126"))),
        ("code 127", read(format!("{yes}; exit 127"))),
        (
            "huge output",
            read(format!("{yes}; head -c 9000000 /dev/zero | tr '\\0' x")),
        ),
        (
            "huge output before the answer",
            read(format!("head -c 9000000 /dev/zero | tr '\\0' ' '; {yes}")),
        ),
        ("words alone", read("echo allow".into())),
        (
            "invalid JSON",
            read(yes.replace("\"allow\"", "allow")),
        ),
        (
            "an answer of a hook",
            read(r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'"#.into()),
        ),
        ("half an answer", read(format!("{yes} | head -c 40"))),
        ("two answers", read(format!("{yes}; {yes}"))),
        ("words before it", read(format!("echo ok; {yes}"))),
        ("words behind it", read(format!("{yes}; echo ok"))),
        (
            "a byte order mark before it",
            read(format!("printf '\\357\\273\\277'; {yes}")),
        ),
        ("a NUL behind it", read(format!("{yes}; printf '\\000'"))),
        ("no UTF-8", read(yes.replace("so it is", "so it is \\377"))),
        ("a list", read(format!("printf '['; {yes}; printf ']'"))),
        (
            "another code",
            read(format!("code=0123456789abcdef; {yes}")),
        ),
        ("no code", read(format!("code=; {yes}"))),
        (
            "a key more",
            read(yes.replace("\"verdict\"", "\"sure\":true,\"verdict\"")),
        ),
        (
            "a key twice",
            read(yes.replace("\"verdict\"", "\"verdict\":\"refuse\",\"verdict\"")),
        ),
        ("another word", read(yes.replace("allow", "Allow"))),
    ]
}

fn classifier(ground: &Ground, name: &str, program: &str, args: &[&str]) -> ProgramClassifier {
    // What hangs is given up soon; the others get the time that a busy machine takes.
    let time_max = if name.contains("hang") {
        LATE
    } else {
        PATIENCE
    };
    let args: Vec<Box<str>> = args.iter().map(|arg| (*arg).into()).collect();
    let clock = Arc::clone(&ground.clock);
    let made = ProgramClassifier::new(program, &args, ground.root(), time_max, clock);
    let path = std::env::var_os("PATH").unwrap();
    made.begins(&Environment::empty().with("PATH", path));
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_failing_program_that_judges_never_votes() {
    let ground = Ground::new().await;
    let mut rows: Vec<_> = faults()
        .into_iter()
        .map(|(name, line)| (name, classifier(&ground, name, "sh", &["-c", &line])))
        .collect();
    rows.push((
        "no such program",
        classifier(&ground, "", "/nowhere/judge", &[]),
    ));
    let rows = rows
        .into_iter()
        .map(|(name, judge)| never_votes(&ground, name, Arc::new(judge)));
    join_all(rows).await;
}

/// What is too long to be shown whole is not judged, however sure the program is: that is told apart from its faults.
#[tokio::test(flavor = "multi_thread")]
async fn an_over_long_action_is_not_shown_to_a_program() {
    let ground = Ground::new().await;
    let line = format!("{READ}{YES}");
    let judge: Arc<dyn Classifier> = Arc::new(classifier(&ground, "", "sh", &["-c", &line]));
    let long = format!("make {}", "x".repeat(100_000));
    let panel = Panel {
        classifier: Some(judge),
        ..ground.panel(vec![])
    };
    let alone = CoordinatorHandler::new(unattended(panel.clone()));
    let ended = verdict(&ground, alone, auto(ground.request(&long))).await;
    let cause = match ended.map(|ended| ended.kind) {
        Some(VerdictKind::Unjudged { cause, .. }) => cause,
        other => panic!("{other:?}"),
    };
    assert_eq!(cause, NoVoteCause::TooLong);
    let asked = CoordinatorHandler::new(panel);
    let ended = verdict(&ground, asked, auto(ground.request(&long))).await;
    assert_eq!(ended, None);
}

/// Slow and well is no fault: the vote counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_program_that_judges_is_waited_for() {
    let ground = Ground::new().await;
    let line = format!("{READ}sleep 0.3; {YES}");
    let judge = classifier(&ground, "slow", "sh", &["-c", &line]);
    let vote = judge.classify(&ground.request("make")).await;
    assert!(matches!(vote, ClassifierVote::Yes { .. }), "{vote:?}");
}
