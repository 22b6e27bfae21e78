//! Programs that make what a line may run behind them: compilers, and those that run them for a whole project.

use pointsman_model::{AbsPath, Run, Word};

use super::started::started;
use super::{Role, build, is_one_of};
use crate::subject::KnownPath;
use crate::{EntryKind, Tree};

/// Programs that build, by what they are told; all of what they do where nothing stands.
const BUILDERS: &[(&[&str], &[&str])] = &[
    (
        &[
            "gcc",
            "gcc-",
            "cc",
            "g++",
            "g++-",
            "c++",
            "clang",
            "clang-",
            "clang++",
            "clang++-",
            "rustc",
            "javac",
            "kotlinc",
            "scalac",
            "ghc",
            "ocamlc",
            "ocamlopt",
            "ocamlfind",
            "swiftc",
            "nvcc",
            "gfortran",
            "fpc",
            "dmd",
            "ldc",
            "ld",
            "as",
        ],
        &[],
    ),
    (
        &[
            "tsc", "esbuild", "webpack", "rollup", "vite", "swc", "babel", "parcel", "tsup", "next",
        ],
        &[],
    ),
    (
        &[
            "make", "gmake", "ninja", "scons", "mvn", "mvnw", "gradle", "gradlew", "ant", "sbt",
            "just",
        ],
        &[],
    ),
    (&["cmake"], &["--build", "--install"]),
    (&["meson"], &["compile", "install"]),
    (
        &["cargo"],
        &["build", "b", "rustc", "test", "t", "run", "r", "bench"],
    ),
    (&["go"], &["build", "install"]),
    (&["zig"], &["build", "build-exe"]),
    (&["nim"], &["c", "cpp", "compile"]),
    (
        &[
            "crystal", "dart", "stack", "cabal", "dune", "bazel", "swift",
        ],
        &["build", "compile"],
    ),
    (&["dotnet", "msbuild"], &["build", "publish"]),
    (
        &["npm", "pnpm", "yarn", "bun", "deno"],
        &["run", "run-script", "build", "compile"],
    ),
];

/// Folders that hold what was built.
const OUTPUTS: &[&str] = &["target", "dist", "build", "out", "_build", ".next"];

/// What compilers write beside what they read: how the one ends, and the other.
const BESIDE: &[(&str, &str)] = &[
    (".js", ".ts"),
    (".js", ".tsx"),
    (".mjs", ".mts"),
    (".cjs", ".cts"),
    ("", ".java"),
    (".class", ".java"),
];

/// A program of more than that is no script.
const SCRIPT_BYTES_MAX: u64 = 1 << 16;

/// Whether a run may build what the line runs.
pub(super) fn builds(run: &Run) -> bool {
    let words: Vec<Option<&str>> = run.argv.iter().skip(1).map(Word::literal).collect();
    let program = run.program().unwrap_or_default();
    started(program, &words)
        .into_iter()
        .any(|(program, words)| {
            let mut words = words.iter().flatten();
            let known = BUILDERS.iter().find(|(of, _)| is_one_of(program, of));
            known.is_some_and(|(_, verbs)| {
                verbs.is_empty() || words.any(|word| verbs.contains(word))
            })
        })
}

/// Whether a file that a line runs by its path, told in this folder, may be what such a run made.
pub(super) fn may_be_built(at: &AbsPath, file: &KnownPath, role: Role, tree: &dyn Tree) -> bool {
    let (Some(named), Some(real)) = (file.hops.first(), file.real()) else {
        return true;
    };
    let is_output = |path: &AbsPath| {
        // The folders that it has in common with where the line is told hold the project, too.
        let folder = path.parent();
        let folders = folder.iter().flat_map(|folder| folder.as_str().split('/'));
        let mut above = at.as_str().split('/');
        let mut own = folders.skip_while(|name| above.next() == Some(*name));
        own.any(|name| OUTPUTS.contains(&name))
    };
    let lies_in_output = is_output(named) && !build::is_usual_file(named);
    match role {
        Role::Program => lies_in_output || tree.read_small(real, SCRIPT_BYTES_MAX).is_none(),
        Role::Code => lies_in_output || BESIDE.iter().any(|ends| has_source(named, *ends, tree)),
        Role::Argument => false,
    }
}

/// Whether the file from which a compiler makes this one lies beside it.
fn has_source(made: &AbsPath, (end, source): (&str, &str), tree: &dyn Tree) -> bool {
    let Some(stem) = made.as_str().strip_suffix(end) else {
        return false;
    };
    let source = AbsPath::parse(&format!("{stem}{source}"));
    source.is_ok_and(|source| tree.kind(&source) == EntryKind::File)
}
