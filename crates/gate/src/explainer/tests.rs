//! The explainer with and without a model.

use pointsman_llm::{ApiKey, BaseUrl, Dialect, ModelName};
use pointsman_model::{AbsPath, Effects, ExplainedBy, Explanation, RiskLevel};
use pointsman_shell::{Surroundings, analyse};
use pointsman_testkit::{AnthropicReply, Ending, ModelAnswer, ModelServer};

use super::*;
use crate::fixture::Ground;

fn request(ground: &Ground, command: &str) -> PermissionRequest {
    let folder = AbsPath::parse("/p").unwrap();
    let at = Surroundings {
        home: folder.clone(),
        folder,
        case: pointsman_shell::NameCase::Counts,
    };
    PermissionRequest {
        effects: analyse(command, &at).effects,
        ..ground.request(command)
    }
}

#[tokio::test]
async fn without_a_model_the_analyser_explains() {
    let ground = Ground::new().await;
    for (command, level) in [
        ("ls src", RiskLevel::Low),
        ("cargo build", RiskLevel::Medium),
        ("echo x > notes", RiskLevel::Medium),
        ("rm -rf build", RiskLevel::High),
        ("sudo ls", RiskLevel::High),
    ] {
        let told = Explainer::at_once(&request(&ground, command));
        assert_eq!(told.risk_level, level, "{command}: {told:?}");
        assert_eq!(told.by, ExplainedBy::Analyser);
        assert!(told.reasoning.starts_with("I "), "{told:?}");
        assert!(told.risk.split_whitespace().count() <= 15, "{told:?}");
        assert!(!told.explanation.is_empty());
    }
    let nothing = PermissionRequest {
        effects: Effects::default(),
        ..ground.request("x")
    };
    assert_eq!(
        Explainer::at_once(&nothing).explanation,
        "Calls the tool Bash."
    );
}

async fn asked(answer: ModelAnswer) -> Option<Explanation> {
    let server = ModelServer::answering(move |_| answer.clone())
        .await
        .unwrap();
    let endpoint = Endpoint {
        dialect: Dialect::Anthropic,
        base_url: BaseUrl::parse(server.url()).unwrap(),
        key: ApiKey::new("sk-0123456789"),
        model: ModelName::new("small"),
    };
    let transport = Transport::network(None).unwrap();
    let time_max = Duration::from_millis(300);
    let explainer = Explainer::new(endpoint, transport, Spending::unlimited(), time_max).unwrap();
    let ground = Ground::new().await;
    explainer.ask(&request(&ground, "cargo test")).await
}

#[tokio::test]
async fn a_model_explains_in_the_form_that_was_asked_for() {
    let good = r#"{"explanation":"Runs the tests.","reasoning":"I want to know whether they pass.","risk":"none worth naming","riskLevel":"LOW"}"#;
    let told = asked(AnthropicReply::text(good).whole()).await.unwrap();
    assert_eq!(told.by, ExplainedBy::Model);
    assert_eq!(told.risk_level, RiskLevel::Low);
}

#[tokio::test]
async fn a_model_that_fails_in_any_way_explains_nothing() {
    let good = AnthropicReply::text("hello").whole();
    for answer in [
        ModelAnswer::of(500, "text/plain", "oops"),
        ModelAnswer::of(401, "text/plain", "no"),
        ModelAnswer::of(200, "application/json", "{"),
        good.clone().ending_after(1, Ending::Silence),
        good.clone().ending_after(0, Ending::Cut),
        good,
    ] {
        assert_eq!(asked(answer).await, None);
    }
}
