//! A job file that is to join: read where it lies, and only if it is what the person named.

use pointsman_model::{AbsPath, Digest};
use pointsman_policy::settings::{DiskFiles, SettingsFiles as _};
use pointsman_swarm::{JobFile, JobFileProblem, LeaderHandle};

use super::failed;
use crate::shown;
use crate::socket::wire::{ProblemWire, Reply};

/// The job file; the reply when there is none, or one that can't be used.
pub(super) async fn read(
    file: String,
    at: AbsPath,
    digest: Digest,
    leader: &LeaderHandle,
) -> Result<JobFile, Reply> {
    let agents = leader.agent_types();
    let project = leader.project().clone();
    // A file may be long: nothing else of the leader waits while it is read.
    let reading = tokio::task::spawn_blocking(move || {
        let bytes = DiskFiles.read(&at).map_err(|error| Reply::BadInput {
            text: format!("`{}`: {}", shown::line(&file), shown::with_causes(&error)),
        })?;
        let changed = || Reply::BadInput {
            text: format!(
                "`{}` is not what it was when it was named: nothing of it joined; add it again",
                shown::line(&file)
            ),
        };
        let bytes = bytes.ok_or_else(changed)?;
        if Digest::of(&bytes) != digest {
            return Err(changed());
        }
        let text = JobFile::text(bytes, &file).map_err(|fault| problems(&[fault]))?;
        let parsed = JobFile::parse_in(&text, &file, &project, &agents);
        let parsed = parsed.map_err(|faults| problems(&faults))?;
        Ok(parsed.lying_at(at))
    });
    reading.await.map_err(|error| failed(&error))?
}

fn problems(problems: &[JobFileProblem]) -> Reply {
    Reply::Problems {
        problems: problems.iter().map(problem).collect(),
    }
}

fn problem(problem: &JobFileProblem) -> ProblemWire {
    ProblemWire {
        place: problem.place().to_string(),
        message: problem.message().into(),
        hint: problem.hint().map(str::to_owned),
    }
}
