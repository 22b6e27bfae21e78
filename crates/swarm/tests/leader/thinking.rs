//! Agents that think, in front of a scripted model.

use pointsman_agents::ModelAccess;
use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_model::Attended;
use pointsman_swarm::{ExitCode, Leader, NoModel, RunSummary, StartError};
use pointsman_testkit::{AnthropicReply, ModelAnswer, ModelServer};
use serde_json::json;

use super::stage::{Stage, in_time};

const KEY: &str = "sk-secret-0123456789";

fn access() -> ModelAccess {
    ModelAccess::over_network(None, |name| {
        (name == "ANTHROPIC_API_KEY").then(|| KEY.to_owned())
    })
}

/// Runs jobs to their end with nobody there and a model that answers so.
async fn run(stage: &Stage, jobs: &str, answers: Vec<ModelAnswer>) -> (RunSummary, ModelServer) {
    let server = ModelServer::start(answers).await.unwrap();
    let jobs = jobs.replace("URL", server.url());
    let mut options = stage.options(&jobs, Attended::No);
    options.models = Some(access());
    let (_handle, leader) = Leader::start(options).await.unwrap();
    (in_time(leader.finish()).await, server)
}

const JOBS: &str = r#"
    [defaults]
    model = { model = "m", dialect = "anthropic", base_url = "URL" }

    [[job]]
    name = "think"
    agent = "llm"
    task = "say hello"
    allow = ["Bash(echo *)"]

    [agents.checker]
    description = "checks"
    [[agents.checker.step]]
    tool = "Bash"
    input = { command = "echo checked" }
"#;

#[tokio::test]
async fn a_model_does_a_job_through_the_same_door() {
    let stage = Stage::new();
    let answers = vec![
        AnthropicReply::uses("1", "Bash", json!({"command": "echo hello"})).streamed(),
        AnthropicReply::uses("2", "Bash", json!({"command": "touch made"})).streamed(),
        AnthropicReply::uses(
            "3",
            "Agent",
            json!({"subagent_type": "checker", "prompt": "check"}),
        )
        .streamed(),
        AnthropicReply::text("done, but for one thing").streamed(),
    ];
    let (summary, server) = run(&stage, JOBS, answers).await;
    // What nobody could answer was refused, and the work went on.
    assert_eq!(summary.exit, ExitCode::Unanswered, "{summary:?}");
    assert!(!stage.file("made").exists());
    let heard = server.heard();
    let system = heard[0].json()["system"][0]["text"].to_string();
    assert!(system.contains("- checker: checks"), "{system}");
    let told = heard[3].json()["messages"].to_string();
    assert!(told.contains("hello") && told.contains("nobody"), "{told}");
    let ended = stage.records(RecordKind::WorkerEnded);
    assert_eq!(ended.len(), 2, "{ended:?}");
    let asked = stage.records(RecordKind::CallRequested);
    assert_eq!(asked.len(), 4, "{asked:?}");
    stage.check_ledger();
}

/// Whatever the variable is called that a job file names, and though the agent may run anything.
#[tokio::test]
async fn the_key_reaches_neither_ledger_nor_commands() {
    let stage = Stage::new();
    let answers = [
        AnthropicReply::uses("1", "Bash", json!({"command": "env"})).streamed(),
        AnthropicReply::text("done").streamed(),
    ];
    let server = ModelServer::start(answers).await.unwrap();
    let jobs = JOBS
        .replace(
            "base_url = \"URL\"",
            &format!("base_url = \"{}\", key_env = \"SAUCE\"", server.url()),
        )
        .replace(
            "agent = \"llm\"",
            "agent = \"llm\"\nmode = \"bypassPermissions\"",
        );
    let mut options = stage.options(&jobs, Attended::No);
    options.environment = options.environment.with("SAUCE", KEY);
    options.models = Some(ModelAccess::over_network(None, |name| {
        (name == "SAUCE").then(|| KEY.to_owned())
    }));
    let (_handle, leader) = Leader::start(options).await.unwrap();
    in_time(leader.finish()).await;
    assert_eq!(server.heard()[0].header("x-api-key"), Some(KEY));
    let ended = stage.records(RecordKind::CallEnded);
    let [RecordBody::CallEnded(env)] = &ended[..] else {
        panic!("{ended:?}");
    };
    assert!(env.text.contains("PATH="), "{env:?}");
    let key = KEY.as_bytes();
    for file in std::fs::read_dir(stage.ledger().parent().unwrap()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(
            !bytes.windows(key.len()).any(|window| window == key),
            "{path:?}"
        );
    }
}

#[tokio::test]
async fn a_run_without_a_key_does_not_start_and_says_which() {
    let stage = Stage::new();
    let jobs = JOBS.replace("URL", "https://models.example.com");
    let mut options = stage.options(&jobs, Attended::No);
    options.models = Some(ModelAccess::over_network(None, |_| None));
    let error = Leader::start(options).await.err().unwrap();
    assert!(matches!(error, StartError::Model(NoModel::Settings(_))));
    assert_eq!(
        error.to_string(),
        "there is no key for the model `m`: set the variable `ANTHROPIC_API_KEY`"
    );
    assert!(!stage.ledger().exists());
}
