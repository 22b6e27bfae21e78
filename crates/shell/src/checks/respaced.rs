//! Blanks, line feeds and comments between commands and words change nothing.

use super::{essence, surroundings};
use crate::analyse;
use crate::syntax::{Body, Command, Script, Simple, parse};

/// Bytes of a line that is tried; longer ones take long and show nothing new.
const BYTES_MAX: usize = 2_000;

/// The line means the same with more blanks, line feeds and comments where some may stand.
///
/// # Errors
/// The line that means something else, and how.
pub fn spacing_changes_nothing(line: &str) -> Result<(), String> {
    let Ok(tree) = parse(line) else {
        return Ok(());
    };
    // A backslash at the end would glue what is added; a carriage return is hidden unless a line feed
    // follows.
    if line.len() > BYTES_MAX || line.ends_with(['\\', '\r']) || tree.script.items.is_empty() {
        return Ok(());
    }
    let at = surroundings();
    let expect = essence(&analyse(line, &at));
    let mut gaps = Vec::new();
    script(&tree.script, &mut gaps);
    let mut forms = vec![
        format!("  {line}"),
        format!("\n\t\n{line}"),
        format!("# note\n{line}"),
        with(line, &gaps, " "),
        with(line, &gaps, "\t \t"),
    ];
    if !ends_in_document(line) {
        forms.push(format!("{line}\n"));
        forms.push(format!("{line}\n# note; rm x"));
    }
    if !line.contains("<<") {
        forms.push(with(line, &gaps, "\\\n"));
        forms.push(with(line, &gaps, " \\\n  "));
    }
    if let Some(comment) = commented(line) {
        forms.push(comment);
    }
    for form in forms {
        let got = essence(&analyse(&form, &at));
        if got != expect {
            return Err(format!("{form:?}\n{}", difference(&expect, &got)));
        }
    }
    Ok(())
}

/// Whether the line ends inside a here-document, which takes in what is put behind it.
pub(crate) fn ends_in_document(line: &str) -> bool {
    let commands = |text: &str| parse(text).map(|tree| tree.script.items.len());
    match (commands(line), commands(&format!("{line}\n:"))) {
        (Ok(alone), Ok(followed)) => line.contains("<<") && followed <= alone,
        _ => false,
    }
}

/// The line with a comment behind it, when none stands there and no here-document ends it.
fn commented(line: &str) -> Option<String> {
    let last = line.rsplit('\n').next()?;
    let open = line.contains("<<") || last.contains('#') || last.is_empty();
    (!open).then(|| format!("{line} # note; rm x"))
}

fn difference(expect: &[String], got: &[String]) -> String {
    let mut text = String::new();
    for line in expect.iter().filter(|line| !got.contains(line)) {
        text.push_str("- ");
        text.push_str(line);
        text.push('\n');
    }
    for line in got.iter().filter(|line| !expect.contains(line)) {
        text.push_str("+ ");
        text.push_str(line);
        text.push('\n');
    }
    if text.is_empty() {
        text.push_str("the same in another order or number\n");
    }
    text
}

/// The line with the text put into each gap.
fn with(line: &str, gaps: &[usize], text: &str) -> String {
    let mut gaps: Vec<usize> = gaps.to_vec();
    gaps.sort_unstable();
    gaps.dedup();
    let mut made = String::with_capacity(line.len() + gaps.len() * text.len());
    let mut from = 0;
    for gap in gaps {
        made.push_str(line.get(from..gap).unwrap_or(""));
        made.push_str(text);
        from = gap;
    }
    made.push_str(line.get(from..).unwrap_or(""));
    made
}

fn script(script: &Script<'_>, gaps: &mut Vec<usize>) {
    for item in &script.items {
        command(&item.command, gaps);
    }
}

fn command(one: &Command<'_>, gaps: &mut Vec<usize>) {
    match one {
        Command::Simple(simple) => words(simple, gaps),
        Command::Pipeline(commands) => commands.iter().for_each(|one| command(one, gaps)),
        Command::Chain(first, rest) => {
            command(first, gaps);
            rest.iter().for_each(|(_, one)| command(one, gaps));
        }
        Command::Not(inner) | Command::Time(inner, _) | Command::Coproc(_, inner) => {
            command(inner, gaps);
        }
        Command::Function(function) => command(&function.body, gaps),
        Command::Compound(compound) => match &compound.body {
            Body::Subshell(body) | Body::Group(body) => script(body, gaps),
            Body::If { arms, otherwise } => {
                for (condition, body) in arms {
                    script(condition, gaps);
                    script(body, gaps);
                }
                if let Some(body) = otherwise {
                    script(body, gaps);
                }
            }
            Body::Loop {
                condition, body, ..
            } => {
                script(condition, gaps);
                script(body, gaps);
            }
            Body::For { body, .. }
            | Body::Select { body, .. }
            | Body::ForArithmetic { body, .. } => script(body, gaps),
            Body::Case { arms, .. } => arms.iter().for_each(|(_, body)| script(body, gaps)),
            Body::Arithmetic(_) | Body::Condition(_) => {}
        },
        Command::Empty => {}
    }
}

/// The gaps in front of all words but the first, where a blank stands already.
fn words(simple: &Simple<'_>, gaps: &mut Vec<usize>) {
    for pair in simple.words.windows(2) {
        if let [before, word] = pair
            && before.span.end < word.span.start
        {
            gaps.push(word.span.start as usize);
        }
    }
}
