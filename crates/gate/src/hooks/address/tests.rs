//! Addresses, asked over real connections to a server of the test's own.

use pointsman_ledger::HookCame;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::*;

/// Serves one connection: reads a request to its end, writes these bytes, and closes.
async fn serving(response: impl Into<Vec<u8>>) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?key=1", listener.local_addr().unwrap());
    let response = response.into();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        // Whoever asked may be gone by now.
        let _ = stream.write_all(&response).await;
        request
    });
    (url, serving)
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length: ")
                        .map(str::to_owned)
                })
                .map_or(0, |length| length.trim().parse().unwrap());
            if body.len() >= length || read == 0 {
                return text;
            }
        }
    }
}

fn response(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn deny() -> String {
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not today"}}"#.into()
}

/// What an address comes to that answers with these bytes.
async fn answered(bytes: impl Into<Vec<u8>>) -> (HookCame, String) {
    let (url, serving) = serving(bytes).await;
    let said = asked(&url, Duration::from_secs(600)).await;
    serving.abort();
    said
}

async fn asked(url: &str, time_max: Duration) -> (HookCame, String) {
    let stop = CancellationToken::new();
    let said = Addresses::default().ask(&post(url, time_max, &stop)).await;
    (said.came, said.text.into())
}

fn post<'a>(url: &'a str, time_max: Duration, stop: &'a CancellationToken) -> Post<'a> {
    Post {
        event: HookEvent::PreToolUse,
        url,
        headers: &[],
        allowed: &[],
        variables: &|_| None,
        body: b"{\"tool_name\":\"Bash\"}",
        time_max,
        stop,
    }
}

#[tokio::test]
async fn the_event_is_posted_as_json_with_the_headers_of_the_settings() {
    let (url, serving) = serving(response("200 OK", &deny())).await;
    let stop = CancellationToken::new();
    let headers: Vec<(Box<str>, Box<str>)> = [
        ("Authorization", "Bearer $TOKEN"),
        ("X-Both", "${TOKEN}-$OTHER-$UNSET!$"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let allowed: Vec<Box<str>> = vec!["TOKEN".into(), "UNSET".into()];
    let mut asked = post(&url, Duration::from_secs(600), &stop);
    asked.headers = &headers;
    asked.allowed = &allowed;
    asked.variables = &|name| match name {
        "TOKEN" => Some("s3cret".into()),
        "OTHER" => Some("never named".into()),
        _ => None,
    };
    let said = Addresses::default().ask(&asked).await;
    assert_eq!((said.came, &*said.text), (HookCame::Deny, "not today"));
    let request = serving.await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(head.lines().next(), Some("POST /hook?key=1 HTTP/1.1"));
    assert_eq!(body, r#"{"tool_name":"Bash"}"#);
    let head = head.to_ascii_lowercase();
    for line in [
        "content-type: application/json",
        "authorization: bearer s3cret",
        "x-both: s3cret--!$",
    ] {
        assert!(head.lines().any(|it| it == line), "{line} in {head}");
    }
}

#[tokio::test]
async fn law_15_only_an_object_in_an_answer_of_success_counts() {
    for (bytes, came, says) in [
        (response("200 OK", &deny()), HookCame::Deny, "not today"),
        (response("200 OK", ""), HookCame::Nothing, ""),
        (response("204 No Content", ""), HookCame::Nothing, ""),
        (
            response("200 OK", "all fine"),
            HookCame::Failed,
            "no JSON object",
        ),
        (
            response("200 OK", r#"{"hookSpec"#),
            HookCame::Failed,
            "what it wrote is no answer",
        ),
        (
            response("404 Not Found", &deny()),
            HookCame::Failed,
            "status 404",
        ),
        (
            response("429 Too Many Requests", &deny()),
            HookCame::Failed,
            "status 429",
        ),
        (
            response("500 Oops", &deny()),
            HookCame::Failed,
            "status 500",
        ),
        (
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
                .into(),
            HookCame::Failed,
            "not sent elsewhere",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{".into(),
            HookCame::Failed,
            "broke off",
        ),
        ("what?\r\n\r\n".into(), HookCame::Failed, "can't be reached"),
        (String::new(), HookCame::Failed, "can't be reached"),
    ] {
        let (it, text) = answered(bytes.clone()).await;
        assert_eq!(it, came, "{bytes}: {text}");
        assert!(text.contains(says), "{bytes}: {text}");
        assert!(!text.contains("key=1"), "the address is told: {text}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n{".to_vec();
    bytes.resize(BODY_BYTES_MAX + 100_000, b' ');
    let (came, text) = answered(bytes).await;
    assert_eq!(came, HookCame::Failed);
    assert!(text.contains("longer than"), "{text}");
}

#[tokio::test]
async fn nobody_there_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let (came, text) = asked(&url, Duration::from_secs(600)).await;
    assert_eq!(came, HookCame::Failed);
    assert!(text.starts_with("it can't be reached"), "{text}");
}

#[tokio::test]
async fn law_12_a_silent_address_has_its_time_and_a_stop_ends_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (came, text) = asked(&url, Duration::from_millis(30)).await;
    assert_eq!(
        (came, text.as_str()),
        (HookCame::Failed, "it took longer than its time limit")
    );
    let stop = CancellationToken::new();
    let addresses = Addresses::default();
    let asked = post(&url, Duration::from_secs(600), &stop);
    let stopping = async {
        let _ = listener.accept().await.unwrap();
        stop.cancel();
    };
    let (said, ()) = tokio::join!(addresses.ask(&asked), stopping);
    assert_eq!(
        (said.came, &*said.text),
        (HookCame::Failed, "it was stopped")
    );
}

#[test]
fn here_is_this_machine_alone() {
    for (url, here) in [
        ("http://127.0.0.1:8080/", true),
        ("http://[::1]/", true),
        ("http://localhost/", true),
        ("http://localhost.example.com/", false),
        ("http://10.0.0.1/", false),
    ] {
        assert_eq!(is_here(&Url::parse(url).unwrap()), here, "{url}");
    }
}
