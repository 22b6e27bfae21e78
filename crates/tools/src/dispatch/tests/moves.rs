//! Each legal move is published, in order, and nothing else is.

use pointsman_model::CallState::{
    AwaitingApproval, Cancelled, Error, Executing, Scheduled, Success, Validating,
};
use pointsman_model::{CallState, VerdictKind};
use serde_json::{Value, json};

use super::bench::{Bench, Layout, person, yes};

#[track_caller]
fn check(bench: &Bench, expect: &[CallState]) {
    assert_eq!(bench.moves(), expect);
}

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

#[tokio::test]
async fn allowed_by_rule() {
    let bench = Layout::rules(&["allow Bash(true)", "allow Bash(false)"])
        .build()
        .await;
    bench.call("Bash", bash("true")).await;
    check(&bench, &[Validating, Scheduled, Executing, Success]);
    bench.call("Bash", bash("false")).await;
    check(&bench, &[Validating, Scheduled, Executing, Error]);
}

#[tokio::test]
async fn asked_and_let_pass() {
    let bench = Layout::rules(&["ask Bash(true)"]).build().await;
    bench.call("Bash", bash("true")).await;
    check(
        &bench,
        &[Validating, AwaitingApproval, Scheduled, Executing, Success],
    );
}

#[tokio::test]
async fn refused_by_rule_hook_and_person() {
    let bench = Layout::rules(&["deny Bash(true)"]).build().await;
    bench.call("Bash", bash("true")).await;
    check(&bench, &[Validating, Error]);

    let no = || VerdictKind::Deny { text: None };
    let bench = Layout::rules(&["ask Bash(true)"])
        .answer(move |_| Some((no(), person())))
        .build()
        .await;
    bench.call("Bash", bash("true")).await;
    check(&bench, &[Validating, AwaitingApproval, Cancelled]);

    let hook = pointsman_model::Answerer::Hook { name: "h".into() };
    let bench = Layout::rules(&["ask Bash(true)"])
        .answer(move |_| Some((no(), hook.clone())))
        .build()
        .await;
    bench.call("Bash", bash("true")).await;
    check(&bench, &[Validating, AwaitingApproval, Error]);
}

#[tokio::test]
async fn an_input_that_does_not_fit() {
    let bench = Layout::rules(&[]).build().await;
    bench.call("Bash", json!({})).await;
    check(&bench, &[Validating, Error]);
}

#[tokio::test]
async fn stopped_before_it_is_judged() {
    let bench = Layout::rules(&[]).build().await;
    bench.stop.cancel();
    bench.call("Bash", bash("true")).await;
    check(&bench, &[Validating, Cancelled]);
}

#[tokio::test]
async fn stopped_while_it_waits_for_its_turn() {
    let bench = Layout::rules(&["allow Bash(true)"]).build().await;
    let call = bench.admitted("Bash", bash("true")).await;
    bench.stop.cancel();
    bench.dispatch.execute(call).await;
    check(&bench, &[Validating, Scheduled, Cancelled]);
}

#[tokio::test]
async fn dropped_while_it_waits_for_its_turn() {
    let bench = Layout::rules(&["allow Bash(true)"]).build().await;
    drop(bench.admitted("Bash", bash("true")).await);
    check(&bench, &[Validating, Scheduled, Cancelled]);
}

#[tokio::test]
async fn stopped_while_it_runs() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    let call = bench
        .admitted("Bash", bash("touch up; exec sleep 60"))
        .await;
    let up = bench.root.join("up");
    let stop = bench.stop.clone();
    let watch = tokio::spawn(async move {
        while !up.as_path().exists() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    });
    let end = bench.dispatch.execute(call).await;
    watch.await.unwrap();
    assert!(end.text.contains("stopped"), "{}", end.text);
    check(&bench, &[Validating, Scheduled, Executing, Cancelled]);
}

#[tokio::test]
async fn changed_before_it_runs_and_asked_anew() {
    let bench = Layout::rules(&["ask Write"])
        .answer(|_| Some((yes(), person())))
        .build()
        .await;
    bench.write("f", "one");
    let call = bench
        .admitted("Write", json!({ "file_path": "f", "content": "two" }))
        .await;
    bench.write("f", "changed");
    bench.dispatch.execute(call).await;
    check(
        &bench,
        &[
            Validating,
            AwaitingApproval,
            Scheduled,
            AwaitingApproval,
            Scheduled,
            Executing,
            Success,
        ],
    );
}

#[tokio::test]
async fn changed_into_what_is_denied_by_now() {
    let bench = Layout::rules(&["ask Write", "deny Edit(secret/**)"])
        .build()
        .await;
    bench.write("secret/f", "s");
    bench.write("open/f", "o");
    let link = bench.root.join("link");
    std::os::unix::fs::symlink("open", link.as_path()).unwrap();
    let call = bench
        .admitted("Write", json!({ "file_path": "link/f", "content": "x" }))
        .await;
    std::fs::remove_file(link.as_path()).unwrap();
    std::os::unix::fs::symlink("secret", link.as_path()).unwrap();
    let end = bench.dispatch.execute(call).await;
    check(&bench, &[Validating, AwaitingApproval, Scheduled, Error]);
    assert!(end.is_refusal(), "{}", end.text);
    assert_eq!(bench.read("secret/f"), "s");
}

#[tokio::test]
async fn each_move_says_where_from() {
    let bench = Layout::rules(&["ask Bash(true)"]).build().await;
    bench.call("Bash", bash("true")).await;
    let moves = bench.all_moves();
    assert_eq!(moves.first().unwrap().from, None);
    for pair in moves.windows(2) {
        assert_eq!(pair[1].from, Some(pair[0].to));
        assert_eq!(pair[1].call, pair[0].call);
    }
}
