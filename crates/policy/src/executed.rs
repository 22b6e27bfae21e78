//! Which files a command line would execute, as far as its words tell: what an answer, a classifier and a project's trust
//! have to look at beside the line itself. The files need not exist.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, EffectKind, Effects, PathValue, Run};

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

/// The files that runs would execute as far as their words tell, in order; some may not exist. For those who judge what
/// stands in them.
#[must_use]
pub fn executed_files(folder: &AbsPath, effects: &Effects) -> Vec<AbsPath> {
    let mut files = BTreeSet::new();
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            files.extend(executed_by(folder, run));
        }
    }
    files.into_iter().collect()
}

/// The files that a run executes as far as its words tell: the program when it is named by a path, and the script of
/// an interpreter; some may not exist. `folder` stands for the one it runs in where that is not known.
#[must_use]
pub fn executed_by(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
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
