//! Law 7: loading is loud and closed.

use super::{check, check_lint, check_trusted};

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

fn mode(mode: &str) -> String {
    format!(r#"{{"permissions": {{"defaultMode": "{mode}"}}}}"#)
}

#[test]
fn modes_follow_levels_and_projects_may_not_switch_questions_off() {
    check(
        &[("user", &mode("acceptEdits"))],
        "
mode acceptEdits (userSettings, /h/.claude/settings.json:1:33)
",
    );
    check(
        &[("user", &mode("acceptEdits")), ("project", &mode("plan"))],
        "
mode plan (projectSettings, /p/.claude/settings.json:1:33)
",
    );
    check(
        &[("user", &mode("acceptEdits")), ("project", &mode("auto"))],
        r#"
mode default (projectSettings, /p/.claude/settings.json:1:33)
warning: settings in a project's folder can't set the mode `auto`
 --> /p/.claude/settings.json:1:33
  |
1 | {"permissions": {"defaultMode": "auto"}}
  |                                 ^^^^^^
  = hint: the mode is `default`; set it in your own settings or when starting
"#,
    );
    check_trusted(
        &[
            ("user", &mode("acceptEdits")),
            ("project", &mode("bypassPermissions")),
        ],
        r#"
mode default (projectSettings, /p/.claude/settings.json:1:33)
warning: settings in a project's folder can't set the mode `bypassPermissions`
 --> /p/.claude/settings.json:1:33
  |
1 | {"permissions": {"defaultMode": "bypassPermissions"}}
  |                                 ^^^^^^^^^^^^^^^^^^^
  = hint: the mode is `default`; set it in your own settings or when starting
"#,
    );
}

#[test]
fn a_project_may_trust_more_than_the_person_only_with_a_yes() {
    check(
        &[("project", &mode("acceptEdits"))],
        "
untrusted DefaultMode acceptEdits (/p/.claude/settings.json:1:33)
",
    );
    check_trusted(
        &[("project", &mode("acceptEdits"))],
        "
mode acceptEdits (projectSettings, /p/.claude/settings.json:1:33)
",
    );
}

#[test]
fn a_mode_that_can_not_stand_counts_as_the_default() {
    check(
        &[("local", &mode("auto"))],
        r#"
mode default (localSettings, /p/.claude/settings.local.json:1:33)
warning: settings in a project's folder can't set the mode `auto`
 --> /p/.claude/settings.local.json:1:33
  |
1 | {"permissions": {"defaultMode": "auto"}}
  |                                 ^^^^^^
  = hint: the mode is `default`; set it in your own settings or when starting
"#,
    );
    check(
        &[("user", &mode("Plan"))],
        r#"
mode default (userSettings, /h/.claude/settings.json:1:33)
warning: `Plan` is no permission mode
 --> /h/.claude/settings.json:1:33
  |
1 | {"permissions": {"defaultMode": "Plan"}}
  |                                 ^^^^^^
  = hint: did you mean `plan`? until then it counts as `default`
"#,
    );
    check(
        &[("managed", &mode("plan")), ("local", &mode("acceptEdits"))],
        "
mode plan (policySettings, /m/managed-settings.json:1:33)
",
    );
}

#[test]
fn modes_can_be_switched_off_from_any_file() {
    check(
        &[
            ("user", &mode("bypassPermissions")),
            (
                "project",
                r#"{"permissions": {"disableBypassPermissionsMode": "disable"}}"#,
            ),
        ],
        r#"
mode default (userSettings, /h/.claude/settings.json:1:33)
warning: the mode `bypassPermissions` is switched off
 --> /h/.claude/settings.json:1:33
  |
1 | {"permissions": {"defaultMode": "bypassPermissions"}}
  |                                 ^^^^^^^^^^^^^^^^^^^
  = hint: the mode is `default`
"#,
    );
    check(
        &[(
            "user",
            r#"{"disableAutoMode": true, "permissions": {"defaultMode": "auto"}}"#,
        )],
        r#"
mode default (userSettings, /h/.claude/settings.json:1:58)
warning: `disableAutoMode` has the value "disable" or is left out
 --> /h/.claude/settings.json:1:21
  |
1 | {"disableAutoMode": true, "permissions": {"defaultMode": "auto"}}
  |                     ^^^^
  = hint: it counts as "disable" until it is mended
warning: the mode `auto` is switched off
 --> /h/.claude/settings.json:1:58
  |
1 | {"disableAutoMode": true, "permissions": {"defaultMode": "auto"}}
  |                                                          ^^^^^^
  = hint: the mode is `default`
"#,
    );
}

#[test]
fn locks_of_the_managed_settings_hold_for_all_others() {
    let all = r#"{"permissions": {"allow": ["Bash(a)"], "deny": ["Bash(b)"]}}"#;
    check(
        &[
            (
                "managed",
                r#"{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(m)"]}}"#,
            ),
            ("user", all),
            ("project", all),
        ],
        r#"
deny Bash(b) (userSettings, /h/.claude/settings.json:1:49)
deny Bash(b) (projectSettings, /p/.claude/settings.json:1:49)
allow Bash(m) (policySettings, /m/managed-settings.json:1:69)
untrusted AllowRule Bash(a) (/p/.claude/settings.json:1:28)
warning: an allow rule of this file doesn't count
 --> /h/.claude/settings.json:1:1
  |
1 | {"permissions": {"allow": ["Bash(a)"], "deny": ["Bash(b)"]}}
  | ^
  = hint: the managed settings let their own allow rules count alone
"#,
    );
    check(
        &[
            ("managed", r#"{"allowManagedPermissionRulesOnly": "yes"}"#),
            ("user", all),
        ],
        r#"
deny Bash(b) (userSettings, /h/.claude/settings.json:1:49)
warning: `allowManagedPermissionRulesOnly` is a boolean, and this is a string
 --> /m/managed-settings.json:1:37
  |
1 | {"allowManagedPermissionRulesOnly": "yes"}
  |                                     ^^^^^
  = hint: it counts as true until it is mended
warning: an allow rule of this file doesn't count
 --> /h/.claude/settings.json:1:1
  |
1 | {"permissions": {"allow": ["Bash(a)"], "deny": ["Bash(b)"]}}
  | ^
  = hint: the managed settings let their own allow rules count alone
"#,
    );
    check(
        &[
            ("managed", r#"{"allowManagedPermissionRulesOnly": false}"#),
            ("user", all),
        ],
        "
allow Bash(a) (userSettings, /h/.claude/settings.json:1:28)
deny Bash(b) (userSettings, /h/.claude/settings.json:1:49)
",
    );
    check(
        &[(
            "user",
            r#"{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(a)"]}}"#,
        )],
        r#"
allow Bash(a) (userSettings, /h/.claude/settings.json:1:69)
warning: `allowManagedPermissionRulesOnly` counts in managed settings alone
 --> /h/.claude/settings.json:1:2
  |
1 | {"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(a)"]}}
  |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#,
    );
}

#[test]
fn lint_tells_allows_that_come_to_everything() {
    check_lint(
        r#"{"permissions": {"allow": ["Bash", "WebFetch", "Read"]}}"#,
        r#"
warning: `Bash` allows every command
 --> /h/.claude/settings.json:1:28
  |
1 | {"permissions": {"allow": ["Bash", "WebFetch", "Read"]}}
  |                            ^^^^^^
  = hint: allow commands one by one, as `Bash(npm test *)`
warning: `WebFetch` lets data go to every host
 --> /h/.claude/settings.json:1:36
  |
1 | {"permissions": {"allow": ["Bash", "WebFetch", "Read"]}}
  |                                    ^^^^^^^^^^
  = hint: name the hosts, as `WebFetch(domain:docs.example.com)`
"#,
    );
    check_lint(
        r#"{"permissions": {"allow": ["Bash(python3 *)", "Bash(sudo:*)", "Bash(npm run *)", "Bash(npm view *)", "Bash(* --version)", "Bash(make build)", "Read(//**)", "Edit(~/**)", "WebFetch(domain:*)", "Edit(src/**)"], "additionalDirectories": ["/", "~", "/h/x/y"]}}"#,
        r#"
warning: `Bash(python3 *)` comes to every command: `python3` is an interpreter
 --> /h/.claude/settings.json:1:28
  |
1 | {"permissions": {"allow": ["Bash(python3 *)", "Bash(sudo:*)", "Bash(npm run *)", "Bash(npm view *)", "Bash(* --version)"…
  |                            ^^^^^^^^^^^^^^^^^
  = hint: allow the exact commands that are needed, without a star
warning: `Bash(sudo:*)` comes to every command: `sudo` is a wrapper
 --> /h/.claude/settings.json:1:47
  |
1 | …{"allow": ["Bash(python3 *)", "Bash(sudo:*)", "Bash(npm run *)", "Bash(npm view *)", "Bash(* --version)", "Bash(make bui…
  |                                ^^^^^^^^^^^^^^
  = hint: allow the exact commands that are needed, without a star
warning: `Bash(npm run *)` comes to every command that the project's files name: `npm` runs them
 --> /h/.claude/settings.json:1:63
  |
1 | …(python3 *)", "Bash(sudo:*)", "Bash(npm run *)", "Bash(npm view *)", "Bash(* --version)", "Bash(make build)", "Read(//**…
  |                                ^^^^^^^^^^^^^^^^^
  = hint: allow the exact commands that are needed, as `Bash(npm run lint)`
warning: `Bash(* --version)` begins with a star, so that it allows any program
 --> /h/.claude/settings.json:1:102
  |
1 | … run *)", "Bash(npm view *)", "Bash(* --version)", "Bash(make build)", "Read(//**)", "Edit(~/**)", "WebFetch(domain:*)",…
  |                                ^^^^^^^^^^^^^^^^^^^
  = hint: begin with the program's name
warning: `Read(//**)` covers every file of the machine, keys and passwords too
 --> /h/.claude/settings.json:1:143
  |
1 | …ersion)", "Bash(make build)", "Read(//**)", "Edit(~/**)", "WebFetch(domain:*)", "Edit(src/**)"], "additionalDirectories"…
  |                                ^^^^^^^^^^^^
  = hint: name the folders that are needed
warning: `Edit(~/**)` covers all of the home folder, keys and passwords too
 --> /h/.claude/settings.json:1:157
  |
1 | …h(make build)", "Read(//**)", "Edit(~/**)", "WebFetch(domain:*)", "Edit(src/**)"], "additionalDirectories": ["/", "~", "…
  |                                ^^^^^^^^^^^^
  = hint: name the folders that are needed
warning: `WebFetch(domain:*)` lets data go to every host
 --> /h/.claude/settings.json:1:171
  |
1 | …, "Read(//**)", "Edit(~/**)", "WebFetch(domain:*)", "Edit(src/**)"], "additionalDirectories": ["/", "~", "/h/x/y"]}}
  |                                ^^^^^^^^^^^^^^^^^^^^
  = hint: name the hosts, as `WebFetch(domain:docs.example.com)`
warning: the folder `/` holds far more than a project
 --> /h/.claude/settings.json:1:236
  |
1 | …"], "additionalDirectories": ["/", "~", "/h/x/y"]}}
  |                                ^^^
  = hint: name the folders that are needed
warning: the folder `/h` holds far more than a project
 --> /h/.claude/settings.json:1:241
  |
1 | …additionalDirectories": ["/", "~", "/h/x/y"]}}
  |                                ^^^
  = hint: name the folders that are needed
"#,
    );
}

#[test]
fn lint_tells_denies_beside_an_open_door() {
    check_lint(
        r#"{"permissions": {"deny": ["Write", "Read", "WebFetch(domain:evil.com)", "WebFetch(domain:bad.com)", "WebFetch(domain:*.bad.com)", "Bash(rm)", "Bash(* --force)", "Bash(rm *)"], "ask": ["WebFetch"]}}"#,
        r#"
warning: `deny Write` refuses the tool `Write` alone; other tools and the shell still write files
 --> /h/.claude/settings.json:1:27
  |
1 | {"permissions": {"deny": ["Write", "Read", "WebFetch(domain:evil.com)", "WebFetch(domain:bad.com)", "WebFetch(domain:*.b…
  |                           ^^^^^^^
  = hint: write `Edit(//**)` for every change of a file, by whatever tool
warning: `deny Read` refuses the tool `Read` alone; other tools and the shell still read files
 --> /h/.claude/settings.json:1:36
  |
1 | …missions": {"deny": ["Write", "Read", "WebFetch(domain:evil.com)", "WebFetch(domain:bad.com)", "WebFetch(domain:*.bad.co…
  |                                ^^^^^^
  = hint: write `Read(//**)` for every reading of a file, by whatever tool
warning: `WebFetch(domain:evil.com)` refuses `evil.com` alone, not the hosts below it
 --> /h/.claude/settings.json:1:44
  |
1 | …": {"deny": ["Write", "Read", "WebFetch(domain:evil.com)", "WebFetch(domain:bad.com)", "WebFetch(domain:*.bad.com)", "Ba…
  |                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = hint: add `WebFetch(domain:*.evil.com)`
warning: `Bash(rm)` adds nothing: `deny Bash(rm *) (/h/.claude/settings.json:1:162)` covers it
 --> /h/.claude/settings.json:1:131
  |
1 | …"WebFetch(domain:*.bad.com)", "Bash(rm)", "Bash(* --force)", "Bash(rm *)"], "ask": ["WebFetch"]}}
  |                                ^^^^^^^^^^
  = hint: remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow
warning: `Bash(* --force)` refuses commands that end so, not those that go on
 --> /h/.claude/settings.json:1:143
  |
1 | …main:*.bad.com)", "Bash(rm)", "Bash(* --force)", "Bash(rm *)"], "ask": ["WebFetch"]}}
  |                                ^^^^^^^^^^^^^^^^^
  = hint: write `Bash(* --force *)` unless that is meant
warning: `ask WebFetch` asks for the tool `WebFetch` alone; `curl` and its like still reach the network
 --> /h/.claude/settings.json:1:185
  |
1 | …rce)", "Bash(rm *)"], "ask": ["WebFetch"]}}
  |                                ^^^^^^^^^^
  = hint: add rules as `Bash(curl *)`, or run commands in a sandbox
"#,
    );
    check_lint(r#"{"permissions": {"deny": ["Write", "Edit(//**)"]}}"#, "");
}

#[test]
fn lint_tells_rules_in_the_shadow_of_others() {
    check_lint(
        r#"{"permissions": {"allow": ["Bash(git push *)", "Bash(git status)", "Bash(git status *)", "Read(a/**)", "mcp__s__t"],
  "deny": ["Bash(git push:*)", "mcp__s"], "ask": ["Read"]}}"#,
        r#"
warning: `Bash(git push *)` never decides: `deny Bash(git push:*) (/h/.claude/settings.json:2:12)` refuses all that it matches
 --> /h/.claude/settings.json:1:28
  |
1 | {"permissions": {"allow": ["Bash(git push *)", "Bash(git status)", "Bash(git status *)", "Read(a/**)", "mcp__s__t"],
  |                            ^^^^^^^^^^^^^^^^^^
  = hint: remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow
warning: `Bash(git status)` adds nothing: `allow Bash(git status *) (/h/.claude/settings.json:1:68)` covers it
 --> /h/.claude/settings.json:1:48
  |
1 | {"permissions": {"allow": ["Bash(git push *)", "Bash(git status)", "Bash(git status *)", "Read(a/**)", "mcp__s__t"],
  |                                                ^^^^^^^^^^^^^^^^^^
  = hint: remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow
warning: `mcp__s__t` never decides: `deny mcp__s (/h/.claude/settings.json:2:32)` refuses all that it matches
 --> /h/.claude/settings.json:1:104
  |
1 | {"permissions": {"allow": ["Bash(git push *)", "Bash(git status)", "Bash(git status *)", "Read(a/**)", "mcp__s__t"],
  |                                                                                                        ^^^^^^^^^^^
  = hint: remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow
warning: `ask Read` asks for the tool `Read` alone; other tools and the shell still read files
 --> /h/.claude/settings.json:2:51
  |
2 |   "deny": ["Bash(git push:*)", "mcp__s"], "ask": ["Read"]}}
  |                                                   ^^^^^^
  = hint: write `Read(//**)` for every reading of a file, by whatever tool
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
fn the_lint_does_not_count_what_stands_in_for_something_unreadable() {
    check_lint(
        r#"{"permission": {}, "permissions": {"deny": ["Read(.env)"], "allow": ["Edit(/src/**)"]}}"#,
        "",
    );
}
