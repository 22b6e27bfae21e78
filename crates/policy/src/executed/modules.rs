//! Code that interpreters find by a name that is no path (`python3 -m name`).

use pointsman_model::AbsPath;

use super::{families, is_one_of};

/// How many packages on the way to a module are looked at, the module itself beside them. What lies deeper is no name
/// that anybody writes.
const PACKAGES_MAX: usize = 32;

/// Longest name that can be a path.
const NAME_BYTES_MAX: usize = 4096;

/// Interpreters that find code by a name that is no path: behind which options, and what they make of the name.
const MODULES: &[Modules] = &[
    Modules {
        programs: families::PYTHON,
        options: &["-m"],
        places: &["PYTHONPATH"],
        between: ".",
        endings: &[".py", "/__main__.py", "/__init__.py"],
    },
    Modules {
        programs: families::PERL,
        options: &["-M", "-m"],
        places: &["PERL5LIB"],
        between: "::",
        endings: &[".pm"],
    },
    Modules {
        programs: families::RUBY,
        options: &["-r"],
        places: &["RUBYLIB"],
        between: "/",
        endings: &[".rb"],
    },
    Modules {
        programs: families::NODE,
        options: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "--preload",
        ],
        places: &["NODE_PATH"],
        between: "/",
        endings: &[".js", ".cjs", ".mjs"],
    },
    Modules {
        programs: families::LUA,
        options: &["-l"],
        // Its variables list patterns (`lib/?.lua`), which are no folders.
        places: &[],
        between: ".",
        endings: &[".lua", "/init.lua"],
    },
];

/// How an interpreter finds code by name.
struct Modules {
    programs: &'static [&'static str],
    /// What stands in front of the name, as a word of its own or with it in one.
    options: &'static [&'static str],
    /// Variables that list folders to look in.
    places: &'static [&'static str],
    /// What stands between the parts of a name.
    between: &'static str,
    /// What a part becomes as a file.
    endings: &'static [&'static str],
}

/// The files that the names behind a program's options may stand for: in the folder, in those that `-I` adds and in those
/// of its variables, of which `assigned` gives each with one part of its value.
pub(super) fn loaded_by<'a>(
    program: &'a str,
    folder: &'a AbsPath,
    words: &'a [&'a str],
    assigned: impl Iterator<Item = (&'a str, &'a str)> + Clone + 'a,
) -> impl Iterator<Item = AbsPath> + 'a {
    let known = MODULES
        .iter()
        .filter(move |modules| is_one_of(program, modules.programs));
    known.flat_map(move |modules| modules.files(folder, words, assigned.clone()))
}

impl Modules {
    fn files<'a>(
        &'a self,
        folder: &'a AbsPath,
        words: &'a [&'a str],
        assigned: impl Iterator<Item = (&'a str, &'a str)> + 'a,
    ) -> impl Iterator<Item = AbsPath> + 'a {
        let variables = assigned.filter(|(name, _)| self.places.contains(name));
        let named = values_of("-I", words).chain(variables.map(|(_, piece)| piece));
        let added: Vec<AbsPath> = named.map(|place| folder.join(place)).collect();
        let options = self
            .options
            .iter()
            .flat_map(|option| values_of(option, words));
        options.flat_map(move |name| {
            let paths = self.paths_of(name);
            let places: Vec<AbsPath> = std::iter::once(folder.clone())
                .chain(added.clone())
                .collect();
            places.into_iter().flat_map(move |place| {
                let files = paths.clone().into_iter();
                files.map(move |path| place.join(&path))
            })
        })
    }

    /// What a name may be as a path below a folder: the module, and the packages on the way to it, whose code runs too.
    fn paths_of(&self, name: &str) -> Vec<String> {
        // `-MList::Util=first` names what it takes of it.
        let name = name.split('=').next().unwrap_or(name);
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Vec::new();
        }
        let ends = name.match_indices(self.between).map(|(at, _)| at);
        let packages = ends.take(PACKAGES_MAX).filter_map(|end| name.get(..end));
        let names = packages.chain([name]);
        let paths = names.map(|name| name.replace(self.between, "/"));
        let with_endings = paths.flat_map(|path| {
            let each = self.endings.iter();
            each.map(move |ending| format!("{path}{ending}"))
        });
        with_endings.collect()
    }
}

/// What an option is given: the next word, what is joined to it, and of one letter what stands behind it in a bundle
/// (`-um name`, `-umname`).
pub(super) fn values_of<'a>(
    option: &'static str,
    words: &'a [&'a str],
) -> impl Iterator<Item = &'a str> + 'a {
    let letter = option
        .strip_prefix('-')
        .filter(|letters| letters.len() == 1);
    let behind = words.iter().enumerate().flat_map(move |(at, word)| {
        let joined = word.strip_prefix(option);
        let bundled = letter.and_then(|letter| {
            let letters = word
                .strip_prefix('-')
                .filter(|rest| !rest.starts_with('-'))?;
            letters.split_once(letter).map(|(_, value)| value)
        });
        let next = || words.get(at.saturating_add(1)).copied();
        let given = |value: &'a str| match value {
            "" => next(),
            value => Some(value.strip_prefix('=').unwrap_or(value)),
        };
        [joined, bundled].map(|value| value.and_then(given))
    });
    behind.flatten().filter(|value| !value.is_empty())
}
