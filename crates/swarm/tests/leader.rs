//! The leader with everything real: ledger, files, processes, agents. Only the person is a script.

mod leader {
    mod jobs;
    mod spawning;
    mod stage;
    mod stopping;
    mod storm;
    mod unattended;
}
