//! Chores of the repository: tidy, schemas, reports.
fn main() {}
