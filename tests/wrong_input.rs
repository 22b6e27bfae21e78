//! Wrong job files, settings and places: each a clear error, and nothing is run.

use std::os::unix::fs::PermissionsExt as _;

use crate::ground::Project;

const FINE: &str =
    "[[job]]\nname = \"a\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n";

#[test]
fn all_faults_of_a_job_file_are_told_at_once_with_place_and_suggestion() {
    let project = Project::with_job(
        "slot = 2\n[[job]]\nname = \"a\"\nmode = \"plann\"\nneeds = [\"b\"]\nallow = [\"Bash(\"]\n\
         [[job.step]]\ntool = \"Bsh\"\ninput = { command = \"ls\" }\n",
    );
    let ended = project.run(["run", "job.toml"]).expect_code(2);
    for told in [
        "job.toml:1:1",
        "did you mean `slots`?",
        "job.toml:4:8",
        "did you mean `plan`?",
        "job.toml:5:10",
        "job.toml:6:16",
        "job.toml:8:8",
        "did you mean `Bash`?",
        "the job file has 5 problems; nothing was run",
    ] {
        assert!(ended.err.contains(told), "no `{told}` in\n{}", ended.err);
    }
    let json = project.run(["run", "job.toml", "--json"]).expect_code(2);
    assert_eq!(json.objects().len(), 5);
    assert_eq!(json.objects()[0]["problem"]["place"]["line"], 1);
}

#[test]
fn a_missing_job_file_says_how_to_get_one() {
    let ended = Project::new().run(["run", "job.toml"]).expect_code(2);
    assert!(ended.err.contains("--> job.toml"), "{}", ended.err);
    assert!(ended.err.contains("pointsman init"), "{}", ended.err);
}

#[test]
fn law_7_settings_that_can_t_be_read_stop_an_unattended_run() {
    let project = Project::with_job(FINE);
    project.write(
        ".claude/settings.json",
        "{\"permissions\":{\"deny\":[\"Bash(\"]}}",
    );
    let ended = project.run(["run", "job.toml"]).expect_code(2);
    assert!(
        ended.err.contains(".claude/settings.json:1:"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("nobody is there to ask"),
        "{}",
        ended.err
    );
    project.run(["log"]).expect_code(2);
    project.write(
        ".claude/settings.json",
        "{\"permissions\":{\"allow\":[\"Bash(\"]}}",
    );
    let dropped = project.run(["run", "job.toml"]).expect_code(0);
    assert!(dropped.err.contains("warning"), "{}", dropped.err);
}

#[test]
fn law_7_what_a_project_loosens_does_not_count_untrusted() {
    let job = "[[job]]\nname = \"a\"\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"x\", content = \"\" }\n";
    let project = Project::with_job(job);
    project.write(
        ".claude/settings.json",
        "{\"permissions\":{\"allow\":[\"Edit\", \"Write\"]}}",
    );
    let ended = project.run(["run", "job.toml"]).expect_code(3);
    assert!(
        ended
            .err
            .contains("not in force until this project is trusted"),
        "{}",
        ended.err
    );
    assert_eq!(project.read("x"), None);
}

#[test]
fn a_settings_file_that_is_not_there_is_an_error() {
    let project = Project::with_job(FINE);
    let ended = project
        .run(["run", "job.toml", "--settings", "none.json"])
        .expect_code(2);
    assert!(ended.err.contains("there is no settings file `none.json`"));
}

#[test]
fn a_state_folder_that_can_t_be_made_is_told() {
    let project = Project::with_job(FINE);
    // A file stands where the folder would be: so it fails for root as well.
    std::fs::write(project.home().join(".local"), "").unwrap();
    let ended = project.run(["run", "job.toml"]).expect_code(2);
    assert!(ended.err.contains("can't be made"), "{}", ended.err);
    assert!(ended.err.contains("XDG_STATE_HOME"), "{}", ended.err);
}

#[test]
fn a_ledger_of_another_program_is_left_alone() {
    let project = Project::with_job(FINE);
    project.run(["run", "job.toml"]).expect_code(0);
    let folder = project.state_folder();
    let mode = folder.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let foreign =
        "this is somebody's diary, not a database, and long enough to look at\n".repeat(20);
    let ledger = folder.join("ledger.db");
    std::fs::write(&ledger, &foreign).unwrap();
    let log = project.run(["log"]).expect_code(2);
    assert!(log.err.contains("is no ledger of pointsman"), "{}", log.err);
}

#[test]
fn bad_arguments_end_with_2() {
    let project = Project::new();
    for arguments in [["run", "--mode"], ["answer", "r1-1"], ["nonsense", ""]] {
        project.run(arguments).expect_code(2);
    }
    project.run(["--help"]).expect_code(0);
    project.run(["--version"]).expect_code(0);
}

/// What `--check` says is what a run says.
#[test]
fn check_tells_what_a_run_would_warn_of_and_refuse() {
    let told = |project: &Project, code: i32, expect: &[&str]| {
        for arguments in [
            ["run", "--check", "job.toml"],
            ["run", "--unattended", "job.toml"],
        ] {
            let ended = project.run(arguments).expect_code(code);
            for text in expect {
                assert!(ended.err.contains(text), "no `{text}` in\n{}", ended.err);
            }
        }
    };
    let with_rule = |rule: &str| {
        Project::with_job(&FINE.replace("[[job.step]]", &format!("{rule}\n[[job.step]]")))
    };
    // Rules that can never match.
    let project = with_rule("allow = [\"Gopher(x)\"]");
    told(&project, 0, &["Gopher"]);
    let ended = project.run(["run", "--check", "job.toml"]);
    assert!(
        ended
            .out
            .contains("it would run, with the 2 warnings above"),
        "{}",
        ended.out
    );
    told(
        &with_rule("deny = [\"Gopher(x)\"]"),
        0,
        &["`Gopher(x)` never matches"],
    );

    let project = Project::with_job(FINE);
    project.write(
        ".claude/settings.json",
        "{\"permissions\":{\"deny\":[\"Bash(\"]}}",
    );
    told(
        &project,
        2,
        &[".claude/settings.json:1:", "nobody is there to ask"],
    );
    // Where somebody can be asked it would run, and says what else.
    let ended = project
        .run(["run", "--check", "--attended", "job.toml"])
        .expect_code(0);
    assert!(
        ended.out.contains("with nobody there to ask it would not"),
        "{}",
        ended.out
    );
    let json = project
        .run(["run", "--check", "--attended", "--json", "job.toml"])
        .expect_code(0);
    assert_eq!(json.objects().last().unwrap()["problems"], 1);

    let project = Project::with_job(
        &FINE.replace("[[job.step]]", "mode = \"bypassPermissions\"\n[[job.step]]"),
    );
    project.write(
        ".claude/settings.json",
        "{\"permissions\":{\"disableBypassPermissionsMode\":\"disable\"}}",
    );
    told(
        &project,
        2,
        &["asks for mode `bypassPermissions`, which the settings switch off"],
    );
}

/// A pipe has no end that is known, nor has a device; neither is waited for.
#[test]
fn a_job_file_is_a_plain_file_of_bounded_size_and_a_text() {
    let project = Project::new();
    let pipe = project.root().join("pipe.toml");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::os::unix::fs::symlink("/dev/zero", project.root().join("zero.toml")).unwrap();
    std::fs::create_dir(project.root().join("folder.toml")).unwrap();
    let large = std::fs::File::create(project.root().join("large.toml")).unwrap();
    large.set_len(1 << 40).unwrap();
    std::fs::write(
        project.root().join("bytes.toml"),
        b"[[job]]\nname = \"\xff\"\n",
    )
    .unwrap();
    for (file, told) in [
        ("pipe.toml", "it is no plain file"),
        ("zero.toml", "it is no plain file"),
        ("folder.toml", "it is no plain file"),
        ("large.toml", "more than the"),
        ("bytes.toml", "bytes.toml:2:9"),
        ("none.toml", "there is no such job file"),
    ] {
        for check in [["run", "--check", file], ["run", "--unattended", file]] {
            let ended = project.run(check).expect_code(2);
            assert!(ended.err.contains(told), "{file}: {}", ended.err);
        }
    }
}

#[test]
fn an_agent_too_many_for_the_run_is_a_limit() {
    let second = FINE.replace("\"a\"", "\"b\"");
    let project = Project::with_job(&format!("agents_max = 1\nslots = 1\n{FINE}{second}"));
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(4);
    assert_eq!(ended.summary()["jobs"][1]["end"], "halted");
}

/// The system starts no program with a longer argument, so nobody is asked about one.
#[test]
fn a_command_line_that_can_t_be_started_is_told_before_anything_runs() {
    let long = format!(": {}", "x".repeat(131_072));
    let job = |command: &str| {
        format!(
            "[[job]]\nname = \"a\"\nallow = [\"Bash\"]\n[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"{command}\" }}\n"
        )
    };
    let project = Project::with_job(&job(&long));
    let ended = project.run(["run", "job.toml"]).expect_code(2);
    assert!(
        ended.err.contains("write it to a file and run that"),
        "{}",
        ended.err
    );
    let longest = &long[..131_071];
    project.write("job.toml", &job(longest));
    let ran = project.run(["run", "job.toml", "--json"]).expect_code(0);
    assert_eq!(ran.summary()["counts"]["succeeded"], 1);
}

/// The ledger's file is in the user's hands; what goes with it is said by the next run, and by each `log verify`.
#[test]
fn runs_that_went_with_their_ledger_are_told_once_by_the_next_run() {
    let project = Project::with_job(FINE);
    let remarks = || {
        let ended = project.run(["run", "job.toml", "--json"]).expect_code(0);
        ended.summary()["remarks"].to_string()
    };
    assert_eq!(remarks(), "[]");
    assert_eq!(remarks(), "[]");
    let folder = project.state_folder();
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    let told = remarks();
    assert!(told.contains("recorded here"), "{told}");
    assert!(!remarks().contains("recorded here"));
    let verify = project.run(["log", "verify"]).expect_code(1);
    assert!(verify.out.contains("recorded here"), "{}", verify.out);
    // What can be no ledger is told as such, and not waited for.
    std::fs::remove_file(folder.join("ledger.db")).unwrap();
    nix::unistd::mkfifo(&folder.join("ledger.db"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let run = project.run(["run", "job.toml"]).expect_code(2);
    assert!(run.err.contains("it is no plain file"), "{}", run.err);
    let log = project.run(["log"]).expect_code(2);
    assert!(log.err.contains("is no ledger of pointsman"), "{}", log.err);
}
