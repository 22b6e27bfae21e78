//! Rewrites, several hooks at once, and which hooks are asked at all.

use serde_json::{Value, json};

use crate::hooks_table::{
    ALLOW_ECHO, PRE, Probe, Row, SAME, Whose, bash, decides, pre, probe, says,
};

#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
pub(super) fn rows() -> Vec<Row> {
    let echo = || vec![bash("echo hi")];
    let touch = || vec![bash("touch made")];
    vec![
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
            answer: "disableAllHooks",
            real: "no hook runs",
            ours: "the same; a project's word counts once the project is trusted",
            why: "it loosens (law 7)",
            probes: vec![
                probe(
                    PRE,
                    "exit 2".into(),
                    ALLOW_ECHO,
                    vec![bash("echo hi")],
                    &["success"],
                )
                .setting(json!({"disableAllHooks": true})),
                probe(
                    PRE,
                    "exit 2".into(),
                    ALLOW_ECHO,
                    vec![bash("echo hi")],
                    &["denied_by_hook"],
                )
                .setting(json!({"disableAllHooks": false})),
                probe(
                    PRE,
                    "exit 2".into(),
                    ALLOW_ECHO,
                    vec![bash("echo hi")],
                    &["success"],
                )
                .setting(json!({"disableAllHooks": true}))
                .of(Whose::Project),
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
