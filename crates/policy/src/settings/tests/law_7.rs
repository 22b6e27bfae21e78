//! Law 7: loading is loud and closed.

use super::{Standing, check, loaded};

#[test]
fn law_7_unknown_keys_are_told_with_the_nearest_known_one() {
    check(
        &[(
            "user",
            r#"{
  "permisions": {"allow": []},
  "statusLine": {}, "env": {"A": "b"}, "model": "x",
  "premissions": 1,
  "permissions": {"alow": ["Read"], "colour": 1},
  "pointsman": {}
}"#,
        )],
        r#"
asks everything
ask * (userSettings, /h/.claude/settings.json:2:3)
error: unknown key `permisions`
 --> /h/.claude/settings.json:2:3
  |
2 |   "permisions": {"allow": []},
  |   ^^^^^^^^^^^^
  = hint: did you mean `permissions`?
warning: unknown key `premissions`
 --> /h/.claude/settings.json:4:3
  |
4 |   "premissions": 1,
  |   ^^^^^^^^^^^^^
  = hint: did you mean `permissions`?
warning: unknown key `alow` in `permissions`
 --> /h/.claude/settings.json:5:19
  |
5 |   "permissions": {"alow": ["Read"], "colour": 1},
  |                   ^^^^^^
  = hint: did you mean `allow`?
warning: unknown key `colour` in `permissions`
 --> /h/.claude/settings.json:5:37
  |
5 |   "permissions": {"alow": ["Read"], "colour": 1},
  |                                     ^^^^^^^^
warning: `pointsman` counts in pointsman's own settings alone
 --> /h/.claude/settings.json:6:3
  |
6 |   "pointsman": {}
  |   ^^^^^^^^^^^
  = hint: move it to `.pointsman/settings.json`, or to your own pointsman settings
"#,
    );
}

#[test]
fn law_7_a_bad_allow_rule_is_dropped_alone() {
    check(
        &[(
            "user",
            r#"{"permissions": {
  "allow": ["Bash(ls)", "Bash(", 7, "Bash(a \" b", "Read"],
  "deny": ["Bash(rm *)"]
}}"#,
        )],
        r#"
allow Bash(ls) (userSettings, /h/.claude/settings.json:2:13)
allow Read (userSettings, /h/.claude/settings.json:2:52)
deny Bash(rm *) (userSettings, /h/.claude/settings.json:3:12)
warning: `Bash(` is no rule: its parenthesis is not closed at the end
 --> /h/.claude/settings.json:2:31
  |
2 |   "allow": ["Bash(ls)", "Bash(", 7, "Bash(a \" b", "Read"],
  |                               ^
  = hint: write `Bash()`; this rule alone is left out
warning: a rule is a string, and this is a number
 --> /h/.claude/settings.json:2:34
  |
2 |   "allow": ["Bash(ls)", "Bash(", 7, "Bash(a \" b", "Read"],
  |                                  ^
  = hint: this rule alone is left out
warning: `Bash(a " b` is no rule: its parenthesis is not closed at the end
 --> /h/.claude/settings.json:2:49
  |
2 |   "allow": ["Bash(ls)", "Bash(", 7, "Bash(a \" b", "Read"],
  |                                                 ^
  = hint: write `Bash(a " b)`; this rule alone is left out
"#,
    );
    check(
        &[("user", r#"{"permissions": {"allow": "Read"}}"#)],
        r#"
warning: `allow` is a list of rules, and this is a string
 --> /h/.claude/settings.json:1:27
  |
1 | {"permissions": {"allow": "Read"}}
  |                           ^^^^^^
  = hint: write the rules as strings in `[` and `]`
"#,
    );
}

#[test]
fn law_7_a_lost_deny_or_ask_asks_for_everything() {
    check(
        &[(
            "user",
            r#"{"permissions": {"deny": ["Bash(rm *"], "allow": ["Bash"]}}"#,
        )],
        r#"
asks everything
ask * (userSettings, /h/.claude/settings.json:1:37)
allow Bash (userSettings, /h/.claude/settings.json:1:51)
error: `Bash(rm *` is no rule: its parenthesis is not closed at the end
 --> /h/.claude/settings.json:1:37
  |
1 | {"permissions": {"deny": ["Bash(rm *"], "allow": ["Bash"]}}
  |                                     ^
  = hint: write `Bash(rm *)`; until it is mended nothing runs unattended, and everything else is asked for
"#,
    );
    check(
        &[("project", r#"{"permissions": {"ask": [["Bash"]]}}"#)],
        r#"
asks everything
ask * (projectSettings, /p/.claude/settings.json:1:26)
error: a rule is a string, and this is a list
 --> /p/.claude/settings.json:1:26
  |
1 | {"permissions": {"ask": [["Bash"]]}}
  |                          ^
  = hint: until it is mended nothing runs unattended, and everything else is asked for
"#,
    );
    check(
        &[("project", r#"{"permissions": ["Bash"]}"#)],
        r#"
asks everything
ask * (projectSettings, /p/.claude/settings.json:1:17)
error: `permissions` is an object, and this is a list
 --> /p/.claude/settings.json:1:17
  |
1 | {"permissions": ["Bash"]}
  |                 ^
"#,
    );
}

#[test]
fn law_7_a_deny_under_a_wrong_key_is_a_lost_deny() {
    check(
        &[("project", r#"{"permissions": {"Deny": ["Bash"]}}"#)],
        r#"
asks everything
ask * (projectSettings, /p/.claude/settings.json:1:18)
error: unknown key `Deny` in `permissions`
 --> /p/.claude/settings.json:1:18
  |
1 | {"permissions": {"Deny": ["Bash"]}}
  |                  ^^^^^^
  = hint: did you mean `deny`?
"#,
    );
    check(
        &[("project", r#"{"deny": ["Bash"]}"#)],
        r#"
asks everything
ask * (projectSettings, /p/.claude/settings.json:1:2)
error: `deny` has no effect here
 --> /p/.claude/settings.json:1:2
  |
1 | {"deny": ["Bash"]}
  |  ^^^^^^
  = hint: it belongs into the object `permissions`
"#,
    );
    check(
        &[("project", r#"{"permission": {"deny": ["Bash"]}}"#)],
        r#"
asks everything
ask * (projectSettings, /p/.claude/settings.json:1:2)
error: unknown key `permission`
 --> /p/.claude/settings.json:1:2
  |
1 | {"permission": {"deny": ["Bash"]}}
  |  ^^^^^^^^^^^^
  = hint: did you mean `permissions`?
"#,
    );
}

#[test]
fn law_7_an_unreadable_file_asks_for_everything() {
    check(
        &[(
            "user",
            "{\n  \"permissions\": {\n    \"deny\": [\"Bash\"\n  }\n}",
        )],
        "
asks everything
ask * (userSettings, /h/.claude/settings.json:4:3)
error: this is no JSON: unexpected close brace
 --> /h/.claude/settings.json:4:3
  |
4 |   }
  |   ^
  = hint: nothing in this file is in force; comments and trailing commas are fine, all else must be JSON
",
    );
    check(&[("user", "")], "
asks everything
ask * (userSettings, /h/.claude/settings.json:1:1)
error: this is no JSON: it is empty
 --> /h/.claude/settings.json:1:1
  = hint: nothing in this file is in force; comments and trailing commas are fine, all else must be JSON
");
    check(
        &[("user", "[]")],
        "
asks everything
ask * (userSettings, /h/.claude/settings.json:1:1)
error: a settings file holds an object, and this is a list
 --> /h/.claude/settings.json:1:1
  |
1 | []
  | ^
",
    );
}

#[test]
fn law_7_json_is_read_strictly_but_for_comments_and_trailing_commas() {
    check(&[("user", "{'permissions': {}}")], "
asks everything
ask * (userSettings, /h/.claude/settings.json:1:2)
error: this is no JSON: single-quoted strings are not allowed
 --> /h/.claude/settings.json:1:2
  |
1 | {'permissions': {}}
  |  ^
  = hint: nothing in this file is in force; comments and trailing commas are fine, all else must be JSON
");
}

#[test]
fn law_7_managed_settings_that_can_not_be_read_lock_all_they_might() {
    let broken = "{\"permissions\": {\"deny\": []}} extra";
    check(
        &[
            ("managed", broken),
            (
                "user",
                r#"{"permissions": {"allow": ["Read"], "defaultMode": "bypassPermissions"}}"#,
            ),
        ],
        r#"
asks everything
ask * (policySettings, /m/managed-settings.json:1:31)
mode default (userSettings, /h/.claude/settings.json:1:52)
error: this is no JSON: text cannot contain more than one JSON value
 --> /m/managed-settings.json:1:31
  |
1 | {"permissions": {"deny": []}} extra
  |                               ^^^^^
  = hint: nothing in this file is in force; comments and trailing commas are fine, all else must be JSON
warning: an allow rule of this file doesn't count
 --> /h/.claude/settings.json:1:1
  |
1 | {"permissions": {"allow": ["Read"], "defaultMode": "bypassPermissions"}}
  | ^
  = hint: the managed settings let their own allow rules count alone
warning: the mode `bypassPermissions` is switched off
 --> /h/.claude/settings.json:1:52
  |
1 | {"permissions": {"allow": ["Read"], "defaultMode": "bypassPermissions"}}
  |                                                    ^^^^^^^^^^^^^^^^^^^
  = hint: the mode is `default`
"#,
    );
}

#[test]
fn law_7_keys_that_come_twice_are_told_and_both_lists_hold() {
    check(
        &[(
            "user",
            "{\"permissions\": {\"deny\": [\"Read\"],\n\"deny\": [\"Edit\"]}}",
        )],
        r#"
deny Read (userSettings, /h/.claude/settings.json:1:27)
deny Edit (userSettings, /h/.claude/settings.json:2:10)
warning: `deny` is here twice, first on line 1
 --> /h/.claude/settings.json:2:1
  |
2 | "deny": ["Edit"]}}
  | ^^^^^^
  = hint: write the key once; here lists of both are read and of other values the last
"#,
    );
}

#[test]
fn law_7_rules_that_never_match_and_unknown_tools_are_told() {
    check(
        &[(
            "user",
            r#"{"permissions": {
  "deny": ["bash(rm *)", "Wriet", "mcp__none__x", "*", "Write(secrets/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edit(!x)"],
  "allow": ["mcp__*", "Bash(run_in_background:true)", "Frobnicate"]
}}"#,
        )],
        r#"
deny bash(rm *) (userSettings, /h/.claude/settings.json:2:12)
deny Wriet (userSettings, /h/.claude/settings.json:2:26)
deny mcp__none__x (userSettings, /h/.claude/settings.json:2:35)
deny * (userSettings, /h/.claude/settings.json:2:51)
deny Write(secrets/**) (userSettings, /h/.claude/settings.json:2:56)
deny Read(/etc/passwd) (userSettings, /h/.claude/settings.json:2:77)
deny Bash(git:*push) (userSettings, /h/.claude/settings.json:2:98)
deny Edit(!x) (userSettings, /h/.claude/settings.json:2:117)
allow mcp__* (userSettings, /h/.claude/settings.json:3:13)
allow Bash(run_in_background:true) (userSettings, /h/.claude/settings.json:3:23)
allow Frobnicate (userSettings, /h/.claude/settings.json:3:55)
warning: no tool is named `bash`
 --> /h/.claude/settings.json:2:12
  |
2 |   "deny": ["bash(rm *)", "Wriet", "mcp__none__x", "*", "Write(secrets/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edi…
  |            ^^^^^^^^^^^^
  = hint: did you mean `Bash`?
warning: no tool is named `Wriet`
 --> /h/.claude/settings.json:2:26
  |
2 |   "deny": ["bash(rm *)", "Wriet", "mcp__none__x", "*", "Write(secrets/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edi…
  |                          ^^^^^^^
  = hint: did you mean `Write`?
warning: `Write(secrets/**)` never matches: paths are governed by `Read(...)` and `Edit(...)` alone
 --> /h/.claude/settings.json:2:56
  |
2 | …"Wriet", "mcp__none__x", "*", "Write(secrets/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edit(!x)"],
  |                                ^^^^^^^^^^^^^^^^^^^
  = hint: write `Edit(secrets/**)`
warning: `Read(/etc/passwd)` means `etc` in `/h/.claude`, not in the root
 --> /h/.claude/settings.json:2:77
  |
2 | …x", "*", "Write(secrets/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edit(!x)"],
  |                                ^^^^^^^^^^^^^^^^^^^
  = hint: write `Read(//etc/passwd)` for a path from the root
warning: `:*` in the middle of `Bash(git:*push)` stands for itself
 --> /h/.claude/settings.json:2:98
  |
2 | …ts/**)", "Read(/etc/passwd)", "Bash(git:*push)", "Edit(!x)"],
  |                                ^^^^^^^^^^^^^^^^^
  = hint: `:*` means "and anything after it" at the end alone; write ` *` where anything may stand
warning: `Edit(!x)` never matches: no path has such a shape
 --> /h/.claude/settings.json:2:117
  |
2 | …/passwd)", "Bash(git:*push)", "Edit(!x)"],
  |                                ^^^^^^^^^^
warning: `mcp__*` allows nothing: a pattern for tools' names only allows behind `mcp__server__`
 --> /h/.claude/settings.json:3:13
  |
3 |   "allow": ["mcp__*", "Bash(run_in_background:true)", "Frobnicate"]
  |             ^^^^^^^^
  = hint: name the tools one by one
warning: `Bash(run_in_background:true)` allows nothing: rules on the field `run_in_background` only deny or ask
 --> /h/.claude/settings.json:3:23
  |
3 |   "allow": ["mcp__*", "Bash(run_in_background:true)", "Frobnicate"]
  |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
warning: no tool is named `Frobnicate`
 --> /h/.claude/settings.json:3:55
  |
3 |   "allow": ["mcp__*", "Bash(run_in_background:true)", "Frobnicate"]
  |                                                       ^^^^^^^^^^^^
  = hint: the rule has no effect unless a tool of that name exists
"#,
    );
}

#[test]
fn law_7_settings_of_claude_code_that_do_not_concern_us_are_known() {
    check(
        &[(
            "user",
            r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "model": "x", "env": {"A": "1"}, "apiKeyHelper": "h", "cleanupPeriodDays": 3, "statusLine": {"type": "command"},
  "includeCoAuthoredBy": false, "attribution": {}, "outputStyle": "y", "enabledPlugins": {}, "mcpServers": {},
  "enableAllProjectMcpServers": true, "allowedMcpServers": [], "allowManagedMcpServersOnly": true,
  "sandbox": {"enabled": true, "network": {"allowManagedDomainsOnly": true}}, "autoMode": {"allow": []},
  "useAutoModeDuringPlan": true, "strictPluginOnlyCustomization": true, "disableSideloadFlags": true,
  "forceRemoteSettingsRefresh": true, "policyHelper": {}, "skipDangerousModePermissionPrompt": true,
  "permissions": {"defaultMode": "manual", "denyInsteadOfPrompting": true},
  "hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "x"}]}], "PreCompact": []}
}"#,
        )],
        "
mode default (userSettings, /h/.claude/settings.json:9:34)
",
    );
}

#[test]
fn law_7_rules_under_a_key_that_nobody_reads_stop_an_unattended_run() {
    for text in [
        r#"{"disallowedTools": ["Bash(rm *)"]}"#,
        r#"{"deniedTools": ["Bash"]}"#,
        r#"{"ignorePatterns": ["secrets/**"]}"#,
    ] {
        assert_eq!(
            loaded(&[("user", text)]).standing,
            Standing::AskEverything,
            "{text}"
        );
    }
    for text in [
        r#"{"allowedTools": ["Bash(rm *)"]}"#,
        r#"{"allowTools": ["Bash(rm *)"]}"#,
        r#"{"ignorePatterns": []}"#,
        r#"{"colours": ["red"]}"#,
    ] {
        assert_eq!(
            loaded(&[("user", text)]).standing,
            Standing::Clean,
            "{text}"
        );
    }
}
