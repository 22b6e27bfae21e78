//! Child processes: start, bounds, process groups, kill, reap.
