//! What a person has to say to an agent that is at work already.
//!
//! Words, nothing more: they change no permission. The agent reads them before its next turn.

use flume::{Receiver, Sender, TrySendError};

/// How many words may wait for one agent; a person writes them one by one.
const WAITING_MAX: usize = 32;

/// The person's end.
#[derive(Debug, Clone)]
pub struct FollowUpSender(Sender<Box<str>>);

/// The agent's end. Clones take from the same words.
#[derive(Debug, Clone)]
pub struct FollowUps(Receiver<Box<str>>);

/// Why words did not get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotHeard {
    /// The agent has ended.
    #[error("the agent has ended")]
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
        self.0.try_send(text.into()).map_err(|error| match error {
            TrySendError::Full(_) => NotHeard::TooMany,
            TrySendError::Disconnected(_) => NotHeard::Ended,
        })
    }
}

impl FollowUps {
    /// Both ends.
    #[must_use]
    pub fn channel() -> (FollowUpSender, Self) {
        let (sender, receiver) = flume::bounded(WAITING_MAX);
        (FollowUpSender(sender), Self(receiver))
    }

    /// For an agent that nobody can talk to.
    #[must_use]
    pub fn none() -> Self {
        Self::channel().1
    }

    /// What was said and not read yet, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<Box<str>> {
        self.0.try_iter().collect()
    }
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
}
