//! The JSON schema of job files: twins of what the reader takes, for editors alone. A test keeps the keys of the
//! two the same.

use std::collections::BTreeMap;

use pointsman_agents::{ModelSettings, Step};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema, pretty-printed.
pub(super) fn schema() -> String {
    let generator = SchemaSettings::draft2020_12()
        .with_transform(RecursiveTransform(without_null))
        .into_generator();
    let schema = generator.into_root_schema_for::<JobFileText>();
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

/// TOML has no null: what may be left out is left out.
fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::String(text)) = object.get_mut("description") {
        // The lines are those of the comment in the source.
        *text = text.replace('\n', " ");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        object.remove("anyOf");
        object.extend(only);
    }
}

/// A pointsman job file: jobs that agents do in parallel under one leader.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "JobFile")]
#[expect(dead_code, reason = "only its schema is used")]
struct JobFileText {
    /// How many jobs run at once. Agents that agents spawn take no slot.
    #[schemars(default, range(min = 1, max = 100_000))]
    slots: Option<u32>,
    /// How deep agents may be nested; a job's worker stands at 1.
    #[schemars(default, range(min = 1, max = 64))]
    depth_max: Option<u32>,
    /// How many agents one run may start in all.
    #[schemars(default, range(min = 1, max = 1_000_000))]
    agents_max: Option<u32>,
    /// How long a question stays open before it expires, in seconds. A passed deadline never approves.
    #[schemars(default, range(min = 1, max = 604_800))]
    answer_within_s: Option<u32>,
    /// What becomes of the run when a job fails, unless the job says otherwise.
    #[schemars(default)]
    failure: Option<FailureText>,
    /// What holds for each job that does not say otherwise. Rules and directories add up.
    #[schemars(default)]
    defaults: Option<DefaultsText>,
    /// The jobs.
    job: Vec<JobText>,
    /// The agents that jobs may spawn, by type.
    #[schemars(default)]
    agents: BTreeMap<String, AgentText>,
}

/// `continue`: the other jobs go on. `stop`: everything is stopped.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", rename = "Failure")]
#[expect(dead_code, reason = "only its schema is used")]
enum FailureText {
    Continue,
    Stop,
}

/// Which kind of agent does the work: `steps` takes the steps that are written here, `llm` works on its task with a
/// model.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", rename = "AgentKind")]
#[expect(dead_code, reason = "only its schema is used")]
enum KindText {
    Steps,
    Llm,
    Replay,
}

/// A permission mode.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "Mode")]
#[expect(dead_code, reason = "only its schema is used")]
enum ModeText {
    Default,
    Plan,
    AcceptEdits,
    Auto,
    DontAsk,
    BypassPermissions,
}

/// So many tries more, or the number together with the wait before the first of them.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Retry")]
#[expect(dead_code, reason = "only its schema is used")]
enum RetryText {
    Times(u32),
    TimesAndWait {
        /// So many tries more.
        times: u32,
        /// The wait before the first of them, in seconds; it doubles with each.
        #[schemars(default)]
        wait_s: Option<u32>,
    },
}

/// A table with settings: what is its own, then what jobs and defaults have in common.
macro_rules! with_settings {
    ($(#[$meta:meta])* struct $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        #[expect(dead_code, reason = "only its schema is used")]
        struct $name {
            $($own)*
            /// Which kind of agent does the work.
            #[schemars(default)]
            agent: Option<KindText>,
            /// The model of an agent of the kind `llm`.
            #[schemars(default)]
            model: Option<ModelSettings>,
            /// The folder it starts in, from the project's root.
            #[schemars(default)]
            folder: Option<String>,
            /// More folders it may read and edit in.
            #[schemars(default)]
            directories: Vec<String>,
            /// Its permission mode.
            #[schemars(default)]
            mode: Option<ModeText>,
            /// Rules that let calls pass, like `Bash(cargo test *)`.
            #[schemars(default)]
            allow: Vec<String>,
            /// Rules that want a person.
            #[schemars(default)]
            ask: Vec<String>,
            /// Rules that refuse, whatever else allows.
            #[schemars(default)]
            deny: Vec<String>,
            /// The tools it is offered; all when left out. The limit binds the job's worker alone.
            #[schemars(default)]
            tools: Option<Vec<String>>,
            /// How long one try may take, in seconds, waiting for answers included.
            #[schemars(default, range(min = 1, max = 604_800))]
            timeout_s: Option<u32>,
            /// How often a failed job is tried again.
            #[schemars(default)]
            retry: Option<RetryText>,
            /// What its failure means for the run.
            #[schemars(default)]
            on_failure: Option<FailureText>,
        }
    };
}

with_settings! {
    /// What jobs and defaults have in common.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields, rename = "Defaults")]
    struct DefaultsText {}
}

with_settings! {
    /// One job.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields, rename = "Job")]
    struct JobText {
        /// Its name, unique in the file.
        name: String,
        /// What it is for; people who are asked see it.
        #[schemars(default)]
        task: Option<String>,
        /// The thinking agent of an earlier run whose conversation it goes on with, like `w3-1`.
        #[schemars(default)]
        resumes: Option<String>,
        /// The agent of an earlier run whose calls an agent of the kind `replay` asks for again, like `w3-1`.
        #[schemars(default)]
        replays: Option<String>,
        /// The jobs that must have ended well before it starts.
        #[schemars(default)]
        needs: Vec<String>,
        /// What the scripted agent does, one step after another.
        #[schemars(default)]
        step: Vec<Step>,
    }
}

/// Agents of one type, as other agents may spawn them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Agent")]
#[expect(dead_code, reason = "only its schema is used")]
struct AgentText {
    /// When to use it, for agents that choose for themselves.
    #[schemars(default)]
    description: Option<String>,
    /// What the scripted agent does, one step after another.
    #[schemars(default)]
    step: Vec<Step>,
    /// Which kind of agent does the work.
    #[schemars(default)]
    agent: Option<KindText>,
    /// The model of an agent of the kind `llm`.
    #[schemars(default)]
    model: Option<ModelSettings>,
    /// The mode it asks for. It gets no more trust than the agent that spawns it, unless this file says so here.
    #[schemars(default)]
    mode: Option<ModeText>,
    /// Its own tool limit.
    #[schemars(default)]
    tools: Option<Vec<String>>,
}
