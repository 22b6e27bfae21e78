//! Guards that settings lose or keep, wherever they stand.

use super::{check, loaded, told};
use crate::settings::{HookDuty, Standing};
use crate::{Problem, Severity};

#[test]
fn a_guard_that_is_lost_asks_for_everything() {
    check(
        &[(
            "user",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a", "gaurd": true}]}]}}"#,
        )],
        r#"
asks everything
ask * (userSettings, /h/.claude/settings.json:1:74)
hook PreToolUse All None Shell { line: "a" } 600000 ms Plain OneCall (userSettings)
error: unknown key `gaurd` in a hook
 --> /h/.claude/settings.json:1:74
  |
1 | {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a", "gaurd": true}]}]}}
  |                                                                          ^^^^^^^
  = hint: did you mean `guard`?
"#,
    );
    check(
        &[(
            "user",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "guard": true}]}]}}"#,
        )],
        r#"
asks everything
ask * (userSettings, /h/.claude/settings.json:1:38)
error: this hook has no `command`
 --> /h/.claude/settings.json:1:38
  |
1 | {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "guard": true}]}]}}
  |                                      ^
  = hint: write the command line to run
"#,
    );
    check(
        &[(
            "managed",
            r#"{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": []}]}}"#,
        )],
        r#"
asks everything
ask * (policySettings, /m/managed-settings.json:1:39)
error: this matcher can't be read: unclosed group
 --> /m/managed-settings.json:1:39
  |
1 | {"hooks": {"PreToolUse": [{"matcher": "(", "hooks": []}]}}
  |                                       ^^^
  = hint: the hooks below it are left out; write names, or a regular expression
"#,
    );
}

/// A guard as people write it, in settings that lose it: each is told in its place with what was likely meant, and
/// stops an unattended run.
#[expect(
    clippy::too_many_lines,
    reason = "a table has as many lines as it has rows"
)]
#[test]
fn a_guard_that_stands_elsewhere_asks_for_everything() {
    let guard = r#"{"type": "command", "command": "exit 2", "guard": true}"#;
    let with = |more: &str| guard.replace('}', &format!(", {more}}}"));
    let groups = |hook: &str| format!(r#"[{{"hooks": [{hook}]}}]"#);
    let event = |name: &str| format!(r#"{{"hooks": {{"{name}": {}}}}}"#, groups(guard));
    let pre = |groups: &str| format!(r#"{{"hooks": {{"PreToolUse": {groups}}}}}"#);
    let shape =
        "write `\"hooks\": {\"PreToolUse\": [{\"hooks\": [ … ]}]}`, the hook in the inner list";
    let cases = [
        (
            "an event in another case",
            event("PreToolUSe"),
            "did you mean `PreToolUse`?",
        ),
        (
            "an event of another program",
            event("BeforeTool"),
            "did you mean `PreToolUse`?",
        ),
        ("an event that nobody knows", event("Whenever"), shape),
        (
            "an event that is silent here",
            event("PostToolBatch"),
            "under `PreToolUse`",
        ),
        (
            "another one",
            event("UserPromptSubmit"),
            "under `PreToolUse`",
        ),
        (
            "no list of hooks",
            pre(&format!(r#"[{{"hooks": {guard}}}]"#)),
            "write the hook in `[` and `]`",
        ),
        (
            "a list in a list",
            pre(&format!(r#"[{{"hooks": [[{guard}]]}}]"#)),
            "",
        ),
        (
            "hooks in another case",
            pre(&format!(r#"[{{"Hooks": [{guard}]}}]"#)),
            "did you mean `hooks`?",
        ),
        (
            "no group",
            pre(&format!("[{guard}]")),
            "write `{\"hooks\": [ … ]}` around it",
        ),
        ("a group that is a list", pre(&format!("[[{guard}]]")), ""),
        (
            "an event that is an object",
            pre(&format!(r#"{{"hooks": [{guard}]}}"#)),
            shape,
        ),
        ("a hook for an event", pre(guard), shape),
        (
            "hooks that are a list",
            format!(r#"{{"hooks": [{guard}]}}"#),
            shape,
        ),
        (
            "hooks that are a hook",
            format!(r#"{{"hooks": {guard}}}"#),
            shape,
        ),
        (
            "another top key",
            event("PreToolUse").replacen("hooks", "hook", 1),
            "did you mean `hooks`?",
        ),
        (
            "a top key in another case",
            event("PreToolUse").replacen("hooks", "Hooks", 1),
            "did you mean `hooks`?",
        ),
        (
            "an event at the top",
            format!(r#"{{"PreToolUse": {}}}"#, groups(guard)),
            shape,
        ),
        (
            "under permissions",
            format!(r#"{{"permissions": {}}}"#, event("PreToolUse")),
            shape,
        ),
        (
            "a second list",
            pre(&format!(r#"[{{"hooks": [{guard}], "hooks": []}}]"#)),
            "write the key once",
        ),
        (
            "a second event",
            pre(&format!("{}, \"PreToolUse\": []", groups(guard))),
            "write the key once",
        ),
        (
            "a second mark",
            pre(&groups(&with(r#""guard": false"#))),
            "write the key once",
        ),
        (
            "a second command",
            pre(&groups(&with(r#""command": "true""#))),
            "write the key once",
        ),
        (
            "the mark on its group",
            pre(r#"[{"guard": true, "hooks": [{"type": "command", "command": "exit 2"}]}]"#),
            "write it into each hook",
        ),
        (
            "a condition on no tool",
            pre(&groups(&with(r#""if": "Bahs(echo *)""#))),
            "did you mean `Bash`?",
        ),
        (
            "a condition that no call meets",
            pre(&groups(&with(r#""if": "Write(src/**)""#))),
            "Edit(src/**)",
        ),
        (
            "a rule for a matcher",
            pre(&format!(
                r#"[{{"matcher": "Bash(echo *)", "hooks": [{guard}]}}]"#
            )),
            r#"write `"matcher": "Bash"`, and `"if": "Bash(echo *)"` in the hook"#,
        ),
        (
            "a matcher on no tool",
            pre(&format!(r#"[{{"matcher": "Bahs", "hooks": [{guard}]}}]"#)),
            "did you mean `Bash`?",
        ),
    ];
    for (case, text, hint) in cases {
        let guarded = loaded(&[("user", &text)]);
        assert_eq!(
            guarded.standing,
            Standing::AskEverything,
            "{case}: {}",
            told(&guarded)
        );
        let stops = |problem: &&Problem| problem.severity == Severity::StopsUnattended;
        let stopping: Vec<String> = guarded
            .problems
            .iter()
            .filter(stops)
            .map(|problem| guarded.draw(problem))
            .collect();
        assert!(
            stopping.iter().any(|drawn| drawn.contains(hint)),
            "{case}: {stopping:?}"
        );
        // Without a guard nothing that was to protect is lost.
        let plain = text.replace(r#""guard": true"#, r#""guard": false"#);
        let plain = loaded(&[("user", &plain)]);
        assert_eq!(plain.standing, Standing::Clean, "{case}: {}", told(&plain));
    }
}

#[test]
fn a_guard_in_its_place_is_in_force_and_asks_for_nothing() {
    for (case, text) in [
        (
            "plain",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "g", "guard": true}]}]}}"#,
        ),
        (
            "with a matcher",
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit.*|mcp__x__.*", "hooks": [{"type": "command", "command": "g", "guard": true, "if": "Bash(git *)"}]}]}}"#,
        ),
        (
            "of a server",
            r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__x__get", "hooks": [{"type": "command", "command": "g", "guard": true, "if": "mcp__x__get"}]}]}}"#,
        ),
        (
            "with a group",
            r#"{"hooks": {"PreToolUse": [{"matcher": "(Bash|Write)", "hooks": [{"type": "command", "command": "g", "guard": true, "if": "Edit(/src/**)"}]}]}}"#,
        ),
    ] {
        let guarded = loaded(&[("user", text)]);
        assert_eq!(
            guarded.standing,
            Standing::Clean,
            "{case}: {}",
            told(&guarded)
        );
        let hooks = &guarded.hooks.hooks;
        assert_eq!(hooks.len(), 1, "{case}");
        assert_eq!(hooks[0].duty, HookDuty::Guard, "{case}");
    }
}

/// Of two marks the stricter counts, and of two lists both are read.
#[test]
fn what_stands_twice_loses_no_guard() {
    for text in [
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "g", "guard": true, "guard": false}]}]}}"#,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "g", "guard": false, "guard": true}]}]}}"#,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "g", "guard": true}], "hooks": []}]}}"#,
    ] {
        let guarded = loaded(&[("user", text)]);
        assert_eq!(guarded.hooks.hooks.len(), 1, "{text}");
        assert_eq!(guarded.hooks.hooks[0].duty, HookDuty::Guard, "{text}");
    }
}
