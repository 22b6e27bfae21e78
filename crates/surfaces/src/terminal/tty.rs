//! The terminal device: keys as they are pressed, and one line at the bottom that is redrawn.
//!
//! The device is opened anew, so that its settings and its non-blocking mode are this process's own
//! concern and standard input and output stay as they were. Its settings go back when this is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;

use rustix::fs::OFlags;
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcgetpgrp, tcsetattr,
};
use tokio::io::unix::AsyncFd;

/// The terminal of a process, whatever its standard streams are.
const DEVICE: &str = "/dev/tty";
/// Keys read at once.
const READ_BYTES: usize = 1_024;

/// Why there is no terminal to prompt at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// This process has none.
    #[error("this process has no terminal")]
    None(#[source] io::Error),
    /// Another program has it.
    #[error("this process runs in the background of its terminal")]
    Background,
    /// It does not do what a terminal does.
    #[error("the terminal can't be set up")]
    SetUp(#[source] io::Error),
}

/// A terminal whose keys come one by one.
#[derive(Debug)]
pub(super) struct Tty {
    device: AsyncFd<File>,
    before: Termios,
    keys: Termios,
    prompt: String,
}

impl Tty {
    /// Takes over the terminal of this process.
    pub(super) fn open() -> Result<Self, TerminalError> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits().cast_signed())
            .open(DEVICE)
            .map_err(TerminalError::None)?;
        let set_up = |errno: rustix::io::Errno| TerminalError::SetUp(errno.into());
        // Changing the settings from the background would stop the process.
        if tcgetpgrp(device.as_fd()).map_err(set_up)? != getpgrp() {
            return Err(TerminalError::Background);
        }
        let before = tcgetattr(device.as_fd()).map_err(set_up)?;
        let mut keys = before.clone();
        keys.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        tcsetattr(device.as_fd(), OptionalActions::Now, &keys).map_err(set_up)?;
        let device = watched(device).map_err(TerminalError::SetUp)?;
        Ok(Self {
            device,
            before,
            keys,
            prompt: String::new(),
        })
    }

    /// Makes the terminal what it was, for as long as this process is stopped.
    pub(super) fn lend(&self) {
        // Not `Drain`: output that is held up must not hold this up. A terminal that is gone needs no settings.
        let device = self.device.get_ref().as_fd();
        let _ = tcsetattr(device, OptionalActions::Now, &self.before);
    }

    /// Takes the terminal over again once this process goes on in its foreground; the next drawing is a whole one.
    pub(super) fn take_back(&mut self) {
        let device = self.device.get_ref().as_fd();
        if tcgetpgrp(device).is_ok_and(|group| group == getpgrp()) {
            let _ = tcsetattr(device, OptionalActions::Now, &self.keys);
        }
        self.prompt.clear();
    }

    /// The keys pressed since the last time; empty when the terminal is gone. Cancel safe.
    pub(super) async fn read(&self) -> io::Result<Vec<u8>> {
        loop {
            let mut ready = self.device.readable().await?;
            let mut bytes = vec![0; READ_BYTES];
            match ready.try_io(|device| device.get_ref().read(&mut bytes)) {
                Ok(Ok(count)) => {
                    bytes.truncate(count);
                    return Ok(bytes);
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }

    /// Throws away keys that were pressed and not read yet.
    pub(super) fn drop_input(&self) {
        // A terminal that is gone has no input to drop.
        let _ = tcflush(self.device.get_ref().as_fd(), QueueSelector::IFlush);
    }

    /// Prints `text`, which ends in a line feed or is empty, above the prompt line, and draws that.
    pub(super) async fn draw(&mut self, text: &str, prompt: &str) {
        if text.is_empty() && prompt == self.prompt {
            return;
        }
        let bytes = format!("\r\x1b[K{text}{prompt}");
        self.prompt = prompt.into();
        let mut rest = bytes.as_bytes();
        while !rest.is_empty() {
            let Ok(mut ready) = self.device.writable().await else {
                return;
            };
            match ready.try_io(|device| device.get_ref().write(rest)) {
                Ok(Ok(count)) => rest = rest.get(count..).unwrap_or_default(),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                // The terminal is gone; the run goes on without it.
                Ok(Err(_)) => return,
                Err(_would_block) => {}
            }
        }
    }
}

/// The device, watched for keys and for room to write.
#[expect(
    deprecated,
    reason = "what it warns of are types whose descriptor changes, which a `File`'s never does; \
              its successor is unsafe to call"
)]
fn watched(device: File) -> io::Result<AsyncFd<File>> {
    AsyncFd::new(device)
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.lend();
    }
}
