//! What a person has to say to an agent that is at work already.
//!
//! Words, nothing more: they change no permission. The agent reads them before its next turn. It ends only in a moment
//! in which none wait, so that whoever was told "it reads it" was told the truth.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How many words may wait for one agent; a person writes them one by one.
const WAITING_MAX: usize = 32;

/// The person's end.
#[derive(Debug, Clone)]
pub struct FollowUpSender(Arc<Line>);

/// The agent's end. Clones take from the same words; with the last of them the talk is over.
#[derive(Debug, Clone)]
pub struct FollowUps(Arc<Ear>);

#[derive(Debug)]
struct Ear(Arc<Line>);

#[derive(Debug)]
struct Line {
    words: Mutex<Words>,
    said: Notify,
}

#[derive(Debug)]
enum Words {
    /// These wait, the oldest first.
    Waiting(VecDeque<Box<str>>),
    /// Nobody reads any more.
    Over,
}

/// Why words did not get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotHeard {
    /// The agent has ended.
    #[error("the agent has ended, or is about to")]
    Ended,
    /// It has not read what was said before.
    #[error("{WAITING_MAX} messages wait for the agent already")]
    TooMany,
}

impl FollowUpSender {
    /// Says something to the agent.
    ///
    /// # Errors
    /// When the agent has ended, or reads nothing.
    pub fn say(&self, text: &str) -> Result<(), NotHeard> {
        match &mut *lock(&self.0.words) {
            Words::Over => return Err(NotHeard::Ended),
            Words::Waiting(words) if words.len() >= WAITING_MAX => return Err(NotHeard::TooMany),
            Words::Waiting(words) => words.push_back(text.into()),
        }
        self.0.said.notify_one();
        Ok(())
    }
}

impl FollowUps {
    /// Both ends.
    #[must_use]
    pub fn channel() -> (FollowUpSender, Self) {
        let line = Arc::new(Line {
            words: Mutex::new(Words::Waiting(VecDeque::new())),
            said: Notify::new(),
        });
        (FollowUpSender(Arc::clone(&line)), Self(Arc::new(Ear(line))))
    }

    /// For an agent that nobody can talk to.
    #[must_use]
    pub fn none() -> Self {
        Self::channel().1
    }

    /// What was said and not read yet, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<Box<str>> {
        match &mut *lock(&self.0.0.words) {
            Words::Waiting(words) => words.drain(..).collect(),
            Words::Over => Vec::new(),
        }
    }

    /// Comes back once something waits to be taken.
    ///
    /// Cancel safe. One waits at a time.
    pub async fn waiting(&self) {
        let waits =
            || matches!(&*lock(&self.0.0.words), Words::Waiting(words) if !words.is_empty());
        while !waits() {
            self.0.0.said.notified().await;
        }
    }

    /// Takes what waits for an agent that would end now: when nothing waits, nothing will, and whoever says something from now on
    /// hears that it has ended.
    #[must_use]
    pub fn take_or_end(&self) -> Vec<Box<str>> {
        let words = &mut *lock(&self.0.0.words);
        match words {
            Words::Waiting(waiting) if !waiting.is_empty() => waiting.drain(..).collect(),
            Words::Waiting(_) | Words::Over => {
                *words = Words::Over;
                Vec::new()
            }
        }
    }

    /// Ends the talk; gives what nobody has read.
    #[must_use]
    pub fn end(&self) -> Vec<Box<str>> {
        match std::mem::replace(&mut *lock(&self.0.0.words), Words::Over) {
            Words::Waiting(words) => words.into(),
            Words::Over => Vec::new(),
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        *lock(&self.0.words) = Words::Over;
    }
}

fn lock(words: &Mutex<Words>) -> MutexGuard<'_, Words> {
    // No code that can panic runs under the lock.
    words.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_once_and_in_order() {
        let (person, agent) = FollowUps::channel();
        person.say("use the log").unwrap();
        person.say("and mind the tests").unwrap();
        assert_eq!(
            agent.take(),
            ["use the log".into(), Box::from("and mind the tests")]
        );
        assert!(agent.take().is_empty());
        for _ in 0..WAITING_MAX {
            person.say("again").unwrap();
        }
        assert_eq!(person.say("once more"), Err(NotHeard::TooMany));
        drop(agent);
        assert_eq!(person.say("still there?"), Err(NotHeard::Ended));
    }

    #[test]
    fn an_agent_ends_only_when_nothing_waits_and_nothing_gets_in_behind() {
        let (person, agent) = FollowUps::channel();
        person.say("one thing more").unwrap();
        assert_eq!(agent.take_or_end(), [Box::from("one thing more")]);
        person.say("and another").unwrap();
        assert_eq!(agent.take_or_end().len(), 1);
        assert!(agent.take_or_end().is_empty());
        assert_eq!(person.say("too late"), Err(NotHeard::Ended));
        let (person, agent) = FollowUps::channel();
        person.say("unread").unwrap();
        assert_eq!(agent.end(), [Box::from("unread")]);
        assert_eq!(person.say("too late"), Err(NotHeard::Ended));
    }
}
