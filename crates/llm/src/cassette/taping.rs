//! One exchange while it is being recorded.

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use super::{Came, End, Exchange, Piece, Recorder, Sent, without_key};
use crate::dialect::Outgoing;
use crate::transport::Incoming;
use crate::{ApiKey, Fault};

/// One exchange while it is being recorded. It is written when it ends, and also when nobody waits for
/// its end.
pub(crate) struct Taping {
    recorder: Recorder,
    key: Option<ApiKey>,
    /// Nothing once it is written.
    request: Option<Sent>,
    status: u16,
    headers: Vec<(String, String)>,
    chunks: Vec<Bytes>,
    end: End,
}

impl Taping {
    pub(crate) fn begin(recorder: Recorder, outgoing: &Outgoing, key: Option<ApiKey>) -> Self {
        Self {
            recorder,
            request: Some(Sent::of(outgoing, key.as_ref())),
            key,
            status: 0,
            headers: Vec::new(),
            chunks: Vec::new(),
            end: End::Left,
        }
    }

    /// No answer came.
    pub(crate) fn unreachable(mut self) {
        self.write(Came::Nothing);
    }

    /// The same answer, each chunk of it recorded as it is read.
    pub(crate) fn onto_tape(mut self, incoming: Incoming) -> Incoming {
        self.status = incoming.status;
        self.headers.clone_from(&incoming.headers);
        let state = (self, incoming.body);
        let body = stream::unfold(state, |(mut taping, mut body)| async move {
            let chunk = taping.next(&mut body).await?;
            Some((chunk, (taping, body)))
        });
        Incoming {
            body: body.boxed(),
            ..incoming
        }
    }

    async fn next(
        &mut self,
        body: &mut BoxStream<'static, Result<Bytes, Fault>>,
    ) -> Option<Result<Bytes, Fault>> {
        let chunk = body.next().await;
        match &chunk {
            Some(Ok(bytes)) => self.chunks.push(bytes.clone()),
            Some(Err(_)) => self.end = End::Cut,
            None if self.end == End::Left => self.end = End::Whole,
            None => {}
        }
        chunk
    }

    fn write(&mut self, came: Came) {
        if let Some(request) = self.request.take() {
            self.recorder.write(&Exchange { request, came });
        }
    }

    /// The chunks, or all of them as one where the key has to be taken out.
    fn pieces(&self) -> Vec<Piece> {
        let all = self.chunks.concat();
        match &self.key {
            Some(key) if key.is_in(&all) => vec![without_key(&all, Some(key))],
            _ => self.chunks.iter().map(|chunk| Piece::of(chunk)).collect(),
        }
    }
}

impl Drop for Taping {
    /// A request that was dropped before its answer came is not recorded: nothing came of it.
    fn drop(&mut self) {
        if self.status != 0 {
            let came = Came::Reply {
                status: self.status,
                headers: std::mem::take(&mut self.headers),
                chunks: self.pieces(),
                end: self.end,
            };
            self.write(came);
        }
    }
}
