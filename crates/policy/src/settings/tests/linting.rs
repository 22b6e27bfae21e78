//! What the lint tells.

use super::check_lint;

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
