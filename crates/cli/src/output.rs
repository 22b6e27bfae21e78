//! Where words go: facts to standard output, in a person's or a program's form; all else to standard
//! error.
//!
//! A reader that goes away (`pointsman log | head`) is no error: what follows is dropped.

use std::io::{self, Write as _};
use std::process::ExitCode;

use pointsman_model::{plain_json, visible};
use serde::Serialize;

use crate::failure::{Code, Failure};

/// For whom facts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A person: text.
    Person,
    /// A program: one JSON object a line.
    Program,
}

/// Whether anybody reads on.
#[derive(Debug)]
enum Reader {
    Reads,
    Gone,
    Failed(io::Error),
    /// It takes nothing any more, and a write to it would never come back.
    Stalled,
}

/// A verb's standard output and standard error.
#[derive(Debug)]
pub(crate) struct Output {
    form: Form,
    reader: Reader,
}

impl Output {
    /// Output in that form.
    pub(crate) fn of(form: Form) -> Self {
        Self {
            form,
            reader: Reader::Reads,
        }
    }

    /// For whom facts are printed.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Whether printing more makes sense.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.reader, Reader::Reads)
    }

    /// Prints text for a person, nothing in it hidden (law 22); nothing in a program's form.
    pub(crate) fn text(&mut self, text: &str) {
        if self.form == Form::Person {
            self.write(&visible(text));
        }
    }

    /// Prints one object for a program, nothing in it hidden (law 22); nothing in a person's form.
    pub(crate) fn object(&mut self, object: &impl Serialize) {
        if self.form == Form::Person {
            return;
        }
        match serde_json::to_string(object) {
            Ok(line) => self.write(&(plain_json(line) + "\n")),
            Err(error) => self.fail(error.into()),
        }
    }

    /// Prints text that is the same in both forms.
    pub(crate) fn raw(&mut self, text: &str) {
        self.write(text);
    }

    /// Says something beside the facts, on standard error, nothing in it hidden (law 22).
    pub(crate) fn note(&self, text: &str) {
        say(&visible(text));
    }

    /// The same for text with colours of our own, whose parts were made visible before they were painted.
    pub(crate) fn painted(&self, text: &str) {
        say(text);
    }

    /// Prints nothing any more: the reader has stalled.
    pub(crate) fn abandon(&mut self) {
        self.reader = Reader::Stalled;
    }

    fn write(&mut self, text: &str) {
        if !self.is_read() {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.reader = match error.kind() {
            io::ErrorKind::BrokenPipe => Reader::Gone,
            _ => Reader::Failed(error),
        };
    }

    /// Ends the program: tells a failure, and makes the exit code.
    pub(crate) fn finish(self, ended: Result<Code, Failure>) -> ExitCode {
        let code = match (ended, self.reader) {
            (Err(failure), Reader::Stalled) => failure.code(),
            (Err(failure), _) => {
                say(&visible(&failure.to_string()));
                failure.code()
            }
            (Ok(code), Reader::Failed(error)) => {
                say(&format!(
                    "error: standard output can't be written, so what stands there is not all: {error}\n"
                ));
                match code {
                    Code::Done => Code::Failed,
                    // A run's code tells of the run, and the others tell of something worse already.
                    Code::Failed | Code::BadInput | Code::Refused | Code::Asks | Code::OfRun(_) => {
                        code
                    }
                }
            }
            (Ok(code), Reader::Reads | Reader::Gone | Reader::Stalled) => code,
        };
        ExitCode::from(code.number())
    }
}

/// Tells what the parser of arguments has to say: help on standard output, faults on standard error.
pub(crate) fn tell_usage(told: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to fail a `--help`.
    let _ = told.print();
    match told.exit_code() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(Code::BadInput.number()),
    }
}

/// Writes to standard error.
pub(crate) fn say(text: &str) {
    // Nothing is left to do about a closed standard error.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
