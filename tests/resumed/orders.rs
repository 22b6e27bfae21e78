//! What people had ordered of a run binds it, or waits for it, under its next leader.

use super::*;

const FAILS_AT_FIRST: &str = r#"
slots = 2
[[job]]
name = "tries"
[[job.step]]
tool = "Read"
input = { file_path = "there.txt" }
[[job.step]]
tool = "Write"
input = { file_path = "tried.txt", content = "x" }
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

#[test]
fn law_20_a_job_that_was_tried_again_goes_on_with_that_try() {
    let project = Project::with_job(FAILS_AT_FIRST);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    until("a job has failed", || {
        (project.run(["retry", "asks"]).code == Some(2)
            && records(&project, "worker_ended").len() == 1)
            .then_some(())
    });
    project.write("there.txt", "here now\n");
    project.run(["retry", "tries"]).expect_code(0);
    let before = asked(&project);
    kill(leader);
    let leader = leads(&project, None, &["--resume", "run-1"]);
    assert_eq!(asked(&project), before);
    kill(leader);
    let ended = resumed(&project, None, 2).expect_code(0);
    assert_eq!(ended.summary()["jobs"][0]["end"], "done");
    assert_eq!(project.read("tried.txt").as_deref(), Some("x"));
    assert_eq!(records(&project, "worker_spawned").len(), 3);
}

#[test]
fn law_20_a_job_whose_new_try_was_ordered_and_not_begun_is_tried_again_after_a_resume() {
    let needs = "[[job]]\nname = \"after\"\nneeds = [\"tries\"]\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"there.txt\" }\n";
    let project = Project::with_job(&format!("{FAILS_AT_FIRST}{needs}"));
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    until("a job has failed", || {
        (records(&project, "worker_ended").len() == 1).then_some(())
    });
    // So that it does not begin before the leader dies.
    project.run(["pause"]).expect_code(0);
    project.write("there.txt", "here now\n");
    project.run(["retry", "tries"]).expect_code(0);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    goes_on(&project);
    let open = asked(&project);
    // While it is tried again, nothing is told of how it had ended, nor of what that had ended.
    let runs = project.run(["runs", "--json"]).expect_code(0).objects();
    let states: Vec<&str> = runs[0]["leader"]["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| job["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["runs", "runs", "waits"]);
    for id in open {
        project.run(["answer", &id, "allow"]).expect_code(0);
    }
    let ended = leader.wait().expect_code(0);
    for job in ended.summary()["jobs"].as_array().unwrap() {
        assert_eq!(job["end"], "done", "{job}");
    }
    assert_eq!(records(&project, "worker_spawned").len(), 4);
}

#[test]
fn what_was_stopped_before_it_began_or_between_two_tries_stays_so_after_a_resume() {
    let flaky = "[[job]]\nname = \"flaky\"\nretry = { times = 3, wait_s = 600 }\n[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"there.txt\" }\n";
    let job = |name: &str, needs: &str| {
        format!(
            "[[job]]\nname = \"{name}\"\nneeds = [\"{needs}\"]\n[[job.step]]\ntool = \"Write\"\ninput = {{ file_path = \"{name}.txt\", content = \"x\" }}\n"
        )
    };
    let later = job("later", "asks");
    let last = job("last", "later");
    let again = job("again", "asks");
    let project = Project::with_job(&format!("{ASKS}{flaky}{later}{last}{again}"));
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    until("a try has failed", || {
        (records(&project, "worker_ended").len() == 1).then_some(())
    });
    for job in ["flaky", "later", "again"] {
        until("it is stopped", || {
            (project.run(["stop", job]).code == Some(0)).then_some(())
        });
    }
    project.run(["retry", "again"]).expect_code(0);
    kill(leader);
    // However often its leader dies.
    let leader = leads(&project, None, &["--resume", "run-1"]);
    project.questions(1);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    let first = project.questions(1).remove(0);
    project.run(["answer", &first, "allow"]).expect_code(0);
    let next = until("the next one asks", || {
        let open = project.queue();
        let mut ids = open.iter().map(|card| card["id"].as_str().unwrap());
        ids.find(|id| *id != first).map(str::to_owned)
    });
    project.run(["answer", &next, "allow"]).expect_code(0);
    let ended = leader.wait();
    let jobs = ended.summary()["jobs"].clone();
    let ends: Vec<String> = jobs
        .as_array()
        .unwrap()
        .iter()
        .map(|job| format!("{} {}", job["name"], job["end"]).replace('"', ""))
        .collect();
    assert_eq!(
        ends,
        [
            "asks done",
            "flaky stopped",
            "later stopped",
            "last skipped",
            "again done"
        ]
    );
    assert_eq!(ended.code, Some(1));
    assert_eq!(project.read("later.txt"), None);
    assert_eq!(records(&project, "worker_spawned").len(), 3);
}

#[test]
fn law_12_what_was_open_in_a_paused_run_is_open_again_after_a_resume() {
    let project = Project::with_job(ASKS);
    let leader = leads(&project, None, &["job.toml"]);
    let id = project.questions(1).remove(0);
    let deadline = project.queue()[0]["deadline"].clone();
    project.run(["pause"]).expect_code(0);
    kill(leader);
    // However often its leader dies.
    let leader = leads(&project, None, &["--resume", "run-1"]);
    assert_eq!(project.questions(1), [id.as_str()]);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    assert_eq!(project.questions(1), [id.as_str()]);
    assert_eq!(project.queue()[0]["deadline"], deadline);
    // The run is paused still, and the answer counts.
    project.run(["answer", &id, "allow"]).expect_code(0);
    assert_eq!(project.read("asked.txt"), None);
    goes_on(&project);
    leader.wait().expect_code(0);
    assert_eq!(project.read("asked.txt").as_deref(), Some("x"));
    assert_eq!(records(&project, "request_opened").len(), 1);
    assert_eq!(records(&project, "call_started").len(), 1);
    is_whole(&project);
}

const ASK_SIDE_BY_SIDE: &str = r#"
slots = 2
[[job]]
name = "first"
[[job.step]]
tool = "Write"
input = { file_path = "first.txt", content = "asked" }
[[job]]
name = "second"
[[job.step]]
tool = "Write"
input = { file_path = "second.txt", content = "x" }
"#;

/// Whether its leader dies between an answer and the call's next look at it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    GoesOn,
    Dies,
}

#[test]
fn law_9_an_answer_in_a_paused_run_stands_whatever_is_allowed_after_it() {
    let edited = r#"{"file_path":"first.txt","content":"edited"}"#;
    for (answer, then, written) in [
        (&["deny"][..], Then::GoesOn, None),
        (
            &["allow", "--input", edited][..],
            Then::Dies,
            Some("edited"),
        ),
    ] {
        let project = Project::with_job(ASK_SIDE_BY_SIDE);
        hooks_hold_the_first_back(&project);
        let leader = leads(&project, None, &["job.toml"]);
        project.questions(2);
        project.run(["pause"]).expect_code(0);
        kill(leader);
        let leader = leads(&project, None, &["--resume", "run-1"]);
        project.questions(2);
        let first = asked_about(&project, "first.txt");
        let second = asked_about(&project, "second.txt");
        let mut answering = project.command(["answer", &first]);
        assert!(answering.args(answer).status().unwrap().success());
        let leader = match then {
            Then::GoesOn => leader,
            Then::Dies => {
                kill(leader);
                leads(&project, None, &["--resume", "run-1"])
            }
        };
        assert_eq!(project.questions(1), [second.as_str()]);
        let run_wide = ["--always", "run", "--grant", "Edit(/*.txt)"];
        let mut answering = project.command(["answer", &second, "allow"]);
        assert!(answering.args(run_wide).status().unwrap().success());
        project.write("held_back", "");
        goes_on(&project);
        ends(leader);
        let case = format!("{answer:?}, {then:?}");
        assert_eq!(project.read("first.txt").as_deref(), written, "{case}");
        assert_eq!(project.read("second.txt").as_deref(), Some("x"), "{case}");
        assert_eq!(records(&project, "request_opened").len(), 2, "{case}");
        is_whole(&project);
    }
}

/// So that what the second one is granted is in force before the first one's call is looked at again.
fn hooks_hold_the_first_back(project: &Project) {
    let command = "cd \"$CLAUDE_PROJECT_DIR\" && grep -q first.txt && \
        while [ -e held_back ] && [ ! -e second.txt ]; do sleep 0.1; done; exit 0";
    let hook = json!({ "type": "command", "command": command });
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "Write", "hooks": [hook] }] } });
    let folder = project.home().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

/// The id of the open question whose card holds this text.
fn asked_about(project: &Project, text: &str) -> String {
    let open = project.queue();
    let card = open.iter().find(|card| card.to_string().contains(text));
    card.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Waits for the end of a leader that nobody reads.
fn ends(mut leader: Child) {
    until("the run ends", || leader.try_wait().unwrap());
}

#[test]
fn law_10_a_question_whose_file_changed_is_not_open_again_and_an_answer_to_it_hears_why() {
    let project = Project::with_job(
        "[[job]]\nname = \"runs\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"bash run.sh\" }\n",
    );
    project.write("run.sh", "echo kind > ran.txt\n");
    let leader = leads(&project, None, &["job.toml"]);
    let id = project.questions(1).remove(0);
    project.run(["pause"]).expect_code(0);
    kill(leader);
    project.write("run.sh", "echo evil > ran.txt\n");
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    let told = until("the leader is there", || {
        let told = project.run(["answer", &id, "allow"]);
        (!told.err.contains("no leader")).then_some(told)
    });
    let why = "nobody answered r1-1 before its leader died";
    assert!(told.err.contains(why), "{}{}", told.out, told.err);
    assert_ne!(told.code, Some(0));
    goes_on(&project);
    let again = project.questions(1).remove(0);
    assert_ne!(again, id);
    project.run(["answer", &again, "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("ran.txt"), None);
}

#[test]
fn an_agent_that_is_paused_and_does_not_live_again_yet_is_let_go() {
    let project = Project::with_job(ASKS);
    let leader = leads(&project, None, &["job.toml"]);
    project.questions(1);
    project.run(["pause", "w1-1"]).expect_code(0);
    project.run(["pause"]).expect_code(0);
    kill(leader);
    // The run is paused, too: the agent does not live before that is over.
    let leader = leads(&project, None, &["--resume", "run-1"]);
    let let_go = until("the leader is there", || {
        let let_go = project.run(["pause", "--off", "w1-1"]);
        (!let_go.err.contains("no leader")).then_some(let_go)
    });
    let let_go = let_go.expect_code(0);
    assert!(let_go.out.contains("w1-1"), "{}", let_go.out);
    // There is nothing more to let go of.
    project.run(["pause", "--off", "w1-1"]).expect_code(2);
    project.run(["pause", "w1-9"]).expect_code(2);
    let orders = records(&project, "order_given");
    assert_eq!(orders.len(), 3, "{orders:?}");
    assert_eq!(orders[2]["order"]["do"], "let_go");
    kill(leader);
    // It is on record: the next leader does not hold it either.
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    goes_on(&project);
    let id = project.questions(1).remove(0);
    project.run(["answer", &id, "allow"]).expect_code(0);
    leader.wait().expect_code(0);
}

const WAITS_AND_THEN_WRITES: &str = r#"
slots = 1
[[job]]
name = "waits"
allow = ["Bash"]
[[job.step]]
tool = "Bash"
input = { command = "sleep 300" }
[[job]]
name = "writes"
mode = "acceptEdits"
[[job.step]]
tool = "Write"
input = { file_path = "written.txt", content = "x" }
"#;

#[test]
fn law_12_a_paused_run_that_nobody_is_at_is_not_taken_up_to_wait_for_good() {
    let project = Project::with_job(WAITS_AND_THEN_WRITES);
    let mut leader = project.command(["run", "--unattended", "job.toml"]);
    let leader = leader.stdout(Stdio::null()).stderr(Stdio::null());
    let leader = leader.spawn().unwrap();
    is_at_work(&project);
    project.run(["pause", "w1-1"]).expect_code(0);
    project.run(["pause"]).expect_code(0);
    kill(leader);
    let refused = project.run(["run", "--unattended", "--resume", "run-1"]);
    let refused = refused.expect_code(2);
    for told in ["run-1 and w1-1 are paused", "--go-on", "pause --off"] {
        assert!(refused.err.contains(told), "{told}: {}", refused.err);
    }
    project
        .run(["run", "--unattended", "--go-on", "job.toml"])
        .expect_code(2);
    let resumed = [
        "run",
        "--unattended",
        "--json",
        "--go-on",
        "--resume",
        "run-1",
    ];
    let ended = project.run(resumed);
    let jobs = ended.summary()["jobs"].clone();
    assert_eq!(jobs[1]["end"], "done", "{}", ended.err);
    assert_eq!(project.read("written.txt").as_deref(), Some("x"));
    let orders = records(&project, "order_given");
    let orders: Vec<&str> = orders
        .iter()
        .map(|given| given["order"]["do"].as_str().unwrap())
        .collect();
    assert_eq!(orders, ["hold", "pause", "go_on", "let_go"]);
}

const TIMES_OUT_AT_FIRST: &str = r#"
[[job]]
name = "slow"
timeout_s = 5
retry = { times = 1, wait_s = 1 }
allow = ["Bash"]
[[job.step]]
tool = "Bash"
input = { command = "test -e go || sleep 300" }
"#;

#[test]
fn law_20_a_try_that_timed_out_is_followed_by_the_next_under_any_leader() {
    let project = Project::with_job(TIMES_OUT_AT_FIRST);
    let leader = leads(&project, None, &["job.toml"]);
    is_at_work(&project);
    // So that no second try begins before the leader dies.
    project.run(["pause"]).expect_code(0);
    let ends = until("its time is up", || {
        let ends = records(&project, "worker_ended");
        (!ends.is_empty()).then_some(ends)
    });
    assert_eq!(ends[0]["end"], "timed_out");
    kill(leader);
    project.write("go", "");
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    goes_on(&project);
    let ended = leader.wait().expect_code(0);
    assert_eq!(ended.summary()["jobs"][0]["end"], "done");
    assert_eq!(ended.summary()["jobs"][0]["tries"], 2);
}

/// Waits until a call runs; before the first record there is not even a ledger.
fn is_at_work(project: &Project) {
    until("it is at work", || {
        // As a person reads it, there is a head though nothing is below it.
        let log = project.run(["log", "--run", "run-1", "--kind", "call_started", "--json"]);
        (log.code == Some(0) && !log.objects().is_empty()).then_some(())
    });
}

/// Lets a run go on that was paused when its leader died.
pub(super) fn goes_on(project: &Project) {
    until("it goes on", || {
        (project.run(["pause", "--off"]).code == Some(0)).then_some(())
    });
}

const ASKS_TWICE: &str = r#"
[[job]]
name = "asks"
allow = ["Bash(echo *)"]
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "1" }
[[job.step]]
tool = "Bash"
input = { command = "echo never" }
expect = { outcome = "refused_by_rule" }
"#;

#[test]
fn law_14_what_tightened_a_run_binds_it_under_its_next_leader() {
    let project = Project::with_job(ASKS_TWICE);
    let leader = leads(&project, None, &["job.toml"]);
    let asked = project.questions(1).remove(0);
    let deny = ["grants", "tighten", "deny", "Bash(echo never)"];
    project.run(deny).expect_code(0);
    project.run(["pause"]).expect_code(0);
    kill(leader);
    let leader = project.start(["run", "--attended", "--json", "--resume", "run-1"]);
    until("it is paused still", || {
        let runs = project.run(["runs"]);
        runs.out.contains(", paused").then_some(())
    });
    // What was asked before is open again; what comes of the answer waits for the pause's end.
    let id = project.questions(1).remove(0);
    assert_eq!(id, asked);
    project.run(["answer", &id, "allow"]).expect_code(0);
    assert_eq!(project.read("one.txt"), None);
    project.run(["pause", "--off"]).expect_code(0);
    let ended = leader.wait().expect_code(0);
    let told = "the run is paused, as it was when its leader died";
    assert!(ended.err.contains(told), "{}", ended.err);
    assert_eq!(project.read("one.txt").as_deref(), Some("1"));
    assert_eq!(records(&project, "call_started").len(), 1);
}
