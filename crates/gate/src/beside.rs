//! One task beside each question that people are shown, from its showing to its verdict.

use std::collections::HashMap;
use std::sync::Arc;

use pointsman_approvals::{OpenRequest, RequestEvent, Requests};
use pointsman_model::RequestId;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// Starts `task` beside each question on the surfaces, once, and drops it when the question has its verdict. Runs until
/// `shutdown`, or until the table is gone; no task outlives it.
pub(crate) async fn beside_each<T>(
    requests: &Requests,
    shutdown: &CancellationToken,
    task: impl Fn(Arc<OpenRequest>) -> T,
) where
    T: Future<Output = ()> + Send + 'static,
{
    let mut events = requests.subscribe();
    let mut tasks = JoinSet::new();
    // As many as there are open questions: each leaves with its verdict.
    let mut begun: HashMap<RequestId, AbortHandle> = HashMap::new();
    let begin = |open: Arc<OpenRequest>, begun: &mut HashMap<_, _>, tasks: &mut JoinSet<()>| {
        begun
            .entry(open.request.id)
            .or_insert_with(|| tasks.spawn(task(open)));
    };
    for open in requests.list().into_iter().filter(|open| open.shown) {
        begin(open, &mut begun, &mut tasks);
    }
    loop {
        let event = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            Some(_) = tasks.join_next() => continue,
            event = events.next() => event,
        };
        match event {
            Some(RequestEvent::Opened(open)) if open.shown => begin(open, &mut begun, &mut tasks),
            Some(RequestEvent::Shown { id }) => {
                if let Some(open) = requests.get(id) {
                    begin(open, &mut begun, &mut tasks);
                }
            }
            Some(RequestEvent::Closed { id, .. }) => {
                if let Some(task) = begun.remove(&id) {
                    task.abort();
                }
            }
            // Some of what was missed may have been shown, or have its verdict.
            Some(RequestEvent::Missed { .. }) => {
                let open = requests.list();
                begun.retain(|id, task| {
                    let still = open.iter().any(|open| open.request.id == *id);
                    if !still {
                        task.abort();
                    }
                    still
                });
                for open in open.into_iter().filter(|open| open.shown) {
                    begin(open, &mut begun, &mut tasks);
                }
            }
            Some(
                RequestEvent::Opened(_)
                | RequestEvent::Touched { .. }
                | RequestEvent::Advised { .. }
                | RequestEvent::Explained { .. }
                | RequestEvent::DeadlineSoon { .. },
            ) => {}
            None => break,
        }
    }
    tasks.shutdown().await;
}
