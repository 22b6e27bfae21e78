//! Pagers, editors and converters: what they show or change, and the commands they are told to start.

use pointsman_model::{Change, EffectView, Reach};

use super::{Asked, Facts, Inner, UseKind, special};

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
            .is_some_and(|before| before.is("-c") || before.is("--cmd"));
        if edits && follows_command {
            written(&mut facts, field);
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
    Some(facts)
}

/// `w file`, `w! file`, `r file`, `e file` in an editor's command.
fn written(facts: &mut Facts, command: &crate::field::Field) {
    let mut words = command.prefix().split_whitespace();
    while let Some(word) = words.next() {
        let verb = word.trim_start_matches([':', '%', ',', '.', '$', '1']);
        let change = match verb.trim_end_matches('!') {
            "w" | "write" | "wq" | "sav" | "saveas" | "x" => UseKind::Write(Change::Content),
            "r" | "read" | "e" | "edit" | "so" | "source" => UseKind::Read(Reach::Itself),
            _ => continue,
        };
        if let Some(file) = words.next() {
            let field = crate::field::Field::made(file.trim_start_matches('>'), command.span);
            facts.might(&field, change);
        }
    }
}
