//! A project in a folder of its own, and a leader in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{Filter, LedgerReader, RecordBody, RecordKind, SystemClock};
use pointsman_model::{AbsPath, Attended, PermissionRequest};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{MemoryFiles, SettingsPlaces, load};
use pointsman_process::Environment;
use pointsman_swarm::{JobFile, Leader, LeaderHandle, LeaderOptions, RunSummary, StatePlace};
use pointsman_testkit::{Operator, OperatorReport, Reply};
use pointsman_tools::Toolbox;

/// Longer than any run of a test may take; a test that meets it has found a hang.
const RUN_MAX: Duration = Duration::from_secs(120);

pub(crate) struct Stage {
    folder: PathBuf,
    /// Removes the folder with the stage that made it.
    _temp: Option<tempfile::TempDir>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(temp.path()).unwrap();
        std::fs::create_dir(folder.join("project")).unwrap();
        Self {
            folder,
            _temp: Some(temp),
        }
    }

    /// The stage that another process made.
    pub(crate) fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            _temp: None,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> AbsPath {
        self.folder("project")
    }

    fn folder(&self, name: &str) -> AbsPath {
        AbsPath::parse(self.folder.join(name).to_str().unwrap()).unwrap()
    }

    /// A file of the project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project().join(name).as_path().to_owned()
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.place().ledger()
    }

    fn place(&self) -> StatePlace {
        StatePlace::in_folder(self.folder("state"))
    }

    pub(crate) fn options(&self, jobs: &str, attended: Attended) -> LeaderOptions {
        let project = self.project();
        let home = self.folder("home");
        let job_file =
            JobFile::parse_in(jobs, "jobs.toml", &project, &[]).unwrap_or_else(|problems| {
                panic!("the job file of the test is wrong: {problems:#?}");
            });
        let places = SettingsPlaces::of_project(project.clone(), home.clone());
        LeaderOptions {
            job_file,
            loaded: load(&places, &MemoryFiles::new()),
            project,
            home,
            place: self.place(),
            attended,
            mode: None,
            clock: Arc::new(SystemClock),
            tree: Arc::new(DiskTree),
            environment: Environment::without_secrets(std::env::vars_os()),
            toolbox: Arc::new(Toolbox::built_in()),
            classifier: None,
            explainer: None,
            models: None,
            version: "test".into(),
            resume: None,
        }
    }

    pub(crate) async fn start(&self, jobs: &str, attended: Attended) -> (LeaderHandle, Leader) {
        Leader::start(self.options(jobs, attended)).await.unwrap()
    }

    /// Runs jobs to their end with nobody there.
    pub(crate) async fn run_unattended(&self, jobs: &str) -> RunSummary {
        let (_handle, leader) = self.start(jobs, Attended::No).await;
        in_time(leader.finish()).await
    }

    /// Runs jobs to their end while an operator answers as `script` says.
    pub(crate) async fn run_with(
        &self,
        jobs: &str,
        script: impl FnMut(&PermissionRequest) -> Reply + Send + 'static,
    ) -> (RunSummary, OperatorReport) {
        let (handle, leader) = self.start(jobs, Attended::Yes).await;
        let operator = tokio::spawn(Operator::new(handle.requests().clone(), script).work());
        let summary = in_time(leader.finish()).await;
        (summary, in_time(operator).await.unwrap())
    }

    /// The records of one kind, of all runs.
    pub(crate) fn records(&self, kind: RecordKind) -> Vec<RecordBody> {
        records(&self.ledger(), kind)
    }

    /// The ledger is whole, and nothing in it is open.
    #[track_caller]
    pub(crate) fn check_ledger(&self) {
        let reader = LedgerReader::open(&self.ledger()).unwrap();
        let report = reader.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!(reader.open_requests().unwrap(), []);
    }
}

pub(crate) fn records(ledger: &Path, kind: RecordKind) -> Vec<RecordBody> {
    let filter = Filter {
        kinds: vec![kind],
        ..Filter::default()
    };
    let found = LedgerReader::open(ledger)
        .unwrap()
        .records(&filter)
        .unwrap();
    assert_eq!(found.unreadable, []);
    found
        .records
        .into_iter()
        .map(|record| record.body)
        .collect()
}

/// Nothing may hang: what takes longer than any run does fails the test.
pub(crate) async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(RUN_MAX, work).await.expect("it hangs")
}

/// So many jobs, all at once, each with an agent below it that asks one question.
pub(crate) fn storm_jobs(workers: usize) -> String {
    let mut jobs = format!(
        "slots = {workers}\nagents_max = {}\n\
         [agents.asker]\nstep = [{{ tool = \"Bash\", input = {{ command = \"touch asked\" }}, on_refusal = \"fail\" }}]\n",
        2 * workers
    );
    for job in 0..workers {
        jobs.push_str(&format!(
            "[[job]]\nname = \"w{job}\"\nstep = [{{ tool = \"Agent\", input = {{ subagent_type = \"asker\", prompt = \"ask\" }} }}]\n"
        ));
    }
    jobs
}
