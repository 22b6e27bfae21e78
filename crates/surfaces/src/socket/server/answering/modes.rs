//! Another mode for an agent at work. Its context is frozen: less trust comes as a ceiling over it, more trust only as
//! a grant (laws 6, 14 and 16).

use pointsman_approvals::{GrantsError, NewGrant};
use pointsman_model::{
    AbsPath, GrantScope, PermissionContext, PermissionMode, RuleText, Uses, WorkerId,
};
use pointsman_swarm::LeaderHandle;

use super::PERSON;
use crate::socket::wire::Reply;

/// What a change of mode comes to.
enum Change {
    /// It is held to it.
    Ceiling,
    /// It is granted what the mode would let pass.
    Edits,
    /// It is in that mode.
    Nothing,
    /// It can't be had.
    Refused,
}

/// Makes the change, and says what it comes to.
pub(super) async fn change(worker: WorkerId, mode: PermissionMode, leader: &LeaderHandle) -> Reply {
    let Some(frozen) = leader.context(worker) else {
        return Reply::NotFound {
            text: format!("{worker} was not started in {}", leader.run()),
        };
    };
    let parts = frozen.context.parts();
    let overlay = leader
        .grants()
        .overlay_for(&parts.lineage, leader.clock().now());
    let now = overlay
        .ceiling
        .map_or(parts.mode, |ceiling| parts.mode.under(ceiling))
        .mode();
    match change_from(now, mode) {
        Change::Nothing => Reply::Done {
            text: format!("{worker} is in mode {mode} already"),
        },
        Change::Ceiling => {
            let told = format!(
                "{worker} and all agents below it are held to mode {mode} from their next calls on"
            );
            lowered(
                leader.grants().lower(Some(worker), mode, PERSON).await,
                told,
            )
        }
        Change::Edits => grant_edits(&frozen.context, leader).await,
        Change::Refused => Reply::NotFound {
            text: format!(
                "{worker} was started in mode {}, and more trust than that comes only as a grant: answer its questions with `--always`",
                parts.mode.mode()
            ),
        },
    }
}

fn change_from(now: PermissionMode, to: PermissionMode) -> Change {
    match to {
        to if to == now => Change::Nothing,
        to if to < now => Change::Ceiling,
        PermissionMode::AcceptEdits if now == PermissionMode::Default => Change::Edits,
        PermissionMode::Plan
        | PermissionMode::DontAsk
        | PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Auto
        | PermissionMode::BypassPermissions => Change::Refused,
    }
}

fn lowered(came: Result<(), GrantsError>, told: String) -> Reply {
    match came {
        Ok(()) => Reply::Done { text: told },
        // It is in force all the same; the record alone is missing.
        Err(error @ GrantsError::NotRecorded(_)) => Reply::Done {
            text: format!("{told}; {error}"),
        },
        Err(error) => Reply::Error {
            text: error.to_string(),
        },
    }
}

/// "For this session" on edits: a grant for edits inside the agent's folders, to it alone.
async fn grant_edits(context: &PermissionContext, leader: &LeaderHandle) -> Reply {
    let parts = context.parts();
    let worker = parts.lineage.agent().worker;
    let rules: Vec<RuleText> = parts.directories.iter().map(inside).collect();
    let new = NewGrant {
        rules,
        scope: GrantScope::Worker { worker },
        anchor: leader.project().clone(),
        until: None,
        uses: Uses::Unlimited,
        by: PERSON,
        request: None,
    };
    match leader.grants().add(new).await {
        Ok(grants) => {
            let ids: Vec<String> = grants.iter().map(|grant| grant.id.to_string()).collect();
            Reply::Done {
                text: format!(
                    "{worker} stays in its mode and may edit inside its folders: granted as {}",
                    ids.join(", ")
                ),
            }
        }
        Err(error) => Reply::Error {
            text: error.to_string(),
        },
    }
}

/// The rule for edits inside a folder: two slashes begin at the root.
fn inside(folder: &AbsPath) -> RuleText {
    RuleText::new(&format!(
        "Edit(/{}/**)",
        folder.as_str().trim_end_matches('/')
    ))
}
