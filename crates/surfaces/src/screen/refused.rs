//! What a classifier refused in the place of a person, so that a person can lift it. Told by the records alone.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use pointsman_approvals::{Advice, Epoch, OpenRequest};
use pointsman_ledger::{LedgerRecord, RecordBody, RequestClosed};
use pointsman_model::{
    Answerer, Insistence, PermissionMode, PermissionRequest, RequestId, VerdictKind, WorkerId,
};

use super::queue::Queue;

/// Refusals that are kept in sight: as many as can be lifted at a time.
const REFUSED_MAX: usize = 256;

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The refusals that may be lifted, the oldest first.
    pub(super) list: Queue,
    order: VecDeque<RequestId>,
    /// Open questions in whose place the classifier decides.
    asked: HashMap<RequestId, Arc<PermissionRequest>>,
}

impl Refused {
    /// Takes a record in.
    pub(super) fn record(&mut self, record: &LedgerRecord) {
        match &record.body {
            RecordBody::RequestOpened(opened) => {
                let request = &opened.request;
                let stands_in = request.mode == PermissionMode::Auto
                    && request.judgement.insistence == Insistence::MayBeAnswered;
                if stands_in {
                    self.asked.insert(request.id, Arc::new(request.clone()));
                }
            }
            RecordBody::RequestClosed(closed) => self.closed(closed),
            RecordBody::WorkerEnded(ended) => self.worker_ended(ended.worker),
            _ => {}
        }
    }

    fn closed(&mut self, closed: &RequestClosed) {
        let Some(request) = self.asked.remove(&closed.request) else {
            return;
        };
        let verdict = &closed.verdict;
        match (&verdict.kind, &verdict.by) {
            (VerdictKind::Deny { text }, Answerer::Classifier { .. }) => {
                let said = text.as_deref().unwrap_or("refused");
                let advice = Advice::says(verdict.by.clone(), said);
                self.order.push_back(request.id);
                let _ = self.list.add(Arc::new(OpenRequest {
                    request,
                    // Nothing is answered here; a lift is bound to the call alone.
                    epoch: Epoch::FIRST,
                    shown: true,
                    touched: false,
                    advice: vec![advice],
                    explanation: None,
                }));
                if self.order.len() > REFUSED_MAX
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.forget(oldest, "it is too long ago to be lifted");
                }
            }
            // It was asked for again, and passed.
            (VerdictKind::Allow { .. }, _) => {
                let passed = |old: &PermissionRequest| {
                    old.lineage.agent().worker == request.lineage.agent().worker
                        && old.call.tool == request.call.tool
                        && old.call.text == request.call.text
                        && old.folder == request.folder
                };
                self.forget_first(passed, "it was asked for again, and passed");
            }
            (
                VerdictKind::Deny { .. } | VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. },
                _,
            ) => {}
        }
    }

    fn worker_ended(&mut self, worker: WorkerId) {
        let of_worker = |request: &PermissionRequest| request.lineage.agent().worker == worker;
        while self.forget_first(of_worker, "its agent has ended") == Found::Yes {}
    }

    fn forget_first(&mut self, wanted: impl Fn(&PermissionRequest) -> bool, why: &str) -> Found {
        let open = self.list.rows("").flat_map(|(_, group)| &group.open);
        let found = open
            .map(|open| &open.request)
            .find(|request| wanted(request))
            .map(|request| request.id);
        match found {
            None => Found::No,
            Some(id) => {
                self.forget(id, why);
                Found::Yes
            }
        }
    }

    fn forget(&mut self, id: RequestId, why: &str) {
        self.order.retain(|kept| *kept != id);
        let _ = self.list.close(id, why.into());
    }
}

/// Whether there was one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Yes,
    No,
}
