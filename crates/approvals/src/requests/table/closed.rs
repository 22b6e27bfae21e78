//! A memory of closed requests, so that late answers hear the truth without asking the disk.
//!
//! It has a bound in number and in bytes; of what it has forgotten it knows that it has, and the ledger knows the rest.

use std::collections::VecDeque;

use pointsman_model::{
    Answerer, CallId, Digest, PermissionRequest, RequestId, Verdict, VerdictKind,
};
use rustc_hash::FxHashMap;

use super::LateCount;

/// How many closed requests are kept in memory. Answers race within seconds; for one that is later than so many other
/// requests, the ledger is asked.
const KEPT_MAX: usize = 1 << 14;
/// How many bytes of text their verdicts may have together. Most have a few words or none, but an input that was edited
/// is as long as the file that it writes.
const TEXT_KEPT_MAX: usize = 4 << 20;

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
    // Boxed, so that a table that grows moves no verdicts and has no room of theirs in places that are free.
    by_id: FxHashMap<RequestId, Box<Closed>>,
    order: VecDeque<RequestId>,
    text: usize,
    /// The highest number of those that it has forgotten.
    forgotten: u32,
}

impl Closings {
    pub(crate) fn get(&self, id: RequestId) -> Option<&Closed> {
        self.by_id.get(&id).map(Box::as_ref)
    }

    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut Closed> {
        self.by_id.get_mut(&id).map(Box::as_mut)
    }

    /// Whether a request that is not here may have been: then the ledger knows of it.
    pub(crate) fn may_have_forgotten(&self, id: RequestId) -> bool {
        id.number() <= self.forgotten
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
        self.text = self.text.saturating_add(text_of(&closed.verdict));
        match self.by_id.insert(id, Box::new(closed)) {
            None => self.order.push_back(id),
            Some(before) => self.text = self.text.saturating_sub(text_of(&before.verdict)),
        }
        while (self.order.len() > KEPT_MAX || self.text > TEXT_KEPT_MAX)
            && let Some(oldest) = self.order.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, id: RequestId) {
        self.forgotten = self.forgotten.max(id.number());
        if let Some(closed) = self.by_id.remove(&id) {
            self.text = self.text.saturating_sub(text_of(&closed.verdict));
        }
    }
}

/// How many bytes of text a verdict has.
fn text_of(verdict: &Verdict) -> usize {
    let said = match &verdict.kind {
        VerdictKind::Allow { edited, grant } => {
            let edited = edited.as_ref().map_or(0, |input| input.as_str().len());
            let rules = grant.iter().flat_map(|grant| &grant.rules);
            rules.fold(edited, |sum, rule| sum.saturating_add(rule.as_str().len()))
        }
        VerdictKind::Deny { text } => text.as_ref().map_or(0, |text| text.len()),
        VerdictKind::Ended { text, .. } | VerdictKind::Unjudged { text, .. } => text.len(),
    };
    let name = match &verdict.by {
        Answerer::Hook { name } | Answerer::Classifier { name } => name.len(),
        Answerer::Person { .. } | Answerer::Grant { .. } | Answerer::Ladder | Answerer::Runtime => {
            0
        }
    };
    said.saturating_add(name)
}

#[cfg(test)]
mod tests {
    use pointsman_model::{JsonText, WallTime};

    use super::*;
    use crate::sample;

    /// Closes so many requests, each with that verdict; tells how many are remembered, and what has been forgotten.
    fn closed(count: u32, kind: &VerdictKind) -> (usize, u32) {
        let mut closings = Closings::default();
        let request = sample::request(1);
        for number in 1..=count {
            let closed = Closed {
                call: request.call.id,
                digest: request.digest,
                verdict: Verdict {
                    kind: kind.clone(),
                    by: sample::person(),
                    at: WallTime(0),
                    digest: request.digest,
                },
                late: LateCount::default(),
            };
            closings.keep(RequestId::new(sample::run(), number), closed);
        }
        assert_eq!(closings.by_id.len(), closings.order.len());
        (closings.by_id.len(), closings.forgotten)
    }

    #[test]
    fn the_memory_of_closed_requests_has_a_bound_in_number_and_in_bytes() {
        assert_eq!(closed(100, &sample::deny()), (100, 0));
        assert_eq!(closed(20_000, &sample::deny()), (16_384, 3_616));
        let long = "x".repeat(1_000_000);
        let edited = VerdictKind::Allow {
            edited: Some(JsonText::parse(&format!(r#"{{"content":"{long}"}}"#)).unwrap()),
            grant: None,
        };
        assert_eq!(closed(100, &edited), (4, 96));
        let refused = VerdictKind::Deny {
            text: Some(long.into()),
        };
        assert_eq!(closed(100, &refused), (4, 96));
    }
}
