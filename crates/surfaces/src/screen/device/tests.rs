//! What is left of the terminal after a panic: a child of this test takes one over and panics.

use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use expectrl::session::OsSession;

use super::*;

const CHILD: &str = "POINTSMAN_TEST_PANICS_ON_SCREEN";

#[test]
fn the_child_that_panics() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut device = Device::open().unwrap();
    assert_eq!(device.ready().unwrap(), Panicked::No);
    let panicked = std::thread::spawn(|| panic!("in the middle")).join();
    assert!(panicked.is_err());
    // A screen that lives on takes the terminal again, and says so.
    assert_eq!(device.ready().unwrap(), Panicked::Yes);
    panic!("at the end");
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "screen::device::tests::the_child_that_panics"])
        .args(["--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .env("RUST_BACKTRACE", "0");
    let mut session = OsSession::spawn(command).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    let mut bytes = Vec::new();
    // The other end of a terminal that was closed gives an error where a pipe gives an end.
    let _ = session.read_to_end(&mut bytes);
    let told = String::from_utf8_lossy(&bytes);
    let at = |text: &str, from: usize| {
        let rest = told.get(from..).unwrap_or_default();
        rest.find(text)
            .map(|at| at + from)
            .unwrap_or_else(|| panic!("no {text:?} after {from} in {told:?}"))
    };
    let mut from = 0;
    for text in [
        "\u{1b}[?1049h",
        "\u{1b}[?1049l",
        "in the middle",
        "\u{1b}[?1049h",
        "\u{1b}[?1049l",
        "at the end",
    ] {
        from = at(text, from) + 1;
    }
    assert!(!told[from..].contains("\u{1b}[?1049h"));
}
