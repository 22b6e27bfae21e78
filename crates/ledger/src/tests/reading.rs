use pointsman_model::{
    CallId, DecisionReason, NoVoteCause, Outcome, PermissionDecision, RequestId, VerdictKind,
};

use super::{Place, sample};
use crate::{
    Filter, LateAnswer, Lateness, LedgerReader, Pages, ReadError, RecordBody, RecordKind,
    RecordList, RequestShown, Seq,
};

#[tokio::test]
async fn filters_give_what_they_say() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let mut seqs = Vec::new();
    for number in 1..=3 {
        let call = CallId::new(run, number);
        seqs.push(ledger.append(run, sample::requested(call)).await.unwrap());
        seqs.push(ledger.append(run, sample::ended(call, None)).await.unwrap());
    }
    let reader = place.reader();
    let found = |filter: Filter| -> Vec<Seq> {
        let list = reader.records(&filter).unwrap();
        list.records.iter().map(|record| record.seq).collect()
    };
    assert_eq!(found(Filter::of_call(CallId::new(run, 2))), seqs[2..4]);
    let requested = Filter {
        kinds: vec![RecordKind::CallRequested],
        ..Filter::of_run(run)
    };
    assert_eq!(found(requested), [seqs[0], seqs[2], seqs[4]]);
    let of_worker = Filter {
        worker: Some(sample::worker(run)),
        ..Filter::default()
    };
    assert_eq!(found(of_worker), seqs);
}

/// Two runs at once, more records each than a page has, a page of them that can't be read.
#[tokio::test]
async fn a_long_run_is_read_page_by_page_each_record_once() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let other = ledger.begin_run(sample::run_start()).await.unwrap();
    for number in 1..=700 {
        for run in [run, other] {
            let call = CallId::new(run, number);
            ledger.note(run, sample::requested(call)).await.unwrap();
        }
    }
    ledger.settle(run).await.unwrap();
    ledger.close().await;
    place
        .raw()
        .execute(
            "WITH RECURSIVE dreams (n) AS (SELECT 702 UNION ALL SELECT n + 1 FROM dreams WHERE n < 1100)
             INSERT INTO records (run, number, at, kind, worker, body, prev, hash)
             SELECT ?1, n, 0, 'dreamt', 1, '{\"kind\":\"dreamt\"}', zeroblob(32), zeroblob(32) FROM dreams",
            [run.number()],
        )
        .unwrap();
    place
        .raw()
        .execute(
            "INSERT INTO records SELECT seq + 10000, run, number + 10000, at, kind, worker, call, request, body, prev, hash
             FROM records WHERE run = ?1 AND kind = 'call_requested'",
            [run.number()],
        )
        .unwrap();
    let requested = vec![RecordKind::CallRequested];
    let reader = place.reader();
    let cases = [
        (Filter::default(), 1 + 1_400 + 1 + 700, 399),
        (Filter::of_run(run), 1 + 1_400, 399),
        (Filter::of_run(other), 1 + 700, 0),
        (
            Filter {
                kinds: requested,
                ..Filter::of_run(run)
            },
            1_400,
            0,
        ),
        (
            Filter {
                worker: Some(sample::worker(run)),
                ..Filter::of_run(run)
            },
            1_400,
            399,
        ),
    ];
    for (filter, readable, unreadable) in cases {
        let all = reader.records(&filter).unwrap();
        let counted = (all.records.len(), all.unreadable.len());
        assert_eq!(counted, (readable, unreadable), "{filter:?}");

        let mut each = RecordList::default();
        let left_out = reader.each(&filter, |record| each.records.push(record));
        each.unreadable = left_out.unwrap();
        assert_eq!(each, all, "{filter:?}");

        let mut pages = Pages::of(filter.clone());
        let mut paged = RecordList::default();
        while let Some(page) = pages.next(&reader).unwrap() {
            paged.records.extend(page.records);
            paged.unreadable.extend(page.unreadable);
        }
        assert_eq!(paged, all, "{filter:?}");
    }
}

#[tokio::test]
async fn pages_go_on_with_what_was_written_since() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let reader = place.reader();
    let mut pages = Pages::of(Filter::of_run(run));
    let mut next = || {
        let page = pages.next(&reader).unwrap();
        page.map(|page| page.records.len())
    };
    assert_eq!((next(), next()), (Some(1), None));
    let requested = sample::requested(CallId::new(run, 1));
    ledger.append(run, requested).await.unwrap();
    assert_eq!((next(), next()), (Some(1), None));
}

#[tokio::test]
async fn the_story_of_a_call_tells_all_that_happened_to_it() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let (call, request) = (CallId::new(run, 1), RequestId::new(run, 1));
    let shown = RequestShown { request, call };
    let late = LateAnswer {
        request,
        call,
        by: sample::closed(request, call).verdict.by,
        answer: sample::closed(request, call).verdict.kind,
        lateness: Lateness::SameAgain,
        number: 1,
    };
    let bodies: Vec<RecordBody> = vec![
        sample::requested(call).into(),
        sample::decided(call, PermissionDecision::Ask).into(),
        sample::opened(request, call).into(),
        shown.into(),
        sample::closed(request, call).into(),
        sample::started(call).into(),
        late.clone().into(),
        sample::ended(call, None).into(),
        sample::requested(CallId::new(run, 2)).into(),
    ];
    for body in bodies {
        ledger.append(run, body).await.unwrap();
    }
    let story = place.reader().call_story(call).unwrap().unwrap();
    assert_eq!(story.records.records.len(), 8);
    assert_eq!(story.requested, Some(sample::requested(call)));
    assert_eq!(
        story.decided,
        [sample::decided(call, PermissionDecision::Ask)]
    );
    let asked = &story.requests[0];
    assert_eq!(asked.opened, sample::opened(request, call));
    assert!(asked.shown_at.is_some());
    assert_eq!(asked.closed, Some(sample::closed(request, call)));
    assert_eq!(asked.late, [late]);
    assert!(story.started.unwrap().0 < story.ended.unwrap().0);
    let unknown = place.reader().call_story(CallId::new(run, 9)).unwrap();
    assert!(unknown.is_none());
}

#[tokio::test]
async fn the_census_lists_what_was_refused_for_want_of_an_answer_and_nothing_else() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let dont_ask = {
        let mut decided = sample::decided(CallId::new(run, 5), PermissionDecision::Deny);
        decided.judgement.reason = DecisionReason::DontAsk {
            question: Box::new(decided.judgement.reason.clone()),
        };
        decided
    };
    let cases = [
        (Outcome::NobodyCanAnswer, true),
        (Outcome::DeniedByPerson, false),
        (Outcome::Expired, true),
        (Outcome::Refused, false),
        (Outcome::Refused, true),
        (Outcome::Unavailable, true),
        (Outcome::Cancelled, false),
    ];
    let mut expected = Vec::new();
    for (at, (outcome, listed)) in cases.into_iter().enumerate() {
        let call = CallId::new(run, at as u32 + 1);
        let decided = if call == dont_ask.call.id {
            dont_ask.clone()
        } else {
            sample::decided(call, PermissionDecision::Ask)
        };
        ledger.append(run, decided).await.unwrap();
        let ended = sample::ended(call, Some(outcome));
        ledger.append(run, ended).await.unwrap();
        if listed {
            expected.push((call, outcome));
        }
    }
    // Of those that the classifier did not judge it says why.
    let mut unjudged = vec![None; expected.len()];
    for (at, cause) in NoVoteCause::ALL.into_iter().enumerate() {
        let call = CallId::new(run, at as u32 + 20);
        let decided = sample::decided(call, PermissionDecision::Ask);
        ledger.append(run, decided).await.unwrap();
        let mut closed = sample::closed(RequestId::new(run, at as u32 + 1), call);
        let text = "so it is".into();
        closed.verdict.kind = VerdictKind::Unjudged { cause, text };
        ledger.append(run, closed).await.unwrap();
        let ended = sample::ended(call, Some(cause.outcome()));
        ledger.append(run, ended).await.unwrap();
        expected.push((call, cause.outcome()));
        unjudged.push(Some(cause));
    }
    let mut census = Vec::new();
    let reader = place.reader();
    reader.census(run, |row| census.push(row)).unwrap();
    let causes: Vec<_> = census.iter().map(|row| row.unjudged).collect();
    assert_eq!(causes, unjudged);
    let listed: Vec<_> = census.iter().map(|row| (row.call, row.outcome)).collect();
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn a_record_of_a_kind_that_is_not_known_here_blocks_nothing_else() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = CallId::new(run, 1);
    ledger.append(run, sample::requested(call)).await.unwrap();
    ledger.close().await;
    place
        .raw()
        .execute(
            "INSERT INTO records (run, number, at, kind, call, body, prev, hash)
             VALUES (1, 3, 0, 'dreamt', 1, '{\"kind\":\"dreamt\"}', zeroblob(32), zeroblob(32))",
            [],
        )
        .unwrap();
    let list = place.reader().records(&Filter::of_call(call)).unwrap();
    assert_eq!(list.records.len(), 1);
    assert_eq!(list.unreadable.len(), 1);
    assert!(place.reader().call_story(call).unwrap().is_some());
}

#[test]
fn a_missing_a_foreign_and_a_newer_ledger_are_told_apart() {
    let place = Place::new();
    let error = |place: &Place| LedgerReader::open(&place.path).err().unwrap();
    assert!(matches!(error(&place), ReadError::Missing(_)));

    std::fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    place.raw().execute("CREATE TABLE songs (x)", []).unwrap();
    assert!(matches!(error(&place), ReadError::Foreign(_)));

    std::fs::remove_file(&place.path).unwrap();
    drop(place.open());
    let raw = place.raw();
    raw.pragma_update(None, "user_version", 7).unwrap();
    assert!(matches!(error(&place), ReadError::Newer { version: 7, .. }));
}
