//! Many at once: each question of each agent gets one verdict, and nobody waits for ever.

use std::collections::{BTreeMap, BTreeSet};

use pointsman_approvals::Answered;
use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_swarm::ExitCode;
use pointsman_testkit::Reply;

use super::stage::Stage;

/// Enough to fill every queue on the way once; the bench takes 1,000.
const WORKERS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn law_9_each_of_many_forwarded_questions_gets_one_verdict() {
    let stage = Stage::new();
    let (summary, operator) = stage
        .run_with(&super::stage::storm_jobs(WORKERS), |_| Reply::allow())
        .await;
    assert_eq!(summary.exit, ExitCode::Done, "{:?}", summary.jobs[0]);
    assert_eq!(
        (summary.counts.questions, summary.counts.agents),
        (WORKERS as u64, 2 * WORKERS as u64)
    );

    let asked: BTreeSet<_> = operator.seen.iter().map(|request| request.id).collect();
    assert_eq!(asked.len(), WORKERS);
    assert!(
        operator
            .seen
            .iter()
            .all(|request| request.lineage.depth() == 2)
    );
    assert!(
        operator
            .answers
            .iter()
            .all(|(_, came)| matches!(came, Answered::Won(_)))
    );

    let mut verdicts: BTreeMap<_, u32> = BTreeMap::new();
    for body in stage.records(RecordKind::RequestClosed) {
        let RecordBody::RequestClosed(closed) = body else {
            panic!("{body:?}")
        };
        *verdicts.entry(closed.request).or_default() += 1;
    }
    assert_eq!(verdicts.keys().copied().collect::<BTreeSet<_>>(), asked);
    assert!(verdicts.values().all(|count| *count == 1));
    stage.check_ledger();
}
