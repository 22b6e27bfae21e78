//! `sed`, its programs read: which files they read and write, and whether they run anything.

use pointsman_model::{Change, Reach, RunNature};

use super::{Asked, Facts};
use crate::expand::unknown;
use crate::field::{Field, Shape};
use crate::options::{Arg, Options, Order, read};

const SED: Options = Options {
    short: "nErsuzb",
    short_value: "efl",
    short_glued: "i",
    long: &[
        "quiet",
        "silent",
        "regexp-extended",
        "separate",
        "unbuffered",
        "null-data",
        "posix",
        "debug",
        "sandbox",
        "follow-symlinks",
        "in-place",
    ],
    long_value: &["expression", "file", "line-length"],
};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if !matches!(name, "sed" | "gsed") {
        return None;
    }
    let mut facts = Facts::reader();
    let mut scripts: Vec<Field> = Vec::new();
    let mut in_place: Option<Option<Field>> = None;
    let mut operands: Vec<&Field> = Vec::new();
    let mut from_file = false;
    for arg in read(asked.args(), &SED, Order::Mixed) {
        match arg {
            Arg::Option("e" | "--expression", Some(script)) => scripts.push(script),
            Arg::Option("f" | "--file", Some(file)) => {
                facts.read(&file, Reach::Itself);
                from_file = true;
            }
            Arg::Option("i" | "--in-place", suffix) => in_place = Some(suffix),
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
    if scripts.is_empty() && !from_file && !operands.is_empty() {
        scripts.push(operands.remove(0).clone());
    }
    let mut writes = Vec::new();
    let mut known = !from_file;
    for script in &scripts {
        known &= script.text().is_some_and(|text| {
            let mut reading = Script::new(text);
            let understood = reading.read();
            runs(&mut facts, &reading.runs, script);
            for (file, change) in &reading.files {
                let field = Field::made(file, script.span);
                match change {
                    FileUse::Read => facts.read(&field, Reach::Itself),
                    FileUse::Write => writes.push(field),
                }
            }
            understood && reading.runs.is_empty()
        });
    }
    if !known {
        facts.spoil();
    }
    for field in &operands {
        facts.read(field, Reach::Itself);
    }
    for file in &writes {
        facts.spoil();
        facts.write(file, Change::Content);
    }
    if let Some(suffix) = in_place {
        if !writes.is_empty() {
            facts.spoil();
        }
        change_in_place(&mut facts, &operands, suffix.as_ref());
    }
    Some(facts)
}

/// The commands of a program.
fn runs(facts: &mut Facts, runs: &[Option<String>], script: &Field) {
    for run in runs {
        facts.guard();
        facts.starts(match run {
            Some(text) => Field::made(text, script.span),
            None => Field {
                known: unknown("", Shape::One),
                ..script.clone()
            },
        });
    }
}

fn change_in_place(facts: &mut Facts, operands: &[&Field], suffix: Option<&Field>) {
    let plain = facts.nature == RunNature::KnownReader;
    facts.nature = if plain {
        RunNature::FileCommand
    } else {
        RunNature::Program
    };
    for field in operands {
        facts.write(field, Change::Content);
        let Some(suffix) = suffix else { continue };
        match (field.text(), suffix.text()) {
            (Some(file), Some(suffix)) if !suffix.contains(['*', '/']) => {
                let backup = Field::made(&format!("{file}{suffix}"), field.span);
                facts.write(&backup, Change::Content);
            }
            _ => facts.spoil(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileUse {
    Read,
    Write,
}

/// A program being read.
struct Script<'s> {
    text: &'s str,
    at: usize,
    files: Vec<(String, FileUse)>,
    /// Commands that it runs; `None` for lines that are known only when they are read.
    runs: Vec<Option<String>>,
}

impl<'s> Script<'s> {
    fn new(text: &'s str) -> Self {
        Self {
            text,
            at: 0,
            files: Vec::new(),
            runs: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, bytes: &[u8]) {
        while self.peek().is_some_and(|byte| bytes.contains(&byte)) {
            self.at += 1;
        }
    }

    /// Reads the whole program; whether it is understood, and runs nothing.
    fn read(&mut self) -> bool {
        loop {
            self.skip(b" \t\n;}");
            if self.peek().is_none() {
                return true;
            }
            if self.command().is_none() {
                return false;
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        if self.address()? {
            self.skip(b" \t");
            if self.peek() == Some(b',') {
                self.at += 1;
                self.skip(b" \t+~");
                self.address()?;
            }
        }
        self.skip(b" \t!");
        let command = self.peek()?;
        self.at += 1;
        match command {
            b'{' | b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P'
            | b'x' | b'z' | b'F' => {}
            b'q' | b'Q' | b'l' | b'L' => self.skip(b" \t0123456789"),
            b'#' => self.line(),
            b':' | b'b' | b't' | b'T' => {
                while self
                    .peek()
                    .is_some_and(|byte| !matches!(byte, b'\n' | b';' | b'}'))
                {
                    self.at += 1;
                }
            }
            b'a' | b'i' | b'c' => self.text_lines(),
            b'r' | b'R' => self.file(FileUse::Read),
            b'w' | b'W' => self.file(FileUse::Write),
            b's' => self.substitute()?,
            b'y' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            b'e' => self.execute(),
            // `v` and what else there may be is not worth knowing.
            _ => return None,
        }
        self.skip(b" \t");
        match self.peek() {
            None | Some(b'\n' | b';' | b'}' | b'#') => Some(()),
            Some(_) if command == b'{' => Some(()),
            Some(_) => None,
        }
    }

    /// Reads an address; whether there was one.
    fn address(&mut self) -> Option<bool> {
        match self.peek() {
            Some(b'0'..=b'9') => {
                self.skip(b"0123456789");
                if self.peek() == Some(b'~') {
                    self.at += 1;
                    self.skip(b"0123456789");
                }
            }
            Some(b'$') => self.at += 1,
            Some(b'/') => {
                self.at += 1;
                self.until('/')?;
                self.skip(b"IM");
            }
            Some(b'\\') => {
                self.at += 1;
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.skip(b"IM");
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn delimiter(&mut self) -> Option<char> {
        let delimiter = self.text.get(self.at..)?.chars().next()?;
        if matches!(delimiter, '\n' | '\\') {
            return None;
        }
        self.at += delimiter.len_utf8();
        Some(delimiter)
    }

    /// Takes text up to and with the delimiter. A bracket in which the delimiter stands is read in
    /// two ways by different versions, and not understood here.
    fn until(&mut self, delimiter: char) -> Option<()> {
        let mut bracket = false;
        let mut chars = self.text.get(self.at..)?.char_indices();
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => {
                    chars.next()?;
                }
                _ if char == delimiter => {
                    if bracket {
                        return None;
                    }
                    self.at += at + char.len_utf8();
                    return Some(());
                }
                '[' => bracket = true,
                ']' => bracket = false,
                _ => {}
            }
        }
        None
    }

    fn substitute(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        self.until(delimiter)?;
        let start = self.at;
        self.until(delimiter)?;
        let end = self.at.saturating_sub(delimiter.len_utf8());
        let replacement = self.text.get(start..end).unwrap_or("").to_owned();
        let flags = self.at;
        self.skip(b"gpieImM0123456789");
        if self.text.get(flags..self.at).unwrap_or("").contains('e') {
            self.runs.push(Some(replacement));
            self.runs.push(None);
        }
        if self.peek() == Some(b'w') {
            self.at += 1;
            self.file(FileUse::Write);
        }
        Some(())
    }

    /// `e command` runs the rest of the line; `e` alone runs the line that was read.
    fn execute(&mut self) {
        self.skip(b" \t");
        let start = self.at;
        self.line();
        let command = self.text.get(start..self.at).unwrap_or("").trim();
        self.runs
            .push((!command.is_empty()).then(|| command.to_owned()));
    }

    /// The name of a file: the rest of the line.
    fn file(&mut self, change: FileUse) {
        self.skip(b" \t");
        let start = self.at;
        self.line();
        let name = self.text.get(start..self.at).unwrap_or("").trim_end();
        if !name.is_empty() {
            self.files.push((name.to_owned(), change));
        }
    }

    fn line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// The text of `a`, `i` and `c`: lines that end in a backslash go on.
    fn text_lines(&mut self) {
        loop {
            let start = self.at;
            self.line();
            let line = self.text.get(start..self.at).unwrap_or("");
            if !line.ends_with('\\') || self.peek().is_none() {
                return;
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expect: &str) {
        let mut reading = Script::new(script);
        let understood = reading.read();
        let mut got = if understood { "reads" } else { "unknown" }.to_owned();
        for (file, change) in &reading.files {
            got.push_str(match change {
                FileUse::Read => " <",
                FileUse::Write => " >",
            });
            got.push_str(file);
        }
        for run in &reading.runs {
            got.push_str(" $");
            got.push_str(run.as_deref().unwrap_or("?"));
        }
        assert_eq!(got, expect, "{script}");
    }

    #[test]
    fn programs_are_read_as_sed_does() {
        for script in [
            "10p",
            "1,10p",
            "$!d",
            "/start/,/end/p",
            "s/a/b/g",
            "s|a/b|c|2",
            "y/abc/xyz/",
            ":a;N;$!ba;s/\\n/ /g",
            "/x/{s/a/b/;p}",
            "1~2d",
            "0,/re/d",
            "\\,x,d",
            "a text; e id",
            "i\\\nline\\\ne id\n",
            "# e id",
            "5q",
            "/a/I p",
        ] {
            check(script, "reads");
        }
        check("r in.txt", "reads <in.txt");
        check("/x/w out.txt", "reads >out.txt");
        check("s/a/b/w out", "reads >out");
        check("1{w /tmp/e\n}", "reads >/tmp/e");
        for script in ["s/a", "k", "s/[/]/x/"] {
            check(script, "unknown");
        }
        check("1e id", "reads $id");
        check("e", "reads $?");
        check("s/a/b/e", "reads $b $?");
        check("s/a/b/ge", "reads $b $?");
    }
}
