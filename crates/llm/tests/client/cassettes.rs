//! Recording and playing again.

use pointsman_llm::*;
use pointsman_testkit::{AnthropicReply, ChatReply, Ending, ModelAnswer};
use serde_json::json;

use super::stage::*;

fn answers(dialect: Dialect) -> Vec<ModelAnswer> {
    let input = json!({"file_path": "ä"});
    let (streamed, whole) = match dialect {
        Dialect::Anthropic => (
            AnthropicReply::text("one ✓")
                .and_uses("u", "Read", input)
                .streamed(),
            AnthropicReply::text("two").whole(),
        ),
        Dialect::OpenAi => (
            ChatReply::text("one ✓")
                .and_uses("u", "Read", &input)
                .streamed(),
            ChatReply::text("two").whole(),
        ),
    };
    vec![
        ModelAnswer::json(529, &json!({"error": {"message": "busy"}})),
        streamed.clone().ending_after(3, Ending::Cut),
        // Cut within characters, so that chunks are no text.
        streamed.in_pieces_of(1),
        whole,
    ]
}

#[tokio::test]
async fn what_is_recorded_is_played_again_byte_by_byte() {
    for dialect in DIALECTS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        let recorder = Recorder::create(&path).unwrap();
        let transport = Transport::recorded(None, recorder).unwrap();
        let stage = Stage::with(
            dialect,
            QUICK,
            transport,
            Spending::unlimited(),
            answers(dialect),
        )
        .await;
        let live = stage.ask(&prompt("first"), Way::Streamed).await;
        let live_whole = stage.ask(&prompt("second"), Way::Whole).await;
        assert_eq!(stage.heard(), 4);

        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(KEY) && text.contains("[key]"));
        assert!(text.contains(r#""hex":"#), "a chunk that is no text");
        assert_eq!(text.lines().count(), 4);

        // Another server on another port, that would refuse everything.
        let cassette = Cassette::open(&path).unwrap();
        let transport = Transport::cassette(cassette.clone());
        let stage = Stage::with(dialect, QUICK, transport, Spending::unlimited(), []).await;
        let (played, heard) = stage.ask(&prompt("first"), Way::Streamed).await;
        assert_eq!(played.unwrap(), live.0.unwrap());
        assert_eq!(heard, live.1);
        let (played, _) = stage.ask(&prompt("second"), Way::Whole).await;
        assert_eq!(played.unwrap(), live_whole.0.unwrap());
        assert_eq!((cassette.left(), stage.heard()), (0, 0));

        let failure = stage.client.complete(&prompt("second")).await.unwrap_err();
        assert!(matches!(failure.fault, Fault::NotOnCassette { .. }));
    }
}

#[tokio::test]
async fn a_key_that_comes_back_in_a_reply_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let transport = Transport::recorded(None, Recorder::create(&path).unwrap()).unwrap();
    // Cut in the middle of the key.
    let answer = AnthropicReply::text(&format!("the key is {KEY}"))
        .whole()
        .in_pieces_of(9);
    let stage = Stage::with(
        Dialect::Anthropic,
        QUICK,
        transport,
        Spending::unlimited(),
        [answer],
    )
    .await;
    let asked = prompt(&format!("is {KEY} the key?"));
    stage.client.complete(&asked).await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(KEY), "{text}");
    assert!(text.contains("the key is [key]"), "{text}");
    let cassette = Cassette::open(&path).unwrap();
    let transport = Transport::cassette(cassette);
    let stage = Stage::with(
        Dialect::Anthropic,
        QUICK,
        transport,
        Spending::unlimited(),
        [],
    )
    .await;
    stage.client.complete(&asked).await.unwrap();
}

#[test]
fn only_its_owner_reads_a_recording() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let _recorder = Recorder::create(&path).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_recording_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    std::fs::write(&path, "{}\n").unwrap();
    let error = Cassette::open(&path).unwrap_err();
    assert!(error.to_string().starts_with("line 1 of the cassette"));
}
