//! Being told: the person's own program gets each request once.

use crate::desk::{CTRL_C, Desk};
use crate::ground::{Project, Running, until};

const ASKS_TWICE: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "1" }
[[job.step]]
tool = "Write"
input = { file_path = "two.txt", content = "2" }
"#;

fn told(project: &Project) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(project.home().join("told")).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn a_program_of_the_person_is_told_of_each_request_once_and_escalation_comes_after() {
    let project = Project::with_job(ASKS_TWICE);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": {
            "command": "printf '%s\\n' \"$(cat)\" >> \"$HOME/told\"",
            "desktop": false,
            "escalate": {"after_s": 0.2, "command": ["sh", "-c", "printf '%s\\n' \"$(cat)\" >> \"$HOME/told\""]}
        }}}"#,
    )
    .unwrap();
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    let first = project.questions(1).remove(0);
    let of_first = until("the first is told and escalated", || {
        let told = told(&project);
        (told.len() == 2).then_some(told)
    });
    assert_eq!(of_first[0]["occasion"], "waits");
    assert_eq!(of_first[0]["request"]["id"], first.as_str());
    assert_eq!(of_first[0]["request"]["tool"], "Write");
    assert_eq!(of_first[1]["occasion"], "escalated");
    project.run(["answer", &first, "deny"]).expect_code(0);
    let second = project.questions(1).remove(0);
    assert_ne!(first, second);
    until("the second is told and escalated", || {
        (told(&project).len() == 4).then_some(())
    });
    project.run(["answer", &second, "deny"]).expect_code(0);
    running.wait();
    let all = told(&project);
    let of = |id: &str| {
        all.iter()
            .filter(|notice| notice["request"]["id"] == id)
            .count()
    };
    assert_eq!((of(&first), of(&second), all.len()), (2, 2, 4));
}

/// In the log alone nobody would look for it before they miss something.
#[test]
fn a_program_that_tells_nobody_is_told_of_on_the_screen() {
    let project = Project::with_job(ASKS_TWICE);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": {"command": ["tell-me-by-nothing"], "desktop": false}}}"#,
    )
    .unwrap();
    let mut desk = Desk::at(&project);
    desk.sees("no notice is given: there is no program `tell-me-by-nothing`");
    desk.ends_by(CTRL_C);
}

/// A person is told of a question once, though the leader dies and another one goes on with it.
#[test]
fn who_goes_on_with_a_run_tells_nothing_twice() {
    let project = Project::with_job(ASKS_TWICE);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": {"command": "{ cat; echo; } >> \"$HOME/told\"", "desktop": false}}}"#,
    )
    .unwrap();
    let running = project.start(["run", "--attended", "job.toml"]);
    let first = project.questions(1).remove(0);
    until("the first is told", || {
        (told(&project).len() == 1).then_some(())
    });
    running.signal(nix::sys::signal::Signal::SIGKILL);
    running.wait();
    let running = project.start(["run", "--attended", "--resume", "run-1"]);
    project.questions(1);
    project.run(["answer", &first, "allow"]).expect_code(0);
    let second = project.questions(1).remove(0);
    until("the second is told", || {
        let told = told(&project);
        let ids: Vec<_> = told.iter().map(|it| it["request"]["id"].clone()).collect();
        ids.contains(&second.as_str().into()).then(|| {
            assert_eq!(ids, [first.as_str(), second.as_str()]);
        })
    });
    project.run(["answer", &second, "deny"]).expect_code(0);
    running.wait();
}

/// A question that only the automatic checks knew of when the leader died is news under the next one.
#[test]
fn what_no_surface_had_yet_is_told_of_by_the_next_leader() {
    let project = Project::with_job(ASKS_TWICE);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{
            "hooks": {"PermissionRequest": [{"hooks": [{
                "type": "command", "timeout": 600,
                "command": "echo asked >> \"$HOME/asked\"; test -e \"$HOME/go\" || sleep 300"
            }]}]},
            "pointsman": {"notify": {"command": "{ cat; echo; } >> \"$HOME/told\"", "desktop": false}}
        }"#,
    )
    .unwrap();
    let running = project.start(["run", "--attended", "job.toml"]);
    until("the hook is asked", || {
        std::fs::read_to_string(project.home().join("asked")).ok()
    });
    running.signal(nix::sys::signal::Signal::SIGKILL);
    running.wait();
    assert!(told(&project).is_empty());
    std::fs::write(project.home().join("go"), "").unwrap();
    let running = project.start(["run", "--attended", "--resume", "run-1"]);
    let first = project.questions(1).remove(0);
    let notices = until("it is told", || {
        let told = told(&project);
        (!told.is_empty()).then_some(told)
    });
    assert_eq!(notices[0]["request"]["id"], first.as_str());
    assert_eq!(notices[0]["occasion"], "waits");
    project.run(["stop", "run-1"]).expect_code(0);
    running.wait();
}

/// The key of a model, whatever its variable is called, is seen by no program that gives notice.
#[test]
fn who_gives_notice_sees_no_key() {
    const KEY: &str = "no-form-of-a-secret-0123";
    let project = Project::with_job(&format!(
        "{ASKS_TWICE}\n[agents.thinker]\nagent = \"llm\"\ndescription = \"thinks\"\n\
         model = {{ model = \"m\", dialect = \"openai\", key_env = \"TEAM_LINE\" }}\n"
    ));
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": {"command": "env > \"$HOME/seen.new\"; mv \"$HOME/seen.new\" \"$HOME/seen\"", "desktop": false}}}"#,
    )
    .unwrap();
    let mut command = project.command(["run", "--attended", "--json", "job.toml"]);
    command.env("TEAM_LINE", KEY).env("PLAIN_LINE", "seen");
    let running = Running::of(command);
    project.questions(1);
    let seen = until("the program has run", || {
        std::fs::read_to_string(project.home().join("seen")).ok()
    });
    assert!(seen.contains("PLAIN_LINE=seen"), "{seen}");
    assert!(!seen.contains(KEY), "{seen}");
    project.run(["stop", "run-1"]).expect_code(0);
    running.wait();
}
