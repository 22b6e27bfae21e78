//! The table of programs that do what a file says which they find where they work.

/// Programs that run what a file says.
pub(super) const BUILD_TOOLS: &[BuildTool] = &[
    here(
        &["make", "gmake"],
        ALL,
        &["GNUmakefile", "makefile", "Makefile"],
        &["-f", "--file", "--makefile"],
    ),
    above(&["npm", "pnpm", "yarn", "bun"], ALL, &["package.json"], &[]),
    above(&["npx", "node", "nodejs"], ALL, &["package.json"], &[]).works_on(),
    above(
        &["deno"],
        ALL,
        &["deno.json", "deno.jsonc"],
        &["-c", "--config"],
    ),
    above(
        &["cargo"],
        ALL,
        &["Cargo.toml", "build.rs"],
        &["--manifest-path"],
    )
    .works_on(),
    above(
        &["just"],
        ALL,
        &["justfile", "Justfile", ".justfile"],
        &["-f", "--justfile"],
    ),
    above(
        &["task"],
        ALL,
        &["Taskfile.yml", "Taskfile.yaml"],
        &["-t", "--taskfile"],
    ),
    above(&["rake"], ALL, &["Rakefile"], &["-f", "--rakefile"]),
    above(
        &["gradle", "gradlew"],
        ALL,
        &["build.gradle", "build.gradle.kts"],
        &["-b", "--build-file", "-I", "--init-script"],
    ),
    here(&["mvn", "mvnw"], ALL, &["pom.xml"], &["-f", "--file"]),
    here(&["cmake"], ALL, &["CMakeLists.txt"], &["-P", "-C"]),
    here(&["ninja"], ALL, &["build.ninja"], &["-f"]),
    above(&["composer"], ALL, &["composer.json"], &[]),
    here(&["tox"], ALL, &["tox.ini"], &["-c", "--conf"]),
    here(&["nox"], ALL, &["noxfile.py"], &["-f", "--noxfile"]),
    above(&["invoke", "inv"], ALL, &["tasks.py"], &[]),
    above(&["fab"], ALL, &["fabfile.py"], &[]),
    above(
        &["pre-commit"],
        ALL,
        &[".pre-commit-config.yaml"],
        &["-c", "--config"],
    ),
    above(
        &["docker", "podman", "nerdctl"],
        &["compose"],
        COMPOSE,
        &["-f", "--file", "--env-file"],
    ),
    above(
        &["docker-compose", "podman-compose"],
        ALL,
        COMPOSE,
        &["-f", "--file", "--env-file"],
    ),
    here(
        &["docker", "podman", "nerdctl", "buildah"],
        &["build", "bud", "buildx"],
        &[
            "Dockerfile",
            "Containerfile",
            ".dockerignore",
            "docker-bake.hcl",
            "docker-bake.json",
        ],
        &["-f", "--file"],
    ),
    here(
        &["terraform", "tofu", "terragrunt"],
        &[
            "init", "plan", "apply", "destroy", "import", "refresh", "test", "console",
        ],
        &["*.tf", "*.tofu", "*.tf.json", "*.tfvars", "terragrunt.hcl"],
        &["-var-file"],
    )
    .works_on(),
    above(
        &["go"],
        &["run", "build", "test", "generate", "install", "vet", "tool"],
        &["go.mod", "go.work"],
        &["-modfile", "-overlay"],
    )
    .works_on(),
    above(
        &["dotnet", "msbuild"],
        &[
            "run", "test", "build", "publish", "restore", "pack", "msbuild",
        ],
        &[
            "*.csproj",
            "*.fsproj",
            "*.vbproj",
            "Directory.Build.props",
            "Directory.Build.targets",
        ],
        &["--project"],
    )
    .works_on(),
    above(
        &["poetry", "pdm", "hatch", "rye", "uv", "pip", "pipx", "flit"],
        &["run", "install", "build", "sync", "develop", "test"],
        &["pyproject.toml", "setup.py", "setup.cfg"],
        &[],
    )
    .works_on(),
    above(&["pipenv"], ALL, &["Pipfile"], &[]).works_on(),
    above(
        &["pytest", "py.test"],
        ALL,
        &[
            "conftest.py",
            "pytest.ini",
            "pyproject.toml",
            "tox.ini",
            "setup.cfg",
        ],
        &["-c", "--config-file"],
    )
    .works_on(),
    above(
        &[
            "jest",
            "vitest",
            "vite",
            "webpack",
            "rollup",
            "playwright",
            "next",
            "nuxt",
            "astro",
            "ava",
            "tsup",
        ],
        ALL,
        &["package.json"],
        &["-c", "--config"],
    )
    .works_on(),
    here(&["jest"], ALL, &["jest.config.*"], &[]).works_on(),
    here(
        &["vitest", "vite"],
        ALL,
        &["vitest.config.*", "vite.config.*"],
        &[],
    )
    .works_on(),
    here(&["webpack"], ALL, &["webpack.config.*"], &[]).works_on(),
    here(&["rollup"], ALL, &["rollup.config.*"], &[]).works_on(),
    here(&["playwright"], ALL, &["playwright.config.*"], &[]).works_on(),
    here(
        &["eslint"],
        ALL,
        &["eslint.config.*", ".eslintrc.*"],
        &["-c", "--config"],
    )
    .works_on(),
    above(
        &["gulp", "grunt"],
        ALL,
        &["gulpfile.*", "Gruntfile.*"],
        &["-f", "--gulpfile", "--gruntfile"],
    ),
    here(
        &["ant"],
        ALL,
        &["build.xml"],
        &["-f", "-file", "-buildfile"],
    ),
    here(&["sbt"], ALL, &["build.sbt"], &[]).works_on(),
    here(&["lein"], ALL, &["project.clj"], &[]).works_on(),
    here(&["mix"], ALL, &["mix.exs"], &[]).works_on(),
    above(
        &["swift"],
        &["run", "build", "test", "package"],
        &["Package.swift"],
        &[],
    )
    .works_on(),
    above(&["zig"], &["build"], &["build.zig"], &["--build-file"]).works_on(),
    above(
        &["stack", "cabal"],
        ALL,
        &["stack.yaml", "package.yaml", "*.cabal", "cabal.project"],
        &[],
    )
    .works_on(),
    above(&["dune"], ALL, &["dune", "dune-project"], &[]).works_on(),
    above(
        &["bazel", "bazelisk"],
        &["run", "build", "test"],
        &["BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel"],
        &[],
    )
    .works_on(),
    here(&["scons"], ALL, &["SConstruct"], &["-f", "--file"]),
    here(&["meson"], ALL, &["meson.build"], &[]).works_on(),
    here(&["doit"], ALL, &["dodo.py"], &["-f", "--file"]),
    here(&["snakemake"], ALL, &["Snakefile"], &["-s", "--snakefile"]),
    here(
        &["earthly", "vagrant", "tilt", "skaffold"],
        ALL,
        &["Earthfile", "Vagrantfile", "Tiltfile", "skaffold.yaml"],
        &["-f", "--file", "--filename"],
    ),
    above(
        &["bundle", "gem"],
        &["install", "exec", "update", "build"],
        &["Gemfile", "*.gemspec"],
        &["--gemfile"],
    )
    .works_on(),
    here(
        &["rspec"],
        ALL,
        &[".rspec", "spec_helper.rb", "spec/spec_helper.rb"],
        &["-O", "--options"],
    )
    .works_on(),
    above(
        &["nix", "nix-shell", "nix-build"],
        ALL,
        &["flake.nix", "shell.nix", "default.nix"],
        &["-f", "--file"],
    )
    .works_on(),
    above(&["direnv"], ALL, &[".envrc"], &[]),
    above(
        &["mise"],
        &["run", "exec", "x", "r"],
        &["mise.toml", ".mise.toml"],
        &[],
    ),
    here(
        &["pulumi", "cdk", "serverless", "sls", "sam"],
        &[
            "up", "preview", "deploy", "synth", "build", "destroy", "diff", "invoke",
        ],
        &[
            "Pulumi.yaml",
            "cdk.json",
            "serverless.yml",
            "serverless.yaml",
            "template.yaml",
        ],
        &["-t", "--template"],
    ),
    here(
        &["phpunit"],
        ALL,
        &["phpunit.xml", "phpunit.xml.dist"],
        &["-c", "--configuration", "--bootstrap"],
    )
    .works_on(),
    here(&["ctest"], ALL, &["CTestTestfile.cmake"], &["-S"]),
    here(
        &["autoreconf", "autoconf"],
        ALL,
        &["configure.ac", "configure.in"],
        &[],
    ),
    here(
        &["lefthook"],
        &["run"],
        &["lefthook.yml", "lefthook.yaml"],
        &[],
    ),
];

/// Where a program says nothing of itself which of its sub-commands do what a file says: all do.
const ALL: &[&str] = &[];

/// The files of `compose`.
const COMPOSE: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];

/// A program that runs what a file says.
pub(super) struct BuildTool {
    pub(super) programs: &'static [&'static str],
    /// What it has to be told to do so; nothing where it always does.
    pub(super) verbs: &'static [&'static str],
    /// What the file is called when nothing else is said, in the folder that it works in; some as a pattern.
    pub(super) files: &'static [&'static str],
    /// What names another one.
    pub(super) options: &'static [&'static str],
    pub(super) looks: Looks,
    pub(super) says: Says,
}

/// What the file of a program says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// What it runs.
    WhatRuns,
    /// What it works on: agents edit it as a part of their work, and what is run is mostly written elsewhere.
    WhatItWorksOn,
}

/// Where a program looks for its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// In its own folder alone.
    Here,
    /// In the folders above, too, when its own has none.
    Above,
}

type Names = &'static [&'static str];

const fn here(programs: Names, verbs: Names, files: Names, options: Names) -> BuildTool {
    BuildTool {
        programs,
        verbs,
        files,
        options,
        looks: Looks::Here,
        says: Says::WhatRuns,
    }
}

const fn above(programs: Names, verbs: Names, files: Names, options: Names) -> BuildTool {
    BuildTool {
        programs,
        verbs,
        files,
        options,
        looks: Looks::Above,
        says: Says::WhatRuns,
    }
}

impl BuildTool {
    const fn works_on(self) -> Self {
        Self {
            says: Says::WhatItWorksOn,
            ..self
        }
    }
}
