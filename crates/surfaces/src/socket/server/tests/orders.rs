//! Orders, and what is shown on order.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_joins_of_a_file_that_is_not_what_was_named() {
    let mut leader = Desk::start().await;
    leader.goes();
    let named = leader.add(&JOBS.replace("name = \"", "name = \"more-"));
    leader.add("# something else\n");
    let other = leader.ask(named).await;
    assert!(
        matches!(&other, Reply::BadInput { text } if text.contains("add it again")),
        "{other:?}"
    );
    let Reply::Status(status) = leader.ask(Ask::Status).await else {
        panic!("no status");
    };
    assert_eq!(status.jobs.len(), 2);
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_reach_the_leader_and_are_on_record() {
    let mut leader = Desk::start().await;
    let status = |reply: Reply| match reply {
        Reply::Status(status) => status,
        other => panic!("{other:?}"),
    };
    leader.goes();
    let paused = Ask::Course {
        worker: None,
        course: CourseWord::Paused,
    };
    // A pause may come before the first job or after it; what counts is that it is heard and told.
    assert!(matches!(leader.ask(paused).await, Reply::Done { .. }));
    let StatusWire { course, jobs, .. } = status(leader.ask(Ask::Status).await);
    assert_eq!(course, CourseWord::Paused);
    assert_eq!(jobs.len(), 2);
    let tighten = |rule: &str| Ask::Tighten {
        behavior: TightenWord::Deny,
        rule: rule.into(),
    };
    let tightened = leader.ask(tighten("Bash(curl *)")).await;
    assert!(matches!(tightened, Reply::Done { .. }), "{tightened:?}");
    let wrong = leader.ask(tighten("Bash(")).await;
    assert!(matches!(wrong, Reply::BadInput { .. }), "{wrong:?}");
    let add = |text: &str| leader.add(text);
    assert!(matches!(
        leader.ask(add("[[job]]")).await,
        Reply::Problems { .. }
    ));
    let taken = leader.ask(add(JOBS)).await;
    assert!(matches!(taken, Reply::NotFound { .. }), "{taken:?}");
    let more = JOBS
        .replace("\"docs\"", "\"more\"")
        .replace("\"late\"", "\"last\"");
    let added = leader.ask(add(&more)).await;
    assert!(
        matches!(&added, Reply::Jobs { jobs } if *jobs == ["more", "last"]),
        "{added:?}"
    );
    let nobody = WorkerId::new(fixture::run(), 99);
    let tell = Ask::Tell {
        worker: nobody,
        text: "hello".into(),
    };
    assert!(matches!(leader.ask(tell).await, Reply::NotFound { .. }));
    let context = Ask::Context { worker: nobody };
    assert!(matches!(leader.ask(context).await, Reply::NotFound { .. }));
    let again = leader.ask(Ask::Retry { jobs: None }).await;
    assert!(matches!(again, Reply::NotFound { .. }), "{again:?}");
    let stop = Ask::Stop {
        worker: None,
        text: Some("enough".into()),
    };
    assert!(matches!(leader.ask(stop).await, Reply::Done { .. }));
    let folder = leader.stop().await;
    let lines = lines_of(&folder);
    for wanted in [
        "pauses the run",
        "adds jobs of more.toml: more, last",
        "enough",
    ] {
        assert!(
            lines.iter().any(|line| line.contains(wanted)),
            "{wanted}: {lines:#?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_waits_is_stopped_by_its_name() {
    let mut leader = Desk::start().await;
    leader.goes();
    // What joins a run that is held waits.
    let paused = Ask::Course {
        worker: None,
        course: CourseWord::Paused,
    };
    assert!(matches!(leader.ask(paused).await, Reply::Done { .. }));
    let more = JOBS
        .replace("\"docs\"", "\"more\"")
        .replace("\"late\"", "\"last\"");
    let added = leader.ask(leader.add(&more)).await;
    assert!(matches!(added, Reply::Jobs { .. }), "{added:?}");
    let stop = |job: &str| Ask::StopJob {
        job: job.into(),
        text: Some("not needed".into()),
        at: Seat::Screen,
    };
    let stopped = leader.ask(stop("more")).await;
    let told = "the job `more` is stopped; it was not at work. What needs it is skipped: last";
    assert!(
        matches!(&stopped, Reply::Done { text } if text == told),
        "{stopped:?}"
    );
    for job in ["more", "none"] {
        let refused = leader.ask(stop(job)).await;
        assert!(matches!(refused, Reply::NotFound { .. }), "{refused:?}");
    }
    let folder = leader.stop().await;
    let told = "a person at the terminal stops the job `more`, which was not at work: not needed";
    let lines = lines_of(&folder);
    assert!(lines.iter().any(|line| line.contains(told)), "{lines:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn law_16_a_context_is_shown_with_the_rule_of_each_file() {
    let mut leader = Desk::start().await;
    let mut events = leader.leader.events();
    leader.goes();
    let worker = loop {
        if let pointsman_swarm::RunEvent::WorkerStarted { lineage, .. } =
            events.recv().await.unwrap()
        {
            break lineage.agent().worker;
        }
    };
    let Reply::Context(card) = leader.ask(Ask::Context { worker }).await else {
        panic!("no context");
    };
    assert_eq!(
        card.digest,
        leader.leader.context(worker).unwrap().context.digest()
    );
    let rule = card
        .rules
        .iter()
        .find(|rule| rule.rule == "Bash(rm *)")
        .unwrap();
    assert_eq!(
        (rule.behavior.as_str(), rule.source.as_str()),
        ("deny", "flagSettings")
    );
    assert_eq!(rule.place.as_deref(), Some("jobs.toml:4:9"));
    let text = crate::render::context_text(&card);
    assert!(text.contains("jobs.toml:4:9"), "{text}");
    leader.stop().await;
}
