//! Ctrl-Z and `fg`: the terminal is given back while this process is stopped, and taken over again when it goes on.

use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use tokio::signal::unix::{self, SignalKind, signal};

/// What happens to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It is to stop.
    Asked,
    /// It goes on after it was stopped.
    Over,
}

/// Hears of both. Has to be made within a Tokio runtime.
pub(crate) struct Pauses {
    asked: Option<unix::Signal>,
    over: Option<unix::Signal>,
}

impl Pauses {
    /// Listens from now on. A signal that can't be listened for keeps its usual effect.
    pub(crate) fn new() -> Self {
        let listen = |kind: Signal| signal(SignalKind::from_raw(kind.as_raw())).ok();
        Self {
            asked: listen(Signal::TSTP),
            over: listen(Signal::CONT),
        }
    }

    /// The next one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Pause {
        tokio::select! {
            biased;
            () = next(self.over.as_mut()) => Pause::Over,
            () = next(self.asked.as_mut()) => Pause::Asked,
        }
    }

    /// Has the terminal's foreground stop, as Ctrl-Z does where the terminal itself takes that key. False where nobody
    /// could let it go on: no shell with job control has put this process into a group of its own.
    pub(crate) fn ask() -> bool {
        let alone = getsid(None).is_ok_and(|session| session == getpgrp());
        !alone && kill_current_process_group(Signal::TSTP).is_ok()
    }

    /// Stops this process until somebody lets it go on. What agents run has process groups of its own and runs on.
    pub(crate) fn stop_here() {
        // Sent to this very thread, which so stops before it does anything else: what is sent to the process waits until
        // another of its threads has its turn, and meanwhile this one would take the terminal over again. Nobody may be
        // refused to stop itself.
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
    }
}

async fn next(signal: Option<&mut unix::Signal>) {
    let came = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if came.is_none() {
        std::future::pending().await
    }
}
