//! One question, several engines, one run: what N rules say to a shell call and to a path edit.
//!
//! Every engine has to give the answers of a plain walk over all rules before it is timed. Times are CPU time of the
//! thread. An engine of which one decision takes longer than [`SLOW`] is not asked with more rules.
//!
//! `scripts/bench-policy` runs it; the figures stand in `docs/speed.md`.

mod cedar;
mod floor;
mod ours;
mod question;
mod rego;

use std::time::Duration;

use question::{Call, Engine, Rules, Verdict};

/// Rules of one run each.
const COUNTS: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// An engine whose decision takes longer is left out of larger runs.
const SLOW: Duration = Duration::from_millis(100);

/// Calls that every engine is tried with before it is timed.
const TRIED: usize = 40;

/// A measured batch takes about so long.
const BATCH: Duration = Duration::from_millis(30);

/// Batches of which the median counts.
const BATCHES: usize = 7;

/// Makes an engine of rules.
type Make = fn(&Rules) -> Box<dyn Engine>;

const ENGINES: [(&str, Make); 8] = [
    ("floor: flat trie of words", floor::trie),
    ("floor: walk over all", floor::walk),
    ("pointsman, full ladder, rung and rule named", ours::ladder),
    ("pointsman, with reason and trail in words", ours::told),
    ("regorus, index made by hand", rego::indexed),
    ("regorus, scan", rego::scanning),
    ("cedar, one policy a rule, `like`", cedar::like),
    ("cedar, `resource in` folders", cedar::within),
];

fn main() {
    let max = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let mut slow: Vec<&str> = Vec::new();
    println!("| rules | engine | shell | path | build | over all rules |");
    println!("|---|---|---|---|---|---|");
    for count in COUNTS
        .into_iter()
        .filter(|count| max.is_none_or(|max| *count <= max))
    {
        let rules = Rules::new(count);
        let reference = floor::walk(&rules);
        let calls = rules.drawn(TRIED);
        for (name, make) in ENGINES {
            if slow.contains(&name) {
                println!("| {count} | {name} | left out | | | |");
                continue;
            }
            let (mut engine, build) = timed(|| make(&rules));
            for tried in [&[Call::shell()], &[Call::path()], &*calls] {
                engine.read(tried);
                for call in tried {
                    let (said, right) = (engine.decide(call), reference.decide(call));
                    assert_eq!(said, right, "{name} with {count} rules: {call:?}");
                }
            }
            let shell = decision(engine.as_mut(), &[Call::shell()]);
            let path = decision(engine.as_mut(), &[Call::path()]);
            let all = if shell.max(path) < Duration::from_micros(100) {
                shown(decision(engine.as_mut(), &rules.drawn(4_096)))
            } else {
                "–".into()
            };
            if shell.max(path) > SLOW {
                slow.push(name);
            }
            println!(
                "| {count} | {name} | {} | {} | {} | {all} |",
                shown(shell),
                shown(path),
                shown(build)
            );
        }
    }
}

/// The median time of a decision.
fn decision(engine: &mut dyn Engine, calls: &[Call]) -> Duration {
    engine.read(calls);
    let rounds = |count: usize| {
        let ((), time) = timed(|| {
            for call in calls.iter().cycle().take(count) {
                std::hint::black_box(engine.decide(std::hint::black_box(call)));
            }
        });
        time
    };
    let mut count = 1;
    let mut time = rounds(count);
    while time < BATCH && count < 1 << 24 {
        count *= 2;
        time = rounds(count);
    }
    if count == 1 && time > SLOW {
        return time;
    }
    let mut each: Vec<Duration> = (0..BATCHES)
        .map(|_| Duration::from_nanos_u128(rounds(count).as_nanos() / count as u128))
        .collect();
    each.sort();
    each[BATCHES / 2]
}

/// What it gives, and the time of this thread that it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now = || {
        let at = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(at.tv_sec as u64, at.tv_nsec as u32)
    };
    let from = now();
    let made = work();
    (made, now() - from)
}

fn shown(time: Duration) -> String {
    let nanos = time.as_nanos() as f64;
    match nanos {
        nanos if nanos < 1e3 => format!("{nanos:.0} ns"),
        nanos if nanos < 1e6 => format!("{:.2} µs", nanos / 1e3),
        nanos => format!("{:.2} ms", nanos / 1e6),
    }
}

/// Deny beats ask, ask beats allow.
fn strongest(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.max().unwrap_or(Verdict::Nothing)
}
