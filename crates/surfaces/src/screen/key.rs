//! Keys, reduced to those that the screen knows. Everything else is no key at all.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key as the screen takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A character that can be typed into a text.
    Char(char),
    /// Ctrl and a letter, the letter in lower case.
    Chord(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

impl Key {
    /// The key of a terminal event. Nothing for releases, and nothing for Alt: a terminal sends it
    /// as Esc and a letter, which people also type one after the other.
    pub(super) fn of(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let held = event
            .modifiers
            .difference(KeyModifiers::SHIFT | KeyModifiers::CONTROL);
        if !held.is_empty() {
            return None;
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            // A line feed that comes as a key, as some terminals send Enter.
            KeyCode::Char('j' | 'J') if ctrl => Some(Self::Enter),
            KeyCode::Char(letter) if ctrl => Some(Self::Chord(letter.to_ascii_lowercase())),
            KeyCode::Char(char) => Some(Self::Char(char)),
            KeyCode::Enter => Some(Self::Enter),
            KeyCode::Esc => Some(Self::Esc),
            KeyCode::Tab => Some(Self::Tab),
            KeyCode::BackTab => Some(Self::BackTab),
            KeyCode::Backspace => Some(Self::Backspace),
            KeyCode::Delete => Some(Self::Delete),
            KeyCode::Up => Some(Self::Up),
            KeyCode::Down => Some(Self::Down),
            KeyCode::Left => Some(Self::Left),
            KeyCode::Right => Some(Self::Right),
            KeyCode::Home => Some(Self::Home),
            KeyCode::End => Some(Self::End),
            KeyCode::PageUp => Some(Self::PageUp),
            KeyCode::PageDown => Some(Self::PageDown),
            _ => None,
        }
    }

    /// How a list or a text is moved by this key, if it is: `j`, `k` and the blank count too.
    pub(super) fn step(self) -> Option<Step> {
        match self {
            Self::Up | Self::Char('k') => Some(Step::Up),
            Self::Down | Self::Char('j') => Some(Step::Down),
            Self::PageUp => Some(Step::PageUp),
            Self::PageDown | Self::Char(' ') => Some(Step::PageDown),
            Self::Home => Some(Step::First),
            Self::End => Some(Step::Last),
            _ => None,
        }
    }
}

/// A move within a list or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Step {
    /// Where this step leads from `at`, when the last place is `last` and a page has `page` places.
    pub(super) fn from(self, at: usize, last: usize, page: usize) -> usize {
        let page = page.max(1);
        let to = match self {
            Self::Up => at.saturating_sub(1),
            Self::Down => at.saturating_add(1),
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at.saturating_add(page),
            Self::First => 0,
            Self::Last => last,
        };
        to.min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alt_and_releases_are_no_keys() {
        let key = |code, modifiers| Key::of(KeyEvent::new(code, modifiers));
        assert_eq!(
            key(KeyCode::Char('y'), KeyModifiers::CONTROL),
            Some(Key::Chord('y'))
        );
        assert_eq!(
            key(KeyCode::Char('Y'), KeyModifiers::SHIFT),
            Some(Key::Char('Y'))
        );
        assert_eq!(key(KeyCode::Char('y'), KeyModifiers::ALT), None);
        assert_eq!(
            key(KeyCode::Char('j'), KeyModifiers::CONTROL),
            Some(Key::Enter)
        );
        let release = KeyEvent::new_with_kind(
            KeyCode::Char('y'),
            KeyModifiers::CONTROL,
            KeyEventKind::Release,
        );
        assert_eq!(Key::of(release), None);
    }
}
