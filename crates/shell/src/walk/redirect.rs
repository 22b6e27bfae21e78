//! Redirects: what they read and write.

use pointsman_model::{
    AbsPath, Change, EffectKind, EffectView, HostName, HostUse, OpaqueWhy, PathRole, PathUse,
    PathValue, Reach, Span,
};

use super::{Feed, Input, Scene, Walker, path_in};
use crate::expand::escaped;
use crate::field::{Field, Known, Shape};
use crate::process_links::behind_process;
use crate::programs::below;
use crate::state::{Folder, State, Value};
use crate::syntax::{Redirect, RedirectKind};

impl Walker<'_> {
    /// What a redirect does; `input` becomes what it feeds.
    pub(crate) fn redirect(
        &mut self,
        scene: &Scene<'_>,
        redirect: &Redirect<'_>,
        state: &mut State,
        part: u32,
        input: &mut Input,
    ) {
        if let Some(name) = redirect.descriptor
            && !name.starts_with(|char: char| char.is_ascii_digit())
        {
            // What can't be opened sets nothing.
            let value = match state.variables.get(name) {
                Some(before) => before.clone().join(Value::Number),
                None => Value::Number,
            };
            self.set_outside(scene, name, value, state);
        }
        let feeds = redirect.descriptor.is_none_or(|number| number == "0");
        match redirect.kind {
            RedirectKind::Document => {
                let number = redirect.target.span.start as usize;
                let Some(body) = scene.documents.get(number) else {
                    return;
                };
                self.words_of(scene, std::slice::from_ref(body), state);
                if feeds {
                    *input = self.fed_text(scene, body, state, "");
                }
            }
            RedirectKind::HereString => {
                if feeds {
                    *input = self.fed_text(scene, &redirect.target, state, "\n");
                }
            }
            kind => {
                let field = self.expander(scene, state).single(&redirect.target);
                if feeds
                    && matches!(
                        kind,
                        RedirectKind::Read | RedirectKind::ReadWrite | RedirectKind::CopyIn
                    )
                {
                    // Of an open file that it copies nobody knows which it is.
                    let from = match kind {
                        RedirectKind::CopyIn if is_number(&field) => Feed::Commands,
                        _ => Feed::of(std::iter::once(&field), state),
                    };
                    *input = Input::of(from);
                }
                self.redirect_file(scene, kind, redirect.descriptor, &field, state, part);
            }
        }
    }

    fn fed_text(
        &self,
        scene: &Scene<'_>,
        word: &crate::syntax::Word<'_>,
        state: &State,
        end: &str,
    ) -> Input {
        let text = match self.expander(scene, state).value(word) {
            Value::Texts(texts) if texts.len() == 1 => {
                texts.first().map(|text| format!("{text}{end}"))
            }
            Value::Texts(_)
            | Value::Among(_)
            | Value::List(_)
            | Value::Patterns(_)
            | Value::Number
            | Value::Unknown => None,
        };
        Input::of_text(text)
    }

    fn redirect_file(
        &mut self,
        scene: &Scene<'_>,
        kind: RedirectKind,
        descriptor: Option<&str>,
        field: &Field,
        state: &State,
        part: u32,
    ) {
        let number = is_number(field);
        match kind {
            RedirectKind::CopyIn | RedirectKind::CopyOut if number => {
                if field.text().is_some_and(|text| text.ends_with('-')) {
                    // Closed or moved: which file the next one to be opened lands on is not followed.
                    let why = OpaqueWhy::UnknownConstruct;
                    self.sink
                        .opaque(part, scene.view, why, &field.source, field.span);
                }
            }
            RedirectKind::Read | RedirectKind::CopyIn => {
                self.read(
                    scene.view,
                    field,
                    PathRole::Redirect,
                    Reach::Itself,
                    state,
                    part,
                );
            }
            RedirectKind::ReadWrite => {
                self.read(
                    scene.view,
                    field,
                    PathRole::Redirect,
                    Reach::Itself,
                    state,
                    part,
                );
                self.write(
                    scene.view,
                    field,
                    PathRole::Redirect,
                    Change::Content,
                    state,
                    part,
                );
            }
            RedirectKind::CopyOut if descriptor.is_some() && field.text().is_some() => {
                // `2>&file`: Bash calls it ambiguous and runs nothing.
                self.write(
                    scene.view,
                    field,
                    PathRole::Redirect,
                    Change::Content,
                    state,
                    part,
                );
            }
            RedirectKind::Write | RedirectKind::Append | RedirectKind::CopyOut => {
                self.write(
                    scene.view,
                    field,
                    PathRole::Redirect,
                    Change::Content,
                    state,
                    part,
                );
            }
            RedirectKind::Document | RedirectKind::HereString => {}
        }
    }

    pub(crate) fn read(
        &mut self,
        view: EffectView,
        field: &Field,
        by: PathRole,
        reach: Reach,
        state: &State,
        part: u32,
    ) {
        if is_process(field) || field.text().is_some_and(is_inert) {
            return;
        }
        if self.socket(view, field, part) {
            return;
        }
        self.each_path(view, field, state, |walker, view, path| {
            // All that lies below a folder.
            let (path, reach) = match path {
                PathValue::Pattern { base, glob } if *glob == *"**" => {
                    (PathValue::Known(base), Reach::ContentBelow)
                }
                path => (path, reach),
            };
            let used = PathUse {
                path,
                by,
                reach,
                span: Some(field.span),
            };
            walker.sink.push(part, view, EffectKind::Read(used));
        });
    }

    /// A change of files below a folder that nobody names.
    pub(crate) fn write_below(
        &mut self,
        view: EffectView,
        field: &Field,
        change: Change,
        state: &State,
        part: u32,
    ) {
        let below = below(field, "**").unwrap_or_else(|| field.clone());
        self.each_path(view, &below, state, |walker, view, path| {
            let target = PathUse {
                path,
                by: PathRole::Operand,
                reach: Reach::ContentBelow,
                span: Some(field.span),
            };
            walker
                .sink
                .push(part, view, EffectKind::Write { target, change });
        });
    }

    pub(crate) fn write(
        &mut self,
        view: EffectView,
        field: &Field,
        by: PathRole,
        change: Change,
        state: &State,
        part: u32,
    ) {
        if is_process(field) || field.text().is_some_and(is_inert) || self.socket(view, field, part)
        {
            return;
        }
        self.each_path(view, field, state, |walker, view, path| {
            let target = PathUse {
                path,
                by,
                reach: Reach::Itself,
                span: Some(field.span),
            };
            walker
                .sink
                .push(part, view, EffectKind::Write { target, change });
        });
    }

    /// `/dev/tcp/host/port`, which Bash opens as a connection.
    fn socket(&mut self, view: EffectView, field: &Field, part: u32) -> bool {
        let Some(text) = field.text() else {
            return false;
        };
        let Some(rest) = text
            .strip_prefix("/dev/tcp/")
            .or_else(|| text.strip_prefix("/dev/udp/"))
        else {
            return false;
        };
        let host = rest.split('/').next().unwrap_or("");
        self.connect(view, Some(host), field, part);
        // Bytes to a port are commands to whoever listens.
        self.sink
            .opaque(part, view, OpaqueWhy::Remote, text, field.span);
        true
    }

    pub(crate) fn connect(
        &mut self,
        view: EffectView,
        host: Option<&str>,
        field: &Field,
        part: u32,
    ) {
        let used = HostUse {
            host: host.filter(|host| !host.is_empty()).map(HostName::new),
            source: field.source.as_str().into(),
            span: Some(field.span),
        };
        self.sink.push(part, view, EffectKind::Connect(used));
    }

    /// `~name/...`: the home of a user of that name, this one's or a folder beside it, if there is one.
    fn home_of_another(&self, field: &Field) -> Option<Field> {
        let Known::Unknown(_) = &field.known else {
            return None;
        };
        let word = field.source.strip_prefix('~')?;
        let (user, rest) = word.split_at(word.find('/').unwrap_or(word.len()));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let spelled = |byte: u8| plain(byte) || matches!(byte, b'/' | b'*' | b'?' | b'@' | b'+');
        if !user.starts_with(|char: char| char.is_ascii_alphabetic())
            || !user.bytes().all(plain)
            || !rest.bytes().all(spelled)
        {
            return None;
        }
        let home = match user {
            "root" => AbsPath::root().join("root"),
            _ => self.home.parent()?.join(user),
        };
        let path = format!("{home}{rest}");
        let known = if path.contains(['*', '?']) {
            Known::Glob(path.into())
        } else {
            Known::Text(path.into())
        };
        Some(Field {
            known,
            ..field.clone()
        })
    }

    /// What a word of unknown value names for sure: the folder that it begins with, or where it is taken
    /// from when the line has gone elsewhere. What follows is any name there.
    fn known_part(&self, field: &Field, state: &State) -> Vec<PathValue> {
        let Known::Unknown(unknown) = &field.known else {
            return Vec::new();
        };
        let front = match unknown.prefix.rfind('/') {
            Some(at) => unknown.prefix.get(..=at).unwrap_or(""),
            None => "",
        };
        // Here and in `./` it may be anything of the project, as any word may.
        if matches!(front, "" | "./") && state.folder() == Some(self.start) {
            return Vec::new();
        }
        let name = unknown.prefix.get(front.len()..).unwrap_or("");
        let folder = Field {
            known: Known::Text(if front.is_empty() { "." } else { front }.into()),
            ..field.clone()
        };
        let glob: Box<str> = format!("{}*{}", escaped(name), behind(&field.source)).into();
        paths(&folder, state)
            .into_iter()
            .filter_map(|path| match path {
                PathValue::Known(base) => Some(PathValue::Pattern {
                    base,
                    glob: glob.clone(),
                }),
                PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
            })
            .collect()
    }

    /// Each path that the field may stand for: in the likely folder as sure as `view`, in the folders
    /// of ways that go wrong as a possibility.
    fn each_path(
        &mut self,
        view: EffectView,
        field: &Field,
        state: &State,
        mut push: impl FnMut(&mut Self, EffectView, PathValue),
    ) {
        if let Some(home) = self.home_of_another(field) {
            for path in paths(&home, state) {
                push(self, EffectView::Might, path);
            }
        }
        if let Some(below) = field.text().and_then(|text| text.strip_prefix("~/")) {
            // Many a program undoes it itself.
            let path = PathValue::Known(self.home.join(below));
            push(self, EffectView::Might, path);
        }
        for path in self.known_part(field, state) {
            push(self, EffectView::Might, path);
        }
        for (number, path) in paths(field, state).into_iter().enumerate() {
            let view = if number == 0 { view } else { EffectView::Might };
            for behind in state.behind_links(&path) {
                push(self, EffectView::Might, PathValue::Known(behind));
            }
            // The shell itself takes names away; what it starts goes up from where they lead.
            let view = match way(field, &path, state) {
                Some(way) => {
                    push(self, view, way);
                    EffectView::Might
                }
                None => view,
            };
            push(self, view, path);
        }
    }
}

/// A path that goes up from a name, as the way that it is.
fn way(field: &Field, path: &PathValue, state: &State) -> Option<PathValue> {
    let (Known::Text(text), PathValue::Known(_)) = (&field.known, path) else {
        return None;
    };
    let mut names = text
        .split('/')
        .skip_while(|name| matches!(*name, "" | "." | ".."));
    if !names.any(|name| name == "..") {
        return None;
    }
    let base = if text.starts_with('/') {
        AbsPath::root()
    } else {
        state.folder()?.clone()
    };
    let way = PathValue::Pattern {
        base,
        glob: text.trim_start_matches('/').into(),
    };
    way.way().is_some().then_some(way)
}

/// The paths that a field may stand for, the likely one first.
pub(crate) fn paths(field: &Field, state: &State) -> Vec<PathValue> {
    let unknown = || PathValue::Unknown(field.source.as_str().into());
    let mut found: Vec<PathValue> = Vec::with_capacity(1);
    for folder in state.folders.iter() {
        let path = match &field.known {
            Known::Text(text) => path_in(folder, text)
                .and_then(|path| behind_process(path, folder.known()))
                .map(PathValue::Known),
            Known::Glob(pattern) => glob_in(folder, pattern),
            Known::Unknown(_) => None,
        };
        let path = path.unwrap_or_else(unknown);
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn glob_in(folder: &Folder, pattern: &str) -> Option<PathValue> {
    let first = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
    let cut = pattern
        .get(..first)
        .and_then(|front| front.rfind('/'))
        .map_or(0, |at| at + 1);
    let (front, glob) = pattern.split_at(cut);
    if glob.split('/').any(|segment| segment == "..") {
        return None;
    }
    Some(PathValue::Pattern {
        base: behind_process(path_in(folder, front)?, folder.known())?,
        glob: glob.into(),
    })
}

/// What a word goes on with behind its last expansion, when that is more of a path.
fn behind(source: &str) -> &str {
    let plain = source.trim_matches('"');
    let from = plain.rfind('$').map_or(plain.len(), |at| at + 1);
    let last = plain.get(from..).unwrap_or("");
    let rest = match last.chars().next() {
        Some('{') => last.split_once('}').map_or("", |(_, rest)| rest),
        Some('(') => last.rsplit_once(')').map_or("", |(_, rest)| rest),
        _ => last.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_'),
    };
    let spelled = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-*?".contains(&byte);
    if rest.starts_with('/') && rest.bytes().all(spelled) && !rest.contains("..") {
        rest.trim_end_matches('/')
    } else {
        ""
    }
}

/// Whether the field is the number of an open file, perhaps to be closed.
fn is_number(field: &Field) -> bool {
    matches!(&field.known, Known::Unknown(unknown) if unknown.shape == Shape::Number)
        || field.text().is_some_and(|text| {
            text.trim_end_matches('-')
                .bytes()
                .all(|b| b.is_ascii_digit())
        })
}

/// Places that hold nothing and keep nothing.
fn is_inert(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/zero" | "/dev/full"
    ) || ["/dev/fd/", "/proc/self/fd/"].iter().any(|open| {
        // The redirect that opened it was looked at.
        path.strip_prefix(open)
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn is_process(field: &Field) -> bool {
    matches!(&field.known, Known::Unknown(unknown) if unknown.shape == Shape::Process)
}

/// The span of a field list.
pub(crate) fn span_of(fields: &[Field]) -> Span {
    let start = fields.first().map_or(0, |field| field.span.start);
    let end = fields.last().map_or(0, |field| field.span.end);
    Span { start, end }
}
