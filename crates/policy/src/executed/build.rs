//! The files that say what programs like `make` do: under their usual names, or as an option names them.

use pointsman_model::{AbsPath, Run, Word};

use super::modules::values_of;
use super::started::started;
use super::tools::{BUILD_TOOLS, BuildTool, Looks, Says};
use super::{folder_of, is_one_of};
use crate::subject::matches_name;

/// The tools that a program may be when it has these words.
fn tools<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
) -> impl Iterator<Item = &'static BuildTool> + 'w {
    BUILD_TOOLS.iter().filter(move |tool| {
        let is_verb = |word: &&str| tool.verbs.contains(word);
        let mut words = words.iter().flatten();
        is_one_of(program, tool.programs) && (tool.verbs.is_empty() || words.any(is_verb))
    })
}

/// The files that say what a program does when it works in a folder, each with what it says; none where it is no such
/// program.
pub(super) fn usual_files<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
    folder: &'w AbsPath,
) -> impl Iterator<Item = (AbsPath, Says)> + 'w {
    tools(program, words).flat_map(|tool| tool.plain_files(folder))
}

/// The patterns of such files.
pub(super) fn usual_patterns<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
) -> impl Iterator<Item = &'static str> + 'w {
    let files = tools(program, words).flat_map(|tool| tool.files);
    files.copied().filter(|file| is_pattern(file))
}

/// The files that a program looks for in a folder above its own.
pub(super) fn files_above<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
    above: &'w AbsPath,
) -> impl Iterator<Item = (AbsPath, Says)> + 'w {
    let climbing = tools(program, words).filter(|tool| tool.looks == Looks::Above);
    climbing.flat_map(|tool| tool.plain_files(above))
}

impl BuildTool {
    /// Its files in a folder that are no patterns.
    fn plain_files(&self, folder: &AbsPath) -> impl Iterator<Item = (AbsPath, Says)> {
        let files = self.files.iter().filter(|file| !is_pattern(file));
        files.map(|file| (folder.join(file), self.says))
    }
}

fn is_pattern(file: &str) -> bool {
    file.contains('*')
}

/// Whether a file is named as one that says what some program does.
pub(super) fn is_usual_file(path: &AbsPath) -> bool {
    let name = path.as_str().rsplit('/').next();
    let usual = BUILD_TOOLS.iter().flat_map(|tool| tool.files);
    let is_it = |file: &&str| match is_pattern(file) {
        true => name.is_some_and(|name| matches_name(file, name)),
        false => name == Some(*file),
    };
    usual.copied().any(|file| is_it(&file))
}

/// Whether a program does what a file says that it finds where it works.
pub(super) fn is_tool(program: &str, words: &[Option<&str>]) -> bool {
    tools(program, words).next().is_some()
}

/// The options that name the files which say what a program does.
pub(super) fn naming_options<'w>(
    program: &'w str,
    words: &'w [Option<&str>],
) -> impl Iterator<Item = &'static str> + 'w {
    tools(program, words).flat_map(|tool| tool.options).copied()
}

/// The files that a run's options name as those that say what it does. `folder` stands for the one it runs in where that
/// is not known.
pub(crate) fn build_files_named(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let Some(program) = run.program() else {
        return Vec::new();
    };
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let mut named = Vec::new();
    for (program, words) in started(program, &words) {
        let literal: Vec<&str> = words.iter().copied().flatten().collect();
        let options = naming_options(program, words);
        let names = options.flat_map(|option| values_of(option, &literal));
        named.extend(names.map(|name| folder.join(name)));
    }
    named
}
