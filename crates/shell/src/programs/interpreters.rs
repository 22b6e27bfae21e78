//! Interpreters: code inline, from their input, or from a file.

use pointsman_model::{Change, Reach, RunNature};

use super::told::{self, Language};
use super::{Asked, Facts, InputIs, UseKind};
use crate::builtins::is_of_the_line;
use crate::field::Field;
use crate::names::ByName;
use crate::walk::{is_filled_unseen, is_input, is_stream, texts_in};

/// An interpreter: its name, options with code for their value, letters that may be bundled in
/// front of those, and options with another value.
const INTERPRETERS: [Interpreter; 20] = [
    ("python", &["-c"], &["-W", "-X", "-m"]),
    (
        "node",
        &["-e", "--eval", "-p", "--print", "-pe"],
        &["-r", "--require", "--import", "--loader"],
    ),
    ("deno", &["eval"], &[]),
    ("bun", &["-e", "--eval", "-p", "--print"], &[]),
    ("perl", &["-e", "-E"], &["-I", "-M"]),
    ("ruby", &["-e"], &["-r", "-I"]),
    ("php", &["-r", "-B", "-R", "-E"], &["-d", "-c"]),
    ("lua", &["-e"], &["-l"]),
    ("luajit", &["-e"], &["-l"]),
    ("Rscript", &["-e"], &[]),
    ("R", &["-e"], &[]),
    ("julia", &["-e", "-E"], &[]),
    ("osascript", &["-e"], &["-l"]),
    ("tclsh", &[], &[]),
    ("ghc", &["-e"], &[]),
    ("elixir", &["-e"], &[]),
    ("erl", &["-eval"], &[]),
    ("groovy", &["-e"], &[]),
    ("scala", &["-e"], &[]),
    ("sqlite3", &[], &[]),
];

type Interpreter = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

static BY_NAME: ByName<Interpreter> = ByName::new(|| {
    let named = INTERPRETERS.into_iter();
    named
        .map(|interpreter| (interpreter.0, interpreter))
        .collect()
});

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let base = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let base = match base {
        "pypy" | "ipython" => "python",
        "nodejs" => "node",
        base => base,
    };
    let (_, codes, valued) = BY_NAME.get(base).or_else(|| BY_NAME.get(name))?;
    let mut facts = Facts::program();
    let mut args = asked.args().iter();
    let mut file: Option<&Field> = None;
    while let Some(field) = args.next() {
        let Some(text) = field.text() else {
            facts.nature = RunNature::InlineCode;
            file = Some(field);
            break;
        };
        if is_code(text, codes) {
            inline(&mut facts, asked, base, codes);
            return Some(facts);
        }
        if valued.contains(&text) {
            args.next();
            if text == "-m" {
                return Some(facts);
            }
            continue;
        }
        if matches!((base, text), ("deno" | "bun", "run")) {
            continue;
        }
        if text != "-" && !text.starts_with('-') {
            file = Some(field);
            break;
        }
    }
    match file.filter(|field| !is_input(field)) {
        Some(field) if matches!(base, "sqlite") || name == "sqlite3" => {
            facts.might(field, UseKind::Read(Reach::Itself));
            facts.might(field, UseKind::Write(Change::Content));
            client(&mut facts, asked);
        }
        Some(field) if field.text().is_some() => {
            facts.read(field, Reach::Itself);
            for text in texts_in(field, asked.state) {
                facts.code(&text, field.span);
            }
            if is_stream(field) || is_filled_unseen(field, asked.state) {
                facts.starts(field.unseen());
            }
        }
        Some(field) if is_stream(field) => facts.starts(field.unseen()),
        Some(_) => {}
        None if asked.called.input.fed => {
            facts.nature = RunNature::InlineCode;
            facts.input = InputIs::Code;
            if let Some(text) = asked.called.input.text() {
                facts.code(text, asked.called.span);
            }
            client(&mut facts, asked);
        }
        None => {}
    }
    Some(facts)
}

/// Code in an argument, and what stands behind it: files of a `perl -n`, arguments of others.
fn inline(facts: &mut Facts, asked: &Asked<'_>, base: &str, codes: &[&str]) {
    facts.nature = RunNature::InlineCode;
    let mut operands: Vec<&Field> = Vec::new();
    let mut rest = asked.args().iter();
    let mut loops = false;
    let mut in_place = false;
    while let Some(field) = rest.next() {
        let Some(text) = field.text() else {
            operands.push(field);
            continue;
        };
        if text.len() > 1
            && text.starts_with('-')
            && !["--", "-M", "-m", "-I"]
                .iter()
                .any(|it| text.starts_with(it))
        {
            let letters = text.get(1..).unwrap_or("");
            let flags = letters.split(['e', 'E']).next().unwrap_or("");
            loops |= flags.contains(['n', 'p']);
            in_place |= flags.contains('i');
        }
        if is_code(text, codes) {
            if codes.contains(&text) || text.ends_with(['e', 'E', 'c', 'r', 'p']) {
                if let Some(code) = rest.next() {
                    facts.code(code.text().unwrap_or(code.prefix()), code.span);
                    if code.text().is_none() && is_of_the_line(&code.source, asked.state) {
                        facts.starts(code.clone());
                    }
                }
            } else {
                facts.code(text, field.span);
            }
        } else if !text.starts_with('-') {
            operands.push(field);
        }
    }
    let edits = matches!(base, "perl" | "ruby");
    for field in operands {
        if edits && in_place {
            facts.write(field, Change::Content);
        }
        if edits && (loops || in_place) {
            facts.read(field, Reach::Itself);
        } else {
            facts.might(field, UseKind::Read(Reach::Itself));
        }
    }
}

/// The commands of a database's own client, in its arguments and on its input.
fn client(facts: &mut Facts, asked: &Asked<'_>) {
    let texts = asked.args().iter().filter_map(Field::text);
    for text in texts.chain(asked.called.input.text()) {
        for script in told::scripts(Language::Sql, text, asked.called.span) {
            facts.starts(script);
            facts.guard();
        }
        for word in [
            ".read ", ".import ", ".output ", ".once ", ".open ", ".save ", ".backup ",
        ] {
            if let Some((_, rest)) = text.split_once(word) {
                let name = rest.split_whitespace().next().unwrap_or("");
                let field = Field::made(name, asked.called.span);
                facts.might(&field, UseKind::Read(Reach::Itself));
                facts.might(&field, UseKind::Write(Change::Content));
            }
        }
    }
}

/// Whether the option has code for its value, glued, bundled or apart.
fn is_code(text: &str, codes: &[&str]) -> bool {
    codes.iter().any(|code| {
        if text == *code {
            return true;
        }
        match code.strip_prefix("--") {
            Some(_) => text
                .strip_prefix(code)
                .is_some_and(|rest| rest.starts_with('=')),
            // `-ne code`, `-ccode`: the letter stands in a bundle.
            None => match code.strip_prefix('-') {
                Some(letter) if letter.len() == 1 => {
                    let letters = text.strip_prefix('-').unwrap_or("");
                    // What stands behind an option with a value is that value: `-MFile::Slurp`.
                    let flags = letters.split(letter).next().unwrap_or("");
                    !letters.starts_with('-')
                        && letters.contains(letter)
                        && !flags.contains(['M', 'm', 'I', 'F', 'W', 'X', 'r'])
                }
                _ => false,
            },
        }
    })
}
