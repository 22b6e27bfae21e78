//! The arguments of verbs that reach a running leader.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use jiff::SignedDuration;
use pointsman_model::{Digest, Millis, PermissionMode, RequestId, RunId, WorkerId};
use pointsman_surfaces::SessionScope;

use super::{AnswerWord, FormArguments, LeaderArguments, SaveWhere};

#[derive(Debug, Args)]
pub(crate) struct QueueArguments {
    /// Show this question in full, nothing cut.
    #[arg(conflicts_with = "watch")]
    pub(crate) id: Option<RequestId>,
    /// Go on telling what is asked and how it ends, until the run ends.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("kept").multiple(true))]
pub(crate) struct AnswerArguments {
    /// The questions, as `pointsman queue` lists them.
    #[arg(required = true, num_args = 1.., value_name = "ID")]
    ids: Vec<RequestId>,
    /// The answer, to each of them; a yes to one that `pointsman queue` marks with `!` is given by itself.
    #[arg(required = true)]
    pub(crate) answer: AnswerWord,
    /// What the agent is told with a no.
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// Grant more than this one call: to the agent that asks, its job, or the whole run.
    #[arg(long, value_name = "worker|job|run", group = "kept")]
    pub(crate) always: Option<SessionScope>,
    /// Keep the proposed rule for the runs to come: in your own settings, the project's, or those of
    /// this checkout alone.
    #[arg(long, value_name = "WHERE", group = "kept")]
    pub(crate) save: Option<SaveWhere>,
    /// Which of the proposed rules to grant or save, counted from 1.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "kept")]
    pub(crate) rule: usize,
    /// Grant this rule in place of a proposed one; may be given again.
    #[arg(long, value_name = "RULE", requires = "always", conflicts_with_all = ["rule", "save"])]
    pub(crate) grant: Vec<String>,
    /// How long the grant lasts, such as `30m` or `2h`; until what it is for ends when not said.
    #[arg(long = "for", value_name = "TIME", value_parser = lifetime, requires = "always", conflicts_with = "save")]
    pub(crate) lasts: Option<Millis>,
    /// For how many calls beside this one the grant counts; any number when not said.
    #[arg(long, value_name = "N", requires = "always", conflicts_with = "save")]
    pub(crate) uses: Option<NonZeroU32>,
    /// Let something else run: change it in your editor (`$VISUAL`, `$EDITOR`) first.
    #[arg(long, conflicts_with = "input")]
    pub(crate) edit: bool,
    /// Let this run instead: the command line of Bash, the content of Write, the new text of Edit, or
    /// the whole input as a JSON object.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// Answer only if the question is still this one: its digest, as `queue --json` tells it.
    #[arg(long, value_name = "HEX")]
    pub(crate) digest: Option<Digest>,
    /// Answer only if the question is still shown by this leader of the run: its epoch, as `queue --json`
    /// tells it. A run that was taken up again has the next one.
    #[arg(long, value_name = "N")]
    pub(crate) epoch: Option<u32>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

impl AnswerArguments {
    /// The questions, each once, in the order in which they are first named.
    pub(crate) fn questions(&self) -> Vec<RequestId> {
        let mut questions = Vec::new();
        for id in &self.ids {
            if !questions.contains(id) {
                questions.push(*id);
            }
        }
        questions
    }
}

#[derive(Debug, Args)]
pub(crate) struct AttachArguments {
    /// The run, when several leaders run in this project.
    pub(crate) run: Option<RunId>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The question, open or ended.
    pub(crate) id: RequestId,
    /// Show the secrets of one that has ended; they are masked else.
    #[arg(long)]
    pub(crate) reveal: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct WorkersArguments {
    /// Those that have ended, too.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArguments {
    /// The agent, as `pointsman workers` lists it.
    pub(crate) worker: WorkerId,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RunsArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct StopArguments {
    /// A run (`run-3`), an agent (`w3-7`), or the name of a job, at work or waiting.
    pub(crate) what: StopWhat,
    /// Why; it is told to the agents and kept on record.
    #[arg(long)]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// What is to be stopped or paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StopWhat {
    /// A whole run.
    Run(RunId),
    /// An agent and all below it.
    Worker(WorkerId),
    /// A job, by its name.
    Job(String),
}

impl FromStr for StopWhat {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A bare number, which is a run elsewhere, may be the name of a job here.
        let run = text
            .starts_with("run-")
            .then(|| text.parse().ok())
            .flatten();
        Ok(match (run, text.parse()) {
            (Some(run), _) => Self::Run(run),
            (None, Ok(worker)) => Self::Worker(worker),
            (None, Err(_)) => Self::Job(text.into()),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct PauseArguments {
    /// A run (`run-3`), an agent (`w3-7`) with all below it, or the name of a job; the whole run when nothing is named.
    pub(crate) what: Option<StopWhat>,
    /// Let it go on.
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ModeArguments {
    /// The agent; without one all are listed.
    #[arg(requires = "mode")]
    pub(crate) worker: Option<WorkerId>,
    /// The mode it is to have.
    pub(crate) mode: Option<PermissionMode>,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RetryArguments {
    /// The jobs; without one all that did not end well.
    pub(crate) jobs: Vec<String>,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The job file. To name it is the yes to its rules, as with `run`.
    pub(crate) job_file: PathBuf,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TellArguments {
    /// The agent, as `pointsman workers` lists it.
    pub(crate) worker: WorkerId,
    /// What it is to know. It changes nothing of what it may do.
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// A length of time of at least a second, as people write it.
fn lifetime(text: &str) -> Result<Millis, String> {
    let length: SignedDuration = text
        .parse()
        .map_err(|_| "it is no length of time: write `90s`, `30m`, `2h` or `1h 30m`".to_owned())?;
    match u64::try_from(length.as_millis()) {
        Ok(millis) if millis >= 1_000 => Ok(Millis(millis)),
        _ => Err("a grant lasts for a second at least".into()),
    }
}
