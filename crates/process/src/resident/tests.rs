//! Programs that stay, as real ones.

use super::*;

fn spec(line: &str) -> ResidentSpec {
    ResidentSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), line.into()],
        folder: AbsPath::parse("/").unwrap(),
        env: Environment::empty().with("PATH", std::env::var_os("PATH").unwrap()),
        line_bytes_max: 1_000,
    }
}

async fn ask(resident: &mut Resident, line: &str) -> Result<String, String> {
    let answer = resident.exchange(format!("{line}\n").as_bytes()).await;
    answer
        .map(|answer| String::from_utf8(answer).unwrap())
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn one_process_answers_line_by_line() {
    let mut resident =
        Resident::start(&spec("while read -r line; do echo \"$$ $line\"; done")).unwrap();
    let first = ask(&mut resident, "one").await.unwrap();
    let second = ask(&mut resident, "two").await.unwrap();
    let (process, _) = first.split_once(' ').unwrap();
    assert_eq!(first, format!("{process} one"));
    assert_eq!(second, format!("{process} two"));
    assert_eq!(process, resident.group().id().to_string());
    resident.end(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn one_that_ends_says_why() {
    let mut resident =
        Resident::start(&spec("read -r line; echo 'no ledger' >&2; exit 3")).unwrap();
    let error = ask(&mut resident, "x").await.unwrap_err();
    assert_eq!(error, "it ended instead of answering: no ledger");
    assert!(
        ask(&mut resident, "y").await.is_err(),
        "it stays out of use"
    );
}

#[tokio::test]
async fn two_lines_to_one_are_no_answer() {
    let mut resident =
        Resident::start(&spec("while read -r line; do printf 'a\\nb\\n'; done")).unwrap();
    let error = ask(&mut resident, "x").await.unwrap_err();
    assert_eq!(error, ExchangeError::OutOfStep.to_string());
    assert_eq!(
        ask(&mut resident, "y").await.unwrap_err(),
        ExchangeError::OutOfStep.to_string()
    );
}

/// The runtime has had no occasion yet to hear of the line; the program is out of step all the same.
#[tokio::test]
async fn what_it_writes_unasked_is_seen_at_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let wrote = folder.path().join("wrote");
    let line = format!("echo stray; touch '{}'; cat", wrote.display());
    let mut resident = Resident::start(&spec(&line)).unwrap();
    while !wrote.exists() {
        std::thread::yield_now();
    }
    assert!(!resident.is_ready());
    let error = ask(&mut resident, "x").await.unwrap_err();
    assert_eq!(error, ExchangeError::OutOfStep.to_string());
}

#[tokio::test]
async fn an_exchange_that_was_given_up_mixes_no_answers() {
    let mut resident = Resident::start(&spec(
        "read -r a; read -r b; echo \"late $a\"; while read -r line; do echo \"$line\"; done",
    ))
    .unwrap();
    let given_up = ask(&mut resident, "one").now_or_never();
    assert_eq!(given_up, None);
    assert_eq!(
        ask(&mut resident, "two").await.unwrap_err(),
        ExchangeError::OutOfStep.to_string()
    );
}

#[tokio::test]
async fn a_line_has_its_limit_and_complaints_block_nothing() {
    let mut resident = Resident::start(&spec(
        "read -r a; head -c 300000 /dev/zero >&2; echo fine; read -r b; head -c 5000 /dev/zero; echo",
    ))
    .unwrap();
    assert_eq!(ask(&mut resident, "x").await.unwrap(), "fine");
    assert_eq!(
        ask(&mut resident, "y").await.unwrap_err(),
        "its line is longer than 1000 bytes"
    );
}
