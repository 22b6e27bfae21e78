//! The built-in tools, through the door.

use pointsman_model::{CallState, PermissionMode};
use serde_json::{Value, json};

use super::bench::{Bench, Layout};

const FREE: &[&str] = &["allow Bash", "allow Edit", "allow Write"];

async fn free() -> Bench {
    Layout::rules(FREE).build().await
}

async fn bash(bench: &Bench, command: &str) -> crate::CallEnd {
    bench.call("Bash", json!({ "command": command })).await
}

#[tokio::test]
async fn bash_gives_both_outputs_and_the_exit_code() {
    let bench = free().await;
    let end = bash(&bench, "echo out; echo err >&2; exit 3").await;
    assert_eq!((end.state, end.exit_code), (CallState::Error, Some(3)));
    assert_eq!(end.text, "out\nerr\n(exit code 3)");
    assert!(!end.is_refusal());
    let end = bash(&bench, "-x").await;
    assert_eq!(end.exit_code, Some(127), "{}", end.text);
}

#[tokio::test]
async fn bash_keeps_the_agents_folder() {
    let bench = free().await;
    std::fs::create_dir_all(bench.root.join("a/b").as_path()).unwrap();
    for (command, folder) in [
        ("cd a", "a"),
        ("cd b && false", "a/b"),
        ("(cd /tmp)", "a/b"),
        ("cd ..; exit 4", "a"),
        ("set -eux; cd b; nonsense", "a/b"),
        ("trap 'echo mine' EXIT; cd ..", "a/b"),
        ("exec true", "a/b"),
        ("cd ../..", ""),
        ("bash -c 'cd a'", ""),
        ("cd() { builtin cd a; }; cd x", "a"),
    ] {
        let end = bash(&bench, command).await;
        assert!(!end.text.contains("pwd"), "{command}: {}", end.text);
        assert_eq!(
            bench.dispatch.folder(),
            bench.root.join(folder),
            "{command}"
        );
        let pwd = bash(&bench, "pwd; env | grep -c BASH_ENV").await;
        assert!(
            pwd.text
                .starts_with(&format!("{}\n0", bench.root.join(folder))),
            "{}",
            pwd.text
        );
    }
}

#[tokio::test]
async fn bash_does_not_lead_an_agent_out_of_its_directories() {
    let bench = free().await;
    std::fs::create_dir(bench.root.join("a").as_path()).unwrap();
    bash(&bench, "cd a").await;
    let end = bash(&bench, "cd /").await;
    assert!(
        end.text.contains("`/` lies outside your directories"),
        "{}",
        end.text
    );
    assert_eq!(bench.dispatch.folder(), bench.root);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_left_for_the_first_one() {
    let bench = free().await;
    bash(&bench, "mkdir a; cd a").await;
    std::fs::remove_dir(bench.root.join("a").as_path()).unwrap();
    let end = bash(&bench, "pwd").await;
    assert_eq!(end.text, bench.root.as_str());
}

#[tokio::test]
async fn bash_ends_at_its_time_limit_and_leaves_nothing_behind() {
    let bench = free().await;
    let input = json!({ "command": "echo first; sleep 600 & echo $!; wait", "timeout": 300 });
    let end = bench.call("Bash", input).await;
    assert_eq!(end.state, CallState::Error);
    let mut lines = end.text.lines();
    assert_eq!(lines.next(), Some("first"));
    let pid = lines.next().unwrap();
    assert!(
        end.text.contains("longer than its timeout of 300 ms"),
        "{}",
        end.text
    );
    // Whoever adopts the dead may take its time.
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    let bench = free().await;
    let end = bash(&bench, "echo begin; yes middle | head -c 200000; echo end").await;
    assert!(
        end.text.starts_with("begin\n") && end.text.ends_with("end"),
        "{}",
        end.text.len()
    );
    assert!(end.text.len() < 31_000);
    assert!(end.text.contains("bytes left out]"));
}

#[tokio::test]
async fn a_shell_that_can_not_start_is_told() {
    let bench = free().await;
    let mut seat = bench.dispatch.seat().clone();
    seat.environment = pointsman_process::Environment::empty();
    let dispatch = crate::Dispatch::new(seat);
    let [end] = dispatch
        .batch(vec![Bench::asked("Bash", &json!({ "command": "true" }))])
        .await
        .try_into()
        .unwrap();
    assert_eq!(end.state, CallState::Error);
    assert!(
        end.text.contains("there is no program `bash`"),
        "{}",
        end.text
    );
}

#[tokio::test]
async fn functions_and_options_of_the_leaders_shell_do_not_change_a_command() {
    let bench = free().await;
    let mut seat = bench.dispatch.seat().clone();
    seat.environment = seat
        .environment
        .with("BASH_FUNC_ls%%", "() { echo hijacked; }")
        .with("SHELLOPTS", "noexec")
        .with("BASH_ENV", "/nonexistent");
    let dispatch = crate::Dispatch::new(seat);
    let [end] = dispatch
        .batch(vec![Bench::asked(
            "Bash",
            &json!({ "command": "ls; echo ran" }),
        )])
        .await
        .try_into()
        .unwrap();
    assert_eq!(end.text, "ran");
}

#[tokio::test]
async fn read_numbers_lines_and_pages() {
    let bench = free().await;
    let lines: String = (1..=2_100).map(|n| format!("line {n}\n")).collect();
    bench.write("f", &lines);
    let read = async |input: Value| bench.call("Read", input).await.text;
    let all = read(json!({ "file_path": "f" })).await;
    assert!(all.starts_with("     1\tline 1\n     2\tline 2\n"), "{all}");
    assert!(
        all.ends_with("  2000\tline 2000\n(lines 1 to 2000 of 2100; go on with offset 2001)\n")
    );
    let part = read(json!({ "file_path": "f", "offset": 2_099, "limit": 5 })).await;
    assert_eq!(part, "  2099\tline 2099\n  2100\tline 2100\n");
    let none = read(json!({ "file_path": "f", "offset": 3_000 })).await;
    assert_eq!(none, "(the file has 2100 lines; there is no line 3000)");
    bench.write("empty", "");
    assert_eq!(
        read(json!({ "file_path": "empty" })).await,
        "(the file is empty)"
    );
}

#[tokio::test]
async fn an_edit_needs_a_read_that_still_holds() {
    let bench = free().await;
    bench.write("f", "one two one\n");
    let edit = async |old: &str, new: &str, all: bool| {
        let input =
            json!({ "file_path": "f", "old_string": old, "new_string": new, "replace_all": all });
        bench.call("Edit", input).await
    };
    let read = async || bench.call("Read", json!({ "file_path": "f" })).await;
    let check = async |end: crate::CallEnd, part: &str| {
        assert_eq!(end.state, CallState::Error);
        assert!(end.text.contains(part), "{}", end.text);
        assert_eq!(bench.read("f"), "one two one\n");
    };
    check(edit("two", "2", false).await, "has to be read before").await;
    read().await;
    check(edit("one", "1", false).await, "occurs 2 times").await;
    check(edit("three", "3", false).await, "does not occur").await;
    check(
        edit("one  two one", "3", false).await,
        "line 1 is like its first line but for blanks",
    )
    .await;
    check(edit("two", "two", false).await, "are the same").await;
    check(edit("", "two", false).await, "is empty").await;
    assert_eq!(edit("two", "2", false).await.state, CallState::Success);
    assert_eq!(edit("one", "1", true).await.state, CallState::Success);
    assert_eq!(bench.read("f"), "1 2 1\n");
    bench.write("f", "one two one\n");
    check(edit("two", "2", false).await, "changed since").await;
    read().await;
    assert_eq!(edit("two", "2", false).await.state, CallState::Success);
}

#[tokio::test]
async fn another_agents_read_is_not_this_ones() {
    let bench = free().await;
    bench.write("f", "x");
    let other = crate::Dispatch::new(bench.dispatch.seat().clone());
    other
        .batch(vec![Bench::asked("Read", &json!({ "file_path": "f" }))])
        .await;
    let input = json!({ "file_path": "f", "old_string": "x", "new_string": "y" });
    let end = bench.call("Edit", input).await;
    assert!(end.text.contains("has to be read before"), "{}", end.text);
}

#[tokio::test]
async fn write_makes_folders_and_minds_changes_of_others() {
    let bench = free().await;
    let write = async |content: &str| {
        let input = json!({ "file_path": "new/deep/f", "content": content });
        bench.call("Write", input).await
    };
    assert_eq!(write("one").await.state, CallState::Success);
    assert_eq!(write("two").await.state, CallState::Success);
    bench.write("new/deep/f", "somebody else's");
    let end = write("three").await;
    assert!(end.text.contains("changed since"), "{}", end.text);
    assert_eq!(bench.read("new/deep/f"), "somebody else's");
}

#[tokio::test]
async fn a_link_is_written_through_to_where_it_was_approved_to_lead() {
    let bench = free().await;
    bench.write("real", "old");
    std::os::unix::fs::symlink("real", bench.root.join("link").as_path()).unwrap();
    let input = json!({ "file_path": "link", "content": "new" });
    let end = bench.call("Write", input).await;
    assert_eq!(end.state, CallState::Success, "{}", end.text);
    assert_eq!(bench.read("real"), "new");
    assert!(bench.root.join("link").as_path().is_symlink());
}

#[tokio::test]
async fn glob_finds_by_name() {
    let bench = Layout::rules(&[]).build().await;
    for file in [
        "a.rs",
        "src/b.rs",
        "src/deep/c.rs",
        "src/d.txt",
        ".hidden/e.rs",
        "target/f.rs",
    ] {
        bench.write(file, "");
    }
    bench.write(".gitignore", "target\n");
    let check = async |pattern: &str, path: Option<&str>, expect: &[&str]| {
        let input = match path {
            Some(path) => json!({ "pattern": pattern, "path": path }),
            None => json!({ "pattern": pattern }),
        };
        let end = bench.call("Glob", input).await;
        let expect: Vec<String> = expect
            .iter()
            .map(|name| bench.root.join(name).to_string())
            .collect();
        let found: Vec<&str> = end.text.lines().collect();
        assert_eq!(found, expect, "{pattern}");
    };
    check(
        "*.rs",
        None,
        &[".hidden/e.rs", "a.rs", "src/b.rs", "src/deep/c.rs"],
    )
    .await;
    check("src/*.rs", None, &["src/b.rs"]).await;
    check("src/**/*.rs", None, &["src/b.rs", "src/deep/c.rs"]).await;
    check("**/c.*", Some("src"), &["src/deep/c.rs"]).await;
    check("src/d.txt", None, &["src/d.txt"]).await;
    let absolute = format!("{}/src/*.txt", bench.root);
    check(&absolute, None, &["src/d.txt"]).await;
    let end = bench.call("Glob", json!({ "pattern": "*.py" })).await;
    assert_eq!(end.text, "(no file found)");
}

#[tokio::test]
async fn grep_finds_by_content() {
    let bench = Layout::rules(&[]).build().await;
    bench.write("a.rs", "fn one() {}\nfn two() {}\n");
    bench.write("b.txt", "FN three\n");
    bench.write("c.bin", "fn\0four");
    let check = async |input: Value, expect: &str| {
        let end = bench.call("Grep", input).await;
        let text = end.text.replace(&format!("{}/", bench.root), "");
        assert_eq!(text.trim_end(), expect);
    };
    check(json!({ "pattern": "^fn" }), "a.rs").await;
    check(json!({ "pattern": "fn", "-i": true }), "a.rs\nb.txt").await;
    check(json!({ "pattern": "fn", "output_mode": "count" }), "a.rs:2").await;
    check(
        json!({ "pattern": "fn", "output_mode": "content", "-i": true, "glob": "*.txt" }),
        "b.txt:1:FN three",
    )
    .await;
    check(
        json!({ "pattern": r"one.*\n.*two", "output_mode": "content", "multiline": true }),
        "a.rs:1:fn one() {}\na.rs:2:fn two() {}",
    )
    .await;
    check(json!({ "pattern": "nothing" }), "(nothing matches)").await;
    let end = bench.call("Grep", json!({ "pattern": "(" })).await;
    assert!(
        end.text.contains("`(` is no regular expression"),
        "{}",
        end.text
    );
    let end = bench
        .call("Grep", json!({ "pattern": "x", "path": "none" }))
        .await;
    assert!(end.text.contains("does not exist"), "{}", end.text);
}

#[tokio::test]
async fn searches_hide_what_may_not_be_read() {
    let bench = Layout::rules(&["deny Read(.env)", "allow Glob", "allow Grep"])
        .mode(PermissionMode::BypassPermissions)
        .build()
        .await;
    bench.write(".env", "KEY=1");
    bench.write("deep/.env", "KEY=2");
    bench.write("open", "KEY=3");
    let grep = json!({ "pattern": "KEY", "output_mode": "content" });
    for (tool, input) in [("Grep", grep), ("Glob", json!({ "pattern": "*" }))] {
        let end = bench.call(tool, input).await;
        assert!(end.text.contains("open"), "{tool}: {}", end.text);
        assert!(!end.text.contains(".env"), "{tool}: {}", end.text);
    }
}

#[tokio::test]
async fn an_agent_without_a_spawner_starts_none() {
    let bench = Layout::rules(&[]).build().await;
    for name in ["Agent", "Task"] {
        let end = bench
            .call(name, json!({ "prompt": "p", "subagent_type": "helper" }))
            .await;
        assert_eq!(end.text, "there is no agent of type `helper`");
    }
}
