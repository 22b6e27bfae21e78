//! The graph of `needs`: finds the cycles that would make jobs wait for each other for ever.

/// What is known of a job while the graph is walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// The most cycles that are looked for: jobs that all need each other have as many as there are pairs.
const CYCLES_MAX: usize = 16;

/// The first cycles of the graph, each once, as the jobs along it; the first one is the one that comes first in the file.
///
/// `needs[job]` lists the jobs that `job` needs. A job that needs itself is a cycle of one. The walk is iterative,
/// since the length of a chain is the file's to choose.
pub(super) fn cycles(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::New; needs.len()];
    let mut found = Vec::new();
    for start in 0..needs.len() {
        if marks.get(start) != Some(&Mark::New) {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        set(&mut marks, start, Mark::OnPath);
        while let Some((job, at)) = path.last_mut() {
            let job = *job;
            let next = needs.get(job).and_then(|list| list.get(*at)).copied();
            *at += 1;
            let Some(next) = next else {
                set(&mut marks, job, Mark::Done);
                path.pop();
                continue;
            };
            match marks.get(next) {
                Some(Mark::New) => {
                    set(&mut marks, next, Mark::OnPath);
                    path.push((next, 0));
                }
                Some(Mark::OnPath) if found.len() >= CYCLES_MAX => return found,
                Some(Mark::OnPath) => {
                    let along = path.iter().map(|(job, _)| *job);
                    found.push(from_first(along.skip_while(|job| *job != next).collect()));
                }
                Some(Mark::Done) | None => {}
            }
        }
    }
    found
}

fn set(marks: &mut [Mark], job: usize, mark: Mark) {
    if let Some(slot) = marks.get_mut(job) {
        *slot = mark;
    }
}

/// The same cycle, told from its first job on.
fn from_first(mut cycle: Vec<usize>) -> Vec<usize> {
    let first = cycle
        .iter()
        .enumerate()
        .min_by_key(|(_, job)| **job)
        .map_or(0, |(at, _)| at);
    cycle.rotate_left(first);
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_each_cycle_once() {
        assert_eq!(cycles(&[vec![1], vec![2], vec![0]]), [[0, 1, 2]]);
        assert_eq!(cycles(&[vec![0]]), [[0]]);
        assert_eq!(cycles(&[vec![1], vec![]]), Vec::<Vec<usize>>::new());
        assert_eq!(cycles(&[vec![], vec![2], vec![1]]), [[1, 2]]);
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let chain: Vec<_> = (0..200_000).map(|job| vec![job + 1]).collect();
        assert!(cycles(&chain).is_empty());
    }

    proptest! {
        /// The other way to tell: jobs are taken away as soon as all they need is away; what stays is on or behind
        /// a cycle.
        #[test]
        fn finds_a_cycle_exactly_when_something_can_never_start(
            needs in proptest::collection::vec(proptest::collection::vec(0_usize..8, 0..3), 8)
        ) {
            let mut done = [false; 8];
            for _ in 0..8 {
                for job in 0..8 {
                    done[job] = done[job] || needs[job].iter().all(|need| done[*need]);
                }
            }
            prop_assert_eq!(cycles(&needs).is_empty(), done.iter().all(|done| *done));
            for cycle in cycles(&needs) {
                for (at, job) in cycle.iter().enumerate() {
                    prop_assert!(needs[*job].contains(&cycle[(at + 1) % cycle.len()]));
                }
            }
        }
    }
}
