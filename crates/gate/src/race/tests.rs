use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use pointsman_approvals::Answered;
use pointsman_ledger::Showing;
use pointsman_model::{Answerer, Insistence, Outcome, VerdictKind};
use tokio::sync::{Notify, Semaphore};

use super::*;
use crate::fixture::{Ground, a_person, allow, deny};

/// An answerer that speaks when it is let, and keeps count of what becomes of it.
struct Scripted {
    word: Word,
    gate: Semaphore,
    began: Notify,
    running: Arc<AtomicU32>,
    told: std::sync::Mutex<Vec<Outcome>>,
}

impl Scripted {
    fn new(word: Word, running: &Arc<AtomicU32>) -> Arc<Self> {
        Arc::new(Self {
            word,
            gate: Semaphore::new(0),
            began: Notify::new(),
            running: Arc::clone(running),
            told: std::sync::Mutex::default(),
        })
    }
}

/// Counts who is at it; the count falls when the answer comes and when it is dropped.
struct AtIt(Arc<AtomicU32>);

impl Drop for AtIt {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Answers for Scripted {
    async fn answer(&self, _request: &PermissionRequest) -> Word {
        self.running.fetch_add(1, Ordering::SeqCst);
        let _at_it = AtIt(Arc::clone(&self.running));
        self.began.notify_one();
        self.gate.acquire().await.unwrap().forget();
        self.word.clone()
    }

    fn told(&self, verdict: &Verdict) {
        self.told.lock().unwrap().push(verdict.outcome());
    }
}

fn named(name: &str) -> Answerer {
    Answerer::Hook { name: name.into() }
}

fn says(name: &str, kind: VerdictKind) -> Word {
    Word::Answer {
        by: named(name),
        kind,
    }
}

struct Run {
    ground: Ground,
    id: pointsman_model::RequestId,
    running: Arc<AtomicU32>,
    contenders: Vec<Arc<Scripted>>,
    race: tokio::task::JoinHandle<Verdict>,
}

/// A race whose contenders have all begun.
async fn started(words: Vec<Word>, insistence: Insistence) -> Run {
    let ground = Ground::new().await;
    let mut request = ground.request("ls");
    request.judgement.insistence = insistence;
    let id = request.id;
    let running = Arc::new(AtomicU32::new(0));
    let contenders: Vec<_> = words
        .into_iter()
        .map(|word| Scripted::new(word, &running))
        .collect();
    let mut ticket = ground
        .requests
        .open(request.clone(), Showing::AtOnce)
        .await
        .unwrap();
    let race = Race::new(
        ground.requests.clone(),
        Arc::new(request),
        contenders
            .iter()
            .map(|contender| -> Arc<dyn Answers> { Arc::clone(contender) as _ })
            .collect(),
    );
    let race = tokio::spawn(async move { race.run(&mut ticket).await });
    for contender in &contenders {
        contender.began.notified().await;
    }
    Run {
        ground,
        id,
        running,
        contenders,
        race,
    }
}

#[tokio::test]
async fn law_9_whoever_is_first_wins_and_the_losers_are_cancelled_joined_and_told() {
    for first in 0..3 {
        let words = (0..3).map(|n| says(&format!("h{n}"), allow())).collect();
        let run = started(words, Insistence::MayBeAnswered).await;
        run.contenders[first].gate.add_permits(1);
        let verdict = run.race.await.unwrap();
        assert_eq!(verdict.by, named(&format!("h{first}")));
        assert_eq!(run.running.load(Ordering::SeqCst), 0, "a loser still runs");
        for contender in &run.contenders {
            assert_eq!(*contender.told.lock().unwrap(), [Outcome::Allowed]);
        }
    }
}

#[tokio::test]
async fn law_9_a_person_takes_part_and_a_later_answer_hears_who_won() {
    let run = started(vec![says("h", allow())], Insistence::MayBeAnswered).await;
    let won = run.ground.person(run.id, deny("no")).await;
    assert!(matches!(won, Answered::Won(_)));
    let verdict = run.race.await.unwrap();
    assert_eq!(
        (verdict.outcome(), verdict.by),
        (Outcome::DeniedByPerson, a_person())
    );
    assert_eq!(run.running.load(Ordering::SeqCst), 0);
    let late = run.ground.person(run.id, allow()).await;
    assert!(matches!(late, Answered::Conflict { winner } if winner.by == a_person()));
    let again = run.ground.person(run.id, deny("no")).await;
    assert!(matches!(again, Answered::SameAgain { .. }));
}

#[tokio::test]
async fn law_13_after_a_touch_automatic_answers_are_dropped() {
    let words = vec![says("h", allow())];
    let run = started(words, Insistence::MayBeAnswered).await;
    let mut events = run.ground.requests.subscribe();
    run.ground.requests.touch(run.id).await;
    while !matches!(
        events.next().await.unwrap(),
        pointsman_approvals::RequestEvent::Touched { .. }
    ) {}
    run.contenders[0].gate.add_permits(1);
    // The contender is through when its place is free, and the person decides.
    while run.running.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(
        run.ground.person(run.id, deny("mine")).await,
        Answered::Won(_)
    ));
    assert_eq!(run.race.await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_15_after_a_failed_guard_no_automatic_yes_counts() {
    let guard = Word::OnlyPeople {
        why: "broken".into(),
    };
    let run = started(vec![guard, says("h", allow())], Insistence::MayBeAnswered).await;
    for contender in &run.contenders {
        contender.gate.add_permits(1);
        while run.running.load(Ordering::SeqCst) == 2 {
            tokio::task::yield_now().await;
        }
    }
    while run.running.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(
        run.ground.person(run.id, allow()).await,
        Answered::Won(_)
    ));
    assert_eq!(run.race.await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_2_a_classifier_does_not_discharge_what_must_be_asked() {
    let word = Word::Answer {
        by: Answerer::Classifier { name: "c".into() },
        kind: allow(),
    };
    let run = started(vec![word], Insistence::MustAsk).await;
    let mut events = run.ground.requests.subscribe();
    run.contenders[0].gate.add_permits(1);
    // Its word is put on the dialog instead.
    while !matches!(
        events.next().await.unwrap(),
        pointsman_approvals::RequestEvent::Advised { .. }
    ) {}
    assert!(matches!(
        run.ground.person(run.id, deny("no")).await,
        Answered::Won(_)
    ));
    assert_eq!(run.race.await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_21_dropping_the_race_cancels_the_contenders_and_withdraws_the_request() {
    let run = started(vec![says("h", allow())], Insistence::MayBeAnswered).await;
    let mut events = run.ground.requests.subscribe();
    run.race.abort();
    assert!(run.race.await.unwrap_err().is_cancelled());
    let outcome = loop {
        if let pointsman_approvals::RequestEvent::Closed { verdict, .. } =
            events.next().await.unwrap()
        {
            break verdict.outcome();
        }
    };
    assert_eq!(outcome, Outcome::Cancelled);
    while run.running.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
}

/// An answerer that breaks down.
struct Broken;

#[async_trait]
impl Answers for Broken {
    async fn answer(&self, _request: &PermissionRequest) -> Word {
        panic!("broken on purpose")
    }
    fn told(&self, _verdict: &Verdict) {}
}

/// Says yes once nobody else holds what it was given.
struct SaysYesLast(Arc<Semaphore>);

#[async_trait]
impl Answers for SaysYesLast {
    async fn answer(&self, _request: &PermissionRequest) -> Word {
        self.0.acquire().await.unwrap().forget();
        says("h", allow())
    }
    fn told(&self, _verdict: &Verdict) {}
}

#[tokio::test]
async fn law_15_after_an_answerer_broke_down_no_automatic_yes_counts() {
    let ground = Ground::new().await;
    let request = ground.request("ls");
    let id = request.id;
    let opened = ground.requests.open(request.clone(), Showing::AtOnce);
    let mut ticket = opened.await.unwrap();
    let last = Arc::new(Semaphore::new(0));
    let contenders: Vec<Arc<dyn Answers>> =
        vec![Arc::new(Broken), Arc::new(SaysYesLast(Arc::clone(&last)))];
    let race = Race::new(ground.requests.clone(), Arc::new(request), contenders);
    let race = tokio::spawn(async move { race.run(&mut ticket).await });
    // One thread runs them all: when the other has heard this, the first has broken down.
    tokio::task::yield_now().await;
    last.add_permits(1);
    while last.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(ground.person(id, allow()).await, Answered::Won(_)));
    assert_eq!(race.await.unwrap().by, a_person());
}
