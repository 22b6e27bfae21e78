use std::sync::Mutex;

use pointsman_approvals::{Mailbox, RequestEvent, in_process};
use pointsman_model::{Insistence, Outcome, RuleBehavior, RuleSource, RuleText};

use super::*;
use crate::fixture::{Ground, a_person, allow};

/// Says what it was last told to.
struct Saying(Mutex<LeaderSays>);

impl Saying {
    fn this(says: LeaderSays) -> Arc<Self> {
        Arc::new(Self(Mutex::new(says)))
    }
}

#[async_trait]
impl LeaderRules for Saying {
    async fn judge(&self, _request: &PermissionRequest) -> LeaderSays {
        self.0.lock().unwrap().clone()
    }
}

struct Leader {
    ground: Ground,
    mailbox: pointsman_approvals::InProcessMailbox,
    shutdown: CancellationToken,
    serving: tokio::task::JoinHandle<()>,
}

async fn leader(rules: Arc<Saying>) -> Leader {
    let ground = Ground::new().await;
    let (mailbox, inbox) = in_process(8);
    let shutdown = CancellationToken::new();
    let desk = Adjudicator::new(CoordinatorHandler::new(ground.panel(vec![])), rules);
    let serving = tokio::spawn(desk.run(inbox, shutdown.clone()));
    Leader {
        ground,
        mailbox,
        shutdown,
        serving,
    }
}

fn a_grant(ground: &Ground) -> GrantId {
    GrantId::new(ground.run, 1)
}

async fn closed(events: &mut RequestEvents) -> Verdict {
    loop {
        if let RequestEvent::Closed { verdict, .. } = events.next().await.unwrap() {
            return (*verdict).clone();
        }
    }
}

#[tokio::test]
async fn law_1_the_leaders_deny_rule_ends_a_forwarded_request() {
    let ground = Ground::new().await;
    let judgement = ground.request("rm x").judgement;
    let says = LeaderSays::Deny {
        judgement,
        text: "denied by rule".into(),
    };
    let leader = leader(Saying::this(says)).await;
    let mut sent = leader
        .mailbox
        .forward(leader.ground.request("rm x"))
        .await
        .unwrap();
    let verdict = sent.verdict().await.unwrap();
    assert_eq!(
        (verdict.outcome(), verdict.by),
        (Outcome::Refused, Answerer::Ladder)
    );
}

#[tokio::test]
async fn a_grant_answers_a_forwarded_request_but_not_what_must_be_asked() {
    let rules = Saying::this(LeaderSays::Ask);
    let leader = leader(Arc::clone(&rules)).await;
    let grant = a_grant(&leader.ground);
    *rules.0.lock().unwrap() = LeaderSays::Granted { grant };
    let mut sent = leader
        .mailbox
        .forward(leader.ground.request("ls"))
        .await
        .unwrap();
    let verdict = sent.verdict().await.unwrap();
    assert_eq!(
        (verdict.outcome(), verdict.by),
        (Outcome::Allowed, Answerer::Grant { grant })
    );

    let mut must = leader.ground.request("ls");
    must.judgement.insistence = Insistence::MustAsk;
    let id = must.id;
    let mut events = leader.ground.requests.subscribe();
    let mut sent = leader.mailbox.forward(must).await.unwrap();
    leader.ground.shown(&mut events, id).await;
    let _ = leader.ground.person(id, allow()).await;
    assert_eq!(sent.verdict().await.unwrap().by, a_person());
}

#[tokio::test]
async fn law_2_an_ask_rule_of_the_leader_keeps_the_classifier_out() {
    let ground = Ground::new().await;
    let mut judgement = ground.request("ls").judgement;
    judgement.insistence = Insistence::MustAsk;
    let (mailbox, inbox) = in_process(8);
    let ready = crate::fixture::Told::now(crate::fixture::yes());
    let panel = crate::Panel {
        classifier: Some(Arc::clone(&ready) as _),
        ..ground.panel(vec![])
    };
    let rules = Saying::this(LeaderSays::MustAsk { judgement });
    let desk = Adjudicator::new(CoordinatorHandler::new(panel), rules);
    let serving = tokio::spawn(desk.run(inbox, CancellationToken::new()));
    let request = ground.request("ls");
    let id = request.id;
    let mut events = ground.requests.subscribe();
    let mut sent = mailbox.forward(request).await.unwrap();
    ground.shown(&mut events, id).await;
    assert_eq!(ready.asked(), 0);
    assert_eq!(ground.requests.get(id).unwrap().advice.len(), 1);
    let _ = ground.person(id, allow()).await;
    assert_eq!(sent.verdict().await.unwrap().by, a_person());
    drop(mailbox);
    serving.await.unwrap();
}

#[tokio::test]
async fn law_14_a_changed_book_judges_open_requests_again() {
    let rules = Saying::this(LeaderSays::Ask);
    let leader = leader(Arc::clone(&rules)).await;
    let request = leader.ground.request("ls");
    let id = request.id;
    let mut events = leader.ground.requests.subscribe();
    let mut sent = leader.mailbox.forward(request.clone()).await.unwrap();
    leader.ground.shown(&mut events, id).await;
    *rules.0.lock().unwrap() = LeaderSays::Deny {
        judgement: request.judgement.clone(),
        text: "no longer".into(),
    };
    let rule = pointsman_model::PermissionRule {
        behavior: RuleBehavior::Deny,
        text: RuleText::new("Bash(ls *)"),
        source: RuleSource::Session,
        place: None,
        anchor: leader.ground.root(),
    };
    leader
        .ground
        .grants
        .tighten(rule, a_person())
        .await
        .unwrap();
    assert_eq!(sent.verdict().await.unwrap().by, Answerer::Ladder);
}

#[tokio::test]
async fn law_21_a_worker_that_stops_waiting_withdraws_its_request() {
    let leader = leader(Saying::this(LeaderSays::Ask)).await;
    let mut events = leader.ground.requests.subscribe();
    let sent = leader
        .mailbox
        .forward(leader.ground.request("ls"))
        .await
        .unwrap();
    drop(sent);
    assert_eq!(closed(&mut events).await.outcome(), Outcome::Cancelled);
}

#[tokio::test]
async fn law_11_a_request_that_can_not_be_stored_is_never_called_queued() {
    let leader = leader(Saying::this(LeaderSays::Ask)).await;
    leader.ground.ledger.close().await;
    let error = leader
        .mailbox
        .forward(leader.ground.request("ls"))
        .await
        .unwrap_err();
    assert!(
        matches!(error, pointsman_approvals::ForwardError::NotStored { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn many_open_requests_of_one_worker_each_get_their_own_verdict() {
    let leader = leader(Saying::this(LeaderSays::Ask)).await;
    let mut waiting = Vec::new();
    for number in 0..20 {
        let request = leader.ground.request(&format!("command {number}"));
        let (id, digest) = (request.id, request.digest);
        waiting.push((id, digest, leader.mailbox.forward(request).await.unwrap()));
    }
    for (at, (id, _, _)) in waiting.iter().enumerate().rev() {
        let kind = if at % 2 == 0 {
            allow()
        } else {
            crate::fixture::deny("odd")
        };
        let _ = leader.ground.person(*id, kind).await;
    }
    for (at, (_, digest, mut sent)) in waiting.into_iter().enumerate() {
        let verdict = sent.verdict().await.unwrap();
        assert_eq!(verdict.digest, digest);
        let even = at % 2 == 0;
        let expect = if even {
            Outcome::Allowed
        } else {
            Outcome::DeniedByPerson
        };
        assert_eq!(verdict.outcome(), expect);
    }
}

#[tokio::test]
async fn a_shutdown_ends_the_desk_with_requests_open() {
    let leader = leader(Saying::this(LeaderSays::Ask)).await;
    let mut sent = leader
        .mailbox
        .forward(leader.ground.request("ls"))
        .await
        .unwrap();
    leader.shutdown.cancel();
    leader.serving.await.unwrap();
    assert!(sent.verdict().await.is_err());
}

/// Lets pass what a set of calls names, and writes down what it was asked about.
struct Covering {
    covered: Mutex<Vec<pointsman_model::RequestId>>,
    judged: Mutex<Vec<pointsman_model::RequestId>>,
    grant: GrantId,
}

#[async_trait]
impl LeaderRules for Covering {
    async fn judge(&self, request: &PermissionRequest) -> LeaderSays {
        self.judged.lock().unwrap().push(request.id);
        if self.covered.lock().unwrap().contains(&request.id) {
            LeaderSays::Granted { grant: self.grant }
        } else {
            LeaderSays::Ask
        }
    }
}

fn an_allow(ground: &Ground) -> pointsman_approvals::NewGrant {
    pointsman_approvals::NewGrant {
        rules: vec![RuleText::new("Bash(ls *)")],
        scope: pointsman_model::GrantScope::Run { run: ground.run },
        anchor: ground.root(),
        until: None,
        uses: pointsman_model::Uses::Unlimited,
        by: a_person(),
        request: None,
    }
}

#[tokio::test]
async fn law_14_a_grant_releases_those_that_pass_in_order_and_leaves_the_others() {
    let ground = Ground::new().await;
    let rules = Arc::new(Covering {
        covered: Mutex::default(),
        judged: Mutex::default(),
        grant: a_grant(&ground),
    });
    let (mailbox, inbox) = in_process(8);
    let shutdown = CancellationToken::new();
    let panel = ground.panel(vec![]);
    let desk = Adjudicator::new(
        CoordinatorHandler::new(panel.clone()),
        Arc::clone(&rules) as _,
    );
    let serving = tokio::spawn(desk.run(inbox, shutdown.clone()));
    let mut events = ground.requests.subscribe();
    let requests: Vec<_> = (0..10).map(|_| ground.request("ls x")).collect();
    let mut waiting = Vec::new();
    for request in &requests {
        waiting.push(mailbox.forward(request.clone()).await.unwrap());
    }
    let even: Vec<_> = requests
        .iter()
        .map(|request| request.id)
        .step_by(2)
        .collect();
    *rules.covered.lock().unwrap() = even.clone();
    rules.judged.lock().unwrap().clear();
    panel.grants.add(an_allow(&ground)).await.unwrap();
    let mut released = Vec::new();
    while released.len() < even.len() {
        if let RequestEvent::Closed { id, verdict } = events.next().await.unwrap() {
            assert_eq!(verdict.by, Answerer::Grant { grant: rules.grant });
            released.push(id);
        }
    }
    assert_eq!(released, even, "not in the order in which they were asked");
    let left: Vec<_> = ground
        .requests
        .list()
        .iter()
        .map(|open| open.request.id)
        .collect();
    let odd: Vec<_> = requests
        .iter()
        .map(|request| request.id)
        .skip(1)
        .step_by(2)
        .collect();
    assert_eq!(left, odd);

    // One that was judged before the grant and is opened after it has not missed it.
    let late = ground.request("ls late");
    rules.covered.lock().unwrap().push(late.id);
    let mut ticket = ground.requests.open(late, Showing::AtOnce).await.unwrap();
    assert_eq!(
        ticket.verdict().await.by,
        Answerer::Grant { grant: rules.grant }
    );
    shutdown.cancel();
    serving.await.unwrap();
}
