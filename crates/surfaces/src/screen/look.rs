//! How tones look: the terminal's own 16 colours on its own background, so that its light or dark is
//! followed; without colours by weight alone.

use ratatui::style::{Color, Modifier, Style};

use super::sheet::Tone;

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The terminal's colours.
    Colours,
    /// None: bold, dim, underlined and reversed text only.
    Plain,
}

impl Look {
    /// As the environment wants it: `NO_COLOR`, set to anything, means no colours.
    #[must_use]
    pub fn of_environment() -> Self {
        match std::env::var_os("NO_COLOR") {
            Some(set) if !set.is_empty() => Self::Plain,
            Some(_) | None => Self::Colours,
        }
    }

    /// The style of a tone.
    pub(super) fn style(self, tone: Tone) -> Style {
        let style = Style::new();
        let (colour, modifier) = match tone {
            Tone::Plain | Tone::Agent => (None, Modifier::empty()),
            Tone::Heading => (None, Modifier::BOLD),
            Tone::Quiet => (None, Modifier::DIM),
            Tone::Removed => (Some(Color::Red), Modifier::empty()),
            Tone::RemovedWord => (Some(Color::Red), Modifier::BOLD.union(Modifier::UNDERLINED)),
            Tone::Added => (Some(Color::Green), Modifier::empty()),
            Tone::AddedWord => (
                Some(Color::Green),
                Modifier::BOLD.union(Modifier::UNDERLINED),
            ),
            Tone::Danger => (Some(Color::Red), Modifier::BOLD),
            Tone::Notice => (Some(Color::Yellow), Modifier::BOLD),
            Tone::Good => (Some(Color::Green), Modifier::empty()),
            Tone::Key => (Some(Color::Cyan), Modifier::BOLD),
        };
        match (self, colour) {
            (Self::Colours, Some(colour)) => style.fg(colour).add_modifier(modifier),
            (Self::Colours, None) | (Self::Plain, _) => style.add_modifier(modifier),
        }
    }

    /// What is under the cursor, and the bars over panels.
    pub(super) fn reversed(self) -> Style {
        // One surface: a tone of its own would come out as a patch of another colour, a dim one as hard to read.
        Style::new()
            .fg(Color::Reset)
            .remove_modifier(Modifier::DIM)
            .add_modifier(Modifier::REVERSED)
    }
}
