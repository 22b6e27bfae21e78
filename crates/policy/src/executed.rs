//! Which files a command line would execute, as far as its words tell: what an answer, a classifier and a project's trust
//! have to look at beside the line itself. The files need not exist.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, EffectKind, Effects, PathValue, Run, RunNature};

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
    "make",
    "gmake",
];

/// Programs that run the file an option names; their plain words are data.
const OPTION_INTERPRETERS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq"];

/// Interpreters that find code by a name that is no path: behind which options, and what they make of the name.
const MODULES: &[Modules] = &[
    Modules {
        programs: &["python", "python2", "python3"],
        options: &["-m"],
        between: ".",
        endings: &[".py", "/__main__.py", "/__init__.py"],
    },
    Modules {
        programs: &["perl"],
        options: &["-M", "-m"],
        between: "::",
        endings: &[".pm"],
    },
    Modules {
        programs: &["ruby"],
        options: &["-r"],
        between: "/",
        endings: &[".rb"],
    },
    Modules {
        programs: &["node", "bun"],
        options: &["-r", "--require", "--import", "--loader"],
        between: "/",
        endings: &[".js", ".cjs", ".mjs"],
    },
];

/// Variables whose files are run or loaded by whatever starts.
const STARTED_FIRST: &[&str] = &["BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"];

/// How an interpreter finds code by name.
struct Modules {
    programs: &'static [&'static str],
    /// What stands in front of the name, as a word of its own or with it in one.
    options: &'static [&'static str],
    /// What stands between the parts of a name.
    between: &'static str,
    /// What a part becomes as a file.
    endings: &'static [&'static str],
}

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

/// Of [`executed_files`] the programs that are started alone, and that nothing reads as code: what may well be no text.
#[must_use]
pub fn started_files(folder: &AbsPath, effects: &Effects) -> BTreeSet<AbsPath> {
    let (mut started, mut code) = (BTreeSet::new(), BTreeSet::new());
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            started.extend(started_by(folder, run));
            code.extend(code_of(folder, run));
        }
    }
    started.retain(|path| !code.contains(path));
    started
}

/// The files that a run executes as far as its words tell: the program when it is named by a path or found in a folder
/// that the line puts into `PATH`, the script of an interpreter, the code that it loads by name, what its variables name;
/// some may not exist. `folder` stands for the one it runs in where that is not known.
#[must_use]
pub fn executed_by(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let mut files = started_by(folder, run);
    files.extend(code_of(folder, run));
    files
}

/// The program of a run, where a path or a folder that the line puts into `PATH` tells which file it is.
fn started_by(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let Some(program) = run.program() else {
        return Vec::new();
    };
    let mut files = Vec::new();
    if program.contains('/') {
        files.push(folder.join(program));
    }
    let places = assigned(run).filter(|(name, _)| *name == "PATH");
    files.extend(places.map(|(_, place)| folder.join(place).join(program)));
    files
}

/// What the program of a run reads as code, and what is loaded into it.
fn code_of(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let Some(program) = run.program() else {
        return Vec::new();
    };
    let first = assigned(run).filter(|(name, _)| STARTED_FIRST.contains(name));
    let mut files: Vec<AbsPath> = first.map(|(_, piece)| folder.join(piece)).collect();
    let name = program.rsplit('/').next().unwrap_or(program);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_one_of = |programs: &[&str]| programs.contains(&name) || programs.contains(&base);
    let words: Vec<&str> = arguments(run).collect();
    if is_one_of(INTERPRETERS) {
        // An option may take a value, so every plain word could be the script; one that names no file costs a look.
        let named = words.iter().flat_map(|word| names_in(word));
        files.extend(named.map(|name| folder.join(name)));
    }
    if is_one_of(OPTION_INTERPRETERS) {
        files.extend(behind_options(&words).map(|name| folder.join(name)));
    }
    for modules in MODULES.iter().filter(|modules| is_one_of(modules.programs)) {
        files.extend(modules.files(folder, &words));
    }
    for (_, built_by) in BUILD_FILES.iter().filter(|(tools, _)| is_one_of(tools)) {
        // A plain word may be the folder that it is told to work in.
        let named = words.iter().flat_map(|word| names_in(word));
        let folders = named.map(|name| folder.join(name));
        for place in std::iter::once(folder.clone()).chain(folders) {
            files.extend(built_by.iter().map(|file| place.join(file)));
        }
    }
    files
}

/// The paths that the words and variables of a run may name where nobody knows what the program does with them: it may
/// well run them. Most name nothing.
#[must_use]
pub fn handed_to(folder: &AbsPath, run: &Run) -> Vec<AbsPath> {
    let folder = folder_of(folder, run);
    let mut paths: Vec<AbsPath> = assigned(run).map(|(_, piece)| folder.join(piece)).collect();
    match run.nature {
        RunNature::Program | RunNature::InlineCode | RunNature::Wrapper => {
            let named = arguments(run).flat_map(names_in);
            paths.extend(named.map(|name| folder.join(name)));
        }
        // What they do with what they are given stands beside them.
        RunNature::KnownReader | RunNature::FileCommand | RunNature::PlainWrapper => {}
    }
    paths
}

/// The variables that are set for a run, once for each part of a list.
fn assigned(run: &Run) -> impl Iterator<Item = (&str, &str)> {
    run.assignments.iter().flat_map(|assignment| {
        let value = &assignment.value;
        // Of `.:$PATH` the dot is known.
        let value = value.literal().unwrap_or(&value.source);
        let pieces = value.split(':').filter(|piece| is_plain(piece));
        pieces.map(|piece| (&*assignment.name, piece))
    })
}

fn folder_of<'a>(folder: &'a AbsPath, run: &'a Run) -> &'a AbsPath {
    match &run.folder {
        PathValue::Known(folder) => folder,
        PathValue::Pattern { .. } | PathValue::Unknown(_) => folder,
    }
}

fn arguments(run: &Run) -> impl Iterator<Item = &str> {
    run.argv.iter().skip(1).filter_map(|word| word.literal())
}

/// What a word may name: itself, what stands behind its `=`, and what an option of one letter has joined to it.
fn names_in(word: &str) -> impl Iterator<Item = &str> {
    let plain = (!word.starts_with('-')).then_some(word);
    let value = word.split_once('=').map(|(_, value)| value);
    [plain, value, joined(word)]
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
}

/// The value in `-fvalue`.
fn joined(word: &str) -> Option<&str> {
    let mut letters = word.strip_prefix('-')?.chars();
    letters.next().filter(|letter| *letter != '-')?;
    Some(letters.as_str())
}

/// What options are given: the word behind each, what stands behind a `=`, and what is joined to a letter; behind an `f`
/// also in a bundle (`sed -nfscript`).
fn behind_options<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let is_option = |word: &&str| word.starts_with('-');
    let next = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(move |(option, _)| is_option(option))
        .map(|(_, next)| *next);
    let inside = words.iter().copied().filter(move |word| is_option(word));
    let inside = inside.flat_map(|word| {
        let bundled = joined(word).and_then(|letters| letters.split_once('f'));
        names_in(word).chain(bundled.map(|(_, value)| value))
    });
    let named: Vec<&str> = next.chain(inside).filter(|name| !name.is_empty()).collect();
    named.into_iter()
}

/// Whether a piece of a value stands for itself, so that it can be a path.
fn is_plain(piece: &str) -> bool {
    !piece.is_empty() && !piece.contains(['$', '`', '\'', '"', '\\', '*', '?', '['])
}

impl Modules {
    /// The files that the names behind its options stand for: in the folder, and in those that `-I` adds.
    fn files(&self, folder: &AbsPath, words: &[&str]) -> Vec<AbsPath> {
        let behind = |option: &'static str| {
            let next = words.iter().zip(words.iter().skip(1));
            let next = next.filter(move |(word, _)| **word == option);
            let joined = words.iter().filter_map(move |word| {
                let rest = word.strip_prefix(option)?;
                Some(rest.strip_prefix('=').unwrap_or(rest))
            });
            next.map(|(_, name)| *name).chain(joined)
        };
        let mut places = vec![folder.clone()];
        places.extend(
            behind("-I")
                .filter(|p| !p.is_empty())
                .map(|p| folder.join(p)),
        );
        let names = self.options.iter().flat_map(|option| behind(option));
        let mut files = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            // `-MList::Util=first` names what it takes of it.
            let name = name.split('=').next().unwrap_or(name);
            // Python runs the code of each package on the way to a module.
            let parts: Vec<&str> = name.split(self.between).collect();
            for depth in 1..=parts.len() {
                let path = parts
                    .iter()
                    .take(depth)
                    .copied()
                    .collect::<Vec<_>>()
                    .join("/");
                for place in &places {
                    let files_of = self
                        .endings
                        .iter()
                        .map(|end| place.join(&format!("{path}{end}")));
                    files.extend(files_of);
                }
            }
        }
        files
    }
}
