//! A leader that is killed in the middle: what is left, and what the next one makes of it.

use std::time::Instant;

use nix::sys::signal::Signal;

use crate::ground::{PATIENCE, Project, Running, until};

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
    // What it wrote is there a moment before that is on record.
    until("the third job's end is on record", || {
        let log = project.run(["log", "--json"]).expect_code(0);
        let ended = |object: &serde_json::Value| object["body"]["kind"] == "worker_ended";
        log.objects().iter().any(ended).then_some(())
    });
    assert_eq!(project.read("out/done.txt").as_deref(), Some("done\n"));
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
        log.out
            .contains("interrupted: its leader did not record its end"),
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
    let socket = |project: &Project| project.state_folder().join("run-1.sock").exists();
    assert!(socket(&project));
    project.run(["run", "next.toml"]).expect_code(0);
    // Nor does the socket stay that nobody listens at.
    assert!(!socket(&project));
    until("the sleeper is gone", || (!sleeps(&project)).then_some(()));
}

/// What a group is found by is on record of its run, so it ends before the record goes.
#[test]
fn law_21_a_pruning_ends_what_the_runs_it_removes_left_running() {
    let project = killed_in_the_middle();
    until("the sleeper sleeps", || sleeps(&project).then_some(()));
    let pruned = project
        .run(["log", "prune", "--keep", "0", "--days", "0"])
        .expect_code(0);
    assert!(pruned.out.starts_with("removed: run-1 "), "{}", pruned.out);
    assert!(pruned.err.contains("left running: ended"), "{}", pruned.err);
    until("the sleeper is gone", || (!sleeps(&project)).then_some(()));
    assert!(!project.state_folder().join("run-1.sock").exists());
    project.run(["log", "verify"]).expect_code(0);
}

#[test]
fn law_21_a_resume_that_is_refused_reaps_what_its_leader_left() {
    let project = killed_in_the_middle();
    assert!(sleeps(&project));
    let refused = project.run(["run", "--unattended", "--resume", "run-1"]);
    let refused = refused.expect_code(2);
    let why = "what the job `runs` may do is not what it was";
    assert!(refused.err.contains(why), "{}", refused.err);
    until("the sleeper is gone", || (!sleeps(&project)).then_some(()));
    // Nor does that keep anyone from taking the run up.
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), ["r1-1"]);
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    leader.wait().expect_code(1);
    each_started_once(&project);
}

const TWO_QUESTIONS: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Bash"
input = { command = "echo once >> ran.txt" }
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

/// Whether a leader has taken the run, or looks whether one has: then nobody else gets in between.
fn is_held(project: &Project) -> bool {
    let lock = std::fs::File::open(project.state_folder().join("ledger.db.run-1.lock"));
    let is_taken = |lock: std::fs::File| {
        let look = lock.try_lock();
        matches!(look, Err(std::fs::TryLockError::WouldBlock))
    };
    lock.is_ok_and(is_taken)
}

/// A leader that takes run 1 up, stopped once it has closed what the dead one left and before it writes anything more.
fn stopped_while_it_resumes(project: &Project) -> Running {
    let gate = rusqlite::Connection::open(project.state_folder().join("ledger.db")).unwrap();
    gate.busy_timeout(std::time::Duration::ZERO).unwrap();
    let count = |kind: &str| -> u32 {
        let counted = "SELECT count(*) FROM records WHERE kind = ?1";
        gate.query_row(counted, [kind], |row| row.get(0)).unwrap()
    };
    // Whoever gets ahead of the gate is killed, and leaves the run as it was.
    for _ in 0..50 {
        let (closed, resumed) = (count("run_interrupted"), count("run_resumed"));
        let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
        let started = Instant::now();
        while count("run_resumed") == resumed {
            let waited = started.elapsed();
            assert!(waited < PATIENCE, "the leader does not take the run up");
            if gate.execute_batch("BEGIN IMMEDIATE").is_err() {
                continue;
            }
            if count("run_interrupted") > closed && count("run_resumed") == resumed {
                leader.until_it_rests();
                leader.stop_here();
                gate.execute_batch("ROLLBACK").unwrap();
                if is_held(project) {
                    break;
                }
                return leader;
            }
            gate.execute_batch("ROLLBACK").unwrap();
        }
        leader.signal(Signal::SIGKILL);
        drop(leader.wait());
    }
    panic!("no leader could be stopped in time");
}

#[test]
fn law_20_two_that_take_a_run_up_at_the_same_time_start_nothing_twice() {
    let project = Project::with_job(TWO_QUESTIONS);
    let first = killed_while_it_asks(&project, &["job.toml"]);
    let late = stopped_while_it_resumes(&project);
    // Another one takes it up meanwhile, does what was asked, and dies.
    let early = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), [first.as_str()]);
    project.run(["answer", &first, "allow"]).expect_code(0);
    let next = until("the next question is open", || {
        let open = project.queue();
        let id = open.first()?["id"].as_str()?.to_owned();
        (id != first).then_some(id)
    });
    early.signal(Signal::SIGKILL);
    drop(early.wait());
    late.signal(Signal::SIGCONT);
    assert_eq!(project.questions(1), [next.as_str()]);
    project.run(["answer", &next, "allow"]).expect_code(0);
    late.wait().expect_code(0);
    assert_eq!(project.read("ran.txt").as_deref(), Some("once\n"));
    assert_eq!(project.read("asked.txt").as_deref(), Some("x"));
    each_started_once(&project);
}

const ASKS_AND_SLEEPS: &str = r#"
[[job]]
name = "asks"
allow = ["Bash(sleep *)"]
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
[[job.step]]
tool = "Bash"
input = { command = "sleep 300" }
"#;

#[test]
fn law_21_whoever_clears_up_late_leaves_alone_what_lives_again() {
    let project = Project::with_job(ASKS_AND_SLEEPS);
    let first = killed_while_it_asks(&project, &["job.toml"]);
    let late = stopped_while_it_resumes(&project);
    // Another one takes it up meanwhile, and is at work.
    let early = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), [first.as_str()]);
    project.run(["answer", &first, "allow"]).expect_code(0);
    until("the sleeper sleeps", || sleeps(&project).then_some(()));
    late.signal(Signal::SIGCONT);
    let refused = late.wait().expect_code(2);
    let why = "has a leader that is alive";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(sleeps(&project));
    // Its socket is there still, too.
    project.run(["stop", "run-1"]).expect_code(0);
    early.wait().expect_code(130);
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
    let how = "`pointsman run --resume run-1` goes on with it";
    assert!(ended.err.contains(how), "{}", ended.err);
    assert_eq!(project.read("asked.txt"), None);
}

/// How often each call was started, by the ledger.
fn starts(project: &Project) -> std::collections::BTreeMap<String, usize> {
    let log = project
        .run(["log", "--run", "run-1", "--json"])
        .expect_code(0);
    let mut starts = std::collections::BTreeMap::new();
    for object in log.objects() {
        if object["body"]["kind"] == "call_started" {
            let call = object["body"]["call"]["id"].as_str().unwrap().to_owned();
            *starts.entry(call).or_default() += 1;
        }
    }
    starts
}

#[track_caller]
fn each_started_once(project: &Project) {
    let starts = starts(project);
    assert!(starts.values().all(|count| *count == 1), "{starts:?}");
    let verify = project.run(["log", "verify", "--json"]).expect_code(0);
    assert_eq!(verify.objects()[0]["whole"], true);
}

#[test]
fn law_20_a_resumed_run_asks_on_and_repeats_nothing() {
    let project = killed_in_the_middle();
    let asked = {
        let log = project.run(["log", "--json"]).expect_code(0);
        let opened = log.objects().into_iter();
        let mut opened = opened.filter(|object| object["body"]["kind"] == "request_opened");
        opened.next().unwrap()["body"]["request"].clone()
    };
    // Were it done again, it would be there again.
    std::fs::remove_file(project.root().join("out/done.txt")).unwrap();
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    let ids = project.questions(1);
    assert_eq!(ids, [asked["id"].as_str().unwrap()]);
    let log = project.run(["log", "--json"]).expect_code(0);
    let again = |object: &serde_json::Value| object["body"]["kind"] == "request_reopened";
    assert!(log.objects().iter().any(again), "{}", log.out);
    project.run(["answer", &ids[0], "allow"]).expect_code(0);
    // Of the command nobody knows what it did, so its job can't go on by itself.
    let ended = leader.wait().expect_code(1);
    let told = "(Bash {\"command\":\"echo once >> started.txt; sleep 300\"}) had started when the leader died";
    assert!(ended.err.contains(told), "{}", ended.err);
    let ends: Vec<String> = (0..3)
        .map(|job| {
            ended.summary()["jobs"][job]["end"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(ends, ["failed", "done", "done"]);
    assert_eq!(project.read("asked.txt").as_deref(), Some("x"));
    assert_eq!(project.read("started.txt").as_deref(), Some("once\n"));
    assert_eq!(project.read("out/done.txt"), None);
    each_started_once(&project);
    // It has ended now.
    project
        .run(["run", "--unattended", "--resume", "run-1"])
        .expect_code(2);
}

const STEP_BY_STEP: &str = r#"
[[job]]
name = "parent"
allow = ["Bash(echo *)", "Edit(/steps.txt)"]
[[job.step]]
tool = "Bash"
input = { command = "echo one >> steps.txt" }
[[job.step]]
tool = "Agent"
input = { subagent_type = "child", prompt = "write it" }
[[job.step]]
tool = "Bash"
input = { command = "echo three >> steps.txt" }
[agents.child]
[[agents.child.step]]
tool = "Bash"
input = { command = "echo two >> steps.txt" }
[[agents.child.step]]
tool = "Write"
input = { file_path = "deep.txt", content = "from below\n" }
"#;

/// Kills the leader once its question is open; gives its id.
fn killed_while_it_asks(project: &Project, arguments: &[&str]) -> String {
    let mut command = project.command(["run", "--attended"]);
    let mut leader = command
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let id = project.questions(1).remove(0);
    leader.kill().unwrap();
    leader.wait().unwrap();
    id
}

#[test]
fn law_20_steps_go_on_after_the_last_finished_call_at_every_depth_however_often() {
    let project = Project::with_job(STEP_BY_STEP);
    let id = killed_while_it_asks(&project, &["job.toml"]);
    // Another leader in between closes what was open; a second kill changes nothing either.
    project.write("next.toml", "[[job]]\nname = \"look\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n");
    project.run(["run", "next.toml"]).expect_code(0);
    for _ in 0..2 {
        let again = killed_while_it_asks(&project, &["--resume", "run-1"]);
        assert_eq!(again, id);
    }
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), [id.as_str()]);
    project.run(["answer", &id, "allow"]).expect_code(0);
    let ended = leader.wait().expect_code(0);
    assert_eq!(
        project.read("steps.txt").as_deref(),
        Some("one\ntwo\nthree\n")
    );
    assert_eq!(project.read("deep.txt").as_deref(), Some("from below\n"));
    assert_eq!(ended.summary()["counts"]["agents"], 2);
    each_started_once(&project);
}

#[test]
fn law_16_a_run_goes_on_only_as_it_was_begun() {
    let project = Project::with_job(STEP_BY_STEP);
    killed_while_it_asks(&project, &["job.toml"]);
    let refused = |arguments: &[&str], why: &str| {
        let mut command = project.command(["run", "--resume", "run-1"]);
        let output = command.args(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(why), "{err}");
    };
    // Each is told what is different, and of nothing else.
    for (arguments, differs) in [
        (
            &["--unattended"][..],
            "somebody was there to answer, and is not now",
        ),
        (
            &["--attended", "--allow", "Write"],
            "rules of the settings or the command line, or its directories, are not what they were",
        ),
        (
            &["--attended", "--mode", "plan"],
            "its mode was `default` and is `plan`",
        ),
        (
            &["--unattended", "--mode", "plan"],
            "somebody was there to answer, and is not now; its mode was `default` and is `plan`",
        ),
    ] {
        let why = "what the job `parent` may do is not what it was when its agent was started";
        refused(arguments, &format!("{why}: {differs}\n"));
    }
    project.write("job.toml", &STEP_BY_STEP.replace("three", "four"));
    refused(
        &["--attended"],
        "the job file is not what it was when run-1 took it up",
    );
    let unknown = project.run(["run", "--resume", "run-7"]).expect_code(2);
    assert!(unknown.err.contains("there is no run-7"), "{}", unknown.err);
    assert_eq!(project.read("deep.txt"), None);
}

/// A change to what the question is about while no leader lives: it is asked anew, and says so.
#[test]
fn law_10_a_file_that_changed_while_no_leader_lived_is_asked_about_anew() {
    let project = Project::with_job(
        "[[job]]\nname = \"runs\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"bash run.sh\" }\n",
    );
    project.write("run.sh", "echo kind > ran.txt\n");
    let id = killed_while_it_asks(&project, &["job.toml"]);
    project.write("run.sh", "echo evil > ran.txt\n");
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    let again = project.questions(1).remove(0);
    assert_ne!(again, id);
    let shown = project.run(["queue", &again, "--json"]).expect_code(0);
    let why = "is not as it was before the leader died";
    assert!(shown.out.contains(why), "{}", shown.out);
    project.run(["answer", &again, "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("ran.txt"), None);
}
