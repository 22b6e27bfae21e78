//! Verbs that reach a running leader: what they show, what they order, and how they end.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use pointsman_testkit::AnthropicReply;
use serde_json::Value;

use crate::ground::{Ended, Project, Running, until};
use crate::models::{KEY, Model};

/// Two jobs that ask, one that needs a file which is not there at first, and one that needs that.
const JOBS: &str = r#"
slots = 16
[[job]]
name = "one"
mode = "default"
deny = ["Bash(rm *)"]
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "one\n" }
[[job]]
name = "two"
[[job.step]]
tool = "Write"
input = { file_path = "two.txt", content = "two\n" }
[[job]]
name = "needs-file"
allow = ["Read"]
[[job.step]]
tool = "Read"
input = { file_path = "there.txt" }
[[job]]
name = "after"
needs = ["needs-file"]
allow = ["Bash(true)"]
[[job.step]]
tool = "Bash"
input = { command = "true" }
"#;

fn ask(project: &Project) -> Running {
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    project.questions(2);
    running
}

fn ids(project: &Project) -> Vec<String> {
    let open = project.queue();
    let ids = open
        .iter()
        .map(|card| card["id"].as_str().unwrap().to_owned());
    ids.collect()
}

/// The state of a job as `runs --json` tells it.
fn job_state(project: &Project, name: &str) -> String {
    let runs = project.run(["runs", "--json"]).expect_code(0).objects();
    let jobs = runs[0]["leader"]["jobs"].as_array().cloned();
    let of = |job: &Value| (job["name"] == name).then(|| job["state"].as_str().unwrap().to_owned());
    jobs.iter().flatten().find_map(of).unwrap_or_default()
}

#[test]
fn agents_are_listed_with_what_they_wait_for_and_what_they_may_do() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let workers = project.run(["workers", "--json"]).expect_code(0).objects();
    let one = workers.iter().find(|row| row["agent"] == "one").unwrap();
    assert_eq!(one["state"], "waits_for_you");
    let asked = one["questions"][0].as_str().unwrap().to_owned();
    let worker = one["worker"].as_str().unwrap().to_owned();
    let shown = project.run(["show", &asked]).expect_code(0);
    assert!(shown.out.contains("one.txt"), "{}", shown.out);
    let context = project.run(["context", &worker]).expect_code(0);
    for wanted in [
        "default",
        "deny",
        "Bash(rm *)",
        "flagSettings",
        "job.toml:6:9",
    ] {
        assert!(context.out.contains(wanted), "{wanted}\n{}", context.out);
    }
    project.run(["context", "w1-99"]).expect_code(2);
    project
        .run(["stop", "run-1", "--text", "seen enough"])
        .expect_code(0);
    assert_eq!(running.wait().code, Some(130));
    let ended = project.run(["show", &asked]).expect_code(0);
    assert!(ended.out.contains("came to cancelled"), "{}", ended.out);
    project.run(["workers"]).expect_code(2);
    let all = project
        .run(["workers", "--all", "--run", "run-1"])
        .expect_code(0);
    assert!(all.out.contains("stopped"), "{}", all.out);
}

#[test]
fn several_are_answered_at_once_and_each_is_told() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let ids = ids(&project);
    project
        .run(["answer", &ids[0], "deny", "--text", "not now"])
        .expect_code(0);
    // The first is a conflict now; the second counts nevertheless.
    let both = project
        .run(["answer", &ids[0], &ids[1], "allow"])
        .expect_code(1);
    assert!(both.out.contains("that stands"), "{}", both.out);
    assert!(
        both.out.contains(&format!("{} is allowed", ids[1])),
        "{}",
        both.out
    );
    running.wait();
    let written = [project.read("one.txt"), project.read("two.txt")];
    assert_eq!(written.iter().flatten().count(), 1, "{written:?}");
}

/// Naming a call that can't be had back among others is one act for all of them; a yes to it takes its own.
#[test]
fn a_grave_question_is_allowed_by_itself_alone() {
    let mut jobs = String::new();
    for (name, command) in [
        ("harmless", "touch x"),
        ("one", "rm -rf a"),
        ("two", "rm -rf b"),
    ] {
        jobs.push_str(&format!(
            "[[job]]\nname = \"{name}\"\n[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"{command}\" }}\n"
        ));
    }
    let project = Project::with_job(&jobs);
    project.write("a/file", "");
    project.write("b/file", "");
    let running = project.start(["run", "--attended", "job.toml"]);
    project.questions(3);
    let id_of = |command: &str| {
        let open = project.queue();
        let card = open
            .iter()
            .find(|card| card["call"].as_str().unwrap().contains(command));
        card.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let [harmless, one, two] = ["touch x", "rm -rf a", "rm -rf b"].map(id_of);
    let row = project.run(["answer", &harmless, &one, &two, "allow"]);
    let row = row.expect_code(2);
    for id in [&one, &two] {
        let told = format!("{id} can't be had back");
        assert!(row.err.contains(&told), "{}", row.err);
    }
    assert!(
        row.out.contains(&format!("{harmless} is allowed")),
        "{}",
        row.out
    );
    assert_eq!(project.queue().len(), 2);
    // One that is named twice is in no row.
    let twice = project.run(["answer", &one, &one, "allow"]);
    assert_eq!(twice.expect_code(0).out.matches("is allowed").count(), 1);
    // A no can be had back: the agent may ask again.
    project.run(["answer", &two, &one, "deny"]).expect_code(1);
    running.wait();
    assert_eq!(
        (project.read("a/file"), project.read("b/file").as_deref()),
        (None, Some(""))
    );
}

#[test]
fn a_yes_may_be_to_something_else() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let workers = project.run(["workers", "--json"]).expect_code(0).objects();
    let asked = |name: &str| {
        let row = workers.iter().find(|row| row["agent"] == name).unwrap();
        row["questions"][0].as_str().unwrap().to_owned()
    };
    let same = project.run(["answer", &asked("one"), "allow", "--input", "one\n"]);
    same.expect_code(2);
    project
        .run(["answer", &asked("one"), "allow", "--input", "eins\n"])
        .expect_code(0);
    let mut editing = project.command(["answer", &asked("two"), "allow", "--edit"]);
    editing.env_remove("VISUAL").env("EDITOR", "false");
    let failed = Ended::of(editing.output().unwrap()).expect_code(2);
    assert!(failed.err.contains("still open"), "{}", failed.err);
    editing
        // However long a person is at it: the leader drops whoever is silent for ten seconds.
        .env("EDITOR", "sleep 11; sed -i s/two/zwei/");
    assert_eq!(editing.output().unwrap().status.code(), Some(0));
    running.wait();
    assert_eq!(project.read("one.txt").as_deref(), Some("eins\n"));
    assert_eq!(project.read("two.txt").as_deref(), Some("zwei\n"));
}

#[test]
fn whatever_job_file_can_be_run_can_be_added() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let long = format!("# {}\n", "long ".repeat(3 << 20));
    let job = "[[job]]\nname = \"long\"\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"there.txt\" }\n";
    project.write("there.txt", "here\n");
    project.write("long.toml", &(long + job));
    project.run(["run", "--check", "long.toml"]).expect_code(0);
    project.run(["add", "long.toml"]).expect_code(0);
    until("it is done", || {
        (job_state(&project, "long") == "done").then_some(())
    });
    project.write("longer.toml", &"# too long\n".repeat(2 << 20));
    let longer = project.run(["add", "longer.toml"]).expect_code(2);
    assert!(longer.err.contains("are read"), "{}", longer.err);
    project.run(["stop", "run-1"]).expect_code(0);
    running.wait();
}

#[test]
fn of_several_leaders_none_is_chosen_in_silence() {
    let project = Project::with_job(JOBS);
    let first = ask(&project);
    let second = project.start(["run", "--attended", "--json", "job.toml"]);
    until("two leaders run", || {
        let runs = project.run(["runs", "--json"]).objects();
        let led = runs.iter().filter(|run| !run["leader"].is_null()).count();
        (led == 2).then_some(())
    });
    let queue = project.run(["queue"]).expect_code(2);
    assert!(queue.err.contains("run-1, run-2"), "{}", queue.err);
    assert!(queue.err.contains("--run"), "{}", queue.err);
    project.run(["queue", "--run", "run-2"]).expect_code(0);
    for run in ["run-1", "run-2"] {
        project.run(["stop", run]).expect_code(0);
    }
    first.wait();
    second.wait();
}

#[test]
fn a_run_is_held_joined_and_what_failed_is_tried_again() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    until("a job has failed", || {
        (job_state(&project, "needs-file") == "failed").then_some(())
    });
    assert_eq!(job_state(&project, "after"), "skipped");
    project.run(["retry", "after"]).expect_code(2);
    // What never began and has its end all the same will not be at work.
    let skipped = project.run(["stop", "after"]).expect_code(2).err;
    assert!(skipped.contains("not at work: skipped"), "{skipped}");
    assert!(!skipped.contains("once it is at work"), "{skipped}");
    project.run(["pause"]).expect_code(0);
    let workers = project.run(["workers"]).expect_code(0).out;
    assert!(workers.starts_with("run-1  paused: "), "{workers}");
    project.write("there.txt", "here now\n");
    let again = project.run(["retry", "--json"]).expect_code(0).objects();
    assert_eq!(again[0]["jobs"][0], "needs-file");
    assert_eq!(job_state(&project, "needs-file"), "waits");
    let early = project.run(["pause", "needs-file"]).expect_code(2).err;
    assert!(early.contains("not at work yet: waits"), "{early}");
    assert!(early.contains("once it is at work"), "{early}");
    // One that waits is stopped as one at work is, and tried again like it.
    let why = ["stop", "after", "--text", "not now"];
    let stopped = project.run(why).expect_code(0).out;
    assert!(stopped.contains("it was not at work"), "{stopped}");
    assert_eq!(job_state(&project, "after"), "stopped");
    let twice = project.run(["stop", "after"]).expect_code(2).err;
    assert!(twice.contains("not at work: stopped"), "{twice}");
    project.run(["retry", "after"]).expect_code(0);
    project.write(
        "more.toml",
        &JOBS
            .replace("name = \"", "name = \"more-")
            .replace("needs = [\"", "needs = [\"more-")
            .replace("file_path = \"t", "file_path = \"more-t")
            .replace("more-there", "there"),
    );
    let joined = project.run(["add", "more.toml"]).expect_code(0);
    assert_eq!(
        joined.out,
        "more-one, more-two, more-needs-file, more-after\n"
    );
    project.run(["add", "more.toml"]).expect_code(2);
    project.run(["pause", "--off"]).expect_code(0);
    until("all but the askers are done", || {
        let done = ["needs-file", "after", "more-needs-file", "more-after"];
        done.iter()
            .all(|job| job_state(&project, job) == "done")
            .then_some(())
    });
    let ids = project.questions(4);
    project.run(["stop", "more-one"]).expect_code(0);
    project.run(["stop", "no-such-job"]).expect_code(2);
    until("its question is gone", || {
        (project.queue().len() == 3).then_some(())
    });
    for id in ids {
        // One of them went with its job.
        project.run(["answer", &id, "allow"]);
    }
    running.wait();
    let log = project.run(["log"]).expect_code(0).out;
    for wanted in [
        "pauses the run",
        "lets the run go on",
        "tried again: needs-file",
        "stops the job `after`, which was not at work: not now",
        "adds jobs of more.toml",
    ] {
        assert!(log.contains(wanted), "{wanted}\n{log}");
    }
}

/// Two jobs that ask one question after the other.
const TWO_TWICE: &str = r#"
slots = 2
[[job]]
name = "one"
[[job.step]]
tool = "Write"
input = { file_path = "one-a.txt", content = "a" }
[[job.step]]
tool = "Write"
input = { file_path = "one-b.txt", content = "b" }
[[job]]
name = "two"
[[job.step]]
tool = "Write"
input = { file_path = "two-a.txt", content = "a" }
[[job.step]]
tool = "Write"
input = { file_path = "two-b.txt", content = "b" }
"#;

#[test]
fn one_agent_is_paused_and_the_others_go_on() {
    let project = Project::with_job(TWO_TWICE);
    let running = ask(&project);
    let state = |name: &str| {
        let workers = project.run(["workers", "--all", "--json"]).expect_code(0);
        let rows = workers.objects();
        let row = rows.iter().find(|row| row["agent"] == name).unwrap();
        row["state"].as_str().unwrap().to_owned()
    };
    let question_of = |name: &str| {
        let open = project.queue();
        let card = open.iter().find(|card| card["agent"] == name);
        card.map(|card| card["id"].as_str().unwrap().to_owned())
    };
    project.run(["pause", "no-such-job"]).expect_code(2);
    project.run(["pause", "w1-99"]).expect_code(2);
    let told = project.run(["pause", "one"]).expect_code(0).out;
    assert!(told.contains("are paused"), "{told}");
    // What is asked already is answered, and its call runs; then it is held.
    for name in ["one", "two"] {
        let id = question_of(name).unwrap();
        project.run(["answer", &id, "allow"]).expect_code(0);
    }
    until("the other asks again", || question_of("two"));
    until("the paused one is shown as that", || {
        (state("one") == "paused").then_some(())
    });
    assert_eq!(project.read("one-a.txt").as_deref(), Some("a"));
    assert_eq!(question_of("one"), None);
    let runs = project.run(["runs"]).expect_code(0).out;
    assert!(runs.contains("1 paused"), "{runs}");
    let id = question_of("two").unwrap();
    project.run(["answer", &id, "allow"]).expect_code(0);
    until("the other is done", || {
        (job_state(&project, "two") == "done").then_some(())
    });
    assert_eq!(question_of("one"), None);
    project.run(["pause", "--off", "one"]).expect_code(0);
    let id = until("it asks again", || question_of("one"));
    project.run(["answer", &id, "allow"]).expect_code(0);
    running.wait().expect_code(0);
    assert_eq!(project.read("one-b.txt").as_deref(), Some("b"));
    let log = project.run(["log"]).expect_code(0).out;
    for wanted in ["pauses it", "lets it go on"] {
        assert!(log.contains(wanted), "{wanted}\n{log}");
    }
}

#[test]
fn law_6_a_mode_is_lowered_at_once_and_never_raised() {
    let project = Project::with_job(
        r#"
[[job]]
name = "writer"
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "one\n" }
[[job.step]]
tool = "Write"
input = { file_path = "two.txt", content = "two\n" }
on_refusal = "continue"
[[job]]
name = "waits"
[[job.step]]
tool = "Write"
input = { file_path = "three.txt", content = "three\n" }
"#,
    );
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    project.questions(2);
    let asked = |agent: &str| {
        let queue = project.run(["queue", "--json"]).expect_code(0).objects();
        let of_agent = |card: &&Value| card["agent"].as_str().unwrap().starts_with(agent);
        let card = queue.iter().find(of_agent);
        card.map(|card| card["id"].as_str().unwrap().to_owned())
    };
    let first = asked("writer").unwrap();
    let raised = project
        .run(["mode", "w1-1", "bypassPermissions"])
        .expect_code(2);
    assert!(raised.err.contains("only as a grant"), "{}", raised.err);
    project.run(["mode", "w1-1", "plan"]).expect_code(0);
    // The writer may have ended by now, since it is refused.
    let workers = project.run(["workers", "--all", "--json"]).expect_code(0);
    let workers = workers.objects();
    let modes: Vec<&Value> = workers.iter().map(|row| &row["mode"]).collect();
    assert_eq!(modes, ["plan", "default"]);
    let context = project.run(["context", "w1-1"]).expect_code(0);
    assert!(
        context.out.contains("default, held to plan since"),
        "{}",
        context.out
    );
    // What was asked before is judged anew under the lower mode (law 14): a yes comes too late, and hears so.
    until("the mode has refused it", || {
        asked("writer").is_none().then_some(())
    });
    let late = project.run(["answer", &first, "allow"]).expect_code(1);
    assert!(late.out.contains("mode plan"), "{}", late.out);
    let other = asked("waits").unwrap();
    project.run(["answer", &other, "allow"]).expect_code(0);
    running.wait();
    let written = ["one.txt", "two.txt", "three.txt"].map(|name| project.read(name).is_some());
    assert_eq!(written, [false, false, true]);
}

#[test]
fn whoever_watches_the_queue_hears_of_each_question_and_its_end() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let mut watching = project
        .command(["queue", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let listed = next();
    assert_eq!(listed["requests"].as_array().unwrap().len(), 2);
    let id = listed["requests"][0]["id"].as_str().unwrap().to_owned();
    project.run(["answer", &id, "deny"]).expect_code(0);
    let closed = next();
    assert_eq!(
        (closed["reply"].as_str(), closed["id"].as_str()),
        (Some("closed"), Some(id.as_str()))
    );
    project.run(["stop", "run-1"]).expect_code(0);
    running.wait();
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}

/// Whoever watches hears that a leader died, and how to go on; it is no end like another.
#[test]
fn whoever_watches_the_queue_hears_of_a_leader_that_died() {
    let project = Project::with_job(JOBS);
    let running = ask(&project);
    let watching = project
        .command(["queue", "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut watching = watching;
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    running.signal(nix::sys::signal::Signal::SIGKILL);
    let ended = watching.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("run --resume run-1"), "{err}");
}

/// A file that joins may name the agents of files and those of the run's own job file, is checked as that was, and its
/// agents are given its own model.
#[test]
fn jobs_that_join_start_agents_of_files_and_of_the_run() {
    let run_file = r#"
[agents.helper]
description = "helps"
[[agents.helper.step]]
tool = "Bash"
input = { command = "echo helped" }
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "one\n" }
"#;
    let spawns = |kind: &str, head: &str| {
        format!(
            "{head}[[job]]\nname = \"{kind}\"\nallow = [\"Bash(echo *)\"]\n[[job.step]]\ntool = \"Agent\"\ninput = {{ subagent_type = \"{kind}\", prompt = \"look\" }}\n"
        )
    };
    let project = Project::with_job(run_file);
    let folder = project.home().join(".claude/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let looker = "---\nname: looker\ndescription: looks\n---\nLook.\n";
    std::fs::write(folder.join("looker.md"), looker).unwrap();
    let model = Model::saying(vec![AnthropicReply::text("I looked")]);
    let mut command = project.command(["run", "--attended", "--json", "job.toml"]);
    command
        .env("ANTHROPIC_BASE_URL", model.server.url())
        .env("ANTHROPIC_API_KEY", KEY);
    let running = Running::of(command);
    project.questions(1);

    project.write("helper.toml", &spawns("helper", ""));
    project.run(["add", "helper.toml"]).expect_code(0);
    let defaults = "[defaults]\nmodel = { model = \"m\", dialect = \"anthropic\" }\n";
    project.write("looker.toml", &spawns("looker", defaults));
    project.run(["add", "looker.toml"]).expect_code(0);
    project.write("wrong.toml", &spawns("loker", ""));
    let wrong = project.run(["add", "wrong.toml"]).expect_code(2);
    assert!(
        wrong.err.contains("no agent `loker`") && wrong.err.contains("did you mean `looker`?"),
        "{}",
        wrong.err
    );
    until("both are done", || {
        let done = ["helper", "looker"];
        done.iter()
            .all(|job| job_state(&project, job) == "done")
            .then_some(())
    });
    assert_eq!(model.heard().len(), 1);
    project.run(["stop", "run-1"]).expect_code(0);
    running.wait();
}

/// What agents of a live run start sees its environment as it was at the start: a file whose model has its key there,
/// under a name that the run did not know of, can't join, and neither its jobs nor its key come into the run.
#[test]
fn a_file_whose_key_commands_would_see_or_records_hold_does_not_join() {
    let project = Project::with_job(
        r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "one\n" }
"#,
    );
    let mut command = project.command(["run", "--attended", "--json", "job.toml"]);
    // The second is left out for its looks, but nobody knows that a model's key is in it, to keep that out of records.
    let variables = ["TEAM_LINE", "TEAM_TOKEN"];
    command.envs(variables.map(|name| (name, KEY)));
    let running = Running::of(command);
    project.questions(1);
    for variable in variables {
        let file = format!(
            r#"
[defaults]
model = {{ model = "m", dialect = "openai", key_env = "{variable}" }}
[[job]]
name = "late"
agent = "llm"
task = "look"
"#
        );
        project.write("late.toml", &file);
        let refused = project.run(["add", "late.toml"]);
        assert_ne!(refused.code, Some(0));
        assert!(
            refused.err.contains(variable) && refused.err.contains("start a run of its own"),
            "{}",
            refused.err
        );
    }
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    let ended = running.wait();
    assert!(!ended.out.contains("late"), "{}", ended.out);
    assert!(!ended.out.contains(KEY) && !ended.err.contains(KEY));
}
