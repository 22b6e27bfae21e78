//! What the earlier leaders of a run had told, as far as its records and the person's quiet hours say.
//!
//! A leader tells of a request when that goes to the surfaces, and in quiet hours not before they are over. It told all
//! that was due until it died; when that was is known by its last record. What was due later the next leader tells.

use std::collections::HashMap;

use pointsman_ledger::PastReign;
use pointsman_model::{Millis, RequestId, WallTime};
use pointsman_policy::settings::QuietHours;

use super::watchman::MINUTE;

/// See the module's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldEarlier {
    /// The last moment until which all that was due of a request was told.
    until: HashMap<RequestId, WallTime>,
}

impl ToldEarlier {
    /// What the leaders of these reigns had told.
    #[must_use]
    pub fn in_reigns(
        reigns: &[PastReign],
        quiet: Option<QuietHours>,
        minute_of_day: fn(WallTime) -> u16,
    ) -> Self {
        let mut told = Self::default();
        for reign in reigns {
            let last = last_told(reign.last_at, quiet, minute_of_day);
            for (id, _) in reign.shown.iter().filter(|(_, at)| *at <= last) {
                let until = told.until.entry(*id).or_insert(last);
                *until = last.max(*until);
            }
        }
        told
    }

    /// The last moment until which all that was due of that request was told; nothing when it was not told of.
    pub(super) fn until(&self, id: RequestId) -> Option<WallTime> {
        self.until.get(&id).copied()
    }
}

/// The last moment at which a leader that lived until `last_at` told what was due.
fn last_told(
    last_at: WallTime,
    quiet: Option<QuietHours>,
    minute_of_day: fn(WallTime) -> u16,
) -> WallTime {
    match quiet.and_then(|quiet| quiet.minutes_past(minute_of_day(last_at))) {
        None => last_at,
        Some(minutes) => {
            let whole = u64::from(minutes).saturating_mul(MINUTE.0);
            let begun = last_at.minute_begun().minus(Millis(whole));
            begun.minus(Millis(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::RunId;

    /// A day whose first moment is that of the era.
    fn minute_of_day(at: WallTime) -> u16 {
        u16::try_from(at.0 / 60_000 % (24 * 60)).unwrap()
    }

    /// The moment of `23:15:30`, on the day that the number before it names: `1 23:15:30`.
    fn at(text: &str) -> WallTime {
        let (day, time) = text.split_once(' ').unwrap();
        let parts = time.split(':').map(|part| part.parse::<i64>().unwrap());
        let seconds = parts.fold(0, |whole, part| whole * 60 + part);
        WallTime((day.parse::<i64>().unwrap() * 24 * 3_600 + seconds) * 1_000)
    }

    #[test]
    fn what_was_due_while_a_leader_lived_was_told() {
        let id = RequestId::new(RunId::FIRST, 1);
        // When each reign showed the request, and when it was over; the last moment at which it was told what is due.
        let night = "22:00-07:00";
        for (quiet, reigns, told) in [
            (None, vec![("1 12:00:00", "1 12:30:10")], Some("1 12:30:10")),
            // On record with the last of its records.
            (None, vec![("1 12:00:00", "1 12:00:00")], Some("1 12:00:00")),
            (None, vec![], None),
            // Shown and over in the night: nobody was told.
            (Some(night), vec![("1 23:00:00", "2 01:00:10")], None),
            (Some(night), vec![("1 22:00:00", "1 22:00:00")], None),
            // Shown before it: only what was due before it.
            (
                Some(night),
                vec![("1 21:59:59", "2 01:00:10")],
                Some("1 22:00:00"),
            ),
            // Shown in it, and told when it was over.
            (
                Some(night),
                vec![("1 23:00:00", "2 07:00:00")],
                Some("2 07:00:00"),
            ),
            // The next leader told what the first had kept back, and the one after it died in the next night.
            (
                Some(night),
                vec![
                    ("1 23:00:00", "1 23:30:00"),
                    ("2 08:00:00", "2 09:00:00"),
                    ("2 22:30:00", "2 22:40:00"),
                ],
                Some("2 09:00:00"),
            ),
            // The next leader had not shown it again.
            (
                None,
                vec![("1 12:00:00", "1 12:30:10"), ("", "1 13:00:00")],
                Some("1 12:30:10"),
            ),
        ] {
            let reigns: Vec<PastReign> = reigns
                .iter()
                .map(|(shown, last)| PastReign {
                    shown: (!shown.is_empty())
                        .then(|| (id, at(shown)))
                        .into_iter()
                        .collect(),
                    last_at: at(last),
                })
                .collect();
            let quiet_hours = quiet.map(|quiet| QuietHours::parse(quiet).unwrap());
            let earlier = ToldEarlier::in_reigns(&reigns, quiet_hours, minute_of_day);
            let until = earlier.until(id).map(|until| match quiet {
                // The moment before the night is told as the night's first.
                Some(_) if until.0 % 1_000 != 0 => until.plus(Millis(1)),
                Some(_) | None => until,
            });
            assert_eq!(until, told.map(at), "{quiet:?} {reigns:?}");
        }
    }
}
