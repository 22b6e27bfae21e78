//! A yes that grants more than its call: it is told as granted once it is.

use std::time::Duration;

use pointsman_approvals::Answered;
use pointsman_model::VerdictKind;
use pointsman_swarm::LeaderHandle;

use crate::socket::wire::Reply;

/// How long a grant is waited for. The agent that asked makes it as soon as it hears its answer; one that is being
/// stopped never does.
const GRANT_WAIT_MAX: Duration = Duration::from_secs(5);

/// The reply, once what the answer grants is on record; else it says that it is not.
pub(super) async fn told(mut reply: Reply, answered: &Answered, leader: &LeaderHandle) -> Reply {
    let grants = match answered {
        Answered::Won(verdict) => {
            matches!(&verdict.kind, VerdictKind::Allow { grant: Some(_), .. })
        }
        Answered::SameAgain { .. }
        | Answered::Conflict { .. }
        | Answered::Expired
        | Answered::PersonAtIt
        | Answered::NotFound => false,
    };
    let Reply::Answered { id, text, .. } = &mut reply else {
        return reply;
    };
    let made = leader.grants().made_by_answer_to(*id);
    if grants && tokio::time::timeout(GRANT_WAIT_MAX, made).await.is_err() {
        text.push_str("; the grant is not in force yet, see `pointsman grants`");
    }
    reply
}
