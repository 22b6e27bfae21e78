//! Effects: what a call would do, whatever tool it uses. Every tool is reduced to these, and the
//! ladder judges nothing else.

use serde::{Deserialize, Serialize};

use crate::{AbsPath, AgentName, HostName, Run, Span};

/// Who looks at an effect (law 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectView {
    /// It surely happens when this part runs: deny and ask rules look at it, and an allow must cover it.
    Sure,
    /// It might happen, or is another reading of the same thing: deny and ask rules look at it; an allow need not
    /// cover it, since the sure effect it hangs on is harder to cover.
    Might,
    /// It was worked out from what the line makes or hands on: a program's name that a substitution gives, a text
    /// that a shell is fed, another program's own `rm`. An allow must cover it; a deny rule that matches it is a
    /// question for a person, since the rule speaks of what is written.
    Inferred,
    /// Only if the program takes its arguments, or a text in them, for a command, which nobody knows of it: `tool rm x`. A
    /// deny rule that matches it is a question, and an allow need not cover it.
    Guessed,
}

impl EffectView {
    /// Whether an allow must cover an effect of this view.
    #[must_use]
    pub const fn is_to_be_covered(self) -> bool {
        match self {
            Self::Sure | Self::Inferred => true,
            Self::Might | Self::Guessed => false,
        }
    }

    /// Whether a deny rule that matches an effect of this view is a question for a person.
    #[must_use]
    pub const fn is_in_doubt(self) -> bool {
        match self {
            Self::Inferred | Self::Guessed => true,
            Self::Sure | Self::Might => false,
        }
    }
}

/// One thing a call would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// Who looks at it.
    pub view: EffectView,
    /// Which simple command of the line it belongs to, counted from 0 in reading order; 0 for other tools.
    pub part: u32,
}

/// The kinds of effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Starts a program.
    Run(Run),
    /// Reads files.
    Read(PathUse),
    /// Changes files.
    Write {
        /// Which.
        target: PathUse,
        /// How.
        change: Change,
    },
    /// Talks to a host.
    Connect(HostUse),
    /// Starts an agent.
    Spawn(SpawnUse),
    /// Does what can't be told before it runs.
    Opaque(Opaque),
}

/// What is known of a path before the call runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathValue {
    /// This path. Symbolic links on it are not followed here.
    Known(AbsPath),
    /// Whatever in `base` (or below, as the pattern says) matches the shell pattern; without a wildcard a way, see
    /// [`PathValue::way`].
    Pattern {
        /// The folder up to the first segment with a wildcard.
        base: AbsPath,
        /// The rest, a shell pattern.
        glob: Box<str>,
    },
    /// Some path; its spelling is all there is.
    Unknown(Box<str>),
}

impl PathValue {
    /// Of a path that goes up from a name (`link/../x`): where it begins and the way from there. The system goes up from
    /// where a link leads, so that only who sees the links knows where it ends.
    #[must_use]
    pub fn way(&self) -> Option<(&AbsPath, &str)> {
        match self {
            Self::Pattern { base, glob } if !glob.contains(WILDCARDS) => Some((base, glob)),
            Self::Known(_) | Self::Pattern { .. } | Self::Unknown(_) => None,
        }
    }
}

/// What makes a shell pattern stand for more than one path.
const WILDCARDS: [char; 6] = ['*', '?', '[', '\\', '(', '{'];

/// How a path came into a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathRole {
    /// As the input of a file tool.
    Tool,
    /// As an operand of a program.
    Operand,
    /// As the target of a redirect.
    Redirect,
}

/// How far a read goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The file itself, or the names in the folder itself.
    Itself,
    /// Names below it, no content (`find`, `Glob`, `ls -R`).
    NamesBelow,
    /// Content of what lies below it (`grep -r`, `Grep`).
    ContentBelow,
    /// Content that a repository keeps of what lies below it (`git grep`, `git diff -- src`).
    TrackedBelow,
    /// Content that the repository it lies in keeps of anything (`git diff`, `git log -p`).
    Tracked,
}

/// A use of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathUse {
    /// The path.
    pub path: PathValue,
    /// How it came into the call.
    pub by: PathRole,
    /// How far it goes.
    pub reach: Reach,
    /// Where it stands in the command line; nothing for other tools.
    pub span: Option<Span>,
}

/// How a file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Made, written, cut, appended to, moved onto.
    Content,
    /// Removed, or moved away.
    Remove,
    /// Its mode, owner or times are changed.
    Attributes,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostUse {
    /// The host, when it is known.
    pub host: Option<HostName>,
    /// As it is spelled.
    pub source: Box<str>,
    /// Where it stands in the command line.
    pub span: Option<Span>,
}

/// The start of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnUse {
    /// Its type.
    pub agent: AgentName,
}

/// Why something can't be reduced to other effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueWhy {
    /// The line does not parse.
    Syntax,
    /// The line is longer than the analyser reads.
    TooLong,
    /// The line is nested deeper than the analyser goes.
    TooDeep,
    /// The line has more parts than the analyser lists.
    TooMany,
    /// Two parsers read different commands.
    Disagreement,
    /// A construct that the analyser does not know.
    UnknownConstruct,
    /// A character that hides or reorders text.
    HiddenCharacter,
    /// A program whose name is known only when it runs.
    UnknownProgram,
    /// A text that a shell runs, known only when it runs.
    UnknownScript,
    /// Code for another machine or container.
    Remote,
    /// An assignment that changes what later commands run.
    Environment,
    /// A tool that says nothing of what it does.
    UnknownTool,
}

/// Something that can't be told before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opaque {
    /// Why.
    pub why: OpaqueWhy,
    /// The text that is opaque; deny and ask rules still look for what they name in it.
    pub text: Box<str>,
    /// Where it stands in the command line.
    pub span: Option<Span>,
}

/// All effects of one call, in reading order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// The effects.
    pub list: Vec<Effect>,
    /// Of a Bash call: the whole command line, trimmed, with runs of blanks made one; an exact rule for the
    /// whole line is compared with it.
    pub line: Option<Box<str>>,
    /// Of a Bash call: files whose content it runs without naming them as what it runs.
    #[serde(default, skip_serializing_if = "CodeSources::is_empty")]
    pub code: CodeSources,
}

/// Files whose content a command line runs, or may, without naming them as what it runs, and what it runs more than once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeSources {
    /// Those that an interpreter is fed whole as its script.
    pub fed: Vec<AbsPath>,
    /// What the line puts in other places before it may run it there.
    pub copied: Vec<Copied>,
    /// The parts with runs that a loop may bring about again, in order; see [`Effect::part`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<u32>,
}

impl CodeSources {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fed.is_empty() && self.copied.is_empty() && self.repeated.is_empty()
    }
}

/// A file or folder that a command line copies, moves, or makes a name for; what lies below a folder goes with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Copied {
    /// Where it is then.
    pub to: AbsPath,
    /// Where it was before.
    pub from: AbsPath,
}

impl Effect {
    /// The run, if it is one.
    #[must_use]
    pub fn as_run(&self) -> Option<&Run> {
        match &self.kind {
            EffectKind::Run(run) => Some(run),
            EffectKind::Read(_)
            | EffectKind::Write { .. }
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        }
    }

    /// What is read, if it is a read.
    #[must_use]
    pub fn as_read(&self) -> Option<&PathUse> {
        match &self.kind {
            EffectKind::Read(used) => Some(used),
            EffectKind::Run(_)
            | EffectKind::Write { .. }
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        }
    }

    /// Where content is written, if it is such a write.
    #[must_use]
    pub fn as_written(&self) -> Option<&PathUse> {
        match &self.kind {
            EffectKind::Write {
                target,
                change: Change::Content,
            } => Some(target),
            EffectKind::Write { .. }
            | EffectKind::Run(_)
            | EffectKind::Read(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        }
    }

    /// What can't be told, if it is that.
    #[must_use]
    pub fn as_opaque(&self) -> Option<&Opaque> {
        match &self.kind {
            EffectKind::Opaque(opaque) => Some(opaque),
            EffectKind::Run(_)
            | EffectKind::Read(_)
            | EffectKind::Write { .. }
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_) => None,
        }
    }
}

impl Effects {
    /// All runs, in order.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.list.iter().filter_map(Effect::as_run)
    }

    /// What an allow must cover.
    pub fn sure(&self) -> impl Iterator<Item = &Effect> {
        self.list
            .iter()
            .filter(|effect| effect.view.is_to_be_covered())
    }
}
