use pointsman_ledger::{OrderGiven, Seq};
use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, Digest, HandlerKind, LineageStep, ModeInForce, Origin,
    Surface, ToolSet,
};

use super::*;
use crate::fixture;

fn step(worker: u32, label: &str) -> LineageStep {
    LineageStep {
        worker: WorkerId::new(fixture::run(), worker),
        label: label.into(),
        agent: AgentName::new("steps"),
    }
}

fn spawned(name: &str) -> LedgerRecord {
    spawn(Lineage::root(step(1, name)))
}

fn spawn(lineage: Lineage) -> LedgerRecord {
    record(WorkerSpawned {
        lineage,
        task: "t".into(),
        origin: Origin::Foreground,
        call: None,
        mode: ModeInForce::root(PermissionMode::Default),
        tools: ToolSet::All,
        folder: AbsPath::parse("/w/proj").unwrap(),
        handler: HandlerKind::Coordinator,
        context: Digest::of(b"context"),
        attended: Attended::Yes,
        depth_left: 2,
    })
}

fn ordered(order: RunOrder) -> LedgerRecord {
    record(OrderGiven {
        by: Answerer::Person {
            surface: Surface::Command,
        },
        order,
    })
}

fn record(body: impl Into<RecordBody>) -> LedgerRecord {
    LedgerRecord {
        seq: Seq(1),
        run: fixture::run(),
        number: 1,
        at: WallTime(1_000),
        body: body.into(),
        prev: Digest::of(b"before"),
        hash: Digest::of(b"this"),
    }
}

/// A job's worker, one below it, and another job's worker.
fn three() -> Roster {
    let mut roster = Roster::new(&["docs".into(), "site".into()]);
    let docs = || Lineage::root(step(1, "docs"));
    for lineage in [
        docs(),
        docs().child(step(2, "links")),
        Lineage::root(step(3, "site")),
    ] {
        roster.record(&spawn(lineage));
    }
    roster
}

fn of_each<T>(roster: &Roster, what: impl Fn(&Agent) -> T) -> Vec<T> {
    roster.agents.values().map(what).collect()
}

#[test]
fn a_paused_run_holds_every_agent_and_a_paused_agent_those_below_it() {
    let worker = WorkerId::new(fixture::run(), 1);
    let mut roster = three();
    for (order, paused, held) in [
        (RunOrder::Pause, true, [true; 3]),
        (RunOrder::Hold { worker }, true, [true; 3]),
        (RunOrder::GoOn, false, [true, true, false]),
        (RunOrder::LetGo { worker }, false, [false; 3]),
    ] {
        let told = format!("{order:?}");
        roster.record(&ordered(order));
        assert_eq!(roster.is_paused(), paused, "{told}");
        assert_eq!(
            of_each(&roster, |agent| roster.is_held(agent)),
            held,
            "{told}"
        );
    }
}

#[test]
fn a_lowered_mode_is_that_of_the_agents_it_reaches_and_of_those_that_come_later() {
    use PermissionMode::{AcceptEdits, Default, DontAsk, Plan};
    let lower = |worker: Option<u32>, mode| {
        let worker = worker.map(|number| WorkerId::new(fixture::run(), number));
        ordered(RunOrder::LowerMode { worker, mode })
    };
    let mut roster = three();
    let modes = |roster: &Roster| of_each(roster, |agent| agent.mode);
    roster.record(&lower(Some(1), DontAsk));
    assert_eq!(modes(&roster), [DontAsk, DontAsk, Default]);
    roster.record(&lower(Some(2), Plan));
    assert_eq!(modes(&roster), [DontAsk, Plan, Default]);
    // What trusts more than they do changes nothing.
    roster.record(&lower(None, AcceptEdits));
    assert_eq!(modes(&roster), [DontAsk, Plan, Default]);
    let below = Lineage::root(step(1, "docs")).child(step(4, "more"));
    roster.record(&spawn(below));
    assert_eq!(modes(&roster), [DontAsk, Plan, Default, DontAsk]);
}

/// News of the run overtake the records: a short job has ended before its beginning is heard of.
#[test]
fn a_job_whose_end_is_known_before_its_beginning_has_ended() {
    let job: std::sync::Arc<str> = "docs".into();
    let ended = RunEvent::JobEnded {
        job: job.clone(),
        end: JobEnd::Done {
            summary: "done".into(),
        },
    };
    let started = RunEvent::JobStarted {
        job,
        attempt: 2,
        worker: WorkerId::new(fixture::run(), 1),
    };
    let mut roster = Roster::new(&["docs".into()]);
    roster.run_event(&ended);
    roster.record(&spawned("docs"));
    assert_eq!(roster.progress().done, 1);
    // Tried again, it has not.
    roster.run_event(&started);
    assert_eq!(roster.progress().done, 0);
}

#[test]
fn an_agent_that_is_paused_while_it_asks_is_listed_as_both() {
    let asks = Lineage::root(step(1, "docs"));
    let mut workers = crate::workers::Workers::default();
    workers.record(&spawn(asks.clone()));
    workers.record(&record(pointsman_ledger::RequestOpened {
        request: pointsman_model::PermissionRequest {
            lineage: asks,
            ..fixture::request(1, "make")
        },
        showing: pointsman_ledger::Showing::AtOnce,
    }));
    let row = |workers: &crate::workers::Workers| workers.rows(WallTime(2_000)).remove(0);
    assert_eq!(row(&workers).words(), "waits for you");
    workers.record(&ordered(RunOrder::Hold {
        worker: WorkerId::new(fixture::run(), 1),
    }));
    let held = row(&workers);
    assert_eq!((held.words(), held.paused), ("paused, waits for you", true));
    assert_eq!(held.what, "r3-1");
}
