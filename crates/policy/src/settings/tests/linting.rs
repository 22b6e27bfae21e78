//! What the lint tells.

use crate::settings::lint;

use super::{check_lint, loaded};

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
    // A host that may look like another one has to be named.
    check_lint(
        r#"{"permissions": {"allow": ["WebFetch(domain:*.a.com)", "WebFetch(domain:xn--gthub-n2e.a.com)", "WebFetch(domain:b.a.com)"]}}"#,
        r#"
warning: `WebFetch(domain:b.a.com)` adds nothing: `allow WebFetch(domain:*.a.com) (/h/.claude/settings.json:1:28)` covers it
 --> /h/.claude/settings.json:1:96
  |
1 | …domain:xn--gthub-n2e.a.com)", "WebFetch(domain:b.a.com)"]}}
  |                                ^^^^^^^^^^^^^^^^^^^^^^^^^^
  = hint: remove one of the two, or make the wider one narrower: deny goes before ask, and ask before allow
"#,
    );
}

#[test]
fn the_lint_does_not_count_what_stands_in_for_something_unreadable() {
    check_lint(
        r#"{"permission": {}, "permissions": {"deny": ["Read(.env)"], "allow": ["Edit(/src/**)"]}}"#,
        "",
    );
}

/// What loading and the lint say of rules, without places.
fn said(permissions: &str) -> Vec<String> {
    let loaded = loaded(&[("user", &format!(r#"{{"permissions": {permissions}}}"#))]);
    let linted = lint(&loaded);
    let all = loaded.problems.iter().chain(&linted);
    all.map(|problem| problem.message.clone()).collect()
}

#[test]
fn what_allows_nothing_casts_no_shadow() {
    for void in ["*", "mcp__*", "B*"] {
        let narrow = if void == "mcp__*" {
            "mcp__s__get"
        } else {
            "Bash(ls)"
        };
        let said = said(&format!(r#"{{"allow": ["{void}", "{narrow}"]}}"#));
        assert!(
            said.iter().all(|it| !it.contains("adds nothing")),
            "{said:?}"
        );
    }
}

#[test]
fn rules_on_paths_are_found_in_the_shadow_of_others() {
    for (deny, allow) in [
        ("Edit(/src/**)", "Edit(/src/a/**)"),
        ("Edit(/src/**)", "Edit(/src/*.rs)"),
        ("Edit(/src)", "Edit(/src/a/b)"),
        ("Read(.env)", "Read(.env)"),
        ("Read(.env)", "Read(conf/.env)"),
        ("Read(secrets/**)", "Read(secrets/a/**)"),
        ("Edit(/src/**)", "Edit(/src/**)"),
    ] {
        let text = format!(r#"{{"allow": ["{allow}"], "deny": ["{deny}"]}}"#);
        let found = said(&text).iter().any(|it| it.contains("never decides"));
        assert!(found, "{text}");
    }
    for (deny, allow) in [
        ("Edit(/src/a/**)", "Edit(/src/**)"),
        ("Edit(/src/**)", "Edit(/src)"),
        ("Edit(/src/**)", "Edit(/srcs/a)"),
        ("Edit(/src/**)", "Edit(//src/a)"),
        ("Edit(/src/*)", "Edit(/src/a)"),
        ("Edit(/src/)", "Edit(/src)"),
        ("Read(.env)", "Edit(.env)"),
        ("Read(/src/**)", "Read(**/src/a)"),
    ] {
        let text = format!(r#"{{"allow": ["{allow}"], "deny": ["{deny}"]}}"#);
        let found = said(&text).iter().any(|it| it.contains("never decides"));
        assert!(!found, "{text}");
    }
}

#[test]
fn a_deny_that_protects_nothing_is_told() {
    for rule in [
        "WebFetch(domain:https://x.com)",
        "WebFetch(domain:x.com/y)",
        "WebFetch(domain:x.com:443)",
        "WebFetch(domain:.x.com)",
        "WebFetch(domain:)",
        "WebFetch(domain:[::1]:80)",
        "Bash(command:rm *)",
        "Read(file_path:*.env)",
        "Edit(file_path:a)",
        "Grep(path:src)",
        "WebFetch(url:https://x.com)",
        "Read(\\\".env\\\")",
        "Read('.env')",
        "Read(~dev/x)",
        "Read($XDG_DATA_HOME/x)",
        "Edit(C:\\\\x)",
    ] {
        let said = said(&format!(r#"{{"deny": ["{rule}"]}}"#));
        let told = |it: &String| it.contains("never matches") || it.contains("` means ");
        assert!(said.iter().any(told), "{rule}: {said:?}");
    }
    for rule in [
        "WebFetch(domain:[::1])",
        "WebFetch(domain:::1)",
        "WebFetch(domain:x.com.)",
        "WebFetch(domain:*.x.com)",
        "Read($HOME/x)",
        "Read(~/x)",
        "Read(src/[id]/**)",
        "Read(file.txt)",
    ] {
        let said = said(&format!(r#"{{"deny": ["{rule}"]}}"#));
        let told = |it: &String| it.contains("never matches") || it.contains("` means ");
        assert!(!said.iter().any(told), "{rule}: {said:?}");
    }
}

#[test]
fn what_runs_what_the_agent_writes_is_told() {
    for rule in [
        "pytest *",
        "./gradlew *",
        "dotnet *",
        "swift *",
        "flutter *",
        "bundle *",
        "java *",
        "tsx *",
        "ts-node *",
        "pwsh *",
        "npm install *",
        "pip install *",
    ] {
        let said = said(&format!(r#"{{"allow": ["Bash({rule})"]}}"#));
        assert!(
            said.iter().any(|it| it.contains("comes to every command")),
            "{rule}"
        );
    }
}
