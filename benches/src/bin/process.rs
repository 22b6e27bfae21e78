//! `pointsman check` as a whole process under 10,000 rules, beside `git --version` and an empty program's start.
//!
//! Wall-clock time, the programs in turn, so that what else the machine does falls on all alike.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RULES: usize = 10_000;

/// Rounds when nothing is said; each starts every program once.
const ROUNDS: usize = 300;

/// A program to be timed.
type Start = Box<dyn Fn() -> Command>;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(pointsman), Some(room)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: process POINTSMAN FOLDER [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS);
    let room = Path::new(&room).to_owned();
    let rules = |count: usize| {
        let rule = |n: usize| match n % 10 {
            0..7 => format!("\"Bash(prog{} sub{n} *)\"", n % 23),
            _ => format!("\"Edit(/area{}/part{n}/**)\"", n % 97),
        };
        let list = |kind: usize| {
            let texts = (0..count)
                .filter(|n| n % 5 == kind || (kind == 2 && n % 5 > 2))
                .map(rule);
            texts.collect::<Vec<_>>().join(",\n")
        };
        format!(
            "{{\"permissions\":{{\"deny\":[{}],\"ask\":[\"Bash(git push *)\",{}],\"allow\":[{}]}}}}",
            list(0),
            list(1),
            list(2)
        )
    };
    let file = |count: usize| {
        let file = room.join(format!("{count}.json"));
        std::fs::write(&file, rules(count)).expect("the folder can be written to");
        file
    };
    let check = |settings: std::path::PathBuf| -> Start {
        let (pointsman, room) = (pointsman.clone(), room.clone());
        Box::new(move || {
            let mut command = Command::new(&pointsman);
            command.args(["check", "--settings"]).arg(&settings);
            command.args(["Bash", "git push origin main"]);
            command.current_dir(&room).env("HOME", &room);
            command
        })
    };
    let plain = |program: &'static str, argument: &'static str| -> Start {
        Box::new(move || {
            let mut command = Command::new(program);
            command.arg(argument);
            command
        })
    };
    let programs: [(&str, Start); 4] = [
        ("git --version", plain("git", "--version")),
        ("true", plain("true", "")),
        ("pointsman check, 10 rules", check(file(10))),
        ("pointsman check, 10,000 rules", check(file(RULES))),
    ];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); programs.len()];
    for round in 0..rounds + 5 {
        for ((_, start), times) in programs.iter().zip(&mut times) {
            let mut command = start();
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let from = Instant::now();
            let mut child = command.spawn().expect("it starts");
            child.wait().expect("it ends");
            // The first rounds fill the caches.
            if round >= 5 {
                times.push(from.elapsed());
            }
        }
    }
    println!("| program | median | fastest tenth | times git |");
    println!("|---|---|---|---|");
    let mut git = None;
    for ((name, _), mut times) in programs.iter().zip(times) {
        times.sort();
        let (median, tenth) = (times[rounds / 2], times[rounds / 10]);
        let git = *git.get_or_insert(median);
        println!(
            "| `{name}` | {:.2} ms | {:.2} ms | {:.2} |",
            median.as_secs_f64() * 1e3,
            tenth.as_secs_f64() * 1e3,
            median.as_secs_f64() / git.as_secs_f64()
        );
    }
}
