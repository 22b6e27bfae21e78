//! `awk`, its programs looked through: whether they start, write or fetch anything.

use pointsman_model::{Change, Reach, RunNature};

use super::told::{self, Language};
use super::{Asked, Facts, UseKind};
use crate::builtins::is_of_the_line;
use crate::expand::unknown;
use crate::field::{Field, Shape};
use crate::options::{Arg, Options, Order, read};

const AWK: Options = Options {
    short: "bcSrtP",
    short_value: "FvfieEl",
    short_glued: "",
    long: &[
        "posix",
        "traditional",
        "re-interval",
        "characters-as-bytes",
        "sandbox",
    ],
    long_value: &[
        "field-separator",
        "assign",
        "file",
        "include",
        "source",
        "exec",
        "load",
    ],
};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if !matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "original-awk") {
        return None;
    }
    let mut facts = Facts::reader();
    let mut operands: Vec<&Field> = Vec::new();
    let mut from_file = false;
    let mut in_place = false;
    let mut programs: Vec<Field> = Vec::new();
    let mut values: Vec<Field> = Vec::new();
    for arg in read(asked.args(), &AWK, Order::OptionsFirst) {
        match arg {
            Arg::Option("f" | "--file", Some(file)) => {
                facts.read(&file, Reach::Itself);
                if file.text().is_none() && file.source.contains('(') {
                    // What a process writes.
                    starts(&mut facts, None, &file);
                }
                facts.spoil();
                from_file = true;
            }
            Arg::Option("E" | "--exec", Some(file)) => {
                facts.read(&file, Reach::Itself);
                facts.spoil();
                from_file = true;
            }
            Arg::Option("e" | "--source", Some(program)) => {
                programs.push(program);
                from_file = true;
            }
            Arg::Option("i" | "--include", Some(library)) => {
                if library.is("inplace") {
                    in_place = true;
                } else {
                    facts.read(&library, Reach::Itself);
                }
                facts.spoil();
            }
            Arg::Option("l" | "--load", _) => facts.guard(),
            Arg::Option("v" | "--assign", Some(value)) => values.push(value),
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    if !from_file && !operands.is_empty() {
        programs.push(operands.remove(0).clone());
    }
    for program in &programs {
        match program.text() {
            Some(text) => look_through(&mut facts, text, program, &values),
            None => unknown_program(&mut facts, program, asked),
        }
    }
    for field in operands {
        let assigns = crate::wrappers::assignment(field.prefix()).is_some();
        if !assigns && !field.is("-") {
            facts.read(field, Reach::Itself);
            if in_place {
                facts.write(field, Change::Content);
            }
        }
    }
    Some(facts)
}

/// A program in which something is not known: that may be a part of a command that it starts.
fn unknown_program(facts: &mut Facts, program: &Field, asked: &Asked<'_>) {
    facts.nature = RunNature::InlineCode;
    let source = &program.source;
    if source.contains("system") || source.contains('|') || is_of_the_line(source, asked.state) {
        starts(facts, None, program);
    }
}

/// What a program does beside reading its input and printing.
fn look_through(facts: &mut Facts, text: &str, program: &Field, values: &[Field]) {
    let tokens = tokens(text);
    let mut prints = false;
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Name("print" | "printf") => {
                prints = true;
                depth = 0;
            }
            Token::Name("system") => {
                facts.nature = RunNature::Wrapper;
                let whole = matches!(tokens.get(at + 3), Some(Token::Sign(')')));
                starts(facts, tokens.get(at + 2), program);
                if !whole {
                    starts(facts, None, program);
                }
            }
            Token::Name("ARGV") => {
                // The files that it reads are set there.
                facts.spoil();
                facts.code(text, program.span);
            }
            Token::Name("ENVIRON" | "PROCINFO") => facts.spoil(),
            Token::Name("getline") => {
                getline(facts, &tokens, at, program, values);
            }
            Token::Sign('@') => {
                facts.nature = RunNature::Wrapper;
                if let Some(Token::Text(file)) = tokens.get(at + 2) {
                    facts.read(&Field::made(file, program.span), Reach::Itself);
                }
            }
            Token::Sign('|') => {
                facts.nature = RunNature::Wrapper;
                if matches!(next, Some(Token::Name("getline"))) {
                    starts(
                        facts,
                        at.checked_sub(1).and_then(|at| tokens.get(at)),
                        program,
                    );
                } else {
                    // `|&` starts a process as `|` does.
                    let both = usize::from(matches!(next, Some(Token::Sign('&'))));
                    starts(facts, tokens.get(at + 1 + both), program);
                }
            }
            Token::Sign('(' | '[') => depth += 1,
            Token::Sign(')' | ']') => depth = depth.saturating_sub(1),
            Token::Sign(';' | '\n' | '{' | '}') => {
                prints = false;
                depth = 0;
            }
            Token::Sign('>') if prints && depth == 0 => {
                redirects(facts, (&tokens, next), program, values);
            }
            Token::Broken => facts.spoil(),
            Token::Name(_) | Token::Text(_) | Token::Sign(_) | Token::Value => {}
        }
    }
    if facts.nature == RunNature::Wrapper {
        for script in told::scripts(Language::Code, text, program.span) {
            facts.starts(script);
        }
    }
}

/// `print > file`.
fn redirects(
    facts: &mut Facts,
    (tokens, next): (&[Token<'_>], Option<&Token<'_>>),
    program: &Field,
    values: &[Field],
) {
    match next {
        Some(Token::Text(file))
            if matches!(file.as_str(), "/dev/stderr" | "/dev/stdout" | "/dev/null") => {}
        Some(Token::Text(file)) => {
            facts.spoil();
            facts.write(&Field::made(file, program.span), Change::Content);
        }
        _ => {
            facts.spoil();
            let file = Field {
                known: unknown("", Shape::One),
                ..program.clone()
            };
            facts.write(&file, Change::Content);
            for file in candidates(tokens, program, values) {
                facts.might(&file, UseKind::Write(Change::Content));
            }
        }
    }
}

/// A command that the program starts: a string, or something that is known only when it runs.
fn starts(facts: &mut Facts, token: Option<&Token<'_>>, program: &Field) {
    facts.starts(match token {
        Some(Token::Text(script)) => Field::made(script, program.span),
        _ => Field {
            known: unknown("", Shape::One),
            ..program.clone()
        },
    });
}

/// `getline < file`, `getline name < file`.
fn getline(facts: &mut Facts, tokens: &[Token<'_>], at: usize, program: &Field, values: &[Field]) {
    let behind = tokens.get(at + 1..).unwrap_or_default();
    let from = behind
        .iter()
        .take(6)
        .position(|token| *token == Token::Sign('<'));
    let Some(from) = from else { return };
    match behind.get(from + 1) {
        Some(Token::Text(file)) => facts.read(&Field::made(file, program.span), Reach::Itself),
        _ => {
            facts.spoil();
            for file in candidates(tokens, program, values) {
                facts.might(&file, UseKind::Read(Reach::Itself));
            }
        }
    }
}

/// The texts that a variable of the program may hold.
fn candidates(tokens: &[Token<'_>], program: &Field, values: &[Field]) -> Vec<Field> {
    let texts = tokens.iter().filter_map(|token| match token {
        Token::Text(text) if !text.is_empty() && !text.contains('\n') => {
            Some(Field::made(text, program.span))
        }
        Token::Text(_) | Token::Name(_) | Token::Value | Token::Sign(_) | Token::Broken => None,
    });
    let given = values.iter().filter_map(|value| {
        let (name, _) = value.prefix().split_once('=')?;
        Some(value.tail(name.len() + 1))
    });
    texts.chain(given).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    /// A string, its escapes as they are.
    Text(String),
    /// A number or a regular expression.
    Value,
    /// One character of an operator; of `>>`, `||`, `&&` and comparisons what stands for them.
    Sign(char),
    /// Something that has no end.
    Broken,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(char) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        let len = match char {
            ' ' | '\t' | '\r' => 1,
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => match closing(rest, '"') {
                Some(end) => {
                    found.push(Token::Text(rest.get(1..end).unwrap_or("").to_owned()));
                    end + 1
                }
                None => {
                    found.push(Token::Broken);
                    rest.len()
                }
            },
            '/' if !ends_value(found.last()) => match closing(rest, '/') {
                Some(end) => {
                    found.push(Token::Value);
                    end + 1
                }
                None => {
                    found.push(Token::Broken);
                    rest.len()
                }
            },
            _ if char.is_alphanumeric() || char == '_' => {
                let end = rest
                    .find(|char: char| !(char.is_alphanumeric() || char == '_' || char == '.'))
                    .unwrap_or(rest.len());
                found.push(if char.is_ascii_digit() {
                    Token::Value
                } else {
                    Token::Name(rest.get(..end).unwrap_or(""))
                });
                end
            }
            '\\' if rest.starts_with("\\\n") => 2,
            _ => {
                // `||` joins conditions; `|&` starts a process as `|` does.
                let double = rest.starts_with("||") || rest.starts_with(">=");
                if double {
                    found.push(Token::Sign('='));
                    2
                } else {
                    found.push(Token::Sign(char));
                    let same = rest.starts_with(">>");
                    char.len_utf8() + usize::from(same)
                }
            }
        };
        at += len.max(1);
    }
    found
}

/// Where the string or expression that begins here ends.
fn closing(rest: &str, quote: char) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let mut bracket = false;
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '\n' => return None,
            '[' if quote == '/' => bracket = true,
            ']' if quote == '/' => bracket = false,
            _ if char == quote && !bracket => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether a slash behind this token divides.
fn ends_value(token: Option<&Token<'_>>) -> bool {
    match token {
        Some(Token::Name(name)) => !matches!(*name, "return" | "in" | "print" | "printf" | "case"),
        Some(Token::Text(_) | Token::Value | Token::Sign(')' | ']' | '$')) => true,
        Some(Token::Sign(_) | Token::Broken) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::Span;

    #[track_caller]
    fn check(program: &str, expect: RunNature) {
        let mut facts = Facts::reader();
        let field = Field::made(program, Span { start: 0, end: 0 });
        look_through(&mut facts, program, &field, &[]);
        assert_eq!(facts.nature, expect, "{program}");
    }

    #[test]
    fn programs_that_only_print_are_readers() {
        for program in [
            "{print $1}",
            "$3 > 100 {print $1}",
            "/^[?][?]/ {print $2}",
            "NR>1 && $2 >= 5",
            "BEGIN{FS=\",\"} {s+=$1} END{print s/NR}",
            "{ if ($1 > 2) print \"a > b | c\" }",
            "{print ($1 > 2)}",
            "{print > \"/dev/stderr\"}",
            "a || b",
            "{print \"system(x)\"}",
            "{gsub(/a|b/, \"\"); print}",
            "/a>b/ {print}",
        ] {
            check(program, RunNature::KnownReader);
        }
    }

    #[test]
    fn programs_that_do_more_are_not() {
        for program in [
            "BEGIN{system(\"id\")}",
            "{print | \"sh\"}",
            "{\"id\" | getline x}",
            "@load \"x\"",
            "{print |& \"cmd\"}",
        ] {
            check(program, RunNature::Wrapper);
        }
        for program in ["{print > \"out\"}", "{print $1 >> $2}", "{print \"a}"] {
            check(program, RunNature::Program);
        }
        check("{print | \"sh\"; print > \"f\"}", RunNature::Wrapper);
    }
}
