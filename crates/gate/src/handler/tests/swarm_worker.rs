//! What a spawned agent can't decide goes to the leader.

use pointsman_approvals::{ForwardError, Forwarded, Mailbox, in_process};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{Adjudicator, LeaderRules, LeaderSays};

/// A leader that has no rules of its own.
struct NoRules;

#[async_trait]
impl LeaderRules for NoRules {
    async fn judge(&self, _request: &PermissionRequest) -> LeaderSays {
        LeaderSays::Ask
    }
}

/// A mailbox whose leader is gone.
struct Gone;

#[async_trait]
impl Mailbox for Gone {
    async fn forward(&self, _request: PermissionRequest) -> Result<Forwarded, ForwardError> {
        Err(ForwardError::Closed)
    }
}

/// A mailbox that takes letters and brings nothing back.
struct Silent;

#[async_trait]
impl Mailbox for Silent {
    async fn forward(&self, _request: PermissionRequest) -> Result<Forwarded, ForwardError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_swarm_worker_asks_the_leader_who_asks_a_person() {
    let ground = Ground::new().await;
    let (mailbox, inbox) = in_process(8);
    let leader = Adjudicator::new(
        CoordinatorHandler::new(ground.panel(vec![])),
        Arc::new(NoRules),
    );
    let serving = tokio::spawn(leader.run(inbox, CancellationToken::new()));
    let mut request = ground.request("ls");
    request.lineage = request
        .lineage
        .child(ground.worker(2))
        .child(ground.worker(3));
    let handler = SwarmWorkerHandler::new(ground.panel(vec![]), Arc::new(mailbox));
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    let open = ground.requests.get(request.id).unwrap();
    assert_eq!(
        open.request.lineage.to_string(),
        "agent-1 › agent-2 › agent-3"
    );
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
    serving.await.unwrap();
}

#[tokio::test]
async fn a_swarm_workers_classifier_is_asked_first_for_commands_alone() {
    let ground = Ground::new().await;
    let ready = Told::now(yes());
    let handler = || {
        let panel = with(ground.panel(vec![]), &ready);
        SwarmWorkerHandler::new(panel, Arc::new(Gone))
    };
    assert_eq!(
        handler().resolve(ground.request("ls")).await.by,
        classifier()
    );
    let mut other = ground.request("ls");
    other.call.tool = pointsman_model::ToolName::parse("Write").unwrap();
    other.call.input = pointsman_model::ToolInput::Write(pointsman_model::WriteInput {
        file_path: "x".into(),
        content: "x".into(),
    });
    assert_eq!(
        handler().resolve(other).await.outcome(),
        Outcome::Unavailable
    );
    let mut must = ground.request("ls");
    must.judgement.insistence = Insistence::MustAsk;
    assert_eq!(
        handler().resolve(must).await.outcome(),
        Outcome::Unavailable
    );
    assert_eq!(ready.asked(), 1);
}

#[tokio::test]
async fn the_leader_takes_up_what_the_workers_classifier_left_open() {
    let ground = Ground::new().await;
    let (mailbox, inbox) = in_process(8);
    let leader = Adjudicator::new(
        CoordinatorHandler::new(ground.panel(vec![saying("allow")])),
        Arc::new(NoRules),
    );
    let serving = tokio::spawn(leader.run(inbox, CancellationToken::new()));
    let panel = with(ground.panel(vec![]), &Told::now(no()));
    let handler = SwarmWorkerHandler::new(panel, Arc::new(mailbox));
    let verdict = handler.resolve(ground.request("ls")).await;
    assert_eq!(
        verdict.by,
        Answerer::Hook {
            name: "settings.json:1:1".into()
        }
    );
    drop(handler);
    serving.await.unwrap();
}

/// A leader whose desk and whose workers consult the same panel, as in a run.
fn leading(ground: &Ground, panel: &Panel) -> (SwarmWorkerHandler, tokio::task::JoinHandle<()>) {
    let (mailbox, inbox) = in_process(8);
    let leader = Adjudicator::new(CoordinatorHandler::new(panel.clone()), Arc::new(NoRules));
    let serving = tokio::spawn(leader.run(inbox, CancellationToken::new()));
    assert!(ground.requests.list().is_empty());
    (
        SwarmWorkerHandler::new(panel.clone(), Arc::new(mailbox)),
        serving,
    )
}

#[tokio::test]
async fn a_spawned_agents_command_without_a_vote_costs_one_judgement() {
    let ground = Ground::new().await;
    for (vote, auto) in [(no(), false), (no_vote(), false), (no_vote(), true)] {
        let told = Told::now(vote);
        let panel = with(ground.panel(vec![]), &told);
        let votes = panel.votes.clone();
        let (handler, serving) = leading(&ground, &panel);
        let asked = ground.request("ls");
        let request = if auto { in_auto(asked) } else { asked };
        let mut events = ground.requests.subscribe();
        let verdict = resolving(handler, &request);
        ground.shown(&mut events, request.id).await;
        let advice = ground.requests.get(request.id).unwrap().advice.len();
        assert_eq!((told.asked(), advice), (1, 1));
        person_allows(&ground, request.id).await;
        assert_eq!(verdict.await.unwrap().by, a_person());
        assert_eq!(votes.of(request.id), None, "it is kept longer than needed");
        drop(panel);
        serving.await.unwrap();
    }
}

/// The leader learns of each missing vote what it would have heard itself.
#[tokio::test]
async fn unattended_a_spawned_agents_missing_vote_ends_as_at_the_leader() {
    let ground = Ground::new().await;
    for cause in NoVoteCause::ALL {
        let told = not_judging(cause);
        let panel = unattended(with(ground.panel(vec![]), &told));
        let (handler, serving) = leading(&ground, &panel);
        let request = in_auto(ground.request("make"));
        let verdict = handler.resolve(request).await;
        assert_eq!(told.asked(), 1, "{cause:?}");
        assert!(
            matches!(verdict.kind, VerdictKind::Unjudged { cause: of, .. } if of == cause),
            "{cause:?}: {verdict:?}"
        );
        drop((handler, panel));
        serving.await.unwrap();
    }
    // Elsewhere nobody who could follow its advice is there, so it is not asked.
    let told = Told::now(yes());
    let panel = unattended(with(ground.panel(vec![]), &told));
    let (handler, serving) = leading(&ground, &panel);
    let verdict = handler.resolve(ground.request("make")).await;
    assert_eq!(
        (verdict.outcome(), told.asked()),
        (Outcome::NobodyCanAnswer, 0)
    );
    drop((handler, panel));
    serving.await.unwrap();
}

#[tokio::test]
async fn law_19_without_the_leader_it_asks_at_its_own_dialog_or_refuses() {
    let ground = Ground::new().await;
    let handler = SwarmWorkerHandler::new(ground.panel(vec![]), Arc::new(Gone));
    let verdict = handler.resolve(ground.request("ls")).await;
    assert_eq!(verdict.outcome(), Outcome::Unavailable);

    let local = CoordinatorHandler::new(ground.panel(vec![]));
    let handler =
        SwarmWorkerHandler::new(ground.panel(vec![]), Arc::new(Gone)).with_local_dialog(local);
    let request = ground.request("ls");
    let mut events = ground.requests.subscribe();
    let verdict = resolving(handler, &request);
    ground.shown(&mut events, request.id).await;
    person_allows(&ground, request.id).await;
    assert_eq!(verdict.await.unwrap().by, a_person());
}

/// How the last request that was closed ended, on record.
async fn recorded_outcome(ground: &Ground) -> Outcome {
    let reader = ground.ledger.reader().unwrap();
    let records = reader.records(&pointsman_ledger::Filter {
        kinds: vec![pointsman_ledger::RecordKind::RequestClosed],
        ..pointsman_ledger::Filter::default()
    });
    match records.unwrap().records.pop().unwrap().body {
        pointsman_ledger::RecordBody::RequestClosed(closed) => closed.verdict.outcome(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn law_9_what_a_worker_opened_ends_on_record_as_the_agent_is_told() {
    let ground = Ground::new().await;
    let left_open = || with(ground.panel(vec![]), &Told::now(no()));
    let handler = SwarmWorkerHandler::new(left_open(), Arc::new(Gone));
    let verdict = handler.resolve(ground.request("ls")).await;
    assert_eq!(verdict.outcome(), Outcome::Unavailable);
    assert_eq!(recorded_outcome(&ground).await, Outcome::Unavailable);

    let handler = SwarmWorkerHandler::new(left_open(), Arc::new(Silent));
    let mut late = ground.request("ls");
    // Its time is up by the worker's clock as soon as it was forwarded.
    late.deadline = late.opened_at;
    let verdict = handler.resolve(late).await;
    assert_eq!(verdict.outcome(), Outcome::Expired);
    assert_eq!(recorded_outcome(&ground).await, Outcome::Expired);
}

#[tokio::test]
async fn law_12_a_leader_that_never_answers_is_waited_for_until_the_deadline_alone() {
    let ground = Ground::new().await;
    let handler = SwarmWorkerHandler::new(ground.panel(vec![]), Arc::new(Silent));
    let request = ground.request("ls");
    // From here on nothing touches the disk: the clock jumps to the only timer there is.
    tokio::time::pause();
    assert_eq!(handler.resolve(request).await.outcome(), Outcome::Expired);
}
