//! The files that the words and variables of a run name, as far as a program runs what they name.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, AssignmentWeight, Run, Word};

use super::runners::Given;
use super::tools::Says;
use super::{
    Executed, FILES_MAX, INTERPRETERS, Role, Spelling, build, is_one_of, named, names_in, runners,
    script,
};

/// So many names in code that stands in a word are looked for, each in some places. Longer code is a script's size.
const NAMES_IN_CODE_MAX: usize = 1 << 10;

/// So many folders above the one it runs in are looked at.
const ABOVE_MAX: usize = 32;

/// The files that say what a program does that looks for them where it works, each with what it says.
pub(super) fn found_by_tool(
    program: &str,
    folder: &AbsPath,
    words: &[Option<&str>],
) -> Vec<(Executed, Says)> {
    let mut files = Vec::new();
    // What climbs to the file of a project finds it above.
    let above = std::iter::successors(folder.parent(), AbsPath::parent).take(ABOVE_MAX);
    for place in above {
        let found = build::files_above(program, words, &place);
        files.extend(found.map(|(path, says)| {
            let file = Executed {
                path,
                role: Role::Code,
                spelling: Spelling::LookedUp,
            };
            (file, says)
        }));
    }
    // A plain word may be the folder that it is told to work in.
    let folders = words.iter().flatten().flat_map(|word| names_in(word));
    let folders = folders.map(|name| folder.join(name));
    for place in std::iter::once(folder.clone()).chain(folders) {
        let found = build::usual_files(program, words, &place);
        files.extend(found.map(|(path, says)| (named(path, Role::Code), says)));
    }
    files
}

/// The files that a program is given to run.
pub(super) fn given_to_runner(
    program: &str,
    folder: &AbsPath,
    words: &[Option<&str>],
) -> Vec<Executed> {
    let mut files = Vec::new();
    for given in runners::given(program, words) {
        match given {
            Given::File(name) => files.push(named(folder.join(name), Role::Code)),
            Given::Argument(word) => {
                let names = names_in(word).map(|name| folder.join(name));
                files.extend(names.map(|path| named(path, Role::Argument)));
            }
            Given::Text(text) => {
                let paths = told_by_text(text).map(|name| folder.join(name));
                files.extend(paths.map(|path| named(path, Role::Argument)));
            }
            Given::Unknown => {}
        }
    }
    files
}

/// The files that code or a command in a word of a program names, which may do anything with them.
pub(super) fn named_in_code(
    program: &str,
    folder: &AbsPath,
    words: &[Option<&str>],
) -> BTreeSet<AbsPath> {
    let mut files = BTreeSet::new();
    if INTERPRETERS.iter().any(|it| is_one_of(program, it)) {
        let code = words.iter().take(script::code_words(program, words));
        let told = code.flatten().flat_map(|word| told_by_code(word));
        files.extend(told.map(|name| folder.join(&name)).take(FILES_MAX));
    }
    for given in runners::given(program, words) {
        // A single name is what it works on.
        if let Given::Text(text) = given
            && text.contains(char::is_whitespace)
        {
            files.extend(told_by_text(text).map(|name| folder.join(name)));
        }
    }
    files
}

/// The files that the words of an interpreter name. An option may take a value, so every plain word could be the script,
/// up to one that surely is; one that names no file costs a look.
pub(super) fn given_to_interpreter(
    program: &str,
    folder: &AbsPath,
    run: &Run,
    assigned: &[(&str, String)],
) -> Vec<Executed> {
    let looked_up = |path| Executed {
        path,
        role: Role::Code,
        spelling: Spelling::LookedUp,
    };
    let all: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let code = script::code_words(program, &all);
    let on_path: BTreeSet<&str> = assigned
        .iter()
        .filter(|(name, _)| *name == "PATH")
        .map(|(_, piece)| &**piece)
        .collect();
    let mut files = Vec::new();
    for (at, word) in all.iter().enumerate() {
        let Some(word) = word else { continue };
        // Whoever asked for them counts them.
        if files.len() > FILES_MAX {
            return files;
        }
        let role = match at < code {
            true => Role::Code,
            false => Role::Argument,
        };
        files.extend(names_in(word).map(|name| named(folder.join(name), role)));
        if role == Role::Code {
            let behind = script::behind(program, word).map(|name| folder.join(&name));
            files.extend(behind.map(looked_up));
            // Shells look for a script where programs are looked for, too.
            let places = on_path.iter().filter(|_| !word.contains('/'));
            let places = places.map(|piece| folder.join(piece).join(word));
            files.extend(places.take(FILES_MAX).map(looked_up));
            let told = told_by_code(word).map(|name| folder.join(&name));
            files.extend(told.map(|path| named(path, Role::Argument)));
        }
    }
    files
}

/// The files that variables name which say in words what runs (`GIT_SSH_COMMAND`, `NODE_OPTIONS`).
pub(super) fn told_by_variables(folder: &AbsPath, run: &Run) -> Vec<Executed> {
    let changing = run.assignments.iter();
    let changing = changing.filter(|it| it.weight == AssignmentWeight::ChangesWhatRuns);
    let texts = changing.filter_map(|it| it.value.literal());
    let words = texts.flat_map(str::split_whitespace);
    let names = words.flat_map(names_in);
    let with_ending =
        |name: &str| ["", ".js", ".cjs", ".mjs", "/index.js"].map(|end| format!("{name}{end}"));
    names
        .flat_map(with_ending)
        .map(|name| named(folder.join(&name), Role::Argument))
        .collect()
}

/// What a command in a word may name.
fn told_by_text(text: &str) -> impl Iterator<Item = &str> {
    let is_apart =
        |sign: char| sign.is_whitespace() || matches!(sign, '\'' | '"' | ';' | ',' | '(' | ')');
    let names = text.split(is_apart).filter(|name| !name.is_empty());
    names.take(NAMES_IN_CODE_MAX)
}

/// What code in a word may load: each name in it, as a file and as a module. Most name nothing.
fn told_by_code(word: &str) -> impl Iterator<Item = String> {
    let is_code = word.contains([' ', '(', '\n']);
    let is_apart = |sign: char| !sign.is_alphanumeric() && !matches!(sign, '_' | '-' | '.' | '/');
    let names = word
        .split(is_apart)
        .filter(|name| is_code && !name.is_empty());
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().take(NAMES_IN_CODE_MAX).flat_map(|name| {
        let module = name.replace('.', "/");
        let endings = [".py", "/__init__.py", ".js", ".rb", ".pm"];
        let modules = endings.map(|ending| format!("{module}{ending}"));
        let beside = [".js", ".rb"].map(|ending| format!("{name}{ending}"));
        modules.into_iter().chain(beside).chain([name.to_owned()])
    })
}
