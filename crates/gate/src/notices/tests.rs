//! Notices over a real table of requests, and a hook that says what it was told.

use pointsman_approvals::RequestEvent;
use pointsman_ledger::Showing;
use pointsman_model::Attended;

use super::*;
use crate::fixture::{Ground, allow, hook};

/// Waits, on real time, until the file is there that a hook writes.
async fn written(path: std::path::PathBuf) -> String {
    tokio::task::spawn_blocking(move || std::fs::read_to_string(path).unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn hooks_are_told_of_a_question_that_nobody_answers() {
    let ground = Ground::new().await;
    let seen = ground.fifo("seen");
    let line = format!("cat > {}", seen.display());
    let hooks = ground.hooks(vec![hook(HookEvent::Notification, 1, &line)], Attended::Yes);
    let stop = CancellationToken::new();
    let notices = Notices::new(ground.requests.clone(), hooks);
    let (answered, open) = (ground.request("ls"), ground.request("npm test"));
    let mut events = ground.requests.subscribe();
    let running = tokio::spawn(notices.run(stop.clone()));
    tokio::task::yield_now().await;
    let mut tickets = Vec::new();
    for request in [&answered, &open] {
        let ticket = ground.requests.open(request.clone(), Showing::AtOnce).await;
        tickets.push(ticket.unwrap());
    }
    let _ = ground.person(answered.id, allow()).await;
    while !matches!(events.next().await, Some(RequestEvent::Closed { .. })) {}
    let told: serde_json::Value = serde_json::from_str(&written(seen).await).unwrap();
    assert_eq!(told["hook_event_name"], "Notification");
    assert_eq!(told["notification_type"], "permission_prompt");
    assert_eq!(told["message"], "agent-1 needs your permission to use Bash");
    stop.cancel();
    running.await.unwrap();
}
