//! The leader and its workers: job files, spawn tree, slots, retry, stop.
