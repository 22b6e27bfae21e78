//! What a PreToolUse hook may say.

mod asking;

use serde_json::json;

use super::{ALLOW_ECHO, ASKED, PRE, Row, SAME, answers, bash, decides, pre, probe, says};

/// All rows of the event.
pub(super) fn rows() -> Vec<Row> {
    said().into_iter().chain(asking::rows()).collect()
}

#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
fn said() -> Vec<Row> {
    let echo = || vec![bash("echo hi")];
    let touch = || vec![bash("touch made")];
    vec![
        Row {
            answer: "exit 0, nothing or plain text",
            real: "no opinion",
            ours: "the same, and text is told; of a guard text is a question in its name",
            why: "a guard that writes something may mean no (law 15)",
            probes: vec![
                probe(
                    PRE,
                    "echo no way".into(),
                    ALLOW_ECHO,
                    echo(),
                    &["nobody_can_answer"],
                )
                .matching("*", json!({"guard": true})),
                probe(PRE, "true".into(), ALLOW_ECHO, echo(), &["success"])
                    .matching("*", json!({"guard": true})),
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
    ]
}
