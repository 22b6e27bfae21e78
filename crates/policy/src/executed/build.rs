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
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["npm", "pnpm", "yarn", "bun", "npx", "node", "nodejs"],
        files: &["package.json"],
        options: &[],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["deno"],
        files: &["deno.json", "deno.jsonc"],
        options: &["-c", "--config"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["cargo"],
        files: &["Cargo.toml", "build.rs"],
        options: &["--manifest-path"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["just"],
        files: &["justfile", "Justfile", ".justfile"],
        options: &["-f", "--justfile"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["task"],
        files: &["Taskfile.yml", "Taskfile.yaml"],
        options: &["-t", "--taskfile"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["rake"],
        files: &["Rakefile"],
        options: &["-f", "--rakefile"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["gradle", "gradlew"],
        files: &["build.gradle", "build.gradle.kts"],
        options: &["-b", "--build-file", "-I", "--init-script"],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["mvn", "mvnw"],
        files: &["pom.xml"],
        options: &["-f", "--file"],
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["cmake"],
        files: &["CMakeLists.txt"],
        options: &["-P", "-C"],
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["ninja"],
        files: &["build.ninja"],
        options: &["-f"],
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["composer"],
        files: &["composer.json"],
        options: &[],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["tox"],
        files: &["tox.ini"],
        options: &["-c", "--conf"],
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["nox"],
        files: &["noxfile.py"],
        options: &["-f", "--noxfile"],
        looks: Looks::Here,
    },
    BuildTool {
        programs: &["invoke", "inv"],
        files: &["tasks.py"],
        options: &[],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["fab"],
        files: &["fabfile.py"],
        options: &[],
        looks: Looks::Above,
    },
    BuildTool {
        programs: &["pre-commit"],
        files: &[".pre-commit-config.yaml"],
        options: &["-c", "--config"],
        looks: Looks::Above,
    },
];

/// A program that runs what a file says.
struct BuildTool {
    programs: &'static [&'static str],
    /// What the file is called when nothing else is said, in the folder that it works in.
    files: &'static [&'static str],
    /// What names another one.
    options: &'static [&'static str],
    looks: Looks,
}

/// Where a program looks for its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// In its own folder alone.
    Here,
    /// In the folders above, too, when its own has none.
    Above,
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

/// The files that a program looks for in a folder above its own.
pub(super) fn files_above(program: &str, above: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let climbing = tools(program).filter(|tool| tool.looks == Looks::Above);
    let files = climbing.flat_map(|tool| tool.files);
    files.map(|file| above.join(file))
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
