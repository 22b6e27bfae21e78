//! Runs that outlive their terminal.

use std::time::Duration;

use crate::desk::{CTRL_C, Desk, Line, SEND};
use crate::ground::{ASKS, Project, until};

/// Opens the request that waits, and lets it run.
fn allows(desk: &mut Desk) {
    desk.sees("1 waits for you").sends("\r").sees("asks asks");
    desk.sends_until("a", "let r1-1 run");
    desk.sends(SEND);
}

/// How the run ended, once it has.
fn exit_code(project: &Project) -> i64 {
    until("the run has ended", || {
        let runs = project.run(["runs", "--json"]).objects();
        runs.first()?["exit_code"].as_i64()
    })
}

fn own_settings(project: &Project, text: &str) {
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), text).unwrap();
}

#[test]
fn a_detached_run_outlives_its_terminal_and_is_come_back_to() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::of(&project, ["run", "--detach", "--attended", "job.toml"]);
    desk.sees("run-1  runs on without this terminal");
    let end = desk.ends();
    assert!(end.contains(", 0)"), "{end}");
    // The terminal is closed.
    drop(desk);
    assert_eq!(project.questions(1), ["r1-1"]);
    let mut desk = Desk::of(&project, ["attach"]);
    desk.sees("1 waits for you").sees("leave the run on");
    desk.sends("q");
    desk.sees("run-1 goes on");
    desk.ends();
    assert_eq!(project.questions(1), ["r1-1"]);
    let mut desk = Desk::of(&project, ["attach", "run-1"]);
    allows(&mut desk);
    desk.sees("run-1 has ended: 1 of 1 job done");
    assert_eq!(exit_code(&project), 0);
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(why.out.contains("a person at the terminal"), "{}", why.out);
}

#[test]
fn a_detached_run_that_nobody_is_named_for_asks_nobody() {
    let project = Project::with_job(ASKS);
    let started = project.run(["run", "--detach", "job.toml"]).expect_code(0);
    assert!(started.err.contains("nobody is asked"), "{}", started.err);
    assert_eq!(exit_code(&project), 3);
    assert_eq!(project.read("asked.txt"), None);
    // A setting names the terminal that may be attached.
    own_settings(&project, r#"{"pointsman": {"surfaces": ["terminal"]}}"#);
    let started = project
        .run(["run", "--detach", "--json", "job.toml"])
        .expect_code(0);
    assert_eq!(started.objects()[0]["attended"], "yes");
    let asked = project.questions(1).remove(0);
    project.run(["answer", &asked, "deny"]).expect_code(0);
}

#[test]
fn what_keeps_a_detached_run_from_starting_is_told_by_whoever_starts_it() {
    let project = Project::with_job("[[job]]\nname = 3\n");
    project.run(["run", "--detach", "job.toml"]).expect_code(2);
    let project = Project::with_job(ASKS);
    std::fs::create_dir_all(project.home().join(".local")).unwrap();
    std::fs::write(project.home().join(".local/state"), "no folder").unwrap();
    let failed = project.run(["run", "--detach", "job.toml"]).expect_code(2);
    assert!(failed.err.contains("state folder"), "{}", failed.err);
    let ill = project.run(["doctor"]);
    assert!(ill.out.contains("WRONG  state "), "{}{}", ill.out, ill.err);
}

/// More warnings than a pipe holds.
#[test]
fn a_detached_run_with_much_to_warn_of_starts() {
    let project = Project::with_job(ASKS);
    let flawed: Vec<String> = (0..3_000).map(|n| format!("\"Bash(flawed-{n}\"")).collect();
    let flawed = flawed.join(", ");
    own_settings(
        &project,
        &format!(r#"{{"permissions": {{"allow": [{flawed}]}}}}"#),
    );
    let starting = project.start(["run", "--detach", "job.toml"]);
    let started = starting.wait().expect_code(0);
    assert!(started.out.starts_with("run-1  "), "{}", started.out);
    assert_eq!(exit_code(&project), 3);
}

/// As when its starter is killed before it has heard which run it is.
#[test]
fn a_leader_whose_starter_is_gone_leads_nothing() {
    let project = Project::with_job(ASKS);
    let mut command = project.command(["run", "--detached", "job.toml"]);
    let mut leader = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    drop(leader.stdout.take());
    assert_eq!(leader.wait().unwrap().code(), Some(1));
    let runs = project.run(["runs", "--json"]);
    assert_eq!(runs.out, "", "{}", runs.err);
}

/// A moment later: the leader has opened the ledger by then, and waits for it to take the begin of the run.
#[test]
fn a_run_whose_starter_is_gone_before_it_is_told_of_is_stopped_by_nobody() {
    let project = Project::with_job(ASKS);
    project
        .run(["run", "--unattended", "job.toml"])
        .expect_code(3);
    let ledger = project.state_folder().join("ledger.db");
    let gate = rusqlite::Connection::open(&ledger).unwrap();
    gate.execute_batch("BEGIN IMMEDIATE").unwrap();
    let leader = project.start(["run", "--detached", "--attended", "job.toml"]);
    until("it has the ledger", || {
        leader.has_open(&ledger).then_some(())
    });
    let leader = leader.unheard();
    gate.execute_batch("ROLLBACK").unwrap();
    assert_eq!(leader.code_unread(), Some(130));
    let log = project.run(["log", "--run", "run-2"]).expect_code(0).out;
    let told = "whoever started the run was gone before they were told of it";
    assert!(log.contains(told), "{log}");
    assert!(!log.contains("a person"), "{log}");
}

/// What the programs that run in the project have taken of the processor, in hundredths of a second.
fn processor_ticks(project: &Project) -> u64 {
    let root = std::fs::canonicalize(project.root()).unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ours = processes.filter(|entry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|folder| folder == root)
    });
    ours.filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        Some(fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap())
    })
    .sum()
}

#[test]
fn a_closed_terminal_leaves_the_question_open_for_whoever_comes_back() {
    let project = Project::with_job(ASKS);
    let mut line = Line::at(&project);
    line.sees("1 waits for you");
    let ends = line.close();
    assert_eq!(project.questions(1), ["r1-1"]);
    let log = project.run(["log"]).expect_code(0);
    assert!(
        log.out
            .contains("closed the terminal: the run goes on, and its questions wait"),
        "{}",
        log.out
    );
    until("the run that waits takes no processor", || {
        let before = processor_ticks(&project);
        std::thread::sleep(Duration::from_secs(1));
        (processor_ticks(&project) - before < 20).then_some(())
    });
    let mut desk = Desk::of(&project, ["attach"]);
    allows(&mut desk);
    desk.sees("run-1 has ended");
    ends();
    assert_eq!(exit_code(&project), 0);
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

#[test]
fn a_closed_terminal_refuses_when_the_settings_say_so() {
    let project = Project::with_job(ASKS);
    own_settings(&project, r#"{"pointsman": {"hangup": "refuse"}}"#);
    let mut line = Line::at(&project);
    line.sees("1 waits for you");
    line.close()();
    assert_eq!(exit_code(&project), 3);
    assert_eq!(project.read("asked.txt"), None);
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(
        why.out.contains("the terminal of the run was closed"),
        "{}",
        why.out
    );
    let log = project.run(["log"]).expect_code(0);
    assert!(log.out.contains("its questions are refused"), "{}", log.out);
}

#[test]
fn an_attached_terminal_that_is_closed_changes_nothing_and_stops_on_request() {
    let project = Project::with_job(ASKS);
    project
        .run(["run", "--detach", "--attended", "job.toml"])
        .expect_code(0);
    let mut desk = Desk::of(&project, ["attach"]);
    desk.sees("1 waits for you");
    drop(desk);
    assert_eq!(project.questions(1), ["r1-1"]);
    let mut desk = Desk::of(&project, ["attach"]);
    desk.sees("1 waits for you");
    // Who presses it twice wants to be gone, and the run is others' too.
    desk.sends(CTRL_C).sees("leave the run, which goes on");
    desk.sends(CTRL_C).sees("run-1 goes on");
    desk.ends();
    assert_eq!(project.questions(1), ["r1-1"]);
    let mut desk = Desk::of(&project, ["attach"]);
    desk.sees("1 waits for you");
    desk.sends_until(CTRL_C, "leave the run, which goes on");
    desk.sends("\t").sees("stop the whole run");
    desk.sends("stop\r").sees("run-1 has ended");
    assert_eq!(exit_code(&project), 130);
}

/// A leader that is silent lives, as far as anybody knows: the screen says so, stays, and can be left.
#[test]
fn an_attached_screen_outlives_the_silence_of_its_leader() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml"]);
    project.questions(1);
    let mut desk = Desk::of(&project, ["attach"]);
    desk.sees("1 waits for you");
    leader.stop_here();
    desk.sees("has not answered for 30 s");
    leader.signal(nix::sys::signal::Signal::SIGCONT);
    allows(&mut desk);
    desk.sees("run-1 has ended");
    leader.wait().expect_code(0);
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

/// What is warned of while it shows a run goes where it draws over nothing.
#[test]
fn an_attached_screen_is_not_written_over_by_the_log() {
    let project = Project::with_job(ASKS);
    project
        .run(["run", "--detach", "--attended", "job.toml"])
        .expect_code(0);
    let mut command = project.command(["attach"]);
    command.env("POINTSMAN_LOG", "debug");
    let mut desk = Desk::of_command(command);
    desk.sees("1 waits for you");
    let log = project.state_folder().join("log.txt");
    until("frames are in the log", || {
        desk.pump();
        let log = std::fs::read_to_string(&log).ok()?;
        log.contains("took_us").then_some(())
    });
    assert!(!desk.text().contains("took_us"), "{}", desk.text());
    desk.sends("q").sees("run-1 goes on");
    project.run(["stop", "run-1"]).expect_code(0);
}

#[test]
fn a_terminal_that_can_be_no_full_screen_attaches_to_nothing() {
    let project = Project::with_job(ASKS);
    project
        .run(["run", "--detach", "--attended", "job.toml"])
        .expect_code(0);
    let mut command = project.command(["attach"]);
    command.env("TERM", "dumb");
    let mut desk = Desk::of_command(command);
    let end = desk.sees("can't be a full screen").ends();
    assert!(end.contains(", 2)"), "{end}");
    project.run(["stop", "run-1"]).expect_code(0);
}
