//! The end of a run: its hooks, its strays, its figures, its record, its services.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::EndScope;
use pointsman_gate::{ClassifierState, Happening};
use pointsman_ledger::{ReadError, RecordBody, RunEnded};
use pointsman_model::Millis;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::dropped::close_rest;
use super::reckoning::{self, Tally};
use super::{Leader, Progress};
use crate::summary::Found;
use crate::{CensusLine, ExitCode, JobEnd, JobResult, RunEvent, RunSummary};

/// How long the leader waits for its own services once all agents have ended.
const SERVICES_WAIT_MAX: Duration = Duration::from_secs(5);

/// How long hooks that are told of the end of the run may take, whatever their own limits; hosts of the same hooks
/// wait as long.
const HOOKS_WAIT_MAX: Duration = Duration::from_secs(60);

impl Leader {
    /// Ends the services, counts up, and closes the ledger.
    pub(super) async fn close(mut self, started: Instant) -> RunSummary {
        self.ground.stop.cancel();
        self.ground
            .end_open(EndScope::Everything, "the run has ended")
            .await;
        for worker in close_rest(&self.ground).await {
            self.remarks
                .push(format!("{worker} came to no end of its own and was dropped").into());
        }
        self.end_hooks().await;
        self.end_strays().await;
        let (census, tally) = self.reckon().await;
        let ends = self
            .progress
            .iter()
            .filter_map(|progress| progress.end.as_ref());
        let counts = tally.counts();
        let found = Found {
            unanswered: counts.unanswered,
            halted: tally.halted.len(),
        };
        let exit = ExitCode::of(self.plan.stopping(), ends, found);
        self.remarks.extend(tally.on_hooks());
        self.remarks.extend(tally.halted);
        self.remarks.extend(self.on_classifier());
        let record = RunEnded {
            exit_code: exit.code(),
            text: self.in_words(counts.unanswered).into(),
        };
        if let Err(error) = self.ground.ledger.append(self.ground.run, record).await {
            self.remarks
                .push(format!("the end of the run could not be recorded: {error}").into());
        }
        self.services_stop.cancel();
        let services = async { while self.services.join_next().await.is_some() {} };
        if tokio::time::timeout(SERVICES_WAIT_MAX, services)
            .await
            .is_err()
        {
            self.remarks
                .push("a service of the leader did not end in time".into());
        }
        self.ground.ledger.close().await;
        let run = self.ground.run;
        self.ground.tell(RunEvent::RunEnded { run, exit });
        RunSummary {
            run,
            jobs: self.results(),
            exit,
            stopped: self.plan.stopping().cloned(),
            census,
            counts,
            remarks: std::mem::take(&mut self.remarks),
            took: Millis::from(started.elapsed()),
        }
    }

    /// Tells hooks that the run ends, and waits for those that nobody waited for. A cancel that comes meanwhile ends
    /// them all.
    async fn end_hooks(&mut self) {
        let ground = Arc::clone(&self.ground);
        let own_end = CancellationToken::new();
        let ends = Happening::SessionEnds { reason: "other" };
        let ending = async {
            let _ = ground.hooks.tell_of_run(ground.run, &ends, &own_end).await;
            ground.hooks.finish().await;
        };
        let stops = &self.stops;
        let cancels = async {
            while let Ok(reason) = stops.recv_async().await {
                if reason.is_cancel() {
                    own_end.cancel();
                    ground.hooks.end_unawaited();
                }
            }
            std::future::pending::<Infallible>().await
        };
        let in_time = tokio::select! {
            ended = tokio::time::timeout(HOOKS_WAIT_MAX, ending) => ended.is_ok(),
            never = cancels => match never {},
        };
        if !in_time {
            self.remarks.push("hooks did not end in time".into());
        }
    }

    /// Ends what calls of this run left running after their own end (a server in the background, a program in a session
    /// of its own).
    async fn end_strays(&mut self) {
        let owner = self.owner.clone();
        let ended = tokio::task::spawn_blocking(move || pointsman_process::reap_owned_by(&owner));
        match ended.await {
            Ok(0) => {}
            Ok(count) => self.remarks.push(
                format!("{count} processes that calls had left running were ended with the run")
                    .into(),
            ),
            Err(error) => self
                .remarks
                .push(format!("what calls left running could not be looked for: {error}").into()),
        }
    }

    /// The census and the counts, from the ledger, and from what it could not take: a full disk hides nothing of what
    /// became of the run.
    async fn reckon(&mut self) -> (Vec<CensusLine>, Tally) {
        let unwritten = self.unwritten().await;
        let (census, mut tally) = self.reckon_written().await;
        for end in unwritten {
            tally.take(end);
        }
        (census, tally)
    }

    async fn reckon_written(&mut self) -> (Vec<CensusLine>, Tally) {
        let ground = Arc::clone(&self.ground);
        let path = ground.ledger.path().to_owned();
        let reckoned = tokio::task::spawn_blocking(move || {
            let tree = ground.tree.as_ref();
            let census = reckoning::census(&path, ground.run, &ground.contexts, tree)?;
            let tally = reckoning::tally(&path, ground.run, &census)?;
            Ok::<_, ReadError>((census, tally))
        });
        let why = match reckoned.await {
            Ok(Ok(reckoned)) => return reckoned,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.remarks
            .push(format!("the calls could not be counted: {why}").into());
        Default::default()
    }

    /// The ends that are not on record.
    async fn unwritten(&mut self) -> Vec<RecordBody> {
        let ledger = &self.ground.ledger;
        // One that is closed has nothing more to tell.
        let ends = ledger.settle(self.ground.run).await.unwrap_or_default();
        if let Some(error) = ledger.failing().filter(|_| !ends.is_empty()) {
            let what = match ends.len() {
                1 => "1 end of a call or an agent is".into(),
                count => format!("{count} ends of calls and agents are"),
            };
            let text = format!("{what} not on record, though counted here: {error}");
            self.remarks.push(text.into());
        }
        ends
    }

    fn results(&self) -> Vec<JobResult> {
        let named = self.jobs.iter().zip(&self.progress);
        named
            .map(|(job, progress)| JobResult {
                name: Arc::clone(&job.name),
                worker: progress.worker,
                tries: progress.tries,
                // INVARIANT (plan): it finishes only after each job has ended.
                end: progress.end.clone().unwrap_or(JobEnd::Stopped),
                took: Millis::from(progress.took),
            })
            .collect()
    }

    /// How the classifier did, when it was asked or could not be.
    fn on_classifier(&self) -> Option<Box<str>> {
        let classifier = self.ground.classifier.as_ref()?;
        let health = classifier.health();
        (health.state != ClassifierState::Untried)
            .then(|| format!("classifier `{}`: {health}", classifier.name()).into())
    }

    /// The result in a line, for the record.
    fn in_words(&self, unanswered: u64) -> String {
        let done = |progress: &&Progress| matches!(progress.end, Some(JobEnd::Done { .. }));
        let done = self.progress.iter().filter(done).count();
        let jobs = match self.progress.len() {
            1 => "1 job".into(),
            count => format!("{count} jobs"),
        };
        let mut text = format!("{done} of {jobs} done");
        match unanswered {
            0 => {}
            1 => text.push_str(", a call that nobody could answer"),
            count => text.push_str(&format!(", {count} calls that nobody could answer")),
        }
        if let Some(stop) = self.plan.stopping() {
            text.push_str(&format!("; {stop}"));
        }
        text
    }
}
