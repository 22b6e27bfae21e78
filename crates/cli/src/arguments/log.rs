//! The arguments of `log`: what is read of the ledger, and its care.

use clap::{Args, Subcommand};
use pointsman_ledger::RecordKind;
use pointsman_model::{CallId, RequestId, RunId, WorkerId};

use super::FormArguments;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LogArguments {
    /// What to do with the ledger instead of showing a run's records.
    #[command(subcommand)]
    pub(crate) verb: Option<LogVerb>,
    /// This run alone; else the last one.
    #[arg(long)]
    pub(crate) run: Option<RunId>,
    /// All runs, a line each.
    #[arg(long, conflicts_with_all = ["run", "follow", "worker", "call", "request", "kind"])]
    pub(crate) runs: bool,
    /// Go on with what is written, until the run ends.
    #[arg(long, short = 'f')]
    pub(crate) follow: bool,
    /// Only what this agent did.
    #[arg(long)]
    pub(crate) worker: Option<WorkerId>,
    /// Only what became of this call.
    #[arg(long)]
    pub(crate) call: Option<CallId>,
    /// Only what became of this question.
    #[arg(long)]
    pub(crate) request: Option<RequestId>,
    /// Only records of this kind, like `call_decided`; may be given again.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Vec<RecordKind>,
    /// Show secrets as they are; they are masked else. `--json` always shows all.
    #[arg(long)]
    pub(crate) reveal: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// What else `log` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum LogVerb {
    /// Check that no record was changed, lost or torn.
    Verify(FormArguments),
    /// Print all records as JSON lines, and after them the head of each run's chain.
    Export(ExportArguments),
    /// Remove old runs. That they were there stays on record, and the chain verifiable.
    Prune(PruneArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// This run alone; else all.
    #[arg(long)]
    pub(crate) run: Option<RunId>,
    /// Mask secrets. Such a copy can't be verified.
    #[arg(long)]
    pub(crate) mask: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PruneArguments {
    /// Keep so many of the newest runs.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) keep: u32,
    /// Keep runs that were written to in so many days.
    #[arg(long, value_name = "DAYS", default_value_t = 90)]
    pub(crate) days: u32,
    /// Tell what would be removed, and remove nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

impl LogArguments {
    /// For whom it prints; nothing when that is a program always.
    pub(super) fn form(&self) -> Option<&FormArguments> {
        match &self.verb {
            None => Some(&self.form),
            Some(LogVerb::Verify(form)) => Some(form),
            Some(LogVerb::Prune(verb)) => Some(&verb.form),
            Some(LogVerb::Export(_)) => None,
        }
    }
}

fn kind(text: &str) -> Result<RecordKind, String> {
    let known = RecordKind::ALL.iter().copied();
    let found = known.clone().find(|kind| kind.as_str() == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = known.map(RecordKind::as_str).collect();
        format!(
            "`{text}` is no kind of record: it is one of {}",
            names.join(", ")
        )
    })
}
