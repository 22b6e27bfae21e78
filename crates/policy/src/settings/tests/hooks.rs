//! Hooks as they are written and what becomes of them.

use pointsman_model::{Millis, RuleSource};

use super::{check, check_trusted, loaded, loaded_trusted};
use crate::settings::{HookDuty, HookEvent, HookSetting, HookSettings, take_in};

#[test]
fn hooks_are_read_with_their_defaults() {
    check(
        &[(
            "user",
            r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check.sh"}]},
    {"matcher": "mcp__.*", "hooks": [
      {"type": "command", "command": "/bin/x", "args": ["a b"], "timeout": 0.5, "if": "Bash(git *)", "guard": true, "resident": true},
      {"type": "http", "url": "https://x.com/hook", "headers": {"A": "$K"}, "allowedEnvVars": ["K"]}
    ]}
  ],
  "SessionEnd": [{"hooks": [{"type": "command", "command": "bye", "async": true}]}],
  "UserPromptSubmit": [{"hooks": []}]
}}"#,
        )],
        r#"
hook PreToolUse Names(["Bash", "Edit"]) None Shell { line: "check.sh" } 600000 ms Plain OneCall (userSettings)
hook PreToolUse Regex(HookRegex(Plain(Regex("mcp__.*")))) Some(RuleText("Bash(git *)")) Program { program: "/bin/x", args: ["a b"] } 500 ms Guard Resident (userSettings)
hook PreToolUse Regex(HookRegex(Plain(Regex("mcp__.*")))) None Http { url: "https://x.com/hook", headers: [("A", "$K")], env: ["K"] } 600000 ms Plain OneCall (userSettings)
hook SessionEnd All None Shell { line: "bye" } 1500 ms Plain Detached (userSettings)
"#,
    );
}

#[test]
fn a_stray_key_beside_the_events_leaves_them() {
    check(
        &[(
            "user",
            r#"{"hooks": {
  "typo": 1,
  "command": "bare",
  "timeout": 5,
  "PreToolUse": [{"hooks": [{"type": "command", "command": "good", "guard": true}]}]
}}"#,
        )],
        r#"
hook PreToolUse All None Shell { line: "good" } 600000 ms Guard OneCall (userSettings)
warning: this is a hook, and here the events stand
 --> /h/.claude/settings.json:3:3
  |
3 |   "command": "bare",
  |   ^^^^^^^^^
  = hint: write `"hooks": {"PreToolUse": [{"hooks": [ … ]}]}`, the hook in the inner list
warning: unknown key `typo` in `hooks`
 --> /h/.claude/settings.json:2:3
  |
2 |   "typo": 1,
  |   ^^^^^^
"#,
    );
    let stray = r#"{"hooks": {"guard": true, "command": "x", "PreToolUse": []}}"#;
    check(
        &[("user", stray)],
        r#"
asks everything
ask * (userSettings, /h/.claude/settings.json:1:27)
error: this is a hook, and here the events stand
 --> /h/.claude/settings.json:1:27
  |
1 | {"hooks": {"guard": true, "command": "x", "PreToolUse": []}}
  |                           ^^^^^^^^^
  = hint: write `"hooks": {"PreToolUse": [{"hooks": [ … ]}]}`, the hook in the inner list
"#,
    );
}

#[test]
fn a_broken_group_is_left_out_alone() {
    check(
        &[(
            "user",
            r#"{"hooks": {
  "PreToolUs": [],
  "Stop": {},
  "PreToolUse": [
    {"matcher": "Bash(", "hooks": [{"type": "command", "command": "a"}]},
    {"matcher": "Bash"},
    {"hooks": [{"type": "command", "command": "good"}]}
  ],
  "Notification": [{"hooks": [{"type": "command", "command": "a", "if": "Bash"}]}]
}}"#,
        )],
        r#"
hook PreToolUse All None Shell { line: "good" } 600000 ms Plain OneCall (userSettings)
warning: unknown key `PreToolUs` in `hooks`
 --> /h/.claude/settings.json:2:3
  |
2 |   "PreToolUs": [],
  |   ^^^^^^^^^^^
  = hint: did you mean `PreToolUse`?
warning: `Stop` is a list, and this is an object
 --> /h/.claude/settings.json:3:11
  |
3 |   "Stop": {},
  |           ^
  = hint: write `"hooks": {"PreToolUse": [{"hooks": [ … ]}]}`, the hook in the inner list
warning: this matcher can't be read: unclosed group
 --> /h/.claude/settings.json:5:17
  |
5 |     {"matcher": "Bash(", "hooks": [{"type": "command", "command": "a"}]},
  |                 ^^^^^^^
  = hint: the hooks below it are left out; write names, or a regular expression
warning: here a list `hooks` is missing
 --> /h/.claude/settings.json:6:5
  |
6 |     {"matcher": "Bash"},
  |     ^
warning: this hook never runs: `if` asks for a call, and Notification is of none
 --> /h/.claude/settings.json:9:31
  |
9 |   "Notification": [{"hooks": [{"type": "command", "command": "a", "if": "Bash"}]}]
  |                               ^
  = hint: leave `if` out
"#,
    );
}

#[test]
fn a_broken_hook_is_left_out_alone() {
    check(
        &[(
            "user",
            r#"{"hooks": {"PreToolUse": [{"hooks": [
      {"type": "comand", "command": "a"},
      {"type": "command"},
      {"type": "command", "command": "a", "timeout": "1"},
      {"type": "command", "command": "a", "if": "Bash("},
      {"type": "prompt", "prompt": "x"},
      {"type": "command", "command": "good", "tiemout": 1, "async": true, "guard": true},
      "a"
]}]}}"#,
        )],
        r#"
hook PreToolUse All None Shell { line: "good" } 600000 ms Guard OneCall (userSettings)
warning: `comand` is no type of hook
 --> /h/.claude/settings.json:2:7
  |
2 |       {"type": "comand", "command": "a"},
  |       ^
  = hint: write "type": "command" or "http"
warning: this hook has no `command`
 --> /h/.claude/settings.json:3:7
  |
3 |       {"type": "command"},
  |       ^
  = hint: write the command line to run
warning: `timeout` of a hook can't be `1`
 --> /h/.claude/settings.json:4:54
  |
4 |       {"type": "command", "command": "a", "timeout": "1"},
  |                                                      ^^^
  = hint: the hook is left out
warning: this hook's `if` can't be read: `Bash(` is no rule: its parenthesis is not closed at the end
 --> /h/.claude/settings.json:5:55
  |
5 |       {"type": "command", "command": "a", "if": "Bash("},
  |                                                       ^
  = hint: the hook is left out
warning: hooks of type `prompt` are not run here
 --> /h/.claude/settings.json:6:7
  |
6 |       {"type": "prompt", "prompt": "x"},
  |       ^
  = hint: use a hook of type "command" or "http"
warning: unknown key `tiemout` in a hook
 --> /h/.claude/settings.json:7:46
  |
7 |       {"type": "command", "command": "good", "tiemout": 1, "async": true, "guard": true},
  |                                              ^^^^^^^^^
  = hint: did you mean `timeout`?
warning: a guard is waited for, and `async` says not to
 --> /h/.claude/settings.json:7:7
  |
7 |       {"type": "command", "command": "good", "tiemout": 1, "async": true, "guard": true},
  |       ^
  = hint: leave `async` out; until then it is waited for
warning: a hook is an object, and this is a string
 --> /h/.claude/settings.json:8:7
  |
8 |       "a"
  |       ^^^
"#,
    );
}

#[test]
fn switches_over_hooks() {
    let hook = |command: &str| {
        format!(
            r#""hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}"#
        )
    };
    let managed = format!("{{{}}}", hook("m"));
    let user = format!("{{{}}}", hook("u"));
    check(
        &[("managed", &managed), ("user", &user)],
        r#"
hook PreToolUse All None Shell { line: "u" } 600000 ms Plain OneCall (userSettings)
hook PreToolUse All None Shell { line: "m" } 600000 ms Guard OneCall (policySettings)
"#,
    );
    check(
        &[
            ("managed", &managed),
            (
                "user",
                &format!(r#"{{"disableAllHooks": true, {}}}"#, hook("u")),
            ),
        ],
        r#"
hook PreToolUse All None Shell { line: "m" } 600000 ms Guard OneCall (policySettings)
"#,
    );
    check(
        &[
            (
                "managed",
                &format!(r#"{{"disableAllHooks": true, {}}}"#, hook("m")),
            ),
            ("user", &user),
        ],
        "",
    );
    check(
        &[
            (
                "managed",
                &format!(r#"{{"allowManagedHooksOnly": 1, {}}}"#, hook("m")),
            ),
            ("user", &user),
        ],
        r#"
hook PreToolUse All None Shell { line: "m" } 600000 ms Guard OneCall (policySettings)
warning: `allowManagedHooksOnly` is a boolean, and this is a number
 --> /m/managed-settings.json:1:27
  |
1 | {"allowManagedHooksOnly": 1, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "m"}]}]}}
  |                           ^
  = hint: it counts as true until it is mended
"#,
    );
    check(
        &[("project", r#"{"disableAllHooks": true}"#), ("user", &user)],
        r#"
hook PreToolUse All None Shell { line: "u" } 600000 ms Plain OneCall (userSettings)
untrusted DisabledHooks disableAllHooks (/p/.claude/settings.json:1:2)
"#,
    );
    check_trusted(
        &[("project", r#"{"disableAllHooks": true}"#), ("user", &user)],
        "",
    );
}

#[test]
fn addresses_and_variables_can_be_restricted() {
    let hooks = r#""hooks": {"PreToolUse": [{"hooks": [
 {"type": "http", "url": "https://in.com/x", "allowedEnvVars": ["A", "B"]},
 {"type": "http", "url": "https://out.com/x"}]}]}"#;
    check(
        &[(
            "user",
            &format!(
                r#"{{"allowedHttpHookUrls": ["https://in.com/*"], "httpHookAllowedEnvVars": ["A"], {hooks}}}"#
            ),
        )],
        r#"
hook PreToolUse All None Http { url: "https://in.com/x", headers: [], env: ["A"] } 600000 ms Plain OneCall (userSettings)
warning: `https://out.com/x` is not among the `allowedHttpHookUrls`
 --> /h/.claude/settings.json:3:2
  |
3 |  {"type": "http", "url": "https://out.com/x"}]}]}}
  |  ^
  = hint: the hook is left out
"#,
    );
}

/// The hooks that an event asks about a value.
fn asked(settings: &HookSettings, event: HookEvent, value: &str) -> Vec<HookSetting> {
    let mut asked = Vec::new();
    let of_event = settings.hooks.iter().filter(|hook| hook.event == event);
    for hook in of_event.filter(|hook| hook.matcher.matches(value)) {
        take_in(&mut asked, hook);
    }
    asked
}

#[test]
fn hooks_that_would_do_the_same_are_asked_once() {
    let loaded = loaded(&[(
        "user",
        r#"{"hooks": {"PreToolUse": [
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]},
 {"matcher": "*", "hooks": [{"type": "command", "command": "a", "guard": true}, {"type": "command", "command": "a", "if": "Bash(x)"}]}
]}}"#,
    )]);
    let turns = asked(&loaded.hooks, HookEvent::PreToolUse, "Bash");
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0].duty, HookDuty::Guard);
    assert_eq!(asked(&loaded.hooks, HookEvent::PreToolUse, "Read").len(), 2);
    assert_eq!(asked(&loaded.hooks, HookEvent::Stop, "").len(), 0);
}

/// A file and the time limit in it, in seconds.
type Limited = (&'static str, &'static str);

/// Two files that configure the same hook, each with its time limit in seconds, and the one in whose name it is asked:
/// 5 seconds stand each time.
const WEAKENED: &[(Limited, Limited, RuleSource)] = &[
    (
        ("managed", "5"),
        ("user", "0.01"),
        RuleSource::PolicySettings,
    ),
    (
        ("managed", "5"),
        ("project", "0.01"),
        RuleSource::PolicySettings,
    ),
    (
        ("managed", "5"),
        ("local", "0.01"),
        RuleSource::PolicySettings,
    ),
    (
        ("managed", "5"),
        ("local", "60"),
        RuleSource::PolicySettings,
    ),
    (("user", "5"), ("project", "0.01"), RuleSource::UserSettings),
    (("user", "5"), ("local", "0.01"), RuleSource::UserSettings),
    (("user", "5"), ("project", "60"), RuleSource::UserSettings),
    (
        ("project", "5"),
        ("local", "0.01"),
        RuleSource::ProjectSettings,
    ),
    (
        ("project", "0.01"),
        ("local", "5"),
        RuleSource::ProjectSettings,
    ),
];

/// A copy in a less trusted file must not cut short what a more trusted one asks: a deny that comes too late is none.
#[test]
fn law_15_no_file_weakens_a_hook_of_a_more_trusted_one() {
    let file = |timeout: &str, more: &str| {
        format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "a", "timeout": {timeout}{more}}}]}}]}}}}"#
        )
    };
    for (one, other, source) in WEAKENED {
        let guarded = file(other.1, r#", "guard": true"#);
        let loaded = loaded_trusted(&[(one.0, &file(one.1, "")), (other.0, &guarded)]);
        let turns = asked(&loaded.hooks, HookEvent::PreToolUse, "Bash");
        let [hook] = turns.as_slice() else {
            panic!("{one:?} {other:?}: {turns:?}")
        };
        assert_eq!(
            (hook.source, hook.timeout, hook.duty),
            (*source, Millis(5_000), HookDuty::Guard),
            "{one:?} {other:?}"
        );
        let mut turned = loaded.hooks.clone();
        turned.hooks.reverse();
        let [turned] = &asked(&turned, HookEvent::PreToolUse, "Bash")[..] else {
            panic!("{one:?} {other:?}")
        };
        assert_eq!(turned.timeout, hook.timeout, "{one:?} {other:?}");
    }
}
