//! Paths as file tools take them.

use pointsman_model::{
    AbsPath, EffectKind, GlobInput, GrepInput, PathRole, PathUse, PathValue, Reach,
};
use pointsman_shell::{Surroundings, behind_process};

use super::List;

/// Where a path of a file tool leads: absolute, from home (`~/`), or from the agent's folder. `None` for spellings of
/// other systems (`C:\x`, `\\server\x`), which lead nowhere here, and for what another process has open.
#[must_use]
pub fn resolve_path(text: &str, at: &Surroundings) -> Option<AbsPath> {
    let drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if drive || text.contains(['\\', '\0']) {
        return None;
    }
    let path = match text.strip_prefix("~/") {
        Some(rest) => at.home.join(rest.trim_start_matches('/')),
        None if text == "~" => at.home.clone(),
        None => at.folder.join(text),
    };
    behind_process(path, Some(&at.folder))
}

pub(super) fn path_value(text: &str, at: &Surroundings) -> PathValue {
    match resolve_path(text, at) {
        Some(path) => PathValue::Known(path),
        None => PathValue::Unknown(text.into()),
    }
}

impl List {
    /// A search for names: it looks at all names below the folder that its pattern begins in.
    pub(super) fn glob(&mut self, glob: &GlobInput, at: &Surroundings) {
        let folder = glob.path.as_deref().unwrap_or(".");
        let used = self.tool_path(folder, Reach::NamesBelow, at);
        self.hidden(&glob.pattern);
        for pattern in alternatives(&glob.pattern) {
            let mut used = used.clone();
            if let PathValue::Known(base) = &used.path {
                used.path = begin(base, &pattern, at);
            }
            self.sure(EffectKind::Read(used));
        }
    }

    /// A search in files: in all below its folder, or in those with names of its pattern.
    pub(super) fn grep(&mut self, grep: &GrepInput, at: &Surroundings) {
        let folder = grep.path.as_deref().unwrap_or(".");
        let names: Option<Vec<String>> = grep.glob.as_deref().and_then(|glob| {
            let names = alternatives(glob).into_iter().map(|pattern| {
                let name = pattern.strip_prefix("**/").unwrap_or(&pattern);
                let plain = !name.is_empty() && !name.contains(['/', '{', '!', '\\']);
                plain.then(|| name.to_owned())
            });
            names.collect()
        });
        let used = match &names {
            Some(_) => self.tool_path(folder, Reach::Itself, at),
            None => self.tool_path(folder, Reach::ContentBelow, at),
        };
        for name in names.into_iter().flatten() {
            let mut below = used.clone();
            if let PathValue::Known(base) = &used.path {
                below.path = PathValue::Pattern {
                    base: base.clone(),
                    glob: format!("**/{name}").into(),
                };
            }
            self.sure(EffectKind::Read(below));
        }
        self.sure(EffectKind::Read(used));
    }

    /// A file that the call might read, for tools that don't say.
    pub(super) fn might_read(&mut self, path: &str, at: &Surroundings) {
        let used = used(path, at);
        self.might(EffectKind::Read(used));
    }

    /// A file that the call might change, for tools that don't say.
    pub(super) fn might_write(&mut self, path: &str, at: &Surroundings) {
        self.might(EffectKind::Write {
            target: used(path, at),
            change: pointsman_model::Change::Content,
        });
    }
}

fn used(path: &str, at: &Surroundings) -> PathUse {
    PathUse {
        path: path_value(path, at),
        by: PathRole::Tool,
        reach: Reach::Itself,
        span: None,
    }
}

/// Patterns that braces may stand for; one with more of them is taken as it is, and leads anywhere.
const ALTERNATIVES_MAX: usize = 32;

/// The patterns that one with braces stands for.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let inner = next.find('}').and_then(|end| {
            let start = next.get(..end)?.rfind('{')?;
            Some((start, end))
        });
        let Some((start, end)) = inner else {
            done.push(next);
            continue;
        };
        let (front, back) = (next.get(..start).unwrap_or(""), next.get(end + 1..));
        for choice in next.get(start + 1..end).unwrap_or("").split(',') {
            open.push(format!("{front}{choice}{}", back.unwrap_or("")));
        }
        if open.len() + done.len() > ALTERNATIVES_MAX {
            return vec![format!("*/../{pattern}")];
        }
    }
    done.reverse();
    done
}

/// The folder that a pattern is looked up in: its own beginning may lead elsewhere.
fn begin(base: &AbsPath, pattern: &str, at: &Surroundings) -> PathValue {
    let segments: Vec<&str> = pattern.split('/').collect();
    let literal = segments
        .iter()
        .take_while(|segment| !segment.contains(['*', '?', '[', '{']))
        .count();
    let rest = segments.get(literal..).unwrap_or(&[]);
    if rest.contains(&"..") || (rest.is_empty() && segments.is_empty()) {
        return PathValue::Unknown(pattern.into());
    }
    // A pattern without a wildcard names one file; its folder is what is looked at, or what it leads to.
    let literal = match segments.last() {
        Some(&"..") => literal,
        _ => literal.min(segments.len().saturating_sub(1)),
    };
    let start = segments.get(..literal).unwrap_or(&[]).join("/");
    if pattern.starts_with('/') {
        return path_value(&format!("/{start}"), at);
    }
    match start.strip_prefix('~') {
        Some(_) => path_value(&start, at),
        None => PathValue::Known(base.join(&start)),
    }
}
