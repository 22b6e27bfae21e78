//! The job file: what a run is to do, as a person wrote it.
//!
//! [`JobFile::parse`] reads the text, checks all that can be checked without running anything, and reports every
//! problem at once. Nothing here starts an agent or looks at a clock; folders are looked at only by
//! [`JobFile::parse_in`].

mod graph;
mod json;
mod lines;
mod nearest;
mod problem;
mod read;
mod reader;
mod schema;
mod settings;
mod shape;
mod steps;
mod work;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pointsman_agents::{ModelSettings, Steps};
use pointsman_llm::Spending;
use pointsman_model::{
    AbsPath, AgentName, Digest, FilePlace, PermissionMode, PermissionRule, RuleBehavior,
    RuleSource, RuleText, ToolSet, WorkerId,
};

pub use problem::JobFileProblem;

/// What becomes of the run when a job fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailurePolicy {
    /// The other jobs go on; those that need the failed one are skipped.
    Continue,
    /// Everything is stopped.
    Stop,
}

/// What an agent does, and by what means.
#[derive(Debug, Clone)]
pub enum Work {
    /// The scripted agent: these steps, one after another.
    Steps(Arc<Steps>),
    /// The thinking agent: its task, with a model.
    Model(Arc<ModelWork>),
    /// The calls that an earlier agent asked for, driven again.
    Replay(WorkerId),
}

impl Work {
    /// The type of an agent that does such work, for jobs, whose workers have no other.
    #[must_use]
    pub fn agent(&self) -> AgentName {
        match self {
            Self::Steps(_) => AgentName::new("steps"),
            Self::Model(_) => AgentName::new("llm"),
            Self::Replay(_) => AgentName::new("replay"),
        }
    }

    /// Whether who does it reads what a person says meanwhile.
    #[must_use]
    pub fn hears(&self) -> bool {
        match self {
            Self::Steps(_) | Self::Replay(_) => false,
            Self::Model(_) => true,
        }
    }
}

/// A model that works. All agents that have it from the same place of the file share its budget: all tries of a job,
/// all agents of a type, all jobs that take it from `[defaults]`.
#[derive(Debug, Clone)]
pub struct ModelWork {
    /// Which model, and how it is reached.
    pub settings: ModelSettings,
    /// What is spent on it.
    pub spending: Spending,
}

/// How often a failed job is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// So many times more.
    pub times: u32,
    /// The wait before the first new try; it doubles with each.
    pub wait: Duration,
}

/// One rule as the file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRule {
    /// What it does.
    pub behavior: RuleBehavior,
    /// Its text.
    pub text: RuleText,
    /// Where it stands.
    pub place: FilePlace,
}

impl JobRule {
    /// The rule as contexts hold it: of source `flag`, anchored at the project.
    #[must_use]
    pub fn rule(&self, project: &AbsPath) -> PermissionRule {
        PermissionRule {
            behavior: self.behavior,
            text: self.text.clone(),
            source: RuleSource::FlagSettings,
            place: Some(self.place.clone()),
            anchor: project.clone(),
        }
    }
}

/// One job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its name, unique in the file.
    pub name: Arc<str>,
    /// What it is for, in a person's words.
    pub task: Box<str>,
    /// What is done, and by what means.
    pub work: Work,
    /// The thinking agent whose conversation it goes on with.
    pub resumes: Option<WorkerId>,
    /// The folder it starts in, as written: relative to the project, or absolute.
    pub folder: Box<str>,
    /// More folders it may read and edit in, as written.
    pub directories: Vec<Box<str>>,
    /// Its mode; the settings' default mode when nothing is said.
    pub mode: Option<PermissionMode>,
    /// Its rules, those of `[defaults]` among them.
    pub rules: Vec<JobRule>,
    /// The tools it is offered; the limit binds its worker alone.
    pub tools: ToolSet,
    /// How long one try may take, waiting for answers included.
    pub time_max: Duration,
    /// The jobs that must have ended well before it starts, as places in [`JobFile::jobs`].
    pub needs: Vec<usize>,
    /// How often it is tried again.
    pub retry: Retry,
    /// What its failure means for the run.
    pub on_failure: FailurePolicy,
    /// The model of the file's `[defaults]`: for the agents that it starts and that name none.
    pub model_below: Option<Arc<ModelWork>>,
}

/// What agents of one type are, when an agent spawns them.
#[derive(Debug, Clone)]
pub struct AgentDefinition {
    /// When to use it, for agents that choose for themselves.
    pub description: Box<str>,
    /// What it does, and by what means.
    pub work: Work,
    /// The mode it asks for, on a person's word.
    pub mode: Option<PermissionMode>,
    /// Its own tool limit.
    pub tools: ToolSet,
}

/// A job file that has no problem.
#[derive(Debug, Clone)]
pub struct JobFile {
    /// Its name, as it was given.
    pub path: Arc<str>,
    /// Where it lies, for whoever wants to read it again from another folder; nothing when its text came from elsewhere.
    pub at: Option<AbsPath>,
    /// The fingerprint of its text.
    pub digest: Digest,
    /// How many jobs run at once. Agents that agents spawn take no slot, or a job could wait for itself.
    pub slots: u32,
    /// How deep agents may be nested; a job's worker stands at 1.
    pub depth_max: u32,
    /// How many agents one run may start in all.
    pub agents_max: u32,
    /// How long a question stays open before it expires; the settings say when nothing is said here.
    pub answer_within: Option<Duration>,
    /// The jobs, in the order of the file.
    pub jobs: Vec<Job>,
    /// The agents that jobs may spawn, by type; agent files may define more.
    pub agents: BTreeMap<AgentName, AgentDefinition>,
}

impl JobFile {
    /// The most bytes that a job file may have: ten thousand jobs have a few million.
    pub const BYTES_MAX: usize = 16 << 20;

    /// The text of a job file.
    ///
    /// # Errors
    /// When it is too long, or where it is no UTF-8.
    pub fn text(bytes: Vec<u8>, path: &str) -> Result<String, JobFileProblem> {
        let place = |line, column| FilePlace {
            file: path.into(),
            line,
            column,
        };
        if bytes.len() > Self::BYTES_MAX {
            let message = format!(
                "the job file has {} bytes, more than the {} that are read",
                bytes.len(),
                Self::BYTES_MAX
            );
            let hint = "put the jobs into several files";
            return Err(JobFileProblem::new(place(1, 1), &message, Some(hint)));
        }
        String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default());
            let (line, column) = lines::Lines::of(&before).place(good);
            let message = "this is no UTF-8 text from here on";
            let hint = "a job file is a text: save it as UTF-8";
            JobFileProblem::new(place(line, column), message, Some(hint))
        })
    }

    /// Reads a job file without looking at any folder it names.
    ///
    /// # Errors
    /// All its problems, in the order of the file.
    pub fn parse(text: &str, path: &str) -> Result<Self, Vec<JobFileProblem>> {
        read::read(text, path, None, &[])
    }

    /// Reads a job file for the project at `project`, and checks that the folders it names are there. Beside its own
    /// agents these may be spawned, which are defined elsewhere.
    ///
    /// # Errors
    /// All its problems, in the order of the file.
    pub fn parse_in(
        text: &str,
        path: &str,
        project: &AbsPath,
        agents: &[AgentName],
    ) -> Result<Self, Vec<JobFileProblem>> {
        read::read(text, path, Some(project), agents)
    }

    /// The same file, known to lie there.
    #[must_use]
    pub fn lying_at(self, at: AbsPath) -> Self {
        Self {
            at: Some(at),
            ..self
        }
    }

    /// The models that its jobs and agents name.
    pub(crate) fn models(&self) -> impl Iterator<Item = &ModelWork> {
        let works = self.jobs.iter().map(|job| &job.work);
        let works = works.chain(self.agents.values().map(|agent| &agent.work));
        works.filter_map(|work| match work {
            Work::Steps(_) | Work::Replay(_) => None,
            Work::Model(model) => Some(&**model),
        })
    }

    /// The variables with the keys of all models that its agents may come to use: nothing that a run starts may see them.
    pub fn key_variables(&self) -> impl Iterator<Item = &str> {
        // The same for all jobs of a file.
        let below = self.jobs.first().and_then(|job| job.model_below.as_deref());
        let models = self.models().chain(below);
        models.map(|model| model.settings.key_variable())
    }

    /// The JSON schema of job files, pretty-printed, for editors.
    #[must_use]
    pub fn schema() -> String {
        schema::schema()
    }
}

#[cfg(test)]
mod tests;
