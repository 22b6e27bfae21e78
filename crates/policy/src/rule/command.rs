//! Patterns for commands: `npm test`, `npm run *`, `npm run:*`, `* --version`.

use pointsman_model::AbsPath;

use super::options::OptionForm;
use super::words::{as_it_stands, with_quotes_undone};
use crate::subject::operators::SIGNS;
use crate::wild::{GAP, SEP, Wild};

/// What a command rule matches, read in two ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// With quotes and escapes undone, compared with a command's words; `None` when that can't be done.
    pub(crate) words: Option<Anchored>,
    /// As it stands, compared with a command's spelling; `None` when it says the same as `words`.
    pub(crate) spelling: Option<Anchored>,
    /// With its options in any order, for denies and asks.
    pub(crate) options: Option<OptionForm>,
    /// With the operators that it spells in one spelling, for denies and asks.
    pub(crate) operators: Option<Anchored>,
    /// The text that was read, `:*` undone.
    text: Box<str>,
}

/// How a tool finds what a name of its calls means, whatever its case and separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LooksUp {
    /// An agent type: the whole text is the name.
    Agents,
    /// A skill: arguments stand behind the name.
    Skills,
}

impl LooksUp {
    /// The one spelling of a name.
    pub(crate) fn loosely(self, name: &str) -> String {
        let separates = |char: &char| match self {
            Self::Agents => matches!(char, '-' | '_' | ' '),
            // A blank stands in front of the arguments.
            Self::Skills => matches!(char, '-' | '_'),
        };
        let joined = |text: &str| {
            text.chars()
                .filter(|char| !separates(char))
                .collect::<String>()
        };
        let lower = name.trim().to_lowercase();
        match lower.strip_suffix(" *") {
            Some(front) => format!("{} *", joined(front)),
            None => joined(&lower),
        }
    }
}

/// A pattern, and whether it also matches without the gap at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchored {
    /// The pattern.
    pub(crate) wild: Wild,
    /// For `prefix *`: how long the prefix is, which alone matches too.
    bare: Option<usize>,
}

impl CommandPattern {
    /// Reads the text between the parentheses.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = match text.strip_suffix(":*") {
            Some(prefix) if prefix.trim().is_empty() => {
                return Err("nothing stands in front of `:*`");
            }
            Some(prefix) => format!("{} *", prefix.trim_end()),
            None => text.to_string(),
        };
        Ok(Self::of(text))
    }

    fn of(text: String) -> Self {
        let unquoted = with_quotes_undone(&text);
        let options = unquoted.as_deref().and_then(OptionForm::of);
        let operators = crate::subject::operators::of_rule(&text).map(Anchored::new);
        let spelled = as_it_stands(&text);
        let spelling = (unquoted.as_ref() != Some(&spelled)).then(|| Anchored::new(spelled));
        let words = unquoted.map(Anchored::new);
        Self {
            words,
            spelling,
            options,
            operators,
            text: text.into(),
        }
    }

    /// The same pattern with the user's home written out, when it names it (`~/`, `$HOME`).
    pub(crate) fn with_home(&self, home: &AbsPath) -> Option<Self> {
        if !self.text.contains(['~', '$']) {
            return None;
        }
        let written: Vec<String> = self
            .text
            .split(' ')
            .map(|word| word_with_home(word, home))
            .collect();
        let written = written.join(" ");
        (written != *self.text).then(|| Self::of(written))
    }

    /// The same pattern for names that are compared loosely.
    pub(crate) fn loosely(&self, looks_up: LooksUp) -> Self {
        Self::of(looks_up.loosely(&self.text))
    }

    /// Whether it matches one command alone.
    pub(crate) fn is_exact(&self) -> bool {
        [&self.words, &self.spelling]
            .into_iter()
            .flatten()
            .all(|reading| reading.wild.is_literal())
    }

    /// Whether it spells out an operator between commands, or a redirect.
    pub(crate) fn has_operator(&self) -> bool {
        let reading = self.spelling.as_ref().or(self.words.as_ref());
        reading.is_some_and(|it| {
            let text = it.wild.with_gaps();
            text.iter().any(|byte| SIGNS.contains(&char::from(*byte)))
        })
    }

    /// Whether it matches every command.
    pub(crate) fn is_everything(&self) -> bool {
        let whole = |it: &Anchored| it.wild.with_gaps().iter().all(|byte| *byte == GAP);
        self.words.as_ref().is_some_and(whole)
    }
}

/// A word of a rule with the home in it written out; a longer variable's name is none of it.
fn word_with_home(word: &str, home: &AbsPath) -> String {
    let after = |start: &str| {
        let rest = word.strip_prefix(start)?;
        (rest.is_empty() || rest.starts_with(['/', '*'])).then(|| format!("{home}{rest}"))
    };
    ["~", "$HOME", "${HOME}"]
        .into_iter()
        .find_map(after)
        .unwrap_or_else(|| word.into())
}

impl Anchored {
    fn new(text: Vec<u8>) -> Self {
        let bare = text
            .strip_suffix(&[SEP, GAP])
            .filter(|prefix| !prefix.contains(&GAP))
            .map(<[u8]>::len);
        Self {
            wild: Wild::new(text),
            bare,
        }
    }

    /// For `prefix *`: the prefix alone, which matches too.
    pub(crate) fn bare(&self) -> Option<&[u8]> {
        self.wild.with_gaps().get(..self.bare?)
    }

    /// Whether it matches, whatever the gaps of `text` become.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        self.bare() == Some(text) || self.wild.matches(text)
    }

    /// Whether some filling of the gaps of `text` matches.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        self.bare()
            .is_some_and(|bare| crate::wild::can_meet(bare, text))
            || self.wild.may_match(text)
    }

    /// The whole words that everything it matches begins with.
    pub(crate) fn literal_words(&self) -> &[u8] {
        match self.bare() {
            Some(bare) => bare,
            None if self.wild.is_literal() => self.wild.literal_start(),
            None => {
                let start = self.wild.literal_start();
                let end = start.iter().rposition(|byte| *byte == SEP).unwrap_or(0);
                start.get(..end).unwrap_or(&[])
            }
        }
    }
}
