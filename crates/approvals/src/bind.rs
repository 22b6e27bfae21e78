//! What a verdict is bound to (law 10): the call as bytes, where and for whom it runs, and the files
//! that it would execute or change, as they are at this moment.
//!
//! Worked out when the question is asked and again right before the call runs; if the two differ,
//! what was approved is not what would run.

mod files;

use std::collections::BTreeSet;
use std::io;

use pointsman_model::{
    AbsPath, Change, Digest, DigestBuilder, EffectKind, Effects, ExecutedCall, Lineage, PathRole,
    PathValue, Run,
};

/// Programs that run the file their first plain argument names.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "source",
    ".",
    "python",
    "python2",
    "python3",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "tclsh",
    "Rscript",
    "osascript",
    "awk",
    "gawk",
    "make",
];

/// Programs that run what a file of that name says, in the folder they work in.
const BUILD_FILES: &[(&[&str], &[&str])] = &[
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (
        &["npm", "pnpm", "yarn", "bun", "npx", "node"],
        &["package.json"],
    ),
    (&["deno"], &["deno.json", "deno.jsonc"]),
    (&["cargo"], &["Cargo.toml", "build.rs"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake"], &["Rakefile"]),
    (
        &["gradle", "gradlew"],
        &["build.gradle", "build.gradle.kts"],
    ),
    (&["mvn", "mvnw"], &["pom.xml"]),
    (&["cmake"], &["CMakeLists.txt"]),
    (&["ninja"], &["build.ninja"]),
    (&["composer"], &["composer.json"]),
    (&["tox"], &["tox.ini"]),
    (&["nox"], &["noxfile.py"]),
    (&["invoke", "inv"], &["tasks.py"]),
    (&["fab"], &["fabfile.py"]),
    (&["pre-commit"], &[".pre-commit-config.yaml"]),
];

/// The digest of a call.
///
/// Covers the tool, the input's bytes, the folder and which folder that is on the disk, the agent, its context, and of
/// each script that a run names and each file that an edit changes: its real path, and its content up to 1 MiB, else its
/// inode, size and time. Blocks on the disk.
///
/// # Errors
/// When a file is there and can't be looked at; then nothing can be bound to it and the call must not run.
pub fn bind(
    call: &ExecutedCall,
    folder: &AbsPath,
    agent: &Lineage,
    context: Digest,
    effects: &Effects,
) -> io::Result<Digest> {
    let worker = agent.agent().worker.to_string();
    let mut digest = DigestBuilder::new("what a verdict is bound to")
        .part("call", call.id.to_string().as_bytes())
        .part("tool", call.tool.as_str().as_bytes())
        .part("input", call.text.as_str().as_bytes())
        .part("folder", folder.as_str().as_bytes())
        .part("agent", worker.as_bytes())
        .part("context", context.as_bytes());
    for path in named_folders(folder, effects) {
        digest = files::folder(digest, &path)?;
    }
    for path in named_files(folder, effects) {
        digest = files::file(digest, &path)?;
    }
    Ok(digest.finish())
}

/// The files whose state [`bind`] covers, in order; some may not exist. For those who show what changed in them.
#[must_use]
pub fn bound_files(folder: &AbsPath, effects: &Effects) -> Vec<AbsPath> {
    named_files(folder, effects).into_iter().collect()
}

/// The files that runs would execute as far as their words tell, in order; some may not exist. For those who judge what
/// stands in them.
#[must_use]
pub fn executed_files(folder: &AbsPath, effects: &Effects) -> Vec<AbsPath> {
    let mut files = BTreeSet::new();
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            files.extend(scripts(folder, run));
        }
    }
    files.into_iter().collect()
}

/// The folders that anything runs in.
fn named_folders(folder: &AbsPath, effects: &Effects) -> BTreeSet<AbsPath> {
    let mut folders = BTreeSet::from([folder.clone()]);
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind
            && let PathValue::Known(folder) = &run.folder
        {
            folders.insert(folder.clone());
        }
    }
    folders
}

/// The scripts that runs name, and the files that file tools change.
fn named_files(folder: &AbsPath, effects: &Effects) -> BTreeSet<AbsPath> {
    let mut files = BTreeSet::new();
    for effect in &effects.list {
        match &effect.kind {
            EffectKind::Run(run) => files.extend(scripts(folder, run)),
            EffectKind::Write {
                target,
                change: Change::Content | Change::Remove,
            } if target.by == PathRole::Tool => {
                if let PathValue::Known(path) = &target.path {
                    files.insert(path.clone());
                }
            }
            // What is fed to a program may be what it runs: `bash < x.sh`.
            EffectKind::Read(used) if used.by == PathRole::Redirect => {
                if let PathValue::Known(path) = &used.path {
                    files.insert(path.clone());
                }
            }
            EffectKind::Write { .. }
            | EffectKind::Read(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => {}
        }
    }
    files
}

/// The files that a run executes as far as its words tell: the program when it is named by a path, and the script of
/// an interpreter.
fn scripts(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = match &run.folder {
        PathValue::Known(folder) => folder,
        PathValue::Pattern { .. } | PathValue::Unknown(_) => folder,
    };
    let Some(program) = run.program() else {
        return Vec::new();
    };
    let mut scripts = Vec::new();
    if program.contains('/') {
        scripts.push(folder.join(program));
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if INTERPRETERS.contains(&name) || INTERPRETERS.contains(&base) {
        // An option may take a value, so every plain word could be the script; one that names no file costs a look.
        let plain = run.argv.iter().skip(1).filter_map(|word| word.literal());
        scripts.extend(
            plain
                .filter(|word| !word.is_empty() && !word.starts_with('-'))
                .map(|word| folder.join(word)),
        );
    }
    let built_by = BUILD_FILES
        .iter()
        .filter(|(tools, _)| tools.contains(&base) || tools.contains(&name));
    for (_, files) in built_by {
        // A plain word may be the folder that it is told to work in.
        let words = run.argv.iter().skip(1).filter_map(|word| word.literal());
        let folders = words
            .filter(|word| !word.is_empty() && !word.starts_with('-'))
            .map(|word| folder.join(word));
        for place in std::iter::once(folder.clone()).chain(folders) {
            scripts.extend(files.iter().map(|file| place.join(file)));
        }
    }
    scripts
}

#[cfg(test)]
mod tests;
