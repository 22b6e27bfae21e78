//! What a shell command line starts, word by word, as the analyser of the shell crate sees it.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::PathValue;

/// A stretch of the command line, in bytes; `start` included, `end` not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// First byte behind it.
    pub end: u32,
}

/// What is known of a word's value before the line runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordValue {
    /// Exactly this text, quotes and escapes undone.
    Literal(CompactString),
    /// The names of files that match this pattern; the pattern itself when none does.
    Glob(CompactString),
    /// Known only when it runs. It may become any number of words, none included.
    Unknown,
}

/// One word of a command as the shell would build it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Its value.
    pub value: WordValue,
    /// As it is spelled in the line.
    pub source: CompactString,
    /// Where it stands. Of a word that only exists inside a decoded string (`sh -c '...'`): where that string stands.
    pub span: Span,
}

impl Word {
    /// The word's text, when it is known.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match &self.value {
            WordValue::Literal(text) => Some(text),
            WordValue::Glob(_) | WordValue::Unknown => None,
        }
    }
}

/// What an assignment may do to the command behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssignmentWeight {
    /// Changes how a program speaks, not what it does (`LANG`, `NO_COLOR`): an allow rule looks past it.
    Harmless,
    /// Not known to be harmless: an allow rule must name it, deny and ask rules look past it.
    Unlisted,
    /// Changes what runs (`PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`). An Opaque effect stands beside the run.
    ChangesWhatRuns,
}

/// A `NAME=value` in front of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The variable.
    pub name: Box<str>,
    /// What it is set to.
    pub value: Word,
    /// What it may do.
    pub weight: AssignmentWeight,
}

/// What kind of program a run is, from the analyser's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunNature {
    /// Reads and reports with these very flags: changes nothing, connects nowhere, starts nothing. What it reads
    /// stands beside it as Read effects, which are judged for themselves.
    KnownReader,
    /// One of the plain file commands that acceptEdits lets through (`mkdir`, `touch`, `rm`, `rmdir`, `mv`, `cp`,
    /// `sed -i`) in a form whose every effect stands beside it.
    FileCommand,
    /// A program whose effects beyond those listed are unknown. A rule for it covers them.
    Program,
    /// Code given inline to an interpreter (`python3 -c`, `node -e`). Never proposed as a rule.
    InlineCode,
    /// Starts what its arguments say, in a way that no prefix rule may cover: `sudo`, `env -S`, `watch`, `find -exec`.
    /// What it starts stands beside it as runs of view Might.
    Wrapper,
    /// One of the plain wrappers (`timeout`, `nice`, `nohup`, `time`, `stdbuf`, `command`, `builtin`, `xargs`) in
    /// front of a run that stands beside it. Only deny and ask look at this one.
    PlainWrapper,
}

/// Why a command deserves a second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskTag {
    /// Removes or overwrites what can't be had back.
    Destructive,
    /// Talks to other machines.
    Network,
    /// Acts as another user, or changes who may do what.
    Privilege,
    /// Leaves something behind that runs later.
    Persistence,
    /// Touches keys, tokens, passwords.
    Secrets,
}

/// A risk, and the part of the line that earns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// Which.
    pub tag: RiskTag,
    /// The part that earns it.
    pub span: Span,
}

/// One simple command that a line would start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The program and its arguments. Empty for assignments alone.
    pub argv: Vec<Word>,
    /// The same command without global options that change nothing of what it does (`git --no-pager log -1` as
    /// `git log -1`), where it has such options. Rules of every kind may match either.
    pub canonical: Option<Vec<Word>>,
    /// The assignments in front of it, in order.
    pub assignments: Vec<Assignment>,
    /// The command as it is spelled, without assignments and redirects, with runs of blanks made one; what exact
    /// rules are compared with first. For assignments alone: those.
    pub text: CompactString,
    /// The folder it runs in.
    pub folder: PathValue,
    /// What kind of program it is.
    pub nature: RunNature,
    /// Where it stands.
    pub span: Span,
    /// What speaks for a second look.
    pub risks: Vec<Risk>,
}

impl Run {
    /// The program's name as spelled, when it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.argv.first().and_then(Word::literal)
    }
}
