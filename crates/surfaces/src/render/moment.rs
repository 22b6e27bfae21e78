//! Moments and lengths of time as people read them.

use jiff::Timestamp;
use pointsman_model::{Millis, WallTime};

/// A moment in full, UTC: `2026-03-01T09:30:00.125Z`.
#[must_use]
pub fn moment(at: WallTime) -> String {
    Timestamp::from_millisecond(at.0)
        .map_or_else(|_| format!("{} ms", at.0), |at| format!("{at:.3}"))
}

/// The time of day alone, UTC, which its last sign says: `09:30:00.125Z`.
#[must_use]
pub fn time_of_day(at: WallTime) -> String {
    let full = moment(at);
    match full.split_once('T') {
        Some((_, time)) => time.to_owned(),
        None => full,
    }
}

/// The minute of the day of the machine's time zone, from 0 to 1439.
#[must_use]
pub fn minute_of_day(at: WallTime) -> u16 {
    let zoned = Timestamp::from_millisecond(at.0)
        .map(|at| at.to_zoned_datetime(jiff::tz::TimeZone::system()))
        .ok();
    zoned.map_or(0, |zoned| {
        let hour = u16::try_from(zoned.hour()).unwrap_or(0);
        let minute = u16::try_from(zoned.minute()).unwrap_or(0);
        hour * 60 + minute
    })
}

/// A length of time: `340 ms`, `2.5 s`, `3 min 20 s`.
#[must_use]
pub fn length(of: Millis) -> String {
    let seconds = of.0 / 1_000;
    match of.0 {
        0..1_000 => format!("{} ms", of.0),
        1_000..60_000 => format!("{seconds}.{} s", of.0 % 1_000 / 100),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(
            moment(WallTime(1_772_357_400_125)),
            "2026-03-01T09:30:00.125Z"
        );
        assert_eq!(time_of_day(WallTime(1_772_357_400_125)), "09:30:00.125Z");
        assert_eq!(moment(WallTime(i64::MAX)), format!("{} ms", i64::MAX));
        for (millis, text) in [(7, "7 ms"), (2_540, "2.5 s"), (200_000, "3 min 20 s")] {
            assert_eq!(length(Millis(millis)), text);
        }
    }
}
