//! What a PermissionRequest hook may say.

use serde_json::{Value, json};

use super::{ALLOW_ECHO, ASKED, Row, Whose, answers, bash, probe, read, says, write, yes};

#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
pub(super) fn rows() -> Vec<Row> {
    let touch = || vec![bash("touch made")];
    let rule = |behavior: &str, content: &str| {
        json!([{"type": "addRules", "behavior": behavior, "destination": "session",
            "rules": [{"toolName": "Bash", "ruleContent": content}]}])
    };
    let kept = |behavior: &str, destination: &str| {
        json!([{"type": "addRules", "behavior": behavior, "destination": destination,
            "rules": [{"toolName": "Bash", "ruleContent": "touch *"}]}])
    };
    let mode = |mode: &str| json!([{"type": "setMode", "mode": mode, "destination": "session"}]);
    let touches = || vec![bash("touch one"), bash("touch two")];
    let first = |line: String, steps, ends| {
        probe(ASKED, line, "", steps, ends).matching("*", json!({"if": "Bash(touch one)"}))
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
            answer: "the person is at the dialog already",
            real: "moving the cursor there does not keep a later answer from counting",
            ours: "once a person has touched it no hook or classifier answers it; at the screen of a run hooks have ended before",
            why: "what is under a person's hands does not change (law 13)",
            // Tried by `touched`: it takes a person.
            probes: Vec::new(),
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
            // The hook is asked about the first call alone, so what lets the second pass is the rule.
            probes: vec![
                first(yes(), touches(), &["success", "nobody_can_answer"]),
                first(
                    updating(&rule("allow", "touch *")),
                    touches(),
                    &["success", "success", "success"],
                )
                .then(vec![bash("touch three")])
                .leaving(".claude/settings.json", None),
                first(
                    updating(&kept("allow", "projectSettings")),
                    touches(),
                    &["success", "success"],
                )
                .leaving(".claude/settings.json", Some("Bash(touch *)")),
                first(
                    updating(&kept("allow", "localSettings")),
                    touches(),
                    &["success", "success", "nobody_can_answer"],
                )
                .of(Whose::Project)
                .then(vec![bash("touch three")])
                .leaving(".claude/settings.local.json", None),
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
                first(
                    updating(&mode("acceptEdits")),
                    vec![bash("touch one"), write("two.txt")],
                    &["success", "success"],
                ),
                first(
                    updating(&mode("bypassPermissions")),
                    vec![bash("touch one"), write("two.txt")],
                    &["success", "nobody_can_answer"],
                ),
                // Nor does one that trusts less: the next call is allowed by its rule, which plan would refuse.
                first(
                    updating(&mode("plan")),
                    vec![bash("touch one"), bash("mkdir two")],
                    &["success", "success"],
                )
                .ruled("allow = [\"Bash(mkdir *)\"]"),
                first(
                    yes(),
                    vec![bash("touch one"), read("/etc/passwd")],
                    &["success", "nobody_can_answer"],
                ),
                first(
                    updating(
                        &json!([{"type": "addDirectories", "directories": ["/etc"], "destination": "session"}]),
                    ),
                    vec![
                        bash("touch one"),
                        read("/etc/passwd"),
                        write("/etc/pointsman-test"),
                    ],
                    &["success", "success", "nobody_can_answer"],
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
