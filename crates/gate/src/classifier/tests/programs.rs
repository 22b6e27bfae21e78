//! Programs that run files and are no interpreters, put before the classifier.

use std::fs;

use super::*;

const FILES: &[&str] = &[
    "f",
    "f.py",
    "f.ts",
    "f.go",
    "main.go",
    "cmd/main.go",
    "main.tf",
    "d/main.tf",
    "d/one",
    "f.sql",
    "Dockerfile",
    "d/Dockerfile",
    "d/.dockerignore",
    "docker-compose.yml",
    "conftest.py",
    "tests/conftest.py",
    "eslint.config.js",
    "build.xml",
    "go.mod",
    "play.yml",
];

async fn scene() -> Scene {
    let scene = Scene::new(says("allow")).await;
    for folder in ["cmd", "d", "tests"] {
        fs::create_dir(scene.ground.path(folder)).unwrap();
    }
    for file in FILES {
        scene.holds(file, b"text\n");
    }
    scene
}

#[tokio::test]
async fn what_a_program_runs_by_a_word_or_finds_where_it_works_is_shown() {
    let scene = scene().await;
    for (command, file) in [
        ("vim -S f", "f"),
        ("vim -es -c 'source f' x", "f"),
        ("gdb -batch -x f ./p", "f"),
        ("sqlite3 db < f.sql", "f.sql"),
        ("cat f.sql | psql", "f.sql"),
        ("psql -f f.sql", "f.sql"),
        ("uv run f.py", "f.py"),
        ("npx tsx f.ts", "f.ts"),
        ("go run ./cmd", "main.go"),
        ("go run .", "f.go"),
        ("go test ./...", "go.mod"),
        ("pytest", "conftest.py"),
        ("pytest tests", "conftest.py"),
        ("coverage run f.py", "f.py"),
        ("ansible-playbook -i hosts play.yml", "play.yml"),
        ("terraform plan", "main.tf"),
        ("terraform -chdir=d apply", "main.tf"),
        ("docker compose up -d", "docker-compose.yml"),
        ("docker build -t x .", "Dockerfile"),
        ("docker build d", ".dockerignore"),
        ("npx eslint .", "eslint.config.js"),
        ("ant test", "build.xml"),
        ("run-parts d", "one"),
        ("emacs --batch -l f", "f"),
    ] {
        scene.shows(command, file).await;
    }
}

#[tokio::test]
async fn what_nobody_knows_of_it_or_the_line_changes_is_left_to_people() {
    let scene = scene().await;
    for command in [
        "psql -f \"$F\"",
        "vim -S \"$F\"",
        "tsx \"$F\"",
        "go run \"$F\"",
        "npx tsx \"$F\"",
        "pytest \"$1\"",
        "docker build -f \"$F\" .",
        "docker compose $(cat args)",
        "cd \"$D\" && docker compose up",
        "cd \"$D\" && terraform apply",
        "sed -i s/a/b/ f.sql && psql -f f.sql",
        "sed -i s/a/b/ f && vim -S f",
        "echo x > main.tf && terraform apply",
        "echo x > new.tf && terraform apply",
        "curl -o cmd/new.go http://h/x && go run ./cmd",
        "git pull && docker compose up",
        "git pull && go run .",
        "echo x > conftest.py; pytest",
    ] {
        scene.leaves(command).await;
    }
}

/// What a compiler makes behind its sources is seen by nobody before it runs.
#[tokio::test]
async fn what_the_line_builds_before_it_runs_it_is_left_to_people() {
    let scene = scene().await;
    for folder in ["dist", "bin"] {
        fs::create_dir(scene.ground.path(folder)).unwrap();
    }
    for file in [
        "x.js",
        "x.ts",
        "A.java",
        "dist/x.js",
        "bin/run.sh",
        "deploy.sh",
        "configure",
        "Makefile",
    ] {
        scene.holds(file, b"text\n");
    }
    scene.holds("old", b"\x7fELF\x02\xff\0");
    for command in [
        "gcc x.c -o x && ./x",
        "gcc x.c && ./a.out",
        "gcc-12 -c x.c && gcc-12 x.o && ./a.out",
        "rustc x.rs && ./x",
        "go build -o x . && ./x",
        "go build && ./app",
        "javac A.java && java A",
        "tsc && node dist/x.js",
        "npx tsc x.ts && node x.js",
        "npm run build && node dist/x.js",
        "make && ./x",
        "make && ./old",
        "make -C sub; sub/x",
        "cargo build --release && ./target/release/x",
        "cmake --build b && b/x",
    ] {
        scene.leaves(command).await;
    }
    for command in [
        "make && make install",
        "make && ./deploy.sh",
        "make clean && make",
        "./configure && make",
        "cd dist && make",
        "cmake -B build && cmake --build build",
        "npm run build && npm test",
        "npm run build && bin/run.sh",
        "npm run build && node good.js",
        "npm run lint && npx serve dist",
        "cargo build && cargo test",
        "cargo fmt && cargo clippy --fix && cargo test",
        "export PATH=$PWD/node_modules/.bin:$PATH && npm run build && jest",
        "gcc x.c -o x && ls -l x",
        "docker run --rm -v $PWD:/w x make",
    ] {
        scene.judges(command).await;
    }
}

/// Settings in another place may name code that no word of the line shows.
#[tokio::test]
async fn settings_that_are_taken_from_elsewhere_are_left_to_people_where_there_are_some() {
    let scene = scene().await;
    for folder in ["home", "empty", "conf", "conf/git", "hooks", "repo"] {
        fs::create_dir(scene.ground.path(folder)).unwrap();
    }
    for file in [
        "home/.gitconfig",
        "home/.npmrc",
        "conf/git/config",
        "repo/config",
        "hooks/pre-commit",
    ] {
        scene.holds(file, b"text\n");
    }
    for command in [
        "HOME=home git commit -m x",
        "HOME=$PWD/home npm i",
        "export HOME=home; git commit -m x",
        "env HOME=home git commit -m x",
        "XDG_CONFIG_HOME=conf git commit -m x",
        "GIT_CONFIG_GLOBAL=f git commit -m x",
        "GIT_DIR=repo git commit -m x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=hooks git commit -m x",
        "npm_config_userconfig=home/.npmrc npm i",
        "git -c include.path=f commit -m x",
    ] {
        scene.leaves(command).await;
    }
    for command in [
        "HOME=empty npm test",
        "HOME=/nowhere/at/all npm test",
        "GIT_CONFIG_GLOBAL=/dev/null git commit -m x",
        "GIT_CONFIG_COUNT=0 git commit -m x",
        "git -c user.name=x commit -m x",
    ] {
        scene.judges(command).await;
    }
    scene
        .shows("git -c core.hooksPath=hooks commit -m x", "pre-commit")
        .await;
    scene
        .shows("git -c CORE.HOOKSPATH=hooks commit -m x", "pre-commit")
        .await;
    scene.shows("git -c alias.x='!sh f' x", "f").await;
}

/// What these programs do beside is judged as before.
#[tokio::test]
async fn what_works_on_files_without_running_them_is_judged() {
    let scene = scene().await;
    for command in [
        "docker logs $(docker ps -q)",
        "docker ps -a",
        "terraform fmt",
        "go fmt ./... && go vet ./...",
        "gofmt -w . && go test ./...",
        "eslint --fix . && npx jest",
        "vim x",
        "sqlite3 db 'select 1'",
        "psql -c \"select '$X'\"",
        "psql \"$URL\" -c 'select 1'",
        "pytest -k \"$K\" tests",
        "pytest -x -q tests/test_a.py",
        "pip install -e . && pytest",
        "ruff check --fix . && pytest",
        "npm ci && npx playwright test",
        "mkdir -p out && terraform plan -out out/plan",
        "go build ./... && go test ./...",
        "docker compose up -d && docker compose logs -f web",
        "uv sync && uv run pytest",
        "echo x > out.txt && go run .",
        "cd \"$(git rev-parse --show-toplevel)\" && pytest",
    ] {
        scene.judges(command).await;
    }
}
