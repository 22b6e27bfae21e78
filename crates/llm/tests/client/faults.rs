//! What goes wrong, and what becomes of it: asked again, or told as it is.

use std::time::Duration;

use pointsman_llm::*;
use pointsman_testkit::{AnthropicReply, ChatReply, Ending, ModelAnswer};
use serde_json::json;

use super::stage::*;

fn good(dialect: Dialect) -> ModelAnswer {
    match dialect {
        Dialect::Anthropic => AnthropicReply::text("good").streamed(),
        Dialect::OpenAi => ChatReply::text("good").streamed(),
    }
}

fn uses_of_one_id(dialect: Dialect, count: usize) -> ModelAnswer {
    let body = match dialect {
        Dialect::Anthropic => {
            let block = json!({"type": "tool_use", "id": "a", "name": "Read", "input": {}});
            json!({"content": vec![block; count], "stop_reason": "tool_use", "model": "m"})
        }
        Dialect::OpenAi => {
            let call = json!({"id": "a", "function": {"name": "Read", "arguments": "{}"}});
            let message = json!({"tool_calls": vec![call; count]});
            json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
        }
    };
    ModelAnswer::json(200, &body)
}

fn error(dialect: Dialect, status: u16, kind: &str, text: &str) -> ModelAnswer {
    let body = match dialect {
        Dialect::Anthropic => json!({"type": "error", "error": {"type": kind, "message": text}}),
        Dialect::OpenAi => json!({"error": {"code": kind, "message": text}}),
    };
    ModelAnswer::json(status, &body)
}

/// A fault that may pass is asked about again, and then the answer is as if nothing had been.
#[tokio::test]
async fn transient_faults_are_asked_about_again() {
    for dialect in DIALECTS {
        let whole = good(dialect);
        let cut = |pieces| good(dialect).ending_after(pieces, Ending::Cut);
        let faults = [
            error(dialect, 429, "rate_limit_error", "slow down"),
            error(dialect, 429, "", "slow down").with_header("retry-after", "0"),
            error(dialect, 500, "api_error", "oops"),
            error(dialect, 503, "", ""),
            error(dialect, 529, "overloaded_error", "busy"),
            ModelAnswer::of(502, "text/html", "<html>bad gateway</html>"),
            cut(0),
            cut(2),
            cut(whole.pieces() - 3),
            whole.clone().ending_after(2, Ending::Proper),
            ModelAnswer::events([(None, "{ no json".to_owned())]),
            ModelAnswer::of(200, "text/event-stream", b"data: \xff\xfe\n\n".to_vec()),
            ModelAnswer::of(200, "text/event-stream", ""),
            ModelAnswer::of(200, "application/json", ""),
            ModelAnswer::of(
                200,
                "application/json",
                "{\"choices\": [], \"content\": [7]}",
            ),
            ModelAnswer::of(200, "text/html", "<html>sign in here</html>"),
            // So many that to tell them apart would take for ever.
            uses_of_one_id(dialect, 1_000),
        ];
        for (number, fault) in faults.into_iter().enumerate() {
            let stage = Stage::new(dialect, QUICK, [fault, good(dialect)]).await;
            let (reply, heard) = stage.ask(&prompt("go"), Way::Streamed).await;
            let reply = reply.unwrap_or_else(|failure| panic!("{dialect:?} {number}: {failure}"));
            assert_eq!(reply.text(), "good", "{dialect:?} {number}");
            assert!(heard.ends_with("good"), "{dialect:?} {number}: {heard}");
            assert_eq!(stage.heard(), 2, "{dialect:?} {number}");
        }
    }
}

#[tokio::test]
async fn what_a_broken_stream_said_is_taken_back() {
    let cut = AnthropicReply::text("wrong words").streamed();
    let cut = cut.ending_after(5, Ending::Cut);
    let stage = Stage::new(Dialect::Anthropic, QUICK, [cut, good(Dialect::Anthropic)]).await;
    let (reply, heard) = stage.ask(&prompt("go"), Way::Streamed).await;
    assert_eq!(reply.unwrap().text(), "good");
    assert_eq!(heard, "wrong <over>good");
}

#[tokio::test]
async fn it_gives_up_after_so_many_attempts() {
    for dialect in DIALECTS {
        let busy = error(dialect, 529, "overloaded_error", "busy");
        let stage = Stage::new(dialect, QUICK, vec![busy; 9]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Whole).await;
        let failure = reply.unwrap_err();
        assert_eq!((failure.attempts, stage.heard()), (3, 3));
        assert!(matches!(failure.fault, Fault::Busy { .. }), "{failure}");
        assert!(failure.to_string().ends_with("(529): busy (tried 3 times)"));
    }
}

#[track_caller]
fn check_final(failure: &Failure, expect: &str, heard: usize) {
    let found = match &failure.fault {
        Fault::Refused { .. } => "refused",
        Fault::TooLong { .. } => "too long",
        Fault::TooLarge { .. } => "too large",
        Fault::OutOfTime { .. } => "out of time",
        Fault::OverBudget(_) => "over budget",
        Fault::Busy { .. } => "busy",
        other => panic!("{other}"),
    };
    assert_eq!(found, expect, "{failure}");
    assert_eq!(heard, 1, "asked again in vain: {failure}");
}

#[tokio::test]
async fn final_faults_are_not_asked_about_again() {
    for dialect in DIALECTS {
        let cases = [
            (
                error(dialect, 401, "authentication_error", "bad key"),
                "refused",
            ),
            (error(dialect, 403, "", ""), "refused"),
            (
                error(dialect, 404, "not_found_error", "no such model"),
                "refused",
            ),
            (error(dialect, 429, "insufficient_quota", "pay"), "refused"),
            (
                ModelAnswer::of(307, "text/plain", "")
                    .with_header("location", "http://127.0.0.1:1/"),
                "refused",
            ),
            (
                error(
                    dialect,
                    400,
                    "invalid_request_error",
                    "prompt is too long: 3 > 2",
                ),
                "too long",
            ),
            (
                error(dialect, 400, "context_length_exceeded", "x"),
                "too long",
            ),
            (error(dialect, 413, "request_too_large", "x"), "too long"),
            (
                ModelAnswer::of(200, "application/json", vec![b' '; 2_000_000]),
                "too large",
            ),
            (
                ModelAnswer::of(200, "text/event-stream", vec![b'a'; 2_000_000]),
                "too large",
            ),
        ];
        for (answer, expect) in cases {
            let stage = Stage::new(dialect, QUICK, [answer, good(dialect)]).await;
            let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
            check_final(&reply.unwrap_err(), expect, stage.heard());
        }
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_read_as_one() {
    let start = json!({"type": "message_start", "message": {"model": "m"}}).to_string();
    let of = |kind: &str, text: &str| {
        let error = json!({"type": "error", "error": {"type": kind, "message": text}});
        ModelAnswer::events([
            (Some("message_start"), start.clone()),
            (Some("error"), error.to_string()),
        ])
    };
    let busy = of("overloaded_error", "busy");
    let stage = Stage::new(Dialect::Anthropic, QUICK, [busy, good(Dialect::Anthropic)]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
    assert_eq!(reply.unwrap().text(), "good");

    let refused = of("invalid_request_error", "no");
    let stage = Stage::new(Dialect::Anthropic, QUICK, [refused]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
    check_final(&reply.unwrap_err(), "refused", stage.heard());
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_not_begun_when_time_is_short() {
    let busy = error(Dialect::Anthropic, 429, "", "later").with_header("retry-after", "3600");
    let stage = Stage::new(Dialect::Anthropic, QUICK, [busy]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Whole).await;
    check_final(&reply.unwrap_err(), "busy", stage.heard());
}

#[tokio::test]
async fn a_silent_server_is_left_within_the_limits() {
    for dialect in DIALECTS {
        let silent = || good(dialect).ending_after(2, Ending::Silence);
        let limits = Limits {
            silence_max: Duration::from_millis(60),
            ..QUICK
        };
        let stage = Stage::new(dialect, limits, [silent(), silent(), silent()]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        let failure = reply.unwrap_err();
        assert!(matches!(failure.fault, Fault::Silent { .. }), "{failure}");
        assert_eq!(failure.attempts, 3);

        let limits = Limits {
            time_max: Duration::from_millis(60),
            ..QUICK
        };
        let stage = Stage::new(dialect, limits, [silent()]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        check_final(&reply.unwrap_err(), "out of time", stage.heard());
    }
}

/// An answer that drips on is no silence; an attempt has its own limit, and the next one may be quicker.
#[tokio::test]
async fn an_attempt_that_takes_too_long_is_made_again() {
    for dialect in DIALECTS {
        let stuck = || good(dialect).ending_after(2, Ending::Silence);
        let limits = QUICK.with_attempts_of(Duration::from_millis(200));
        let stage = Stage::new(dialect, limits, [stuck(), stuck(), stuck()]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        let failure = reply.unwrap_err();
        assert!(matches!(failure.fault, Fault::Late { .. }), "{failure}");
        assert_eq!(failure.attempts, 3);

        let limits = QUICK.with_attempts_of(Duration::from_secs(2));
        let stage = Stage::new(dialect, limits, [stuck(), good(dialect)]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        assert!(reply.is_ok(), "{reply:?}");
    }
}

#[tokio::test]
async fn nobody_there_is_told_as_it_is() {
    // The port of a server that has ended.
    let stage = Stage::new(Dialect::OpenAi, QUICK, []).await;
    let url = stage.server.url().to_owned();
    drop(stage);
    let client = Client::new(
        endpoint(Dialect::OpenAi, &url),
        Transport::network(None).unwrap(),
        QUICK,
        Spending::unlimited(),
    );
    let failure = client.unwrap().complete(&prompt("go")).await.unwrap_err();
    assert!(
        matches!(failure.fault, Fault::Unreachable { .. }),
        "{failure}"
    );
    assert_eq!(failure.attempts, 3);
}

#[tokio::test]
async fn a_budget_ends_the_asking_before_anything_is_sent() {
    let budget = Budget {
        tokens: Some(3_000),
        ..Budget::UNLIMITED
    };
    let spending = Spending::new(budget, None).unwrap();
    let answer = || AnthropicReply::text("x").counted(900, 600).whole();
    let stage = Stage::with(
        Dialect::Anthropic,
        QUICK,
        Transport::network(None).unwrap(),
        spending.clone(),
        [answer(), answer(), answer()],
    )
    .await;
    let asked = Prompt {
        output_tokens_max: 2_500,
        ..prompt("go")
    };
    stage.client.complete(&asked).await.unwrap();
    stage.client.complete(&asked).await.unwrap();
    let failure = stage.client.complete(&asked).await.unwrap_err();
    assert!(matches!(
        failure.fault,
        Fault::OverBudget(BudgetPart::Tokens(3_000))
    ));
    assert_eq!(stage.heard(), 2);
    assert_eq!(spending.spent().usage.total(), 3_000);
    // The second was told to be shorter: 1,500 were left, less what it asks with.
    let second = stage.server.heard()[1].json();
    assert!(second["max_tokens"].as_u64().unwrap() < 1_500);
}

#[test]
fn a_key_never_travels_in_the_clear() {
    let made = Client::new(
        endpoint(Dialect::OpenAi, "http://models.example.com"),
        Transport::network(None).unwrap(),
        QUICK,
        Spending::unlimited(),
    );
    assert!(matches!(made, Err(ClientError::KeyInTheClear { .. })));
}

#[tokio::test]
async fn a_key_that_a_server_sends_back_is_not_repeated() {
    let echo = error(
        Dialect::OpenAi,
        401,
        "invalid_api_key",
        &format!("bad key: {KEY}"),
    );
    let stage = Stage::new(Dialect::OpenAi, QUICK, [echo]).await;
    let failure = stage.client.complete(&prompt("go")).await.unwrap_err();
    assert!(failure.to_string().contains("bad key: [key]"), "{failure}");
    assert!(!format!("{failure:?} {:?}", stage.client).contains(KEY));
}
