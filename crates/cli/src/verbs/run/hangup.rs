//! The terminal of a run was closed: the run goes on, and its questions come to what the settings say.

use pointsman_approvals::{EndScope, RequestEvent, Requests};
use pointsman_model::{Outcome, RequestId};
use tokio_util::sync::CancellationToken;

/// What is told of questions that are refused.
const WHY: &str =
    "the terminal of the run was closed, and the settings have questions refused then";

/// Refuses what waits for a person, now and from now on, until `shutdown`. What hooks and classifiers may still answer
/// is left to them.
pub(super) async fn refuse_all(requests: Requests, shutdown: CancellationToken) {
    let mut events = requests.subscribe();
    refuse_shown(&requests).await;
    loop {
        let event = tokio::select! {
            () = shutdown.cancelled() => return,
            event = events.next() => event,
        };
        match event {
            None => return,
            Some(RequestEvent::Opened(open)) if open.shown => {
                refuse(&requests, open.request.id).await;
            }
            Some(RequestEvent::Shown { id }) => refuse(&requests, id).await,
            Some(RequestEvent::Missed { .. }) => refuse_shown(&requests).await,
            Some(
                RequestEvent::Opened(_)
                | RequestEvent::Touched { .. }
                | RequestEvent::Advised { .. }
                | RequestEvent::Explained { .. }
                | RequestEvent::DeadlineSoon { .. }
                | RequestEvent::Closed { .. },
            ) => {}
        }
    }
}

async fn refuse_shown(requests: &Requests) {
    for open in requests.list() {
        if open.shown {
            refuse(requests, open.request.id).await;
        }
    }
}

async fn refuse(requests: &Requests, id: RequestId) {
    let one = EndScope::One(id);
    requests
        .end_all_of(one, Outcome::NobodyCanAnswer, WHY)
        .await;
}
