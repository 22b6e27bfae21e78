//! The mode that settings start agents in, and the locks over it.

use super::{check, check_trusted};

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
