//! Hooks that nobody waits for.

use super::*;

/// Asks a hook that nobody waits for about a call of an agent that `stop` stops.
async fn start_detached(ground: &Ground, line: &str, stop: &CancellationToken) -> Arc<Hooks> {
    let detached = HookSetting {
        life: HookLife::Detached,
        ..hook(PRE, 1, line)
    };
    let hooks = ground.hooks(vec![detached], Attended::Yes);
    let lineage = Lineage::root(ground.worker(1));
    let scene = HookScene {
        lineage: &lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop,
    };
    let turn = hooks
        .pre_tool_use(&call(ground, "Bash", "{}"), &scene)
        .await;
    assert_eq!(turn.vote, PreToolUseVote::Ladder(HookVote::None));
    hooks
}

#[tokio::test]
async fn a_detached_hook_has_no_vote_and_outlives_its_agent() {
    let ground = Ground::new().await;
    let (hold, done) = (ground.fifo("hold"), ground.path("done"));
    let line = format!("cat {} > {}; exit 2", hold.display(), done.display());
    let stop = CancellationToken::new();
    let hooks = start_detached(&ground, &line, &stop).await;
    let letting = tokio::task::spawn_blocking(move || {
        // Opened once the hook reads: it runs, and only then does its agent end.
        let mut hold = std::fs::OpenOptions::new().write(true).open(hold).unwrap();
        stop.cancel();
        std::io::Write::write_all(&mut hold, b"let go").unwrap();
    });
    letting.await.unwrap();
    hooks.finish().await;
    assert_eq!(std::fs::read_to_string(done).unwrap(), "let go");
}

#[tokio::test]
async fn a_detached_hook_without_end_is_ended_after_the_run() {
    let ground = Ground::new().await;
    let ran = ground.path("ran");
    let line = format!("touch {}; exec sleep 600", ran.display());
    let hooks = start_detached(&ground, &line, &CancellationToken::new()).await;
    while !ran.exists() {
        tokio::task::yield_now().await;
    }
    // Time leaps to whatever is waited for next.
    tokio::time::pause();
    hooks.finish().await;
    tokio::time::resume();
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let records = reader.records(&pointsman_ledger::Filter::default());
    let ended = records
        .unwrap()
        .records
        .into_iter()
        .find_map(|record| match record.body {
            RecordBody::ProcessGroupEnded(ended) => Some(ended.text),
            _ => None,
        });
    assert_eq!(ended.as_deref(), Some("Stopped"));
}

#[tokio::test]
async fn law_21_a_cancel_ends_hooks_that_nobody_waits_for_at_once() {
    for (cancel, ended) in [
        (
            (|hooks, _| hooks.end_unawaited()) as fn(&Hooks, WorkerId),
            true,
        ),
        (|hooks, worker| hooks.end_unawaited_of(worker), true),
        // Another agent's is not meant.
        (
            |hooks, worker| hooks.end_unawaited_of(WorkerId::new(worker.run(), 9)),
            false,
        ),
    ] {
        let ground = Ground::new().await;
        let (hold, done) = (ground.fifo("hold"), ground.path("done"));
        let line = format!(
            "cat {} > /dev/null; touch {}",
            hold.display(),
            done.display()
        );
        let stop = CancellationToken::new();
        let hooks = start_detached(&ground, &line, &stop).await;
        let opening = tokio::task::spawn_blocking(move || {
            // Opened once the hook reads.
            std::fs::OpenOptions::new().write(true).open(hold).unwrap()
        });
        let hold = opening.await.unwrap();
        stop.cancel();
        cancel(&hooks, ground.worker(1).worker);
        let kept = ended.then_some(hold);
        // Not `finish`, which ends what is left in the end: while the pipe is held, only a cancel ends this one.
        hooks.means.tasks.close();
        let all_ended = tokio::time::timeout(PATIENCE, hooks.means.tasks.wait()).await;
        assert!(all_ended.is_ok(), "it runs still");
        assert_eq!(done.exists(), !ended);
        drop(kept);
    }
}
