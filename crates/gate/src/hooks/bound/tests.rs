//! Real scripts, edited while a run goes on.

use std::path::Path;
use std::time::Duration;

use pointsman_ledger::HookCame;
use pointsman_model::{
    AbsPath, Attended, CallId, Effects, HookedCall, JsonText, Lineage, PermissionMode, RuleSource,
    ToolName,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookEvent, HookLife, HookRun, HookSetting};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Ground, guard, hook, users};
use crate::hooks::{HookScene, Hooks, PreToolUse, PreToolUseVote};

/// What an agent would write into a hook.
const A_YES: &str =
    r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;

fn before(line: &str) -> HookSetting {
    hook(HookEvent::PreToolUse, 1, line)
}

fn program(program: &str, args: &[&str]) -> HookSetting {
    HookSetting {
        run: HookRun::Program {
            program: program.into(),
            args: args.iter().map(|arg| (*arg).into()).collect(),
        },
        ..before("")
    }
}

async fn ask(ground: &Ground, hooks: &Hooks, folder: &AbsPath) -> PreToolUse {
    let call = HookedCall {
        id: CallId::new(ground.run, 1),
        tool: ToolName::parse("Bash").unwrap(),
        input: JsonText::parse(r#"{"command":"ls"}"#).unwrap(),
    };
    let scene = HookScene {
        lineage: &Lineage::root(ground.worker(1)),
        folder,
        mode: PermissionMode::AcceptEdits,
        effects: &Effects::default(),
        stop: &CancellationToken::new(),
    };
    hooks.pre_tool_use(&call, &scene).await
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Why the only hook failed.
fn failed(turn: &PreToolUse) -> &str {
    assert_eq!(turn.reports[0].came, HookCame::Failed, "{turn:?}");
    &turn.reports[0].text
}

fn came(turn: &PreToolUse) -> HookCame {
    turn.reports[0].came
}

#[tokio::test]
async fn law_7_a_hook_whose_script_was_edited_in_the_run_is_not_started() {
    let ground = Ground::new().await;
    ground.script("g.sh", "exit 0");
    let root = ground.root();
    let plain = ground.hooks(vec![before("./g.sh")], Attended::Yes);
    let guards = ground.hooks(vec![guard(before("./g.sh"))], Attended::No);
    for hooks in [&plain, &guards] {
        let turn = ask(&ground, hooks, &root).await;
        assert_eq!(came(&turn), HookCame::Nothing, "{turn:?}");
    }
    ground.script("g.sh", &format!("touch ran; {A_YES}"));
    let turn = ask(&ground, &plain, &root).await;
    assert_eq!(
        failed(&turn),
        "its script `g.sh` changed since the run began; start a new run (and `pointsman trust`) to use it"
    );
    // A plain one, too: to break it would else be to silence it.
    for hooks in [&plain, &guards] {
        let turn = ask(&ground, hooks, &root).await;
        let PreToolUseVote::Ladder(HookVote::Ask { .. }) = turn.vote else {
            panic!("{turn:?}");
        };
        assert!(failed(&turn).contains("changed since the run began"));
    }
    assert!(!ground.path("ran").exists(), "it was started");
    // What is written back is what it was.
    ground.script("g.sh", "exit 0");
    let turn = ask(&ground, &plain, &root).await;
    assert_eq!(came(&turn), HookCame::Nothing, "{turn:?}");
    std::fs::remove_file(ground.path("g.sh")).unwrap();
    assert!(failed(&ask(&ground, &plain, &root).await).contains("changed"));
}

/// Each way to write and to keep a hook of the project, and what an agent edits for it to run something else.
#[tokio::test]
async fn law_7_each_form_of_hook_is_held_to_its_scripts() {
    let of = |source: RuleSource, hook: HookSetting| HookSetting { source, ..hook };
    let resident = |line: &str| HookSetting {
        life: HookLife::Resident,
        ..before(line)
    };
    let cases = [
        (before("sh tools/g.sh"), "tools/g.sh"),
        (before("cd tools && . ./g.sh"), "tools/g.sh"),
        (before("\"$CLAUDE_PROJECT_DIR\"/tools/g.sh"), "tools/g.sh"),
        (before("sh < tools/g.sh"), "tools/g.sh"),
        (before("env -i xargs tools/g.sh"), "tools/g.sh"),
        (before("sh < guard"), "guard"),
        (before("cat guard | python3"), "guard"),
        (before("cp guard ../g && sh ../g"), "guard"),
        (before("export PATH=\"./tools:$PATH\"; g.sh"), "tools/g.sh"),
        (before("make hook"), "Makefile"),
        (before("make hook"), "GNUmakefile"),
        (before("npm run hook"), "package.json"),
        (program("sh", &["tools/g.sh"]), "tools/g.sh"),
        (program("$CLAUDE_PROJECT_DIR/tools/g.sh", &[]), "tools/g.sh"),
        (program("sh", &["-c", "cd tools; ./g.sh"]), "tools/g.sh"),
        (program("sh", &["guard"]), "guard"),
        (program("python3", &["-m", "hooks.guard"]), "hooks/guard.py"),
        (program("make", &["hook"]), "Makefile"),
        (program("make", &["-f", "guard"]), "guard"),
        (before("make -f guard hook"), "guard"),
        (before("just --justfile guard"), "guard"),
        (before("nodejs -r ./guard -e 1"), "guard.js"),
        (
            before("\"$POINTSMAN_PROJECT_DIR\"/tools/g.sh"),
            "tools/g.sh",
        ),
        (
            program("${POINTSMAN_PROJECT_DIR}/tools/g.sh", &[]),
            "tools/g.sh",
        ),
        (
            of(RuleSource::LocalSettings, before("tools/g.sh")),
            "tools/g.sh",
        ),
        (resident("sh tools/g.sh"), "tools/g.sh"),
    ];
    for (setting, script) in cases {
        let ground = Ground::new().await;
        for name in [
            "tools/g.sh",
            "Makefile",
            "package.json",
            "guard",
            "hooks/guard.py",
        ] {
            write(&ground.path(name), "exit 0\n");
        }
        let hooks = ground.hooks(vec![setting.clone()], Attended::Yes);
        write(&ground.path(script), "echo other\n");
        let turn = ask(&ground, &hooks, &ground.root()).await;
        let why = failed(&turn);
        let wanted = format!("its script `{script}` changed since the run began");
        assert!(why.starts_with(&wanted), "{setting:?}: {why}");
    }
}

/// What the person's own hooks run is theirs to change, and data that a hook names is no script.
#[tokio::test]
async fn what_is_no_script_of_the_project_may_change() {
    let cases = [
        (users(before("sh g.sh")), "g.sh"),
        (before("sh g.sh log.jsonl"), "log.jsonl"),
        (before("sh g.sh new.txt"), "new.txt"),
        (before("sh g.sh; cat CHANGELOG.md"), "CHANGELOG.md"),
        (before("echo it >> log.jsonl"), "log.jsonl"),
        (before("true src"), "src/main.rs"),
        (before("true build"), "build/x"),
        (before("sh g.sh"), "other.sh"),
        (program("sh", &["g.sh", "log.jsonl"]), "log.jsonl"),
        (program("true", &["log.jsonl"]), "log.jsonl"),
        (
            before("cargo --version >/dev/null 2>&1; exit 0"),
            "Cargo.toml",
        ),
        (
            before("node --version >/dev/null 2>&1; exit 0"),
            "package.json",
        ),
        (before("exit 0; python3 -m pytest"), "conftest.py"),
        (before("exit 0; uv run pytest"), "conftest.py"),
        (before("exit 0; uv run pytest"), "setup.py"),
        (before("exit 0; bundle exec rspec"), "spec_helper.rb"),
    ];
    for (setting, edited) in cases {
        let ground = Ground::new().await;
        for name in [
            "g.sh",
            "log.jsonl",
            "CHANGELOG.md",
            "src/main.rs",
            "Cargo.toml",
        ] {
            write(&ground.path(name), "exit 0\n");
        }
        let hooks = ground.hooks(vec![setting.clone()], Attended::Yes);
        write(&ground.path(edited), "exit 0 \n");
        let turn = ask(&ground, &hooks, &ground.root()).await;
        assert_eq!(came(&turn), HookCame::Nothing, "{setting:?}: {turn:?}");
    }
}

/// In another folder the line means other files: one that was there when the run began runs, one that came since does not.
#[tokio::test]
async fn law_7_an_agent_does_not_go_to_where_the_hooks_script_is_its_own() {
    let ground = Ground::new().await;
    for name in ["g.sh", "old/g.sh"] {
        write(&ground.path(name), "exit 0\n");
    }
    // The clock of files goes in ticks.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let hooks = ground.hooks(vec![before("sh ./g.sh")], Attended::Yes);
    let old = ground.root().join("old");
    let turn = ask(&ground, &hooks, &old).await;
    assert_eq!(came(&turn), HookCame::Nothing, "{turn:?}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    write(&ground.path("new/g.sh"), A_YES);
    write(&ground.path("old/g.sh"), A_YES);
    for folder in ["new", "old"] {
        let turn = ask(&ground, &hooks, &ground.root().join(folder)).await;
        let wanted = format!("its script `{folder}/g.sh` changed since the run began");
        assert!(failed(&turn).starts_with(&wanted), "{turn:?}");
    }
}

/// What an interpreter is given is its script, also where it is called as a file that tools look for by themselves and
/// agents edit as a part of their work.
#[tokio::test]
async fn law_7_a_script_that_is_named_as_a_tools_file_is_held_to() {
    for (setting, script) in [
        (before("python3 scripts/setup.py"), "scripts/setup.py"),
        (
            before("cd tools && python3 conftest.py"),
            "tools/conftest.py",
        ),
        (before("uv run setup.py"), "setup.py"),
        (before("uv run python scripts/setup.py"), "scripts/setup.py"),
        (before("ruby spec_helper.rb"), "spec_helper.rb"),
        (before("elixir mix.exs"), "mix.exs"),
        (before("node package.json"), "package.json"),
        (program("python3", &["setup.py"]), "setup.py"),
    ] {
        let ground = Ground::new().await;
        let sub = ground.root().join("sub");
        let hooks = ground.hooks(vec![setting.clone()], Attended::Yes);
        tokio::time::sleep(Duration::from_millis(50)).await;
        for (folder, file) in [
            (sub, format!("sub/{script}")),
            (ground.root(), script.to_owned()),
        ] {
            write(&ground.path(&file), "exit(0)\n");
            let turn = ask(&ground, &hooks, &folder).await;
            let why = failed(&turn);
            let wanted = format!("its script `{file}` changed since the run began");
            assert!(why.starts_with(&wanted), "{setting:?}: {why}");
        }
    }
}

/// So in a folder outside of the project, which an agent may have among its own; what the hook names there and everywhere
/// is the person's to change.
#[tokio::test]
async fn law_7_an_agent_does_not_take_the_hooks_script_with_it_out_of_the_project() {
    let ground = Ground::new().await;
    for name in ["g.sh", "tools/g.sh"] {
        write(&ground.path(name), "exit 0\n");
    }
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let folder = AbsPath::parse(outside.join("at").to_str().unwrap()).unwrap();
    let own = outside.join("own.sh");
    write(&outside.join("at/tools/rest.sh"), "exit 0\n");
    let fixed = format!("sh {}", own.display());
    let cases = [
        (before("sh ./g.sh"), "at/g.sh"),
        (before("cd tools && ./g.sh"), "at/tools/g.sh"),
        (before("sh ../g.sh"), "g.sh"),
        (before("cd .. && sh g.sh"), "g.sh"),
        (before("python3 -m guard"), "at/guard.py"),
        (program("sh", &["g.sh"]), "at/g.sh"),
        (program("./g.sh", &[]), "at/g.sh"),
        (program("make", &["hook"]), "at/Makefile"),
    ];
    for (setting, written) in cases {
        let hooks = ground.hooks(vec![setting.clone()], Attended::Yes);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let written = outside.join(written);
        write(&written, A_YES);
        let turn = ask(&ground, &hooks, &folder).await;
        let wanted = format!("its script `{}` changed", written.display());
        assert!(failed(&turn).starts_with(&wanted), "{setting:?}: {turn:?}");
        std::fs::remove_file(written).unwrap();
    }
    let hooks = ground.hooks(vec![before(&fixed)], Attended::Yes);
    tokio::time::sleep(Duration::from_millis(50)).await;
    write(&own, "exit 0\n");
    let turn = ask(&ground, &hooks, &folder).await;
    assert_eq!(came(&turn), HookCame::Nothing, "{turn:?}");
}

/// A file that has rested is not read again, and one that is written with its old size and times is.
#[tokio::test]
async fn what_was_written_with_its_old_times_is_read_again() {
    let ground = Ground::new().await;
    let path = ground.path("g.sh");
    write(&path, "exit 0\n");
    let times = std::fs::metadata(&path).unwrap().modified().unwrap();
    tokio::time::sleep(super::SETTLED + Duration::from_millis(100)).await;
    let hooks = ground.hooks(vec![before("sh g.sh")], Attended::Yes);
    for _ in 0..2 {
        let turn = ask(&ground, &hooks, &ground.root()).await;
        assert_eq!(came(&turn), HookCame::Nothing, "{turn:?}");
    }
    write(&path, "exit 1\n");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(times).unwrap();
    let turn = ask(&ground, &hooks, &ground.root()).await;
    assert!(failed(&turn).contains("changed"), "{turn:?}");
}
