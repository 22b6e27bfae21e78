//! Models: whatever goes wrong between them and here, in both dialects, for the classifier and the explainer.

use futures_util::future::join_all;
use pointsman_llm::{ApiKey, BaseUrl, Dialect, Endpoint, Limits, ModelName, Spending, Transport};
use pointsman_testkit::{AnthropicReply, ChatReply, Ending, Heard, ModelAnswer, ModelServer};

use super::*;
use crate::{ClassifierGuidance, ClassifierVote, Explainer, ModelClassifier};

const DIALECTS: [Dialect; 2] = [Dialect::Anthropic, Dialect::OpenAi];

/// The instructions that a model was given.
fn instructions(heard: &Heard, dialect: Dialect) -> String {
    let sent = heard.json();
    let text = match dialect {
        Dialect::Anthropic => sent["system"][0]["text"].as_str(),
        Dialect::OpenAi => sent["messages"][0]["content"].as_str(),
    };
    // Of a client that has given up nothing may have come.
    text.unwrap_or_default().to_owned()
}

/// The answer that a model was asked for: a yes, or an explanation.
fn right(heard: &Heard, dialect: Dialect) -> String {
    let instructions = instructions(heard, dialect);
    let answer = match instructions.split_once("code is ") {
        Some((_, rest)) => {
            let code: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            serde_json::json!({"action": code, "verdict": "allow", "reason": "so it is"})
        }
        None => serde_json::json!({
            "explanation": "Builds it.", "reasoning": "I want to see it work.",
            "risk": "files change", "riskLevel": "LOW",
        }),
    };
    answer.to_string()
}

/// A reply of these words.
fn whole(dialect: Dialect, words: &str) -> ModelAnswer {
    match dialect {
        Dialect::Anthropic => AnthropicReply::text(words).whole(),
        Dialect::OpenAi => ChatReply::text(words).whole(),
    }
}

fn streamed(dialect: Dialect, words: &str) -> ModelAnswer {
    match dialect {
        Dialect::Anthropic => AnthropicReply::text(words).streamed(),
        Dialect::OpenAi => ChatReply::text(words).streamed(),
    }
}

/// The same, asked for as the input of a tool.
fn as_use(dialect: Dialect, input: &str) -> ModelAnswer {
    let input = serde_json::from_str(input).unwrap();
    match dialect {
        Dialect::Anthropic => AnthropicReply::uses("1", "allow", input).whole(),
        Dialect::OpenAi => ChatReply::uses("1", "allow", &input).whole(),
    }
}

/// The right words, stopped for a reason that is no end.
fn stopped(dialect: Dialect, words: &str, why: Broken) -> ModelAnswer {
    match (dialect, why) {
        (Dialect::Anthropic, Broken::Length) => {
            AnthropicReply::text(words).stopped("max_tokens").whole()
        }
        (Dialect::Anthropic, Broken::Refusal) => {
            AnthropicReply::text(words).stopped("refusal").whole()
        }
        (Dialect::OpenAi, Broken::Length) => ChatReply::text(words).stopped("length").whole(),
        (Dialect::OpenAi, Broken::Refusal) => {
            ChatReply::text(words).stopped("content_filter").whole()
        }
    }
}

/// Why an answer is broken off.
#[derive(Clone, Copy)]
enum Broken {
    Length,
    Refusal,
}

/// What a server makes of the right words.
type Spoils = Box<dyn Fn(Dialect, &str) -> ModelAnswer + Send>;

/// Faults of models. Where a body comes at all, it holds the right answer in the right form.
#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn faults() -> Vec<(&'static str, Spoils)> {
    fn row(
        name: &'static str,
        spoils: impl Fn(Dialect, &str) -> ModelAnswer + Send + 'static,
    ) -> (&'static str, Spoils) {
        (name, Box::new(spoils))
    }
    let status = |name, status: u16| {
        row(name, move |dialect, words| {
            whole(dialect, words).with_status(status)
        })
    };
    vec![
        status("status 429", 429),
        status("status 500", 500),
        status("status 529", 529),
        status("status 401", 401),
        status("status 202", 202),
        row("a redirect", |dialect, words| {
            whole(dialect, words)
                .with_status(307)
                .with_header("location", "http://127.0.0.1:1/")
        }),
        row("cut in the middle", |dialect, words| {
            whole(dialect, words)
                .in_pieces_of(30)
                .ending_after(2, Ending::Cut)
        }),
        row("a stream that is cut", |dialect, words| {
            streamed(dialect, words)
                .in_pieces_of(30)
                .ending_after(9, Ending::Cut)
        }),
        row("closed at once", |dialect, words| {
            whole(dialect, words).ending_after(0, Ending::Cut)
        }),
        row("hang", |dialect, words| {
            whole(dialect, words)
                .in_pieces_of(30)
                .ending_after(1, Ending::Silence)
        }),
        row("hang of a stream", |dialect, words| {
            streamed(dialect, words)
                .in_pieces_of(30)
                .ending_after(9, Ending::Silence)
        }),
        row("hang from the start", |dialect, words| {
            whole(dialect, words).ending_after(0, Ending::Silence)
        }),
        row("too long", |dialect, words| {
            whole(dialect, &format!("{words}{}", " ".repeat(3_000_000)))
        }),
        row("no JSON", |_, _| {
            ModelAnswer::of(200, "application/json", "allow")
        }),
        row("half JSON", |dialect, words| {
            whole(dialect, words).with_body(|body| body.truncate(body.len() - 2))
        }),
        row("no UTF-8", |dialect, words| {
            whole(dialect, words).with_body(|body| body.insert(body.len() / 2, 0xff))
        }),
        row("no UTF-8 beside it", |dialect, words| {
            whole(dialect, words)
                .with_body(|body| *body = [b"{\"x\":\"\xff\",", &body[1..]].concat())
        }),
        row("half an answer", |dialect, words| {
            whole(dialect, &words[..words.len() / 2])
        }),
        row("words around it", |dialect, words| {
            whole(dialect, &format!("Sure! {words}"))
        }),
        row("a fence around it", |dialect, words| {
            whole(dialect, &format!("```json\n{words}\n```"))
        }),
        row("twice", |dialect, words| {
            whole(dialect, &format!("{words}\n{words}"))
        }),
        row("no words", |dialect, _| whole(dialect, "")),
        row("a tool in its place", as_use),
        row("as long as it may be", |dialect, words| {
            stopped(dialect, words, Broken::Length)
        }),
        row("broken off", |dialect, words| {
            stopped(dialect, words, Broken::Refusal)
        }),
        row("another dialect", |dialect, words| match dialect {
            Dialect::Anthropic => whole(Dialect::OpenAi, words),
            Dialect::OpenAi => whole(Dialect::Anthropic, words),
        }),
    ]
}

fn endpoint(url: &str, dialect: Dialect) -> Endpoint {
    Endpoint {
        dialect,
        base_url: BaseUrl::parse(url).unwrap(),
        key: ApiKey::new("sk-0123456789"),
        model: ModelName::new("small"),
    }
}

/// How long one judgement may take: what hangs is given up soon; all else comes to its own end, tries again and their
/// waits included, however busy the machine is, so that it is the fault that is seen and not the time.
///
/// All of it is by the real clock. Servers and programs are real, and a clock that jumps whenever this process waits would
/// be ahead of them.
fn judgement(fault: &str) -> Duration {
    if fault.starts_with("hang") {
        LATE
    } else {
        PATIENCE
    }
}

fn classifier(ground: &Ground, endpoint: Endpoint, time_max: Duration) -> ModelClassifier {
    let made = ModelClassifier::new(
        endpoint,
        Transport::network(None).unwrap(),
        Spending::unlimited(),
        Limits::judgement(time_max),
        ClassifierGuidance::default(),
        Arc::clone(&ground.clock),
    );
    made.unwrap()
}

fn explainer(endpoint: Endpoint, time_max: Duration) -> Explainer {
    let transport = Transport::network(None).unwrap();
    Explainer::new(endpoint, transport, Spending::unlimited(), time_max).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_failing_model_neither_votes_nor_explains() {
    let ground = Ground::new().await;
    let mut servers = Vec::new();
    let mut rows = Vec::new();
    for dialect in DIALECTS {
        rows.push((dialect, "refused", refusing()));
        for (name, spoils) in faults() {
            let spoilt = move |heard: &Heard| spoils(dialect, &right(heard, dialect));
            let server = ModelServer::answering(spoilt).await.unwrap();
            rows.push((dialect, name, server.url().to_owned()));
            servers.push(server);
        }
    }
    let rows = rows.into_iter().map(|(dialect, name, url)| {
        let ground = &ground;
        async move {
            let at = || endpoint(&url, dialect);
            let row = format!("{dialect:?}, {name}");
            let classifier = Arc::new(classifier(ground, at(), judgement(name)));
            let explainer = explainer(at(), judgement(name));
            let request = ground.request("make");
            let explained = tokio::time::timeout(PATIENCE, explainer.ask(&request));
            let (told, ()) = tokio::join!(explained, never_votes(ground, &row, classifier));
            assert_eq!(told.expect("it hangs"), None, "{row}");
        }
    });
    join_all(rows).await;
}

/// An action that the server finds too long is told apart: it is the action that does not fit.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_finds_too_long_is_told_as_that() {
    let ground = Ground::new().await;
    for dialect in DIALECTS {
        let server = ModelServer::answering(move |heard| {
            whole(dialect, &right(heard, dialect)).with_status(413)
        });
        let server = server.await.unwrap();
        let classifier = classifier(&ground, endpoint(server.url(), dialect), PATIENCE);
        let panel = Panel {
            classifier: Some(Arc::new(classifier)),
            ..ground.panel(vec![])
        };
        let alone = CoordinatorHandler::new(unattended(panel.clone()));
        let ended = verdict(&ground, alone, auto(ground.request("make"))).await;
        let cause = match ended.map(|ended| ended.kind) {
            Some(VerdictKind::Unjudged { cause, .. }) => cause,
            other => panic!("{other:?}"),
        };
        assert_eq!(cause, NoVoteCause::TooLong, "{dialect:?}");
        let asked = CoordinatorHandler::new(panel);
        let ended = verdict(&ground, asked, auto(ground.request("make"))).await;
        assert_eq!(ended, None, "{dialect:?}");
    }
}

/// Slow and well is no fault: the vote counts, and so does the explanation.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_answers_in_small_pieces_is_heard() {
    type Speaks = fn(Dialect, &str) -> ModelAnswer;
    let ground = Ground::new().await;
    for dialect in DIALECTS {
        for (way, speaks) in [("whole", whole as Speaks), ("streamed", streamed)] {
            let server = ModelServer::answering(move |heard| {
                speaks(dialect, &right(heard, dialect)).in_pieces_of(3)
            });
            let server = server.await.unwrap();
            let at = || endpoint(server.url(), dialect);
            let request = ground.request("make");
            let vote = classifier(&ground, at(), PATIENCE).classify(&request).await;
            assert!(
                matches!(vote, ClassifierVote::Yes { .. }),
                "{dialect:?}, {way}: {vote:?}"
            );
            let explained = explainer(at(), PATIENCE).ask(&request).await;
            assert!(explained.is_some(), "{dialect:?}, {way}");
        }
    }
}
