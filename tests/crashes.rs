//! A leader that is killed in the middle: what is left, and what the next one makes of it.

use nix::sys::signal::Signal;

use crate::ground::{Project, until};

/// One job is in the middle of a command, another waits for an answer, a third has done its work.
const IN_THE_MIDDLE: &str = r#"
slots = 3
[[job]]
name = "runs"
allow = ["Bash"]
[[job.step]]
tool = "Bash"
input = { command = "echo once >> started.txt; sleep 300" }
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
[[job]]
name = "done"
allow = ["Edit(/out/**)"]
[[job.step]]
tool = "Write"
input = { file_path = "out/done.txt", content = "done\n" }
"#;

fn killed_in_the_middle() -> Project {
    let project = Project::with_job(IN_THE_MIDDLE);
    let leader = project.start(["run", "--attended", "job.toml"]);
    project.questions(1);
    until("the command runs", || project.read("started.txt"));
    until("the third job is done", || project.read("out/done.txt"));
    leader.signal(Signal::SIGKILL);
    drop(leader.wait());
    project
}

/// Whether a process with this text in its command line lives in the project's folder.
fn sleeps(project: &Project) -> bool {
    std::fs::read_dir("/proc").unwrap().any(|entry| {
        let folder = entry.unwrap().path();
        let line = std::fs::read_to_string(folder.join("cmdline")).unwrap_or_default();
        let place = std::fs::read_link(folder.join("cwd")).ok();
        line.contains("sleep\x00300") && place == Some(project.root())
    })
}

#[test]
fn the_log_shows_what_was_interrupted_and_verifies() {
    let project = killed_in_the_middle();
    let log = project.run(["log"]).expect_code(0);
    assert!(
        log.out.contains("interrupted: its leader died"),
        "{}",
        log.out
    );
    let verify = project.run(["log", "verify", "--json"]).expect_code(0);
    assert_eq!(verify.objects()[0]["whole"], true);
}

#[test]
fn law_20_the_next_start_closes_what_was_open_and_repeats_nothing() {
    let project = killed_in_the_middle();
    project.write("next.toml", "[[job]]\nname = \"look\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n");
    project.run(["run", "next.toml"]).expect_code(0);
    assert_eq!(project.read("started.txt").as_deref(), Some("once\n"));
    assert_eq!(project.read("asked.txt"), None);
    let log = project
        .run(["log", "--run", "run-1", "--json"])
        .expect_code(0);
    let objects = log.objects();
    let one = |kind: &str| {
        let found = objects.iter().find(|object| object["body"]["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}")).clone()
    };
    assert_eq!(one("run_interrupted")["body"]["requests"], 1);
    assert_eq!(one("run_interrupted")["body"]["calls_unknown"], 1);
    let closed = one("request_closed");
    assert_eq!(closed["body"]["verdict"]["kind"]["outcome"], "interrupted");
    let unknown = one("call_unknown")["body"]["call"].clone();
    let why = project
        .run(["why", unknown.as_str().unwrap()])
        .expect_code(0);
    assert!(why.out.contains("unknown: it had started"), "{}", why.out);
    project.run(["log", "verify"]).expect_code(0);
}

#[test]
fn law_21_groups_that_outlived_their_leader_are_reaped_at_the_next_start() {
    let project = killed_in_the_middle();
    project.write("next.toml", "[[job]]\nname = \"look\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n");
    project.run(["run", "next.toml"]).expect_code(0);
    until("the sleeper is gone", || (!sleeps(&project)).then_some(()));
}

#[test]
fn an_answer_after_the_kill_finds_no_leader() {
    let project = killed_in_the_middle();
    let ended = project.run(["answer", "r1-1", "allow"]).expect_code(2);
    assert!(
        ended.err.contains("no leader runs for run-1"),
        "{}",
        ended.err
    );
    assert_eq!(project.read("asked.txt"), None);
}
