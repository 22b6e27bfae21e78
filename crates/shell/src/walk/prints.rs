//! What commands print into the files that redirects name: their own, and those of a group around them.
//!
//! The text of a group is known for sure where one command after the other prints what the line says. Of any other group
//! the file holds what nobody knows, and beside it what is known of it, for rules that deny.

use pointsman_model::PathValue;

use super::{Input, Scene, Walker, is_the_usual_one, paths};
use crate::limits::VALUE_BYTES_MAX;
use crate::output::keeps_output;
use crate::state::{State, Written};
use crate::syntax::{Body, Command, Compound, Piece, Redirect, RedirectKind, Simple, Word};

/// What the commands of a group print.
#[derive(Debug, Default)]
pub(super) struct Prints {
    /// What is known of it.
    text: String,
    /// Something is printed that nobody knows.
    unseen: bool,
}

impl Prints {
    fn add(&mut self, text: Option<&str>) {
        match text {
            Some(text) if self.text.len() + text.len() <= VALUE_BYTES_MAX => {
                self.text.push_str(text);
            }
            _ => self.unseen = true,
        }
    }
}

impl Walker<'_> {
    /// Remembers what a command puts into files, its own or those of the group around it.
    pub(super) fn remember_text(
        &mut self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        fed: &Input,
        state: &mut State,
    ) {
        let fills_own = simple.redirects.iter().any(fills);
        if !fills_own && self.prints.is_none() {
            return;
        }
        let name = simple.words.first().and_then(Word::bare);
        let usual = name.is_some_and(|name| is_the_usual_one(name, state));
        let text = match name {
            Some("cat") if usual && simple.words.len() == 1 && simple.assignments.is_empty() => {
                fed.text().map(str::to_owned)
            }
            Some("echo" | "printf") => self.text_of(scene, simple, state),
            Some(name) if usual && is_silent(name) => Some(String::new()),
            _ => None,
        };
        if let Some(group) = &mut self.prints {
            group.add(text.as_deref());
        }
        let written = text.map_or(Written::Unknown, |text| Written::Text(text.into()));
        fill(
            &self.filled(scene, &simple.redirects, state),
            &written,
            state,
        );
    }

    /// Of several readings of one command each was taken down, and one of them is what it prints.
    pub(super) fn printed_one_of_several(&mut self) {
        if let Some(group) = &mut self.prints {
            group.unseen = true;
        }
    }

    /// Walks a group, and remembers what its commands put into the files that it fills.
    pub(super) fn printing(
        &mut self,
        scene: &Scene<'_>,
        compound: &Compound<'_>,
        state: &mut State,
        walk: impl FnOnce(&mut Self, &mut State),
    ) {
        let files = self.filled(scene, &compound.redirects, state);
        if files.is_empty() {
            walk(self, state);
            return;
        }
        let unsure = !prints_in_line(scene, compound);
        if unsure {
            // From the start: a command in it may run what those before it have printed.
            fill(&files, &Written::Unknown, state);
        }
        let outer = self.prints.replace(Prints::default());
        walk(self, state);
        let Some(group) = std::mem::replace(&mut self.prints, outer) else {
            return;
        };
        if let Some(outer) = &mut self.prints {
            outer.add(Some(&group.text));
            outer.unseen |= group.unseen;
        }
        if group.unseen {
            fill(&files, &Written::Unknown, state);
        }
        let nothing = group.text.is_empty() && (unsure || group.unseen);
        if !nothing {
            fill(&files, &Written::Text(group.text.into()), state);
        }
    }

    /// Walks what prints elsewhere than the group around it.
    pub(super) fn apart_from_group<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let group = self.prints.take();
        let done = walk(self);
        self.prints = group;
        done
    }

    /// What the command would print if it were sent nowhere.
    fn text_of(&self, scene: &Scene<'_>, simple: &Simple<'_>, state: &State) -> Option<String> {
        let mut printing = simple.clone();
        printing.redirects.retain(|redirect| !fills(redirect));
        self.printed(scene, &printing, state)
    }

    /// The files that redirects fill.
    fn filled(&self, scene: &Scene<'_>, redirects: &[Redirect<'_>], state: &State) -> Vec<Filled> {
        let at = self.expander(scene, state);
        let mut found = Vec::new();
        for redirect in redirects.iter().filter(|redirect| fills(redirect)) {
            let files = paths(&at.single(&redirect.target), state);
            found.extend(files.into_iter().map(|file| Filled {
                file,
                kind: redirect.kind,
            }));
        }
        found
    }
}

/// A file that a redirect fills.
struct Filled {
    file: PathValue,
    kind: RedirectKind,
}

fn fill(files: &[Filled], written: &Written, state: &mut State) {
    for Filled { file, kind } in files {
        match kind {
            RedirectKind::Append => state.append(file, written),
            RedirectKind::ReadWrite => {
                // Over a part of what it held.
                state.write(file, written);
                state.write(file, &Written::Unknown);
            }
            RedirectKind::Write
            | RedirectKind::CopyOut
            | RedirectKind::Read
            | RedirectKind::CopyIn
            | RedirectKind::Document
            | RedirectKind::HereString => state.write(file, written),
        }
    }
}

/// Whether what a command prints, or tells of errors, may go into a file that the redirect names.
fn fills(redirect: &Redirect<'_>) -> bool {
    match redirect.kind {
        RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
        // A number is a file that is open.
        RedirectKind::CopyOut => !redirect.target.bare().is_some_and(|target| {
            target
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
        }),
        RedirectKind::Read
        | RedirectKind::CopyIn
        | RedirectKind::Document
        | RedirectKind::HereString => false,
    }
}

/// Whether the commands of a group stand one after the other, print what the line says, and nothing else goes into the
/// files that the group fills.
fn prints_in_line(scene: &Scene<'_>, compound: &Compound<'_>) -> bool {
    let (Body::Group(script) | Body::Subshell(script)) = &compound.body else {
        return false;
    };
    // `&>` takes what is told of errors too.
    let alone = |redirect: &Redirect<'_>| {
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
            && matches!(redirect.descriptor, None | Some("1"))
            && !redirect.span.of(scene.source).starts_with('&')
    };
    let mut redirects = compound.redirects.iter();
    redirects.all(|redirect| alone(redirect) || keeps_output(redirect))
        && script.items.iter().all(|item| match &item.command {
            Command::Simple(simple) => !item.background && prints_alone(scene, simple),
            _ => false,
        })
}

/// Whether the command prints, or keeps silent, and does nothing else.
fn prints_alone(scene: &Scene<'_>, simple: &Simple<'_>) -> bool {
    let name = simple.words.first().and_then(Word::bare);
    let known = |name| is_silent(name) || matches!(name, "echo" | "printf" | "cat");
    let plain = |redirect: &Redirect<'_>| match redirect.kind {
        RedirectKind::Document => {
            let body = scene.documents.get(redirect.target.span.start as usize);
            body.is_some_and(runs_nothing)
        }
        _ => runs_nothing(&redirect.target),
    };
    let mut redirects = simple.redirects.iter();
    name.is_some_and(known)
        && simple.assignments.is_empty()
        && simple.words.iter().all(runs_nothing)
        && redirects.all(|redirect| keeps_output(redirect) && plain(redirect))
}

/// Whether nothing in the word is a command.
fn runs_nothing(word: &Word<'_>) -> bool {
    word.pieces.iter().all(|piece| match piece {
        Piece::Text(_) | Piece::Quoted(_) => true,
        Piece::Parameter(parameter) => parameter.words.is_empty() && parameter.index.is_none(),
        Piece::Arithmetic(expression) => runs_nothing(expression),
        Piece::Substitution(_) | Piece::Process(_) => false,
    })
}

/// Whether the command of this name prints nothing.
fn is_silent(name: &str) -> bool {
    matches!(name, ":" | "true" | "false" | "[" | "test" | "exit")
}
