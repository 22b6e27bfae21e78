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
    let state = project.home().join(".local/state/pointsman");
    let folder = std::fs::read_dir(&state).unwrap().next().unwrap().unwrap();
    let mode = folder.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let foreign =
        "this is somebody's diary, not a database, and long enough to look at\n".repeat(20);
    let ledger = folder.path().join("ledger.db");
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
