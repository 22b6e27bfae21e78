//! Questions: at the terminal, from another terminal, and both at once.

use expectrl::{Eof, Expect as _, Regex};
use nix::sys::signal::Signal;

use crate::ground::{ASKS, Project, until};

const ASKS_TWICE: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "out/one.txt", content = "1" }
[[job.step]]
tool = "Write"
input = { file_path = "out/two.txt", content = "2" }
"#;

const ASKS_FROM_BELOW: &str = r#"
[[job]]
name = "parent"
[[job.step]]
tool = "Agent"
input = { subagent_type = "child", prompt = "write it" }
[agents.child]
[[agents.child.step]]
tool = "Write"
input = { file_path = "deep.txt", content = "from below\n" }
"#;

#[test]
fn a_whole_word_at_the_terminal_lets_it_run() {
    let project = Project::with_job(ASKS);
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect("asks asks").unwrap();
    terminal.expect("+ yes").unwrap();
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send("y\r\r").unwrap();
    terminal.expect("`y` is no answer").unwrap();
    terminal.send("allow\r").unwrap();
    terminal
        .expect("allowed by a person at the terminal")
        .unwrap();
    terminal.expect(Eof).unwrap();
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

#[test]
fn a_no_reaches_the_agent_with_its_text() {
    let project = Project::with_job(ASKS);
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send("deny write it to the log\r").unwrap();
    terminal.expect(Eof).unwrap();
    assert_eq!(project.read("asked.txt"), None);
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(why.out.contains("write it to the log"), "{}", why.out);
    assert!(why.out.contains("denied by person"), "{}", why.out);
}

#[test]
fn for_this_session_is_not_asked_again() {
    let project = Project::with_job(ASKS_TWICE);
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect("session 2").unwrap();
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send("session 2\r").unwrap();
    terminal.expect(Eof).unwrap();
    assert_eq!(project.read("out/two.txt").as_deref(), Some("2"));
    let log = project.run(["log", "--json"]).expect_code(0);
    let kind = |kind: &str| {
        let objects = log.objects();
        objects
            .iter()
            .filter(|object| object["body"]["kind"] == kind)
            .count()
    };
    assert_eq!((kind("request_opened"), kind("grant_made")), (1, 1));
    let by_grant = log.objects().iter().any(|object| {
        let cover = &object["body"]["judgement"]["reason"]["by"][0];
        object["body"]["call"]["id"] == "c1-2" && cover["kind"] == "grant"
    });
    assert!(by_grant, "{}", log.out);
}

#[test]
fn stop_at_the_terminal_ends_the_run_as_cancelled() {
    let project = Project::with_job(ASKS);
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send("stop\r").unwrap();
    terminal.expect(Eof).unwrap();
    let status = terminal.get_process().wait().unwrap();
    assert!(format!("{status:?}").contains("130"), "{status:?}");
    assert_eq!(project.read("asked.txt"), None);
}

#[test]
fn law_9_an_answer_from_another_terminal_closes_the_prompt() {
    let project = Project::with_job(ASKS);
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send("deny becau").unwrap();
    terminal.expect("deny becau").unwrap();
    let answered = project.run(["answer", "r1-1", "allow"]).expect_code(0);
    // It says what it has allowed.
    let told = "r1-1 is allowed by a person by command\n  asks: Write asked.txt\n";
    assert_eq!(answered.out, told);
    terminal
        .expect("allowed by a person by command; what you were typing was not sent")
        .unwrap();
    terminal.expect(Eof).unwrap();
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

#[test]
fn a_question_from_depth_2_reaches_the_queue_with_its_lineage() {
    let project = Project::with_job(ASKS_FROM_BELOW);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let ids = project.questions(1);
    assert_eq!(project.queue()[0]["agent"], "parent › child");
    let shown = project.run(["queue", &ids[0]]).expect_code(0);
    assert!(shown.out.contains("+ from below"), "{}", shown.out);
    project.run(["answer", &ids[0], "allow"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("deep.txt").as_deref(), Some("from below\n"));
}

const LOOKS_AND_WRITES: &str = r#"
[[job]]
name = "parent"
[[job.step]]
tool = "Agent"
input = { subagent_type = "looker", prompt = "look, then write" }
[agents.looker]
[[agents.looker.step]]
tool = "Read"
input = { file_path = "job.toml" }
[[agents.looker.step]]
tool = "Write"
input = { file_path = "found.txt", content = "x" }
"#;

/// The last words of the agent that was spawned, once it has ended.
fn report_of_the_child(project: &Project) -> String {
    until("the agent has ended", || {
        let log = project.run(["log", "--kind", "worker_ended", "--json"]);
        let bodies = log
            .objects()
            .into_iter()
            .map(|record| record["body"].clone());
        let ended = bodies.into_iter().find(|body| body["worker"] == "w1-2");
        ended.map(|ended| ended["text"].as_str().unwrap().to_owned())
    })
}

#[test]
fn an_agent_in_the_background_is_asked_about_or_refused_aloud_and_its_report_says_so() {
    // Nobody looks at the run: the question is at every surface, under the name of who asks.
    let project = Project::with_job(LOOKS_AND_WRITES);
    project
        .run(["run", "--detach", "--attended", "job.toml"])
        .expect_code(0);
    let id = project.questions(1).remove(0);
    assert_eq!(project.queue()[0]["agent"], "parent › looker");
    project.run(["answer", &id, "deny"]).expect_code(0);
    let report = report_of_the_child(&project);
    assert!(
        report.starts_with("1 call done, 0 failed, 1 refused"),
        "{report}"
    );
    assert!(report.contains("Write"), "{report}");
    // Nobody is there: it is refused at once, and the report says why.
    let project = Project::with_job(LOOKS_AND_WRITES);
    project
        .run(["run", "--detach", "--unattended", "job.toml"])
        .expect_code(0);
    let report = report_of_the_child(&project);
    assert!(
        report.starts_with("1 call done, 0 failed, 1 refused"),
        "{report}"
    );
    assert!(report.contains("nobody"), "{report}");
    assert_eq!(project.read("found.txt"), None);
}

#[test]
fn two_answers_at_once_have_one_winner() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    let yes = project.start(["answer", &id, "allow", "--json"]);
    let no = project.start(["answer", &id, "deny", "--json"]);
    let came =
        |ended: &crate::ground::Ended| ended.objects().first().map(|reply| reply["came"].clone());
    let (yes, no) = (yes.wait(), no.wait());
    let won = [&yes, &no].map(|ended| came(ended) == Some("won".into()));
    // The loser may also find the leader gone: its run ended with the winner's answer.
    assert!(
        won[0] != won[1],
        "{}{}{}{}",
        yes.out,
        yes.err,
        no.out,
        no.err
    );
    leader.wait().expect_code(0);
    assert_eq!(project.read("asked.txt").is_some(), won[0]);
}

/// The answer that gives the rule was found void, and the rule is no answer to what nobody has seen.
#[test]
fn law_10_no_grant_answers_for_a_script_that_was_swapped() {
    let project = Project::with_job(
        "[[job]]\nname = \"runs\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"sh ./run.sh\" }\n",
    );
    project.write("run.sh", "echo kind > ran.txt\n");
    let leader = project.start(["run", "--attended", "job.toml"]);
    let first = project.questions(1).remove(0);
    project.write("run.sh", "echo evil > ran.txt\n");
    project
        .run(["answer", &first, "allow", "--always", "worker"])
        .expect_code(0);
    let again = until("it is asked anew", || {
        project.questions(1).into_iter().find(|id| *id != first)
    });
    project.run(["answer", &again, "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("ran.txt"), None);
}

#[test]
fn always_from_another_terminal_grants_the_named_rule() {
    let project = Project::with_job(ASKS_TWICE);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    let wrong = project
        .run(["answer", &id, "deny", "--always", "job"])
        .expect_code(2);
    assert!(
        wrong.err.contains("goes with `allow` alone"),
        "{}",
        wrong.err
    );
    let no_such = project
        .run(["answer", &id, "allow", "--always", "job", "--rule", "99"])
        .expect_code(2);
    assert!(no_such.err.contains("99"), "{}", no_such.err);
    let answered = project
        .run(["answer", &id, "allow", "--always", "job", "--rule", "2"])
        .expect_code(0);
    // Told as granted once it is.
    assert!(
        answered.out.contains("allowed and granted"),
        "{}",
        answered.out
    );
    let log = project
        .run(["log", "--kind", "grant_made", "--json"])
        .expect_code(0);
    assert_eq!(log.objects().len(), 1, "{}", log.out);
    leader.wait().expect_code(0);
    assert_eq!(project.read("out/two.txt").as_deref(), Some("2"));
}

#[test]
fn an_edited_input_that_does_not_fit_is_told_to_who_answered_and_the_question_stays() {
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"touch x\" }\n",
    );
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    for (input, told) in [
        ("", "`command` has to be a text that is not empty"),
        (
            r#"{"command":"ls","cwd":"/"}"#,
            "`cwd` is no field of this tool",
        ),
        (
            r#"{"command":"ls","timeout":"soon"}"#,
            "`timeout` has to be a whole number",
        ),
        // Meant as the whole input, with a slip.
        (
            r#"{"command": "echo hi""#,
            "`--input` begins as a JSON object and is none",
        ),
        // No command is an object, so this was meant as the whole input.
        (r#"{"comand":"ls"}"#, "`comand` is no field of this tool"),
    ] {
        let ended = project
            .run(["answer", &id, "allow", "--input", input])
            .expect_code(2);
        assert!(ended.err.contains(told), "{}", ended.err);
        assert!(ended.err.contains("nothing was answered"), "{}", ended.err);
        assert_eq!(project.questions(1), [id.as_str()]);
    }
    let unknown = project.run(["answer", "r9-9", &id, "allow", "--input", "x", "--json"]);
    assert!(
        unknown.err.contains("one question at a time"),
        "{}",
        unknown.err
    );
    let answered = project
        .run(["answer", &id, "allow", "--input", "{ touch y; }"])
        .expect_code(0);
    for told in ["  runs Bash { touch y; }\n", "  instead of "] {
        assert!(answered.out.contains(told), "{}", answered.out);
    }
    leader.wait().expect_code(0);
    assert_eq!(project.read("x"), None);
    assert_eq!(project.read("y").as_deref(), Some(""));
}

/// It would have been taken, and refused where it was to run: whoever answered had read that it runs.
#[test]
fn an_edited_input_that_a_rule_refuses_is_told_to_who_answered_and_the_question_stays() {
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\ndeny = [\"Bash(touch no*)\"]\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"touch x\" }\n",
    );
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    let ended = project
        .run(["answer", &id, "allow", "--input", "true; touch now"])
        .expect_code(2);
    for told in [
        "refused by the rule",
        "Bash(touch no*)",
        "nothing was answered",
    ] {
        assert!(ended.err.contains(told), "{told}: {}", ended.err);
    }
    assert_eq!(project.questions(1), [id.as_str()]);
    project
        .run(["answer", &id, "allow", "--input", "touch yes"])
        .expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("now"), None);
    assert_eq!(project.read("yes").as_deref(), Some(""));
}

/// What runs instead is told from the ledger; the answer does not hang on that.
#[test]
fn an_answer_that_was_taken_is_no_failure_where_the_ledger_can_not_be_read() {
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"touch x\" }\n",
    );
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    let ledger = project.state_folder().join("ledger.db");
    let ledger = rusqlite::Connection::open(ledger).unwrap();
    let version = |number: i64| ledger.pragma_update(None, "user_version", number).unwrap();
    let known = ledger.query_row("PRAGMA user_version", [], |row| row.get(0));
    version(99_999);
    let unread = project.run(["log"]);
    assert!(unread.err.contains("format 99999"), "{}", unread.err);
    let answered = project
        .run([
            "answer", &id, "allow", "--input", "touch y", "--save", "user",
        ])
        .expect_code(0);
    for told in [
        "  runs\n  │ {\"command\":\"touch y\"}",
        "  instead of ",
        "settings.json",
    ] {
        assert!(answered.out.contains(told), "{told}: {}", answered.out);
    }
    version(known.unwrap());
    leader.wait().expect_code(0);
    assert_eq!(project.read("y").as_deref(), Some(""));
}

/// A shell that is closed sends it more than once.
#[test]
fn hung_up_twice_a_run_still_comes_to_its_end() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml", "--json"]);
    project.questions(1);
    for _ in 0..3 {
        leader.signal(Signal::SIGHUP);
    }
    leader.wait().expect_code(130);
    let runs = project.run(["runs", "--json"]).expect_code(0);
    assert_eq!(runs.objects()[0]["state"], "ended", "{}", runs.out);
}

#[test]
fn ctrl_c_ends_open_questions_and_the_run() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml", "--json"]);
    project.questions(1);
    leader.signal(Signal::SIGINT);
    let ended = leader.wait().expect_code(130);
    assert_eq!(ended.summary()["jobs"][0]["end"], "stopped");
    let why = project.run(["why", "r1-1"]).expect_code(0);
    assert!(why.out.contains("cancelled"), "{}", why.out);
}

/// Its command takes no hint to end: the run stays open for a while after it is told to stop.
const ENDS_SLOWLY: &str = r#"
[[job]]
name = "slow"
allow = ["Bash"]
[[job.step]]
tool = "Bash"
input = { command = "trap '' TERM HUP; touch started; while :; do sleep 1; done" }
"#;

#[test]
fn a_session_that_hangs_up_twice_ends_the_run_in_order() {
    let project = Project::with_job(ENDS_SLOWLY);
    let leader = project.start(["run", "--attended", "job.toml", "--json"]);
    until("the command runs", || project.read("started"));
    leader.signal(Signal::SIGHUP);
    until("the stop is on record", || {
        let log = project.run(["log", "--json"]);
        log.out.contains("\"stop_asked\"").then_some(())
    });
    leader.signal(Signal::SIGHUP);
    let ended = leader.wait().expect_code(130);
    assert_eq!(ended.summary()["jobs"][0]["end"], "stopped");
    let log = project.run(["log", "--json"]).expect_code(0);
    assert!(log.out.contains("\"run_ended\""), "{}", log.out);
}

#[test]
fn with_no_leader_or_several_it_says_so() {
    let project = Project::with_job(ASKS);
    let none = project.run(["queue"]).expect_code(2);
    assert!(
        none.err.contains("no leader runs in this project"),
        "{}",
        none.err
    );
    let late = project.run(["answer", "r1-1", "allow"]).expect_code(2);
    assert!(
        late.err.contains("no leader runs for run-1"),
        "{}",
        late.err
    );
    let first = project.start(["run", "--attended", "job.toml"]);
    project.questions(1);
    let second = project.start(["run", "--attended", "job.toml"]);
    let several = until("both leaders are up", || {
        let ended = project.run(["queue"]);
        (ended.code == Some(2)).then_some(ended)
    });
    assert!(several.err.contains("run-1, run-2") || several.err.contains("run-2, run-1"));
    until("the second one asks", || {
        let ended = project.run(["queue", "--run", "run-2"]);
        ended.out.contains("r2-1").then_some(())
    });
    for (id, leader) in [("r1-1", first), ("r2-1", second)] {
        project.run(["answer", id, "deny"]).expect_code(0);
        leader.wait().expect_code(0);
    }
}

#[test]
fn wrong_ids_are_clear_errors() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml"]);
    project.questions(1);
    let unknown = project.run(["answer", "r1-99", "allow"]).expect_code(2);
    assert!(
        unknown.err.contains("there is no question r1-99"),
        "{}",
        unknown.err
    );
    let no_id = project.run(["answer", "17", "allow"]).expect_code(2);
    assert!(no_id.err.contains("write it like `r3-17`"), "{}", no_id.err);
    // Of several all are tried, whatever the first ones are, and programs hear of each.
    let row = project
        .run(["answer", "r9-9", "r1-99", "r1-1", "deny", "--json"])
        .expect_code(2);
    let row = row.objects();
    let errors = row.iter().filter(|it| it["error"].is_string());
    assert_eq!((errors.count(), row.len()), (2, 3), "{row:?}");
    leader.wait().expect_code(0);
}

#[test]
fn what_runs_instead_is_told_whole_with_its_effects_and_an_object_without_fields_is_no_content() {
    let project = Project::with_job(ASKS);
    let leader = project.start(["run", "--attended", "job.toml"]);
    let id = project.questions(1).remove(0);
    for object in ["{}", r#"{"contents":"x"}"#] {
        let unclear = project.run(["answer", &id, "allow", "--input", object]);
        let unclear = unclear.expect_code(2);
        for told in ["nothing was answered", "`--edit`"] {
            assert!(unclear.err.contains(told), "{}", unclear.err);
        }
    }
    assert_eq!(project.questions(1), [id.as_str()]);
    let whole = r#"{"file_path":"other.txt","content":"{}"}"#;
    let answered = project.run(["answer", &id, "allow", "--input", whole]);
    let answered = answered.expect_code(0).out;
    leader.wait().expect_code(0);
    let shown = project.run(["show", &id]).expect_code(0).out;
    assert!(shown.contains("a person had this run instead"), "{shown}");
    for text in [answered, shown] {
        for told in ["│ other.txt\n", "│ + {}\n", "  effects\n    writes `"] {
            assert!(text.contains(told), "{told}: {text}");
        }
    }
    assert_eq!(project.read("other.txt").as_deref(), Some("{}"));
}

#[test]
fn law_9_an_answer_that_comes_later_and_wants_more_hears_that_it_got_nothing() {
    let project = Project::with_job(
        "[[job]]\nname = \"a\"\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"a\", content = \"x\" }\n\
         [[job.step]]\ntool = \"Write\"\ninput = { file_path = \"b\", content = \"x\" }\n",
    );
    let _leader = project.start(["run", "--attended", "--json", "job.toml"]);
    let first = project.questions(1).remove(0);
    project.run(["answer", &first, "allow"]).expect_code(0);
    let next = project.questions(1).remove(0);
    assert_ne!(next, first);
    let input = r#"{"file_path":"c","content":"x"}"#;
    let edited = project.run(["answer", &first, "allow", "--input", input]);
    let edited = edited.expect_code(1).err;
    assert!(
        edited.contains("is allowed by a person by command at "),
        "{edited}"
    );
    project.run(["answer", &first, "allow"]).expect_code(0);
    for more in [["--always", "run"], ["--save", "local"]] {
        let kept = project.run(["answer", &first, "allow", more[0], more[1]]);
        let kept = kept.expect_code(1).out;
        assert!(kept.contains("nothing was granted or saved"), "{kept}");
    }
    let granted = project.run(["answer", &next, "allow", "--always", "run"]);
    assert!(granted.expect_code(0).out.contains("and granted"));
}
