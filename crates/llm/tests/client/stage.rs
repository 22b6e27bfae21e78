//! A client in front of a scripted server.

use std::time::Duration;

use pointsman_llm::*;
use pointsman_model::{JsonText, ToolName, ToolNature, ToolSpec};
use pointsman_testkit::{ModelAnswer, ModelServer};

pub(crate) const KEY: &str = "sk-secret-0123456789";

pub(crate) const DIALECTS: [Dialect; 2] = [Dialect::Anthropic, Dialect::OpenAi];

/// Limits under which no test waits for anything but what it is about.
pub(crate) const QUICK: Limits = Limits {
    attempts_max: 3,
    first_wait: Duration::from_millis(1),
    wait_max: Duration::from_millis(2),
    silence_max: Duration::from_secs(30),
    attempt_max: Duration::from_secs(60),
    time_max: Duration::from_secs(60),
    bytes_max: 1024 * 1024,
};

pub(crate) struct Stage {
    pub(crate) server: ModelServer,
    pub(crate) client: Client,
}

impl Stage {
    pub(crate) async fn new(
        dialect: Dialect,
        limits: Limits,
        answers: impl IntoIterator<Item = ModelAnswer>,
    ) -> Self {
        let transport = Transport::network(None).unwrap();
        Self::with(dialect, limits, transport, Spending::unlimited(), answers).await
    }

    pub(crate) async fn with(
        dialect: Dialect,
        limits: Limits,
        transport: Transport,
        spending: Spending,
        answers: impl IntoIterator<Item = ModelAnswer>,
    ) -> Self {
        let server = ModelServer::start(answers).await.unwrap();
        let endpoint = endpoint(dialect, server.url());
        let client = Client::new(endpoint, transport, limits, spending).unwrap();
        Self { server, client }
    }

    /// Asks in either way; what was heard on the way is the second part.
    pub(crate) async fn ask(&self, prompt: &Prompt, way: Way) -> (Result<Reply, Failure>, String) {
        let mut heard = String::new();
        let came = match way {
            Way::Whole => self.client.complete(prompt).await,
            Way::Streamed => {
                let mut listen = |delta: Delta<'_>| match delta {
                    Delta::Text(text) => heard.push_str(text),
                    Delta::UseBegins { name } => heard.push_str(&format!("<{name}>")),
                    Delta::StartsOver => heard.push_str("<over>"),
                };
                self.client.stream(prompt, &mut listen).await
            }
        };
        (came, heard)
    }

    pub(crate) fn heard(&self) -> usize {
        self.server.heard().len()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Whole,
    Streamed,
}

pub(crate) const WAYS: [Way; 2] = [Way::Whole, Way::Streamed];

pub(crate) fn endpoint(dialect: Dialect, url: &str) -> Endpoint {
    Endpoint {
        dialect,
        base_url: BaseUrl::parse(url).unwrap(),
        key: ApiKey::new(KEY),
        model: ModelName::new("scripted"),
    }
}

pub(crate) fn prompt(words: &str) -> Prompt {
    Prompt {
        system: "be brief".into(),
        turns: vec![Turn::words(words)],
        tools: vec![ToolSpec {
            name: ToolName::parse("Read").unwrap(),
            description: "reads".into(),
            input_schema: JsonText::parse(r#"{"type":"object","required":["z","a"]}"#).unwrap(),
            nature: ToolNature::Reads,
        }],
        output_tokens_max: 1_000,
        temperature: None,
        one_time_word: None,
    }
}
