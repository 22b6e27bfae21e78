//! What a hook reads on its standard input: one JSON object on one line.
//!
//! The fields are those that people's existing hooks read. What only pointsman has to tell, who asks
//! in which run, stands under a key of its own.

use pointsman_model::{
    Attended, CallId, JsonText, Lineage, LineageStep, Millis, PermissionMode, PermissionRequest,
    RequestId, RuleText, RunId, ToolName, WorkerId,
};
use pointsman_policy::settings::HookEvent;
use serde::Serialize;
use serde_json::value::RawValue;

use self::response::{ToolResponse, response};
use super::happening::{FailedHow, Happening, Stopping};

mod response;

/// What an event tells.
pub(super) struct Told<'a> {
    pub(super) event: HookEvent,
    pub(super) run: RunId,
    pub(super) folder: &'a str,
    pub(super) mode: Option<PermissionMode>,
    /// Whose it is; nothing when it is the whole run's.
    pub(super) lineage: Option<&'a Lineage>,
    pub(super) attended: Attended,
    /// The call it is about.
    pub(super) call: Option<CallTold<'a>>,
    /// The question, for PermissionRequest.
    pub(super) request: Option<&'a PermissionRequest>,
    /// What happened, for events of which hooks are told.
    pub(super) happening: Option<&'a Happening<'a>>,
}

/// A call as hooks are told of it.
#[derive(Clone, Copy)]
pub(super) struct CallTold<'a> {
    pub(super) id: CallId,
    pub(super) tool: &'a ToolName,
    pub(super) input: &'a JsonText,
}

#[derive(Serialize)]
struct Payload<'a> {
    session_id: RunId,
    /// Existing hooks read it; there is no such file.
    transcript_path: &'static str,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_mode: Option<PermissionMode>,
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_input: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_server: Option<McpServer<'a>>,
    #[serde(flatten)]
    more: More<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<WorkerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    permission_suggestions: Vec<Suggestion<'a>>,
    pointsman: Pointsman<'a>,
}

/// What only one kind of event tells.
#[derive(Serialize)]
#[serde(untagged)]
enum More<'a> {
    Nothing {},
    Denied {
        reason: &'a str,
    },
    Succeeded {
        tool_response: ToolResponse<'a>,
        duration_ms: Millis,
    },
    Failed {
        error: &'a str,
        is_interrupt: bool,
        duration_ms: Millis,
    },
    Stopping {
        stop_hook_active: bool,
        last_assistant_message: &'a str,
        /// There are none; existing hooks look whether some are left.
        background_tasks: [&'static str; 0],
        session_crons: [&'static str; 0],
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_transcript_path: Option<&'static str>,
    },
    Notified {
        message: &'a str,
        notification_type: &'a str,
    },
    SessionStarted {
        source: &'a str,
    },
    SessionEnds {
        reason: &'a str,
    },
}

#[derive(Serialize)]
struct McpServer<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Pointsman<'a> {
    run: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    lineage: &'a [LineageStep],
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<RequestId>,
    attended: bool,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    rules: Vec<SuggestedRule<'a>>,
    behavior: &'static str,
    destination: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuggestedRule<'a> {
    tool_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_content: Option<&'a str>,
}

/// The line for a hook; an error says why there is none.
pub(super) fn line(told: &Told<'_>) -> serde_json::Result<Vec<u8>> {
    let agent = told.lineage.map(Lineage::agent);
    // Hooks know the agents that the leader started as sessions of their own.
    let spawned = agent.filter(|_| told.lineage.is_some_and(|lineage| lineage.depth() > 1));
    let call = told.call;
    let payload = Payload {
        session_id: told.run,
        transcript_path: "",
        cwd: told.folder,
        permission_mode: told.mode,
        hook_event_name: told.event.as_str(),
        tool_name: call.map(|call| call.tool.as_str()),
        tool_input: call
            .map(|call| serde_json::from_str(call.input.as_str()))
            .transpose()?,
        tool_use_id: call.filter(|_| told.request.is_none()).map(|call| call.id),
        mcp_server: call
            .and_then(|call| call.tool.mcp_server())
            .map(|name| McpServer { name }),
        more: told.happening.map_or(More::Nothing {}, more),
        agent_id: spawned.map(|agent| agent.worker),
        agent_type: spawned.map(|agent| agent.agent.as_str()),
        permission_suggestions: told.request.map(suggestions).unwrap_or_default(),
        pointsman: Pointsman {
            run: told.run,
            worker: agent.map(|agent| agent.worker),
            agent_type: agent.map(|agent| agent.agent.as_str()),
            lineage: told.lineage.map(Lineage::steps).unwrap_or_default(),
            call: call.map(|call| call.id),
            request: told.request.map(|request| request.id),
            attended: match told.attended {
                Attended::Yes => true,
                Attended::No => false,
            },
        },
    };
    let mut line = serde_json::to_vec(&payload)?;
    line.push(b'\n');
    Ok(line)
}

fn more<'a>(happening: &'a Happening<'a>) -> More<'a> {
    match happening {
        Happening::Denied { reason, .. } => More::Denied { reason },
        Happening::Succeeded { call, text, took } => More::Succeeded {
            tool_response: response(&call.input, text),
            duration_ms: *took,
        },
        Happening::Failed {
            error, how, took, ..
        } => More::Failed {
            error,
            is_interrupt: *how == FailedHow::Interrupted,
            duration_ms: *took,
        },
        Happening::SubagentStarted => More::Nothing {},
        Happening::SubagentStops(stopping) => stops(stopping, Some("")),
        Happening::Stops(stopping) => stops(stopping, None),
        Happening::Notified { message, kind } => More::Notified {
            message,
            notification_type: kind,
        },
        Happening::SessionStarted { source } => More::SessionStarted { source },
        Happening::SessionEnds { reason } => More::SessionEnds { reason },
    }
}

fn stops<'a>(stopping: &Stopping<'a>, agent_transcript_path: Option<&'static str>) -> More<'a> {
    More::Stopping {
        stop_hook_active: stopping.held_before > 0,
        last_assistant_message: stopping.last_words,
        background_tasks: [],
        session_crons: [],
        agent_transcript_path,
    }
}

fn suggestions(request: &PermissionRequest) -> Vec<Suggestion<'_>> {
    request
        .proposals
        .iter()
        .map(|proposal| Suggestion {
            kind: "addRules",
            rules: proposal.rules.iter().map(suggested).collect(),
            behavior: "allow",
            destination: "session",
        })
        .collect()
}

fn suggested(rule: &RuleText) -> SuggestedRule<'_> {
    let text = rule.as_str();
    match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((tool_name, content)) => SuggestedRule {
            tool_name,
            rule_content: Some(content),
        },
        None => SuggestedRule {
            tool_name: text,
            rule_content: None,
        },
    }
}
