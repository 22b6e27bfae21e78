//! The JSON schema of settings files, for editors: Claude Code's keys that mean something here, and
//! pointsman's own. Other keys of Claude Code are allowed and not described.
//!
//! The types here are the shape of the file and nothing else; reading is done by hand in
//! [`super::reading`], since a reader that stops at the first fault could not be loud and closed. A
//! test keeps the two the same.

use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};

/// The schema as JSON text, ending in a line feed.
///
/// # Errors
/// When it can't be written as JSON, which its type rules out in practice.
pub fn schema() -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&schema_for!(SettingsShape))?;
    text.push('\n');
    Ok(text)
}

/// A settings file of pointsman, or of Claude Code as pointsman reads it.
#[derive(JsonSchema)]
#[schemars(title = "pointsman settings")]
#[expect(dead_code, reason = "only its shape is used")]
struct SettingsShape {
    /// What agents may do.
    permissions: Option<PermissionsShape>,
    /// Programs and addresses that are asked at events, by the event's name.
    hooks: Option<BTreeMap<EventShape, Vec<HookGroupShape>>>,
    /// Switches all hooks off, but those of the managed settings.
    #[schemars(rename = "disableAllHooks")]
    disable_all_hooks: Option<bool>,
    /// Managed settings alone: hooks of other files don't run.
    #[schemars(rename = "allowManagedHooksOnly")]
    allow_managed_hooks_only: Option<bool>,
    /// Managed settings alone: allow rules of other files don't count.
    #[schemars(rename = "allowManagedPermissionRulesOnly")]
    allow_managed_permission_rules_only: Option<bool>,
    /// Addresses that HTTP hooks may be sent to; `*` stands for anything.
    #[schemars(rename = "allowedHttpHookUrls")]
    allowed_http_hook_urls: Option<Vec<String>>,
    /// Environment variables that headers of HTTP hooks may hold.
    #[schemars(rename = "httpHookAllowedEnvVars")]
    http_hook_allowed_env_vars: Option<Vec<String>>,
    /// Forbids the mode bypassPermissions.
    #[schemars(rename = "disableBypassPermissionsMode")]
    disable_bypass: Option<DisableShape>,
    /// Forbids the mode auto.
    #[schemars(rename = "disableAutoMode")]
    disable_auto: Option<DisableShape>,
    /// pointsman's own settings. Not in `.claude` files.
    pointsman: Option<PointsmanShape>,
}

/// What agents may do. Deny goes before ask, ask before allow, whatever file they stand in.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct PermissionsShape {
    /// Rules for what runs without a question: `Tool` or `Tool(specifier)`.
    allow: Option<Vec<String>>,
    /// Rules for what a person is asked about, in every mode.
    ask: Option<Vec<String>>,
    /// Rules for what is refused, in every mode.
    deny: Option<Vec<String>>,
    /// Folders that may be read, and mode allowing edited in, beside the project.
    #[schemars(rename = "additionalDirectories")]
    additional_directories: Option<Vec<String>>,
    /// The mode that sessions start in. Files of a project may set neither auto nor bypassPermissions.
    #[schemars(rename = "defaultMode")]
    default_mode: Option<ModeShape>,
    /// Forbids the mode bypassPermissions.
    #[schemars(rename = "disableBypassPermissionsMode")]
    disable_bypass: Option<DisableShape>,
    /// Forbids the mode auto.
    #[schemars(rename = "disableAutoMode")]
    disable_auto: Option<DisableShape>,
}

/// A permission mode.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its shape is used")]
enum ModeShape {
    /// What rules don't decide is asked.
    Default,
    /// Another name of `default`.
    Manual,
    /// Reads pass, every change is refused.
    Plan,
    /// Edits and plain file commands inside the directories pass.
    AcceptEdits,
    /// A classifier takes the place of a question.
    Auto,
    /// What rules don't allow is refused instead of asked.
    DontAsk,
    /// Everything passes but denies and what must be asked.
    BypassPermissions,
}

/// The one value of a switch.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its shape is used")]
enum DisableShape {
    /// It is switched off.
    Disable,
}

/// An event that hooks are asked or told of.
#[derive(JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[expect(dead_code, reason = "only its shape is used")]
enum EventShape {
    PreToolUse,
    PermissionRequest,
    PermissionDenied,
    PostToolUse,
    PostToolUseFailure,
    Notification,
    SubagentStart,
    SubagentStop,
    SessionStart,
    SessionEnd,
    Stop,
}

/// Hooks for some values of an event.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct HookGroupShape {
    /// Nothing or `*` for all; names between `|` or `,`; else a regular expression.
    matcher: Option<String>,
    /// The hooks.
    hooks: Vec<HookShape>,
}

/// One hook.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct HookShape {
    /// How it is asked.
    #[schemars(rename = "type")]
    kind: HookKindShape,
    /// The command line, or the program when there are `args`.
    command: Option<String>,
    /// Arguments for the program; no shell reads them.
    args: Option<Vec<String>>,
    /// The address, for the type `http`.
    url: Option<String>,
    /// Headers for the address.
    headers: Option<BTreeMap<String, String>>,
    /// Environment variables that the headers may hold as `$NAME`.
    #[schemars(rename = "allowedEnvVars")]
    allowed_env_vars: Option<Vec<String>>,
    /// One permission rule: the hook is asked for calls that it matches.
    #[schemars(rename = "if")]
    condition: Option<String>,
    /// Seconds it may take.
    timeout: Option<f64>,
    /// Starts it without waiting for it; it has no vote then.
    #[schemars(rename = "async")]
    detached: Option<bool>,
    /// As `async`.
    #[schemars(rename = "asyncRewake")]
    async_rewake: Option<bool>,
    /// The shell of the command line.
    shell: Option<ShellShape>,
    /// Not used here.
    #[schemars(rename = "statusMessage")]
    status_message: Option<String>,
    /// Not used here.
    once: Option<bool>,
    /// Makes it a guard: a failure of it, of whatever kind, refuses or asks. pointsman's own.
    guard: Option<bool>,
    /// Keeps one process that is sent one JSON line a call and answers with one. pointsman's own.
    resident: Option<bool>,
}

/// How a hook is asked.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its shape is used")]
enum HookKindShape {
    /// A program that reads the input as JSON.
    Command,
    /// An address that is sent the input by POST.
    Http,
}

/// The shell of a command line.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its shape is used")]
enum ShellShape {
    /// `sh -c`.
    Bash,
}

/// pointsman's own settings.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct PointsmanShape {
    /// Seconds that a question stays open before it ends as expired.
    deadline_s: Option<f64>,
    /// Nobody is asked, though someone is there.
    unattended: Option<bool>,
    /// Surfaces that count as someone being there without a terminal.
    surfaces: Option<Vec<SurfaceShape>>,
    /// A model or program that may say yes to open questions. In the person's own and the managed
    /// settings alone; without it there is none.
    classifier: Option<ClassifierShape>,
    /// A model that explains open questions to people. In the same settings alone.
    explainer: Option<ExplainerShape>,
    /// How you are told that something waits: a command line that gets the request as JSON, the same
    /// as a list of strings, or an object. In the person's own and the managed settings alone.
    notify: Option<NotifyShape>,
    /// What becomes of a run's questions when its terminal is closed; "wait" when it is left out.
    hangup: Option<HangupShape>,
}

/// How you are told that something waits.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its shape is used")]
enum NotifyShape {
    /// The command alone.
    Command(CommandShape),
    /// All of it.
    Object(NotifyObjectShape),
}

/// A command.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its shape is used")]
enum CommandShape {
    /// A command line of `sh`.
    Line(String),
    /// The program and its arguments; no shell reads them.
    Words(Vec<String>),
}

/// How you are told that something waits, in full.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct NotifyObjectShape {
    /// Runs for each request that waits for a person, with the request as JSON on standard input.
    command: Option<CommandShape>,
    /// Whether the terminal's bell rings; it does when this is left out.
    bell: Option<bool>,
    /// Whether the desktop is told, where there is one; it is when this is left out.
    desktop: Option<bool>,
    /// Ages in seconds at which a request that still waits is told of again.
    remind_s: Option<Vec<f64>>,
    /// A second command for requests that nobody came to.
    escalate: Option<EscalateShape>,
    /// The part of the day, in local time, in which nobody is disturbed, like "22:00-07:00".
    quiet: Option<String>,
}

/// A second command.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct EscalateShape {
    /// The age of the request in seconds.
    after_s: f64,
    /// The command.
    command: CommandShape,
}

/// What becomes of questions when the terminal is closed. The run goes on.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its shape is used")]
enum HangupShape {
    /// They wait to their deadline.
    Wait,
    /// They are refused.
    Refuse,
}

/// Where a person can answer.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its shape is used")]
enum SurfaceShape {
    Terminal,
    Web,
    Chat,
}

/// Who judges open questions: a program, or a model with its dialect.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct ClassifierShape {
    /// The program and its arguments; no shell reads them.
    command: Option<Vec<String>>,
    /// Seconds one judgement may take, all attempts together; 20 when it is left out.
    timeout_s: Option<f64>,
    /// Seconds one attempt at a model may take; as long as the judgement when it is left out.
    attempt_timeout_s: Option<f64>,
    /// What a model is told beside the action.
    guidance: Option<GuidanceShape>,
    /// The model, as its server names it.
    model: Option<String>,
    /// How its server is spoken to.
    dialect: Option<DialectShape>,
    /// The address of its server; its maker's own when it is left out.
    base_url: Option<String>,
    /// The variable that holds the key; `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` when it is left out.
    key_env: Option<String>,
    /// What it may cost a run.
    budget: Option<BudgetShape>,
    /// What a million tokens cost.
    prices: Option<PricesShape>,
}

/// The model that explains open questions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct ExplainerShape {
    /// Seconds one explanation may take; 15 when it is left out.
    timeout_s: Option<f64>,
    /// The model, as its server names it.
    model: String,
    /// How its server is spoken to.
    dialect: DialectShape,
    /// The address of its server; its maker's own when it is left out.
    base_url: Option<String>,
    /// The variable that holds the key; `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` when it is left out.
    key_env: Option<String>,
    /// What it may cost a run.
    budget: Option<BudgetShape>,
    /// What a million tokens cost.
    prices: Option<PricesShape>,
}

/// How a model's server is spoken to.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its shape is used")]
enum DialectShape {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat completions, as OpenAI and many other servers speak them.
    OpenAi,
}

/// What a classifier is told, in prose.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct GuidanceShape {
    /// What is usual here: hosts, tools, habits.
    environment: Option<Vec<String>>,
    /// What may pass.
    allow: Option<Vec<String>>,
    /// What may not, whatever else is said.
    refuse: Option<Vec<String>>,
}

/// What a model may cost a run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct BudgetShape {
    /// Tokens, read and written together.
    tokens: Option<u64>,
    /// Money, in the currency of the prices.
    money: Option<f64>,
    /// Seconds spent waiting for it.
    time_s: Option<f64>,
}

/// What a million tokens cost.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct PricesShape {
    /// Read.
    input: f64,
    /// Written.
    output: f64,
    /// Read from the server's cache; as others when it is left out.
    cache_read: Option<f64>,
    /// Written to the server's cache; twice as others when it is left out.
    cache_write: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::HookEvent;
    use crate::settings::keys;

    /// The names under `properties` of the object that a pointer leads to.
    #[track_caller]
    fn check(pointer: &str, expect: &[&str]) {
        let schema: serde_json::Value = serde_json::from_str(&schema().unwrap()).unwrap();
        let object = schema.pointer(pointer).unwrap()["properties"]
            .as_object()
            .unwrap();
        let mut names: Vec<&str> = object.keys().map(String::as_str).collect();
        let mut expect = expect.to_vec();
        names.sort_unstable();
        expect.sort_unstable();
        assert_eq!(names, expect, "{pointer}");
    }

    #[test]
    fn the_schema_and_the_reader_know_the_same_keys() {
        let top: Vec<&str> = keys::TOP_OURS
            .iter()
            .copied()
            .chain(["pointsman"])
            .collect();
        check("", &top);
        check("/$defs/PermissionsShape", keys::PERMISSIONS);
        check("/$defs/PointsmanShape", keys::POINTSMAN);
        check("/$defs/ClassifierShape", keys::CLASSIFIER);
        check("/$defs/NotifyObjectShape", keys::NOTIFY);
        check("/$defs/EscalateShape", keys::ESCALATE);
        check("/$defs/ExplainerShape", keys::EXPLAINER);
        check("/$defs/GuidanceShape", keys::GUIDANCE);
        check("/$defs/BudgetShape", keys::MODEL_BUDGET);
        check("/$defs/PricesShape", keys::MODEL_PRICES);
        check("/$defs/HookGroupShape", keys::HOOK_GROUP);
        check("/$defs/HookShape", keys::HOOK);
    }

    #[test]
    fn the_schema_and_the_reader_know_the_same_events() {
        let text = schema().unwrap();
        for event in HookEvent::ALL {
            assert!(
                text.contains(&format!("\"{}\"", event.as_str())),
                "{event:?}"
            );
        }
    }
}
