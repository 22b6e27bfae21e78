//! A command line with its operators, in one spelling: for denies and asks that spell an operator themselves.
//!
//! `echo x>.env`, `echo x 1> .env` and `> .env echo x` are `echo x > .env`. Words are kept apart from operators by
//! blanks, quotes are undone, redirects stand behind the words of their command. No more than another way to see a line:
//! what does not come out of it is still judged by what the commands do.

use crate::wild::{GAP, SEP, plain_bytes};

/// So many commands of one line are put together, in so many bytes in all. A longer line may hold what any rule spells.
const COMMANDS_MAX: usize = 60;
const BYTES_MAX: usize = 4 << 20;

/// What an operator of a line begins with, but for the end of a line.
pub(crate) const SIGNS: [char; 5] = ['|', '&', ';', '<', '>'];

/// What stands between two commands, the longest first.
const BETWEEN: [&str; 10] = ["&&", "||", ";;", "|&", "|", "&", ";", "\n", "(", ")"];

/// What leads input or output elsewhere, the longest first, and how it is written here.
const REDIRECTS: [(&str, &str); 12] = [
    ("&>>", "&>>"),
    ("<<<", "<<<"),
    ("<<-", "<<"),
    (">>", ">>"),
    (">|", ">"),
    (">&", ">&"),
    ("&>", "&>"),
    ("<<", "<<"),
    ("<&", "<&"),
    ("<>", "<>"),
    (">", ">"),
    ("<", "<"),
];

/// Words that stand in front of a command and are none of it.
const IN_FRONT: [&str; 10] = [
    "!", "{", "do", "elif", "else", "if", "then", "time", "until", "while",
];

/// What a star stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stars {
    /// Any text: it is a rule.
    AnyText,
    /// What it matches, which is not looked up: it is a command line.
    Themselves,
}

/// How a word is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Plain,
    Quoted,
}

/// Words and redirects up to the next operator between commands.
#[derive(Debug, Default)]
struct Command {
    words: Vec<Vec<u8>>,
    /// Each an operator, and the word behind it.
    redirects: Vec<Vec<u8>>,
    ends_with: Option<&'static str>,
}

impl Command {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.redirects.is_empty()
    }

    fn text(&self, redirects: &[Vec<u8>]) -> Vec<u8> {
        let words = self.words.join(&SEP);
        let all = std::iter::once(&words).chain(redirects);
        all.map(Vec::as_slice).collect::<Vec<_>>().join(&SEP)
    }
}

/// A rule's text in the one spelling; nothing when it spells no operator.
pub(crate) fn of_rule(text: &str) -> Option<Vec<u8>> {
    if !text.contains(SIGNS) && !text.contains('\n') {
        return None;
    }
    let commands = commands(text, Stars::AnyText);
    let spells = |it: &Command| it.ends_with.is_some() || !it.redirects.is_empty();
    commands.iter().any(spells).then(|| joined(&commands))
}

/// The texts that a line holds: all runs of its commands, and each command with one redirect alone. Nothing where there
/// are too many to be made.
pub(crate) fn of_line(line: &str) -> Option<Vec<Vec<u8>>> {
    let mut commands = commands(line, Stars::Themselves);
    for command in &mut commands {
        let front = |word: &Vec<u8>| IN_FRONT.iter().any(|it| it.as_bytes() == word);
        let kept = command.words.iter().position(|word| !front(word));
        command.words.drain(..kept.unwrap_or(command.words.len()));
    }
    // Each command stands in no more texts than there are pairs of them, twice each.
    let pairs = commands.len() * (commands.len() + 1);
    if commands.len() > COMMANDS_MAX || line.len().saturating_mul(pairs) > BYTES_MAX {
        return None;
    }
    let mut texts = Vec::new();
    for from in 0..commands.len() {
        for to in from..commands.len() {
            let Some(run) = commands.get(from..=to) else {
                continue;
            };
            texts.push(joined(run));
            // The same without the operator behind it.
            if let Some((last, before)) = run.split_last()
                && last.ends_with.is_some()
            {
                let mut text = joined(before);
                if !before.is_empty() {
                    text.push(SEP);
                }
                text.extend(last.text(&last.redirects));
                texts.push(text);
            }
        }
    }
    for command in &commands {
        for redirect in &command.redirects {
            texts.push(command.text(std::slice::from_ref(redirect)));
            // Both streams are the one, too.
            if let Some(rest) = redirect.strip_prefix(b"&>") {
                let one = [b">", rest].concat();
                texts.push(command.text(&[one]));
            }
        }
    }
    Some(texts)
}

fn joined(commands: &[Command]) -> Vec<u8> {
    let mut text = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        if at > 0 {
            text.push(SEP);
        }
        text.extend(command.text(&command.redirects));
        if let Some(operator) = command.ends_with {
            text.push(SEP);
            text.extend(operator.bytes());
        }
    }
    text
}

/// Reads a text into its commands.
fn commands(text: &str, stars: Stars) -> Vec<Command> {
    let mut reader = Reader {
        rest: text,
        stars,
        bodies: Vec::new(),
        word: None,
        spelling: Spelling::Plain,
        redirect: None,
        command: Command::default(),
        commands: Vec::new(),
    };
    while !reader.rest.is_empty() {
        reader.step();
    }
    reader.end_word();
    if !reader.command.is_empty() {
        reader.commands.push(reader.command);
    }
    reader.commands
}

struct Reader<'t> {
    rest: &'t str,
    stars: Stars,
    /// What the bodies of here-documents end with that begin behind this line.
    bodies: Vec<Vec<u8>>,
    word: Option<Vec<u8>>,
    /// Whether some of the word is quoted: then it is no number of a stream.
    spelling: Spelling,
    /// A redirect that waits for its word.
    redirect: Option<Vec<u8>>,
    command: Command,
    commands: Vec<Command>,
}

impl<'t> Reader<'t> {
    fn step(&mut self) {
        if self.rest.starts_with([' ', '\t']) {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            return self.end_word();
        }
        for (operator, written) in REDIRECTS {
            if let Some(rest) = self.rest.strip_prefix(operator) {
                self.rest = rest;
                return self.redirected(written);
            }
        }
        for operator in BETWEEN {
            if let Some(rest) = self.rest.strip_prefix(operator) {
                self.rest = rest;
                return self.end_command(operator);
            }
        }
        let mut chars = self.rest.chars();
        let Some(first) = chars.next() else {
            return;
        };
        self.rest = chars.as_str();
        match first {
            // `$'x'` and `$"x"` are quotes, too.
            '$' if self.rest.starts_with(['\'', '"']) => {}
            '#' if self.word.is_none() && self.stars == Stars::Themselves => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..).unwrap_or("");
            }
            '\'' => {
                let (quoted, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                self.rest = rest;
                self.spelling = Spelling::Quoted;
                self.push(quoted);
            }
            '"' => self.double_quoted(),
            '\\' => {
                self.spelling = Spelling::Quoted;
                let mut chars = self.rest.chars();
                let escaped = chars.next().filter(|char| *char != '\n');
                self.rest = chars.as_str();
                if let Some(char) = escaped {
                    self.push(char.encode_utf8(&mut [0; 4]));
                }
            }
            '*' if self.stars == Stars::AnyText => self.word.get_or_insert_default().push(GAP),
            plain => self.push(plain.encode_utf8(&mut [0; 4])),
        }
    }

    fn double_quoted(&mut self) {
        self.spelling = Spelling::Quoted;
        self.push("");
        let mut chars = self.rest.chars();
        while let Some(char) = chars.next() {
            match char {
                '"' => break,
                '\\' => match chars.next() {
                    Some('\n') | None => {}
                    Some(escaped) => {
                        if !matches!(escaped, '"' | '\\' | '$' | '`') {
                            self.push("\\");
                        }
                        self.push(escaped.encode_utf8(&mut [0; 4]));
                    }
                },
                plain => self.push(plain.encode_utf8(&mut [0; 4])),
            }
        }
        self.rest = chars.as_str();
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().extend(plain_bytes(text));
    }

    fn redirected(&mut self, operator: &'static str) {
        // A number in front of it is the stream, written where it is not the one that is meant without.
        let is_plain = self.spelling == Spelling::Plain;
        let is_stream = |word: &Vec<u8>| is_plain && word.iter().all(u8::is_ascii_digit);
        let stream = self
            .word
            .take_if(|word| is_stream(word))
            .unwrap_or_default();
        self.end_word();
        let usual: &[u8] = if operator.starts_with('<') {
            b"0"
        } else {
            b"1"
        };
        let mut redirect = if stream == usual { Vec::new() } else { stream };
        redirect.extend(operator.bytes());
        self.redirect = Some(redirect);
    }

    fn end_word(&mut self) {
        self.spelling = Spelling::Plain;
        let Some(word) = self.word.take() else {
            return;
        };
        match self.redirect.take() {
            None => self.command.words.push(word),
            Some(redirect) => {
                if redirect.ends_with(b"<<") && !redirect.ends_with(b"<<<") {
                    self.bodies.push(word.clone());
                }
                let whole = [redirect, word].join(&SEP);
                self.command.redirects.push(whole);
            }
        }
    }

    fn end_command(&mut self, operator: &'static str) {
        self.end_word();
        if operator == "\n" {
            self.skip_bodies();
        }
        let mut command = std::mem::take(&mut self.command);
        // An open bracket is no operator of a rule's.
        command.ends_with = match operator {
            "(" | ")" => None,
            "\n" => Some(";"),
            other => Some(other),
        };
        if !command.is_empty() {
            self.commands.push(command);
        }
    }

    fn skip_bodies(&mut self) {
        for end in std::mem::take(&mut self.bodies) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line
                    .trim_start_matches('\t')
                    .bytes()
                    .eq(end.iter().copied())
                {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        let char = |byte: &u8| match *byte {
            SEP => ' ',
            GAP => '*',
            plain => plain.into(),
        };
        text.iter().map(char).collect()
    }

    #[test]
    fn one_spelling_stands_for_all() {
        let one = |text: &str| shown(&joined(&commands(text, Stars::Themselves)));
        for (text, expect) in [
            ("echo x>.env", "echo x > .env"),
            ("echo x 1>'.env'", "echo x > .env"),
            ("> .env echo x", "echo x > .env"),
            ("echo x >|.env", "echo x > .env"),
            ("echo 2>e x", "echo x 2> e"),
            ("x 2>& 1", "x 2>& 1"),
            ("rm x&&ls", "rm x && ls"),
            ("a|b;c\nd &", "a | b ; c ; d &"),
            ("cat <<E > f\nrm x > .env\nE\nls", "cat << E > f ; ls"),
            ("echo a\\>b \"c > d\" # > e", "echo a>b c > d"),
            ("> .env", " > .env"),
            ("cat <<< x\necho y >.env", "cat <<< x ; echo y > .env"),
            ("echo '2'>.env", "echo 2 > .env"),
            ("echo \\2>.env", "echo 2 > .env"),
            ("echo \"\">.env", "echo  > .env"),
            ("echo x >$'.env'", "echo x > .env"),
            ("echo x >$\".env\"", "echo x > .env"),
        ] {
            assert_eq!(one(text), expect, "{text}");
        }
    }

    #[test]
    fn a_rule_without_an_operator_has_no_such_spelling() {
        for text in ["git *", "echo '>' x", "git commit -m \"a & b\""] {
            assert_eq!(of_rule(text), None, "{text}");
        }
        assert_eq!(
            of_rule("*>.env").as_deref().map(shown).as_deref(),
            Some("* > .env")
        );
        assert_eq!(of_rule("* &").as_deref().map(shown).as_deref(), Some("* &"));
    }
    #[test]
    fn a_sign_within_a_word_begins_no_comment() {
        let one = |text: &str| shown(&joined(&commands(text, Stars::Themselves)));
        assert_eq!(one("echo a#b > c"), "echo a#b > c");
        assert_eq!(one("echo # a > c\nls"), "echo ; ls");
        // In a rule it is a sign like another.
        let rule = of_rule("echo # > c").unwrap();
        assert_eq!(shown(&rule), "echo # > c");
    }

    #[test]
    fn a_line_of_too_many_or_too_long_commands_has_no_texts() {
        let commands = |count: usize| vec!["ls"; count].join(";");
        assert!(of_line(&commands(COMMANDS_MAX)).is_some());
        assert_eq!(of_line(&commands(COMMANDS_MAX + 1)), None);
        // Forty commands stand in 1,640 texts.
        let long = |bytes: usize| format!("{}; echo {}", commands(39), "x".repeat(bytes));
        assert!(of_line(&long(1_000)).is_some());
        assert_eq!(of_line(&long(10_000)), None);
    }
}
