//! What the agents may do that are to live again, worked out before they do. Of those of jobs it has to be what they were
//! given at first (law 16); and what is ordered meanwhile judges by it the questions that are open for them (law 14).

use dashmap::DashMap;
use pointsman_model::WorkerId;
use pointsman_policy::Frozen;

use super::contexts::JobGround;
use super::options::StartError;
use super::past::{Past, PastWorker};
use super::roster::Roster;
use crate::job_file::Job;

/// The context of each agent that had no end when its leader died.
///
/// Left out is an agent that an agent had started and that would be given something else now, with all below it: what
/// is open for it is judged once it lives.
///
/// # Errors
/// When an agent of a job would be given something else than it was.
pub(super) fn contexts_again(
    past: &Past,
    (jobs, grounds): (&[Job], &[JobGround]),
    agents: &Roster,
) -> Result<DashMap<WorkerId, Frozen>, StartError> {
    let mut again: Vec<Frozen> = Vec::new();
    for (job, ground) in jobs.iter().zip(grounds) {
        for before in past.tries_of(&job.name) {
            if before.end.is_some() {
                continue;
            }
            let frozen = ground.freeze(job, before.worker);
            let changed = before.given.differences(&frozen.context);
            if !changed.is_empty() {
                let job = job.name.as_ref().into();
                return Err(StartError::ContextChanged { job, changed });
            }
            again.push(frozen);
        }
    }
    // Those that each of them had started, and those of these.
    let mut next = 0;
    while let Some(parent) = again.get(next).cloned() {
        again.extend(children_again(past, &parent, agents));
        next += 1;
    }
    let by_worker = again.into_iter().map(|frozen| (worker(&frozen), frozen));
    Ok(by_worker.collect())
}

fn children_again(past: &Past, parent: &Frozen, agents: &Roster) -> Vec<Frozen> {
    let children = past.children_of(worker(parent)).into_iter();
    let again = children.filter_map(|(lineage, PastWorker { given, end, .. })| {
        let step = lineage.agent().clone();
        let child = agents.get(&step.agent)?.child_context(step);
        let frozen = parent.child(child).ok()?;
        (end.is_none() && frozen.context.digest() == given.context).then_some(frozen)
    });
    again.collect()
}

fn worker(frozen: &Frozen) -> WorkerId {
    frozen.context.parts().lineage.agent().worker
}
