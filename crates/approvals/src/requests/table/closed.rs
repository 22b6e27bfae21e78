//! A memory of closed requests, so that late answers hear the truth without asking the disk.

use std::collections::VecDeque;

use pointsman_model::{CallId, Digest, PermissionRequest, RequestId, Verdict};
use rustc_hash::FxHashMap;

use super::LateCount;

/// How many closed requests are kept in memory. Answers race within seconds; for one that is later than so many other
/// requests, the ledger is asked.
const CLOSED_KEPT_MAX: usize = 1 << 16;

/// A closed request.
pub(crate) struct Closed {
    pub(crate) call: CallId,
    pub(crate) digest: Digest,
    pub(crate) verdict: Verdict,
    pub(crate) late: LateCount,
}

/// The last closed requests.
#[derive(Default)]
pub(crate) struct Closings {
    by_id: FxHashMap<RequestId, Closed>,
    order: VecDeque<RequestId>,
}

impl Closings {
    pub(crate) fn get(&self, id: RequestId) -> Option<&Closed> {
        self.by_id.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut Closed> {
        self.by_id.get_mut(&id)
    }

    pub(crate) fn remember(
        &mut self,
        request: &PermissionRequest,
        verdict: Verdict,
        late: LateCount,
    ) {
        let closed = Closed {
            call: request.call.id,
            digest: request.digest,
            verdict,
            late,
        };
        self.keep(request.id, closed);
    }

    /// Keeps what the ledger knew of a request.
    pub(crate) fn keep(&mut self, id: RequestId, closed: Closed) {
        if self.by_id.insert(id, closed).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > CLOSED_KEPT_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
    }
}
