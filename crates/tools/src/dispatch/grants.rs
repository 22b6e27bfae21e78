//! Grants as dispatch meets them: made by verdicts, used up by calls.

use pointsman_approvals::{NewGrant, UseError};
use pointsman_model::{CallId, Judgement, RequestId, Verdict, VerdictKind};

use super::Dispatch;
use super::refusal::Refusal;

impl Dispatch {
    /// Uses the grants that cover a call; false when one of them was used up or revoked meanwhile.
    pub(super) async fn use_grants(
        &self,
        judgement: &Judgement,
        call: CallId,
    ) -> Result<bool, Refusal> {
        for grant in judgement.reason.grants() {
            match self
                .seat
                .grants
                .use_once(grant, self.seat.worker, call)
                .await
            {
                Ok(()) => {}
                Err(UseError::Over(_)) => return Ok(false),
                Err(error) => return Err(Refusal::unavailable(&error)),
            }
        }
        Ok(true)
    }

    /// Puts into the book what an answer grants beyond its call. The call passes even when that fails: the answer
    /// stands by itself, and what is missing is asked again.
    pub(super) async fn make_grants(&self, verdict: &Verdict, request: RequestId) {
        let VerdictKind::Allow {
            grant: Some(grant), ..
        } = &verdict.kind
        else {
            return;
        };
        let made = self.seat.grants.add(NewGrant {
            rules: grant.rules.clone(),
            scope: grant.scope.clone(),
            anchor: self.seat.frozen.context.parts().project.clone(),
            until: grant.lasts.map(|lasts| verdict.at.plus(lasts)),
            uses: grant.uses,
            by: verdict.by.clone(),
            request: Some(request),
        });
        if let Err(error) = made.await {
            tracing::warn!(%request, %error, "an answer's grant could not be made");
        }
    }
}
