//! The analysis as text: one line an effect, for tests and for people who look at the analyser.

use std::fmt;

use pointsman_model::{
    Change, Effect, EffectKind, EffectView, PathRole, PathUse, PathValue, Reach, Run, RunNature,
    WordValue,
};

use crate::analysis::Analysis;

impl fmt::Display for Analysis {
    /// One line an effect: the part's number, `?` for what only might be, `~` for what is worked out, and the effect. Folders
    /// of runs are left out where they are the first run's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self
            .effects
            .list
            .iter()
            .find_map(|effect| match &effect.kind {
                EffectKind::Run(run) => Some(&run.folder),
                _ => None,
            });
        for effect in &self.effects.list {
            line(f, effect, first)?;
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, effect: &Effect, first: Option<&PathValue>) -> fmt::Result {
    let view = match effect.view {
        EffectView::Sure => " ",
        EffectView::Might => "?",
        EffectView::Inferred => "~",
        EffectView::Guessed => "*",
    };
    write!(f, "{}{view}", effect.part)?;
    match &effect.kind {
        EffectKind::Run(run) => write_run(f, run, first),
        EffectKind::Read(used) => writeln!(f, "read {}", Shown(used)),
        EffectKind::Write { target, change } => {
            let verb = match change {
                Change::Content => "write",
                Change::Remove => "remove",
                Change::Attributes => "alter",
            };
            writeln!(f, "{verb} {}", Shown(target))
        }
        EffectKind::Connect(host) => match &host.host {
            Some(name) => writeln!(f, "connect {}", name.as_str()),
            None => writeln!(f, "connect to something"),
        },
        EffectKind::Spawn(spawn) => writeln!(f, "spawn {:?}", spawn.agent),
        EffectKind::Opaque(opaque) => writeln!(f, "opaque {:?} {:?}", opaque.why, opaque.text),
    }
}

fn write_run(f: &mut fmt::Formatter<'_>, run: &Run, first: Option<&PathValue>) -> fmt::Result {
    f.write_str(match run.nature {
        RunNature::KnownReader => "reader",
        RunNature::FileCommand => "files",
        RunNature::Program => "run",
        RunNature::InlineCode => "code",
        RunNature::Wrapper => "wrapper",
        RunNature::PlainWrapper => "plain",
    })?;
    for assignment in &run.assignments {
        write!(f, " {}=", assignment.name)?;
        write_word(f, &assignment.value.value)?;
    }
    for word in &run.argv {
        f.write_str(" ")?;
        write_word(f, &word.value)?;
    }
    if let Some(words) = &run.canonical {
        f.write_str(" as")?;
        for word in words {
            f.write_str(" ")?;
            write_word(f, &word.value)?;
        }
    }
    if Some(&run.folder) != first {
        write!(f, " in {}", Folder(&run.folder))?;
    }
    for risk in &run.risks {
        write!(f, " !{:?}", risk.tag)?;
    }
    f.write_str("\n")
}

fn write_word(f: &mut fmt::Formatter<'_>, value: &WordValue) -> fmt::Result {
    match value {
        WordValue::Literal(text) => {
            let plain = !text.is_empty()
                && text
                    .chars()
                    .all(|char| char.is_alphanumeric() || "-_./:=,@%+{}[]()!&|;~^#".contains(char));
            if plain {
                f.write_str(text)
            } else {
                write!(f, "{text:?}")
            }
        }
        WordValue::Glob(pattern) => write!(f, "<{pattern}>"),
        WordValue::Unknown => f.write_str("<?>"),
    }
}

struct Folder<'v>(&'v PathValue);

impl fmt::Display for Folder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            PathValue::Known(path) => write!(f, "{path}"),
            PathValue::Pattern { base, glob } => write!(f, "{base} <{glob}>"),
            PathValue::Unknown(source) => write!(f, "<{source}>"),
        }
    }
}

struct Shown<'u>(&'u PathUse);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Folder(&self.0.path))?;
        f.write_str(match self.0.reach {
            Reach::Itself => "",
            Reach::NamesBelow => " names below",
            Reach::ContentBelow => " content below",
            Reach::TrackedBelow => " tracked content below",
            Reach::Tracked => " tracked content",
        })?;
        f.write_str(match self.0.by {
            PathRole::Tool | PathRole::Operand => "",
            PathRole::Redirect => " by redirect",
        })
    }
}
