//! A batch: the calls that an agent asks for at once.

use futures_util::StreamExt as _;
use futures_util::stream;

use super::{Admission, AskedCall, Dispatch};
use crate::CallEnd;

/// Neighbours that run at the same time at most; as many as other agents' runtimes let run.
const TOGETHER_MAX: usize = 10;

impl Dispatch {
    /// Takes the calls of a batch to their ends, in order: neighbours that read (or start agents) run together,
    /// each change runs alone and in its place. One end for each call, in the order of the calls.
    ///
    /// Cancellation: as of [`Dispatch::admit`] and [`Dispatch::execute`]; calls that had no turn never come in.
    pub async fn batch(&self, calls: Vec<AskedCall>) -> Vec<CallEnd> {
        let mut ends = Vec::with_capacity(calls.len());
        let mut calls = calls.into_iter().peekable();
        while let Some(first) = calls.next() {
            if !self.runs_together(&first) {
                ends.push(Box::pin(self.one(first)).await);
                continue;
            }
            let mut together = vec![first];
            while let Some(next) = calls.next_if(|next| self.runs_together(next)) {
                together.push(next);
            }
            let group = stream::iter(together)
                .map(|call| Box::pin(self.one(call)))
                .buffered(TOGETHER_MAX);
            ends.extend(group.collect::<Vec<_>>().await);
        }
        ends
    }

    /// Takes one call to its end.
    async fn one(&self, asked: AskedCall) -> CallEnd {
        match self.admit(asked).await {
            Admission::Admitted(admitted) => self.execute(admitted).await,
            Admission::Ended(end) => end,
        }
    }

    /// A call of an unknown tool comes to nothing, so it may stand anywhere.
    fn runs_together(&self, asked: &AskedCall) -> bool {
        self.seat
            .toolbox
            .get(&asked.tool)
            .is_none_or(|tool| tool.spec().nature.runs_together())
    }
}
