//! A panic of some task while a run is on the full screen: a child of this test leads a run at a terminal of its own.

use std::process::Command;
use std::time::Duration;

use expectrl::session::OsSession;
use pointsman_model::Outcome;

use super::*;
use crate::{Bell, Link, Look, ScreenOptions, ScreenService};

/// The file whose coming makes a task of the child panic.
const CHILD: &str = "POINTSMAN_TEST_PANICS_UNDER_THE_SCREEN";
/// What the child says when all was well with it.
const WELL: &str = "it was refused, and the terminal is as it was";

#[tokio::test(flavor = "multi_thread")]
async fn the_child_whose_task_panics_under_the_screen() {
    let Some(go) = std::env::var_os(CHILD) else {
        return;
    };
    let settings = || {
        format!(
            "{:?}",
            rustix::termios::tcgetattr(rustix::stdio::stdin()).unwrap()
        )
    };
    let before = settings();
    let desk = Desk::start().await;
    let (_screen, screen) = ScreenService::open(ScreenOptions {
        leader: Link::Here(desk.leader.clone()),
        jobs: Vec::new(),
        ledger: desk.folder.path().join("ledger.db"),
        clock: Arc::new(SystemClock),
        look: Look::Plain,
        stop: CancellationToken::new(),
        bell: Bell::Silent,
    })
    .unwrap();
    assert_ne!(settings(), before);
    let shutdown = CancellationToken::new();
    let down = shutdown.clone();
    let running = tokio::task::spawn_blocking(move || screen.run(down));
    let (_, mut ticket) = desk.open(1).await;
    while !Path::new(&go).exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let task = tokio::spawn(async { panic!("in the middle of a run") });
    assert!(task.await.is_err());
    // The person at the terminal goes on as before.
    let outcome = ticket.verdict().await.outcome();
    shutdown.cancel();
    running.await.unwrap();
    assert_eq!(outcome, Outcome::DeniedByPerson);
    assert_eq!(settings(), before);
    println!("{WELL}");
}

/// The child at its terminal: all that it wrote, and what is on its screen.
struct Seen {
    session: OsSession,
    parser: vt100::Parser,
    written: String,
}

impl Seen {
    /// Waits until this is on the screen; `press` is pressed now and then until it is.
    #[track_caller]
    fn sees(&mut self, text: &str, press: &str) {
        let mut bytes = [0; 8192];
        for round in 0..6_000 {
            while let Ok(count @ 1..) = self.session.try_read(&mut bytes) {
                self.parser.process(&bytes[..count]);
                self.written
                    .push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
            if self.parser.screen().contents().contains(text) {
                return;
            }
            if round % 25 == 24 {
                self.session.write_all(press.as_bytes()).unwrap();
                self.session.flush().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("no {text:?}\n{}", self.parser.screen().contents());
    }
}

#[test]
fn a_panic_leaves_the_screen_the_run_and_the_terminal_whole() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let name = "socket::server::tests::panic::the_child_whose_task_panics_under_the_screen";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, &go)
        .env("TERM", "xterm-256color")
        .env("RUST_BACKTRACE", "0");
    let mut session = OsSession::spawn(command).unwrap();
    session.get_process_mut().set_window_size(80, 24).unwrap();
    let mut seen = Seen {
        session,
        parser: vt100::Parser::new(24, 80, 0),
        written: String::new(),
    };
    seen.sees("1 waits for you", "");
    std::fs::write(&go, "").unwrap();
    seen.sees("a part of pointsman panicked", "");
    // The message came on the shell's screen, between leaving the full one and taking it again.
    let mut from = 0;
    for text in [
        "\u{1b}[?1049h",
        "\u{1b}[?1049l",
        "in the middle of a run",
        "\u{1b}[?1049h",
    ] {
        let at = seen.written[from..].find(text);
        from += at.unwrap_or_else(|| panic!("no {text:?}: {:?}", seen.written));
    }
    seen.sees("links asks", "\r");
    seen.sees("tell the agent:", "d");
    seen.sees(WELL, "\r");
    assert!(!seen.parser.screen().alternate_screen());
    assert!(!seen.parser.screen().bracketed_paste());
}
