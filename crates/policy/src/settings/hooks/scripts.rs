//! The files of a project that its hooks name as something to run: what a yes to the hooks is bound to, and what a run
//! holds its hooks to.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

use pointsman_model::{AbsPath, Digest, EffectKind, PathValue, RuleSource, Run, Word};
use pointsman_shell::{NameCase, Surroundings, analyse};
use serde::Serialize;

use super::{HookRun, HookSetting, line_with_root, quoted, with_root};
use crate::executed::{
    LineVariables, Says, build_files_named, fed, looked_up_by, named_by, with_origins,
};
use crate::settings::files::SettingsFiles;
use crate::{Executed, Role};

/// How surely a hook's line runs a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Naming {
    /// A word of it may be the file's name. It may be no file's, or that of data.
    Word,
    /// What it runs or reads as code, once the file is there.
    Runs,
}

/// What stood in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptContent {
    /// Nothing was there.
    Absent,
    /// Something that can't be read, as a folder.
    Unreadable,
    /// These bytes.
    Bytes(Digest),
}

/// The scripts that the hooks of a project's files run, as they were when the settings were read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookScripts {
    contents: BTreeMap<AbsPath, ScriptContent>,
}

impl HookScripts {
    /// Reads the scripts of those of the hooks that [a project's files](is_bound) configure.
    #[must_use]
    pub fn read<'a>(
        hooks: impl IntoIterator<Item = &'a HookSetting>,
        project: &AbsPath,
        files: &dyn SettingsFiles,
    ) -> Self {
        let mut scripts = Self::default();
        scripts.add(hooks, project, files);
        scripts
    }

    /// Adds the scripts of more hooks. One that is known stays as it was read first.
    pub(in crate::settings) fn add<'a>(
        &mut self,
        hooks: impl IntoIterator<Item = &'a HookSetting>,
        project: &AbsPath,
        files: &dyn SettingsFiles,
    ) {
        for hook in hooks.into_iter().filter(|hook| is_bound(hook)) {
            for path in named_scripts(hook, project).into_keys() {
                let entry = self.contents.entry(path);
                if let Entry::Vacant(vacant) = entry {
                    let content = ScriptContent::of(&files.read(vacant.key()));
                    vacant.insert(content);
                }
            }
        }
    }

    /// Keeps what a script was when it was read.
    pub(in crate::settings) fn keep(&mut self, path: AbsPath, content: ScriptContent) {
        self.contents.insert(path, content);
    }

    /// What stood in a script; nothing of a file that no such hook names.
    #[must_use]
    pub fn content(&self, path: &AbsPath) -> Option<ScriptContent> {
        self.contents.get(path).copied()
    }
}

impl ScriptContent {
    /// What a reading of a file came to.
    #[must_use]
    pub fn of(read: &io::Result<Option<Vec<u8>>>) -> Self {
        match read {
            Ok(Some(bytes)) => Self::Bytes(Digest::of(bytes)),
            Ok(None) => Self::Absent,
            Err(_) => Self::Unreadable,
        }
    }
}

/// Whether a hook runs the scripts of a project as they were when the run began: one that a file in the project configures,
/// where an agent that may edit there may edit the script.
#[must_use]
pub fn is_bound(hook: &HookSetting) -> bool {
    match hook.source {
        RuleSource::ProjectSettings | RuleSource::LocalSettings => true,
        RuleSource::PolicySettings
        | RuleSource::UserSettings
        | RuleSource::FlagSettings
        | RuleSource::CliArg
        | RuleSource::Command
        | RuleSource::Session => false,
    }
}

/// The files of the project that a hook names as something to run when it is started in the project's root: by their paths,
/// as what a shell or an interpreter is given, and as what says what `make` and its like do. Some may not exist.
#[must_use]
pub fn named_scripts(hook: &HookSetting, project: &AbsPath) -> BTreeMap<AbsPath, Naming> {
    let mut named = named_from(hook, project, project);
    named.retain(|path, _| is_below(path, project));
    named
}

/// The same when it is started in another folder. There it may name files outside of the project too: those count which
/// it names nowhere else, since who chooses the folder chooses them.
#[must_use]
pub fn named_scripts_in(
    hook: &HookSetting,
    project: &AbsPath,
    folder: &AbsPath,
) -> BTreeMap<AbsPath, Naming> {
    let everywhere = named_from(hook, project, project);
    let mut named = named_from(hook, project, folder);
    named.retain(|path, _| is_below(path, project) || !everywhere.contains_key(path));
    named
}

fn is_below(path: &AbsPath, project: &AbsPath) -> bool {
    path != project && path.is_within(project)
}

/// All that a hook names when it is started in a folder, wherever it lies.
fn named_from(
    hook: &HookSetting,
    project: &AbsPath,
    folder: &AbsPath,
) -> BTreeMap<AbsPath, Naming> {
    let mut scripts = Scripts {
        project,
        folder,
        named: BTreeMap::new(),
    };
    match &hook.run {
        HookRun::Shell { line } => {
            // Read twice: `"$DIR"/x` is one word without its quotes, `"a b"` is one with them.
            let unquoted = line.replace(is_quote, "");
            for word in unquoted.split(is_between_words).chain(line.split(is_quote)) {
                scripts.word(word);
            }
            scripts.line(line);
        }
        HookRun::Program { program, args } => {
            let words = std::iter::once(program).chain(args);
            let words: Vec<String> = words
                .map(|word| quoted(&with_root(word, project)))
                .collect();
            scripts.line(&words.join(" "));
            let placed = with_root(program, project);
            if placed.contains('/') {
                scripts.add(folder.join(&placed), Naming::Runs);
            }
            scripts.word(program);
            // An argument may be a line for a shell. To read others so names no file but by chance.
            for arg in args {
                scripts.word(arg);
                scripts.line(arg);
            }
        }
        HookRun::Http { .. } => {}
    }
    scripts.named
}

/// The scripts of a hook while they are looked for.
struct Scripts<'a> {
    project: &'a AbsPath,
    folder: &'a AbsPath,
    named: BTreeMap<AbsPath, Naming>,
}

impl Scripts<'_> {
    fn word(&mut self, word: &str) {
        let path = self.folder.join(&with_root(word, self.project));
        self.add(path, Naming::Word);
    }

    /// Adds what a line would run or read in the folders to which it goes. Where it goes is not always known; then it
    /// counts as run in the one it starts in.
    fn line(&mut self, line: &str) {
        let at = Surroundings {
            folder: self.folder.clone(),
            // What lies there is the person's own.
            home: self.project.join("/"),
            case: NameCase::Counts,
        };
        let effects = analyse(&line_with_root(line, self.project), &at).effects;
        let variables = LineVariables::of(&effects);
        let mut runs = fed(&effects);
        for effect in &effects.list {
            match &effect.kind {
                EffectKind::Run(run) => {
                    let folder = match &run.folder {
                        PathValue::Known(folder) => folder.clone(),
                        PathValue::Pattern { .. } | PathValue::Unknown(_) => self.folder.clone(),
                    };
                    for path in build_files_named(&folder, run) {
                        self.add(path, Naming::Runs);
                    }
                    runs.extend(self.run(&variables.seen_by(run)));
                    // Of a program that nobody knows each word may be what it runs.
                    for word in run.argv.iter().filter_map(Word::literal) {
                        self.add(folder.join(word), Naming::Word);
                    }
                }
                EffectKind::Read(used) => {
                    if let PathValue::Known(path) = &used.path {
                        self.add(path.clone(), Naming::Word);
                    }
                }
                EffectKind::Write { .. }
                | EffectKind::Connect(_)
                | EffectKind::Spawn(_)
                | EffectKind::Opaque(_) => {}
            }
        }
        for file in with_origins(runs, &effects) {
            self.add(file.path, Naming::Runs);
        }
    }

    /// Adds the files of a run, and gives those that it surely runs.
    fn run(&mut self, run: &Run) -> Vec<Executed> {
        let named = named_by(self.folder, run).unwrap_or_else(|many| many.counted);
        let named = named.into_iter().map(|file| {
            let naming = naming_of(&file, run.program());
            (file, naming)
        });
        let looked_up = looked_up_by(self.folder, run).into_iter();
        let looked_up = looked_up.map(|(file, says)| (file, naming_by(says)));
        let mut runs = Vec::new();
        for (file, naming) in named.chain(looked_up) {
            self.add(file.path.clone(), naming);
            if naming == Naming::Runs {
                runs.push(file);
            }
        }
        runs
    }

    fn add(&mut self, path: AbsPath, naming: Naming) {
        let surest = self.named.entry(path).or_insert(naming);
        *surest = naming.max(*surest);
    }
}

fn naming_of(file: &Executed, program: Option<&str>) -> Naming {
    let name = last_name(file.path.as_str());
    match (file.role, program.map(last_name)) {
        (Role::Argument, _) => Naming::Word,
        // Its plain words are what it makes.
        (Role::Code, Some("make" | "gmake"))
            if !name.to_ascii_lowercase().contains("makefile") && !name.ends_with(".mk") =>
        {
            Naming::Word
        }
        (Role::Program | Role::Code, _) => Naming::Runs,
    }
}

/// Of a file that a program looks for by itself. One that an interpreter is given is run, whatever it is called.
fn naming_by(says: Says) -> Naming {
    match says {
        Says::WhatRuns => Naming::Runs,
        Says::WhatItWorksOn => Naming::Word,
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'')
}

/// Blanks and what a shell ends a word at. A text that is no path names no file and adds nothing, so
/// that cutting too often does no harm.
fn is_between_words(char: char) -> bool {
    char.is_whitespace() || "`;&|<>()=".contains(char)
}
