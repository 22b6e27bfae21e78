//! The terminal's bell, and when it keeps silent.

use pointsman_model::WallTime;
use pointsman_policy::settings::{NotifySettings, QuietHours};

use crate::render::minute_of_day;

/// Whether the terminal's bell rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bell {
    /// It does, but for the quiet hours.
    Rings(Option<QuietHours>),
    /// It does not.
    Silent,
}

impl Bell {
    /// As the person's settings have it.
    #[must_use]
    pub fn of(settings: &NotifySettings) -> Self {
        if settings.bell {
            Self::Rings(settings.quiet)
        } else {
            Self::Silent
        }
    }

    /// Whether it rings for what comes at that moment.
    pub(super) fn rings_at(self, now: WallTime) -> bool {
        match self {
            Self::Rings(quiet) => !quiet.is_some_and(|quiet| quiet.holds(minute_of_day(now))),
            Self::Silent => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rings_unless_it_is_off_or_the_hours_are_quiet() {
        let now = WallTime(1_700_000_000_000);
        let minute = minute_of_day(now);
        let clock = |minute: u16| format!("{:02}:{:02}", minute % 1_440 / 60, minute % 60);
        let around = QuietHours::parse(&format!("{}-{}", clock(minute), clock(minute + 1)));
        let after = QuietHours::parse(&format!("{}-{}", clock(minute + 1), clock(minute + 2)));
        assert!(around.is_some() && after.is_some());
        let settings = |bell, quiet| NotifySettings {
            bell,
            quiet,
            ..NotifySettings::default()
        };
        for (bell, quiet, rings) in [
            (true, None, true),
            (true, after, true),
            (true, around, false),
            (false, None, false),
        ] {
            assert_eq!(Bell::of(&settings(bell, quiet)).rings_at(now), rings);
        }
    }
}
