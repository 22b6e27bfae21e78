//! Pagers, editors and converters: what they show or change, and the commands they are told to start.

use pointsman_model::{Change, EffectView, Reach, Span};

use super::{Asked, Facts, Inner, UseKind, special};
use crate::field::Field;

/// Programs that show a file or make something of it.
const SHOW: [&str; 15] = [
    "less", "more", "most", "bat", "batcat", "view", "look", "ul", "iconv", "m4", "cpp", "pandoc",
    "xdg-open", "glow", "hexyl",
];

/// Programs that may change the file as well.
const EDIT: [&str; 13] = [
    "vi",
    "vim",
    "nvim",
    "vimdiff",
    "ex",
    "ed",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "joe",
    "micro",
    "kak",
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let edits = EDIT.contains(&name);
    if !edits && !SHOW.contains(&name) {
        return None;
    }
    let mut facts = special::stranger(asked);
    for (at, field) in asked.args().iter().enumerate() {
        // `+!command`, and `-c '!command'` or `-c ':!command'`.
        let told = field.prefix().trim_start_matches(['+', ':']);
        let skip = field.prefix().len() - told.len();
        if told.starts_with('!') {
            let script = field.tail(skip + 1);
            facts.inner.push(Inner::Script(script, EffectView::Might));
            facts.guard();
            continue;
        }
        let follows_command = at
            .checked_sub(1)
            .and_then(|before| asked.args().get(before))
            .and_then(Field::text)
            .is_some_and(|before| {
                before == "--cmd"
                    || before.starts_with('-') && !before.starts_with("--") && before.ends_with('c')
            });
        if edits && (follows_command || field.prefix().starts_with('+')) {
            written(&mut facts, field.prefix(), field.span);
            continue;
        }
        if field.may_be_option() || field.prefix().starts_with('+') {
            continue;
        }
        facts.might(field, UseKind::Read(Reach::Itself));
        if edits {
            facts.might(field, UseKind::Write(Change::Content));
        }
    }
    if let Some(text) = asked.called.input.text()
        && edits
    {
        written(&mut facts, text, asked.called.span);
    }
    Some(facts)
}

/// `w file`, `w! file`, `r file`, `e file` in an editor's command.
fn written(facts: &mut Facts, commands: &str, span: Span) {
    for command in commands.split(['|', '\n']) {
        let mut words = command.split_whitespace();
        while let Some(word) = words.next() {
            let verb = word.trim_start_matches([':', '%', ',', '.', '$', '1', '+']);
            let change = match verb.trim_end_matches('!') {
                "w" | "write" | "wq" | "sav" | "saveas" | "x" | "W" => {
                    UseKind::Write(Change::Content)
                }
                "r" | "read" | "e" | "edit" | "so" | "source" => UseKind::Read(Reach::Itself),
                _ => continue,
            };
            if let Some(file) = words.next() {
                let field = Field::made(file.trim_start_matches('>'), span);
                facts.might(&field, change);
            }
        }
    }
}
