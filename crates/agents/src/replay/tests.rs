//! Transcripts from real ledgers, driven through another door.

use pointsman_ledger::{Filter, LedgerReader};

use super::*;
use crate::fixture::Bench;
use crate::{Steps, StepsAgent};

/// What an agent that took these steps left on its ledger.
async fn transcript(script: &str) -> (Bench, Transcript) {
    let bench = Bench::new().await;
    let steps: Steps = toml::from_str(script).unwrap();
    let stop = bench.stop.clone();
    StepsAgent::new(steps).work(&bench.dispatch, &stop).await;
    let seat = bench.dispatch.seat();
    seat.ledger.close().await;
    let reader = LedgerReader::open(seat.ledger.path()).unwrap();
    let list = reader.records(&Filter::of_run(seat.run)).unwrap();
    let transcript = Transcript::of(&list.records, seat.worker);
    (bench, transcript)
}

const SCRIPT: &str = r#"
    steps = [
        { tool = "Bash", input = { command = "echo one" } },
        { tool = "Bash", input = { command = "rm x" } },
        { tool = "Bash", input = { comand = "x" }, expect = { outcome = "error" } },
        { tool = "Bash", input = { command = "cat made" }, expect = { outcome = "error" } },
    ]"#;

#[tokio::test]
async fn a_ledger_gives_the_calls_in_their_order() {
    let (_, transcript) = transcript(SCRIPT).await;
    let calls: Vec<_> = transcript
        .calls
        .iter()
        .map(|call| (call.input.as_str(), call.end.map(|end| end.to_string())))
        .collect();
    let ended = |text: &str| Some(text.to_owned());
    assert_eq!(
        calls,
        [
            (r#"{"command":"echo one"}"#, ended("success")),
            (r#"{"command":"rm x"}"#, ended("error (refused)")),
            (r#"{"comand":"x"}"#, ended("error")),
            (r#"{"command":"cat made"}"#, ended("error")),
        ]
    );
    let written = serde_json::to_string(&transcript).unwrap();
    assert_eq!(
        serde_json::from_str::<Transcript>(&written).unwrap(),
        transcript
    );
}

#[tokio::test]
async fn what_ends_otherwise_is_told() {
    let (_, transcript) = transcript(SCRIPT).await;
    let again = Bench::new().await;
    std::fs::write(again.keep.path().join("made"), "by now").unwrap();
    let stop = again.stop.clone();
    let mut agent = ReplayAgent::new(transcript);
    let AgentEnd::Done { summary } = agent.work(&again.dispatch, &stop).await else {
        panic!("no end");
    };
    let mut lines = summary.lines();
    assert_eq!(
        lines.next(),
        Some("4 calls asked for again, 1 ended otherwise")
    );
    let line = lines.next().unwrap();
    let expect = "Bash {\"command\":\"cat made\"}: error then, success now: by now";
    assert!(line.ends_with(expect), "{line}");
    assert_eq!(lines.next(), None);
}

#[tokio::test]
async fn a_stop_ends_a_replay() {
    let (_, transcript) = transcript(SCRIPT).await;
    let again = Bench::new().await;
    again.stop.cancel();
    let stop = again.stop.clone();
    let end = ReplayAgent::new(transcript)
        .work(&again.dispatch, &stop)
        .await;
    assert_eq!(end, AgentEnd::Stopped);
}
