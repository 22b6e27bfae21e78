//! The syntax tree of a command line, read by our own parser.
//!
//! Two gears make the same tree: [`scan`] reads lines of plain words and simple quotes, [`parse`]
//! reads all of Bash's grammar. What neither can read exactly is an error, never a guess. Words are
//! kept as the pieces that the shell joins; what a piece becomes is worked out in `expand`.

mod command;
mod compound;
mod double;
mod heredoc;
mod parameter;
mod parser;
mod pieces;
mod quote;
mod scan;
mod word;

use std::borrow::Cow;

use pointsman_model::{OpaqueWhy, Span};

pub(crate) use parser::{Tree, parse};
pub(crate) use pieces::Pieces;
pub(crate) use scan::scan;

/// Why a line can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// What kind of obstacle.
    pub(crate) why: OpaqueWhy,
    /// Where it was met, in bytes.
    pub(crate) at: u32,
}

/// Commands that run one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Script<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// Where the text of the script stands.
    pub(crate) span: Range,
}

/// One entry of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    pub(crate) command: Command<'a>,
    /// Whether `&` ends it, which gives it a process of its own.
    pub(crate) background: bool,
}

/// A stretch of the source. Like [`Span`], with a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Range {
    pub(crate) fn span(self) -> Span {
        Span {
            start: self.start,
            end: self.end,
        }
    }

    /// The stretch's text.
    pub(crate) fn of(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// A command of any shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command<'a> {
    Simple(Simple<'a>),
    /// `a | b`; two or more.
    Pipeline(Vec<Command<'a>>),
    /// `a && b || c`.
    Chain(Box<Command<'a>>, Vec<(Link, Command<'a>)>),
    /// `! a`
    Not(Box<Command<'a>>),
    /// `time a`
    Time(Box<Command<'a>>, Range),
    Compound(Box<Compound<'a>>),
    /// `name() body`; the body is a compound command.
    Function(Box<Function<'a>>),
    /// `coproc [NAME] command`
    Coproc(Option<&'a str>, Box<Command<'a>>),
    /// Nothing: a redirect-free, word-free place, as after `!` or `time` alone.
    Empty,
}

/// How the parts of a chain hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

/// A function definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) body: Command<'a>,
}

/// A command with a body, and its redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compound<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) redirects: Vec<Redirect<'a>>,
    pub(crate) span: Range,
}

/// For what a loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    /// `while`: its condition succeeds.
    While,
    /// `until`: its condition fails.
    Until,
}

/// The bodies of compound commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    Subshell(Script<'a>),
    Group(Script<'a>),
    If {
        arms: Vec<(Script<'a>, Script<'a>)>,
        otherwise: Option<Script<'a>>,
    },
    /// `while` and `until`.
    Loop {
        kind: LoopKind,
        condition: Script<'a>,
        body: Script<'a>,
    },
    /// `for NAME in words`; no words: the positional parameters.
    For {
        name: &'a str,
        words: Option<Vec<Word<'a>>>,
        body: Script<'a>,
    },
    /// `select NAME in words`
    Select {
        name: &'a str,
        words: Option<Vec<Word<'a>>>,
        body: Script<'a>,
    },
    /// `for (( init; test; step ))`
    ForArithmetic {
        expression: Word<'a>,
        body: Script<'a>,
    },
    Case {
        word: Word<'a>,
        arms: Vec<(Vec<Word<'a>>, Script<'a>)>,
    },
    /// `(( expression ))`
    Arithmetic(Word<'a>),
    /// `[[ words ]]`; the operators are words too.
    Condition(Vec<Word<'a>>),
}

/// A simple command: assignments, words, redirects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Simple<'a> {
    pub(crate) assignments: Vec<Assign<'a>>,
    pub(crate) words: Vec<Word<'a>>,
    /// Array assignments among the arguments of `declare` and kin, which stand in `words` as text.
    pub(crate) declared: Vec<Assign<'a>>,
    pub(crate) redirects: Vec<Redirect<'a>>,
    pub(crate) span: Range,
}

/// `NAME=value`, `NAME[index]+=value`, `NAME=(a b)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assign<'a> {
    pub(crate) name: &'a str,
    /// The subscript, read like an arithmetic expression.
    pub(crate) index: Option<Word<'a>>,
    pub(crate) append: bool,
    pub(crate) value: AssignValue<'a>,
    pub(crate) span: Range,
}

/// The right side of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AssignValue<'a> {
    One(Word<'a>),
    /// The elements, subscripts in front of them dropped into words of their own.
    Array(Vec<Word<'a>>),
}

/// A word: its pieces, joined without anything between.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word<'a> {
    pub(crate) pieces: Pieces<'a>,
    pub(crate) span: Range,
}

impl<'a> Word<'a> {
    /// The text, when it is one unquoted piece: what reserved words and operators are.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Unquoted text: wildcards, braces and a tilde in front mean what they mean.
    Text(Cow<'a, str>),
    /// Text from quotes or behind a backslash, decoded.
    Quoted(Cow<'a, str>),
    /// `$x`, `${x...}`
    Parameter(Box<Parameter<'a>>),
    /// `$( )` and backticks.
    Substitution(Box<Substitution<'a>>),
    /// `<( )` and `>( )`
    Process(Box<Script<'a>>),
    /// `$(( ))` and `$[ ]`: the expression's text with what is expanded in it.
    Arithmetic(Box<Word<'a>>),
}

/// A command whose output becomes text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Substitution<'a> {
    pub(crate) script: Script<'a>,
    /// Between double quotes, where its output is neither split nor globbed.
    pub(crate) quoted: bool,
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    /// The variable, or one of `@*#?-$!0..9`.
    pub(crate) name: &'a str,
    pub(crate) form: Form,
    /// The subscript.
    pub(crate) index: Option<Word<'a>>,
    /// The words behind the operator.
    pub(crate) words: Vec<Word<'a>>,
    /// Between double quotes.
    pub(crate) quoted: bool,
}

/// What is done with a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `$x`
    Plain,
    /// `${#x}`
    Length,
    /// `${!x}` and everything behind it.
    Indirect,
    /// `${x:-w}`, `${x-w}`
    Default,
    /// `${x:=w}`, `${x=w}`
    Assign,
    /// `${x:?w}`, `${x?w}`
    Error,
    /// `${x:+w}`, `${x+w}`
    Other,
    /// Made from the value.
    Cut(Cut),
    /// `${x@Q}` and kin but `@P`.
    Transform,
    /// `${x@P}`: the value is read as a prompt, which runs what is in it.
    Prompt,
}

/// What is made from a parameter's value. A doubled operator begins the word behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// `${x#p}`, `${x##p}`
    Front,
    /// `${x%p}`, `${x%%p}`
    Back,
    /// `${x/p/r}`, `${x//p/r}`
    Replace,
    /// `${x^}`, `${x^^}`
    Upper,
    /// `${x,}`, `${x,,}`
    Lower,
    /// `${x:n:m}`
    Slice,
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect<'a> {
    pub(crate) kind: RedirectKind,
    /// The descriptor in front, when there is one: a number, or a variable in braces.
    pub(crate) descriptor: Option<&'a str>,
    /// The target; of a here-document its body.
    pub(crate) target: Word<'a>,
    pub(crate) span: Range,
}

/// The operators of redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    CopyIn,
    /// `>&`
    CopyOut,
    /// `<<`, `<<-`
    Document,
    /// `<<<`
    HereString,
}
