//! Agents that agents start in the background: the one that started them goes on, hears of their end, and none outlives it.

use pointsman_testkit::AnthropicReply;
use serde_json::{Value, json};

use crate::ground::{Project, until};
use crate::models::Model;

/// Starts an agent that asks, and goes on beside it.
const STARTS: &str = r#"
[[job]]
name = "parent"
allow = ["Bash(touch beside.txt)"]
[[job.step]]
tool = "Agent"
input = { subagent_type = "looker", prompt = "look", run_in_background = true }
[[job.step]]
tool = "Bash"
input = { command = "touch beside.txt" }
[agents.looker]
[[agents.looker.step]]
tool = "Write"
input = { file_path = "found.txt", content = "x" }
"#;

/// The bodies of a run's records of that kind.
fn records(project: &Project, run: u32, kind: &str) -> Vec<Value> {
    let run = format!("run-{run}");
    let log = project.run(["log", "--run", &run, "--kind", kind, "--json"]);
    let records = log.objects();
    records
        .iter()
        .map(|record| record.get("body").cloned().unwrap_or_default())
        .collect()
}

#[test]
fn its_question_can_be_answered_while_the_one_that_started_it_goes_on() {
    let project = Project::with_job(STARTS);
    let leader = project.start(["run", "--attended", "--json", "job.toml"]);
    let id = project.questions(1).remove(0);
    assert_eq!(project.queue()[0]["agent"], "parent › looker");
    until("the parent has gone on", || project.read("beside.txt"));
    until("the parent waits for the other", || {
        let workers = project.run(["workers", "--json"]).expect_code(0);
        let states: Vec<Value> = workers
            .objects()
            .iter()
            .map(|row| row["state"].clone())
            .collect();
        (states == ["waits_for_agents", "waits_for_you"]).then_some(())
    });
    assert_eq!(project.queue()[0]["worker"], "w1-2");
    let shown = project.run(["show", &id]).expect_code(0);
    assert!(shown.out.contains("in the background"), "{}", shown.out);
    project.run(["answer", &id, "allow"]).expect_code(0);
    let ended = leader.wait().expect_code(0);
    assert_eq!(project.read("found.txt").as_deref(), Some("x"));
    // It is on record before the call that started it is over: no death of the leader falls between the two.
    let log = project.run(["log", "--json"]).objects();
    let first = |wanted: &dyn Fn(&Value) -> bool| {
        let body = |record: &Value| record.get("body").is_some_and(wanted);
        log.iter().position(body).unwrap()
    };
    let spawned = first(&|body| body["kind"] == "worker_spawned" && body["task"] == "look");
    let over = first(&|body| body["kind"] == "call_ended" && body["call"] == "c1-1");
    assert!(spawned < over);
    let told = ended.summary()["jobs"][0]["text"].to_string();
    assert!(
        told.contains("w1-2 did its task in the background"),
        "{told}"
    );
}

#[test]
fn with_nobody_there_it_is_refused_aloud_and_its_parent_is_told() {
    let project = Project::with_job(STARTS);
    let ended = project
        .run(["run", "--unattended", "--json", "job.toml"])
        .expect_code(3);
    let told = ended.summary()["jobs"][0]["text"].to_string();
    assert!(told.contains("1 refused"), "{told}");
    assert_eq!(project.read("found.txt"), None);
}

#[test]
fn one_that_fails_fails_the_one_that_started_it() {
    let fails = STARTS
        .replace("tool = \"Write\"", "tool = \"Read\"")
        .replace(
            "file_path = \"found.txt\", content = \"x\"",
            "file_path = \"nothing.txt\"",
        );
    let project = Project::with_job(&fails);
    let ended = project
        .run(["run", "--unattended", "--json", "job.toml"])
        .expect_code(1);
    let told = ended.summary()["jobs"][0]["text"].to_string();
    assert!(told.contains("w1-2"), "{told}");
}

#[test]
fn a_rule_on_the_background_is_a_rule() {
    let project = Project::with_job(&STARTS.replace(
        "[[job.step]]\ntool = \"Agent\"",
        "deny = [\"Agent(run_in_background:true)\"]\n[[job.step]]\ntool = \"Agent\"",
    ));
    let ended = project
        .run(["run", "--unattended", "--json", "job.toml"])
        .expect_code(0);
    let told = ended.summary()["jobs"][0]["text"].to_string();
    assert!(told.contains("Agent(run_in_background:true)"), "{told}");
    assert!(records(&project, 1, "worker_spawned").len() == 1, "{told}");
}

#[test]
fn law_21_it_ends_with_the_one_that_started_it() {
    let project = Project::with_job(&STARTS.replace("touch beside.txt\" }", "false\" }"));
    // The parent fails at its second step.
    let leader = project.start(["run", "--attended", "--json", "job.toml"]);
    leader.wait().expect_code(1);
    let ends: Vec<Value> = records(&project, 1, "worker_ended")
        .iter()
        .map(|body| json!([body["worker"], body["end"]]))
        .collect();
    assert_eq!(
        ends,
        [json!(["w1-2", "stopped"]), json!(["w1-1", "failed"])]
    );
    assert_eq!(project.read("found.txt"), None);
}

#[test]
fn law_20_its_question_is_open_again_under_the_next_leader_and_nothing_is_done_twice() {
    let project = Project::with_job(STARTS);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    until("the parent has gone on", || {
        (records(&project, 1, "call_ended").len() == 2).then_some(())
    });
    leader.signal(nix::sys::signal::Signal::SIGKILL);
    drop(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), [id.as_str()]);
    project.run(["answer", &id, "allow"]).expect_code(0);
    let ended = leader.wait().expect_code(0);
    assert_eq!(project.read("found.txt").as_deref(), Some("x"));
    assert_eq!(records(&project, 1, "worker_spawned").len(), 2);
    assert_eq!(records(&project, 1, "call_started").len(), 3);
    let told = ended.summary()["jobs"][0]["text"].to_string();
    assert!(told.contains("w1-2 did its task"), "{told}");
}

#[test]
fn law_20_of_equal_ones_each_is_taken_up_as_itself() {
    let start = "[[job.step]]\ntool = \"Agent\"\ninput = { subagent_type = \"looker\", prompt = \"look\", run_in_background = true }\n";
    let writes = "tool = \"Bash\"\ninput = { command = \"sleep 1; echo x >> found.txt\" }\n";
    let head = "[[job]]\nname = \"parent\"\nallow = [\"Bash(*)\"]\n";
    let job = format!(
        "{head}{}[agents.looker]\n[[agents.looker.step]]\n{writes}",
        start.repeat(6)
    );
    let project = Project::with_job(&job);
    // Killed at some moment while they are started, whichever: each has to come to be, once.
    for number in 1..=6 {
        let leader = project.start(["run", "job.toml"]);
        let kind = if number % 2 == 0 {
            "call_started"
        } else {
            "worker_spawned"
        };
        until("some have been started", || {
            (records(&project, number, kind).len() > 2).then_some(())
        });
        leader.signal(nix::sys::signal::Signal::SIGKILL);
        drop(leader);
        let run = format!("run-{number}");
        // A command that was at work then is unknown, and fails its agent.
        project.run(["run", "--json", "--resume", &run]);
        let count = |kind| records(&project, number, kind).len();
        assert_eq!((count("worker_spawned"), count("worker_ended")), (7, 7));
    }
}

#[test]
fn an_agent_that_thinks_goes_on_and_is_told() {
    let job = STARTS.split("[agents.looker]").nth(1).unwrap();
    let project = Project::with_job(&format!(
        r#"
[[job]]
name = "think"
agent = "llm"
task = "have it looked at"
allow = ["Edit(/found.txt)"]
mode = "acceptEdits"
model = {{ model = "m", dialect = "anthropic" }}
[agents.looker]{job}"#
    ));
    let input = json!({ "subagent_type": "looker", "prompt": "look", "run_in_background": true });
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Agent", input),
        AnthropicReply::text("I wait for it"),
        AnthropicReply::text("it was looked at"),
        AnthropicReply::text("it was looked at again"),
    ]);
    let ended = model.run(&project, &[]).expect_code(0);
    let heard = model.heard();
    let told = |request: usize| heard[request]["messages"].to_string();
    assert!(
        told(1).contains("w1-2 works in the background"),
        "{}",
        told(1)
    );
    let notice = "w1-2, which you started in the background, has done its task";
    let last = told(heard.len() - 1);
    assert_eq!(last.matches(notice).count(), 1, "{last}");
    let text = ended.summary()["jobs"][0]["text"].to_string();
    assert!(text.contains("it was looked at"), "{text}");
    assert_eq!(project.read("found.txt").as_deref(), Some("x"));
}
