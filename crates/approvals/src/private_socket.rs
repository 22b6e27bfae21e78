//! A listening socket of this user alone: what the workers' socket and the control socket stand on.
//!
//! Its file lies where others can't open it, whoever connects is looked at all the same, and what a killed leader left
//! there is removed. What is said over it is its owner's business.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};

/// How long nobody is taken in after an accept that failed: out of file descriptors, most likely, and others have to
/// end first.
const FAILED_PAUSE: Duration = Duration::from_millis(100);

/// A listening socket. Its file goes when this is dropped.
#[derive(Debug)]
pub struct PrivateSocket {
    listener: UnixListener,
    _file: SocketFile,
}

#[derive(Debug)]
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A file that is gone already is as good as removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Why no socket is there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another leader listens there.
    #[error("another leader listens at `{0}`")]
    InUse(PathBuf),
    /// It can't be made.
    #[error("the socket `{path}` can't be made")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl PrivateSocket {
    /// Listens at `path`, open to this user alone. What a killed leader left there is removed.
    ///
    /// Has to be called within a Tokio runtime.
    ///
    /// # Errors
    /// When another leader listens there, or the socket can't be made.
    pub fn bind(path: &Path) -> Result<Self, BindError> {
        let failed = |source| BindError::Io {
            path: path.into(),
            source,
        };
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(BindError::InUse(path.into()));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let _file = SocketFile(path.into());
        let only_mine = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, only_mine).map_err(failed)?;
        Ok(Self { listener, _file })
    }

    /// The next who connects and is this user, with the number of their process. Others are turned away. Cancel safe.
    pub async fn accept(&self) -> (UnixStream, Option<i32>) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) if is_of_this_user(&stream) => {
                    let pid = stream.peer_cred().ok().and_then(|peer| peer.pid());
                    return (stream, pid);
                }
                Ok(_) => tracing::warn!("a process of another user was turned away"),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(FAILED_PAUSE).await;
                }
            }
        }
    }
}

/// Whether the other side is a process of this user.
pub(crate) fn is_of_this_user(stream: &UnixStream) -> bool {
    let me = nix::unistd::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == me)
}
