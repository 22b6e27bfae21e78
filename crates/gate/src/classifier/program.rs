//! The classifier that asks a program: the action on its standard input, the answer on its standard output, in the form
//! that a model is asked for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use pointsman_ledger::Clock;
use pointsman_model::{AbsPath, PermissionRequest, Verdict};
use pointsman_process::{CommandSpec, End, Environment, run};
use tokio_util::sync::CancellationToken;

use super::answer::{Said, read_text};
use super::showing::Shown;
use super::{Bench, ClassifierHealth, Mute};
use crate::{Classifier, ClassifierVote};

/// How much of its output is kept, in bytes; its answer is one small object.
const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// How long a program that is late may take to end after the first signal.
const KILL_GRACE: Duration = Duration::from_millis(500);

/// Asks a program whether an action would pass.
pub struct ProgramClassifier {
    name: Box<str>,
    program: Box<str>,
    args: Vec<String>,
    folder: AbsPath,
    environment: Mutex<Environment>,
    time_max: Duration,
    bench: Bench,
}

impl ProgramClassifier {
    /// A classifier that starts `program` in `folder` for each judgement, which takes no longer than `time_max`. No shell
    /// reads its arguments.
    #[must_use]
    pub fn new(
        program: &str,
        args: &[Box<str>],
        folder: AbsPath,
        time_max: Duration,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let name = program.rsplit('/').next().unwrap_or(program);
        Self {
            name: name.into(),
            program: program.into(),
            args: args.iter().map(|arg| (**arg).into()).collect(),
            folder,
            environment: Mutex::new(Environment::empty()),
            time_max,
            bench: Bench::new(clock),
        }
    }

    fn environment(&self) -> Environment {
        let environment = self.environment.lock();
        environment.unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, shown: Shown) -> Result<Said, Mute> {
        let spec = CommandSpec {
            program: (*self.program).into(),
            args: self.args.clone(),
            folder: self.folder.clone(),
            env: self.environment(),
            stdin: Some(shown.with_code().into_bytes()),
            output_bytes_max: OUTPUT_BYTES_MAX,
            time_max: self.time_max,
            kill_grace: KILL_GRACE,
        };
        // Whoever drops this future ends the program with it; no other stop is needed.
        let never = CancellationToken::new();
        let finished = run(spec, &never, &mut |_| {})
            .await
            .map_err(|error| unavailable(&error.to_string()))?;
        match finished.end {
            End::Exited(0) => {}
            End::Exited(code) => return Err(unavailable(&format!("it ended with code {code}"))),
            End::Signalled(signal) => {
                return Err(unavailable(&format!("it was killed by signal {signal}")));
            }
            End::TimedOut => return Err(unavailable("it did not answer in time")),
            End::Stopped => return Err(unavailable("it was stopped")),
        }
        let whole = finished.stdout.whole();
        let text = whole
            .as_deref()
            .and_then(|bytes| std::str::from_utf8(bytes).ok());
        let Some(text) = text else {
            return Err(Mute::Unreadable(
                "its answer is no text, or too long".into(),
            ));
        };
        Ok(read_text(text, &shown.code)?)
    }
}

fn unavailable(why: &str) -> Mute {
    Mute::Unavailable(why.into())
}

#[async_trait]
impl Classifier for ProgramClassifier {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, request: &PermissionRequest) -> ClassifierVote {
        self.bench.judge(request, |shown| self.ask(shown)).await
    }

    fn begins(&self, environment: &Environment) {
        let mut kept = self
            .environment
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = environment.clone();
    }

    fn told(&self, request: &PermissionRequest, verdict: &Verdict) {
        self.bench.told(request, verdict);
    }

    fn health(&self) -> ClassifierHealth {
        self.bench.health.read()
    }
}
