//! The leader with everything real: ledger, files, processes, agents. Only the person is a script.

#[cfg(test)]
mod leader {
    mod dropped;
    mod granting;
    mod hooks;
    mod jobs;
    mod killed;
    mod spawning;
    mod stage;
    mod stopping;
    mod storm;
    mod thinking;
    mod unattended;
}
