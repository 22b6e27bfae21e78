//! What is ordered of agents that don't live again yet reaches what is open for them.

use super::orders::goes_on;
use super::*;

const ONE_ASKS_BELOW: &str = r#"
slots = 2
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "own.txt", content = "x" }
[[job]]
name = "has-one-ask"
[[job.step]]
tool = "Agent"
input = { subagent_type = "below", prompt = "write it" }
[agents.below]
[[agents.below.step]]
tool = "Write"
input = { file_path = "below.txt", content = "x" }
"#;

/// A leader that has taken up a paused run with that many questions open.
fn paused_again(job: &str, questions: usize) -> (Project, Running) {
    let project = Project::with_job(job);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(questions);
    project.run(["pause"]).expect_code(0);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    project.questions(questions);
    (project, leader)
}

fn nothing_is_open(project: &Project) {
    until("nothing is open", || {
        let queue = project.run(["queue", "--json"]).expect_code(0);
        queue.objects().is_empty().then_some(())
    });
}

#[test]
fn law_14_what_tightens_a_paused_run_judges_what_is_open_for_agents_that_do_not_live_yet() {
    let lowers: fn(&Project) = |project| {
        for worker in ["w1-1", "w1-2", "w1-3"] {
            project.run(["mode", worker, "plan"]).expect_code(0);
        }
    };
    let tightens: fn(&Project) = |project| {
        let deny = ["grants", "tighten", "deny", "Edit(/*.txt)"];
        project.run(deny).expect_code(0);
    };
    for (what, order) in [("mode", lowers), ("rule", tightens)] {
        let (project, leader) = paused_again(ONE_ASKS_BELOW, 2);
        order(&project);
        nothing_is_open(&project);
        for id in ["r1-1", "r1-2"] {
            let late = project.run(["answer", id, "allow"]).expect_code(1);
            assert!(late.out.contains("refused by"), "{what}: {}", late.out);
        }
        goes_on(&project);
        drop(leader.wait());
        assert_eq!(project.read("own.txt"), None, "{what}");
        assert_eq!(project.read("below.txt"), None, "{what}");
        assert_eq!(records(&project, "request_opened").len(), 2, "{what}");
        is_whole(&project);
    }
}

#[test]
fn law_21_a_stop_reaches_what_is_open_for_an_agent_that_does_not_live_yet_and_then_the_agent() {
    for by_id_or_name in ["w1-1", "asks"] {
        let (project, leader) = paused_again(ASKS, 1);
        let stopped = project.run(["stop", by_id_or_name]).expect_code(0);
        let told = "does not live again yet";
        assert!(stopped.out.contains(told), "{}", stopped.out);
        nothing_is_open(&project);
        goes_on(&project);
        let ended = leader.wait();
        assert_eq!(ended.summary()["jobs"][0]["end"], "stopped");
        assert_eq!(project.read("asked.txt"), None);
        assert_eq!(records(&project, "request_opened").len(), 1);
        is_whole(&project);
    }
}

/// Nothing has to be open for it.
#[test]
fn law_21_a_stop_reaches_an_agent_that_does_not_live_yet_and_asks_nothing() {
    for by_id_or_name in ["w1-1", "runs"] {
        let project = Project::with_job(RUNS_AND_WRITES);
        let leader = leads(&project, None, &["job.toml"]);
        until("it runs", || {
            let log = project.run(["log", "--kind", "call_started", "--json"]);
            (log.code == Some(0) && !log.objects().is_empty()).then_some(())
        });
        project.run(["pause"]).expect_code(0);
        kill(leader);
        let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
        let stopped = until("the leader is there", || {
            let stopped = project.run(["stop", by_id_or_name]);
            (stopped.code == Some(0)).then_some(stopped)
        });
        let told = "does not live again yet";
        assert!(stopped.out.contains(told), "{}", stopped.out);
        goes_on(&project);
        let ended = leader.wait();
        assert_eq!(ended.summary()["jobs"][0]["end"], "stopped");
        assert_eq!(project.read("after.txt"), None);
        is_whole(&project);
    }
}

const RUNS_AND_WRITES: &str = r#"
[[job]]
name = "runs"
allow = ["Bash(sleep *)", "Edit(/after.txt)"]
[[job.step]]
tool = "Bash"
input = { command = "sleep 300" }
[[job.step]]
tool = "Write"
input = { file_path = "after.txt", content = "x" }
"#;

/// What it was is gone: nobody is asked for it and the one below it any more, and they are known as ended.
#[test]
fn law_12_an_agent_that_can_t_live_again_leaves_no_question() {
    let project = Project::with_job(THINKS);
    let file = project.home().join(".claude/agents/looker.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "---\nname: looker\ndescription: looks\n---\nLook.\n").unwrap();
    let write = json!({ "file_path": "found.txt", "content": "x" });
    let looks = json!({ "subagent_type": "looker", "prompt": "look" });
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Agent", looks.clone()),
        AnthropicReply::uses("2", "Agent", looks),
        AnthropicReply::uses("3", "Write", write.clone()),
        AnthropicReply::uses("4", "Write", write),
    ]);
    let leader = leads(&project, Some(&model), &["job.toml"]);
    project.questions(1);
    kill(leader);
    std::fs::remove_file(file).unwrap();
    let mut command = project.command(["run", "--attended", "--json", "--resume", "run-1"]);
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", model.server.url());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| ended(&mut command));
        until("the one above them asks", || {
            let open = project.queue();
            (open.len() == 1 && open[0]["id"] == "r1-2").then_some(())
        });
        for worker in ["w1-2", "w1-3"] {
            let late = project.run(["tell", worker, "hello"]).expect_code(2);
            assert!(late.err.contains("not at work"), "{}", late.err);
        }
        project.run(["answer", "r1-2", "deny"]).expect_code(0);
        run.join().unwrap().expect_code(0);
    });
    let told = json!(last_sent(&model)).to_string();
    assert!(told.contains("no agent of type `looker`"), "{told}");
    for worker in ["w1-2", "w1-3"] {
        let mut ends = records(&project, "worker_ended");
        ends.retain(|body| body["worker"] == worker);
        assert_eq!(ends.len(), 1, "{ends:?}");
        let text = ends[0]["text"].to_string();
        assert!(text.contains("could not live again"), "{text}");
    }
    is_whole(&project);
}

#[test]
fn a_job_that_was_done_before_a_resume_is_not_stopped_meanwhile() {
    let done =
        "[[job]]\nname = \"done\"\n[[job.step]]\ntool = \"Glob\"\ninput = { pattern = \"*\" }\n";
    let job = format!("{ASKS}{done}");
    let project = Project::with_job(&job);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    until("the other is done", || {
        (records(&project, "worker_ended").len() == 1).then_some(())
    });
    project.run(["pause"]).expect_code(0);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    let id = project.questions(1).remove(0);
    let refused = project.run(["stop", "done"]).expect_code(2).err;
    assert!(refused.contains("not taken up again yet"), "{refused}");
    goes_on(&project);
    project.run(["answer", &id, "deny"]).expect_code(0);
    assert_eq!(leader.wait().summary()["jobs"][1]["end"], "done");
}

/// The rows of `workers`, in the order in which they were spawned.
fn workers(project: &Project) -> Vec<Value> {
    project.run(["workers", "--json"]).expect_code(0).objects()
}

#[test]
fn an_agent_whose_question_is_open_again_waits_for_you_in_a_paused_run_and_in_one_that_goes_on() {
    let waits = |project: &Project, when: &str| {
        let rows = workers(project);
        let asks = [
            rows.iter().find(|row| row["worker"] == "w1-1"),
            rows.iter().find(|row| row["worker"] == "w1-3"),
        ];
        let mut ids = Vec::new();
        for row in asks.map(Option::unwrap) {
            assert_eq!(row["state"], "waits_for_you", "{when}: {row}");
            assert_eq!(row["questions"], json!([row["what"]]), "{when}: {row}");
            ids.push(row["what"].as_str().unwrap().to_owned());
        }
        ids.sort();
        assert_eq!(ids, ["r1-1", "r1-2"], "{when}");
    };
    let (project, leader) = paused_again(ONE_ASKS_BELOW, 2);
    waits(&project, "paused");
    goes_on(&project);
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    project.run(["answer", "r1-2", "deny"]).expect_code(0);
    drop(leader.wait());
    let project = Project::with_job(ONE_ASKS_BELOW);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(2);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    project.questions(2);
    waits(&project, "goes on");
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    project.run(["answer", "r1-2", "deny"]).expect_code(0);
    drop(leader.wait());
}

#[test]
fn an_agent_that_does_not_live_again_yet_is_paused_from_its_first_call_on_and_hears_nothing_before()
{
    let (project, leader) = paused_again(ASK_AND_GO_ON, 1);
    let early = project.run(["tell", "w1-1", "hello"]).expect_code(2);
    let told = "does not live again yet";
    assert!(early.err.contains(told), "{}", early.err);
    let unknown = project.run(["pause", "w1-9"]).expect_code(2);
    assert!(unknown.err.contains("not at work"), "{}", unknown.err);
    project.run(["pause", "w1-1"]).expect_code(0);
    goes_on(&project);
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    until("it is paused", || {
        (workers(&project)[0]["state"] == "paused").then_some(())
    });
    assert_eq!(project.read("second.txt"), None);
    project.run(["pause", "--off", "w1-1"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("second.txt").as_deref(), Some("x"));
    is_whole(&project);
}

const ASK_AND_GO_ON: &str = r#"
[[job]]
name = "asks"
allow = ["Edit(/second.txt)"]
[[job.step]]
tool = "Write"
input = { file_path = "first.txt", content = "x" }
[[job.step]]
tool = "Write"
input = { file_path = "second.txt", content = "x" }
"#;

#[test]
fn what_a_resume_says_of_the_dead_leader_is_what_became_of_it() {
    let project = Project::with_job(ONE_ASKS_BELOW);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(2);
    kill(leader);
    let leader = project.start(["run", "--attended", "--resume", "run-1"]);
    for id in project.questions(2) {
        project.run(["answer", &id, "allow"]).expect_code(0);
    }
    let ended = leader.wait().expect_code(0);
    let told = "could not record its end: 2 questions were open, to be asked again\n";
    assert!(ended.out.contains(told), "{}", ended.out);
    for never in ["interrupted", "is unknown", "are unknown"] {
        assert!(!ended.out.contains(never), "{}", ended.out);
    }
}
