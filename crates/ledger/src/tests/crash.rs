use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use pointsman_model::{CallId, Outcome, RequestId, RunId};

use super::{Place, die, sample};
use crate::{
    Filter, Ledger, PastReign, ProcessGroupEnded, ProcessGroupStarted, RecordBody, RecordKind,
    RequestOpened, RequestReopened, RequestShown, RunState, Showing,
};

/// Names the ledger to the child, and tells it that it is the child.
const CHILD: &str = "POINTSMAN_TEST_LEDGER";

/// How often a leader is killed. Each time costs a process.
const KILLS: usize = 8;

/// A process appends as fast as it can, telling each number when its record is on disk, until it is killed.
#[test]
fn kill_9_loses_nothing_that_was_promised() {
    if let Some(path) = std::env::var_os(CHILD) {
        append_until_killed(PathBuf::from(path));
    }
    let place = Place::new();
    for round in 1..=KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "tests::crash::kill_9_loses_nothing_that_was_promised",
            ])
            .arg("--nocapture")
            .env(CHILD, &place.path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("on disk ")?.parse().ok());
        // Killed at a different place each time: while the next group is being written.
        let mut last: u32 = 0;
        for number in told {
            last = number;
            if last as usize >= round * 37 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(last as usize >= round * 37, "the child ended by itself");

        let run = RunId::new(round as u32).unwrap();
        let reader = place.reader();
        assert_eq!(
            reader.runs().unwrap()[round - 1].state,
            RunState::Interrupted
        );
        let kept = reader
            .records(&Filter {
                kinds: vec![RecordKind::CallRequested],
                ..Filter::of_run(run)
            })
            .unwrap();
        assert!(kept.unreadable.is_empty());
        assert!(
            kept.records.len() >= last as usize,
            "{last} were promised, {} are there",
            kept.records.len()
        );
        assert!(reader.verify().unwrap().is_sound());

        let (ledger, report) = place.open();
        assert_eq!(report.dead.len(), 1);
        assert_eq!(report.dead[0].run, run);
        assert_eq!(report.dead[0].not_started.len(), kept.records.len());
        assert!(report.damaged.is_empty() && report.set_aside.is_none());
        drop(ledger);
    }
    assert!(place.reader().verify().unwrap().is_sound());
}

fn append_until_killed(path: PathBuf) -> ! {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (ledger, _) = Ledger::open(&path, sample::clock()).unwrap();
        let run = ledger.begin_run(sample::run_start()).await.unwrap();
        for number in 1..=u32::MAX {
            let call = sample::requested(CallId::new(run, number));
            ledger.append(run, call).await.unwrap();
            println!("on disk {number}");
        }
        unreachable!("it is killed long before")
    })
}

#[tokio::test]
async fn what_a_dead_leader_left_open_is_closed_and_told() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = |number| CallId::new(run, number);
    let request = |number| RequestId::new(run, number);
    // 1 is done, 2 runs, 3 waits for an answer, 4 has its answer and waits for its turn.
    for number in 1..=4 {
        let asked = sample::requested(call(number));
        ledger.append(run, asked).await.unwrap();
    }
    ledger.append(run, sample::started(call(1))).await.unwrap();
    ledger
        .append(run, sample::ended(call(1), None))
        .await
        .unwrap();
    ledger.append(run, sample::started(call(2))).await.unwrap();
    let group = ProcessGroupStarted {
        worker: Some(sample::worker(run)),
        call: Some(call(2)),
        group: sample::group(),
        program: "sleep".into(),
    };
    ledger.append(run, group.clone()).await.unwrap();
    for (id, of) in [(1, 3), (2, 4)] {
        let opened = sample::opened(request(id), call(of));
        ledger.append(run, opened).await.unwrap();
    }
    ledger
        .append(run, sample::closed(request(2), call(4)))
        .await
        .unwrap();
    assert_eq!(place.reader().open_requests().unwrap().len(), 1);
    die(ledger).await;
    assert!(place.reader().open_requests().unwrap().is_empty());

    let (ledger, report) = place.open();
    let dead = &report.dead[0];
    assert_eq!(dead.requests, [sample::request(request(1), call(3))]);
    assert_eq!(dead.not_started, [call(3), call(4)]);
    assert_eq!(dead.unknown, [call(2)]);
    assert_eq!(report.groups, std::slice::from_ref(&group));

    let reader = place.reader();
    let third = reader.call_story(call(3)).unwrap().unwrap();
    let verdict = &third.requests[0].closed.as_ref().unwrap().verdict;
    assert_eq!(verdict.outcome(), Outcome::Interrupted);
    assert_eq!(third.ended.unwrap().1.outcome, Some(Outcome::Interrupted));
    let second = reader.call_story(call(2)).unwrap().unwrap();
    assert!(second.unknown.is_some() && second.ended.is_none());
    assert!(reader.verify().unwrap().is_sound());

    // Until somebody says that the group is gone it is told at each start; the rest is told once.
    let again = ledger.begin_run(sample::run_start()).await.unwrap();
    let (other, report) = place.open();
    assert!(report.dead.is_empty());
    assert_eq!(report.groups, std::slice::from_ref(&group));
    drop(other);
    let reaped = ProcessGroupEnded {
        call: group.call,
        group: group.group,
        text: "reaped".into(),
    };
    ledger.append(again, reaped).await.unwrap();
    let (_, report) = place.open();
    assert!(report.groups.is_empty());
    assert!(place.reader().verify().unwrap().is_sound());
}

#[tokio::test]
async fn a_resumed_run_gets_its_questions_back_and_repeats_nothing() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = |number| CallId::new(run, number);
    let request = |number| RequestId::new(run, number);
    for number in 1..=3 {
        let asked = sample::requested(call(number));
        ledger.append(run, asked).await.unwrap();
    }
    ledger.append(run, sample::started(call(1))).await.unwrap();
    ledger
        .append(run, sample::ended(call(1), None))
        .await
        .unwrap();
    ledger.append(run, sample::started(call(2))).await.unwrap();
    let opened = sample::opened(request(5), call(3));
    ledger.append(run, opened.clone()).await.unwrap();
    die(ledger).await;

    // Another start has closed it as interrupted; that does not keep anyone from taking it up.
    let (ledger, report) = place.open();
    assert_eq!(report.dead[0].requests.len(), 1);
    let resumed = ledger.hold_run(run).await.unwrap().resume().await.unwrap();
    assert_eq!(resumed.epoch, 2);
    assert_eq!(resumed.open, [opened]);
    assert_eq!(resumed.unknown, [call(2)]);
    assert_eq!(resumed.ended, [call(1)], "call 3 never started");
    assert_eq!((resumed.highest.call, resumed.highest.request), (3, 5));
    assert!(place.reader().verify().unwrap().is_sound());
}

#[tokio::test]
async fn each_reign_tells_what_it_showed_and_how_long_it_is_known_to_have_lived() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = |number| CallId::new(run, number);
    let request = |number| RequestId::new(run, number);
    let after_checks = RequestOpened {
        showing: Showing::AfterChecks,
        ..sample::opened(request(2), call(2))
    };
    let shown = |number| RequestShown {
        request: request(number),
        call: call(number),
    };
    let reopened = |number| RequestReopened {
        request: request(number),
        call: call(number),
    };
    let bodies: [RecordBody; 4] = [
        sample::requested(call(1)).into(),
        sample::opened(request(1), call(1)).into(),
        after_checks.into(),
        sample::started(call(3)).into(),
    ];
    for body in bodies {
        ledger.append(run, body).await.unwrap();
    }
    die(ledger).await;
    let now = place.reader().reigns(run).unwrap();
    // Found dead by one leader, taken up by the next.
    let (ledger, report) = place.open();
    assert_eq!(report.dead.len(), 1);
    assert_eq!(
        place.reader().reigns(run).unwrap(),
        now,
        "what closes it counts for nothing"
    );
    ledger.hold_run(run).await.unwrap().resume().await.unwrap();
    for body in [
        RecordBody::from(reopened(1)),
        reopened(2).into(),
        shown(2).into(),
    ] {
        ledger.append(run, body).await.unwrap();
    }
    let reigns = place.reader().reigns(run).unwrap();
    let ids =
        |reign: &PastReign| -> Vec<u32> { reign.shown.iter().map(|(id, _)| id.number()).collect() };
    assert_eq!(
        reigns.iter().map(ids).collect::<Vec<_>>(),
        [vec![1], vec![1, 2]]
    );
    let at_of = |kind: RecordKind| {
        let kinds = vec![kind];
        let list = place.reader().records(&Filter {
            kinds,
            ..Filter::of_run(run)
        });
        list.unwrap().records.last().unwrap().at
    };
    let last: Vec<_> = reigns.iter().map(|reign| reign.last_at).collect();
    assert_eq!(
        last,
        [
            at_of(RecordKind::CallStarted),
            at_of(RecordKind::RequestShown)
        ]
    );
    assert_eq!(reigns[1].shown[1].1, last[1]);
    let other = RunId::new(9).unwrap();
    assert_eq!(place.reader().reigns(other).unwrap(), []);
}
