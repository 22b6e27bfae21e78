//! The arguments, as `--help` tells them.

mod live;
mod log;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pointsman_model::{CallId, Digest, GrantId, PermissionMode, RequestId, RunId};

use crate::output::Form;

pub(crate) use live::{
    AddArguments, AnswerArguments, AttachArguments, ContextArguments, ModeArguments,
    PauseArguments, QueueArguments, RetryArguments, RunsArguments, ShowArguments, StopArguments,
    StopWhat, TellArguments, WorkersArguments,
};
pub(crate) use log::{ExportArguments, LogArguments, LogVerb, PruneArguments};

/// Runs coding agents in parallel under one leader, lets each of their tool calls through one gate,
/// and keeps the reason for every answer.
#[derive(Debug, Parser)]
#[command(name = "pointsman", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The same with one verb alone.
#[derive(Debug, Parser)]
#[command(name = "pointsman", version, max_term_width = 100)]
struct CheckAlone {
    #[command(subcommand)]
    verb: Checks,
}

#[derive(Debug, Subcommand)]
enum Checks {
    Check(CheckArguments),
}

impl Arguments {
    /// Reads the words of a command line, the program's name first.
    ///
    /// A check is made before each command of somebody else's agent: the tables of all other verbs are not made
    /// for it. What is no plain check, and what is wrong with it, the whole parser tells.
    pub(crate) fn read(words: Vec<OsString>) -> Result<Self, clap::Error> {
        if words.get(1).is_some_and(|verb| verb == "check")
            && let Ok(CheckAlone {
                verb: Checks::Check(arguments),
            }) = CheckAlone::try_parse_from(&words)
        {
            let verb = Verb::Check(arguments);
            return Ok(Self { verb });
        }
        Self::try_parse_from(words)
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run the jobs of a job file.
    Run(RunArguments),
    /// Judge one call, or a file of cases, without running anything.
    Check(CheckArguments),
    /// Write a commented job file to start from.
    Init(InitArguments),
    /// List the questions that are open in a running leader, or show one in full.
    Queue(QueueArguments),
    /// Answer open questions from another terminal.
    Answer(AnswerArguments),
    /// Show one question in full: while it is open, and how it ended.
    Show(ShowArguments),
    /// List the agents of a run: what each is at, since when, what it waits for.
    Workers(WorkersArguments),
    /// Show what an agent may do: its frozen permissions, and which rule of which file says so.
    Context(ContextArguments),
    /// Open the full screen of a run that another process leads; leaving it ends nothing.
    Attach(AttachArguments),
    /// List this project's runs, and which of them have a leader now.
    Runs(RunsArguments),
    /// Stop a run, a job, or an agent and all below it.
    Stop(StopArguments),
    /// Hold a run: no job starts, and agents wait at their next calls.
    Pause(PauseArguments),
    /// Show or change the modes of running agents.
    Mode(ModeArguments),
    /// Have jobs tried again that did not end well.
    Retry(RetryArguments),
    /// Let the jobs of another file join a running leader.
    Add(AddArguments),
    /// Say something to an agent at work; it reads it before its next turn.
    Tell(TellArguments),
    /// List what was granted for more than one call in a running leader, or take it back.
    Grants(GrantsArguments),
    /// Show what the ledger holds of this project's runs.
    Log(LogArguments),
    /// Tell why a call was decided as it was.
    Why(WhyArguments),
    /// Show what this project's files loosen, and say yes to it.
    Trust(TrustArguments),
    /// Look at the rules that settings come to.
    Policy(PolicyArguments),
    /// Print the JSON schema of job files.
    Schema(SchemaArguments),
    /// Try the configured hooks.
    Hooks(HooksArguments),
    /// Explain a reason, by the name that decisions carry.
    Explain(ExplainArguments),
    /// Look whether all is well: settings, hooks, ledger, sockets, and what would go wrong.
    Doctor(DoctorArguments),
    /// Print completions for a shell.
    Completions(CompletionsArguments),
    /// Print the manual page, or write the pages of all verbs into a folder.
    Man(ManArguments),
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write one page a verb into this folder, which is made.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
}

// The file and `--resume` exclude each other; of its own the parser shows them side by side.
#[derive(Debug, Args)]
#[command(
    override_usage = "pointsman run [OPTIONS] <JOB_FILE>\n       pointsman run [OPTIONS] --resume <RUN>"
)]
pub(crate) struct RunArguments {
    /// The job file.
    #[arg(required_unless_present = "resume")]
    pub(crate) job_file: Option<PathBuf>,
    /// Take a run up again whose leader died: with its job file, its open questions and their deadlines. What was done
    /// is not done again.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["job_file", "check"])]
    pub(crate) resume: Option<RunId>,
    /// Let go of what was paused when the leader of the run died; with nobody there it is not taken up otherwise.
    #[arg(long, conflicts_with = "job_file")]
    pub(crate) go_on: bool,
    /// Check the job file and the settings, and run nothing.
    #[arg(long)]
    pub(crate) check: bool,
    /// Run on without this terminal: closing it ends nothing, and `pointsman attach` comes back to it.
    #[arg(long, conflicts_with_all = ["check", "plain"])]
    pub(crate) detach: bool,
    /// This process is the leader that `--detach` has started.
    #[arg(long, hide = true, conflicts_with_all = ["check", "detach"])]
    pub(crate) detached: bool,
    /// Refuse at once what would be asked, even in a terminal.
    #[arg(long)]
    pub(crate) unattended: bool,
    /// Ask even without a terminal: somebody will answer with `pointsman answer`.
    #[arg(long, conflicts_with = "unattended")]
    pub(crate) attended: bool,
    /// Ask line by line instead of on a full screen.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Record all that is said to models and by them in this file, without keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) record_models: Option<PathBuf>,
    /// Let models say what this file has recorded, and reach none; no key is needed.
    #[arg(long, value_name = "FILE", conflicts_with = "record_models")]
    pub(crate) play_models: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RuleArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Rules and modes from the command line, on top of all settings.
#[derive(Debug, Args)]
pub(crate) struct RuleArguments {
    /// Allow what this rule matches, like `Bash(cargo test *)`; may be given again.
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Ask for what this rule matches; may be given again.
    #[arg(long, value_name = "RULE")]
    pub(crate) ask: Vec<String>,
    /// Refuse what this rule matches; may be given again.
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// Read this settings file too; may be given again.
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Vec<PathBuf>,
    /// The mode of agents that the job file gives none.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<PermissionMode>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The tool, like `Bash` or `Edit`.
    #[arg(required_unless_present = "cases", value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// Its input: the command line or the path, or a JSON object.
    #[arg(
        required_unless_present = "cases",
        value_name = "INPUT",
        allow_hyphen_values = true
    )]
    pub(crate) input: Option<String>,
    /// Judge each line of this file (`-` for standard input), by the rules it brings along, against what it expects.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "input", "allow", "ask", "deny", "settings", "mode"])]
    pub(crate) cases: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RuleArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The file to write; an existing one is left alone.
    #[arg(default_value = "pointsman.toml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// In which settings a rule is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SaveWhere {
    /// `~/.claude/settings.json`.
    User,
    /// `.claude/settings.json`.
    Project,
    /// `.claude/settings.local.json`.
    Local,
}

/// A yes or a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerWord {
    /// It may run.
    Allow,
    /// It may not run.
    Deny,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GrantsArguments {
    /// What to do with them.
    #[command(subcommand)]
    pub(crate) verb: Option<GrantsVerb>,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// What can be done with grants.
#[derive(Debug, Subcommand)]
pub(crate) enum GrantsVerb {
    /// Take one back: it no longer counts for any call.
    Revoke(RevokeArguments),
    /// Add a deny or ask rule for all agents of the run, from their next calls on.
    Tighten(TightenArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TightenArguments {
    /// What the rule does.
    pub(crate) behavior: Tighter,
    /// The rule, like `Bash(git push *)`.
    pub(crate) rule: String,
    #[command(flatten)]
    pub(crate) leader: LeaderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// What a rule that is added to a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tighter {
    /// What it matches is refused.
    Deny,
    /// What it matches is asked.
    Ask,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeArguments {
    /// The grant, as `pointsman grants` lists it.
    pub(crate) id: GrantId,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArguments {
    /// The call (`c3-17`), or the question it became (`r3-4`).
    pub(crate) id: CallOrRequest,
    /// Show secrets as they are; they are masked else.
    #[arg(long)]
    pub(crate) reveal: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// An id that leads to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOrRequest {
    /// A call's own.
    Call(CallId),
    /// That of a question about it.
    Request(RequestId),
}

impl std::str::FromStr for CallOrRequest {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('r') {
            text.parse().map(Self::Request)
        } else {
            text.parse().map(Self::Call)
        }
        .map_err(|_| format!("`{text}` is no call or question: write it like `c3-17` or `r3-4`"))
    }
}

#[derive(Debug, Args)]
pub(crate) struct HooksArguments {
    /// What to do with them.
    #[command(subcommand)]
    pub(crate) verb: HooksVerb,
}

/// What can be done with hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HooksVerb {
    /// Ask them about a sample call; shows what each says and what that means. They run for real.
    Test(HooksTestArguments),
}

#[derive(Debug, Args)]
pub(crate) struct HooksTestArguments {
    /// The tool of the sample.
    #[arg(default_value = "Bash", value_name = "TOOL")]
    pub(crate) tool: String,
    /// Its input: the command line or the path, or a JSON object.
    #[arg(
        default_value = "git status",
        value_name = "INPUT",
        allow_hyphen_values = true
    )]
    pub(crate) input: String,
    /// The event, like `PreToolUse`; else each that has a hook.
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Only hooks whose place, like `settings.json:12`, holds this text.
    #[arg(long, value_name = "PLACE")]
    pub(crate) hook: Option<String>,
    #[command(flatten)]
    pub(crate) rules: RuleArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// Say yes without being asked.
    #[arg(long, conflicts_with_all = ["digest", "revoke"])]
    pub(crate) yes: bool,
    /// Say yes if the files have exactly this content, as `pointsman trust` tells it: for CI.
    #[arg(long, value_name = "HEX", conflicts_with = "revoke")]
    pub(crate) digest: Option<Digest>,
    /// Take every yes to this project back.
    #[arg(long)]
    pub(crate) revoke: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// What to do with them.
    #[command(subcommand)]
    pub(crate) verb: PolicyVerb,
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// Tell what settings say without meaning it. A project that is not trusted is read as if it were.
    Lint(PolicyFilesArguments),
    /// List the rules in force, each with its source; path rules with the files they cover.
    Show(PolicyFilesArguments),
    /// Print the JSON schema of settings files.
    Schema(SchemaArguments),
    /// Judge each line of a file of cases; the same as `check --cases`.
    Test(PolicyTestArguments),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyFilesArguments {
    /// Read this settings file too; may be given again.
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyTestArguments {
    /// The cases, one JSON object a line; `-` for standard input.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

impl PolicyVerb {
    fn form(&self) -> &FormArguments {
        match self {
            Self::Lint(verb) | Self::Show(verb) => &verb.form,
            Self::Schema(verb) => &verb.form,
            Self::Test(verb) => &verb.form,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The reason's name; without one all are listed.
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Which leader is meant when several run.
#[derive(Debug, Args)]
pub(crate) struct LeaderArguments {
    /// The run, when several leaders run in this project.
    #[arg(long)]
    pub(crate) run: Option<RunId>,
}

/// For whom to print.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Print one JSON object a line on standard output; all else goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Verb {
    /// For whom the verb prints.
    pub(crate) fn form(&self) -> Form {
        let arguments = match self {
            Self::Run(verb) => &verb.form,
            Self::Check(verb) => &verb.form,
            Self::Init(verb) => &verb.form,
            Self::Queue(verb) => &verb.form,
            Self::Answer(verb) => &verb.form,
            Self::Attach(_) => return Form::Person,
            Self::Show(verb) => &verb.form,
            Self::Workers(verb) => &verb.form,
            Self::Context(verb) => &verb.form,
            Self::Runs(verb) => &verb.form,
            Self::Stop(verb) => &verb.form,
            Self::Pause(verb) => &verb.form,
            Self::Mode(verb) => &verb.form,
            Self::Retry(verb) => &verb.form,
            Self::Add(verb) => &verb.form,
            Self::Tell(verb) => &verb.form,
            Self::Log(verb) => match verb.form() {
                Some(form) => form,
                None => return Form::Program,
            },
            Self::Doctor(verb) => &verb.form,
            Self::Completions(_) | Self::Man(_) => return Form::Program,
            Self::Why(verb) => &verb.form,
            Self::Hooks(HooksArguments {
                verb: HooksVerb::Test(verb),
            }) => &verb.form,
            Self::Grants(GrantsArguments {
                verb: Some(GrantsVerb::Revoke(verb)),
                ..
            }) => &verb.form,
            Self::Grants(GrantsArguments {
                verb: Some(GrantsVerb::Tighten(verb)),
                ..
            }) => &verb.form,
            Self::Grants(verb) => &verb.form,
            Self::Trust(verb) => &verb.form,
            Self::Policy(policy) => policy.verb.form(),
            Self::Schema(verb) => &verb.form,
            Self::Explain(verb) => &verb.form,
        };
        if arguments.json {
            Form::Program
        } else {
            Form::Person
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_check_is_read_as_the_whole_parser_reads_it() {
        for line in [
            "check Bash ls",
            "check --json Bash -rf",
            "check --settings a.json --settings b.json --mode plan Read x",
            "check --allow Bash --ask Read --deny Edit Bash ls",
            "check --cases x.jsonl --json",
            "check --cases x.jsonl Bash ls",
            "check",
            "check Bash",
            "check --mode none Bash ls",
            "check --help",
            "check --no-such Bash ls",
            "chec Bash ls",
            "explain rule",
            "--version",
            "",
        ] {
            let words = || ["pointsman"].into_iter().chain(line.split_whitespace());
            let told = |read: Result<Arguments, clap::Error>| match read {
                Ok(read) => format!("{read:?}"),
                Err(error) => error.to_string(),
            };
            let read = Arguments::read(words().map(OsString::from).collect());
            assert_eq!(
                told(read),
                told(Arguments::try_parse_from(words())),
                "{line}"
            );
        }
    }

    #[test]
    fn help_is_as_it_was() {
        let mut command = Arguments::command().term_width(100);
        let mut help = command.render_long_help().to_string();
        for verb in command.get_subcommands_mut() {
            help.push_str(&format!("\n=== {}\n", verb.get_name()));
            help.push_str(&verb.render_long_help().to_string());
        }
        insta::assert_snapshot!(help);
    }
}
