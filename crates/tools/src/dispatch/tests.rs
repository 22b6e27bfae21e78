//! The door, with real folders, a real bash, a real ledger; only the person is scripted.

mod any_way;
mod bench;
mod door;
mod hooks;
mod law_10;
mod laws;
mod moves;
mod tools;
