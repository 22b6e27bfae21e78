//! What a hook reads on its standard input: one JSON object on one line.
//!
//! The fields are those that people's existing hooks read. What only pointsman has to tell, who asks
//! in which run, stands under a key of its own.

use pointsman_model::{
    Attended, CallId, JsonText, Lineage, LineageStep, PermissionMode, PermissionRequest, RequestId,
    RuleText, RunId, ToolName, WorkerId,
};
use pointsman_policy::settings::HookEvent;
use serde::Serialize;
use serde_json::value::RawValue;

/// What an event tells of a call.
pub(super) struct Told<'a> {
    pub(super) event: HookEvent,
    pub(super) call: CallId,
    pub(super) tool: &'a ToolName,
    pub(super) input: &'a JsonText,
    pub(super) folder: &'a str,
    pub(super) mode: PermissionMode,
    pub(super) lineage: &'a Lineage,
    pub(super) attended: Attended,
    /// The question, for PermissionRequest.
    pub(super) request: Option<&'a PermissionRequest>,
}

#[derive(Serialize)]
struct Payload<'a> {
    session_id: RunId,
    /// Existing hooks read it; there is no such file.
    transcript_path: &'static str,
    cwd: &'a str,
    permission_mode: PermissionMode,
    hook_event_name: &'static str,
    tool_name: &'a str,
    tool_input: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_server: Option<McpServer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<WorkerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    permission_suggestions: Vec<Suggestion<'a>>,
    pointsman: Pointsman<'a>,
}

#[derive(Serialize)]
struct McpServer<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Pointsman<'a> {
    run: RunId,
    worker: WorkerId,
    agent_type: &'a str,
    lineage: &'a [LineageStep],
    call: CallId,
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
    let agent = told.lineage.agent();
    // Hooks know the agents that the leader started as sessions of their own.
    let spawned = told.lineage.depth() > 1;
    let payload = Payload {
        session_id: agent.worker.run(),
        transcript_path: "",
        cwd: told.folder,
        permission_mode: told.mode,
        hook_event_name: told.event.as_str(),
        tool_name: told.tool.as_str(),
        tool_input: serde_json::from_str(told.input.as_str())?,
        tool_use_id: told.request.is_none().then_some(told.call),
        mcp_server: told.tool.mcp_server().map(|name| McpServer { name }),
        agent_id: spawned.then_some(agent.worker),
        agent_type: spawned.then_some(agent.agent.as_str()),
        permission_suggestions: told.request.map(suggestions).unwrap_or_default(),
        pointsman: Pointsman {
            run: agent.worker.run(),
            worker: agent.worker,
            agent_type: agent.agent.as_str(),
            lineage: told.lineage.steps(),
            call: told.call,
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
