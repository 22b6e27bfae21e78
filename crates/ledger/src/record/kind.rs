//! The names of the kinds of record, as they stand in the database and in filters.

use std::fmt;

use super::RecordBody;

macro_rules! kinds {
    ($($variant:ident => $name:literal),* $(,)?) => {
        /// The kind of a record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RecordKind {
            $(#[doc = concat!("Written as `", $name, "`.")] $variant,)*
        }

        impl RecordKind {
            /// All kinds, in the order of [`RecordBody`].
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in the database.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl RecordBody {
            /// Its kind.
            #[must_use]
            pub fn kind(&self) -> RecordKind {
                match self {
                    $(Self::$variant(_) => RecordKind::$variant,)*
                }
            }
        }
    };
}

kinds! {
    RunStarted => "run_started",
    RunResumed => "run_resumed",
    RunEnded => "run_ended",
    RunInterrupted => "run_interrupted",
    StopAsked => "stop_asked",
    OrderGiven => "order_given",
    WorkerSpawned => "worker_spawned",
    WorkerEnded => "worker_ended",
    ModeChanged => "mode_changed",
    TurnTaken => "turn_taken",
    CallRequested => "call_requested",
    CallHooked => "call_hooked",
    HooksTold => "hooks_told",
    CallDecided => "call_decided",
    CallStarted => "call_started",
    CallEnded => "call_ended",
    CallUnknown => "call_unknown",
    ProcessGroupStarted => "process_group_started",
    ProcessGroupEnded => "process_group_ended",
    RequestOpened => "request_opened",
    RequestReopened => "request_reopened",
    RequestShown => "request_shown",
    Advised => "advised",
    Explained => "explained",
    RequestClosed => "request_closed",
    LateAnswer => "late_answer",
    GrantMade => "grant_made",
    GrantUsed => "grant_used",
    GrantRevoked => "grant_revoked",
    Tightened => "tightened",
    RulesSaved => "rules_saved",
    DamageFound => "damage_found",
    SetAside => "set_aside",
    RecordsLost => "records_lost",
    RunsPruned => "runs_pruned",
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
