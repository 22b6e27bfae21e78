//! Nobody there: everything that would be asked is refused at once, said, and counted.

use pointsman_model::{Attended, Outcome};
use pointsman_policy::settings::Whose;
use pointsman_swarm::{ExitCode, Leader, StartError};

use pointsman_testkit::{Operator, Reply};

use super::stage::{Stage, in_time};

#[tokio::test(flavor = "multi_thread")]
async fn law_12_every_question_is_refused_at_once_and_the_census_names_each() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Bash"
input = { command = "make install" }
[[job.step]]
tool = "Glob"
input = { pattern = "*" }
[[job.step]]
tool = "Agent"
input = { subagent_type = "asker", prompt = "ask" }

[[job]]
name = "proud"
mode = "dontAsk"
step = [{ tool = "Bash", input = { command = "make proud" } }]

[[job]]
name = "denied"
deny = ["Bash(make *)"]
step = [{ tool = "Bash", input = { command = "make denied" } }]

[agents.asker]
step = [{ tool = "Bash", input = { command = "touch never" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(summary.exit, ExitCode::Unanswered);
    assert!(
        summary.jobs.iter().all(|job| job.end.as_str() == "done"),
        "{summary:#?}"
    );
    let mut census: Vec<String> = summary
        .census
        .iter()
        .map(|line| {
            let rule = line.rule.as_ref().map_or("no rule", |rule| rule.as_str());
            format!(
                "{}: {} `{}` {}, {rule}",
                line.lineage, line.tool, line.what, line.outcome
            )
        })
        .collect();
    census.sort();
    assert_eq!(
        census,
        [
            "asks › asker: Bash `touch never` nobody_can_answer, Bash(touch never)",
            "asks: Bash `make install` nobody_can_answer, Bash(make install)",
            "proud: Bash `make proud` refused, Bash(make proud)",
        ]
    );
    assert!(!stage.file("never").exists());
    // What the mode lets nobody be asked for is unanswered everywhere; a rule's no is not.
    let counts = summary.counts;
    assert_eq!((counts.unanswered, counts.refused), (3, 1));
    assert!(
        summary
            .census
            .iter()
            .all(|line| line.outcome != Outcome::Allowed)
    );
    stage.check_ledger();
}

/// What the census names is enough: with those rules the same run has nothing left to ask.
#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_the_census_let_the_next_run_through() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "asks"
step = [
  { tool = "Bash", input = { command = "test -d . && touch made" } },
  { tool = "Write", input = { file_path = "new.txt", content = "x" } },
]
"#;
    let first = stage.run_unattended(jobs).await;
    assert_eq!(first.exit, ExitCode::Unanswered);
    let rules: Vec<String> = first
        .census
        .iter()
        .map(|line| format!("{:?}", line.rule.as_ref().unwrap().as_str()))
        .collect();
    let jobs = format!("[defaults]\nallow = [{}]\n{jobs}", rules.join(", "));
    let second = stage.run_unattended(&jobs).await;
    assert_eq!((second.exit, second.census.len()), (ExitCode::Done, 0));
    assert!(stage.file("made").exists() && stage.file("new.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn law_7_a_deny_that_cannot_be_read_stops_an_unattended_start() {
    let stage = Stage::new();
    let jobs = "[[job]]\nname = \"a\"\nstep = [{ tool = \"Glob\", input = { pattern = \"*\" } }]\n";
    let settings = stage.project().join(".claude/settings.json");
    let load = || {
        use pointsman_policy::settings::{MemoryFiles, SettingsPlaces, load};
        let text = r#"{ "permissions": { "deny": ["Bash(rm"] } }"#;
        let places = SettingsPlaces::of_project(stage.project(), stage.project().join("home"));
        load(&places, &MemoryFiles::new().with(settings.clone(), text))
    };
    let mut options = stage.options(jobs, Attended::No);
    options.loaded = load();
    let error = Leader::start(options)
        .await
        .err()
        .expect("it must not start");
    assert!(matches!(error, StartError::Settings { .. }), "{error}");

    let mut options = stage.options(jobs, Attended::Yes);
    options.loaded = load();
    let (handle, leader) = Leader::start(options).await.unwrap();
    assert!(!leader.problems().is_empty());
    // With someone there it starts, and asks even for what would pass otherwise.
    let operator =
        tokio::spawn(Operator::new(handle.requests().clone(), |_| Reply::allow()).work());
    assert_eq!(in_time(leader.finish()).await.exit, ExitCode::Done);
    assert_eq!(in_time(operator).await.unwrap().seen.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn law_7_a_managed_lock_takes_the_allow_rules_of_job_files_away() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "locked"
allow = ["Bash(touch *)"]
step = [{ tool = "Bash", input = { command = "touch made" } }]
"#;
    assert_eq!(stage.run_unattended(jobs).await.exit, ExitCode::Done);
    let mut options = stage.options(jobs, Attended::No);
    options.loaded.switches.allow_rules = Whose::ManagedOnly;
    let (_handle, leader) = Leader::start(options).await.unwrap();
    let told: Vec<&str> = leader.problems().iter().map(|it| &*it.message).collect();
    assert_eq!(told, ["the allow rule `Bash(touch *)` doesn't count"]);
    assert_eq!(in_time(leader.finish()).await.exit, ExitCode::Unanswered);
}
