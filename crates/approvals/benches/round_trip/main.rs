//! A question there and back: over the durable service, and by the mailbox in memory, from one pending
//! question to a hundred thousand; each beside its floor.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench that can't be set up has nothing to measure, and prints what it measured"
)]

mod durable;
mod memory;
mod question;

fn main() {
    if std::env::args().all(|argument| argument != "--test") {
        memory::report();
    }
    divan::main();
}
