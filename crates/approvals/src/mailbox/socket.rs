//! Lines over a local socket: JSON, one frame on each line, for workers that are processes of their own.
//!
//! Both sides look who the other is: the socket is this user's alone, and so is whoever is at its other
//! end. A frame that is no frame, is cut off, or is too long breaks the line, and nothing of it is used.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::sync::CancellationToken;

use super::line::{Dial, Line, WorkerLine};
use super::office::PostOfficeHandle;
use super::remote::REQUEST_BYTES_MAX;
use crate::private_socket::{BindError, PrivateSocket, is_of_this_user};

/// The longest frame: a request, and what is around it.
const FRAME_BYTES_MAX: u64 = REQUEST_BYTES_MAX as u64 + 4096;

/// The longest first frame that a leader reads: nobody may fill its memory who has not said who they are.
const HELLO_BYTES_MAX: u64 = 4096;

/// How many frames of one line may wait to be handled.
const INCOMING_MAX: usize = 64;

/// How many frames may wait to be written: all that a leader has to say to a worker that asks for everything anew, which
/// it says at once.
const OUTGOING_MAX: usize = 3 * 4096;

/// How long one frame may take to be written before the other side is held dead.
const WRITE_WITHIN: Duration = Duration::from_secs(30);

/// The socket of a leader's post office. Its file goes when this is dropped.
#[derive(Debug)]
pub struct PostSocket(PrivateSocket);

impl PostSocket {
    /// Listens at `path`, open to this user alone. What a killed leader left there is removed.
    ///
    /// Has to be called within a Tokio runtime.
    ///
    /// # Errors
    /// When another leader listens there, or the socket can't be made.
    pub fn bind(path: &Path) -> Result<Self, BindError> {
        PrivateSocket::bind(path).map(Self)
    }

    /// Brings the lines of workers to the office until `shutdown`, or until the office has ended.
    pub async fn run(self, office: PostOfficeHandle, shutdown: CancellationToken) {
        loop {
            let (stream, _) = tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                accepted = self.0.accept() => accepted,
            };
            let line = line_over(stream, HELLO_BYTES_MAX);
            if office.attach(line).await.is_err() {
                break;
            }
        }
    }
}

/// Dials the socket of a leader.
#[derive(Debug, Clone)]
pub struct SocketDial {
    path: PathBuf,
}

impl SocketDial {
    /// Dials the socket at `path`.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.into() }
    }
}

#[async_trait]
impl Dial for SocketDial {
    async fn dial(&self) -> io::Result<WorkerLine> {
        let stream = UnixStream::connect(&self.path).await?;
        if !is_of_this_user(&stream) {
            let text = "the leader's socket is another user's";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        Ok(line_over(stream, FRAME_BYTES_MAX))
    }
}

/// A line over a connected socket, whose first frame may have so many bytes.
fn line_over<In, Out>(stream: UnixStream, first_max: u64) -> Line<In, Out>
where
    In: DeserializeOwned + Send + 'static,
    Out: Serialize + Send + 'static,
{
    let (read, write) = stream.into_split();
    let (heard, incoming) = flume::bounded(INCOMING_MAX);
    let (outgoing, said) = flume::bounded(OUTGOING_MAX);
    let drive = async move {
        tokio::select! {
            ended = read_frames(read, &heard, first_max) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a line is broken");
                }
            }
            ended = write_frames(write, &said) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a line is broken");
                }
            }
        }
    };
    Line {
        incoming,
        outgoing,
        drive: drive.boxed(),
    }
}

/// Reads frames until the other side closes, says nonsense, or nobody wants them any more.
async fn read_frames<In: DeserializeOwned>(
    read: OwnedReadHalf,
    heard: &flume::Sender<In>,
    first_max: u64,
) -> io::Result<()> {
    let mut lines = BufReader::new(read);
    let mut max = first_max;
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut lines).take(max).read_until(b'\n', &mut line).await?;
        if count == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') {
            let text = "a frame is cut off or too long";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let frame = serde_json::from_slice(&line)?;
        if heard.send_async(frame).await.is_err() {
            return Ok(());
        }
        max = FRAME_BYTES_MAX;
    }
}

/// Writes frames until nobody has any more, and then closes.
async fn write_frames<Out: Serialize>(
    mut write: OwnedWriteHalf,
    said: &flume::Receiver<Out>,
) -> io::Result<()> {
    while let Ok(frame) = said.recv_async().await {
        let mut bytes = frame_bytes(&frame)?;
        // What waits already goes with it, so that many frames cost one call.
        while bytes.len() < 64 * 1024
            && let Ok(frame) = said.try_recv()
        {
            bytes.extend(frame_bytes(&frame)?);
        }
        tokio::time::timeout(WRITE_WITHIN, write.write_all(&bytes)).await??;
    }
    write.shutdown().await
}

fn frame_bytes(frame: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(frame)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests;
