//! The client against real servers on loopback: both dialects, faults of every kind, cassettes.

#[cfg(test)]
mod client {
    mod cassettes;
    mod faults;
    mod replies;
    mod stage;
}
