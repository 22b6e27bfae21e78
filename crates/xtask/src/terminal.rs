//! Terminals of our own, to run the program at and look at what it shows.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;

use anyhow::Result;
use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A terminal of that many columns and rows: the end that shows, and the one that programs get. No program that is started
/// beside gets either by accident: a terminal is closed when its last holder lets it go.
pub(crate) fn open(columns: u16, rows: u16) -> Result<(PtyMaster, File)> {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
    let shown = posix_openpt(flags)?;
    grantpt(&shown)?;
    unlockpt(&shown)?;
    let given = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOCTTY.bits())
        .open(ptsname_r(&shown)?)?;
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&given, size)?;
    Ok((shown, given))
}
