//! What comes back as it should: words, tool uses, usage; and what was sent.

use pointsman_llm::*;
use pointsman_model::JsonText;
use pointsman_testkit::{AnthropicReply, ChatReply, Heard, ModelAnswer};
use serde_json::json;

use super::stage::*;

/// Words and two tool uses in each dialect and way.
fn words_and_uses(dialect: Dialect, way: Way) -> ModelAnswer {
    let (one, two) = (
        json!({"file_path": "ä/ö.rs"}),
        json!({"file_path": "b", "n": [1, {"x": "}"}]}),
    );
    let say = "On it: ✓ done";
    match (dialect, way) {
        (Dialect::Anthropic, _) => {
            let reply = AnthropicReply::text(say)
                .and_uses("toolu_1", "Read", one)
                .and_uses("toolu_2", "Read", two);
            match way {
                Way::Whole => reply.whole(),
                Way::Streamed => reply.streamed(),
            }
        }
        (Dialect::OpenAi, _) => {
            let reply = ChatReply::text(say)
                .and_uses("toolu_1", "Read", &one)
                .and_uses("toolu_2", "Read", &two);
            match way {
                Way::Whole => reply.whole(),
                Way::Streamed => reply.streamed(),
            }
        }
    }
}

#[track_caller]
fn is_words_and_uses(reply: &Reply) {
    assert_eq!(reply.text(), "On it: ✓ done");
    let uses: Vec<_> = reply
        .uses()
        .map(|it| match &it.input {
            ToolInputText::Object(object) => (&*it.id, &*it.name, object.as_str()),
            ToolInputText::Broken(text) => panic!("{text}"),
        })
        .collect();
    assert_eq!(
        uses,
        [
            ("toolu_1", "Read", r#"{"file_path":"ä/ö.rs"}"#),
            ("toolu_2", "Read", r#"{"file_path":"b","n":[1,{"x":"}"}]}"#),
        ]
    );
    assert_eq!(reply.stop, Stop::ToolUse);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.output), (10, 5));
    assert_eq!(&*reply.model, "scripted");
}

#[tokio::test]
async fn words_and_tool_uses_are_put_together_however_the_bytes_are_cut() {
    for dialect in DIALECTS {
        for way in WAYS {
            for bytes in [1, 2, 7, 100_000] {
                let answer = words_and_uses(dialect, way).in_pieces_of(bytes);
                let stage = Stage::new(dialect, QUICK, [answer]).await;
                let (reply, heard) = stage.ask(&prompt("go"), way).await;
                is_words_and_uses(&reply.unwrap());
                let expected = match way {
                    Way::Whole => "",
                    Way::Streamed => "On it: ✓ done<Read><Read>",
                };
                assert_eq!(heard, expected, "{dialect:?} {way:?} {bytes}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_can_not_stream_is_read_in_one_piece() {
    for dialect in DIALECTS {
        let stage = Stage::new(dialect, QUICK, [words_and_uses(dialect, Way::Whole)]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        is_words_and_uses(&reply.unwrap());
    }
}

#[tokio::test]
async fn reasons_to_stop_are_told_apart() {
    let cases = [
        ("end_turn", "stop", Stop::Done),
        ("max_tokens", "length", Stop::OutputLimit),
        ("refusal", "content_filter", Stop::Declined),
        ("pause_turn", "pause_turn", Stop::Other("pause_turn".into())),
    ];
    for (anthropic, chat, stop) in cases {
        for way in WAYS {
            let of_anthropic = AnthropicReply::text("x").stopped(anthropic);
            let of_chat = ChatReply::text("x").stopped(chat);
            let answers = match way {
                Way::Whole => [of_anthropic.whole(), of_chat.whole()],
                Way::Streamed => [of_anthropic.streamed(), of_chat.streamed()],
            };
            for (dialect, answer) in DIALECTS.into_iter().zip(answers) {
                let stage = Stage::new(dialect, QUICK, [answer]).await;
                let (reply, _) = stage.ask(&prompt("go"), way).await;
                assert_eq!(reply.unwrap().stop, stop, "{dialect:?} {way:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_input_that_is_cut_off_is_broken_not_guessed() {
    let answer = ModelAnswer::json(
        200,
        &json!({"choices": [{"finish_reason": "length", "message": {"tool_calls": [
            {"id": "1", "function": {"name": "Bash", "arguments": "{\"command\": \"rm -rf /tm"}}
        ]}}]}),
    );
    let stage = Stage::new(Dialect::OpenAi, QUICK, [answer]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Whole).await;
    let reply = reply.unwrap();
    assert_eq!(reply.stop, Stop::OutputLimit);
    let input = &reply.uses().next().unwrap().input;
    assert_eq!(
        input,
        &ToolInputText::Broken("{\"command\": \"rm -rf /tm".into())
    );
}

#[tokio::test]
async fn chunks_without_index_or_id_belong_to_the_call_before() {
    let chunk = |call: serde_json::Value| {
        let data = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
        (None, data.to_string())
    };
    let answer = ModelAnswer::events([
        chunk(json!({"id": "a", "function": {"name": "Read", "arguments": "{\"x\""}})),
        chunk(json!({"function": {"arguments": ":1}"}})),
        chunk(json!({"id": "b", "function": {"name": "Glob", "arguments": "{}"}})),
        (
            None,
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}).to_string(),
        ),
    ]);
    let stage = Stage::new(Dialect::OpenAi, QUICK, [answer]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
    let reply = reply.unwrap();
    let names: Vec<_> = reply.uses().map(|it| (&*it.id, &*it.name)).collect();
    assert_eq!(names, [("a", "Read"), ("b", "Glob")]);
    assert_eq!(reply.stop, Stop::ToolUse);
}

/// Servers number calls badly: two under one index, an id or a name behind the beginning, a name in pieces or again and
/// again, one id for two calls.
#[tokio::test]
async fn calls_are_told_apart_however_they_are_numbered() {
    let call = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let cases = [
        (
            "two under one index",
            vec![
                call(0, Some("a"), Some("Read"), "{\"x\""),
                call(0, None, None, ":1}"),
                call(0, Some("b"), Some("Glob"), "{\"y\""),
                call(0, None, None, ":2}"),
            ],
            vec![("a", "Read", "{\"x\":1}"), ("b", "Glob", "{\"y\":2}")],
        ),
        (
            "id and name behind, the name in pieces",
            vec![
                call(0, None, None, ""),
                call(0, Some("a"), Some("Re"), ""),
                call(0, Some("a"), Some("ad"), "{}"),
                call(1, Some("b"), Some("Glob"), ""),
                call(1, Some("b"), Some("Glob"), "{}"),
            ],
            vec![("a", "Read", "{}"), ("b", "Glob", "{}")],
        ),
    ];
    for (case, calls, wanted) in cases {
        let chunks = calls.into_iter().map(|call| {
            let data = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
            (None, data.to_string())
        });
        let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
        let answer = ModelAnswer::events(chunks.chain([(None, end.to_string())]));
        let stage = Stage::new(Dialect::OpenAi, QUICK, [answer]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        let reply = reply.unwrap();
        let uses: Vec<_> = reply
            .uses()
            .map(|it| match &it.input {
                ToolInputText::Object(input) => (&*it.name, input.as_str()),
                ToolInputText::Broken(text) => panic!("{case}: {text}"),
            })
            .collect();
        let wanted: Vec<_> = wanted
            .iter()
            .map(|(_, name, input)| (*name, *input))
            .collect();
        assert_eq!(uses, wanted, "{case}");
    }
}

#[tokio::test]
async fn an_id_that_is_given_twice_is_made_two() {
    for dialect in DIALECTS {
        let input = json!({"a": 1});
        let answer = match dialect {
            Dialect::Anthropic => AnthropicReply::uses("same", "Read", input.clone())
                .and_uses("same", "Glob", input)
                .streamed(),
            Dialect::OpenAi => ChatReply::uses("same", "Read", &input)
                .and_uses("same", "Glob", &input)
                .whole(),
        };
        let stage = Stage::new(dialect, QUICK, [answer]).await;
        let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
        let reply = reply.unwrap();
        let uses: Vec<_> = reply.uses().map(|it| (&*it.id, &*it.name)).collect();
        assert_eq!(uses, [("same", "Read"), ("same-2", "Glob")], "{dialect:?}");
    }
}

/// The time that a line takes grows faster than its length, so its length is bounded.
#[tokio::test]
async fn a_line_without_an_end_is_given_up() {
    let long = "x".repeat(1_100_000);
    let data = json!({"choices": [{"index": 0, "delta": {"content": long}}]});
    let answer = ModelAnswer::events([(None, data.to_string())]);
    let stage = Stage::new(Dialect::OpenAi, QUICK, [answer]).await;
    let (reply, _) = stage.ask(&prompt("go"), Way::Streamed).await;
    let fault = reply.unwrap_err();
    assert!(
        matches!(
            fault.fault,
            Fault::TooLarge {
                bytes_max: 1_048_576,
                ..
            }
        ),
        "{fault}"
    );
}

#[tokio::test]
async fn a_part_that_only_its_server_understands_goes_back_as_it_came() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "sEaL=="});
    let reply = AnthropicReply::default()
        .and_block(thinking.clone())
        .and_text("yes");
    for (way, answer) in [
        (Way::Whole, reply.whole()),
        (Way::Streamed, reply.streamed()),
    ] {
        let last = AnthropicReply::text("done").whole();
        let stage = Stage::new(Dialect::Anthropic, QUICK, [answer, last]).await;
        let (first, _) = stage.ask(&prompt("go"), way).await;
        let mut next = prompt("go");
        next.turns.push(Turn::Model(first.unwrap().parts));
        next.turns.push(Turn::words("on"));
        stage.client.complete(&next).await.unwrap();
        let sent = stage.server.heard()[1].json();
        assert_eq!(sent["messages"][1]["content"][0], thinking, "{way:?}");
    }
}

/// A conversation with everything in it.
fn conversation() -> Prompt {
    let mut asked = prompt("first");
    asked.turns.push(Turn::Model(vec![
        ModelPart::Text("looking".into()),
        ModelPart::Use(ToolUse {
            id: "u1".into(),
            name: "Read".into(),
            input: ToolInputText::Object(JsonText::parse(r#"{"z":1.0,"a":2}"#).unwrap()),
        }),
        ModelPart::Use(ToolUse {
            id: "u2".into(),
            name: "Read".into(),
            input: ToolInputText::Broken("{".into()),
        }),
    ]));
    let result = |id: &str, text: &str, kind| {
        PersonPart::Result(ToolResult {
            id: id.into(),
            text: text.into(),
            kind,
        })
    };
    asked.turns.push(Turn::Person(vec![
        result("u1", "content", ResultKind::Done),
        result("u2", "no JSON", ResultKind::NotDone),
        PersonPart::Text("and then".into()),
    ]));
    asked
}

async fn heard(dialect: Dialect, answer: ModelAnswer) -> Heard {
    let stage = Stage::new(dialect, QUICK, [answer]).await;
    stage.client.complete(&conversation()).await.unwrap();
    stage.server.heard().remove(0)
}

#[tokio::test]
async fn a_prompt_is_written_as_messages() {
    let heard = heard(Dialect::Anthropic, AnthropicReply::text("x").whole()).await;
    assert_eq!(heard.line, "POST /v1/messages");
    assert_eq!(heard.header("x-api-key"), Some(KEY));
    assert_eq!(heard.header("anthropic-version"), Some("2023-06-01"));
    // The bytes of inputs and schemas are kept, order of fields included.
    assert!(
        heard.body.contains(r#""input":{"z":1.0,"a":2}"#),
        "{}",
        heard.body
    );
    let sent = heard.json();
    assert_eq!(sent["system"][0]["text"], "be brief");
    assert_eq!(sent["max_tokens"], 1_000);
    assert_eq!(sent["tools"][0]["input_schema"]["required"][0], "z");
    let last = &sent["messages"][2]["content"];
    let refused = json!({
        "type": "tool_result", "tool_use_id": "u2", "content": "no JSON", "is_error": true,
    });
    assert_eq!(last[1], refused);
    assert_eq!(last[2]["cache_control"]["type"], "ephemeral");
}

#[tokio::test]
async fn a_prompt_is_written_as_chat() {
    let heard = heard(Dialect::OpenAi, ChatReply::text("x").whole()).await;
    assert_eq!(heard.line, "POST /chat/completions");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(heard.header("authorization"), Some(&*bearer));
    let sent = heard.json();
    let roles = sent["messages"].as_array().unwrap().iter();
    let roles: Vec<_> = roles.map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "tool", "user"]
    );
    assert_eq!(sent["messages"][3]["tool_call_id"], "u1");
    let calls = &sent["messages"][2]["tool_calls"];
    assert_eq!(calls[0]["function"]["arguments"], r#"{"z":1.0,"a":2}"#);
    assert_eq!(calls[1]["id"], "u2");
    assert_eq!(calls[1]["function"]["arguments"], "{}");
}
