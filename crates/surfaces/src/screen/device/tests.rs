//! What is left of the terminal after a panic: a child of this test takes one over and panics.

use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use expectrl::Expect as _;
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

const LEAVES: &str = "POINTSMAN_TEST_LEAVES_THE_SCREEN";

/// How long a terminal may take to hand over what was typed.
const TYPED_WITHIN: u16 = 60_000;

fn keys_wait(within: PollTimeout) -> bool {
    let keys = io::stdin();
    let mut watched = [PollFd::new(keys.as_fd(), PollFlags::POLLIN)];
    poll(&mut watched, within).unwrap() > 0
}

#[test]
fn the_child_that_leaves_the_screen() {
    if std::env::var_os(LEAVES).is_none() {
        return;
    }
    let device = Device::open().unwrap();
    println!("the screen is up");
    assert!(
        keys_wait(PollTimeout::from(TYPED_WITHIN)),
        "nothing was typed"
    );
    drop(device);
    println!("left for the shell: {}", keys_wait(PollTimeout::ZERO));
}

#[test]
fn what_was_typed_for_the_screen_is_not_for_the_shell_behind_it() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "screen::device::tests::the_child_that_leaves_the_screen",
        ])
        .args(["--nocapture", "--test-threads=1"])
        .env(LEAVES, "1");
    let mut session = OsSession::spawn(command).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    session.expect("the screen is up").unwrap();
    session.send("rm -rf build\r").unwrap();
    session.expect("left for the shell: false").unwrap();
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
