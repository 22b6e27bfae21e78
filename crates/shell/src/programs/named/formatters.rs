//! Formatters and fixers: programs that rewrite the sources they find.

/// A formatter.
#[derive(Debug)]
pub(in crate::programs) struct Formatter {
    pub(in crate::programs) names: &'static [&'static str],
    /// Subcommands of which one must be there; none for programs without.
    pub(super) words: &'static [&'static str],
    /// Options of which one has to be there for it to write; none when it always does.
    pub(super) when: &'static [&'static str],
    /// Options with which it only reports.
    pub(super) unless: &'static [&'static str],
    /// The names of the files that it rewrites.
    pub(super) files: &'static [&'static str],
}

const REPORTS: &[&str] = &[
    "--check",
    "--check-only",
    "--diff",
    "--dry-run",
    "--list-different",
    "--version",
    "--help",
];

const fn rewrites(names: &'static [&'static str], files: &'static [&'static str]) -> Formatter {
    Formatter {
        names,
        words: &[],
        when: &[],
        unless: REPORTS,
        files,
    }
}

const fn told(
    names: &'static [&'static str],
    when: &'static [&'static str],
    files: &'static [&'static str],
) -> Formatter {
    Formatter {
        when,
        unless: &["--dry-run", "--fix-dry-run"],
        ..rewrites(names, files)
    }
}

const fn subcommand(
    names: &'static [&'static str],
    words: &'static [&'static str],
    files: &'static [&'static str],
) -> Formatter {
    Formatter {
        words,
        ..rewrites(names, files)
    }
}

const WEB: &[&str] = &[
    "*.[jt]s",
    "*.[jt]sx",
    "*.[cm][jt]s",
    "*.json",
    "*.css",
    "*.scss",
    "*.less",
    "*.md",
    "*.mdx",
    "*.yml",
    "*.yaml",
    "*.html",
    "*.vue",
    "*.svelte",
    "*.graphql",
];
const SCRIPTS: &[&str] = &["*.[jt]s", "*.[jt]sx", "*.[cm][jt]s", "*.vue", "*.svelte"];
const PYTHON: &[&str] = &["*.py", "*.pyi", "*.ipynb"];
const C: &[&str] = &[
    "*.c", "*.h", "*.cc", "*.cpp", "*.hpp", "*.cxx", "*.m", "*.java", "*.proto",
];
const RUST: &[&str] = &["*.rs"];
const GO: &[&str] = &["*.go"];

pub(in crate::programs) static FORMATTERS: &[Formatter] = &[
    told(&["prettier", "prettierd"], &["--write", "-w"], WEB),
    told(
        &[
            "eslint",
            "standard",
            "xo",
            "tslint",
            "oxlint",
            "semistandard",
        ],
        &["--fix"],
        SCRIPTS,
    ),
    told(
        &["stylelint"],
        &["--fix"],
        &["*.css", "*.scss", "*.less", "*.vue"],
    ),
    told(
        &["markdownlint", "markdownlint-cli2"],
        &["--fix", "-f"],
        &["*.md", "*.mdx"],
    ),
    told(
        &["biome", "rome", "dprint"],
        &[
            "--write",
            "--apply",
            "--apply-unsafe",
            "--fix",
            "--unsafe",
            "fmt",
        ],
        WEB,
    ),
    rewrites(
        &["black", "isort", "blue", "usort", "pyink", "ssort"],
        PYTHON,
    ),
    told(
        &[
            "autopep8",
            "yapf",
            "autoflake",
            "docformatter",
            "pyupgrade",
            "unify",
        ],
        &["-i", "--in-place", "--py3-plus"],
        PYTHON,
    ),
    told(
        &["ruff"],
        &["--fix", "--fix-only", "--unsafe-fixes"],
        PYTHON,
    ),
    subcommand(&["ruff"], &["format"], PYTHON),
    told(
        &["gofmt", "goimports", "gofumpt", "gci", "golines"],
        &["-w", "write"],
        GO,
    ),
    told(&["golangci-lint"], &["--fix", "fmt"], GO),
    subcommand(&["go"], &["fmt", "fix", "generate"], GO),
    subcommand(&["cargo"], &["fmt"], RUST),
    subcommand(&["cargo"], &["fix"], RUST),
    told(&["cargo", "cargo-clippy"], &["--fix"], RUST),
    rewrites(&["rustfmt", "cargo-fmt", "leptosfmt"], RUST),
    told(
        &["clang-format", "uncrustify", "astyle", "indent"],
        &["-i", "--replace", "--inplace"],
        C,
    ),
    told(
        &["clang-tidy"],
        &["-fix", "--fix", "--fix-errors", "-fix-errors"],
        C,
    ),
    rewrites(&["stylua"], &["*.lua"]),
    told(&["shfmt"], &["-w", "--write"], &["*.sh", "*.bash", "*.zsh"]),
    subcommand(
        &["terraform", "tofu", "terragrunt", "packer", "hclfmt"],
        &["fmt", "hclfmt"],
        &["*.tf", "*.hcl", "*.tfvars"],
    ),
    subcommand(&["deno"], &["fmt"], WEB),
    told(&["deno"], &["--fix"], SCRIPTS),
    told(
        &["rubocop", "standardrb"],
        &[
            "-a",
            "-A",
            "-x",
            "--autocorrect",
            "--auto-correct",
            "--autocorrect-all",
            "--fix",
        ],
        &["*.rb", "*.rake"],
    ),
    subcommand(&["php-cs-fixer", "pint", "phpcbf"], &["fix"], &["*.php"]),
    rewrites(&["phpcbf", "pint"], &["*.php"]),
    subcommand(&["dart", "flutter"], &["format", "fix"], &["*.dart"]),
    rewrites(
        &["dartfmt", "swiftformat", "swift-format"],
        &["*.dart", "*.swift"],
    ),
    told(
        &["swiftlint", "ktlint"],
        &["--fix", "-F", "--format"],
        &["*.swift", "*.kt", "*.kts"],
    ),
    rewrites(
        &[
            "ktfmt",
            "ormolu",
            "fourmolu",
            "nixfmt",
            "alejandra",
            "taplo",
            "buildifier",
            "scalafmt",
            "mix",
            "zigfmt",
            "elm-format",
            "mdformat",
            "xmlformat",
            "sqlfluff",
            "djlint",
        ],
        &[
            "*.kt", "*.hs", "*.nix", "*.toml", "*.bzl", "*.scala", "*.ex", "*.exs", "*.zig",
            "*.elm", "*.md", "*.xml", "*.sql", "*.html",
        ],
    ),
    rewrites(&["google-java-format"], &["*.java"]),
    subcommand(&["dotnet"], &["format"], &["*.cs", "*.vb", "*.fs"]),
    subcommand(
        &["buf", "zig", "gleam", "forge", "nix"],
        &["format", "fmt"],
        &["*.proto", "*.zig", "*.gleam", "*.sol", "*.nix"],
    ),
    rewrites(&["pre-commit", "lint-staged", "treefmt"], &["*"]),
];
