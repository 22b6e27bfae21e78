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

/// Of a request with a one-time word all else has to be the same, and the answer repeats the word of today.
#[tokio::test]
async fn what_was_recorded_with_another_one_time_word_is_played_with_todays() {
    let with_word = |word: &str, more: &str| Prompt {
        system: format!("say {word} again{more}"),
        one_time_word: Some(word.into()),
        ..prompt("go")
    };
    for (dialect, way) in DIALECTS
        .into_iter()
        .flat_map(|dialect| [(dialect, Way::Whole), (dialect, Way::Streamed)])
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        let transport = Transport::recorded(None, Recorder::create(&path).unwrap()).unwrap();
        let answer = match (dialect, way) {
            (Dialect::Anthropic, Way::Whole) => AnthropicReply::text("0123abcd, it is").whole(),
            (Dialect::Anthropic, Way::Streamed) => {
                AnthropicReply::text("0123abcd, it is").streamed()
            }
            (Dialect::OpenAi, Way::Whole) => ChatReply::text("0123abcd, it is").whole(),
            (Dialect::OpenAi, Way::Streamed) => ChatReply::text("0123abcd, it is").streamed(),
        };
        let stage = Stage::with(dialect, QUICK, transport, Spending::unlimited(), [answer]).await;
        stage.ask(&with_word("0123abcd", ""), way).await.0.unwrap();

        let cassette = Cassette::open(&path).unwrap();
        let transport = Transport::cassette(cassette.clone());
        let stage = Stage::with(dialect, QUICK, transport, Spending::unlimited(), []).await;
        let other = stage.ask(&with_word("89ef4567", "!"), way).await.0;
        let Fault::NotOnCassette { what } = other.unwrap_err().fault else {
            panic!("another request was answered");
        };
        assert!(!what.contains("0123abcd"), "{what}");
        let played = stage.ask(&with_word("89ef4567", ""), way).await.0.unwrap();
        assert_eq!(played.text(), "89ef4567, it is");
        assert_eq!(cassette.left(), 0);
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
