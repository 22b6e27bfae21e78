//! The fault table: whatever goes wrong with a hook, resident or not, or with a classifier or explainer, model or program,
//! plain or guard, with somebody there or not. None of it is ever a yes, and nothing hangs.
//!
//! The rows of a test run at the same time: what takes its time takes it once.

mod hooks;
mod models;
mod programs;

use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::RequestEvent;
use pointsman_model::{
    Attended, NoVoteCause, Outcome, PermissionMode, PermissionRequest, Verdict, VerdictKind,
};

use crate::fixture::Ground;
use crate::{Classifier, CoordinatorHandler, Panel, PermissionHandler};

/// Longer than anything here may take; what meets it hangs.
const PATIENCE: Duration = Duration::from_secs(240);

/// How long a hook or a model may take here that never ends.
const LATE: Duration = Duration::from_millis(400);

/// An address at which nobody listens.
fn refusing() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

fn unattended(panel: Panel) -> Panel {
    Panel {
        attended: Attended::No,
        ..panel
    }
}

fn auto(request: PermissionRequest) -> PermissionRequest {
    PermissionRequest {
        mode: PermissionMode::Auto,
        ..request
    }
}

/// Resolves a request to its end, or to where it waits for a person, which is no verdict.
async fn verdict(
    ground: &Ground,
    handler: impl PermissionHandler + 'static,
    request: PermissionRequest,
) -> Option<Verdict> {
    let mut events = ground.requests.subscribe();
    let id = request.id;
    let handler = Arc::new(handler);
    let running = {
        let handler = Arc::clone(&handler);
        tokio::spawn(async move { handler.resolve(request).await })
    };
    let waits = async {
        let mut shown = false;
        let mut advised = false;
        loop {
            match events.next().await.unwrap() {
                RequestEvent::Opened(open) if open.request.id == id => shown |= open.shown,
                RequestEvent::Shown { id: of } if of == id => shown = true,
                RequestEvent::Advised { id: of, .. } if of == id => advised = true,
                RequestEvent::Closed { id: of, .. } if of == id => return false,
                _ => {}
            }
            // It is before a person, and what failed has said so.
            if shown && advised {
                return true;
            }
        }
    };
    let waiting = tokio::time::timeout(PATIENCE, waits)
        .await
        .expect("it hangs");
    if waiting {
        running.abort();
        return None;
    }
    Some(
        tokio::time::timeout(PATIENCE, running)
            .await
            .expect("it hangs")
            .unwrap(),
    )
}

/// A classifier that fails: with nobody there each question that it stands in for is refused as one that was not judged,
/// and with somebody there it is asked, in whichever mode.
async fn never_votes(ground: &Ground, name: &str, classifier: Arc<dyn Classifier>) {
    let panel = Panel {
        classifier: Some(classifier),
        ..ground.panel(vec![])
    };
    let alone = CoordinatorHandler::new(unattended(panel.clone()));
    let alone = verdict(ground, alone, auto(ground.request("make")));
    let attended = [auto(ground.request("make")), ground.request("make")].map(|request| {
        let mode = request.mode;
        let handler = CoordinatorHandler::new(panel.clone());
        async move { (mode, verdict(ground, handler, request).await) }
    });
    let (ended, asked) = tokio::join!(alone, futures_util::future::join_all(attended));
    let ended = ended.expect("nobody is there to wait for");
    assert_eq!(ended.outcome(), Outcome::Unavailable, "{name}: {ended:?}");
    let VerdictKind::Unjudged { cause, .. } = ended.kind else {
        panic!("{name}: {ended:?}");
    };
    assert!(
        matches!(cause, NoVoteCause::Unavailable | NoVoteCause::Unreadable),
        "{name}: {cause}"
    );
    for (mode, ended) in asked {
        assert_eq!(ended, None, "{name}, {mode}");
    }
}
