//! Hooks in the shape that people use, run unchanged: `gallery/` holds them, and each test configures one as its
//! page would tell people to.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};

use pointsman_testkit::{AnthropicReply, ModelServer};
use serde_json::{Value, json};

use crate::ground::{Ended, PATIENCE, Project, until};

/// A project with a hook of the gallery in `.claude/hooks`, configured in the person's own settings.
fn with_hook(file: &str, event: &str, matcher: Option<&str>, job: &str) -> Project {
    let project = Project::with_job(job);
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/gallery/");
    let text = std::fs::read_to_string(format!("{from}{file}")).unwrap();
    project.write(&format!(".claude/hooks/{file}"), &text);
    let path = project.root().join(".claude/hooks").join(file);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let command = format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/{file}");
    configure(
        &project,
        event,
        matcher,
        &json!({"type": "command", "command": command}),
    );
    project
}

fn configure(project: &Project, event: &str, matcher: Option<&str>, hook: &Value) {
    let mut group = json!({ "hooks": [hook] });
    if let Some(matcher) = matcher {
        group["matcher"] = matcher.into();
    }
    let settings = json!({ "hooks": { event: [group] } });
    let folder = project.home().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

/// A job that asks for these, each a tool and its input, with these rules.
fn job(rules: &str, steps: &[(&str, Value)]) -> String {
    let mut text = format!("[[job]]\nname = \"work\"\n{rules}\n");
    for (tool, input) in steps {
        let fields: Vec<String> = input
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        text.push_str(&format!(
            "[[job.step]]\ntool = \"{tool}\"\ninput = {{ {} }}\n",
            fields.join(", ")
        ));
    }
    text
}

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({ "command": command }))
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("Write", json!({ "file_path": path, "content": content }))
}

fn run(project: &Project) -> Ended {
    project.run(["run", "job.toml", "--json"])
}

/// What the agent was told of its calls, in order, by kind of end and text.
fn ends(project: &Project) -> Vec<(String, String)> {
    let log = project.run(["log", "--json"]).expect_code(0);
    log.objects()
        .into_iter()
        .filter(|record| record["body"]["kind"] == "call_ended")
        .map(|record| {
            let body = &record["body"];
            let outcome = body["outcome"]
                .as_str()
                .unwrap_or_else(|| body["state"].as_str().unwrap());
            (
                outcome.to_owned(),
                body["text"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_validator_refuses_with_exit_code_2_and_says_what_to_use() {
    let steps = [bash("grep -r x ."), bash("echo fine")];
    let job = job("allow = [\"Bash(grep *)\", \"Bash(echo *)\"]", &steps);
    let project = with_hook("validate_command.py", "PreToolUse", Some("Bash"), &job);
    run(&project).expect_code(0);
    let ends = ends(&project);
    assert_eq!(ends[0].0, "denied_by_hook");
    assert!(ends[0].1.contains("use rg instead of grep"), "{ends:?}");
    assert_eq!(ends[1].0, "success");
}

#[test]
fn a_path_guard_in_python_denies_by_json() {
    let steps = [write("a/.env", "KEY=1"), write("a/b.txt", "b")];
    let job = job("mode = \"bypassPermissions\"", &steps);
    let project = with_hook("protect_paths.py", "PreToolUse", Some("Edit|Write"), &job);
    run(&project).expect_code(0);
    let ends = ends(&project);
    assert_eq!(ends[0].0, "denied_by_hook");
    assert!(ends[0].1.contains("is protected"), "{ends:?}");
    assert_eq!(project.read("a/.env"), None);
    assert_eq!(project.read("a/b.txt").as_deref(), Some("b"));
}

#[test]
fn a_format_guard_objects_to_what_was_written() {
    let steps = [
        write("good.py", "x = 1\n"),
        write("bad.py", "def (\n"),
        write("bad.txt", "def (\n"),
    ];
    let job = job("mode = \"acceptEdits\"", &steps);
    let project = with_hook(
        "format_guard.sh",
        "PostToolUse",
        Some("Edit|MultiEdit|Write"),
        &job,
    );
    run(&project).expect_code(0);
    let ends = ends(&project);
    assert!(!ends[0].1.contains("hook"), "{ends:?}");
    assert!(ends[1].1.contains("does not compile"), "{ends:?}");
    assert!(!ends[2].1.contains("hook"), "{ends:?}");
    assert!(
        project.read("bad.py").is_some(),
        "it was written all the same"
    );
}

/// Six seconds after a question opened that nobody has answered.
#[test]
fn a_notifier_is_told_of_a_question_that_waits() {
    let job = job("", &[write("asked.txt", "x")]);
    let project = with_hook("notify.sh", "Notification", None, &job);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    let told = until("the notice is there", || {
        project
            .read("notices.txt")
            .filter(|text| text.ends_with('\n'))
    });
    assert!(told.starts_with("permission_prompt: "), "{told}");
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    running.wait().expect_code(0);
}

#[test]
fn a_rewriter_changes_what_runs_and_rules_judge_that() {
    let steps = [bash("npm install"), bash("echo npm")];
    let job = job("allow = [\"Bash(pnpm *)\", \"Bash(echo *)\"]", &steps);
    let project = with_hook(
        "rewrite_package_manager.py",
        "PreToolUse",
        Some("Bash"),
        &job,
    );
    project.write("bin/pnpm", "#!/bin/sh\necho \"pnpm was asked to $*\"\n");
    let path = project.root().join("bin");
    std::fs::set_permissions(path.join("pnpm"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = std::env::var("PATH").unwrap();
    let mut command = project.command(["run", "job.toml", "--json"]);
    command.env("PATH", format!("{}:{found}", path.display()));
    assert!(command.output().unwrap().status.success());
    let ends = ends(&project);
    assert!(ends[0].1.contains("pnpm was asked to install"), "{ends:?}");
    assert!(ends[0].1.contains("npm was replaced by pnpm"), "{ends:?}");
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(
        why.out.contains("npm install") && why.out.contains("pnpm install"),
        "{}",
        why.out
    );
}

#[test]
fn an_auditor_writes_down_what_ran() {
    let steps = [
        bash("echo one"),
        bash("rm -rf /nothing"),
        write("x.txt", "x"),
    ];
    let rules = "mode = \"acceptEdits\"\nallow = [\"Bash(echo *)\"]\ndeny = [\"Bash(rm *)\"]";
    let job = job(rules, &steps);
    let project = with_hook("audit.sh", "PostToolUse", Some("*"), &job);
    run(&project).expect_code(0);
    let audit = project.read("audit.jsonl").unwrap();
    let lines: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tools: Vec<&str> = lines
        .iter()
        .map(|line| line["tool"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["Bash", "Write"], "what was refused did not run");
    assert_eq!(lines[0]["input"]["command"], "echo one");
    assert!(
        lines[1]["input"]["file_path"]
            .as_str()
            .unwrap()
            .starts_with('/'),
        "{audit}"
    );
}

#[test]
fn a_branch_guard_in_node_denies_and_asks() {
    let steps = [
        bash("git push origin main"),
        bash("git push origin topic"),
        bash("echo ok"),
    ];
    let job = job("allow = [\"Bash\"]", &steps);
    let project = with_hook("branch_guard.mjs", "PreToolUse", Some("Bash"), &job);
    // Its question has nobody to answer it, though a rule allows the call.
    run(&project).expect_code(3);
    let outcomes: Vec<String> = ends(&project)
        .into_iter()
        .map(|(outcome, _)| outcome)
        .collect();
    assert_eq!(outcomes, ["denied_by_hook", "nobody_can_answer", "success"]);
}

#[test]
fn an_approver_answers_questions_and_is_not_asked_again() {
    let steps = [bash("make one"), bash("make two"), bash("cp a b")];
    let job = job("", &steps);
    let project = with_hook("auto_approve.py", "PermissionRequest", Some("Bash"), &job);
    project.write("Makefile", "one two:\n\t@echo made $@\n");
    run(&project).expect_code(3);
    let ends = ends(&project);
    assert!(
        ends[0].1.contains("made one") && ends[1].1.contains("made two"),
        "{ends:?}"
    );
    assert_eq!(ends[2].0, "nobody_can_answer");
    let log = project.run(["log", "--json"]).expect_code(0).out;
    assert_eq!(
        log.matches("\"request_opened\"").count(),
        2,
        "the second make was granted"
    );
}

#[test]
fn the_old_form_of_answers_is_read() {
    let steps = [bash("curl example.com"), bash("touch made")];
    let job = job("", &steps);
    let project = with_hook("legacy_block.sh", "PreToolUse", Some("Bash"), &job);
    run(&project).expect_code(0);
    let ends = ends(&project);
    assert_eq!(ends[0].0, "denied_by_hook");
    assert!(ends[0].1.contains("no downloads here"), "{ends:?}");
    assert!(project.read("made").is_some(), "its approval let it run");
}

const THINKS: &str = r#"
[[job]]
name = "think"
agent = "llm"
task = "say hello"
mode = "acceptEdits"
model = { model = "m", dialect = "anthropic", base_url = "URL" }
"#;

/// Runs a thinking agent against a scripted model, and gives what the model was sent.
fn think(project: &Project, answers: Vec<AnthropicReply>) -> Vec<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let answers: Vec<_> = answers.iter().map(AnthropicReply::streamed).collect();
    let server = runtime.block_on(ModelServer::start(answers)).unwrap();
    let job = project.read("job.toml").unwrap();
    project.write("job.toml", &job.replace("URL", server.url()));
    run(project).expect_code(0);
    server
        .heard()
        .iter()
        .map(pointsman_testkit::Heard::json)
        .collect()
}

#[test]
fn text_at_the_start_of_a_session_reaches_the_agents() {
    let project = with_hook("session_context.sh", "SessionStart", None, THINKS);
    let heard = think(&project, vec![AnthropicReply::text("hello")]);
    assert!(
        heard[0]["system"]
            .to_string()
            .contains("House rule: write tests first.")
    );
}

#[test]
fn an_agent_that_wants_to_stop_is_made_to_go_on() {
    let project = with_hook("keep_going.py", "Stop", None, THINKS);
    let input = json!({ "file_path": "NOTES.md", "content": "done" });
    let heard = think(
        &project,
        vec![
            AnthropicReply::text("I am done"),
            AnthropicReply::uses("1", "Write", input),
            AnthropicReply::text("now I am"),
        ],
    );
    assert_eq!(heard.len(), 3);
    assert!(
        heard[1]["messages"]
            .to_string()
            .contains("write NOTES.md before you stop")
    );
    assert_eq!(project.read("NOTES.md").as_deref(), Some("done"));
}

/// A policy server: one thread, plain HTTP, what it heard.
fn policy_server(answer: fn(&Value) -> Value) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut bytes = Vec::new();
            let mut chunk = [0; 4096];
            let body = loop {
                let read = stream.read(&mut chunk).unwrap();
                bytes.extend_from_slice(&chunk[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = head
                    .lines()
                    .find_map(|line| {
                        line.to_lowercase()
                            .strip_prefix("content-length: ")
                            .map(str::to_owned)
                    })
                    .map_or(0, |length| length.trim().parse::<usize>().unwrap());
                if body.len() >= length {
                    let authorised = head.to_lowercase().contains("authorization: bearer s3cret");
                    assert!(authorised, "{head}");
                    break body.to_owned();
                }
                assert!(read > 0, "half a request");
            };
            let input: Value = serde_json::from_str(&body).unwrap();
            let said = answer(&input).to_string();
            kept.lock().unwrap().push(input);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            write!(
                stream,
                "{head}\r\ncontent-length: {}\r\n\r\n{said}",
                said.len()
            )
            .unwrap();
        }
    });
    (url, heard)
}

#[test]
fn a_policy_server_answers_by_http() {
    let (url, heard) = policy_server(|input| {
        let command = input["tool_input"]["command"].as_str().unwrap();
        if command.contains("deploy") {
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "deploys are frozen"}})
        } else {
            json!({})
        }
    });
    let steps = [bash("echo deploy"), bash("echo ok")];
    let project = Project::with_job(&job("allow = [\"Bash(echo *)\"]", &steps));
    configure(
        &project,
        "PreToolUse",
        Some("Bash"),
        &json!({"type": "http", "url": url, "timeout": 60,
            "headers": {"Authorization": "Bearer $POLICY_TOKEN"}, "allowedEnvVars": ["POLICY_TOKEN"]}),
    );
    let mut command = project.command(["run", "job.toml", "--json"]);
    assert!(
        command
            .env("POLICY_TOKEN", "s3cret")
            .output()
            .unwrap()
            .status
            .success()
    );
    let ends = ends(&project);
    assert_eq!(ends[0].0, "denied_by_hook");
    assert!(ends[0].1.contains("deploys are frozen"), "{ends:?}");
    assert_eq!(ends[1].0, "success");
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2);
    assert_eq!(heard[0]["hook_event_name"], "PreToolUse");
    assert_eq!(heard[0]["tool_name"], "Bash");
}
