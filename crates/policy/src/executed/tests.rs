//! What lines run, as far as their words tell.

use std::collections::BTreeSet;

use pointsman_shell::{NameCase, Surroundings, analyse};

use super::*;

fn effects(line: &str) -> (AbsPath, Effects) {
    let folder = AbsPath::parse("/w").unwrap();
    let at = Surroundings {
        folder: folder.clone(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: NameCase::Counts,
    };
    let effects = analyse(line, &at).effects;
    (folder, effects)
}

/// How many files a line comes to, whether that is all or more than are looked at.
fn count(line: &str) -> usize {
    let (folder, effects) = effects(line);
    executed(&folder, &effects).map_or_else(|many| many.counted.len(), |files| files.len())
}

#[test]
fn no_line_makes_more_files_than_can_be_looked_at() {
    let places: Vec<String> = (0..600).map(|number| format!("p{number}")).collect();
    let places = places.join(":");
    let words = "w ".repeat(1_500);
    let parts: String = (0..300)
        .map(|number| format!("PATH=./a{number} x{number}; "))
        .collect();
    let code = "a.b ".repeat(2_000);
    for line in [
        format!("PATH={places} sh {words}"),
        format!("export PATH={places}; sh {words}"),
        parts,
        format!("python3 -c '{code}'"),
    ] {
        let files = count(&line);
        assert!(
            files > 0 && files <= 2 * LINE_FILES_MAX,
            "{files}: {}",
            &line[..20]
        );
    }
}

/// Lines, and a file or a pattern that each runs.
const RUN: &[(&str, &str)] = &[
    ("vim -S f", "f"),
    ("vim -c 'source f'", "f"),
    ("vim +'source f'", "f"),
    ("nvim -l f", "f"),
    ("ex -s x < f", "f"),
    ("gdb -x f ./p", "f"),
    ("gdb -ex 'source f'", "f"),
    ("lldb -s f", "f"),
    ("sqlite3 db '.read f'", "f"),
    ("sqlite3 db < f", "f"),
    ("cat f | sqlite3 db", "f"),
    ("sqlite3 -init f db", "f"),
    ("psql -f f", "f"),
    ("psql --file=f", "f"),
    ("psql db < f", "f"),
    ("cat f | psql db", "f"),
    ("psql -c '\\i f'", "f"),
    ("mysql < f", "f"),
    ("mysql db -e 'source f'", "f"),
    ("uv run f.py", "f.py"),
    ("uv run --with x f.py", "f.py"),
    ("uv run python f.py", "f.py"),
    ("uv run pytest f.py", "f.py"),
    ("uv run x", "pyproject.toml"),
    ("tsx f.ts", "f.ts"),
    ("npx tsx f.ts", "f.ts"),
    ("npx --yes ts-node f.ts", "f.ts"),
    ("bun run f.ts", "f.ts"),
    ("bun x", "package.json"),
    ("deno run -A f.ts", "f.ts"),
    ("deno task x", "deno.json"),
    ("go run f.go", "f.go"),
    ("go run ./cmd", "cmd/*.go"),
    ("go run .", "*.go"),
    ("go test ./...", "go.mod"),
    ("cargo run", "Cargo.toml"),
    ("coverage run f.py", "f.py"),
    ("coverage run -m pytest f.py", "f.py"),
    ("python3 -m coverage run f.py", "f.py"),
    ("pytest f.py", "f.py"),
    ("pytest f.py::test_a", "f.py"),
    ("pytest tests", "tests/conftest.py"),
    ("python3 -m pytest tests", "tests/conftest.py"),
    ("ruby f", "f"),
    ("php f", "f"),
    ("lua f", "f"),
    ("Rscript f", "f"),
    ("R -f f", "f"),
    ("julia f", "f"),
    ("java F.java", "F.java"),
    ("java -jar f.jar", "f.jar"),
    ("dotnet run", "*.csproj"),
    ("dotnet run --project d", "d/*.csproj"),
    ("dotnet script f.csx", "f.csx"),
    ("swift f", "f"),
    ("swift test", "Package.swift"),
    ("kotlin f.kts", "f.kts"),
    ("kotlinc -script f.kts", "f.kts"),
    ("scala f.scala", "f.scala"),
    ("groovy f.groovy", "f.groovy"),
    ("expect f", "f"),
    ("awk -f f x", "f"),
    ("sed -f f x", "f"),
    ("jq -f f x", "f"),
    ("tclsh f", "f"),
    ("emacs --script f", "f"),
    ("emacs --batch -l f", "f"),
    ("ansible-playbook f", "f"),
    ("terraform apply", "*.tf"),
    ("terraform -chdir=d plan", "d/*.tf"),
    ("tofu apply", "*.tofu"),
    ("just x", "justfile"),
    ("task x", "Taskfile.yml"),
    ("rake", "Rakefile"),
    ("bundle exec rake", "Rakefile"),
    ("bundle exec rspec f", "f"),
    ("gradle x", "build.gradle"),
    ("ant", "build.xml"),
    ("ant -f f", "f"),
    ("npm run x", "package.json"),
    ("npm exec jest", "jest.config.*"),
    ("npx eslint .", "eslint.config.*"),
    ("npx vitest run", "vitest.config.*"),
    ("webpack", "webpack.config.*"),
    ("gulp", "gulpfile.*"),
    ("poetry run x", "pyproject.toml"),
    ("poetry run pytest f.py", "f.py"),
    ("pipenv run x", "Pipfile"),
    ("pip install .", "setup.py"),
    ("tox", "tox.ini"),
    ("nox", "noxfile.py"),
    ("python3 -m nox", "noxfile.py"),
    ("pre-commit run", ".pre-commit-config.yaml"),
    ("docker compose up", "compose.yaml"),
    ("docker compose up", "docker-compose.yml"),
    ("docker compose -f f up", "f"),
    ("docker-compose up", "docker-compose.yml"),
    ("docker build .", "Dockerfile"),
    ("docker build d", "d/.dockerignore"),
    ("docker build -f f d", "f"),
    ("podman build d", "d/Containerfile"),
    ("docker buildx bake", "docker-bake.hcl"),
    ("vagrant up", "Vagrantfile"),
    ("elixir f.exs", "f.exs"),
    ("mix test", "mix.exs"),
    ("dart run f.dart", "f.dart"),
    ("nim r f.nim", "f.nim"),
    ("zig build", "build.zig"),
    ("stack test", "stack.yaml"),
    ("cabal run", "*.cabal"),
    ("guile f", "f"),
    ("sbcl --script f", "f"),
    ("pwsh -File f.ps1", "f.ps1"),
    ("k6 run f.js", "f.js"),
    ("streamlit run f.py", "f.py"),
    ("jupyter nbconvert --execute f.ipynb", "f.ipynb"),
    ("bats f.bats", "f.bats"),
    ("mocha f.js", "f.js"),
    ("run-parts d", "d/*"),
    ("at -f f now", "f"),
    ("at now < f", "f"),
    ("tmux source-file f", "f"),
    ("make -f f", "f"),
    ("git -c core.hooksPath=d commit", "d/*"),
    ("V=d git --config-env=core.hooksPath=V commit", "d/*"),
    ("V=d git --config-env core.hooksPath=V commit", "d/*"),
    ("git -c includeIf.gitdir:/.path=f commit", "f"),
    ("git -c includeif.onbranch:a=b.path=f commit", "f"),
    ("V=f git --config-env=include.path=V commit", "f"),
    ("for d in a b; do make -C $d; done", "a/Makefile"),
];

#[test]
fn what_a_line_runs_is_among_what_is_looked_at() {
    let is_missed = |(line, wanted): &&(&str, &str)| {
        let (folder, effects) = effects(line);
        let files = executed(&folder, &effects).unwrap();
        let by_name = files.iter().any(|file| file.path == folder.join(wanted));
        let found = searched(&folder, &effects).into_iter();
        let mut found = found.filter(|pattern| pattern.becomes == Becomes::Code);
        !by_name && !found.any(|it| it.base.join(&it.glob) == folder.join(wanted))
    };
    let missed: Vec<_> = RUN.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What the same programs are given as data is not shown to anybody as code.
#[test]
fn what_a_line_works_on_is_no_code() {
    for (line, data) in [
        ("vim f", "f"),
        ("ex -s f < x", "f"),
        ("sqlite3 f 'select 1'", "f"),
        ("gdb f", "f"),
        ("emacs f", "f"),
        ("docker ps", "Dockerfile"),
        ("docker logs f", "compose.yaml"),
        ("docker run f", "Dockerfile"),
        ("terraform fmt", "*.tf"),
        ("go fmt f.go", "f.go"),
        ("go env", "go.mod"),
        ("psql -c 'select 1' < f", "f"),
        ("pip list", "setup.py"),
        ("jupyter nbconvert --to html f.ipynb", "f.ipynb"),
        ("npx prettier f", "f"),
    ] {
        let (folder, effects) = effects(line);
        let files = by_gravest_role(executed(&folder, &effects).unwrap());
        let role = files.get(&folder.join(data));
        assert!(!matches!(role, Some(Role::Code)), "{line}: {data}");
        let found = searched(&folder, &effects);
        let searches = found
            .iter()
            .any(|it| it.base.join(&it.glob) == folder.join(data));
        assert!(!searches, "{line}: {data}");
    }
}

/// A line of a few KB neither makes a pattern for each of its words in each of its folders, nor goes on when there are as
/// many as are looked at.
#[test]
fn no_line_makes_more_patterns_than_can_be_looked_at() {
    let same = format!(
        "for d in */; do cd $d; {} sh {}; done",
        "ls $d; ".repeat(300),
        "w ".repeat(1_000)
    );
    let words: String = (0..1_000).map(|number| format!("w{number} ")).collect();
    let places: String = (0..6).map(|number| format!("p{number}/*/ ")).collect();
    let each = format!("for d in {places}; do (cd $d && sh {words}); done");
    let copies: String = (0..100)
        .map(|number| format!("cp -r d{number} t; "))
        .collect();
    let globs: String = (0..100).map(|number| format!("t/{number}*.sh ")).collect();
    let origins = format!("{copies} for f in {globs}; do sh $f; done; ./p {globs}");
    for line in [same, each, origins] {
        let (folder, effects) = effects(&line);
        let mut found = 0;
        let used = allocation_counter::measure(|| found = searched(&folder, &effects).len());
        let start = &line[..30];
        assert!(found > 0 && found <= 1 << 10, "{found}: {start}");
        let mebibytes = used.bytes_max >> 20;
        assert!(mebibytes < 16, "{mebibytes} MiB: {start}");
    }
}

/// What isn't looked up is not passed over in silence.
#[test]
fn who_looks_at_a_line_is_told_of_more_patterns_than_are_looked_up() {
    let seen = |globs: usize| {
        let words: String = (0..globs).map(|number| format!("{number}* ")).collect();
        let (folder, effects) = effects(&format!("./p {words}"));
        check_seen(&folder, &effects, &BTreeMap::new(), &crate::DiskTree)
    };
    assert_eq!(seen(20), Ok(()));
    assert_eq!(seen(1_500), Err(Unseen::TooMany));
}

/// What a command reads that writes what is run is found without a look at each file for each of its writes.
#[test]
fn what_makers_read_is_found_in_a_long_line_too() {
    let read = |line: &str, run: &[Executed]| {
        let (_, effects) = effects(line);
        let read = sources::read_by_makers(run, &effects).into_iter();
        read.map(|file| file.path.to_string())
            .collect::<BTreeSet<_>>()
    };
    let run = |path: &str| named(AbsPath::parse(path).unwrap(), Role::Code);
    assert!(read("git apply p", &[run("/w/d/x.sh")]).contains("/w/p"));
    assert!(!read("git apply p", &[run("/w-x/x.sh"), run("/v/x")]).contains("/w/p"));
    assert!(read("sort -o x.sh p", &[run("/w/x.sh")]).contains("/w/p"));
    assert!(!read("sort -o x.sh p", &[run("/w/x.sh/y"), run("/w/x")]).contains("/w/p"));
    let many: Vec<Executed> = (0..LINE_FILES_MAX)
        .map(|at| run(&format!("/v/{at}")))
        .collect();
    let words: String = (0..2_500).map(|at| format!("{at} ")).collect();
    let started = std::time::Instant::now();
    assert!(read(&format!("tee {words} < p"), &many).is_empty());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

/// Whether nobody knows what a line runs, without a look at any file.
fn is_unknown(line: &str) -> bool {
    let (folder, effects) = effects(line);
    let seen = check_seen(&folder, &effects, &BTreeMap::new(), &crate::DiskTree);
    matches!(seen, Err(Unseen::Unknown(_)))
}

#[test]
fn what_the_last_of_many_starters_starts_is_known_to_nobody() {
    for line in [
        "npx npx npx npx tsx f.ts",
        "uv run npx poetry run pipenv run python f.py",
    ] {
        assert!(is_unknown(line), "{line}");
    }
    for line in [
        "npx tsx f.ts",
        "uv run poetry run npx tsx f.ts",
        "uv run python -m coverage run -m pytest tests",
        "npm exec -- npx npx jest",
        "poetry run python -m pytest",
    ] {
        assert!(!is_unknown(line), "{line}");
    }
}

#[test]
fn a_setting_of_git_from_a_variable_that_nobody_sees_is_known_to_nobody() {
    for line in [
        "git --config-env=core.hooksPath=V commit",
        "git --config-env core.hooksPath=V commit",
        "V=$(cat x) git --config-env=include.path=V commit",
        "export V=d; git --config-env=CORE.hooksPath=V commit",
        "git --config-env=includeIf.gitdir:/.path=V commit",
    ] {
        assert!(is_unknown(line), "{line}");
    }
    for line in [
        "git --config-env=user.name=V commit",
        "git -c user.name=x commit",
        "V=d git --config-env=core.hooksPath=V commit",
        "git -c core.hooksPath=d commit",
        "git commit -m 'a --config-env=core.hooksPath=V'",
    ] {
        assert!(!is_unknown(line), "{line}");
    }
}
