//! What a swarm costs: the decision, the way of a question from worker to leader and back, and a
//! storm of workers that all ask at once. Each figure stands beside its floor of the same run.
//!
//! `cargo bench -p pointsman-swarm`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench prints its report, and ends when something is wrong"
)]

#[path = "../../tests/leader/stage.rs"]
#[expect(dead_code, reason = "the tests use the rest of it")]
mod stage;

mod decision;
mod round_trip;
mod storm;

fn main() {
    // `cargo test --benches` only looks whether they run at all; the storm has a test of its own.
    if std::env::args().any(|arg| arg == "--bench") {
        storm::report();
    }
    divan::main();
}
