//! Hooks that can't start, among those that can.

use pointsman_model::{Attended, Millis};
use pointsman_policy::settings::{HookEvent, HookSetting};

use super::*;
use crate::fixture::{Ground, guard, hook};

fn settings_of(hooks: Vec<HookSetting>) -> HookSettings {
    HookSettings {
        hooks,
        ..HookSettings::default()
    }
}

#[tokio::test]
async fn what_can_not_start_is_told_at_load_with_its_place() {
    let ground = Ground::new().await;
    ground.script("good.sh", "exit 0");
    std::fs::write(ground.path("plain.sh"), "exit 0").unwrap();
    let place = ground.hook_place(Attended::Yes);
    let root = ground.root();
    let shell = |line: &str| hook(HookEvent::PreToolUse, 3, line);
    let with = |run: HookRun| HookSetting {
        run,
        timeout: Millis(1),
        ..shell("")
    };
    let program = |program: &str| {
        with(HookRun::Program {
            program: program.into(),
            args: Vec::new(),
        })
    };
    let check = |setting: HookSetting, expect: Option<&str>| {
        let hooks = vec![setting];
        let settings = settings_of(hooks);
        let told: Vec<_> = hooks_that_cant_start(&settings, &place)
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        let expect: Vec<_> = expect
            .map(|text| text.replace('~', root.as_str()))
            .into_iter()
            .collect();
        assert_eq!(told, expect, "{:?}", settings.hooks[0].run);
    };
    for fine in [
        "cat > /dev/null",
        "read -r line; echo '{}'",
        "\"$CLAUDE_PROJECT_DIR\"/good.sh --now",
        "./good.sh",
        "test -f x && no-such-program",
        "$EDITOR x",
        "$CLAUDE_PROJECT_DIR_BIN/x.sh",
        "\"$POINTSMAN_PROJECT_DIR\"/good.sh --now",
        "${CLAUDE_PROJECT_DIR_BIN}/x.sh",
        "if true; then no-such-program; fi",
    ] {
        check(shell(fine), None);
    }
    let cant = "this hook can't start: ";
    for (line, why) in [
        ("no-such-program x", "there is no program `no-such-program`"),
        ("$CLAUDE_PROJECT_DIR/gone.sh", "there is no `~/gone.sh`"),
        ("$POINTSMAN_PROJECT_DIR/gone.sh", "there is no `~/gone.sh`"),
        ("./plain.sh", "`./plain.sh` is no program that may be run"),
    ] {
        check(shell(line), Some(&format!("{cant}{why}")));
    }
    check(program("${CLAUDE_PROJECT_DIR}/good.sh"), None);
    let why = format!("{cant}there is no `$CLAUDE_PROJECT_DIR_BIN/x.sh`");
    check(program("$CLAUDE_PROJECT_DIR_BIN/x.sh"), Some(&why));
    let why = format!("{cant}there is no program `no-such-program`");
    check(program("no-such-program"), Some(&why));
    let address = |url: &str| {
        with(HookRun::Http {
            url: url.into(),
            headers: Vec::new(),
            env: Vec::new(),
        })
    };
    check(address("http://127.0.0.1:1/hook"), None);
    check(
        address("http://"),
        Some("this hook's address can't be read: empty host"),
    );
}

/// A place whose programs are interpreters, with scripts that can be run and some that can't.
fn with_interpreters(ground: &Ground) -> HookPlace {
    for program in ["python3", "node", "bash", "perl"] {
        ground.script(program, "exit 0");
    }
    ground.script("good.sh", "exit 0");
    std::fs::write(ground.path("crlf.sh"), "#!/bin/sh\r\nexit 0\r\n").unwrap();
    std::fs::write(ground.path("old.py"), "#!/no/such/python -u\n").unwrap();
    std::fs::write(ground.path("env.py"), "#!/usr/bin/env no-such-python\n").unwrap();
    for file in ["crlf.sh", "old.py", "env.py"] {
        use std::os::unix::fs::PermissionsExt as _;
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(ground.path(file), may_run).unwrap();
    }
    let root = ground.root();
    HookPlace {
        environment: pointsman_process::Environment::empty()
            .with("PATH", format!("{root}:/usr/bin:/bin")),
        ..ground.hook_place(Attended::Yes)
    }
}

/// Interpreters end with the code of a no when their script is not there, so each call was refused.
#[tokio::test]
async fn a_script_that_is_not_there_is_told_at_load() {
    let ground = Ground::new().await;
    let place = with_interpreters(&ground);
    let root = ground.root();
    let gone = |name: &str| Some(format!("there is no `{root}/{name}`"));
    for (line, expect) in [
        (
            "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no.py",
            gone(".claude/hooks/no.py"),
        ),
        ("python3 -u no.py --fast", gone("no.py")),
        ("node .claude/hooks/no.mjs", gone(".claude/hooks/no.mjs")),
        ("node --no-warnings no.js", gone("no.js")),
        ("bash ~/no.sh", gone("no.sh")),
        ("bash -eu no.sh", gone("no.sh")),
        (
            "./crlf.sh",
            Some("`./crlf.sh` is to be run by `/bin/sh\r`, which is not there".into()),
        ),
        (
            "./old.py",
            Some("`./old.py` is to be run by `/no/such/python`, which is not there".into()),
        ),
        (
            "./env.py",
            Some(
                "`./env.py` is to be run by `no-such-python`: there is no program `no-such-python`"
                    .into(),
            ),
        ),
        ("bash good.sh", None),
        ("bash ~/good.sh", None),
        ("bash old.py", None),
        ("python3 -m no.such", None),
        ("python3 -c 'open(\"/no.py\")' no.py", None),
        ("python3 -W ./ignore no.py", None),
        ("python3 -", None),
        ("python3", None),
        ("node -e 1 no.js", None),
        ("node --require ./no.js good.sh", None),
        ("node ./good", None),
        ("perl -I lib/no no.pl", None),
        ("bash -c no.sh", None),
        ("bash -s no.sh", None),
        ("bash -o errexit no.sh", None),
        ("bash \"$HOOKS\"/no.sh", None),
        ("bash *.no.sh", None),
        ("bash no", None),
        ("test -f no.sh && bash no.sh", None),
        ("if [ -f no.sh ]; then bash no.sh; fi", None),
    ] {
        assert_eq!(line_that_cant_start(line, &place), expect, "{line}");
    }
}

#[tokio::test]
async fn the_script_of_a_program_with_arguments_is_looked_for_too() {
    let ground = Ground::new().await;
    let place = with_interpreters(&ground);
    let gone = format!(
        "this hook can't start: there is no `{}/no.py`",
        ground.root()
    );
    for (args, expect) in [
        (&["$CLAUDE_PROJECT_DIR/no.py"][..], Some(gone)),
        (&["$CLAUDE_PROJECT_DIR/good.sh"], None),
        (&["-m", "no.py"], None),
    ] {
        let run = HookRun::Program {
            program: "python3".into(),
            args: args.iter().map(|arg| (*arg).into()).collect(),
        };
        let hooks = vec![HookSetting {
            run,
            ..hook(HookEvent::PreToolUse, 3, "")
        }];
        let told = hooks_that_cant_start(&settings_of(hooks), &place);
        let told = told.first().map(|problem| problem.message.clone());
        assert_eq!(told, expect, "{args:?}");
    }
}

#[tokio::test]
async fn law_15_a_guard_that_can_not_start_stops_an_unattended_run() {
    let ground = Ground::new().await;
    let place = ground.hook_place(Attended::No);
    let broken = hook(HookEvent::PreToolUse, 3, "no-such-program");
    let hooks = vec![broken.clone(), guard(broken)];
    let problems = hooks_that_cant_start(&settings_of(hooks), &place);
    let severities: Vec<_> = problems.iter().map(|problem| problem.severity).collect();
    assert_eq!(severities, [Severity::Warning, Severity::StopsUnattended]);
    let named = problems.first().and_then(|problem| problem.place.clone());
    assert_eq!(named.unwrap().to_string(), "settings.json:3:1");
}

/// The most usual spelling, in a project whose path has signs that shells read.
#[tokio::test]
async fn the_projects_root_is_one_word_in_quotes() {
    for name in ["plain", "sp ace", "it's (1) & $x", "a\\b"] {
        let ground = Ground::new().await;
        let project = ground.root().join(name);
        std::fs::create_dir(project.as_path()).unwrap();
        ground.script(&format!("{name}/good.sh"), "exit 0");
        let place = HookPlace {
            project: project.clone(),
            ..ground.hook_place(Attended::Yes)
        };
        let told = |line: &str| {
            let hooks = vec![guard(hook(HookEvent::PreToolUse, 3, line))];
            let told = hooks_that_cant_start(&settings_of(hooks), &place);
            let told: Vec<_> = told.into_iter().map(|problem| problem.message).collect();
            told.join(", ")
        };
        for fine in [
            "\"$CLAUDE_PROJECT_DIR\"/good.sh",
            "\"$CLAUDE_PROJECT_DIR/good.sh\" --now",
            "\"${CLAUDE_PROJECT_DIR}\"/good.sh",
            "\"${CLAUDE_PROJECT_DIR}/good.sh\"",
            "sh \"$CLAUDE_PROJECT_DIR\"/good.sh",
            "echo \\\"x; true",
        ] {
            assert_eq!(told(fine), "", "{name}: {fine}");
        }
        let gone = format!("this hook can't start: there is no `{project}/gone.sh`");
        assert_eq!(told("\"$CLAUDE_PROJECT_DIR\"/gone.sh"), gone);
        assert_eq!(told("\"$CLAUDE_PROJECT_DIR/gone.sh\""), gone);
        assert_eq!(told("sh \"$CLAUDE_PROJECT_DIR\"/gone.sh"), gone);
    }
    // Outside of quotes the shell parts it, and there is no such program.
    let ground = Ground::new().await;
    let project = ground.root().join("sp ace");
    std::fs::create_dir(project.as_path()).unwrap();
    ground.script("sp ace/good.sh", "exit 0");
    let place = HookPlace {
        project,
        ..ground.hook_place(Attended::Yes)
    };
    let hooks = vec![hook(
        HookEvent::PreToolUse,
        3,
        "$CLAUDE_PROJECT_DIR/good.sh",
    )];
    let told = hooks_that_cant_start(&settings_of(hooks), &place);
    assert!(told[0].message.ends_with("/sp`"), "{}", told[0].message);
}
