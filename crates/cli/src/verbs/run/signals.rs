//! The signals that end a run, or the look at one.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The terminal was closed.
pub(super) const HANG_UP: &str = "SIGHUP";

/// The signals that end a program.
pub(in crate::verbs) struct Signals(Vec<(&'static str, Signal)>);

impl Signals {
    /// Listens for them. One that can't be listened for keeps its usual effect.
    pub(in crate::verbs) fn new() -> Self {
        let kinds = [
            ("SIGINT", SignalKind::interrupt()),
            ("SIGTERM", SignalKind::terminate()),
            (HANG_UP, SignalKind::hangup()),
        ];
        let listening = kinds
            .into_iter()
            .filter_map(|(name, kind)| Some((name, signal(kind).ok()?)));
        Self(listening.collect())
    }

    /// No signal ever comes.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Comes back when somebody wants to get out. A terminal that is closed wants nothing, and may tell so several times.
    /// Cancel safe.
    pub(super) async fn insist(&mut self) {
        while self.next().await == HANG_UP {}
    }

    /// The name of the next one. Cancel safe.
    pub(in crate::verbs) async fn next(&mut self) -> &'static str {
        std::future::poll_fn(|context| {
            for (name, signal) in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*name);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}
