//! The files that say what programs like `make` do: under their usual names, or as an option names them.

use pointsman_model::{AbsPath, Run};

use super::modules::values_of;
use super::{arguments, folder_of, is_one_of};

/// Programs that run what a file says.
const BUILD_TOOLS: &[BuildTool] = &[
    BuildTool {
        programs: &["make", "gmake"],
        files: &["GNUmakefile", "makefile", "Makefile"],
        options: &["-f", "--file", "--makefile"],
    },
    BuildTool {
        programs: &["npm", "pnpm", "yarn", "bun", "npx", "node", "nodejs"],
        files: &["package.json"],
        options: &[],
    },
    BuildTool {
        programs: &["deno"],
        files: &["deno.json", "deno.jsonc"],
        options: &["-c", "--config"],
    },
    BuildTool {
        programs: &["cargo"],
        files: &["Cargo.toml", "build.rs"],
        options: &["--manifest-path"],
    },
    BuildTool {
        programs: &["just"],
        files: &["justfile", "Justfile", ".justfile"],
        options: &["-f", "--justfile"],
    },
    BuildTool {
        programs: &["task"],
        files: &["Taskfile.yml", "Taskfile.yaml"],
        options: &["-t", "--taskfile"],
    },
    BuildTool {
        programs: &["rake"],
        files: &["Rakefile"],
        options: &["-f", "--rakefile"],
    },
    BuildTool {
        programs: &["gradle", "gradlew"],
        files: &["build.gradle", "build.gradle.kts"],
        options: &["-b", "--build-file", "-I", "--init-script"],
    },
    BuildTool {
        programs: &["mvn", "mvnw"],
        files: &["pom.xml"],
        options: &["-f", "--file"],
    },
    BuildTool {
        programs: &["cmake"],
        files: &["CMakeLists.txt"],
        options: &["-P", "-C"],
    },
    BuildTool {
        programs: &["ninja"],
        files: &["build.ninja"],
        options: &["-f"],
    },
    BuildTool {
        programs: &["composer"],
        files: &["composer.json"],
        options: &[],
    },
    BuildTool {
        programs: &["tox"],
        files: &["tox.ini"],
        options: &["-c", "--conf"],
    },
    BuildTool {
        programs: &["nox"],
        files: &["noxfile.py"],
        options: &["-f", "--noxfile"],
    },
    BuildTool {
        programs: &["invoke", "inv"],
        files: &["tasks.py"],
        options: &[],
    },
    BuildTool {
        programs: &["fab"],
        files: &["fabfile.py"],
        options: &[],
    },
    BuildTool {
        programs: &["pre-commit"],
        files: &[".pre-commit-config.yaml"],
        options: &["-c", "--config"],
    },
];

/// Those that look in their own folder alone.
const STAYS: &[&str] = &[
    "make", "gmake", "cmake", "ninja", "tox", "nox", "mvn", "mvnw",
];

/// A program that runs what a file says.
struct BuildTool {
    programs: &'static [&'static str],
    /// What the file is called when nothing else is said, in the folder that it works in.
    files: &'static [&'static str],
    /// What names another one.
    options: &'static [&'static str],
}

/// The tools that a program may be.
fn tools(program: &str) -> impl Iterator<Item = &'static BuildTool> {
    BUILD_TOOLS
        .iter()
        .filter(move |tool| is_one_of(program, tool.programs))
}

/// The files that say what a program does when it works in a folder; none where it is no such program.
pub(super) fn usual_files(program: &str, folder: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let files = tools(program).flat_map(|tool| tool.files);
    files.map(|file| folder.join(file))
}

/// The files that a program looks for in the folders above its own when its own has none. `make` and its like do not.
pub(super) fn files_above(program: &str, above: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let climbs = !is_one_of(program, STAYS);
    usual_files(program, above).filter(move |_| climbs)
}

/// Whether a file is named as one that says what some program does.
pub(super) fn is_usual_file(path: &AbsPath) -> bool {
    let name = path.as_str().rsplit('/').next();
    let mut usual = BUILD_TOOLS.iter().flat_map(|tool| tool.files);
    usual.any(|file| name == Some(*file))
}

/// Whether a program does what a file says that it finds where it works.
pub(super) fn is_tool(program: &str) -> bool {
    tools(program).next().is_some()
}

/// The options that name the files which say what a program does.
pub(super) fn naming_options(program: &str) -> impl Iterator<Item = &'static str> {
    tools(program).flat_map(|tool| tool.options).copied()
}

/// The files that a run's options name as those that say what it does. `folder` stands for the one it runs in where that
/// is not known.
pub(crate) fn build_files_named(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let Some(program) = run.program() else {
        return Vec::new();
    };
    let words: Vec<&str> = arguments(run).collect();
    let named = naming_options(program).flat_map(|option| values_of(option, &words));
    named.map(|name| folder.join(name)).collect()
}
