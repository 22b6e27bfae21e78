//! Who is told what, when: a plain state machine over requests and time.
//!
//! A request is told of once when it begins to wait, once at each age that the settings name, and once to the second
//! command. In quiet hours nothing is told; what still waits when they are over is told then, once.

use std::collections::BTreeMap;

use pointsman_model::{Millis, RequestId, WallTime};
use pointsman_policy::settings::NotifySettings;
use serde::Serialize;

/// The desktop is told at most this often, however many requests come.
const DESKTOP_EVERY: Millis = Millis(5_000);
/// A minute.
pub(super) const MINUTE: Millis = Millis(60_000);

/// Why somebody is told of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Occasion {
    /// It waits for a person.
    Waits,
    /// It still does.
    StillWaits,
    /// Nobody came.
    Escalated,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Run a program with the request.
    Run {
        command: Vec<Box<str>>,
        id: RequestId,
        occasion: Occasion,
    },
    /// Tell the desktop.
    Desktop(String),
}

/// A request that waits.
#[derive(Debug)]
struct Waiting {
    opened_at: WallTime,
    /// Whether it was told of when it began to wait.
    told: bool,
    /// How many of the reminders were given, or passed over.
    reminded: usize,
    escalated: bool,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Watchman {
    settings: NotifySettings,
    waiting: BTreeMap<RequestId, Waiting>,
    desktop_told: Option<WallTime>,
    /// Whether the desktop is to be told as soon as it may.
    desktop_owed: bool,
    /// When quiet hours that hold now are over.
    quiet_until: Option<WallTime>,
}

impl Watchman {
    pub(super) fn new(settings: NotifySettings) -> Self {
        Self {
            settings,
            waiting: BTreeMap::new(),
            desktop_told: None,
            desktop_owed: false,
            quiet_until: None,
        }
    }

    /// A request waits for a person. One that is known is not told of again.
    pub(super) fn shown(
        &mut self,
        id: RequestId,
        opened_at: WallTime,
        now: WallTime,
        minute: u16,
    ) -> Vec<Effect> {
        if self.waiting.contains_key(&id) {
            return Vec::new();
        }
        let waiting = Waiting {
            opened_at,
            told: false,
            reminded: 0,
            escalated: false,
        };
        self.waiting.insert(id, waiting);
        self.tick(now, minute)
    }

    /// A request of which an earlier leader of the run has told all that was due until then.
    pub(super) fn told_before(&mut self, id: RequestId, opened_at: WallTime, until: WallTime) {
        let age = until.since(opened_at);
        let reminded = passed(&self.settings, age);
        let escalation = self.settings.escalation.as_ref();
        let escalated = escalation.is_some_and(|escalation| age >= escalation.after);
        self.waiting.entry(id).or_insert(Waiting {
            opened_at,
            told: true,
            reminded,
            escalated,
        });
    }

    /// A request has ended.
    pub(super) fn closed(&mut self, id: RequestId) {
        self.waiting.remove(&id);
    }

    /// Forgets requests that are no longer open.
    pub(super) fn keep(&mut self, is_open: impl Fn(RequestId) -> bool) {
        self.waiting.retain(|id, _| is_open(*id));
    }

    /// Does what is due at `now`, which is that minute of the day.
    pub(super) fn tick(&mut self, now: WallTime, minute: u16) -> Vec<Effect> {
        let quiet = self.settings.quiet;
        let left = quiet.and_then(|quiet| quiet.minutes_left(minute));
        self.quiet_until = left.map(|minutes| {
            // Minutes begin and end where the clock says, not sixty seconds from now.
            now.minute_begun()
                .plus(Millis(u64::from(minutes).saturating_mul(MINUTE.0)))
        });
        if self.quiet_until.is_some() {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for (id, waiting) in &mut self.waiting {
            let age = now.since(waiting.opened_at);
            let news = news_of(&self.settings, waiting, age);
            if let Some(occasion) = news
                && occasion != Occasion::Escalated
            {
                self.desktop_owed |= self.settings.desktop;
                effects.extend(run(&self.settings.command, *id, occasion));
            }
            if let Some(escalation) = &self.settings.escalation
                && !waiting.escalated
                && age >= escalation.after
            {
                waiting.escalated = true;
                effects.extend(run(&escalation.command, *id, Occasion::Escalated));
            }
        }
        effects.extend(self.desktop(now));
        effects
    }

    /// The desktop is told how many wait, and not too often.
    fn desktop(&mut self, now: WallTime) -> Option<Effect> {
        let early = self
            .desktop_told
            .is_some_and(|told| now.since(told) < DESKTOP_EVERY);
        if !self.desktop_owed || early {
            return None;
        }
        self.desktop_owed = false;
        let text = match self.waiting.len() {
            0 => return None,
            1 => {
                let id = self.waiting.keys().next()?;
                format!("{id} waits for you")
            }
            many => format!("{many} questions wait for you"),
        };
        self.desktop_told = Some(now);
        Some(Effect::Desktop(text))
    }

    /// When something is due next; nothing when only a new request can bring it about.
    pub(super) fn next_due(&self) -> Option<WallTime> {
        if self.waiting.is_empty() {
            return None;
        }
        if self.quiet_until.is_some() {
            return self.quiet_until;
        }
        let of_requests = self.waiting.values().filter_map(|waiting| {
            let reminder = self.settings.reminders.get(waiting.reminded).copied();
            let escalation = self.settings.escalation.as_ref();
            let escalation = escalation
                .filter(|_| !waiting.escalated)
                .map(|escalation| escalation.after);
            let first = reminder.into_iter().chain(escalation).min()?;
            Some(waiting.opened_at.plus(first))
        });
        let owed = self.desktop_told.filter(|_| self.desktop_owed);
        let owed = owed.map(|told| told.plus(DESKTOP_EVERY));
        of_requests.chain(owed).min()
    }
}

/// What is told of a request of that age: at most one thing, however many ages it has passed.
fn news_of(settings: &NotifySettings, waiting: &mut Waiting, age: Millis) -> Option<Occasion> {
    let passed = passed(settings, age);
    let reminds = passed > waiting.reminded;
    waiting.reminded = waiting.reminded.max(passed);
    match (waiting.told, reminds) {
        (false, _) => {
            waiting.told = true;
            Some(Occasion::Waits)
        }
        (true, true) => Some(Occasion::StillWaits),
        (true, false) => None,
    }
}

/// How many of the ages at which a request is told of again lie behind one of this age.
fn passed(settings: &NotifySettings, age: Millis) -> usize {
    let ages = settings.reminders.iter();
    ages.take_while(|after| age >= **after).count()
}

fn run(command: &[Box<str>], id: RequestId, occasion: Occasion) -> Option<Effect> {
    (!command.is_empty()).then(|| Effect::Run {
        command: command.to_vec(),
        id,
        occasion,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::RunId;
    use pointsman_policy::settings::{Escalation, QuietHours};
    use proptest::prelude::*;

    const NOON: u16 = 12 * 60;

    fn id(number: u32) -> RequestId {
        RequestId::new(RunId::FIRST, number)
    }

    fn settings() -> NotifySettings {
        NotifySettings {
            command: vec!["tell".into()],
            reminders: vec![Millis(60_000), Millis(300_000)],
            escalation: Some(Escalation {
                after: Millis(120_000),
                command: vec!["call".into()],
            }),
            ..NotifySettings::default()
        }
    }

    /// Effects as short words: `tell r1-1 Waits`, `desktop: …`.
    fn words(effects: Vec<Effect>) -> Vec<String> {
        let word = |effect| match effect {
            Effect::Run {
                command,
                id,
                occasion,
            } => format!("{} {id} {occasion:?}", command[0]),
            Effect::Desktop(text) => format!("desktop: {text}"),
        };
        effects.into_iter().map(word).collect()
    }

    #[test]
    fn each_thing_is_told_once_at_its_age() {
        let mut watchman = Watchman::new(settings());
        let at = |ms: i64| WallTime(1_000_000 + ms);
        let told = |watchman: &mut Watchman, ms| words(watchman.tick(at(ms), NOON));
        assert_eq!(
            words(watchman.shown(id(1), at(0), at(0), NOON)),
            ["tell r1-1 Waits", "desktop: r1-1 waits for you"]
        );
        assert!(words(watchman.shown(id(1), at(0), at(1), NOON)).is_empty());
        assert_eq!(watchman.next_due(), Some(at(60_000)));
        assert!(told(&mut watchman, 59_999).is_empty());
        assert_eq!(
            told(&mut watchman, 60_000),
            ["tell r1-1 StillWaits", "desktop: r1-1 waits for you"]
        );
        assert_eq!(told(&mut watchman, 120_000), ["call r1-1 Escalated"]);
        assert_eq!(watchman.next_due(), Some(at(300_000)));
        watchman.closed(id(1));
        assert!(told(&mut watchman, 400_000).is_empty());
        assert_eq!(watchman.next_due(), None);
    }

    #[test]
    fn what_an_earlier_leader_told_is_not_told_again() {
        let mut watchman = Watchman::new(settings());
        let at = |ms: i64| WallTime(1_000_000 + ms);
        watchman.told_before(id(1), at(0), at(130_000));
        assert!(watchman.shown(id(1), at(0), at(131_000), NOON).is_empty());
        assert!(words(watchman.tick(at(131_000), NOON)).is_empty());
        assert_eq!(watchman.next_due(), Some(at(300_000)));
        assert_eq!(
            words(watchman.tick(at(300_000), NOON)),
            ["tell r1-1 StillWaits", "desktop: r1-1 waits for you"]
        );
    }

    /// Also what has become due while no leader lived.
    #[test]
    fn what_an_earlier_leader_had_not_told_yet_is_told() {
        let mut watchman = Watchman::new(settings());
        let at = |ms: i64| WallTime(1_000_000 + ms);
        watchman.told_before(id(1), at(0), at(61_000));
        assert!(watchman.shown(id(1), at(0), at(130_000), NOON).is_empty());
        assert_eq!(watchman.next_due(), Some(at(120_000)));
        assert_eq!(
            words(watchman.tick(at(130_000), NOON)),
            ["call r1-1 Escalated"]
        );
        assert_eq!(watchman.next_due(), Some(at(300_000)));
    }

    #[test]
    fn quiet_hours_hold_everything_back_until_they_are_over() {
        let mut watchman = Watchman::new(NotifySettings {
            quiet: QuietHours::parse("22:00-07:00"),
            ..settings()
        });
        let at = |ms: i64| WallTime(60_000_000 + ms);
        assert!(watchman.shown(id(1), at(0), at(0), 6 * 60 + 58).is_empty());
        assert_eq!(watchman.next_due(), Some(at(120_000)));
        assert!(
            watchman
                .shown(id(2), at(5_000), at(5_000), 6 * 60 + 58)
                .is_empty()
        );
        watchman.closed(id(2));
        assert_eq!(
            words(watchman.tick(at(120_000), 7 * 60)),
            [
                "tell r1-1 Waits",
                "call r1-1 Escalated",
                "desktop: r1-1 waits for you"
            ]
        );
        // The reminder of the first minute was passed over, not saved up.
        assert_eq!(watchman.next_due(), Some(at(300_000)));
    }

    #[test]
    fn the_desktop_is_told_how_many_wait_and_not_of_each() {
        let mut watchman = Watchman::new(NotifySettings::default());
        let mut told = 0;
        for number in 1..=50 {
            let at = WallTime(1_000 + i64::from(number));
            told += watchman.shown(id(number), at, at, NOON).len();
        }
        assert_eq!(told, 1);
        let due = watchman.next_due().unwrap();
        assert_eq!(
            words(watchman.tick(due, NOON)),
            ["desktop: 50 questions wait for you"]
        );
        assert_eq!(watchman.next_due(), None);
    }

    proptest! {
        /// Whatever comes in whatever order, no request is told of twice for the same occasion and age.
        #[test]
        fn never_twice_for_one_request(
            steps in prop::collection::vec((0_u8..4, 1_u32..5, 0_i64..200_000), 1..60)
        ) {
            let mut watchman = Watchman::new(settings());
            let mut now = WallTime(1_000_000);
            let mut told = Vec::new();
            let mut closed = std::collections::BTreeSet::new();
            for (kind, number, wait) in steps {
                now = WallTime(now.0 + wait);
                let effects = match kind {
                    0 | 1 if !closed.contains(&number) => watchman.shown(id(number), now, now, NOON),
                    2 => {
                        watchman.closed(id(number));
                        closed.insert(number);
                        Vec::new()
                    }
                    _ => watchman.tick(now, NOON),
                };
                told.extend(words(effects).into_iter().filter(|word| !word.starts_with("desktop")));
            }
            for number in 1..5 {
                let count = |what: &str| {
                    let wanted = format!("{} {what}", id(number));
                    told.iter().filter(|word| word.ends_with(&wanted)).count()
                };
                prop_assert!(count("Waits") <= 1);
                prop_assert!(count("Escalated") <= 1);
                prop_assert!(count("StillWaits") <= 2);
            }
        }
    }
}
