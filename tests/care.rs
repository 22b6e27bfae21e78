//! The care of the ledger, and what the program says of itself.

use serde_json::Value;

use crate::ground::Project;

const JOB: &str = r#"
[[job]]
name = "uses-a-key"
allow = ["Bash(echo *)"]
[[job.step]]
tool = "Bash"
input = { command = "echo password=hunter2hunter2" }
[[job.step]]
tool = "Read"
input = { file_path = "job.toml" }
"#;

fn kinds(lines: &[Value]) -> Vec<&str> {
    let kinds = lines
        .iter()
        .filter_map(|line| line["body"]["kind"].as_str());
    kinds.collect()
}

#[test]
fn the_log_is_filtered_followed_masked_and_exported() {
    let project = Project::with_job(JOB);
    project
        .run(["run", "--unattended", "job.toml"])
        .expect_code(0);
    let log = project.run(["log"]).expect_code(0);
    assert!(
        log.out.contains("password=‹secret, 14 characters›"),
        "{}",
        log.out
    );
    assert!(!log.out.contains("hunter2"), "{}", log.out);
    let revealed = project.run(["log", "--reveal"]).expect_code(0);
    assert!(revealed.out.contains("hunter2hunter2"));
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(!why.out.contains("hunter2"), "{}", why.out);
    let decided = project
        .run(["log", "--json", "--kind", "call_decided"])
        .expect_code(0);
    assert_eq!(kinds(&decided.objects()), ["call_decided", "call_decided"]);
    let of_call = project
        .run(["log", "--json", "--call", "c1-2", "--kind", "call_ended"])
        .expect_code(0);
    assert_eq!(of_call.objects()[0]["body"]["call"], "c1-2");
    project
        .run(["log", "--kind", "no_such_kind"])
        .expect_code(2);
    // A run that has ended is followed to its end at once.
    let followed = project.run(["log", "--follow", "--json"]).expect_code(0);
    assert_eq!(kinds(&followed.objects()).last(), Some(&"run_ended"));
    let exported = project.run(["log", "export"]).expect_code(0).objects();
    let (heads, records) = exported.split_last().unwrap();
    assert_eq!(heads["whole"], true);
    assert_eq!(heads["heads"][0]["number"], records.len());
    assert_eq!(heads["heads"][0]["hash"], records.last().unwrap()["hash"]);
    let unknown = project.run(["log", "export", "--run", "run-99"]);
    let unknown = unknown.expect_code(2);
    assert_eq!(unknown.out, "");
    assert!(
        unknown.err.contains("there is no run-99"),
        "{}",
        unknown.err
    );
    let masked = project.run(["log", "export", "--mask"]).expect_code(0);
    assert!(!masked.out.contains("hunter2"));
    assert_eq!(masked.objects().len(), exported.len());
}

#[test]
fn a_live_run_is_followed_until_it_ends() {
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"a.txt\", content = \"a\" }\n",
    );
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    let asked = project.questions(1).remove(0);
    let following = project.start(["log", "--follow", "--json"]);
    project.run(["answer", &asked, "deny"]).expect_code(0);
    running.wait();
    let followed = following.wait().expect_code(0).objects();
    let kinds = kinds(&followed);
    assert!(kinds.contains(&"request_closed"), "{kinds:?}");
    assert_eq!(kinds.last(), Some(&"run_ended"));
    // What became of its question names the call alone, and is the agent's none the less.
    let closed = [
        "log",
        "--worker",
        "w1-1",
        "--kind",
        "request_closed",
        "--json",
    ];
    let closed = project.run(closed).expect_code(0).objects();
    assert_eq!(closed.len(), 1, "{closed:?}");
    let other = ["log", "--worker", "w1-2", "--kind", "request_closed"];
    let other = project.run(other).expect_code(0);
    assert!(
        other.out.contains("nothing of it is what you asked for"),
        "{}",
        other.out
    );
}

#[test]
fn who_follows_a_run_hears_that_its_leader_was_killed() {
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"a.txt\", content = \"a\" }\n",
    );
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    project.questions(1);
    let following = project.start(["log", "--follow", "--json"]);
    running.signal(nix::sys::signal::Signal::SIGKILL);
    let followed = following.wait().expect_code(1);
    assert!(
        followed.err.contains("is gone, and has not ended the run"),
        "{}",
        followed.err
    );
}

#[test]
fn old_runs_are_pruned_and_the_ledger_verifies() {
    let project = Project::with_job(JOB);
    for _ in 0..3 {
        project
            .run(["run", "--unattended", "job.toml"])
            .expect_code(0);
    }
    let young = project.run(["log", "prune", "--keep", "1"]).expect_code(0);
    assert!(young.out.contains("nothing is old enough"), "{}", young.out);
    let would = project
        .run(["log", "prune", "--keep", "1", "--days", "0", "--dry-run"])
        .expect_code(0);
    assert!(
        would.out.contains("would be removed: run-1, run-2"),
        "{}",
        would.out
    );
    project
        .run(["log", "prune", "--keep", "2", "--days", "0"])
        .expect_code(0);
    let left = || {
        let runs = project.run(["runs", "--json"]).expect_code(0).objects();
        let names = runs.iter().filter_map(|run| run["run"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    project.run(["log", "verify"]).expect_code(0);
    // The pruning is on record as a run of its own, which takes nobody's place.
    assert_eq!(left(), ["run-2", "run-3", "run-4"]);
    project.run(["log", "--run", "run-1"]).expect_code(2);
    project
        .run(["run", "--unattended", "job.toml"])
        .expect_code(0);
    project
        .run(["log", "prune", "--keep", "2", "--days", "0"])
        .expect_code(0);
    assert_eq!(left(), ["run-3", "run-4", "run-5", "run-6"]);
    project.run(["log", "verify"]).expect_code(0);

    let ledger = project.state_folder().join("ledger.db");
    rusqlite::Connection::open(ledger)
        .unwrap()
        .execute_batch(
            "DROP TRIGGER records_are_never_changed;
             UPDATE records SET body = replace(body, 'call_ended', 'call_Ended') WHERE run = 5;",
        )
        .unwrap();
    let damaged = project.run(["log", "prune", "--keep", "1", "--days", "0"]);
    let damaged = damaged.expect_code(1);
    assert!(
        damaged.err.contains("nothing is pruned from a damaged"),
        "{}",
        damaged.err
    );
}

/// What an agent writes must not cut the lines of who reads them, nor turn them round in a terminal.
#[test]
fn law_22_no_character_hides_in_what_programs_read() {
    let project = Project::with_job(
        r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Bash"
input = { command = "touch 'a\u2028b\u0085c\u202ed\u200be'" }
"#,
    );
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    project.questions(1);
    let queue = project.run(["queue", "--json"]).expect_code(0);
    project.run(["stop", "run-1"]).expect_code(0);
    let run = running.wait();
    let log = project.run(["log", "--json"]).expect_code(0);
    let export = project.run(["log", "export"]).expect_code(0);
    let masked = project.run(["log", "export", "--mask"]).expect_code(0);
    for out in [&queue.out, &run.out, &log.out, &export.out, &masked.out] {
        let hidden = out
            .chars()
            .find(|it| "\u{2028}\u{85}\u{202e}\u{200b}".contains(*it));
        assert_eq!(hidden, None, "{out}");
    }
    let input = queue.objects()[0]["input"].as_str().unwrap().to_owned();
    assert!(input.contains("a\u{2028}b"), "{input}");
}

#[test]
fn the_doctor_tells_what_would_go_wrong() {
    let project = Project::with_job(JOB);
    let well = project.run(["doctor"]).expect_code(0);
    assert!(well.out.contains("nothing has run yet"), "{}", well.out);
    assert!(
        !project.home().join(".local").exists(),
        "a look made a folder"
    );
    project
        .run(["run", "--unattended", "job.toml"])
        .expect_code(0);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"permissions": {"deny": ["Bash(x"]}, "pointsman": {"notify": ["no-such-program-here"]}}"#,
    )
    .unwrap();
    let ill = project.run(["doctor", "--json"]).expect_code(1);
    let wrong: Vec<String> = ill
        .objects()
        .iter()
        .filter(|finding| finding["state"] == "wrong")
        .map(|finding| finding["about"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(wrong, ["settings", "notify"]);
    // As a line for the shell, and a hook of no duty: both would fail each time.
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": "no-such-program-here --now"}, "hooks": {"PreToolUse": [{"matcher": "*",
            "hooks": [{"type": "command", "command": "/no/such/hook.sh"}]}]}}"#,
    )
    .unwrap();
    let ill = project.run(["doctor", "--json"]).expect_code(1);
    let wrong: Vec<String> = ill
        .objects()
        .iter()
        .filter(|finding| finding["state"] == "wrong")
        .map(|finding| finding["about"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(wrong, ["hooks", "notify"]);
}

#[test]
fn completions_and_pages_are_made_of_the_arguments() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish"] {
        let completions = project.run(["completions", shell]).expect_code(0);
        assert!(completions.out.contains("attach"), "{shell}");
    }
    let page = project.run(["man"]).expect_code(0);
    assert!(page.out.contains(".TH"), "{}", page.out);
    project.run(["man", "--into", "pages"]).expect_code(0);
    let answer = project.read("pages/pointsman-answer.1").unwrap();
    assert!(answer.contains("always"), "{answer}");
    assert!(project.read("pages/pointsman-log-prune.1").is_some());
}
