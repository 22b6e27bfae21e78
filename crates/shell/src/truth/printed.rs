//! Our reading of a line beside Bash's own: what Bash prints of it in its plain form must have the same
//! commands.
//!
//! `bash --pretty-print` reads a text and prints it anew, one command a line, quotes and words as they are;
//! it runs nothing. Our reading of what it prints must list no command that our reading of the line does
//! not list. Where Bash refuses a line, ours may go on; where it reads one that we refuse, the answer is
//! Opaque, and counted.

use std::process::{Command as Process, Stdio};

use super::{Dice, MUTANTS, mutant, seeds};
use crate::checks::ends_in_document;
use crate::syntax::{
    Assign, AssignValue, Body, Command, Piece, Redirect, RedirectKind, Script, Tree, Word, parse,
    scan,
};

const ODDITIES: &str = include_str!("oddities.txt");

/// Runs Bash over all lines; each one's printed form goes to a file, its exit code into another.
const DRIVER: &str = r#"
ulimit -t 2
N=0
while IFS= read -r -d '' line; do
    builtin printf %s "$line" > line
    "$BASH" --norc --pretty-print line > "$N.out" 2> "$N.err" < /dev/null
    builtin echo $? > "$N.rc"
    N=$((N+1))
done < lines
"#;

/// What Bash prints of each line; `None` of one that it refuses.
fn printed(lines: &[String]) -> Option<Vec<Option<String>>> {
    let folder = tempfile::tempdir().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\0")).collect();
    std::fs::write(folder.path().join("lines"), text).unwrap();
    let ran = Process::new("bash")
        .args(["--norc", "-c", DRIVER])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.ok()?;
    let read = |name: String| std::fs::read_to_string(folder.path().join(name)).ok();
    let each = (0..lines.len()).map(|number| {
        let code = read(format!("{number}.rc"))?;
        let told = read(format!("{number}.err"))?;
        let fine = code.trim() == "0"
            && !told.contains("syntax error")
            && !told.contains("unexpected EOF");
        read(format!("{number}.out")).filter(|_| fine)
    });
    Some(each.collect())
}

/// All simple commands of a text, at any depth, as words and assignments; sorted.
fn commands(text: &str) -> Option<Vec<String>> {
    let tree = match scan(text) {
        Some(tree) => tree,
        None => parse(text).ok()?,
    };
    let mut found = Found {
        tree: &tree,
        commands: Vec::new(),
    };
    found.script(&tree.script);
    let mut commands = found.commands;
    commands.sort();
    Some(commands)
}

struct Found<'t> {
    tree: &'t Tree<'t>,
    commands: Vec<String>,
}

impl Found<'_> {
    fn script(&mut self, script: &Script<'_>) {
        for item in &script.items {
            self.command(&item.command);
        }
    }

    fn command(&mut self, command: &Command<'_>) {
        match command {
            Command::Simple(simple) => {
                let mut told = String::new();
                for assign in simple.assignments.iter().chain(&simple.declared) {
                    told.push_str(&self.assign(assign));
                    told.push(' ');
                }
                for word in &simple.words {
                    told.push_str(&self.word(word));
                    told.push(' ');
                }
                self.redirects(&simple.redirects);
                self.commands.push(told);
            }
            Command::Pipeline(commands) => commands.iter().for_each(|one| self.command(one)),
            Command::Chain(first, rest) => {
                self.command(first);
                rest.iter().for_each(|(_, one)| self.command(one));
            }
            Command::Not(inner) | Command::Time(inner, _) | Command::Coproc(_, inner) => {
                self.command(inner);
            }
            Command::Function(function) => {
                self.commands.push(format!("function {}", function.name));
                self.command(&function.body);
            }
            Command::Compound(compound) => {
                self.body(&compound.body);
                self.redirects(&compound.redirects);
            }
            Command::Empty => {}
        }
    }

    fn body(&mut self, body: &Body<'_>) {
        match body {
            Body::Subshell(script) | Body::Group(script) => self.script(script),
            Body::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.script(condition);
                    self.script(body);
                }
                otherwise.iter().for_each(|body| self.script(body));
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
                for (patterns, body) in arms {
                    self.words(patterns);
                    self.script(body);
                }
            }
            Body::Arithmetic(expression) => {
                self.word(expression);
            }
            Body::Condition(words) => self.words(words),
        }
    }

    fn redirects(&mut self, redirects: &[Redirect<'_>]) {
        for redirect in redirects {
            let number = redirect.target.span.start as usize;
            let target = match redirect.kind {
                RedirectKind::Document => match self.tree.documents.get(number) {
                    // The body's line feeds are printed in several ways.
                    Some(body) => self.word(body).split_whitespace().collect(),
                    None => String::new(),
                },
                RedirectKind::CopyIn | RedirectKind::CopyOut => {
                    let target = self.word(&redirect.target);
                    target.trim_start_matches('0').to_owned()
                }
                _ => self.word(&redirect.target),
            };
            self.commands.push(format!("{:?} {target}", redirect.kind));
        }
    }

    fn assign(&mut self, assign: &Assign<'_>) -> String {
        if let Some(index) = &assign.index {
            self.word(index);
        }
        match &assign.value {
            AssignValue::One(word) => format!("{}={}", assign.name, self.word(word)),
            AssignValue::Array(words) => {
                self.words(words);
                format!("{}=()", assign.name)
            }
        }
    }

    fn words(&mut self, words: &[Word<'_>]) {
        for word in words {
            self.word(word);
        }
    }

    /// The word with its substitutions emptied; what stands in them is listed.
    fn word(&mut self, word: &Word<'_>) -> String {
        let mut told = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) | Piece::Quoted(text) => told.push_str(text),
                Piece::Parameter(parameter) => {
                    told.push_str(&format!("${{{}{:?}", parameter.name, parameter.form));
                    if let Some(index) = &parameter.index {
                        told.push_str(&self.word(index));
                    }
                    for word in &parameter.words {
                        told.push_str(&self.word(word));
                    }
                    told.push('}');
                }
                Piece::Substitution(inner) => {
                    told.push_str("$()");
                    self.script(&inner.script);
                }
                Piece::Process(script) => {
                    told.push_str("<()");
                    self.script(script);
                }
                Piece::Arithmetic(expression) => {
                    let inner = self.word(expression);
                    told.push_str("$(())");
                    told.extend(inner.split_whitespace());
                }
            }
        }
        told
    }
}

/// The text without what Bash writes where nobody wrote it: the name of a co-process without one, and
/// the redirect that `|&` is.
fn plain(printed: &str) -> String {
    printed
        .replace("coproc COPROC", "coproc")
        .replace(" 2>&1 | ", " | ")
}

fn lines() -> Vec<String> {
    ODDITIES
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| {
            let unescaped = line.replace("\\\\", "\u{1}").replace("\\n", "\n");
            let unescaped = unescaped.replace("\\t", "\t").replace("\\r", "\r");
            unescaped
                .replace("\\u00a0", "\u{a0}")
                .replace('\u{1}', "\\")
        })
        .collect()
}

#[test]
fn bash_prints_no_command_that_is_not_read() {
    let mut lines = lines();
    let odd = lines.len();
    let count = std::env::var("POINTSMAN_TRUTH_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MUTANTS);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let from: Vec<String> = seeds().into_iter().chain(lines.clone()).collect();
    lines.extend((0..count).map(|_| mutant(&from, &mut dice)));
    let Some(printed) = printed(&lines) else {
        return;
    };
    let mut faults = String::new();
    let (mut both, mut refused, mut more) = (0, Vec::new(), Vec::new());
    for (number, (line, printed)) in lines.iter().zip(&printed).enumerate() {
        if line.ends_with('\\') {
            // At the end of a file it is dropped, at the end of a line for `bash -c` it is kept.
            continue;
        }
        let ours = commands(line);
        let Some(printed) = printed else {
            if ours.is_some() && number < odd {
                more.push(line);
            }
            continue;
        };
        // What is printed of a here-document is not always what was read, nor behind one without its end.
        if ends_in_document(line) {
            continue;
        }
        let theirs = commands(&plain(printed));
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            if number < odd && commands(line).is_none() {
                refused.push(line);
            }
            continue;
        };
        both += 1;
        let mut left = ours.clone();
        let missed = theirs.iter().find(|one| {
            let at = left.iter().position(|own| own == *one);
            at.map(|at| left.remove(at)).is_none()
        });
        if let Some(missed) = missed {
            faults.push_str(&format!(
                "{line:?}\nis printed {printed:?}\nwhich has {missed:?}, ours {ours:?}\n\n"
            ));
        }
    }
    if let Ok(path) = std::env::var("POINTSMAN_TRUTH_PRINTED") {
        let text = format!(
            "{both} read by both\nrefused by us: {refused:#?}\nrefused by Bash: {more:#?}\n{faults}"
        );
        std::fs::write(path, text).unwrap();
    }
    assert!(both > odd / 2, "Bash printed {both} lines");
    assert!(faults.is_empty(), "{faults}");
}
