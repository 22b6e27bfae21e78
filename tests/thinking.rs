//! Agents that think, in front of scripted models: agent files, transcripts, recordings, the example.

use pointsman_testkit::AnthropicReply;
use serde_json::{Value, json};

use crate::ground::{Project, Running, until};
use crate::models::{KEY, Model, ended};

const THINKS: &str = r#"
[[job]]
name = "think"
agent = "llm"
task = "say hello"
allow = ["Bash(echo *)"]
model = { model = "m", dialect = "anthropic" }
"#;

fn bash(id: &str, command: &str) -> AnthropicReply {
    AnthropicReply::uses(id, "Bash", json!({ "command": command }))
}

fn spawns(id: &str, kind: &str) -> AnthropicReply {
    let input = json!({ "subagent_type": kind, "prompt": "look at it" });
    AnthropicReply::uses(id, "Agent", input)
}

fn users_agent(project: &Project, name: &str, head: &str) {
    let folder = project.home().join(".claude/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: looks at things\n{head}---\nLook well.\n");
    std::fs::write(folder.join(format!("{name}.md")), text).unwrap();
}

fn projects_agent(project: &Project, name: &str, head: &str) {
    let text = format!("---\nname: {name}\ndescription: looks at things\n{head}---\nLook well.\n");
    project.write(&format!(".claude/agents/{name}.md"), &text);
}

/// What the model was last told.
fn last_told(heard: &Value) -> String {
    heard["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .to_string()
}

#[test]
fn an_agent_file_gives_instructions_tools_model_and_mode() {
    let project = Project::with_job(THINKS);
    projects_agent(
        &project,
        "looker",
        "tools: Read, Bash\nmodel: small\npermissionMode: plan\n",
    );
    let model = Model::saying(vec![
        spawns("1", "looker"),
        AnthropicReply::uses("2", "Write", json!({"file_path": "x", "content": "x"})),
        bash("3", "echo changed > file"),
        AnthropicReply::text("I looked"),
        AnthropicReply::text("it looked"),
    ]);
    model.run(&project, &[]).expect_code(0);
    let heard = model.heard();
    // The one that starts it is told when to use it.
    assert!(
        heard[0]["system"]
            .to_string()
            .contains("- looker: looks at things")
    );
    assert_eq!(
        (&heard[0]["model"], &heard[1]["model"]),
        (&json!("m"), &json!("small"))
    );
    let own = heard[1]["system"].to_string();
    assert!(own.contains("Look well."));
    // Without the tool it is not told whom it could start.
    assert!(!own.contains("looks at things"), "{own}");
    let tools = heard[1]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Bash", "Read"]);
    assert!(
        last_told(&heard[2]).contains("not among the tools"),
        "{}",
        last_told(&heard[2])
    );
    assert!(
        last_told(&heard[3]).contains("plan"),
        "{}",
        last_told(&heard[3])
    );
    assert!(last_told(&heard[4]).contains("I looked"));
    assert_eq!(project.read("file"), None);
}

/// DESIGN section 7: more trust than the parent's only if a person wrote it in a trusted file.
#[test]
fn an_agent_file_trusts_more_than_its_parent_only_on_a_persons_word() {
    let script = || vec![spawns("1", "looker"), bash("2", "touch made")];
    let bypass = "permissionMode: bypassPermissions\n";

    let stranger = Project::with_job(THINKS);
    projects_agent(&stranger, "looker", bypass);
    Model::saying(script()).run(&stranger, &[]).expect_code(3);
    assert_eq!(stranger.read("made"), None);

    let trusted = Project::with_job(THINKS);
    projects_agent(&trusted, "looker", bypass);
    trusted.run(["trust", "--yes"]).expect_code(0);
    Model::saying(script()).run(&trusted, &[]).expect_code(0);
    assert!(trusted.read("made").is_some());

    let own = Project::with_job(THINKS);
    users_agent(&own, "looker", bypass);
    Model::saying(script()).run(&own, &[]).expect_code(0);
    assert!(own.read("made").is_some());
}

#[test]
fn what_an_agent_file_disallows_is_denied_below_it_too() {
    let project = Project::with_job(THINKS);
    let head = "permissionMode: bypassPermissions\ndisallowedTools: Write, Bash(touch *)\n";
    users_agent(&project, "looker", head);
    users_agent(&project, "deeper", "");
    let model = Model::saying(vec![
        spawns("1", "looker"),
        bash("2", "touch made"),
        spawns("3", "deeper"),
        bash("4", "touch made"),
        AnthropicReply::text("deeper is done"),
        AnthropicReply::text("looker is done"),
    ]);
    model.run(&project, &[]).expect_code(0);
    let heard = model.heard();
    let tools = heard[1]["tools"].to_string();
    assert!(
        !tools.contains("\"Write\"") && tools.contains("\"Edit\""),
        "{tools}"
    );
    assert!(
        last_told(&heard[2]).contains("Bash(touch *)"),
        "{}",
        last_told(&heard[2])
    );
    assert!(
        last_told(&heard[4]).contains("Bash(touch *)"),
        "{}",
        last_told(&heard[4])
    );
    assert_eq!(project.read("made"), None);
}

#[test]
fn an_agent_that_nobody_defined_is_an_error_that_lists_those_there_are() {
    let project = Project::with_job(THINKS);
    users_agent(&project, "looker", "");
    let model = Model::saying(vec![spawns("1", "lokker")]);
    model.run(&project, &[]).expect_code(0);
    let told = last_told(&model.heard()[1]);
    assert!(
        told.contains("no agent of type `lokker`; there is looker"),
        "{told}"
    );
}

/// An agent of steps starts one of a file with the model of `[defaults]`, and without one says so.
#[test]
fn agents_of_steps_start_agents_of_files() {
    let steps = r#"
[[job]]
name = "parent"
[[job.step]]
tool = "Agent"
input = { subagent_type = "looker", prompt = "look" }
"#;
    let project = Project::with_job(steps);
    users_agent(&project, "looker", "");
    let model = Model::saying(vec![AnthropicReply::text("I looked")]);
    model.run(&project, &[]).expect_code(1);
    let log = project.run(["log"]).out;
    assert!(log.contains("the agent `looker` has no model"), "{log}");

    let defaults = "[defaults]\nmodel = { model = \"m\", dialect = \"anthropic\" }\n";
    project.write("job.toml", &format!("{defaults}{steps}"));
    model.run(&project, &[]).expect_code(0);
    assert_eq!(model.heard().len(), 1);
}

#[test]
fn a_conversation_is_on_the_ledger_and_gone_on_with() {
    let project = Project::with_job(THINKS);
    project.write("notes.txt", "the word is plover\n");
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Read", json!({"file_path": "notes.txt", "offset": 1})),
        AnthropicReply::text("the word is known"),
    ]);
    model.run(&project, &[]).expect_code(0);
    let log = project.run(["log", "--json"]).expect_code(0);
    let turns: Vec<Value> = log
        .objects()
        .into_iter()
        .map(|record| record["body"].clone())
        .filter(|body| body["kind"] == "turn_taken")
        .collect();
    let speakers: Vec<&str> = turns
        .iter()
        .map(|turn| turn["speaker"].as_str().unwrap())
        .collect();
    assert_eq!(speakers, ["person", "model", "person", "model"]);
    // The form that transcripts keep: absolute paths, defaults left out.
    let input: Value =
        serde_json::from_str(turns[1]["parts"][0]["input"].as_str().unwrap()).unwrap();
    let root = project.root().canonicalize().unwrap();
    assert_eq!(input, json!({ "file_path": root.join("notes.txt") }));
    let told = project.run(["log"]).out;
    assert!(told.contains("model says: the word is known"), "{told}");

    let again = THINKS.replace("say hello", "say it again") + "resumes = \"w1-1\"\n";
    project.write("job.toml", &again);
    let model = Model::saying(vec![AnthropicReply::text("still known")]);
    model.run(&project, &[]).expect_code(0);
    let heard = model.heard();
    let messages = heard[0]["messages"].to_string();
    for words in ["say hello", "the word is plover", "the word is known"] {
        assert!(messages.contains(words), "{words}: {messages}");
    }
    assert!(
        last_told(&heard[0]).contains("say it again"),
        "{}",
        heard[0]
    );
    assert!(!messages.contains("interrupted"), "{messages}");

    project.write("job.toml", &again.replace("w1-1", "w9-9"));
    let ended = model.run(&project, &[]).expect_code(1);
    assert!(
        ended.summary().to_string().contains("w9-9"),
        "{}",
        ended.out
    );
}

#[test]
fn an_agent_goes_on_with_one_whose_run_follows_a_record_that_is_gone() {
    let project = Project::with_job(THINKS);
    for words in ["one", "two"] {
        let model = Model::saying(vec![AnthropicReply::text(words)]);
        model.run(&project, &[]).expect_code(0);
    }
    // Of run 1 alone.
    let raw = rusqlite::Connection::open(project.state_folder().join("ledger.db")).unwrap();
    raw.execute_batch(
        "DROP TRIGGER records_are_never_removed;
         DELETE FROM records WHERE run = 1 AND kind = 'run_ended'",
    )
    .unwrap();
    drop(raw);
    let again = THINKS.replace("say hello", "say it again") + "resumes = \"w2-1\"\n";
    project.write("job.toml", &again);
    let model = Model::saying(vec![AnthropicReply::text("two again")]);
    model.run(&project, &[]).expect_code(0);
    let messages = model.heard()[0]["messages"].to_string();
    assert!(messages.contains("two"), "{messages}");
    project.write("job.toml", &again.replace("w2-1", "w1-1"));
    let ended = model.run(&project, &[]).expect_code(1);
    let told = ended.summary().to_string();
    assert!(told.contains("not as they were written"), "{told}");
}

#[test]
fn a_replay_asks_again_and_tells_what_came_out_otherwise() {
    let project = Project::with_job(THINKS);
    let model = Model::saying(vec![bash("1", "echo one"), bash("2", "echo two")]);
    model.run(&project, &[]).expect_code(0);
    project.write(
        "job.toml",
        r#"
[[job]]
name = "again"
agent = "replay"
replays = "w1-1"
allow = ["Bash(echo *)"]
deny = ["Bash(echo two)"]
"#,
    );
    let ended = project.run(["run", "job.toml", "--json"]).expect_code(0);
    let told = ended.summary()["jobs"].to_string();
    assert!(
        told.contains("2 calls asked for again, 1 ended otherwise"),
        "{told}"
    );
    assert!(
        told.contains("success then") && told.contains("refused"),
        "{told}"
    );
}

#[test]
fn what_models_said_is_recorded_without_keys_and_said_again_without_them() {
    let project = Project::with_job(THINKS);
    let model = Model::saying(vec![
        bash("1", "echo one > one.txt"),
        AnthropicReply::text("done"),
    ]);
    let allowing = THINKS.replace("allow = [\"Bash(echo *)\"]", "mode = \"acceptEdits\"");
    project.write("job.toml", &allowing);
    model
        .run(&project, &["--record-models", "tape.jsonl"])
        .expect_code(0);
    drop(model);
    let tape = project.read("tape.jsonl").unwrap();
    assert_eq!(tape.lines().count(), 2);
    assert!(!tape.contains(KEY));
    std::fs::remove_file(project.root().join("one.txt")).unwrap();
    let mut command = project.command(["run", "job.toml", "--json", "--play-models", "tape.jsonl"]);
    command
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("ANTHROPIC_BASE_URL");
    ended(&mut command).expect_code(0);
    assert_eq!(project.read("one.txt").as_deref(), Some("one\n"));
    // Another task is another request.
    project.write("job.toml", &allowing.replace("say hello", "say goodbye"));
    let mut command = project.command(["run", "job.toml", "--json", "--play-models", "tape.jsonl"]);
    command.env_remove("ANTHROPIC_API_KEY");
    let ended = ended(&mut command).expect_code(1);
    assert!(ended.out.contains("cassette"), "{}", ended.out);
}

/// Whether a text stands in anything that is kept of the project.
fn kept(project: &Project) -> impl Fn(&str) -> bool {
    let kept = bytes_below(&project.state_folder());
    move |text| {
        kept.windows(text.len())
            .any(|bytes| bytes == text.as_bytes())
    }
}

/// All bytes of all files below a folder.
fn bytes_below(folder: &std::path::Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes.extend(bytes_below(&path));
        } else if path.is_file() {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    bytes
}

#[test]
fn a_key_that_an_agent_comes_across_is_in_no_record_and_goes_into_no_call() {
    let project = Project::with_job(THINKS);
    project.write("found.txt", &format!("it is {KEY}\n"));
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Read", json!({"file_path": "found.txt"})),
        bash("2", &format!("echo {KEY} more")),
        AnthropicReply::text(&format!("I found {KEY}")),
    ]);
    let run = model.run(&project, &[]).expect_code(0);
    std::fs::remove_file(project.root().join("found.txt")).unwrap();
    let told = last_told(&model.heard()[2]);
    assert!(
        told.contains("its input holds a key to the models"),
        "{told}"
    );
    assert!(!run.out.contains(KEY), "{}", run.out);

    let holds = kept(&project);
    assert!(holds("I found [key]") && holds("it is [key]"));
    assert!(!holds(KEY));
}

/// Hooks and people may bring it, too.
#[test]
fn a_rewrite_with_a_key_is_not_run() {
    let project =
        Project::with_job(&THINKS.replace("allow = [\"Bash(echo *)\"]", "allow = [\"Bash(*)\"]"));
    let says = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse",
        "updatedInput": { "command": format!("echo {KEY} > out.txt") } } });
    project.write("rewrite.json", &says.to_string());
    let line = format!("cat {}/rewrite.json", project.root().display());
    let hook = json!({ "hooks": [{ "type": "command", "command": line }] });
    let settings = json!({ "hooks": { "PreToolUse": [hook] } });
    let folder = project.home().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let model = Model::saying(vec![bash("1", "echo one")]);
    model.run(&project, &[]).expect_code(0);
    let told = last_told(&model.heard()[1]);
    assert!(
        told.contains("its input holds a key to the models"),
        "{told}"
    );
    assert_eq!(project.read("out.txt"), None);
    assert!(!kept(&project)(KEY));
}

#[test]
fn no_end_of_a_script_and_no_word_of_a_person_puts_a_key_on_record() {
    let project = Project::with_job(
        r#"
[[job]]
name = "script"
allow = ["Bash(*)"]
[[job.step]]
tool = "Bash"
input = { command = "cat found.txt; exit 1" }
[[job]]
name = "think"
agent = "llm"
task = "wait"
allow = ["Bash(sleep *)"]
model = { model = "m", dialect = "anthropic" }
"#,
    );
    project.write("found.txt", &format!("it is {KEY}\n"));
    let model = Model::saying(vec![bash("1", "sleep 10"), AnthropicReply::text("heard")]);
    let mut command = project.command(["run", "job.toml", "--json"]);
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", model.server.url());
    let run = std::thread::scope(|scope| {
        let run = scope.spawn(|| ended(&mut command));
        let words = format!("use {KEY}");
        until("it hears", || {
            let hears = |worker| project.run(["tell", worker, &words]).code == Some(0);
            ["w1-1", "w1-2"].into_iter().any(hears).then_some(())
        });
        run.join().unwrap()
    });
    run.expect_code(1);
    std::fs::remove_file(project.root().join("found.txt")).unwrap();
    let holds = kept(&project);
    assert!(holds("use [key]") && holds("it is [key]"));
    assert!(!holds(KEY));
}

const EXAMPLE: &str = include_str!("../examples/two-thinkers.toml");

#[test]
fn the_example_says_which_key_it_needs_and_does_not_start() {
    let project = Project::with_job(EXAMPLE);
    let mut command = project.command(["run", "job.toml"]);
    command
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("ANTHROPIC_BASE_URL");
    let ended = ended(&mut command).expect_code(2);
    assert!(
        ended.err.contains("set the variable `ANTHROPIC_API_KEY`"),
        "{}",
        ended.err
    );
    assert!(project.run(["log"]).code != Some(0), "nothing began");
}

#[test]
fn the_example_does_its_task_with_two_agents_and_a_third() {
    let project = Project::with_job(EXAMPLE);
    project.write("README.md", "three little words\n");
    let model = Model::answering(|heard| {
        let sent = heard.json();
        let turns = sent["messages"].as_array().unwrap();
        let task = turns[0].to_string();
        let (path, content) = if task.contains("half a page") {
            ("wordcount/README.md", "# wordcount\n")
        } else if task.contains("Read wordcount/count.py and") {
            return AnthropicReply::text("no mistake found").streamed();
        } else {
            (
                "wordcount/count.py",
                "import sys\nfor name in sys.argv[1:]:\n    print(name, len(open(name).read().split()))\n",
            )
        };
        let reply = match turns.len() {
            1 => AnthropicReply::uses("1", "Write", json!({"file_path": path, "content": content})),
            3 if path.ends_with(".py") => bash("2", "python3 wordcount/count.py README.md"),
            _ => AnthropicReply::text("written"),
        };
        reply.streamed()
    });
    let ended = model.run(&project, &[]).expect_code(0);
    assert!(project.read("wordcount/count.py").is_some());
    assert!(project.read("wordcount/README.md").is_some());
    let heard = model.heard();
    assert!(
        heard
            .iter()
            .any(|heard| last_told(heard).contains("README.md 3")),
        "it was tried"
    );
    assert_eq!(ended.summary()["jobs"].as_array().unwrap().len(), 3);
}

/// What a person says while an agent is about to end is read; what comes later is not taken, and whoever says it is told.
#[test]
fn words_for_an_agent_that_is_about_to_end_are_read_or_refused() {
    let project = Project::with_job(THINKS);
    let (stops, go) = (project.root().join("stops"), project.root().join("go"));
    let line = format!(
        "touch '{}'; while ! test -e '{}'; do sleep 0.02; done",
        stops.display(),
        go.display()
    );
    let hook = json!({ "type": "command", "command": line });
    let settings = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
    std::fs::create_dir_all(project.home().join(".claude")).unwrap();
    let file = project.home().join(".claude/settings.json");
    std::fs::write(file, settings.to_string()).unwrap();
    let model = Model::saying(vec![
        AnthropicReply::text("all is done"),
        AnthropicReply::text("and that, too"),
    ]);
    let mut command = project.command(["run", "job.toml", "--json"]);
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", model.server.url());
    let running = Running::of(command);
    until("its hook is asked", || stops.exists().then_some(()));
    let workers = project.run(["workers", "--json"]).expect_code(0).objects();
    let worker = workers[0]["worker"].as_str().unwrap().to_owned();
    let told = project
        .run(["tell", &worker, "mind the tests, too"])
        .expect_code(0);
    assert!(told.out.contains("before its next turn"), "{}", told.out);
    std::fs::write(&go, "").unwrap();
    let ended = running.wait().expect_code(0);
    assert!(ended.out.contains("and that, too"), "{}", ended.out);
    let second = &model.heard()[1];
    assert!(
        second["messages"]
            .to_string()
            .contains("mind the tests, too"),
        "{second}"
    );
    let late = project
        .run(["tell", &worker, "still there?"])
        .expect_code(2);
    assert!(late.err.contains("no leader"), "{}", late.err);
}

#[test]
fn law_16_a_follow_up_is_read_and_changes_no_context() {
    let project = Project::with_job(THINKS);
    let model = Model::saying(vec![
        AnthropicReply::uses("1", "Write", json!({"file_path": "x", "content": "x"})),
        bash("2", "echo bye"),
        AnthropicReply::text("hello, and bye"),
    ]);
    let mut command = project.command(["run", "--attended", "--json", "job.toml"]);
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", model.server.url());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| ended(&mut command));
        let id = project.questions(1).remove(0);
        let told = project.run(["tell", "w1-1", "say bye, too"]);
        told.expect_code(0);
        project.run(["answer", &id, "allow"]).expect_code(0);
        run.join().unwrap().expect_code(0);
    });
    let second = model.heard()[1].to_string();
    assert!(second.contains("say bye, too"), "{second}");
    let log = project.run(["log", "--json"]).expect_code(0).objects();
    let bodies: Vec<&Value> = log.iter().map(|record| &record["body"]).collect();
    let of = |kind: &str| -> Vec<&Value> {
        let found = bodies.iter().filter(|body| body["kind"] == kind);
        found.map(|body| &body["context"]).collect()
    };
    let decided = of("call_decided");
    assert!(decided.len() >= 2, "{decided:?}");
    assert!(
        decided
            .iter()
            .all(|context| *context == of("worker_spawned")[0])
    );
}
