//! The notice: what happened last, in the row above the keys, for as long as it is worth reading.

use pointsman_model::{Millis, WallTime};

/// How long news stay: time to read a row twice, and too short to be taken for what is so now.
const NEWS_STAY: Millis = Millis(10_000);

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Notice {
    text: String,
    ends: Ends,
    keeps: Keeps,
}

/// What of it is there on a screen that is too narrow for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Keeps {
    /// How it begins.
    #[default]
    Start,
    /// How it begins and how it ends, for words of ours: what others wrote may not stand there by itself.
    Both,
}

/// What takes it away.
#[derive(Debug, Clone, Copy, Default)]
enum Ends {
    /// It answers a key: the next one does.
    #[default]
    WithNextKey,
    /// It is news: time does.
    At(WallTime),
}

impl Notice {
    /// Says what a key has come to.
    pub(super) fn answer(&mut self, text: impl Into<String>) {
        *self = Self {
            text: text.into(),
            ends: Ends::WithNextKey,
            keeps: Keeps::Start,
        };
    }

    /// Says why something was not done, and at its end what to do.
    pub(super) fn fault(&mut self, text: impl Into<String>, now: WallTime) {
        self.news(text, now);
        self.keeps = Keeps::Both;
    }

    /// Says what has happened by itself.
    pub(super) fn news(&mut self, text: impl Into<String>, now: WallTime) {
        *self = Self {
            text: text.into(),
            ends: Ends::At(now.plus(NEWS_STAY)),
            keeps: Keeps::Start,
        };
    }

    /// A key is about to do something else.
    pub(super) fn key_comes(&mut self) {
        match self.ends {
            Ends::WithNextKey => self.text.clear(),
            Ends::At(_) => {}
        }
    }

    /// Time goes by.
    pub(super) fn is_now(&mut self, now: WallTime) {
        match self.ends {
            Ends::At(end) if end <= now => self.text.clear(),
            Ends::At(_) | Ends::WithNextKey => {}
        }
    }

    /// What of it is there where there is no room for all of it.
    pub(super) fn keeps(&self) -> Keeps {
        self.keeps
    }

    /// What is to be read; empty when nothing is.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}
