//! How long to wait before a question is asked again.

use std::time::Duration;

/// The schedule of waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackOff {
    /// Before the second attempt; doubles with each.
    pub(crate) first: Duration,
    /// The longest wait that is chosen here; a server may ask for longer.
    pub(crate) longest: Duration,
}

/// What to do after a transient fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait so long, then ask again.
    Wait(Duration),
    /// The wait would outlast the time that is left.
    TooLate,
}

impl BackOff {
    /// The wait after so many attempts. What the server asks for is the least; `salt` spreads the waits of
    /// agents that were turned away together, by up to a quarter.
    pub(crate) fn next(
        self,
        attempts: u32,
        server_asks: Option<Duration>,
        left: Duration,
        salt: u64,
    ) -> Next {
        let doublings = attempts.saturating_sub(1).min(16);
        let own = self.first.saturating_mul(1 << doublings).min(self.longest);
        let wait = own.max(server_asks.unwrap_or_default());
        let quarter = u64::try_from(wait.as_millis() / 4).unwrap_or(u64::MAX);
        let spread = salt.checked_rem(quarter.saturating_add(1)).unwrap_or(0);
        let wait = wait.saturating_add(Duration::from_millis(spread));
        if wait < left {
            Next::Wait(wait)
        } else {
            Next::TooLate
        }
    }
}

/// Reads the headers `retry-after-ms` and `retry-after`: a number. A date is not read, since no clock
/// but the server's knows what it means; the schedule's own wait stands then.
pub(crate) fn server_asks(header: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let number = |name: &str| -> Option<f64> {
        let number: f64 = header(name)?.trim().parse().ok()?;
        number.is_finite().then_some(number.max(0.0))
    };
    let seconds = number("retry-after-ms")
        .map(|milliseconds| milliseconds / 1000.0)
        .or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[track_caller]
    fn check(attempts: u32, asks: Option<u64>, left: u64, salt: u64, expect: Next) {
        let back_off = BackOff {
            first: MS(500),
            longest: MS(8_000),
        };
        assert_eq!(
            back_off.next(attempts, asks.map(MS), MS(left), salt),
            expect
        );
    }

    #[test]
    fn waits_double_up_to_a_bound() {
        for (attempts, wait) in [(1, 500), (2, 1_000), (3, 2_000), (5, 8_000), (99, 8_000)] {
            check(attempts, None, 100_000, 0, Next::Wait(MS(wait)));
        }
    }

    #[test]
    fn the_server_may_ask_for_longer_never_for_less() {
        check(1, Some(20_000), 100_000, 0, Next::Wait(MS(20_000)));
        check(1, Some(0), 100_000, 0, Next::Wait(MS(500)));
    }

    #[test]
    fn no_wait_outlasts_the_time_that_is_left() {
        check(1, Some(20_000), 20_000, 0, Next::TooLate);
        check(1, None, 500, 0, Next::TooLate);
        check(1, None, 501, 0, Next::Wait(MS(500)));
    }

    #[test]
    fn waits_are_spread_by_a_quarter_at_most() {
        check(1, None, 100_000, 125, Next::Wait(MS(625)));
        check(1, None, 100_000, 126, Next::Wait(MS(500)));
        check(
            1,
            None,
            100_000,
            u64::MAX,
            Next::Wait(MS(500 + u64::MAX % 126)),
        );
    }

    #[test]
    fn headers_are_read_in_both_spellings() {
        let asks = |name: &'static str, value: &'static str| {
            server_asks(move |header| (header == name).then(|| value.to_owned()))
        };
        assert_eq!(asks("retry-after", "3"), Some(MS(3_000)));
        assert_eq!(asks("retry-after", "0.5"), Some(MS(500)));
        assert_eq!(asks("retry-after-ms", "40"), Some(MS(40)));
        assert_eq!(asks("retry-after", "-3"), Some(MS(0)));
        for text in ["", "soon", "NaN", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(asks("retry-after", text), None, "{text}");
        }
        assert_eq!(asks("retry-after", "1e300"), None);
    }
}
