//! The first minutes with the program: each verb where nothing runs yet says what to do, and help, completions and manual
//! pages know all verbs.

use crate::ground::Project;

/// The verbs that `--help` lists.
fn verbs(project: &Project) -> Vec<String> {
    let help = project.run(["--help"]).expect_code(0).out;
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    let lines = listed.lines().take_while(|line| !line.is_empty());
    // What goes on below a verb is indented further.
    let verbs = lines.filter_map(|line| {
        line.strip_prefix("  ")
            .filter(|rest| !rest.starts_with(' '))
    });
    let words = verbs.filter_map(|line| line.split_whitespace().next());
    words
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn where_nothing_runs_each_verb_says_what_to_do() {
    let project = Project::with_job("[[job]]\nname = \"one\"\n");
    let no_leader: [&[&str]; 13] = [
        &["queue"],
        &["workers"],
        &["mode"],
        &["mode", "w1-1", "plan"],
        &["grants"],
        &["pause"],
        &["retry"],
        &["attach"],
        &["answer", "r1-1", "allow"],
        &["context", "w1-1"],
        &["stop", "run-1"],
        &["tell", "w1-1", "hello"],
        &["grants", "tighten", "deny", "Bash(rm *)"],
    ];
    let no_ledger: [&[&str]; 6] = [
        &["runs"],
        &["log"],
        &["log", "verify"],
        &["show", "r1-1"],
        &["why", "c1-1"],
        &["workers", "--run", "run-1"],
    ];
    let cases = no_leader.iter().map(|case| (case, "no leader runs"));
    let cases = cases.chain(no_ledger.iter().map(|case| (case, "nothing has run")));
    for (arguments, why) in cases {
        let mut command = project.command([]);
        let output = command.args(*arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(err.contains(why), "{arguments:?}: {err}");
        let hint = err.lines().find(|line| line.starts_with("  = "));
        assert!(
            hint.is_some_and(|hint| hint.contains("`pointsman ")),
            "{arguments:?}: {err}"
        );
    }
}

#[test]
fn completions_and_manual_pages_know_every_verb() {
    let project = Project::new();
    let verbs = verbs(&project);
    assert!(verbs.len() > 20, "{verbs:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = project.run(["completions", shell]).expect_code(0).out;
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
    }
    project.run(["man", "--into", "pages"]).expect_code(0);
    for verb in &verbs {
        let page = project.read(&format!("pages/pointsman-{verb}.1"));
        assert!(page.is_some_and(|page| page.contains(".SH")), "{verb}");
    }
    // Those that print for people print for programs, too; the others print text for a program already, or draw.
    for verb in &verbs {
        let help = project.run([verb.as_str(), "--help"]).expect_code(0).out;
        let is_text = ["attach", "completions", "man", "init"].contains(&verb.as_str());
        let has_verbs = help.contains("Commands:");
        assert!(
            help.contains("--json") || is_text || has_verbs,
            "{verb}: {help}"
        );
    }
}
