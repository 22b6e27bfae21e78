//! The command line of pointsman: parses arguments, wires the crates, prints.
fn main() {}
