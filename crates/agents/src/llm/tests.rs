//! The thinking agent between a scripted model and a real door.

use std::collections::VecDeque;
use std::time::Duration;

use pointsman_llm::{
    ApiKey, BaseUrl, Budget, Dialect, Endpoint, Limits, ModelName, Spending, Transport,
};
use pointsman_testkit::{AnthropicReply, ChatReply, ModelAnswer, ModelServer};
use serde_json::{Value, json};

use super::*;
use crate::fixture::Bench;

const LIMITS: LlmLimits = LlmLimits {
    turns_max: 12,
    output_tokens_max: 1_000,
    context_tokens: None,
    temperature: None,
};

/// A model's server, a door, and the agent between them.
struct Scene {
    bench: Bench,
    server: ModelServer,
    agent: LlmAgent,
}

impl Scene {
    async fn new(answers: impl IntoIterator<Item = ModelAnswer>) -> Self {
        let budget = Spending::unlimited();
        Self::with(Dialect::Anthropic, LIMITS, budget, answers).await
    }

    async fn with(
        dialect: Dialect,
        limits: LlmLimits,
        spending: Spending,
        answers: impl IntoIterator<Item = ModelAnswer>,
    ) -> Self {
        let server = ModelServer::start(answers).await.unwrap();
        let endpoint = Endpoint {
            dialect,
            base_url: BaseUrl::parse(server.url()).unwrap(),
            key: ApiKey::new("sk-0123456789"),
            model: ModelName::new("scripted"),
        };
        let transport = Transport::network(None).unwrap();
        let tries = Limits {
            first_wait: Duration::from_millis(1),
            wait_max: Duration::from_millis(1),
            ..Limits::AGENT
        };
        let client = Client::new(endpoint, transport, tries, spending).unwrap();
        let role = LlmRole {
            instructions: "Be brief.".into(),
            sub_agents: Vec::new(),
        };
        Self {
            bench: Bench::new().await,
            server,
            agent: LlmAgent::new(client, role, limits, "say hello"),
        }
    }

    async fn work(&mut self) -> AgentEnd {
        let stop = self.bench.stop.clone();
        self.agent.work(&self.bench.dispatch, &stop).await
    }

    /// The results that the model was told in its request of that number, by id.
    fn results(&self, request: usize) -> Vec<(String, String, bool)> {
        let sent = self.server.heard()[request].json();
        let last = sent["messages"].as_array().unwrap().last().unwrap().clone();
        let blocks = last["content"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        blocks
            .filter(|block| block["type"] == "tool_result")
            .map(|block| {
                (
                    text(&block["tool_use_id"]),
                    text(&block["content"]),
                    block["is_error"] == true,
                )
            })
            .collect()
    }
}

fn bash(id: &str, command: &str) -> AnthropicReply {
    AnthropicReply::uses(id, "Bash", json!({ "command": command }))
}

fn done(text: &str) -> ModelAnswer {
    AnthropicReply::text(text).streamed()
}

#[track_caller]
fn is_done(end: &AgentEnd) -> &str {
    match end {
        AgentEnd::Done { summary } => summary,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn is_failed(end: &AgentEnd) -> &str {
    match end {
        AgentEnd::Failed { reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_model_uses_tools_until_it_has_said_all() {
    let answers = [bash("u1", "echo hello").streamed(), done("It said hello.")];
    let mut scene = Scene::new(answers).await;
    assert_eq!(is_done(&scene.work().await), "It said hello.");
    assert_eq!(scene.results(1), [("u1".into(), "hello".into(), false)]);
    let first = scene.server.heard()[0].json();
    assert_eq!(first["stream"], true);
    let system = first["system"][0]["text"].as_str().unwrap();
    assert!(system.ends_with("Be brief."), "{system}");
    let tools = first["tools"].as_array().unwrap().iter();
    let names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"Bash") && names.contains(&"Read"),
        "{names:?}"
    );
}

#[tokio::test]
async fn the_other_dialect_does_as_well() {
    let answers = [
        ChatReply::uses("u1", "Bash", &json!({"command": "echo hello"})).streamed(),
        ChatReply::text("done").streamed(),
    ];
    let unlimited = Spending::unlimited();
    let mut scene = Scene::with(Dialect::OpenAi, LIMITS, unlimited, answers).await;
    assert_eq!(is_done(&scene.work().await), "done");
    let sent = scene.server.heard()[1].json();
    let told = sent["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&told["role"], &told["content"]),
        (&json!("tool"), &json!("hello"))
    );
}

/// What is refused is told in the words of the refusal, the work goes on, and the report names it.
#[tokio::test]
async fn a_refusal_is_a_result_and_is_told_in_the_report() {
    let answers = [bash("u1", "rm -rf x").streamed(), done("I could not.")];
    let mut scene = Scene::new(answers).await;
    std::fs::create_dir(scene.bench.keep.path().join("x")).unwrap();
    let end = scene.work().await;
    let report = is_done(&end);
    assert!(
        report.starts_with("I could not.\nrefused: Bash: "),
        "{report}"
    );
    let told = scene.results(1);
    assert!(told[0].1.contains("deny Bash(rm *)"), "{told:?}");
    assert!(told[0].2);
    assert!(scene.bench.keep.path().join("x").exists());
}

#[tokio::test]
async fn uses_of_one_turn_have_their_results_in_order() {
    let turn = bash("a", "echo one")
        .and_uses("b", "Bash", json!({"command": "rm x"}))
        .and_uses("c", "Nonsense", json!({}))
        .and_uses("d", "not a name", json!({}))
        .and_uses("e", "Bash", json!({"comand": "echo"}))
        .and_uses("f", "Bash", json!({"command": "echo two"}));
    let mut scene = Scene::new([turn.streamed(), done("ok")]).await;
    scene.work().await;
    let results = scene.results(1);
    let ids: Vec<_> = results.iter().map(|(id, _, _)| id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e", "f"]);
    let failed: Vec<_> = results.iter().map(|(_, _, failed)| *failed).collect();
    assert_eq!(failed, [false, true, true, true, true, false]);
    assert!(
        results[3]
            .1
            .starts_with("it was not run: `not a name` is no tool name")
    );
    assert!(results[4].1.contains("did you mean `command`?"));
    assert_eq!(results[5].1, "two");
}

/// The end of a turn that was cut off may read well and still be half of what was meant.
#[tokio::test]
async fn a_call_that_was_cut_off_is_never_run() {
    let turn = bash("a", "echo one").and_uses("b", "Bash", json!({"command": "echo b > made"}));
    let answers = [turn.stopped("max_tokens").streamed(), done("ok")];
    let mut scene = Scene::new(answers).await;
    scene.work().await;
    let results = scene.results(1);
    assert_eq!(results[0].1, "one");
    assert!(
        results[1]
            .1
            .starts_with("it was not run: your answer was cut off")
    );
    assert!(!scene.bench.keep.path().join("made").exists());
}

/// Whatever else than its own end made a model stop, what it asked for until then is not run.
#[tokio::test]
async fn what_was_asked_for_before_it_was_broken_off_is_not_run() {
    for reason in ["refusal", "pause_turn", "no_such_reason"] {
        let turn = bash("a", "echo a > made").stopped(reason).streamed();
        let mut scene = Scene::new([turn]).await;
        let end = scene.work().await;
        is_failed(&end);
        assert!(!scene.bench.keep.path().join("made").exists(), "{reason}");
        assert_eq!(scene.server.heard().len(), 1, "{reason}");
    }
    let turn = bash("a", "echo a > made").stopped("model_context_window_exceeded");
    let mut scene = Scene::new([turn.streamed(), done("ok")]).await;
    scene.work().await;
    assert!(!scene.bench.keep.path().join("made").exists());
}

#[tokio::test]
async fn words_that_were_cut_off_are_gone_on_with_for_a_while() {
    let cut = || {
        AnthropicReply::text("on and on")
            .stopped("max_tokens")
            .streamed()
    };
    let mut scene = Scene::new([cut(), cut(), done("end")]).await;
    assert_eq!(is_done(&scene.work().await), "end");
    let mut scene = Scene::new((0..9).map(|_| cut())).await;
    assert!(is_failed(&scene.work().await).contains("again and again"));
    assert_eq!(scene.server.heard().len(), 4);
}

#[tokio::test]
async fn a_model_that_declines_or_never_ends_has_failed() {
    let declined = AnthropicReply::text("I won't")
        .stopped("refusal")
        .streamed();
    let mut scene = Scene::new([declined]).await;
    assert_eq!(
        is_failed(&scene.work().await),
        "the model declined: I won't"
    );

    let forever =
        (0..99).map(|number| bash(&number.to_string(), &format!("echo {number}")).streamed());
    let mut scene = Scene::new(forever).await;
    assert!(is_failed(&scene.work().await).contains("took 12 turns"));
    assert_eq!(scene.server.heard().len(), 12);
}

#[tokio::test]
async fn a_model_that_can_not_be_reached_is_a_failure_that_says_so() {
    let mut scene = Scene::new([ModelAnswer::of(401, "text/plain", "who are you")]).await;
    let end = scene.work().await;
    assert!(
        is_failed(&end).contains("refuses the request (401): who are you"),
        "{end:?}"
    );
}

#[tokio::test]
async fn a_budget_that_is_used_up_halts() {
    let budget = Budget {
        tokens: Some(5_000),
        ..Budget::UNLIMITED
    };
    let spending = Spending::new(budget, None).unwrap();
    let costly = bash("u1", "echo hello").counted(4_000, 1_000).streamed();
    let answers = [costly, done("never heard")];
    let mut scene = Scene::with(Dialect::Anthropic, LIMITS, spending, answers).await;
    let end = scene.work().await;
    assert!(
        matches!(&end, AgentEnd::Halted { reason } if reason == "the budget of 5000 tokens is used up"),
        "{end:?}"
    );
}

/// Same call, same refusal, again and again: the door halts the agent.
#[tokio::test]
async fn an_agent_that_the_door_halts_ends_so() {
    let again = (0..20).map(|number| bash(&number.to_string(), "rm x").streamed());
    let mut scene = Scene::new(again).await;
    let end = scene.work().await;
    assert!(matches!(end, AgentEnd::Halted { .. }), "{end:?}");
    assert_eq!(scene.server.heard().len(), 5);
}

#[tokio::test]
async fn a_stop_ends_the_wait_for_the_model() {
    use pointsman_testkit::Ending;
    let silent = done("x").ending_after(1, Ending::Silence);
    let mut scene = Scene::new([silent]).await;
    let (said, mut heard) = broadcast::channel(8);
    scene.agent.heard_by = Some(said);
    let stop = scene.bench.stop.clone();
    let stopper = stop.clone();
    let server = async {
        while scene.server.heard().is_empty() {
            tokio::task::yield_now().await;
        }
        stopper.cancel();
    };
    let (end, ()) = tokio::join!(scene.agent.work(&scene.bench.dispatch, &stop), server);
    assert_eq!(end, AgentEnd::Stopped);
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn its_words_are_heard_as_it_says_them() {
    let mut scene = Scene::new([done("hello")]).await;
    let (said, mut heard) = broadcast::channel(8);
    scene.agent.heard_by = Some(said);
    scene.work().await;
    let mut words = Vec::new();
    while let Ok(said) = heard.try_recv() {
        words.push(said.what);
    }
    let piece = |text: &str| SaidWhat::Piece(text.into());
    assert_eq!(words, [piece("hel"), piece("lo"), SaidWhat::TurnEnds]);
}

/// A conversation that no longer fits loses its oldest results, says so in their place, and goes on;
/// when there is nothing left to leave out, the agent says that.
#[tokio::test]
async fn a_conversation_that_is_too_long_is_shortened() {
    let long = || {
        ModelAnswer::json(
            400,
            &json!({"error": {"type": "invalid_request_error", "message": "prompt is too long"}}),
        )
    };
    let big = |id: &str| bash(id, &format!("echo {}", "x".repeat(1_000))).streamed();
    let mut answers: VecDeque<_> = (0..6).map(|number| big(&number.to_string())).collect();
    answers.push_back(long());
    answers.push_back(done("still here"));
    let mut scene = Scene::new(answers).await;
    assert_eq!(is_done(&scene.work().await), "still here");
    let sent = scene.server.heard().pop().unwrap();
    let marks = sent.body.matches("was left out here to save room").count();
    assert_eq!(marks, 2, "the results but for the last four");
    assert_eq!(sent.body.matches("tool_result").count(), 6);

    let mut scene = Scene::new([big("1"), long(), long()]).await;
    let end = scene.work().await;
    assert!(
        is_failed(&end).contains("longer than the model reads"),
        "{end:?}"
    );
    assert_eq!(scene.server.heard().len(), 2);
}

#[tokio::test]
async fn a_conversation_is_shortened_before_it_is_full() {
    let limits = LlmLimits {
        context_tokens: Some(10_000),
        ..LIMITS
    };
    let big = |number: u64| {
        let text = format!("echo {}", "x".repeat(1_000));
        bash(&number.to_string(), &text)
            .counted(1_500 * number, 100)
            .streamed()
    };
    let answers = (1..=6).map(big).chain([done("end")]);
    let unlimited = Spending::unlimited();
    let mut scene = Scene::with(Dialect::Anthropic, limits, unlimited, answers).await;
    assert_eq!(is_done(&scene.work().await), "end");
    let marks = |request: usize| {
        scene.server.heard()[request]
            .body
            .matches("was left out here")
            .count()
    };
    assert_eq!((marks(5), marks(6)), (0, 2));
}

#[tokio::test]
async fn a_server_that_counts_nothing_has_its_conversation_shortened_in_time_too() {
    let limits = LlmLimits {
        context_tokens: Some(3_000),
        ..LIMITS
    };
    let big = |number: u32| {
        let input = json!({ "command": format!("echo {}", "x".repeat(700)) });
        ChatReply::uses(&number.to_string(), "Bash", &input)
            .uncounted()
            .streamed()
    };
    let end = ChatReply::text("end").uncounted().streamed();
    let answers = (1..=6).map(big).chain([end]);
    let unlimited = Spending::unlimited();
    let mut scene = Scene::with(Dialect::OpenAi, limits, unlimited, answers).await;
    assert_eq!(is_done(&scene.work().await), "end");
    let marks = |request: usize| {
        let body = &scene.server.heard()[request].body;
        body.matches("was left out here").count()
    };
    assert_eq!((marks(5), marks(6)), (0, 2));
}

#[tokio::test]
async fn a_model_that_stops_to_call_a_tool_and_calls_none_is_told_so_and_has_not_done_its_task() {
    let empty = || AnthropicReply::text("").stopped("tool_use").streamed();
    let mut scene = Scene::new([empty(), done("here I am")]).await;
    assert_eq!(is_done(&scene.work().await), "here I am");
    let asked = &scene.server.heard()[1].body;
    assert!(asked.contains("no call came"), "{asked}");

    let mut scene = Scene::new([empty(), empty(), empty(), empty()]).await;
    let end = scene.work().await;
    assert!(is_failed(&end).contains("called none"), "{end:?}");
    assert_eq!(scene.server.heard().len(), 4);

    // Some servers give that reason behind words that end the work.
    let wordy = AnthropicReply::text("all done").stopped("tool_use");
    let mut scene = Scene::new([wordy.streamed()]).await;
    assert_eq!(is_done(&scene.work().await), "all done");
}

#[tokio::test]
async fn a_conversation_can_be_written_out_and_gone_on_with() {
    let mut first = Scene::new([bash("u1", "echo hello").streamed()]).await;
    // The script is over: the second turn fails.
    is_failed(&first.work().await);
    let written = serde_json::to_string(first.agent.turns()).unwrap();
    let turns: Vec<Turn> = serde_json::from_str(&written).unwrap();
    let mut second = Scene::new([done("went on")]).await;
    second.agent.conversation = Conversation::resumed(turns, "go on");
    assert_eq!(is_done(&second.work().await), "went on");
    assert_eq!(second.results(0), [("u1".into(), "hello".into(), false)]);
}
