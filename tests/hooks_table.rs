//! What hooks may answer, row by row, as Claude Code 2.1.332 takes it and as pointsman does, with the reason where
//! they differ. The real one's column was observed; ours is run here. docs/hooks.md holds the same rows.

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

    #[track_caller]
    fn check(&self, row: &str) {
        let mut job = format!("[[job]]\nname = \"work\"\n{}\n", self.rules);
        for (tool, input) in &self.steps {
            let fields = input.as_object().unwrap();
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            job.push_str(&format!(
                "[[job.step]]\ntool = \"{tool}\"\ninput = {{ {} }}\n",
                fields.join(", ")
            ));
        }
        let project = Project::with_job(&job);
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
        let settings = json!({ "hooks": events }).to_string();
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
    }
}

const SAME: &str = "the same";

#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn pre_tool_use() -> Vec<Row> {
    let echo = || vec![bash("echo hi")];
    let touch = || vec![bash("touch made")];
    vec![
        Row {
            answer: "exit 0, nothing or plain text",
            real: "no opinion",
            ours: SAME,
            why: "",
            probes: vec![
                probe(PRE, "true".into(), ALLOW_ECHO, echo(), &["success"]),
                probe(
                    PRE,
                    "echo looks fine to me".into(),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
            ],
        },
        Row {
            answer: "exit 2",
            real: "deny, standard error is the reason; JSON is ignored",
            ours: SAME,
            why: "",
            probes: vec![
                probe(
                    PRE,
                    "echo no good >&2; exit 2".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["denied_by_hook"],
                )
                .telling("no good"),
                probe(
                    PRE,
                    format!("{}; exit 2", decides("allow")),
                    "",
                    touch(),
                    &["denied_by_hook"],
                ),
            ],
        },
        Row {
            answer: "exit 1 or 3",
            real: "no opinion; after exit 1 JSON counts all the same, an allow as well as a deny",
            ours: "no opinion; a deny, ask or halt in its JSON counts, an allow does not",
            why: "a hook that failed is never a yes (law 15)",
            probes: vec![
                probe(PRE, "exit 1".into(), ALLOW_ECHO, echo(), &["success"]),
                probe(PRE, "exit 3".into(), "", touch(), &["nobody_can_answer"]),
                probe(
                    PRE,
                    format!("{}; exit 1", decides("allow")),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(
                    PRE,
                    format!("{}; exit 1", decides("deny")),
                    ALLOW_ECHO,
                    echo(),
                    &["denied_by_hook"],
                ),
                probe(
                    PRE,
                    format!("{}; exit 3", decides("ask")),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                ),
            ],
        },
        Row {
            answer: "late, no JSON, unknown decision, wrong or no hookEventName, no such program",
            real: "no opinion",
            ours: "no opinion, which is on record and on the dialog; of a guard: a question in its name",
            why: "a guard is there to be heard (law 15)",
            probes: vec![
                probe(PRE, "sleep 600".into(), ALLOW_ECHO, echo(), &["success"])
                    .matching("*", json!({"timeout": 1})),
                probe(PRE, "echo '{half'".into(), ALLOW_ECHO, echo(), &["success"]),
                probe(PRE, decides("perhaps"), ALLOW_ECHO, echo(), &["success"]),
                probe(
                    PRE,
                    answers(&json!({"behavior": "deny"})),
                    ALLOW_ECHO,
                    echo(),
                    &["success"],
                ),
                probe(
                    PRE,
                    "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}'".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["success"],
                ),
                probe(
                    PRE,
                    "/nowhere/hook".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["success"],
                ),
                probe(
                    PRE,
                    "echo '{half'".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                )
                .matching("*", json!({"guard": true})),
                probe(
                    PRE,
                    decides("perhaps"),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                )
                .matching("*", json!({"guard": true})),
            ],
        },
        Row {
            answer: "keys that nobody knows beside a decision",
            real: "ignored, the decision counts",
            ours: SAME,
            why: "",
            probes: vec![probe(
                PRE,
                says(&pre(
                    &json!({"permissionDecision": "deny", "colour": "red"}),
                )),
                ALLOW_ECHO,
                echo(),
                &["denied_by_hook"],
            )],
        },
        Row {
            answer: "allow",
            real: "no prompt; lifts no deny rule, ask rule, touchy path or critical removal; nothing in plan",
            ours: SAME,
            why: "",
            probes: vec![
                probe(PRE, decides("allow"), "", touch(), &["success"]),
                probe(
                    PRE,
                    decides("allow"),
                    "deny = [\"Bash(touch *)\"]",
                    touch(),
                    &["refused"],
                ),
                probe(
                    PRE,
                    decides("allow"),
                    "ask = [\"Bash(touch *)\"]",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(
                    PRE,
                    decides("allow"),
                    "",
                    vec![bash("touch .git/x"), bash("rm -rf /")],
                    &["nobody_can_answer", "nobody_can_answer"],
                ),
                probe(
                    PRE,
                    decides("allow"),
                    "mode = \"plan\"",
                    touch(),
                    &["refused"],
                ),
                // The hooks that answer questions are not asked then.
                probe(PRE, decides("allow"), "", touch(), &["success"]).with(
                    ASKED,
                    "*",
                    json!({}),
                    answers(&json!({"behavior": "deny"})),
                ),
            ],
        },
        Row {
            answer: "ask",
            real: "prompts, with an allow rule, in bypass and in dontAsk",
            ours: "asks, with an allow rule and in bypass; in dontAsk it is refused",
            why: "dontAsk is the last rung (law 3)",
            probes: vec![
                probe(
                    PRE,
                    decides("ask"),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                ),
                probe(
                    PRE,
                    decides("ask"),
                    "mode = \"bypassPermissions\"",
                    echo(),
                    &["nobody_can_answer"],
                ),
                probe(
                    PRE,
                    decides("ask"),
                    "mode = \"dontAsk\"",
                    echo(),
                    &["refused"],
                ),
            ],
        },
        Row {
            answer: "deny",
            real: "holds in bypass",
            ours: SAME,
            why: "",
            probes: vec![probe(
                PRE,
                decides("deny"),
                "mode = \"bypassPermissions\"",
                echo(),
                &["denied_by_hook"],
            )],
        },
        Row {
            answer: "defer",
            real: "ends the run, for a later one to take up the call",
            ours: "asks",
            why: "a run of jobs has no later session; the question outlives its screen instead",
            probes: vec![probe(
                PRE,
                decides("defer"),
                ALLOW_ECHO,
                echo(),
                &["nobody_can_answer"],
            )],
        },
        Row {
            answer: "the old approve and block",
            real: "as allow and deny",
            ours: SAME,
            why: "",
            probes: vec![
                probe(
                    PRE,
                    says(&json!({"decision": "approve"})),
                    "",
                    touch(),
                    &["success"],
                ),
                probe(
                    PRE,
                    says(&json!({"decision": "block", "reason": "old"})),
                    ALLOW_ECHO,
                    echo(),
                    &["denied_by_hook"],
                )
                .telling("old"),
            ],
        },
        Row {
            answer: "continue: false",
            real: "the call still runs or is asked; the turn stops after it",
            ours: "the call does not run, and the run halts",
            why: "who says stop means the call they were shown",
            probes: vec![
                probe(
                    PRE,
                    says(&json!({"continue": false, "stopReason": "enough"})),
                    ALLOW_ECHO,
                    vec![bash("echo hi"), bash("echo again")],
                    &["denied_by_hook"],
                )
                .telling("enough"),
            ],
        },
        Row {
            answer: "allow with updatedInput",
            real: "takes the place of the whole input; checked against the schema, and by rules again",
            ours: "the same; deny and ask are judged on both forms",
            why: "a rewrite hides nothing from a rule",
            probes: vec![
                probe(
                    PRE,
                    rewrites("allow", &json!({"command": "echo new"})),
                    "",
                    vec![bash("touch made")],
                    &["success"],
                )
                .telling("new"),
                probe(
                    PRE,
                    rewrites("allow", &json!({"cmd": "echo new"})),
                    "",
                    touch(),
                    &["denied_by_hook"],
                ),
                probe(
                    PRE,
                    rewrites("allow", &json!({"command": "rm x"})),
                    "deny = [\"Bash(rm *)\"]",
                    echo(),
                    &["refused"],
                ),
                probe(
                    PRE,
                    rewrites("allow", &json!({"command": "echo x"})),
                    "deny = [\"Bash(rm *)\"]",
                    vec![bash("rm x")],
                    &["refused"],
                ),
            ],
        },
        Row {
            answer: "updatedInput without a decision",
            real: "the new input goes the normal way",
            ours: SAME,
            why: "",
            probes: vec![
                probe(
                    PRE,
                    says(&pre(&json!({"updatedInput": {"command": "echo new"}}))),
                    ALLOW_ECHO,
                    vec![bash("touch made")],
                    &["success"],
                )
                .telling("new"),
                probe(
                    PRE,
                    says(&pre(&json!({"updatedInput": {"command": "touch made"}}))),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                ),
            ],
        },
        Row {
            answer: "several hooks",
            real: "deny over ask over allow, whichever ends first; of two rewrites the last to end counts",
            ours: "the same order; rewrites are merged field by field as configured, and a contradiction asks",
            why: "a race of hooks decides nothing",
            probes: vec![
                probe(PRE, decides("allow"), "", touch(), &["denied_by_hook"]).with(
                    PRE,
                    "*",
                    json!({}),
                    format!("sleep 0.2; {}", decides("deny")),
                ),
                probe(PRE, decides("allow"), "", touch(), &["nobody_can_answer"]).with(
                    PRE,
                    "*",
                    json!({}),
                    decides("ask"),
                ),
                probe(
                    PRE,
                    rewrites("allow", &json!({"command": "echo one"})),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                )
                .with(
                    PRE,
                    "*",
                    json!({}),
                    rewrites("allow", &json!({"command": "echo two"})),
                ),
                probe(
                    PRE,
                    rewrites("allow", &json!({"command": "echo one"})),
                    "",
                    touch(),
                    &["success"],
                )
                .with(
                    PRE,
                    "*",
                    json!({}),
                    rewrites(
                        "allow",
                        &json!({"command": "touch made", "description": "d"}),
                    ),
                )
                .telling("one"),
            ],
        },
        Row {
            answer: "identical commands",
            real: "run once",
            ours: SAME,
            why: "",
            probes: vec![
                // The second would find the folder there, and refuse.
                probe(
                    PRE,
                    "mkdir \"$CLAUDE_PROJECT_DIR/once\" || exit 2".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["success"],
                )
                .with(
                    PRE,
                    "Bash",
                    json!({}),
                    "mkdir \"$CLAUDE_PROJECT_DIR/once\" || exit 2".into(),
                ),
            ],
        },
        Row {
            answer: "matcher",
            real: "exact names, `A|B`, `A,B`, `*`, nothing, else a regular expression; case counts; a rule there matches nothing",
            ours: SAME,
            why: "",
            probes: vec![
                matched("Bash", "denied_by_hook"),
                matched("Edit|Bash", "denied_by_hook"),
                matched("Edit,Bash", "denied_by_hook"),
                matched("", "denied_by_hook"),
                matched("Ba.*", "denied_by_hook"),
                matched("B", "success"),
                matched("bash", "success"),
                matched("Bash(echo *)", "success"),
            ],
        },
        Row {
            answer: "if: \"Bash(git *)\"",
            real: "asked for `git status`, `FOO=1 git status`, `ls && git status`",
            ours: SAME,
            why: "",
            probes: vec![
                conditional("git status", "denied_by_hook"),
                conditional("FOO=1 git status", "denied_by_hook"),
                conditional("ls && git status", "denied_by_hook"),
                conditional("echo git", "success"),
            ],
        },
        Row {
            answer: "hooks of a project that nobody trusts",
            real: "run in -p",
            ours: "do not run before `pointsman trust`",
            why: "whoever can commit would run programs on this machine (law 7)",
            probes: vec![
                probe(PRE, decides("allow"), "", touch(), &["nobody_can_answer"])
                    .of(Whose::Stranger),
                probe(PRE, decides("allow"), "", touch(), &["success"]).of(Whose::Project),
            ],
        },
    ]
}

fn rewrites(decision: &str, input: &Value) -> String {
    says(&pre(
        &json!({ "permissionDecision": decision, "updatedInput": input }),
    ))
}

fn matched(matcher: &'static str, end: &'static str) -> Probe {
    let ends: &'static [&'static str] = if end == "success" {
        &["success"]
    } else {
        &["denied_by_hook"]
    };
    probe(
        PRE,
        "exit 2".into(),
        ALLOW_ECHO,
        vec![bash("echo hi")],
        ends,
    )
    .matching(matcher, json!({}))
}

fn conditional(command: &'static str, end: &'static str) -> Probe {
    let ends: &'static [&'static str] = if end == "success" {
        &["success"]
    } else {
        &["denied_by_hook"]
    };
    probe(
        PRE,
        "exit 2".into(),
        "mode = \"bypassPermissions\"",
        vec![bash(command)],
        ends,
    )
    .matching("*", json!({"if": "Bash(git *)"}))
}

#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn permission_request() -> Vec<Row> {
    let touch = || vec![bash("touch made")];
    let rule = |behavior: &str, content: &str| {
        json!([{"type": "addRules", "behavior": behavior, "destination": "session",
            "rules": [{"toolName": "Bash", "ruleContent": content}]}])
    };
    let updating =
        |updates: &Value| answers(&json!({"behavior": "allow", "updatedPermissions": updates}));
    vec![
        Row {
            answer: "when it is asked",
            real: "for what would prompt alone; it races the prompt, and the first answer wins",
            ours: "the same for an interactive root; for jobs hooks have their turn before the one dialog",
            why: "many workers ask at a time, and nobody is disturbed for what a hook answers",
            probes: vec![
                probe(
                    ASKED,
                    "exit 2".into(),
                    ALLOW_ECHO,
                    vec![bash("echo hi")],
                    &["success"],
                ),
                probe(ASKED, yes(), "", touch(), &["success"]),
            ],
        },
        Row {
            answer: "several hooks",
            real: "the first to end with a decision wins, allow or deny",
            ours: "all end, then deny over allow",
            why: "a quick allow is not ahead of a slower deny",
            probes: vec![probe(ASKED, yes(), "", touch(), &["denied_by_hook"]).with(
                ASKED,
                "*",
                json!({}),
                format!("sleep 0.2; {}", answers(&json!({"behavior": "deny"}))),
            )],
        },
        Row {
            answer: "exit 2, another exit, late, no JSON, behavior ask, an unknown update",
            real: "no opinion",
            ours: "the same; of a guard: people alone may answer",
            why: "a failed guard is never a yes (law 15)",
            probes: vec![
                probe(ASKED, "exit 2".into(), "", touch(), &["nobody_can_answer"]),
                probe(
                    ASKED,
                    format!("{}; exit 1", yes()),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(
                    ASKED,
                    "sleep 600".into(),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                )
                .matching("*", json!({"timeout": 1})),
                probe(
                    ASKED,
                    "echo '{'".into(),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(
                    ASKED,
                    answers(&json!({"behavior": "ask"})),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(
                    ASKED,
                    updating(&json!([{"type": "flyAway"}])),
                    "",
                    touch(),
                    &["nobody_can_answer"],
                ),
                probe(ASKED, yes(), "", touch(), &["nobody_can_answer"]).with(
                    ASKED,
                    "*",
                    json!({"guard": true}),
                    "exit 1".into(),
                ),
            ],
        },
        Row {
            answer: "continue: false",
            real: "no opinion",
            ours: "refuses, and the run halts",
            why: "who says stop is heard, at each event",
            probes: vec![probe(
                ASKED,
                says(&json!({"continue": false})),
                "",
                touch(),
                &["denied_by_hook"],
            )],
        },
        Row {
            answer: "allow",
            real: "lifts ask rules, touchy paths and even `rm -rf /`",
            ours: "the same from the person's own and managed hooks; a project's answers no question that must be asked",
            why: "whoever can commit does not speak for a person (law 2)",
            probes: vec![
                probe(
                    ASKED,
                    yes(),
                    "ask = [\"Bash(touch *)\"]",
                    touch(),
                    &["success"],
                ),
                probe(ASKED, yes(), "", vec![bash("touch .git/x")], &["success"]),
                probe(
                    ASKED,
                    yes(),
                    "ask = [\"Bash(touch *)\"]",
                    touch(),
                    &["nobody_can_answer"],
                )
                .of(Whose::Project),
                probe(
                    ASKED,
                    yes(),
                    "",
                    vec![bash("touch .git/x")],
                    &["nobody_can_answer"],
                )
                .of(Whose::Project),
                probe(ASKED, yes(), "", touch(), &["success"]).of(Whose::Project),
            ],
        },
        Row {
            answer: "updatedInput",
            real: "checked against deny rules again",
            ours: "checked against deny and ask rules again",
            why: "an ask rule holds for what runs",
            probes: vec![
                probe(
                    ASKED,
                    answers(&json!({"behavior": "allow", "updatedInput": {"command": "rm x"}})),
                    "deny = [\"Bash(rm *)\"]",
                    touch(),
                    &["refused"],
                ),
                probe(
                    ASKED,
                    answers(&json!({"behavior": "allow", "updatedInput": {"command": "echo new"}})),
                    "",
                    touch(),
                    &["success"],
                )
                .telling("new"),
            ],
        },
        Row {
            answer: "deny with interrupt",
            real: "the turn stops",
            ours: "the agent halts",
            why: "",
            probes: vec![
                probe(
                    ASKED,
                    answers(&json!({"behavior": "deny", "interrupt": true, "message": "no more"})),
                    "",
                    vec![bash("touch made"), bash("echo later")],
                    &["denied_by_hook"],
                )
                .telling("no more"),
            ],
        },
        Row {
            answer: "updatedPermissions: addRules",
            real: "in force at once, a deny too; written to the file that is named",
            ours: "the same from the person's own and managed hooks; a project's for its agent and run alone",
            why: "a project's hook keeps nothing in files (section 7)",
            probes: vec![
                probe(
                    ASKED,
                    updating(&rule("allow", "touch *")),
                    "",
                    vec![bash("touch one"), bash("touch two")],
                    &["success", "success"],
                ),
                probe(
                    ASKED,
                    updating(&rule("deny", "echo *")),
                    ALLOW_ECHO,
                    vec![bash("touch one"), bash("echo two")],
                    &["success", "refused"],
                ),
            ],
        },
        Row {
            answer: "updatedPermissions: setMode, addDirectories",
            real: "take effect; setMode bypassPermissions does not unless it was offered",
            ours: "acceptEdits and folders become grants to the agent; other modes do not count",
            why: "an agent's context is frozen (law 16)",
            probes: vec![
                probe(
                    ASKED,
                    updating(
                        &json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]),
                    ),
                    "",
                    vec![write("one.txt"), write("two.txt")],
                    &["success", "success"],
                ),
                probe(
                    ASKED,
                    answers(&json!({"behavior": "deny"})),
                    "",
                    vec![write("one.txt")],
                    &["denied_by_hook"],
                ),
            ],
        },
        Row {
            answer: "nobody there",
            real: "hooks are asked, else it is denied; in dontAsk they are not; in plan they are, and their allow runs a Write",
            ours: "the same, but for plan: there it is refused before any question",
            why: "plan is a ceiling (law 6)",
            probes: vec![
                probe(ASKED, yes(), "", vec![write("one.txt")], &["success"]),
                probe(ASKED, "true".into(), "", touch(), &["nobody_can_answer"]),
                probe(ASKED, yes(), "mode = \"dontAsk\"", touch(), &["refused"]),
                probe(
                    ASKED,
                    yes(),
                    "mode = \"plan\"",
                    vec![write("one.txt")],
                    &["refused"],
                ),
            ],
        },
    ]
}

#[test]
fn each_answer_of_pre_tool_use_is_taken_as_its_row_says() {
    check(&pre_tool_use());
}

#[test]
fn each_answer_of_permission_request_is_taken_as_its_row_says() {
    check(&permission_request());
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
    let missing: Vec<String> = pre_tool_use()
        .iter()
        .chain(&permission_request())
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
