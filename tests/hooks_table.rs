//! What hooks may answer, row by row, as Claude Code 2.1.332 takes it and as pointsman does, with the reason where
//! they differ. The real one's column was observed; ours is run here. docs/hooks.md holds the same rows.

mod permission_request;
mod pre_tool_use;
mod touched;

use serde_json::{Value, json};

use crate::ground::Project;

/// Whose settings configure the hooks.
#[derive(Clone, Copy)]
enum Whose {
    /// The person's own.
    Person,
    /// The project's, which the person trusts.
    Project,
    /// The project's, of which the person knows nothing.
    Stranger,
}

/// One try of a row: hooks, a job, and the ends of its calls in order.
struct Probe {
    whose: Whose,
    /// Event, matcher, further keys of the hook, command line.
    hooks: Vec<(&'static str, &'static str, Value, String)>,
    rules: &'static str,
    steps: Vec<(&'static str, Value)>,
    ends: &'static [&'static str],
    /// What the text of the last end contains.
    tells: &'static str,
    /// The calls of a second job, of another agent.
    later: Vec<(&'static str, Value)>,
    /// Further settings of the file that configures the hooks.
    settings: Value,
    /// A file of the project, and what it holds after the run; nothing when it is not there.
    file: Option<(&'static str, Option<&'static str>)>,
}

/// One row of the table.
struct Row {
    answer: &'static str,
    real: &'static str,
    ours: &'static str,
    why: &'static str,
    probes: Vec<Probe>,
}

const PRE: &str = "PreToolUse";
const ASKED: &str = "PermissionRequest";
const ALLOW_ECHO: &str = "allow = [\"Bash(echo *)\"]";

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({ "command": command }))
}

fn write(path: &str) -> (&'static str, Value) {
    ("Write", json!({ "file_path": path, "content": "x" }))
}

fn read(path: &str) -> (&'static str, Value) {
    ("Read", json!({ "file_path": path }))
}

/// A command line that prints this object.
fn says(object: &Value) -> String {
    format!("cat >/dev/null; echo '{object}'")
}

fn decides(decision: &str) -> String {
    says(&pre(&json!({ "permissionDecision": decision })))
}

fn pre(fields: &Value) -> Value {
    let mut specific = fields.clone();
    specific["hookEventName"] = PRE.into();
    json!({ "hookSpecificOutput": specific })
}

fn answers(decision: &Value) -> String {
    says(&json!({ "hookSpecificOutput": { "hookEventName": ASKED, "decision": decision } }))
}

fn yes() -> String {
    answers(&json!({ "behavior": "allow" }))
}

/// A probe with one hook of the person's own for all tools.
fn probe(
    event: &'static str,
    line: String,
    rules: &'static str,
    steps: Vec<(&'static str, Value)>,
    ends: &'static [&'static str],
) -> Probe {
    Probe {
        whose: Whose::Person,
        hooks: vec![(event, "*", json!({}), line)],
        rules,
        steps,
        ends,
        tells: "",
        later: Vec::new(),
        settings: json!({}),
        file: None,
    }
}

impl Probe {
    fn of(self, whose: Whose) -> Self {
        Self { whose, ..self }
    }

    fn with(
        mut self,
        event: &'static str,
        matcher: &'static str,
        more: Value,
        line: String,
    ) -> Self {
        self.hooks.push((event, matcher, more, line));
        self
    }

    fn matching(mut self, matcher: &'static str, more: Value) -> Self {
        for hook in &mut self.hooks {
            hook.1 = matcher;
            hook.2 = more.clone();
        }
        self
    }

    fn telling(self, tells: &'static str) -> Self {
        Self { tells, ..self }
    }

    /// Another agent's calls, once the first is done; their ends follow.
    fn then(self, later: Vec<(&'static str, Value)>) -> Self {
        Self { later, ..self }
    }

    fn ruled(self, rules: &'static str) -> Self {
        Self { rules, ..self }
    }

    fn setting(self, settings: Value) -> Self {
        Self { settings, ..self }
    }

    fn leaving(self, file: &'static str, holds: Option<&'static str>) -> Self {
        let file = Some((file, holds));
        Self { file, ..self }
    }

    /// The job file: the calls of the agent, and those of another one behind it.
    fn job(&self) -> String {
        let steps = |steps: &[(&str, Value)]| -> String {
            let step = |(tool, input): &(&str, Value)| {
                let fields = input.as_object().unwrap();
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                format!(
                    "[[job.step]]\ntool = \"{tool}\"\ninput = {{ {} }}\n",
                    fields.join(", ")
                )
            };
            steps.iter().map(step).collect()
        };
        let mut job = format!(
            "[[job]]\nname = \"work\"\n{}\n{}",
            self.rules,
            steps(&self.steps)
        );
        if !self.later.is_empty() {
            let head = "[[job]]\nname = \"later\"\nneeds = [\"work\"]\n";
            job.push_str(&format!("{head}{}", steps(&self.later)));
        }
        job
    }

    #[track_caller]
    fn check(&self, row: &str) {
        let project = Project::with_job(&self.job());
        let mut events = serde_json::Map::new();
        for (event, matcher, more, line) in &self.hooks {
            let mut hook = json!({ "type": "command", "command": line });
            for (key, value) in more.as_object().unwrap() {
                hook[key] = value.clone();
            }
            let group = json!({ "matcher": matcher, "hooks": [hook] });
            let groups = events.entry(*event).or_insert_with(|| json!([]));
            groups.as_array_mut().unwrap().push(group);
        }
        let mut settings = self.settings.clone();
        settings["hooks"] = events.into();
        let settings = settings.to_string();
        match self.whose {
            Whose::Person => {
                std::fs::create_dir_all(project.home().join(".claude")).unwrap();
                std::fs::write(project.home().join(".claude/settings.json"), settings).unwrap();
            }
            Whose::Project | Whose::Stranger => project.write(".claude/settings.json", &settings),
        }
        if let Whose::Project = self.whose {
            project.run(["trust", "--yes"]).expect_code(0);
        }
        let ended = project.run(["run", "job.toml", "--json"]);
        let log = project.run(["log", "--json"]).expect_code(0);
        let ends: Vec<Value> = log
            .objects()
            .into_iter()
            .map(|record| record["body"].clone())
            .filter(|body| body["kind"] == "call_ended")
            .collect();
        let outcome = |body: &Value| {
            let said = body["outcome"]
                .as_str()
                .filter(|outcome| *outcome != "allowed");
            said.unwrap_or_else(|| body["state"].as_str().unwrap())
                .to_owned()
        };
        let came: Vec<String> = ends.iter().map(outcome).collect();
        assert_eq!(
            came,
            self.ends,
            "{row}\n{settings:?}\n{}{}",
            ended.err,
            log.out,
            settings = self.hooks
        );
        let last = ends
            .last()
            .map(|body| body["text"].to_string())
            .unwrap_or_default();
        assert!(last.contains(self.tells), "{row}: {last}");
        if let Some((file, holds)) = self.file {
            let text = std::fs::read_to_string(project.root().join(file)).ok();
            match holds {
                None => assert_eq!(text, None, "{row}"),
                Some(holds) => assert!(text.unwrap_or_default().contains(holds), "{row}: {file}"),
            }
        }
    }
}

const SAME: &str = "the same";

#[test]
fn each_answer_of_pre_tool_use_is_taken_as_its_row_says() {
    check(&pre_tool_use::rows());
}

#[test]
fn each_answer_of_permission_request_is_taken_as_its_row_says() {
    check(&permission_request::rows());
}

fn check(rows: &[Row]) {
    for row in rows {
        for probe in &row.probes {
            probe.check(row.answer);
        }
    }
}

/// The page that people read holds the same rows.
#[test]
fn the_documentation_holds_the_table() {
    let page = include_str!("../docs/hooks.md");
    let missing: Vec<String> = pre_tool_use::rows()
        .iter()
        .chain(&permission_request::rows())
        .map(line)
        .filter(|line| !page.contains(line.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/hooks.md lacks:\n{}",
        missing.join("\n")
    );
}

fn line(row: &Row) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    format!(
        "| {} | {} | {} | {} |",
        cell(row.answer),
        cell(row.real),
        cell(row.ours),
        cell(row.why)
    )
}
