//! Settings: trust in a project, what counts without it, and the verbs that look at rules.

use expectrl::{Eof, Expect as _};
use serde_json::Value;

use crate::ground::{Ended, Project};

const WRITES: &str = r#"
[[job]]
name = "writes"
[[job.step]]
tool = "Write"
input = { file_path = "out.txt", content = "written\n" }
"#;

const ALLOWS: &str = "{\n  \"permissions\": {\n    \"allow\": [\"Edit(/out.txt)\"]\n  }\n}\n";

const SETTINGS: &str = ".claude/settings.json";

/// A project whose own file allows what its job does.
fn loosened() -> Project {
    let project = Project::with_job(WRITES);
    project.write(SETTINGS, ALLOWS);
    project
}

fn content(project: &Project) -> String {
    let shown = project.run(["trust", "--json"]);
    shown.objects()[0]["content"].as_str().unwrap().to_owned()
}

/// What was printed, with the temporary folder's name taken out.
fn plain(project: &Project, ended: &Ended) -> String {
    let folder = project.root().canonicalize().unwrap();
    let text = ended.out.replace(folder.to_str().unwrap(), "PROJECT");
    text.replace(
        project.home().canonicalize().unwrap().to_str().unwrap(),
        "HOME",
    )
}

#[test]
fn law_7_what_a_project_loosens_waits_for_a_yes_and_is_told_in_one_line() {
    let project = loosened();
    let refused = project.run(["run", "job.toml"]).expect_code(3);
    let told = refused
        .err
        .lines()
        .filter(|line| line.contains("pointsman trust"));
    assert_eq!(told.count(), 1, "{}", refused.err);
    project.run(["check", "Write", "out.txt"]).expect_code(4);
    assert_eq!(project.read("out.txt"), None);
    project.run(["trust", "--yes"]).expect_code(0);
    let done = project.run(["run", "job.toml"]).expect_code(0);
    assert!(!done.err.contains("pointsman trust"), "{}", done.err);
    assert_eq!(project.read("out.txt").as_deref(), Some("written\n"));
}

#[test]
fn a_yes_holds_for_exactly_the_content_it_was_said_to() {
    let project = loosened();
    project.run(["trust", "--yes"]).expect_code(0);
    project.run(["check", "Write", "out.txt"]).expect_code(0);
    project.write(SETTINGS, &ALLOWS.replace("out.txt", "*.txt"));
    project.run(["check", "Write", "out.txt"]).expect_code(4);
    project.write(SETTINGS, ALLOWS);
    project.run(["check", "Write", "out.txt"]).expect_code(0);
    project.run(["trust", "--revoke"]).expect_code(0);
    project.run(["check", "Write", "out.txt"]).expect_code(4);
}

/// An agent that may edit files does not get a yes by editing the hook that is asked about it.
#[test]
fn law_7_an_agent_that_edits_a_hook_of_the_project_does_not_make_it_run_something_else() {
    let job = r#"
[[job]]
name = "edits"
mode = "acceptEdits"
[[job.step]]
tool = "Write"
input = { file_path = "tools/seen.sh", content = "touch ran\n" }
[[job.step]]
tool = "Write"
input = { file_path = "tools/guard.sh", content = """
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
""" }
[[job.step]]
tool = "Bash"
input = { command = "make made" }
"#;
    let project = Project::with_job(job);
    project.write("Makefile", "made:\n\ttouch made\n");
    let hook = |line: &str| format!(r#"{{"type": "command", "command": "{line}"}}"#);
    let (seen, guard) = (hook("sh tools/seen.sh"), hook("sh tools/guard.sh"));
    project.write(
        SETTINGS,
        &format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{seen}, {guard}]}}]}}}}"#
        ),
    );
    project.write("tools/seen.sh", "exit 0\n");
    project.write("tools/guard.sh", "exit 0\n");
    project.run(["trust", "--yes"]).expect_code(0);
    let ended = project.run(["run", "job.toml"]).expect_code(3);
    assert!(project.read("tools/guard.sh").unwrap().contains("allow"));
    assert_eq!((project.read("ran"), project.read("made")), (None, None));
    for script in ["seen", "guard"] {
        let told = format!("its script `tools/{script}.sh` changed since the run began");
        assert!(ended.out.contains(&told), "{}", ended.out);
    }
    // The next run asks for a yes to the new scripts.
    let told = project.run(["run", "job.toml"]);
    assert!(told.err.contains("pointsman trust"), "{}", told.err);
}

#[test]
fn what_a_project_tightens_holds_at_once() {
    let project = Project::with_job(WRITES);
    project.write(SETTINGS, r#"{"permissions":{"deny":["Edit(/out.txt)"]}}"#);
    let ended = project.run(["check", "Write", "out.txt"]).expect_code(3);
    assert!(!ended.err.contains("trust"), "{}", ended.err);
    let nothing = project.run(["trust"]).expect_code(0);
    assert!(
        nothing.out.contains("nothing needs trust"),
        "{}",
        nothing.out
    );
}

#[test]
fn without_a_terminal_nobody_is_asked_and_nothing_is_trusted() {
    let project = loosened();
    let shown = project.run(["trust"]).expect_code(1);
    let line = "  .claude/settings.json:3:15  allows                Edit(/out.txt)\n";
    assert!(shown.out.contains(line), "{}", shown.out);
    assert!(shown.err.contains("--digest"), "{}", shown.err);
    project.run(["trust", "--json"]).expect_code(1);
    project.run(["check", "Write", "out.txt"]).expect_code(4);
}

#[test]
fn at_a_terminal_the_whole_word_has_to_be_typed() {
    let project = loosened();
    for (typed, told) in [("y\r", "not trusted"), ("yes\r", "in force until")] {
        let mut terminal = project.at_terminal(["trust"]);
        terminal.expect("type `yes`").unwrap();
        terminal.send(typed).unwrap();
        terminal.expect(told).unwrap();
        terminal.expect(Eof).unwrap();
    }
    project.run(["check", "Write", "out.txt"]).expect_code(0);
}

#[test]
fn a_digest_says_yes_to_that_content_alone() {
    let project = loosened();
    let agreed = content(&project);
    project.write(SETTINGS, &ALLOWS.replace("out.txt", "**"));
    let refused = project.run(["trust", "--digest", &agreed]).expect_code(1);
    assert!(
        refused.err.contains("nothing was changed"),
        "{}",
        refused.err
    );
    project.run(["check", "Write", "out.txt"]).expect_code(4);
    project.write(SETTINGS, ALLOWS);
    let done = project
        .run(["trust", "--digest", &agreed, "--json"])
        .expect_code(0);
    assert_eq!(done.objects()[0]["trusted"], true);
    project.run(["check", "Write", "out.txt"]).expect_code(0);
    project.run(["trust", "--digest", "abc"]).expect_code(2);
}

#[test]
fn a_damaged_record_of_trust_is_told_and_counts_as_none() {
    let project = loosened();
    project.run(["trust", "--yes"]).expect_code(0);
    std::fs::write(project.state_folder().join("trust.json"), "{").unwrap();
    let ended = project.run(["check", "Write", "out.txt"]).expect_code(4);
    assert!(ended.err.contains("is damaged"), "{}", ended.err);
    project.run(["trust", "--yes"]).expect_code(0);
    project.run(["check", "Write", "out.txt"]).expect_code(0);
}

#[test]
fn a_worktree_takes_the_trust_of_its_main_checkout() {
    let project = loosened();
    project.run(["trust", "--yes"]).expect_code(0);
    let root = project.root().canonicalize().unwrap();
    let tree = root.parent().unwrap().join("tree");
    let git = root.join(".git/worktrees/tree");
    std::fs::create_dir_all(&git).unwrap();
    std::fs::create_dir_all(tree.join(".claude")).unwrap();
    std::fs::write(git.join("commondir"), "../..\n").unwrap();
    std::fs::write(
        git.join("gitdir"),
        format!("{}\n", tree.join(".git").display()),
    )
    .unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
    let code = |text: &str| {
        std::fs::write(tree.join(SETTINGS), text).unwrap();
        let mut command = project.command(["check", "Write", "out.txt"]);
        command.current_dir(&tree).output().unwrap().status.code()
    };
    assert_eq!(code(ALLOWS), Some(0));
    assert_eq!(code(&ALLOWS.replace("out.txt", "**")), Some(4));
}

#[test]
fn law_7_a_deny_that_can_t_be_read_stops_nobody_s_run_and_makes_somebody_s_ask() {
    let project = Project::with_job(
        "[[job]]\nname = \"reads\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n",
    );
    project.write(
        SETTINGS,
        "{\"permissions\": {\n  \"deny\": [\"Bash(rm\"]\n}}\n",
    );
    let stopped = project
        .run(["run", "--unattended", "job.toml"])
        .expect_code(2);
    let place = format!("{SETTINGS}:2:");
    assert!(stopped.err.contains(&place), "{}", stopped.err);
    assert!(
        stopped.err.contains("2 |   \"deny\": [\"Bash(rm\"]"),
        "{}",
        stopped.err
    );
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    project.run(["answer", &id, "allow"]).expect_code(0);
    leader.wait().expect_code(0);
}

#[test]
fn the_command_line_is_read_as_loudly_as_files() {
    let project = Project::new();
    let ended = project
        .run(["check", "--deny", "Bsh(rm *)", "Read", "x"])
        .expect_code(0);
    assert!(ended.err.contains("did you mean `Bash`?"), "{}", ended.err);
}

#[test]
fn show_lists_the_rules_in_force_with_source_and_files() {
    let project = loosened();
    for name in [".env", "sub/.env", "src/a.rs"] {
        project.write(name, "");
    }
    project.write(
        ".claude/settings.local.json",
        "{\"permissions\": {\n  \"deny\": [\"Read(.env)\", \"Bash(rm *)\"],\n  \"allow\": [\"Edit(/src/**)\"],\n  \
         \"defaultMode\": \"acceptEdits\", \"disableBypassPermissionsMode\": \"disable\",\n  \
         \"additionalDirectories\": [\"lib\"]\n},\n\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n  \
         {\"type\": \"command\", \"command\": \"cat\"}]}]}}\n",
    );
    let shown = project.run(["policy", "show"]).expect_code(0);
    insta::assert_snapshot!(plain(&project, &shown));
    let objects = project
        .run(["policy", "show", "--json"])
        .expect_code(0)
        .objects();
    assert_eq!(objects.len(), 8);
    assert_eq!(objects[7]["summary"]["rules"], 3);
    for kind in ["mode", "directory", "lock", "hook"] {
        let of = |object: &&Value| object.get(kind).is_some();
        let object = objects.iter().find(of).unwrap();
        assert_eq!(object[kind]["source"], "localSettings", "{kind}");
    }
    let deny = objects
        .iter()
        .find(|rule| rule["rule"]["text"] == "Read(.env)")
        .unwrap();
    assert_eq!(deny["patterns"][0]["files"]["files"], 2);
    assert_eq!(deny["rule"]["source"], "localSettings");
}

#[test]
fn show_tells_a_program_that_there_are_no_rules_and_which_files_could_hold_some() {
    let project = Project::new();
    project.write(SETTINGS, "{}\n");
    let objects = project
        .run(["policy", "show", "--json"])
        .expect_code(0)
        .objects();
    let [object] = &*objects else {
        panic!("{objects:?}");
    };
    let summary = &object["summary"];
    assert_eq!(summary["rules"], 0);
    assert_eq!(summary["standing"], "clean");
    let files = summary["files"].as_array().unwrap();
    let of = |end: &str| {
        let ends = |file: &&Value| {
            file["path"]
                .as_str()
                .is_some_and(|path| path.ends_with(end))
        };
        &files.iter().find(ends).unwrap()["found"]
    };
    assert!(
        of(&format!("proj/{SETTINGS}"))["read"]["digest"].is_string(),
        "{files:?}"
    );
    assert_eq!(*of(".claude/settings.local.json"), "absent");
}

#[test]
fn lint_tells_what_is_wrong_trusted_or_not() {
    let project = Project::new();
    project.run(["policy", "lint"]).expect_code(0);
    project.write(
        SETTINGS,
        "{\n  \"permission\": {},\n  \"permissions\": {\n    \"deny\": [\"Read(/etc/passwd)\"],\n    \"allow\": [\"Bash(*)\", \"Bash(ls)\"]\n  }\n}\n",
    );
    let told = project.run(["policy", "lint"]).expect_code(1);
    insta::assert_snapshot!(plain(&project, &told));
    let objects = project
        .run(["policy", "lint", "--json"])
        .expect_code(1)
        .objects();
    assert!(
        objects
            .iter()
            .all(|problem| problem["place"]["line"].is_u64())
    );
}

#[test]
fn schema_is_json_and_names_the_keys() {
    let printed = Project::new().run(["policy", "schema"]).expect_code(0);
    let schema: Value = serde_json::from_str(&printed.out).unwrap();
    assert!(schema["properties"]["permissions"].is_object());
    assert!(schema["properties"]["pointsman"].is_object());
}

#[test]
fn policy_test_is_check_cases() {
    let project = Project::new();
    let case = |expected: &str| {
        format!(
            r#"{{"id":"a","settings":{{"permissions":{{"deny":["Bash(rm *)"]}}}},"mode":"default","cwd":"/w","home":"/h","tool":"Bash","input":{{"command":"rm x"}},"expected":"{expected}"}}"#
        )
    };
    for (expected, code) in [("deny", 0), ("allow", 1)] {
        project.write("cases.jsonl", &case(expected));
        let test = project
            .run(["policy", "test", "cases.jsonl", "--json"])
            .expect_code(code);
        let check = project
            .run(["check", "--cases", "cases.jsonl", "--json"])
            .expect_code(code);
        assert_eq!(test.out, check.out);
    }
    project.run(["policy", "test", "none.jsonl"]).expect_code(2);
}

const ASKS_TWICE: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "out/one.txt", content = "1" }
[[job.step]]
tool = "Bash"
input = { command = "touch between" }
[[job.step]]
tool = "Write"
input = { file_path = "out/two.txt", content = "2" }
"#;

const WRITES_THREE: &str = r#"
[[job]]
name = "writes"
[[job.step]]
tool = "Write"
input = { file_path = "out/1.txt", content = "1" }
[[job.step]]
tool = "Write"
input = { file_path = "out/2.txt", content = "2" }
[[job.step]]
tool = "Write"
input = { file_path = "out/3.txt", content = "3" }
"#;

#[test]
fn a_grant_ends_with_its_uses_or_its_time() {
    let project = Project::with_job(WRITES_THREE);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let first = project.questions(1).remove(0);
    let limited = |limits: [&str; 4]| {
        let [a, b, c, d] = limits;
        let always = ["answer", &first, "allow", "--always", "job", "--rule", "2"];
        let [v, id, allow, always, job, rule, two] = always;
        project.run([v, id, allow, always, job, rule, two, a, b, c, d])
    };
    for (uses, time, told) in [
        ("1", "soon", "--for"),
        ("1", "0s", "--for"),
        ("0", "2h", "--uses"),
    ] {
        let wrong = limited(["--uses", uses, "--for", time]).expect_code(2);
        assert!(wrong.err.contains(told), "{}", wrong.err);
    }
    let alone = project.run(["answer", &first, "allow", "--uses", "1"]);
    assert!(alone.expect_code(2).err.contains("--always"));
    // What is saved has no end.
    for (bound, much) in [("--uses", "3"), ("--for", "30m")] {
        let saved = limited(["--save", "user", bound, much]).expect_code(2);
        assert!(saved.err.contains("--save"), "{}", saved.err);
    }
    limited(["--uses", "1", "--for", "1h 30m"]).expect_code(0);
    // The second file used it up.
    let last = crate::ground::until("the third file is asked about", || {
        let open = project.queue();
        let open = open.first()?;
        let id = open["id"].as_str()?.to_owned();
        (id != first).then(|| (id, open["call"].to_string()))
    });
    assert!(last.1.contains("out/3.txt"), "{}", last.1);
    assert_eq!(project.read("out/2.txt").as_deref(), Some("2"));
    let made = project.run(["log", "--kind", "grant_made", "--json"]);
    let made = made.expect_code(0).objects();
    assert!(made[0].to_string().contains("until"), "{made:?}");
    let none = project.run(["grants"]).expect_code(0);
    assert!(none.out.contains("nothing is granted"), "{}", none.out);
    project.run(["answer", &last.0, "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("out/3.txt"), None);
}

#[test]
fn grants_are_listed_and_a_revoked_one_counts_no_longer() {
    let project = Project::with_job(ASKS_TWICE);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let first = project.questions(1).remove(0);
    // A rule that can't match would hold nothing.
    for rule in ["Bsh(git push *)", "Write(/x/**)"] {
        let nothing = project
            .run(["grants", "tighten", "deny", rule])
            .expect_code(2);
        assert!(
            nothing.err.contains("would hold nothing"),
            "{}",
            nothing.err
        );
    }
    project
        .run(["answer", &first, "allow", "--always", "job", "--rule", "2"])
        .expect_code(0);
    let between = crate::ground::until("the second question is open", || {
        let open = project.queue();
        let id = open.first()?["id"].as_str()?.to_owned();
        (id != first).then_some(id)
    });
    let granted = project.run(["grants", "--json"]).expect_code(0).objects();
    assert_eq!(granted.len(), 1, "{granted:?}");
    assert_eq!(granted[0]["scope"], "job");
    let grant = granted[0]["id"].as_str().unwrap();
    let listed = project.run(["grants"]).expect_code(0);
    assert!(listed.out.contains("Edit(/"), "{}", listed.out);
    project.run(["grants", "revoke", grant]).expect_code(0);
    let again = project.run(["grants", "revoke", grant]).expect_code(2);
    assert!(again.err.contains("there is no grant"), "{}", again.err);
    let none = project.run(["grants"]).expect_code(0);
    assert!(none.out.contains("nothing is granted"), "{}", none.out);
    project.run(["answer", &between, "allow"]).expect_code(0);
    let last = crate::ground::until("the third question is open", || {
        let open = project.queue();
        let id = open.first()?["id"].as_str()?.to_owned();
        (id != between).then_some(id)
    });
    project.run(["answer", &last, "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("out/two.txt"), None);
    project.run(["grants"]).expect_code(2);
}

#[test]
fn a_saved_rule_holds_for_the_next_run() {
    let project = Project::with_job(WRITES);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    let wrong = project
        .run(["answer", &id, "deny", "--save", "local"])
        .expect_code(2);
    assert!(
        wrong.err.contains("goes with `allow` alone"),
        "{}",
        wrong.err
    );
    project
        .run(["answer", &id, "allow", "--save", "local", "--rule", "9"])
        .expect_code(2);
    project
        .run(["answer", &id, "allow", "--save", "local"])
        .expect_code(0);
    leader.wait().expect_code(0);
    let saved = project.read(".claude/settings.local.json").unwrap();
    assert!(saved.contains("out.txt"), "{saved}");
    project.run(["run", "job.toml"]).expect_code(0);
}
