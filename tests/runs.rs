//! Runs with nobody there: what they do, how they end, what they tell.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::Value;

use crate::ground::Project;

const WRITES: &str = r#"
[[job]]
name = "one"
allow = ["Edit(/out/**)"]
[[job.step]]
tool = "Write"
input = { file_path = "out/one.txt", content = "one\n" }
"#;

const IS_REFUSED: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
[[job.step]]
tool = "Read"
input = { file_path = "job.toml" }
expect = { outcome = "success" }
"#;

const FAILS: &str = r#"
[[job]]
name = "fails"
[[job.step]]
tool = "Read"
input = { file_path = "missing.txt" }
[[job]]
name = "waits"
needs = ["fails"]
[[job.step]]
tool = "Read"
input = { file_path = "job.toml" }
"#;

const IS_DENIED: &str = r#"
[[job]]
name = "denied"
deny = ["Edit(/secret/**)"]
allow = ["Edit"]
mode = "acceptEdits"
[[job.step]]
tool = "Write"
input = { file_path = "secret/x", content = "x" }
expect = { outcome = "refused_by_rule" }
[[job]]
name = "plans"
mode = "plan"
allow = ["Write", "Edit"]
[[job.step]]
tool = "Write"
input = { file_path = "planned.txt", content = "x" }
expect = { outcome = "refused_by_rule" }
"#;

const DONT_ASK: &str = r#"
[[job]]
name = "quiet"
mode = "dontAsk"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

#[test]
fn what_a_rule_allows_is_done() {
    let project = Project::with_job(WRITES);
    project.run(["run", "job.toml"]).expect_code(0);
    assert_eq!(project.read("out/one.txt").as_deref(), Some("one\n"));
}

#[test]
fn nobody_there_refuses_at_once_and_the_census_names_the_rule() {
    let project = Project::with_job(IS_REFUSED);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(3);
    let summary = ended.summary();
    assert_eq!(summary["exit"], 3);
    assert_eq!(summary["jobs"][0]["end"], "done");
    let refused = &summary["census"][0];
    assert_eq!(refused["outcome"], "nobody_can_answer");
    assert_eq!(project.read("asked.txt"), None);
    // The rule that the census names is what it takes.
    let rule = refused["rule"].as_str().unwrap();
    project
        .run(["run", "job.toml", "--allow", rule])
        .expect_code(0);
    assert_eq!(project.read("asked.txt").as_deref(), Some("x"));
}

#[test]
fn a_failed_job_ends_with_1_and_what_needs_it_is_skipped() {
    let project = Project::with_job(FAILS);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(1);
    let ends: Vec<Value> = (0..2)
        .map(|job| ended.summary()["jobs"][job]["end"].clone())
        .collect();
    assert_eq!(ends, ["failed", "skipped"]);
}

#[test]
fn a_rules_or_a_modes_no_is_no_failure_of_the_run() {
    let project = Project::with_job(IS_DENIED);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(0);
    assert_eq!(ended.summary()["counts"]["refused"], 2);
    assert_eq!(project.read("secret/x"), None);
    assert_eq!(project.read("planned.txt"), None);
}

const ASKS_AGAIN: &str = r#"
[[job]]
name = "loops"
deny = ["Bash(rm *)"]
STEPS
[[job]]
name = "goes-on"
allow = ["Bash(true)"]
[[job.step]]
tool = "Bash"
input = { command = "true" }
"#;

#[test]
fn an_agent_that_repeats_a_refused_call_is_stopped_and_all_tell_it() {
    let step = "[[job.step]]\ntool = \"Bash\"\ninput = { command = \"rm x\" }\non_refusal = \"continue\"\n";
    let job = ASKS_AGAIN.replace("STEPS", &step.repeat(8));
    let project = Project::with_job(&job);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(4);
    let why = "the same call of `Bash` was refused 5 times in the same way (refused)";
    let summary = ended.summary();
    assert_eq!(summary["jobs"][0]["end"], "halted", "{summary}");
    assert_eq!(
        summary["jobs"][1]["end"], "done",
        "it ends that agent alone"
    );
    assert!(summary.to_string().contains(why), "{summary}");
    let log = project.run(["log", "--json"]).expect_code(0).objects();
    let bodies = |kind: &str| -> Vec<&Value> {
        let all = log.iter().map(|record| &record["body"]);
        all.filter(|body| body["kind"] == kind).collect()
    };
    let refused: Vec<&str> = bodies("call_ended")
        .into_iter()
        .filter(|body| body["outcome"] == "refused")
        .map(|body| body["text"].as_str().unwrap())
        .collect();
    assert_eq!(refused.len(), 5, "{refused:#?}");
    assert!(refused[3].contains("asked once more, you are stopped"));
    assert!(refused[4].contains("refused 5 times in the same way: you are stopped"));
    let halted = bodies("worker_ended");
    let halted = halted.iter().find(|body| body["end"] == "halted").unwrap();
    assert!(halted["text"].as_str().unwrap().contains(why), "{halted}");
    assert_eq!(bodies("run_ended")[0]["exit_code"], 4);
}

#[test]
fn law_3_dont_ask_refuses_and_the_exit_code_tells() {
    let project = Project::with_job(DONT_ASK);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(3);
    let summary = ended.summary();
    assert_eq!(summary["census"][0]["tool"], "Write");
    assert_eq!(summary["counts"]["unanswered"], 1);
    assert_eq!(summary["counts"]["refused"], 0);
}

#[test]
fn rules_of_the_command_line_count_on_top() {
    let project = Project::with_job(WRITES);
    let denied = project
        .run(["run", "job.toml", "--deny", "Edit(/out/**)", "--json"])
        .expect_code(0);
    assert_eq!(denied.summary()["counts"]["refused"], 1);
    assert_eq!(project.read("out/one.txt"), None);
    project.write(
        "extra.json",
        r#"{"permissions":{"deny":["Edit(/out/**)"]}}"#,
    );
    let by_file = project
        .run(["run", "job.toml", "--settings", "extra.json", "--json"])
        .expect_code(0);
    assert_eq!(by_file.summary()["counts"]["refused"], 1);
}

#[test]
fn check_runs_nothing() {
    let project = Project::with_job(WRITES);
    let ended = project.run(["run", "--check", "job.toml"]).expect_code(0);
    assert_eq!(ended.out, "job.toml: no problem; 1 job: one\n");
    assert_eq!(project.read("out/one.txt"), None);
    let log = project.run(["log"]).expect_code(2);
    assert!(log.err.contains("nothing has run in this project yet"));
}

#[test]
fn json_is_one_object_a_line_and_all_else_goes_to_standard_error() {
    let project = Project::with_job(IS_REFUSED);
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(3);
    let kinds: Vec<String> = ended
        .objects()
        .iter()
        .filter_map(|object| Some(object["body"]["kind"].as_str()?.to_owned()))
        .collect();
    for kind in ["run_started", "call_decided", "request_closed", "run_ended"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_nothing() {
    let project = Project::with_job(WRITES);
    let mut child = project
        .command(["run", "job.toml", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(project.read("out/one.txt").as_deref(), Some("one\n"));
}

#[test]
fn init_writes_a_file_that_runs() {
    let project = Project::new();
    project.run(["init"]).expect_code(0);
    project
        .run(["run", "--check", "pointsman.toml"])
        .expect_code(0);
    let again = project.run(["init"]).expect_code(2);
    assert!(again.err.contains("is there already"), "{}", again.err);
}

#[test]
fn output_that_is_lost_is_told() {
    let project = Project::with_job(WRITES);
    let full = || Stdio::from(std::fs::File::create("/dev/full").unwrap());
    let run = project
        .command(["run", "job.toml"])
        .stdout(full())
        .output()
        .unwrap();
    // The run's code is the run's.
    assert_eq!(run.status.code(), Some(0));
    let err = String::from_utf8(run.stderr).unwrap();
    assert!(err.contains("standard output can't be written"), "{err}");
    let log = project.command(["log"]).stdout(full()).output().unwrap();
    assert_eq!(log.status.code(), Some(1));
}

#[test]
fn schemas_are_one_object_with_json() {
    let project = Project::new();
    let job_file = project.run(["schema", "--json"]).expect_code(0);
    let settings = project.run(["policy", "schema", "--json"]).expect_code(0);
    for ended in [job_file, settings] {
        assert_eq!(ended.objects().len(), 1);
        assert!(ended.objects()[0]["$schema"].is_string());
    }
}

/// A hook that always fails guards nothing: the end of the run says so, once.
#[test]
fn a_hook_that_fails_is_named_at_the_end_with_its_count() {
    let read = "[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"job.toml\" }\n";
    let project = Project::with_job(&format!("[[job]]\nname = \"a\"\n{read}{read}{read}"));
    project.write(
        "hooks.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"echo no such thing >&2; exit 7"}]}]}}"#,
    );
    let ended = project.run(["run", "job.toml", "--settings", "hooks.json", "--json"]);
    let remarks = ended.summary()["remarks"].to_string();
    assert!(
        remarks.contains("failed all 3 times it was run"),
        "{remarks}"
    );
    assert_eq!(remarks.matches("no such thing").count(), 1, "{remarks}");
}

#[test]
fn a_leader_that_is_stopped_is_told_as_one_that_does_not_answer() {
    let project = Project::with_job(
        "[[job]]\nname = \"a\"\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"a\", content = \"x\" }\n",
    );
    let leader = project.start(["run", "--attended", "--json", "job.toml"]);
    project.questions(1);
    leader.stop_here();
    // Each waits as long as a leader may take.
    let [runs, listed, doctor, watch] = std::thread::scope(|scope| {
        let asked = [
            scope.spawn(|| project.run(["runs"])),
            scope.spawn(|| project.run(["runs", "--json"])),
            scope.spawn(|| project.run(["doctor"])),
            scope.spawn(|| project.run(["queue", "--watch"])),
        ];
        asked.map(|asked| asked.join().unwrap())
    });
    let silent = "the leader has not answered";
    let runs = runs.expect_code(0).out;
    assert!(runs.contains(silent), "{runs}");
    assert!(!runs.contains("no leader runs now"), "{runs}");
    let listed = listed.expect_code(0).objects();
    let told = listed[0]["leader"]["silent"].as_str().unwrap();
    assert!(told.contains(silent), "{told}");
    let doctor = doctor.expect_code(1).out;
    assert!(doctor.contains(silent), "{doctor}");
    assert!(!doctor.contains("same version"), "{doctor}");
    let watch = watch.expect_code(2).err;
    assert!(watch.contains(silent), "{watch}");
}
