//! The second opinion: another parser must list the same commands.
//!
//! For each text that is read as a script (the line, and what stands in its substitutions) the
//! other parser's simple commands, in order, must have the same words in the same places. It reads a
//! substitution's text as a part of a word, so where that ends is looked at twice. Whatever it can't
//! read, or reads in another way, leaves the line in doubt.
//!
//! What the first gear reads by itself is left out: that has two readings already, and the other parser says
//! all the same where it begins and ends.
//!
//! Its time grows with a power of how deep substitutions stand in each other. So it gets each script
//! with the substitutions in it, but what stands in those in turn is left out there: that has been
//! looked at with the substitution's own text. Each byte is read twice at most.

mod plain;

use std::borrow::Cow;

use rable::{ListItem, Node, NodeKind};

use crate::syntax::{
    Assign, AssignValue, Body, Command, Piece, Range, Redirect, Script, Simple, Tree, Word,
};
use crate::work;

/// Whether both parsers list the same.
pub(crate) fn agrees(text: &str, tree: &Tree<'_>) -> bool {
    let mut ours = Ours {
        text,
        tree,
        scripts: Vec::new(),
        at: 0,
    };
    ours.read(&tree.script);
    (0..ours.scripts.len()).all(|at| ours.same(at))
}

/// Spelling without what the parsers drop at different times: continued lines.
fn spelled(text: &str) -> Cow<'_, str> {
    if text.as_bytes().contains(&b'\\') && text.contains("\\\n") {
        Cow::Owned(text.replace("\\\n", ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// A range that is left out, and what the other parser gets in its place.
type LeftOut = (Range, &'static str);

/// What stands in the place of commands.
const WORD: &str = "x";

/// A command of ours.
#[derive(Debug, Clone, Copy)]
enum Listed<'t> {
    Here(&'t Simple<'t>),
    /// One or more, for which there is [`WORD`].
    LeftOut,
}

/// The stretch of the text, without the ranges in it that are left out.
fn without<'t>(text: &'t str, stretch: Range, left_out: &[LeftOut]) -> Cow<'t, str> {
    let first = left_out.partition_point(|(range, _)| range.start < stretch.start);
    let inside = left_out.get(first..).unwrap_or_default();
    let mut inside = inside
        .iter()
        .take_while(|(range, _)| range.end <= stretch.end)
        .peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(stretch.of(text));
    }
    let mut kept = String::new();
    let mut from = stretch.start;
    for (range, instead) in inside {
        if range.start < from {
            // In one that is left out already.
            continue;
        }
        let before = Range {
            start: from,
            end: range.start,
        };
        kept.push_str(before.of(text));
        kept.push_str(instead);
        from = range.end;
    }
    let rest = Range {
        start: from,
        end: stretch.end,
    };
    kept.push_str(rest.of(text));
    Cow::Owned(kept)
}

/// Our commands, one after another, to be compared with the other parser's.
struct Told<'o> {
    text: &'o str,
    left_out: &'o [LeftOut],
    commands: std::slice::Iter<'o, Listed<'o>>,
}

impl Told<'_> {
    /// Whether the next one of ours is this one of theirs.
    fn next_is(&mut self, assignments: usize, words: &[Node]) -> bool {
        let mut theirs = words.iter().filter_map(word_text);
        let ours = match self.commands.next() {
            Some(Listed::Here(ours)) => ours,
            Some(Listed::LeftOut) => {
                return assignments == 0
                    && theirs.next().as_deref() == Some(WORD)
                    && theirs.next().is_none();
            }
            None => return false,
        };
        assignments == ours.assignments.len()
            && ours.words.iter().all(|word| {
                let own = without(self.text, word.span, self.left_out);
                theirs.next().is_some_and(|theirs| theirs == spelled(&own))
            })
            && theirs.next().is_none()
    }
}

/// Compares the other parser's commands; `false` for a node that has no place here.
#[expect(
    clippy::too_many_lines,
    reason = "it names every node, so that a new one breaks the build"
)]
fn tell(node: &Node, told: &mut Told<'_>) -> bool {
    match &node.kind {
        NodeKind::Command {
            assignments,
            words,
            redirects: _,
        } => told.next_is(assignments.len(), words),
        NodeKind::Pipeline { commands, .. } => all(commands, told),
        NodeKind::List { items } => list(items, told),
        NodeKind::If {
            condition,
            then_body,
            else_body,
            ..
        } => {
            tell(condition, told)
                && tell(then_body, told)
                && else_body.as_ref().is_none_or(|node| tell(node, told))
        }
        NodeKind::While {
            condition, body, ..
        }
        | NodeKind::Until {
            condition, body, ..
        } => tell(condition, told) && tell(body, told),
        NodeKind::For { body, .. }
        | NodeKind::ForArith { body, .. }
        | NodeKind::Select { body, .. }
        | NodeKind::Function { body, .. }
        | NodeKind::Subshell { body, .. }
        | NodeKind::BraceGroup { body, .. } => tell(body, told),
        NodeKind::Case { patterns, .. } => patterns
            .iter()
            .filter_map(|pattern| pattern.body.as_ref())
            .all(|body| tell(body, told)),
        NodeKind::Coproc { command, .. } => tell(command, told),
        NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => tell(pipeline, told),
        NodeKind::ArithmeticCommand { .. }
        | NodeKind::ConditionalExpr { .. }
        | NodeKind::Empty
        | NodeKind::Comment { .. } => true,
        NodeKind::Word { .. }
        | NodeKind::WordLiteral { .. }
        | NodeKind::Redirect { .. }
        | NodeKind::HereDoc { .. }
        | NodeKind::ParamExpansion { .. }
        | NodeKind::ParamLength { .. }
        | NodeKind::ParamIndirect { .. }
        | NodeKind::CommandSubstitution { .. }
        | NodeKind::ProcessSubstitution { .. }
        | NodeKind::AnsiCQuote { .. }
        | NodeKind::LocaleString { .. }
        | NodeKind::BraceExpansion { .. }
        | NodeKind::ArithmeticExpansion { .. }
        | NodeKind::ArithNumber { .. }
        | NodeKind::ArithVar { .. }
        | NodeKind::ArithBinaryOp { .. }
        | NodeKind::ArithUnaryOp { .. }
        | NodeKind::ArithPreIncr { .. }
        | NodeKind::ArithPostIncr { .. }
        | NodeKind::ArithPreDecr { .. }
        | NodeKind::ArithPostDecr { .. }
        | NodeKind::ArithAssign { .. }
        | NodeKind::ArithTernary { .. }
        | NodeKind::ArithComma { .. }
        | NodeKind::ArithSubscript { .. }
        | NodeKind::ArithEmpty
        | NodeKind::ArithEscape { .. }
        | NodeKind::ArithDeprecated { .. }
        | NodeKind::ArithConcat { .. }
        | NodeKind::UnaryTest { .. }
        | NodeKind::BinaryTest { .. }
        | NodeKind::CondAnd { .. }
        | NodeKind::CondOr { .. }
        | NodeKind::CondNot { .. }
        | NodeKind::CondParen { .. }
        | NodeKind::CondTerm { .. }
        | NodeKind::Array { .. } => false,
    }
}

fn all(nodes: &[Node], told: &mut Told<'_>) -> bool {
    nodes.iter().all(|node| tell(node, told))
}

fn list(items: &[ListItem], told: &mut Told<'_>) -> bool {
    items.iter().all(|item| tell(&item.command, told))
}

fn word_text(node: &Node) -> Option<Cow<'_, str>> {
    match &node.kind {
        NodeKind::Word { value, .. } => Some(spelled(value)),
        _ => None,
    }
}

/// A script of ours: the line, or the text of a substitution.
#[derive(Debug, Default)]
struct Own<'t> {
    span: Range,
    commands: Vec<Listed<'t>>,
    /// Those of them that are left out.
    plain: Vec<Range>,
    /// The substitutions in its words, by number.
    inner: Vec<usize>,
}

/// Our tree, script by script.
struct Ours<'t> {
    text: &'t str,
    tree: &'t Tree<'t>,
    scripts: Vec<Own<'t>>,
    /// The script that is read.
    at: usize,
}

impl<'t> Ours<'t> {
    /// Reads a script and all that stand in it.
    fn read(&mut self, script: &'t Script<'t>) {
        let outer = std::mem::replace(&mut self.at, self.scripts.len());
        let own = self.at;
        self.scripts.push(Own {
            span: script.span,
            ..Own::default()
        });
        self.script(script);
        self.at = outer;
        if own != outer
            && let Some(outer) = self.scripts.get_mut(outer)
        {
            outer.inner.push(own);
        }
    }

    /// Whether the other parser lists the same for this script.
    fn same(&self, at: usize) -> bool {
        let Some(own) = self.scripts.get(at) else {
            return false;
        };
        if own.plain == [own.span] {
            // Its place is looked at with the script that it stands in.
            return true;
        }
        // What stands two levels down.
        let mut left_out: Vec<LeftOut> = own
            .inner
            .iter()
            .filter_map(|inner| self.scripts.get(*inner))
            .flat_map(|inner| &inner.inner)
            .filter_map(|inner| self.scripts.get(*inner))
            .map(|inner| inner.span)
            .chain(own.plain.iter().copied())
            .map(|range| (range, WORD))
            .collect();
        left_out.extend(self.tree.continued.iter().map(|range| (*range, "")));
        left_out.sort_unstable();
        let text = without(self.text, own.span, &left_out);
        work::count(text.len());
        let Ok(nodes) = rable::parse(&text, false) else {
            return false;
        };
        let mut told = Told {
            text: self.text,
            left_out: &left_out,
            commands: own.commands.iter(),
        };
        nodes.iter().all(|node| tell(node, &mut told)) && told.commands.next().is_none()
    }

    fn script(&mut self, script: &'t Script<'t>) {
        for item in &script.items {
            self.command(&item.command);
        }
    }

    fn command(&mut self, command: &'t Command<'t>) {
        if let Some(stretch) = plain::stretch(self.text, command)
            && let Some(own) = self.scripts.get_mut(self.at)
        {
            own.plain.push(stretch);
            own.commands.push(Listed::LeftOut);
            return;
        }
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(commands) => commands.iter().for_each(|one| self.command(one)),
            Command::Chain(first, rest) => {
                self.command(first);
                rest.iter().for_each(|(_, one)| self.command(one));
            }
            Command::Not(inner) | Command::Time(inner, _) | Command::Coproc(_, inner) => {
                self.command(inner);
            }
            Command::Function(function) => self.command(&function.body),
            Command::Empty => {}
            Command::Compound(compound) => {
                self.body(&compound.body);
                self.redirects(&compound.redirects);
            }
        }
    }

    fn body(&mut self, body: &'t Body<'t>) {
        match body {
            Body::Subshell(script) | Body::Group(script) => self.script(script),
            Body::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.script(condition);
                    self.script(body);
                }
                if let Some(script) = otherwise {
                    self.script(script);
                }
            }
            Body::Loop {
                condition, body, ..
            } => {
                self.script(condition);
                self.script(body);
            }
            Body::For { words, body, .. } | Body::Select { words, body, .. } => {
                self.words(words.as_deref().unwrap_or_default());
                self.script(body);
            }
            Body::ForArithmetic { expression, body } => {
                self.word(expression);
                self.script(body);
            }
            Body::Case { word, arms } => {
                self.word(word);
                for (patterns, script) in arms {
                    self.words(patterns);
                    self.script(script);
                }
            }
            Body::Arithmetic(expression) => self.word(expression),
            Body::Condition(words) => self.words(words),
        }
    }

    fn simple(&mut self, simple: &'t Simple<'t>) {
        if let Some(own) = self.scripts.get_mut(self.at) {
            own.commands.push(Listed::Here(simple));
        }
        self.assigns(&simple.assignments);
        self.assigns(&simple.declared);
        self.words(&simple.words);
        self.redirects(&simple.redirects);
    }

    fn assigns(&mut self, assigns: &'t [Assign<'t>]) {
        for assign in assigns {
            if let Some(index) = &assign.index {
                self.word(index);
            }
            match &assign.value {
                AssignValue::One(word) => self.word(word),
                AssignValue::Array(words) => self.words(words),
            }
        }
    }

    fn redirects(&mut self, redirects: &'t [Redirect<'t>]) {
        for redirect in redirects {
            match redirect.kind {
                crate::syntax::RedirectKind::Document => {
                    let number = redirect.target.span.start as usize;
                    if let Some(body) = self.tree.documents.get(number) {
                        self.word(body);
                    }
                }
                _ => self.word(&redirect.target),
            }
        }
    }

    fn words(&mut self, words: &'t [Word<'t>]) {
        words.iter().for_each(|word| self.word(word));
    }

    fn word(&mut self, word: &'t Word<'t>) {
        for piece in &word.pieces {
            match piece {
                Piece::Text(_) | Piece::Quoted(_) => {}
                Piece::Parameter(parameter) => {
                    if let Some(index) = &parameter.index {
                        self.word(index);
                    }
                    self.words(&parameter.words);
                }
                Piece::Substitution(substitution) => self.read(&substitution.script),
                Piece::Process(script) => self.read(script),
                Piece::Arithmetic(expression) => self.word(expression),
            }
        }
    }
}
