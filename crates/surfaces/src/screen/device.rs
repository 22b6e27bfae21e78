//! The terminal as a full screen: taken over when it is opened, given back however the program ends.
//!
//! A panic anywhere gives the terminal back before its message is printed; the screen, if it lives
//! on, takes it again with the next frame.

mod desktop;

use std::io::{self, IsTerminal as _, Stdout, Write as _};
use std::os::fd::AsFd as _;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Frame, Terminal};
use rustix::process::getpgrp;
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};

use super::ScreenError;
use super::scene::Scene;

/// Puts the terminal's own title away, and takes it back.
const PUSH_TITLE: &str = "\x1b[22;0t";
/// See [`PUSH_TITLE`].
const POP_TITLE: &str = "\x1b[23;0t";

/// Whose the terminal is. One process has one terminal, so this is the process's.
static HELD: AtomicU8 = AtomicU8::new(FREE);
/// Nobody's: it is as the shell left it.
const FREE: u8 = 0;
/// The screen's.
const TAKEN: u8 = 1;
/// A panic has given it back.
const PANICKED: u8 = 2;

/// See the module's words.
pub(super) struct Device {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    title: String,
    lease: Lease,
    /// What the last frame showed.
    scene: Option<Scene>,
}

/// Whose the terminal is while the screen is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lease {
    /// The screen's.
    Held,
    /// That of whoever runs while this process is stopped or in the background.
    Lent,
}

impl Device {
    /// Takes the terminal over.
    pub(super) fn open() -> Result<Self, ScreenError> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(ScreenError::NoTerminal);
        }
        give_back_on_panic();
        let device = Self {
            terminal: Terminal::new(CrosstermBackend::new(io::stdout()))
                .map_err(ScreenError::SetUp)?,
            title: String::new(),
            lease: Lease::Held,
            scene: None,
        };
        take().map_err(ScreenError::SetUp)?;
        Ok(device)
    }

    /// The terminal's size.
    pub(super) fn size(&self) -> Size {
        self.terminal.size().unwrap_or_default()
    }

    /// The terminal to draw on. After a panic it is taken over again; then this says so.
    ///
    /// # Errors
    /// When it can't be taken over, or is lent.
    pub(super) fn ready(&mut self) -> io::Result<Panicked> {
        match HELD.load(Ordering::SeqCst) {
            TAKEN => Ok(Panicked::No),
            PANICKED => {
                take()?;
                self.wipe()?;
                Ok(Panicked::Yes)
            }
            _ => Err(io::Error::other("the terminal is lent")),
        }
    }

    /// Whether the terminal takes output just now. One that was told to pause, or whose other end does not read,
    /// does not, and writing to it would wait.
    pub(super) fn takes_output(&self) -> bool {
        let out = io::stdout();
        let mut watched = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
        // What can't be asked is written to, which says what is wrong with it.
        poll(&mut watched, PollTimeout::ZERO).map_or(true, |ready| ready > 0)
    }

    /// Makes the terminal what it was, for as long as this process is stopped.
    pub(super) fn lend(&mut self) {
        self.lease = Lease::Lent;
        give_back(FREE);
    }

    /// Whose the terminal is.
    pub(super) fn lease(&self) -> Lease {
        self.lease
    }

    /// Takes the terminal over again once this process goes on in its foreground; says whose it is then.
    ///
    /// # Errors
    /// When it can't be set up.
    pub(super) fn take_back(&mut self) -> io::Result<Lease> {
        let holds = tcgetpgrp(io::stdin().as_fd()).is_ok_and(|group| group == getpgrp());
        // Changing the settings from the background would stop the process again.
        if !holds {
            return Ok(self.lease);
        }
        take()?;
        self.lease = Lease::Held;
        self.wipe()?;
        Ok(Lease::Held)
    }

    /// Wipes the screen, so that the next frame draws every cell. [`Terminal::clear`] would ask the
    /// terminal for its cursor and wait for the answer, which the reader of keys takes away.
    pub(super) fn wipe(&mut self) -> io::Result<()> {
        let area = Rect::from((Position::ORIGIN, self.terminal.size()?));
        self.terminal.resize(area)
    }

    /// Draws a frame that shows this scene; gives the size that it was drawn at.
    ///
    /// Only what differs from the frame before is written, and terminals don't agree about how many columns each sign
    /// takes. So that nothing of one scene can stay in another, the terminal is wiped between the two: in one go with
    /// the frame, where it can do that.
    ///
    /// # Errors
    /// When the terminal can't be written to.
    pub(super) fn draw(
        &mut self,
        scene: Scene,
        render: impl FnOnce(&mut Frame<'_>),
    ) -> io::Result<Size> {
        let is_new = self.scene != Some(scene);
        if is_new {
            queue!(io::stdout(), BeginSynchronizedUpdate)?;
        }
        let wiped = if is_new { self.wipe() } else { Ok(()) };
        let drawn = wiped.and_then(|()| {
            self.scene = Some(scene);
            let frame = self.terminal.draw(render)?;
            Ok(frame.area.as_size())
        });
        if is_new {
            // Whatever came of the frame: a terminal that waits for the end of one shows nothing.
            execute!(io::stdout(), EndSynchronizedUpdate)?;
        }
        drawn
    }

    /// Rings the bell.
    pub(super) fn ring(&self) {
        let mut out = io::stdout();
        // A terminal that is gone rings no bell.
        let _ = out.write_all(b"\x07").and_then(|()| out.flush());
    }

    /// Has the terminal tell the desktop something, if it is one that does.
    pub(super) fn tell_desktop(&self, text: &str) {
        let Some(written) = desktop::notification(text, |name| std::env::var(name).ok()) else {
            return;
        };
        let mut out = io::stdout();
        let _ = out.write_all(written.as_bytes()).and_then(|()| out.flush());
    }

    /// Sets the window's title, when it is another one.
    pub(super) fn set_title(&mut self, title: String) {
        if title != self.title {
            let _ = execute!(io::stdout(), SetTitle(&title));
            self.title = title;
        }
    }

    /// Throws away what was typed and not read yet.
    pub(super) fn drop_input(&self) {
        let _ = tcflush(io::stdin().as_fd(), QueueSelector::IFlush);
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // What was typed for the screen is not for the shell behind it. From the background this would stop the process.
        if self.lease == Lease::Held {
            self.drop_input();
        }
        give_back(FREE);
    }
}

/// Whether a panic had given the terminal back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Panicked {
    Yes,
    No,
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    HELD.store(TAKEN, Ordering::SeqCst);
    let mut out = io::stdout();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste)?;
    out.write_all(PUSH_TITLE.as_bytes())?;
    out.flush()
}

/// Makes the terminal what it was. Nothing is left to do about one that is gone.
fn give_back(to: u8) {
    if HELD.swap(to, Ordering::SeqCst) != TAKEN {
        return;
    }
    let mut out = io::stdout();
    let _ = queue!(out, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = out.write_all(POP_TITLE.as_bytes());
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Makes the settings of a terminal that takes no output what they were; what is on the screen stays there. For a
/// program that ends while a frame of its screen still waits for the terminal.
pub fn leave_full_screen() {
    if HELD.swap(FREE, Ordering::SeqCst) == TAKEN {
        // A terminal that is gone needs no settings.
        let _ = disable_raw_mode();
    }
}

/// Sees to it that the message of a panic is printed on a terminal that can show it.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if HELD.load(Ordering::SeqCst) == TAKEN {
                give_back(PANICKED);
            }
            before(info);
        }));
    });
}

#[cfg(test)]
mod tests;
