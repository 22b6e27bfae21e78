//! Runs that are taken up again after their leader was killed: thinking agents, jobs that joined, where agents stood,
//! and what people had ordered.

mod not_yet;
mod orders;

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

use pointsman_testkit::AnthropicReply;
use serde_json::{Value, json};

use crate::ground::{Ended, Project, Running, until};
use crate::models::{KEY, Model, ended};

/// A leader with nothing at its terminal, to be killed.
fn leads(project: &Project, model: Option<&Model>, arguments: &[&str]) -> Child {
    let mut command = project.command(["run", "--attended"]);
    if let Some(model) = model {
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", model.server.url());
    }
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn kill(mut leader: Child) {
    leader.kill().unwrap();
    leader.wait().unwrap();
}

/// Takes run 1 up again and lets it come to its end; each question that comes is answered with yes.
fn resumed(project: &Project, model: Option<&Model>, questions: usize) -> Ended {
    let mut command = project.command(["run", "--attended", "--json", "--resume", "run-1"]);
    if let Some(model) = model {
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", model.server.url());
    }
    std::thread::scope(|scope| {
        let run = scope.spawn(|| ended(&mut command));
        for id in project.questions(questions) {
            project.run(["answer", &id, "allow"]).expect_code(0);
        }
        run.join().unwrap()
    })
}

fn is_whole(project: &Project) {
    let verify = project.run(["log", "verify", "--json"]).expect_code(0);
    assert_eq!(verify.objects()[0]["whole"], true);
}

/// The records of run 1 of that kind.
fn records(project: &Project, kind: &str) -> Vec<Value> {
    let log = project.run(["log", "--run", "run-1", "--json"]);
    let bodies = log.expect_code(0).objects().into_iter();
    let bodies = bodies.map(|record| record["body"].clone());
    bodies.filter(|body| body["kind"] == kind).collect()
}

const THINKS: &str = r#"
[[job]]
name = "think"
agent = "llm"
task = "say hello"
allow = ["Bash(echo *)", "Bash(sleep *)", "Edit(/done.txt)"]
model = { model = "m", dialect = "anthropic" }
"#;

/// What the model was sent last.
fn last_sent(model: &Model) -> Vec<Value> {
    let heard = model.heard();
    heard.last().unwrap()["messages"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn law_20_a_thinking_agent_goes_on_with_its_conversation_and_repeats_nothing() {
    let project = Project::with_job(THINKS);
    let writes = json!({ "file_path": "asked.txt", "content": "yes\n" });
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Bash", json!({ "command": "echo one >> done.txt" })),
        AnthropicReply::uses("2", "Bash", json!({ "command": "echo two >> done.txt" }))
            .and_uses("3", "Write", writes),
        // The same words again are another call, and run.
        AnthropicReply::uses("4", "Bash", json!({ "command": "echo one >> done.txt" })),
        AnthropicReply::text("hello"),
    ]);
    let leader = leads(&project, Some(&model), &["job.toml"]);
    let id = project.questions(1).remove(0);
    kill(leader);
    // A second kill changes nothing.
    let leader = leads(&project, Some(&model), &["--resume", "run-1"]);
    assert_eq!(project.questions(1), [id.as_str()]);
    kill(leader);
    let ended = resumed(&project, Some(&model), 1).expect_code(0);
    assert_eq!(ended.summary()["jobs"][0]["end"], "done");
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
    assert_eq!(project.read("done.txt").as_deref(), Some("one\ntwo\none\n"));
    // The model was asked four times in all, and saw one conversation without a gap.
    assert_eq!(model.heard().len(), 4);
    let roles: Vec<Value> = last_sent(&model)
        .iter()
        .map(|turn| turn["role"].clone())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant",
            "user"
        ]
    );
    let third = &last_sent(&model)[4]["content"];
    let results: Vec<&Value> = third
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["type"] == "tool_result")
        .collect();
    assert_eq!(results.len(), 2, "{third}");
    let numbers: Vec<u64> = records(&project, "turn_taken")
        .iter()
        .map(|turn| turn["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
    assert_eq!(records(&project, "call_started").len(), 4);
    let spawned = records(&project, "worker_spawned");
    assert_eq!(spawned.len(), 1);
    // Under the same context to the end (law 16).
    for decided in records(&project, "call_decided") {
        assert_eq!(decided["context"], spawned[0]["context"]);
    }
    is_whole(&project);
}

#[test]
fn a_budget_counts_on_under_the_next_leader() {
    let budget = "dialect = \"anthropic\", budget = { tokens = 40000 } }";
    let thinks = THINKS.replace("dialect = \"anthropic\" }", budget);
    let project = Project::with_job(&thinks);
    let writes = json!({ "file_path": "asked.txt", "content": "yes\n" });
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Bash", json!({ "command": "echo one" })).counted(19_000, 500),
        AnthropicReply::uses("2", "Write", writes).counted(20_000, 400),
        AnthropicReply::text("hello"),
    ]);
    let leader = leads(&project, Some(&model), &["job.toml"]);
    project.questions(1);
    kill(leader);
    let spent: Vec<(u64, u64)> = records(&project, "turn_taken")
        .iter()
        .filter(|turn| turn["speaker"] == "model")
        .map(|turn| &turn["spent"])
        .map(|spent| {
            (
                spent["input"].as_u64().unwrap(),
                spent["output"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(spent, [(19_000, 500), (20_000, 400)]);
    // A hundred tokens are left, which is less than the model would have to read.
    let ended = resumed(&project, Some(&model), 1).expect_code(4);
    assert_eq!(ended.summary()["jobs"][0]["end"], "halted");
    assert_eq!(model.heard().len(), 2);
}

#[test]
fn law_20_a_thinking_agent_is_told_of_what_nobody_knows() {
    let project = Project::with_job(THINKS);
    let model = Model::saying(vec![
        AnthropicReply::uses(
            "1",
            "Bash",
            json!({ "command": "echo began >> done.txt; sleep 300" }),
        )
        .and_uses("2", "Bash", json!({ "command": "echo later >> done.txt" })),
        AnthropicReply::text("I looked, and leave it"),
    ]);
    let leader = leads(&project, Some(&model), &["job.toml"]);
    until("the command runs", || project.read("done.txt"));
    kill(leader);
    let ended = resumed(&project, Some(&model), 0).expect_code(0);
    let told = "had started when the leader died: nobody knows what it did";
    assert!(ended.err.contains(told), "{}", ended.err);
    let results = last_sent(&model)[2]["content"].to_string();
    assert!(results.contains("nobody knows what it did"), "{results}");
    assert!(results.contains("interrupted before"), "{results}");
    assert_eq!(project.read("done.txt").as_deref(), Some("began\n"));
    assert_eq!(records(&project, "call_started").len(), 1);
    is_whole(&project);
}

const ASKS: &str = r#"
slots = 4
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

const JOINS: &str = r#"
[[job]]
name = "joins"
[[job.step]]
tool = "Agent"
input = { subagent_type = "joined-child", prompt = "write it" }
[[job]]
name = "follows"
needs = ["joins"]
allow = ["Edit(/follows.txt)"]
[[job.step]]
tool = "Write"
input = { file_path = "follows.txt", content = "x" }
[agents.joined-child]
[[agents.joined-child.step]]
tool = "Write"
input = { file_path = "joined.txt", content = "x" }
"#;

#[test]
fn law_20_jobs_that_joined_are_taken_up_with_the_run() {
    let project = Project::with_job(ASKS);
    project.write("more.toml", JOINS);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    project.run(["add", "more.toml"]).expect_code(0);
    let before = asked(&project);
    kill(leader);
    project.write("more.toml", &JOINS.replace("follows.txt", "other.txt"));
    let refused = project.run(["run", "--attended", "--resume", "run-1"]);
    let refused = refused.expect_code(2);
    let why = "the job file is not what it was when run-1 took it up";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(refused.err.contains("more.toml"), "{}", refused.err);
    project.write("more.toml", JOINS);
    let leader = leads(&project, None, &["--resume", "run-1"]);
    assert_eq!(asked(&project), before);
    kill(leader);
    let ended = resumed(&project, None, 2).expect_code(0);
    let jobs = ended.summary()["jobs"].clone();
    let ends: Vec<(&str, &str)> = jobs
        .as_array()
        .unwrap()
        .iter()
        .map(|job| (job["name"].as_str().unwrap(), job["end"].as_str().unwrap()))
        .collect();
    assert_eq!(
        ends,
        [("asks", "done"), ("joins", "done"), ("follows", "done")]
    );
    for file in ["asked.txt", "joined.txt", "follows.txt"] {
        assert_eq!(project.read(file).as_deref(), Some("x"), "{file}");
    }
    assert_eq!(records(&project, "worker_spawned").len(), 4);
    is_whole(&project);
}

#[test]
fn a_run_is_taken_up_from_any_folder_wherever_its_files_were_named_from() {
    let project = Project::new();
    project.write("jobs/job.toml", ASKS);
    project.write("more/of/more.toml", JOINS);
    let from = |mut command: Command, folder: &str| {
        command.current_dir(project.root().join(folder));
        command
    };
    let mut leader = from(project.command(["run", "--attended", "job.toml"]), "jobs");
    let leader = leader.stdout(Stdio::null()).stderr(Stdio::null());
    let leader = leader.spawn().unwrap();
    project.questions(1);
    let mut add = from(project.command(["add", "of/more.toml"]), "more");
    assert_eq!(add.output().unwrap().status.code(), Some(0));
    let before = asked(&project);
    kill(leader);
    // Other files of these names lie where it is taken up.
    for name in ["job.toml", "of/more.toml"] {
        project.write(name, "[[job]]");
    }
    let ended = resumed(&project, None, 2).expect_code(0);
    assert_eq!(before.len(), 2);
    for file in ["asked.txt", "joined.txt", "follows.txt"] {
        assert_eq!(project.read(file).as_deref(), Some("x"), "{file}");
    }
    assert_eq!(ended.summary()["jobs"].as_array().unwrap().len(), 3);
    is_whole(&project);
}

/// The two that are asked. In which order they come to the surfaces again depends on who is up first.
fn asked(project: &Project) -> BTreeSet<String> {
    project.questions(2).into_iter().collect()
}

const STANDS_AND_HAS_READ: &str = r#"
[[job]]
name = "edits"
allow = ["Bash(cd *)"]
[[job.step]]
tool = "Bash"
input = { command = "cd sub" }
[[job.step]]
tool = "Read"
input = { file_path = "notes.txt" }
[[job.step]]
tool = "Edit"
input = { file_path = "notes.txt", old_string = "old", new_string = "new" }
"#;

#[test]
fn law_20_an_agent_stands_where_it_stood_and_has_seen_what_it_saw() {
    let project = Project::with_job(STANDS_AND_HAS_READ);
    project.write("sub/notes.txt", "old words\n");
    project.write("notes.txt", "old words\n");
    let leader = leads(&project, None, &["job.toml"]);
    let before = project.questions(1);
    kill(leader);
    let leader = leads(&project, None, &["--resume", "run-1"]);
    assert_eq!(project.questions(1), before);
    kill(leader);
    resumed(&project, None, 1).expect_code(0);
    assert_eq!(
        project.read("sub/notes.txt").as_deref(),
        Some("new words\n")
    );
    assert_eq!(project.read("notes.txt").as_deref(), Some("old words\n"));
}

#[test]
fn law_23_a_run_of_which_a_record_is_damaged_is_not_taken_up() {
    let project = Project::with_job(ASKS);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    kill(leader);
    project.damage_the_first("request_opened");
    let refused = project.run(["run", "--attended", "--resume", "run-1"]);
    let refused = refused.expect_code(2);
    let why = "1 record of run-1 can't be read";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(refused.err.contains("log verify"), "{}", refused.err);
    assert_eq!(project.read("asked.txt"), None);
}

/// One call is asked about, allowed and done; the next one is asked about.
const DOES_AND_ASKS: &str = r#"
[[job]]
name = "does"
[[job.step]]
tool = "Bash"
input = { command = "echo x >> done.txt" }
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

#[test]
fn law_20_a_run_whose_end_was_lost_is_not_taken_up_whoever_led_since() {
    for (lost, between) in [
        ("call_started", false),
        ("call_started", true),
        // Nothing is left of the call that was done.
        ("call_requested", true),
    ] {
        let project = Project::with_job(DOES_AND_ASKS);
        let leader = leads(&project, None, &["job.toml"]);
        let id = project.questions(1).remove(0);
        project.run(["answer", &id, "allow"]).expect_code(0);
        until("the next call is asked about", || {
            let open = project.queue();
            open.iter().any(|card| card["id"] == "r1-2").then_some(())
        });
        kill(leader);
        project.cut_from_the_first(lost);
        if between {
            project.write("other.toml", "[[job]]\nname = \"a\"\n[[job.step]]\ntool = \"Glob\"\ninput = { pattern = \"*\" }\n");
            project
                .run(["run", "--unattended", "other.toml"])
                .expect_code(0);
        }
        for _ in 0..2 {
            let refused = project.run(["run", "--attended", "--resume", "run-1"]);
            let refused = refused.expect_code(2);
            let why = "what was recorded of run-1 is not whole";
            assert!(refused.err.contains(why), "{lost}: {}", refused.err);
            assert!(refused.err.contains("log verify"), "{}", refused.err);
            let verify = project.run(["log", "verify"]).expect_code(1);
            assert!(verify.out.contains("run-1"), "{lost}: {}", verify.out);
        }
        assert_eq!(project.read("done.txt").as_deref(), Some("x\n"), "{lost}");
    }
}

/// A model that lies on this machine and needs no key; whoever sets one keeps it in a variable of an innocent name.
const DOOR: &str = "DOOR_WORD";
const SECRET: &str = "open-sesame-0123";

#[test]
fn no_program_of_a_run_sees_the_key_of_a_file_that_joined() {
    let looks = format!(
        r#"
[[job]]
name = "asks"
allow = ["Bash", "Read"]
[[job.step]]
tool = "Write"
input = {{ file_path = "asked.txt", content = "x" }}
[[job.step]]
tool = "Bash"
input = {{ command = "echo \"seen:${DOOR}\" > seen.txt" }}
[[job.step]]
tool = "Write"
input = {{ file_path = "again.txt", content = "x" }}
"#
    );
    let project = Project::with_job(&looks);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    let notify = format!(
        r#"{{"pointsman": {{"notify": {{"command": "echo \"told:${DOOR}\" >> \"$HOME/told\"", "desktop": false}}}}}}"#
    );
    std::fs::write(folder.join("settings.json"), notify).unwrap();
    let model = Model::saying(vec![AnthropicReply::text("hello")]);
    let url = model.server.url();
    let thinks = format!(
        "[[job]]\nname = \"thinks\"\nagent = \"llm\"\ntask = \"say hello\"\n\
         model = {{ model = \"m\", dialect = \"anthropic\", base_url = \"{url}\", key_env = \"{DOOR}\" }}\n"
    );
    project.write("more.toml", &thinks);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    project.run(["add", "more.toml"]).expect_code(0);
    until("the model has said it", || {
        (records(&project, "worker_ended").len() == 1).then_some(())
    });
    kill(leader);
    let mut command = project.command(["run", "--attended", "--json", "--resume", "run-1"]);
    let leader = Running::of({
        command.env(DOOR, SECRET);
        command
    });
    let id = project.questions(1).remove(0);
    project.run(["answer", &id, "allow"]).expect_code(0);
    // The first was told of by the leader that died.
    let next = project.questions(1).remove(0);
    until("the person is told of the next", || {
        let told = std::fs::read_to_string(project.home().join("told")).unwrap_or_default();
        (told.lines().count() >= 2).then_some(())
    });
    project.run(["answer", &next, "allow"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("seen.txt").as_deref(), Some("seen:\n"));
    let told = std::fs::read_to_string(project.home().join("told")).unwrap();
    assert!(!told.contains(SECRET), "{told}");
}

#[test]
fn a_call_whose_question_outlived_its_leader_is_counted_once() {
    let project = Project::with_job(ASKS);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    kill(leader);
    let leader = leads(&project, None, &["--resume", "run-1"]);
    project.questions(1);
    kill(leader);
    let look = project.run(["queue"]).expect_code(2);
    let hint = "`pointsman run --resume run-1` goes on with it";
    assert!(look.err.contains(hint), "{}", look.err);
    let ended = resumed(&project, None, 1).expect_code(0);
    let counts = ended.summary()["counts"].clone();
    assert_eq!(counts["calls"], 1, "{counts}");
    assert_eq!(counts["succeeded"], 1, "{counts}");
    assert_eq!(counts["cancelled"], 0, "{counts}");
}
