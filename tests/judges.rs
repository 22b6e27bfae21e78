//! The classifier and the explainer as settings switch them on, in front of scripted models.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use pointsman_testkit::{AnthropicReply, ChatReply, Heard, ModelAnswer};
use serde_json::{Value, json};

use crate::ground::{Ended, Project, until};
use crate::models::{KEY, Model, ended};

/// A model that votes so on whatever it is shown.
fn voting(verdict: &'static str) -> Model {
    Model::answering(move |heard| vote(heard, verdict))
}

/// Everything that a model was sent, in one text.
fn heard(model: &Model) -> String {
    let heard = model.server.heard();
    heard.iter().map(|heard| heard.body.as_str()).collect()
}

/// The answer that was asked for, with the code that the instructions name.
fn vote(heard: &Heard, verdict: &str) -> ModelAnswer {
    let system = heard.json()["system"][0]["text"].to_string();
    let (_, rest) = system.split_once("code is ").unwrap();
    let code: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    let answer = json!({"action": code, "verdict": verdict, "reason": "so it is"});
    AnthropicReply::text(&answer.to_string()).whole()
}

/// Puts a section under `pointsman` into the person's own settings.
fn settings(project: &Project, section: &Value) {
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    let text = json!({ "pointsman": section }).to_string();
    std::fs::write(folder.join("settings.json"), text).unwrap();
}

fn classified_by(project: &Project, model: &Model) {
    let url = model.server.url();
    settings(
        project,
        &json!({ "classifier": {
            "model": "small", "dialect": "anthropic", "base_url": url, "key_env": "SAUCE",
            "guidance": { "refuse": ["anything in vendor/"] },
        }}),
    );
}

fn run(project: &Project) -> Ended {
    ended(
        project
            .command(["run", "job.toml", "--json"])
            .env("SAUCE", KEY),
    )
}

fn job(commands: &[&str]) -> String {
    let mut text = "[[job]]\nname = \"work\"\nmode = \"auto\"\n".to_owned();
    for command in commands {
        text.push_str(&format!(
            "[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"{command}\" }}\n"
        ));
    }
    text
}

const BUILD: &str = "env > env.txt\n";

#[test]
fn a_classifier_of_the_settings_stands_in_for_the_question() {
    let model = voting("allow");
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let ended = run(&project).expect_code(0);
    // What it ran does not see the key, and the model saw what the script does.
    let env = project.read("env.txt").unwrap();
    assert!(env.contains("PATH=") && !env.contains(KEY), "{env}");
    let shown = heard(&model);
    assert!(
        shown.contains("env > env.txt") || shown.contains("env \\\\u003e env.txt"),
        "{shown}"
    );
    assert!(shown.contains("- anything in vendor/"), "{shown}");
    assert_eq!(model.server.heard()[0].header("x-api-key"), Some(KEY));
    let remarks = ended.summary()["remarks"].to_string();
    assert!(
        remarks.contains("classifier `small`: well, 1 votes"),
        "{remarks}"
    );
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(why.out.contains("classifier `small`"), "{}", why.out);
}

#[test]
fn its_no_refuses_and_is_no_failure_of_the_run() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let ended = run(&project).expect_code(0);
    assert_eq!(ended.summary()["counts"]["refused"], 1);
    assert_eq!(project.read("env.txt"), None);
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(why.out.contains("so it is"), "{}", why.out);
}

/// Whatever the model says, rules come first: what they deny it is not even asked about, and what they want asked
/// it can't let pass.
#[test]
fn a_yes_lifts_no_deny_and_no_ask() {
    let model = voting("allow");
    let job = job(&["sh build.sh", "make all"]).replace(
        "mode = \"auto\"\n",
        "mode = \"auto\"\ndeny = [\"Bash(sh *)\"]\nask = [\"Bash(make *)\"]\n",
    );
    let project = Project::with_job(&job);
    project.write("build.sh", BUILD);
    project.write("Makefile", "all:\n\ttouch made\n");
    classified_by(&project, &model);
    let ended = run(&project).expect_code(3);
    let counts = ended.summary()["counts"].clone();
    assert_eq!(
        (&counts["refused"], &counts["unanswered"]),
        (&json!(1), &json!(1)),
        "{counts}"
    );
    assert_eq!(heard(&model), "");
    assert_eq!(project.read("made"), None);
}

#[test]
fn without_its_key_it_has_no_vote_and_that_is_told() {
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", BUILD);
    settings(
        &project,
        &json!({ "classifier": {
            "model": "small", "dialect": "openai", "base_url": "https://models.example.com/v1", "key_env": "SAUCE",
        }}),
    );
    let mut command = project.command(["run", "job.toml", "--json"]);
    let ended = ended(command.env_remove("SAUCE")).expect_code(3);
    assert!(
        ended.err.contains("set the variable `SAUCE`"),
        "{}",
        ended.err
    );
    assert_eq!(project.read("env.txt"), None);
    let log = project.run(["why", "c1-1"]).expect_code(0);
    assert!(log.out.contains("unavailable"), "{}", log.out);
    let remarks = ended.summary()["remarks"].to_string();
    assert!(remarks.contains("out of reach"), "{remarks}");
}

/// How a call is told that the classifier stood in for and did not judge: by the run, by `why`, and on record.
#[track_caller]
fn told_as(project: &Project, ended: &Ended, (outcome, cause): (&str, &str), call: &str) {
    let summary = ended.summary();
    let lines = summary["census"].as_array().unwrap();
    let line = lines.iter().find(|line| line["call"] == call).unwrap();
    assert_eq!(
        (&line["outcome"], &line["unjudged"]),
        (&json!(outcome), &json!(cause))
    );
    let why = project.run(["why", call, "--json"]).expect_code(0);
    assert!(
        why.out.contains(&format!(r#""cause":"{cause}""#)),
        "{}",
        why.out
    );
    let advised = format!(r#""no_vote":"{cause}""#);
    assert!(why.out.contains(&advised), "{}", why.out);
    let why = project.run(["why", call]).expect_code(0);
    assert!(why.out.contains("the classifier: "), "{}", why.out);
}

/// Three refusals in a row, and nobody there to go back to: the agent stops instead of guessing.
#[test]
fn unattended_an_agent_that_is_refused_again_and_again_halts() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&[
        "sh a.sh", "sh b.sh", "sh c.sh", "sh d.sh", "sh e.sh",
    ]));
    classified_by(&project, &model);
    let ended = run(&project).expect_code(4);
    assert_eq!(model.server.heard().len(), 3);
    let told = ended.summary().to_string();
    assert!(told.contains("met its limits"), "{told}");
    told_as(
        &project,
        &ended,
        ("nobody_can_answer", "over_limits"),
        "c1-4",
    );
}

#[test]
fn unattended_an_agent_whose_action_is_too_long_to_judge_halts() {
    let model = voting("allow");
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", &format!("{BUILD}# {}\n", "x".repeat(60_000)));
    classified_by(&project, &model);
    let ended = run(&project).expect_code(4);
    assert_eq!(heard(&model), "");
    assert_eq!(project.read("env.txt"), None);
    let told = ended.summary().to_string();
    assert!(told.contains("can't read this action whole"), "{told}");
    told_as(&project, &ended, ("nobody_can_answer", "too_long"), "c1-1");
}

/// What is no fault of the agent's refuses the call alone, each in its own name.
#[test]
fn unattended_what_can_not_be_judged_otherwise_is_refused_and_named() {
    let busy = || Model::answering(|_| ModelAnswer::of(401, "text/plain", "no"));
    let babbling = || Model::answering(|_| AnthropicReply::text("sure").whole());
    for (model, command, told) in [
        (busy(), "sh build.sh", ("unavailable", "unavailable")),
        (babbling(), "sh build.sh", ("unavailable", "unreadable")),
        (
            voting("allow"),
            "sudo sh build.sh",
            ("nobody_can_answer", "left_to_people"),
        ),
    ] {
        let project = Project::with_job(&job(&[command]));
        project.write("build.sh", BUILD);
        classified_by(&project, &model);
        let ended = run(&project).expect_code(3);
        assert_eq!(project.read("env.txt"), None);
        told_as(&project, &ended, told, "c1-1");
    }
}

/// With somebody there each is a question like another, and says on it which it was.
#[test]
fn attended_what_can_not_be_judged_is_asked_and_named() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&[
        "sh long.sh",
        "sudo true",
        "sh a.sh",
        "sh b.sh",
        "sh c.sh",
        "sh d.sh",
    ]));
    project.write("long.sh", &format!("{BUILD}# {}\n", "x".repeat(60_000)));
    classified_by(&project, &model);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    // Three are refused between the second and the last.
    for (request, cause) in [
        ("r1-1", "too_long"),
        ("r1-2", "left_to_people"),
        ("r1-6", "over_limits"),
    ] {
        until("it is asked", || {
            let open = project.queue();
            open.iter().any(|card| card["id"] == request).then_some(())
        });
        project.run(["answer", request, "deny"]).expect_code(0);
        let call = request.replace('r', "c");
        let why = project.run(["why", &call, "--json"]).expect_code(0);
        let advised = format!(r#""no_vote":"{cause}""#);
        assert!(why.out.contains(&advised), "{}", why.out);
        assert!(!why.out.contains("unjudged"), "{}", why.out);
    }
    let ended = running.wait().expect_code(0);
    assert_eq!(ended.summary()["census"], json!([]));
}

/// The agent goes on with something else (here: a question that only a person answers) and asks once more.
#[test]
fn a_person_lifts_its_no_by_answering_the_refused_question() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&["sh build.sh", "touch .git/waits", "sh build.sh"]));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    until("the second question is open", || {
        let open = project.queue();
        open.iter().any(|card| card["id"] == "r1-2").then_some(())
    });
    let lifted = project.run(["answer", "r1-1", "allow"]).expect_code(0);
    assert!(lifted.out.contains("lifted"), "{}", lifted.out);
    project.run(["answer", "r1-2", "deny"]).expect_code(0);
    running.wait().expect_code(0);
    assert!(project.read("env.txt").is_some());
    assert_eq!(model.server.heard().len(), 1);
}

/// A yes to something else is none to what was refused, neither by the command nor by whoever else asks the leader, as
/// the command does for a person who was at an editor while the classifier refused.
#[test]
fn a_yes_to_another_input_lifts_nothing() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&["sh build.sh", "touch .git/waits", "sh build.sh"]));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    until("the second question is open", || {
        let open = project.queue();
        open.iter().any(|card| card["id"] == "r1-2").then_some(())
    });
    let edited = project.run(["answer", "r1-1", "allow", "--input", "true"]);
    // Another answer was first, and that is told.
    let told = edited.expect_code(1).err;
    let whose = [
        "r1-1 is denied",
        "classifier",
        "nothing else can be let run in its place",
    ];
    assert!(whose.iter().all(|part| told.contains(part)), "{told}");
    let ask = json!({
        "ask": "answer", "id": "r1-1", "answer": "allow", "text": null, "always": null, "digest": null,
        "edited": r#"{"command":"true"}"#,
    });
    let mut leader = UnixStream::connect(project.state_folder().join("run-1.sock")).unwrap();
    writeln!(leader, "{ask}").unwrap();
    let mut reply = String::new();
    BufReader::new(leader).read_line(&mut reply).unwrap();
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(reply["came"], "conflict", "{reply}");
    project.run(["answer", "r1-2", "deny"]).expect_code(0);
    running.wait().expect_code(0);
    assert_eq!(project.read("env.txt"), None);
    assert_eq!(model.server.heard().len(), 2);
}

/// In other modes its yes spares a person the dialog, and its no is advice on it.
#[test]
fn outside_of_auto_its_no_is_advice() {
    let model = voting("refuse");
    let project = Project::with_job(&job(&["sh build.sh"]).replace("auto", "default"));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    until("its advice is there", || {
        let log = project.run(["log"]).out;
        log.contains("would refuse: so it is").then_some(())
    });
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    running.wait().expect_code(0);
    assert!(project.read("env.txt").is_some());
}

#[test]
fn a_program_judges_in_the_place_of_a_model() {
    let script = r#"read -r line; code=${line#*\"action\":\"}; code=${code%%\"*}
printf '{"action":"%s","verdict":"allow","reason":"it looked"}' "$code""#;
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", BUILD);
    settings(
        &project,
        &json!({ "classifier": { "command": ["bash", "-c", script] } }),
    );
    run(&project).expect_code(0);
    assert!(project.read("env.txt").is_some());
    for bad in [
        "exit 1",
        "echo allow",
        "kill -9 $$",
        "yes allow",
        "printf '{\"verdict\":\"allow\"}'",
    ] {
        let project = Project::with_job(&job(&["sh build.sh"]));
        project.write("build.sh", BUILD);
        settings(
            &project,
            &json!({ "classifier": { "command": ["bash", "-c", bad], "timeout_s": 5 } }),
        );
        run(&project).expect_code(3);
        assert_eq!(project.read("env.txt"), None, "{bad}");
    }
}

#[test]
fn a_program_that_is_not_there_is_told_before_the_run() {
    for (command, told) in [
        (json!(["judge-of-nobody"]), "judge-of-nobody"),
        (json!(["sh", "judge.sh"]), "judge.sh"),
        (json!(["sh", "-c", "./judge.sh --quick"]), "judge.sh"),
    ] {
        let project = Project::with_job(&job(&["true"]));
        settings(&project, &json!({ "classifier": { "command": command } }));
        let told = [told, "classifier"];
        for said in [
            project.run(["run", "--check", "job.toml"]).err,
            run(&project).expect_code(0).err,
            project.run(["doctor"]).out,
        ] {
            assert!(told.iter().all(|told| said.contains(told)), "{said}");
        }
    }
}

/// Its instructions hold a code that no other run has; a recording is played all the same, and only for the same action.
#[test]
fn what_it_said_is_recorded_and_said_again_in_another_run() {
    let model = voting("allow");
    let project = Project::with_job(&job(&["sh build.sh"]));
    project.write("build.sh", BUILD);
    classified_by(&project, &model);
    let mut command = project.command(["run", "job.toml", "--json"]);
    let recorded = command.args(["--record-models", "tape.jsonl"]);
    ended(recorded.env("SAUCE", KEY)).expect_code(0);
    assert_eq!(model.server.heard().len(), 1);
    drop(model);
    let tape = project.read("tape.jsonl").unwrap();
    let played = || {
        std::fs::remove_file(project.root().join("env.txt")).unwrap();
        let mut command = project.command(["run", "job.toml", "--json"]);
        command.args(["--play-models", "tape.jsonl"]);
        ended(command.env_remove("SAUCE"))
    };
    for _ in 0..2 {
        played().expect_code(0);
        assert!(project.read("env.txt").is_some());
    }
    assert_eq!(
        project.read("tape.jsonl").unwrap(),
        tape,
        "playing changes nothing"
    );
    project.write("build.sh", &format!("{BUILD}true\n"));
    played().expect_code(3);
    assert_eq!(project.read("env.txt"), None);
}

/// Beside the question, never before it, and on record.
#[test]
fn a_model_explains_an_open_question() {
    let good = json!({
        "explanation": "Runs the build.", "reasoning": "I want to see it work.",
        "risk": "the script may do anything", "riskLevel": "MEDIUM",
    });
    let model = Model::answering(move |_| ChatReply::text(&good.to_string()).whole());
    let project = Project::with_job(&job(&["sh build.sh"]).replace("auto", "default"));
    project.write("build.sh", BUILD);
    settings(
        &project,
        &json!({ "explainer": {
            "model": "tiny", "dialect": "openai", "base_url": model.server.url(),
        }}),
    );
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    let log = until("it is explained", || {
        let log = project.run(["log"]).out;
        log.contains("Runs the build.").then_some(log)
    });
    assert!(
        log.contains("risk medium: the script may do anything"),
        "{log}"
    );
    let queue = project.run(["queue", "r1-1"]).expect_code(0);
    assert!(queue.out.contains("risk "), "{}", queue.out);
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    running.wait().expect_code(0);
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(
        why.out
            .contains("in the agent's place: I want to see it work."),
        "{}",
        why.out
    );
}

/// A question is asked and answered though the explainer's server never says a word.
#[test]
fn an_explainer_that_says_nothing_holds_nothing_up() {
    let model = Model::answering(|_| {
        ChatReply::text("x")
            .whole()
            .ending_after(0, pointsman_testkit::Ending::Silence)
    });
    let project = Project::with_job(&job(&["sh build.sh"]).replace("auto", "default"));
    project.write("build.sh", BUILD);
    settings(
        &project,
        &json!({ "explainer": {
            "model": "tiny", "dialect": "openai", "base_url": model.server.url(), "timeout_s": 600,
        }}),
    );
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    project.questions(1);
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    running.wait().expect_code(0);
    assert!(project.read("env.txt").is_some());
}
