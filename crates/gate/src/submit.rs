//! Giving an automatic answer to the table of open requests, if it may count at all.

use pointsman_approvals::{Advice, Answer, Answered, Requests};
use pointsman_model::{Answerer, Insistence, PermissionRequest, VerdictKind};

/// Gives the answer. Returns whether the request has a verdict now, this one or another.
pub(crate) async fn submit(
    requests: &Requests,
    request: &PermissionRequest,
    by: Answerer,
    kind: VerdictKind,
) -> bool {
    if !discharges(request.judgement.insistence, &by, &kind) {
        let text = "would allow this, but a person has to answer it";
        requests.advise(request.id, Advice::says(by, text)).await;
        return false;
    }
    let answer = Answer {
        kind,
        by: by.clone(),
        digest: Some(request.digest),
    };
    match requests.answer(request.id, answer).await {
        Ok(
            Answered::Won(_)
            | Answered::SameAgain { .. }
            | Answered::Conflict { .. }
            | Answered::Expired,
        ) => true,
        Ok(Answered::PersonAtIt | Answered::NotFound) => false,
        Err(error) => {
            let text = format!("gave an answer that does not count: {error}");
            requests.advise(request.id, Advice::says(by, text)).await;
            false
        }
    }
}

/// Law 2: what must be asked is let pass by a person, or by a hook that speaks for one; which hooks
/// do was sorted out when their answers were merged. Anyone may refuse it.
fn discharges(insistence: Insistence, by: &Answerer, kind: &VerdictKind) -> bool {
    match (insistence, kind, by) {
        (
            _,
            VerdictKind::Deny { .. } | VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. },
            _,
        )
        | (Insistence::MayBeAnswered, VerdictKind::Allow { .. }, _)
        | (
            Insistence::MustAsk,
            VerdictKind::Allow { .. },
            Answerer::Person { .. } | Answerer::Hook { .. },
        ) => true,
        (
            Insistence::MustAsk,
            VerdictKind::Allow { .. },
            Answerer::Classifier { .. }
            | Answerer::Grant { .. }
            | Answerer::Ladder
            | Answerer::Runtime,
        ) => false,
    }
}
