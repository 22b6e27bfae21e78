//! A model's server on loopback that answers as a script says, down to the bytes and where they are
//! cut. It speaks just enough HTTP for that.

mod anthropic;
mod chat;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub use anthropic::AnthropicReply;
pub use chat::ChatReply;

/// A request as the server heard it.
#[derive(Debug, Clone)]
pub struct Heard {
    /// Method and path.
    pub line: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Heard {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As HTTP wants it.
    Proper,
    /// The connection is closed in the middle.
    Cut,
    /// Nothing more is said, and the connection stays open.
    Silence,
}

/// One answer of the script.
#[derive(Debug, Clone)]
pub struct ModelAnswer {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Vec<u8>>,
    ending: Ending,
}

impl ModelAnswer {
    /// An answer of this status and body, in one piece.
    #[must_use]
    pub fn of(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), kind.into())],
            pieces: vec![body.into()],
            ending: Ending::Proper,
        }
    }

    /// A JSON answer.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::of(status, "application/json", body.to_string())
    }

    /// A stream of events, one piece each: kind (if any) and data.
    #[must_use]
    pub fn events<'a>(events: impl IntoIterator<Item = (Option<&'a str>, String)>) -> Self {
        let pieces = events.into_iter().map(|(kind, data)| {
            let kind = kind.map_or_else(String::new, |kind| format!("event: {kind}\n"));
            format!("{kind}data: {data}\n\n").into_bytes()
        });
        Self {
            pieces: pieces.collect(),
            ..Self::of(200, "text/event-stream", "")
        }
    }

    /// The same with another header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same with other bytes for its body, in one piece.
    #[must_use]
    pub fn with_body(mut self, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut all = self.pieces.concat();
        change(&mut all);
        self.pieces = vec![all];
        self
    }

    /// The same in pieces of so many bytes, wherever that cuts them.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        let all = self.pieces.concat();
        self.pieces = all.chunks(bytes.max(1)).map(<[u8]>::to_vec).collect();
        self
    }

    /// The same without what comes after so many pieces, ending like this.
    #[must_use]
    pub fn ending_after(mut self, pieces: usize, ending: Ending) -> Self {
        self.pieces.truncate(pieces);
        self.ending = ending;
        self
    }

    /// How many pieces it has.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }
}

type Script = dyn FnMut(&Heard) -> ModelAnswer + Send;

/// The server. It ends when it is dropped.
pub struct ModelServer {
    url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    _serving: JoinSet<()>,
}

impl ModelServer {
    /// A server that gives these answers, one after the other, and then 418 for ever, which no client
    /// asks again for.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn start(answers: impl IntoIterator<Item = ModelAnswer>) -> io::Result<Self> {
        let mut left: VecDeque<ModelAnswer> = answers.into_iter().collect();
        Self::answering(move |_| {
            left.pop_front()
                .unwrap_or_else(|| ModelAnswer::of(418, "text/plain", "the script is over"))
        })
        .await
    }

    /// A server that answers each request as `script` says.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn answering(
        script: impl FnMut(&Heard) -> ModelAnswer + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let heard = Arc::default();
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(script));
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, script, Arc::clone(&heard)));
        Ok(Self {
            url,
            heard,
            _serving: serving,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it heard so far.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        self.heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn serve(listener: TcpListener, script: Arc<Mutex<Script>>, heard: Arc<Mutex<Vec<Heard>>>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (script, heard) = (Arc::clone(&script), Arc::clone(&heard));
        // A client that goes away is no failure of the server's.
        connections.spawn(async move {
            let _ = converse(stream, &script, &heard).await;
        });
    }
}

/// One request and its answer; the connection is not used again.
async fn converse(
    stream: TcpStream,
    script: &Mutex<Script>,
    heard: &Mutex<Vec<Heard>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await?;
    let answer = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        script(&request)
    };
    heard
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(request);
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n",
        answer.status
    );
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk).await?;
        stream.flush().await?;
    }
    match answer.ending {
        Ending::Proper => stream.write_all(b"0\r\n\r\n").await?,
        Ending::Cut => {}
        Ending::Silence => std::future::pending().await,
    }
    stream.shutdown().await
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Heard> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await?;
        match header.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Heard {
        line: line.trim_end().trim_end_matches(" HTTP/1.1").to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}
