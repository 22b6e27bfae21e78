//! A command in the readings that command rules are compared with.

use std::cell::OnceCell;

use gix_glob::wildmatch::Mode;
use pointsman_model::{Assignment, AssignmentWeight, Run, RunNature, Word, WordValue};
use smallvec::SmallVec;

use super::operators;
use crate::rule::is_certain;
use crate::wild::{GAP, ODD, SEP, plain_bytes};

/// Which rules may match a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingFor {
    /// Rules of every behavior.
    All,
    /// Deny and ask rules: it is no more than another way to see the command.
    Tightening,
}

/// A command as one text; most are short.
pub(crate) type Text = SmallVec<[u8; 64]>;

/// One reading of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Its words, [`SEP`] between them, [`GAP`] for what is unknown.
    pub(crate) text: Text,
    /// The same with unknown words able to vanish; `None` when nothing is unknown.
    pub(crate) vanishing: Option<Text>,
    /// The first word that is not known, where it is a pattern for names of files.
    pub(crate) first_glob: Option<GlobWord>,
    /// Whether it is the spelling, not the words.
    pub(crate) is_spelling: bool,
    /// Which rules may match it.
    pub(crate) by: ReadingFor,
}

/// A word that the shell puts names of files for, with known words alone in front of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GlobWord {
    /// Where it begins in the reading's text.
    at: usize,
    pattern: Box<str>,
}

impl GlobWord {
    /// Whether a command that begins so can't be what the word makes: neither a name that the pattern fits nor the
    /// pattern itself, which stands when no name does. `beginning` holds whole words.
    pub(crate) fn rules_out(&self, beginning: &[u8]) -> bool {
        let Some(rest) = beginning.get(self.at..).filter(|rest| !rest.is_empty()) else {
            return false;
        };
        let word = rest.split(|byte| *byte == SEP).next().unwrap_or_default();
        // Whether a byte more or less makes a letter is the shell's to say.
        let plain = word.iter().all(|byte| matches!(byte, b' '..=b'~'));
        if !plain || !is_certain(&self.pattern) {
            return false;
        }
        // A shell can be told to take one case for the other, which makes what a class excludes another.
        let fits = [Mode::empty(), Mode::IGNORE_CASE]
            .into_iter()
            .any(|mode| gix_glob::wildmatch(self.pattern.as_bytes().into(), word.into(), mode));
        !fits && *word != *self.pattern.as_bytes()
    }
}

/// What a subject is a reading of, which says which rules may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// One command.
    Command,
    /// One command that no rule with a wildcard may allow.
    Guarded,
    /// The whole line: allows without a wildcard, and denies and asks that spell out an operator.
    Line,
}

impl Of {
    fn run(run: &Run) -> Self {
        if run.argv.iter().any(is_worked_out) {
            return Self::Guarded;
        }
        match run.nature {
            RunNature::Wrapper => Self::Guarded,
            RunNature::KnownReader
            | RunNature::FileCommand
            | RunNature::Program
            | RunNature::InlineCode
            | RunNature::PlainWrapper => Self::Command,
        }
    }
}

/// Whether the shell works the word out and nobody knows to what: it could be an option that no writer of a rule
/// thought of. The names that `xargs` and `find` put there, and the home of somebody, are not of that kind.
fn is_worked_out(word: &Word) -> bool {
    word.value == WordValue::Unknown
        && (word.source.contains(['$', '`', '(']) || word.source.starts_with('='))
}

/// A command in all its readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandSubject {
    /// The readings; none twice.
    pub(crate) readings: SmallVec<[Reading; 4]>,
    /// What they are of.
    pub(crate) of: Of,
    /// Of a line: itself.
    line: Option<Box<str>>,
    /// What it holds with operators in one spelling; made when a rule spells one.
    operated: OnceCell<Option<Vec<Vec<u8>>>>,
}

impl CommandSubject {
    /// The readings of a command: its words and its spelling, with the assignments that a rule has to name; for deny and ask
    /// also without any assignment and with the program's bare name.
    pub(crate) fn of(run: &Run) -> Self {
        let mut subject = Self {
            readings: SmallVec::new(),
            of: Of::run(run),
            line: None,
            operated: OnceCell::new(),
        };
        let heavy: SmallVec<[&Assignment; 2]> = run
            .assignments
            .iter()
            .filter(|it| it.weight != AssignmentWeight::Harmless)
            .collect();
        let all: SmallVec<[&Assignment; 2]> = run.assignments.iter().collect();
        let canonical = run.canonical.as_deref();
        for argv in [Some(&*run.argv), canonical].into_iter().flatten() {
            subject.add(words(&heavy, argv), ReadingFor::All);
            if all.len() > heavy.len() {
                subject.add(words(&all, argv), ReadingFor::All);
            }
            if !heavy.is_empty() {
                subject.add(words(&[], argv), ReadingFor::Tightening);
            }
            if let Some(bare) = bare_name(argv) {
                subject.add(words(&[], &bare), ReadingFor::Tightening);
            }
        }
        subject.add_spelling(&heavy, run);
        if all.len() > heavy.len() {
            subject.add_spelling(&all, run);
        }
        subject
    }

    /// The same command, for rules without a wildcard alone.
    pub(crate) fn guarded(run: &Run) -> Self {
        Self {
            of: Of::Guarded,
            ..Self::of(run)
        }
    }

    /// A whole command line.
    pub(crate) fn line(text: &str) -> Self {
        let reading = Reading {
            text: spelled(text).collect(),
            vanishing: None,
            first_glob: None,
            is_spelling: true,
            by: ReadingFor::All,
        };
        Self {
            readings: SmallVec::from_iter([reading]),
            of: Of::Line,
            line: Some(text.into()),
            operated: OnceCell::new(),
        }
    }

    /// The runs of commands that a line holds, with their operators in one spelling; nothing where there are too many.
    pub(crate) fn operated(&self) -> Option<&[Vec<u8>]> {
        let made = || match self.line.as_deref() {
            Some(line) => operators::of_line(line),
            None => Some(Vec::new()),
        };
        self.operated.get_or_init(made).as_deref()
    }

    fn add(&mut self, (text, vanishing, first_glob): Words, by: ReadingFor) {
        if !self
            .readings
            .iter()
            .any(|it| it.text == text && !it.is_spelling)
        {
            self.readings.push(Reading {
                text,
                vanishing,
                first_glob,
                is_spelling: false,
                by,
            });
        }
    }

    fn add_spelling(&mut self, assignments: &[&Assignment], run: &Run) {
        // Mostly the words are spelled as they are read.
        let same = |reading: &Reading| spelled(&run.text).eq(reading.text.iter().copied());
        if assignments.is_empty() && self.readings.iter().any(same) {
            return;
        }
        let mut text = Text::new();
        if !run.argv.is_empty() {
            for assignment in assignments {
                text.extend(plain_bytes(&assignment.name));
                text.push(b'=');
                text.extend(plain_bytes(&assignment.value.source));
                text.push(SEP);
            }
        }
        text.extend(spelled(&run.text));
        if !self.readings.iter().any(|it| it.text == text) {
            self.readings.push(Reading {
                text,
                vanishing: None,
                first_glob: None,
                is_spelling: true,
                by: ReadingFor::All,
            });
        }
    }
}

/// A text as it is spelled, runs of blanks made one [`SEP`].
fn spelled(text: &str) -> impl Iterator<Item = u8> {
    let mut blank = false;
    plain_bytes(text).filter_map(move |byte| {
        let before = std::mem::replace(&mut blank, matches!(byte, b' ' | b'\t' | b'\n'));
        match (blank, before) {
            (true, true) => None,
            (true, false) => Some(SEP),
            (false, _) => Some(byte),
        }
    })
}

/// The same words with the program named without its folder, when it has one.
fn bare_name(argv: &[Word]) -> Option<Vec<Word>> {
    let (program, rest) = argv.split_first()?;
    let (_, name) = program.literal()?.rsplit_once('/')?;
    let bare = Word {
        value: WordValue::Literal(name.into()),
        ..program.clone()
    };
    Some(std::iter::once(bare).chain(rest.iter().cloned()).collect())
}

/// Words as one text, as one in which unknown ones may vanish, and the first that is a pattern.
type Words = (Text, Option<Text>, Option<GlobWord>);

/// The words as texts.
fn words(assignments: &[&Assignment], argv: &[Word]) -> Words {
    let known = |word: &Word| word.literal().is_some();
    let all_known = argv.iter().all(known) && assignments.iter().all(|it| known(&it.value));
    let text = joined(assignments, argv, Unknown::IsAWord);
    if all_known {
        return (text, None, None);
    }
    let vanishing = joined(assignments, argv, Unknown::MayVanish);
    let first_glob = first_glob(assignments, argv);
    (text, Some(vanishing), first_glob)
}

fn first_glob(assignments: &[&Assignment], argv: &[Word]) -> Option<GlobWord> {
    let at = argv.iter().position(|word| word.literal().is_none())?;
    let (known, rest) = argv.split_at_checked(at)?;
    let WordValue::Glob(pattern) = &rest.first()?.value else {
        return None;
    };
    let before = assignments.iter().all(|it| it.value.literal().is_some());
    (before && at > 0).then(|| GlobWord {
        at: joined(assignments, known, Unknown::IsAWord).len() + 1,
        pattern: pattern.as_str().into(),
    })
}

/// What an unknown word is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// One word.
    IsAWord,
    /// Any number of words, none included.
    MayVanish,
}

fn joined(assignments: &[&Assignment], argv: &[Word], unknown: Unknown) -> Text {
    let mut out = Text::with_capacity(argv.iter().map(|word| word.source.len() + 1).sum());
    let mut first = true;
    for assignment in assignments {
        if !first {
            out.push(SEP);
        }
        first = false;
        out.extend(plain_bytes(&assignment.name));
        out.push(b'=');
        push_value(&mut out, &assignment.value.value);
    }
    for word in argv {
        let vanishes = unknown == Unknown::MayVanish && word.value == WordValue::Unknown;
        if !first && !vanishes {
            out.push(SEP);
        }
        first = false;
        push_value(&mut out, &word.value);
    }
    out
}

fn push_value(out: &mut Text, value: &WordValue) {
    match value {
        WordValue::Literal(text) => out.extend(plain_bytes(text)),
        WordValue::Unknown => out.push(GAP),
        WordValue::Glob(pattern) => {
            // Groups of extended patterns may hold anything.
            if pattern.contains('(') {
                out.push(GAP);
            } else {
                out.extend(
                    crate::rule::glob_with_gaps(pattern)
                        .iter()
                        .map(|byte| match *byte {
                            SEP => ODD,
                            other => other,
                        }),
                );
            }
        }
    }
}
