use std::io::{BufRead as _, BufReader as BlockingReader, Write as _};
use std::os::unix::net::UnixStream as BlockingStream;

use pointsman_approvals::{RequestsOptions, RequestsService, Ticket};
use pointsman_ledger::{Ledger, RunStart, Showing, SystemClock};
use pointsman_model::{AbsPath, Attended, GrantScope, PermissionRequest};

use super::*;
use crate::fixture;
use crate::session::SessionScope;
use crate::socket::Client;

/// A leader's requests behind a socket.
struct Leader {
    requests: Requests,
    grants: Grants,
    path: PathBuf,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
    folder: tempfile::TempDir,
}

impl Leader {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (ledger, _) = Ledger::open(&folder.path().join("l.db"), Arc::clone(&clock)).unwrap();
        let start = RunStart {
            project: AbsPath::parse("/w/proj").unwrap(),
            job_file: None,
            job_file_digest: None,
            attended: Attended::Yes,
            version: "0".into(),
        };
        let mut run = ledger.begin_run(start.clone()).await.unwrap();
        while run != fixture::run() {
            run = ledger.begin_run(start.clone()).await.unwrap();
        }
        let options = RequestsOptions::default();
        let (requests, service) =
            RequestsService::new(ledger.clone(), Arc::clone(&clock), &options);
        let grants = Grants::new(run, ledger, Arc::clone(&clock));
        let path = folder.path().join("run.sock");
        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(service.run(shutdown.clone()));
        let served = Served {
            run,
            requests: requests.clone(),
            grants: grants.clone(),
            clock,
        };
        let socket = ControlSocket::bind(&path).unwrap();
        tasks.spawn(socket.run(served, shutdown.clone()));
        Self {
            requests,
            grants,
            path,
            shutdown,
            tasks,
            folder,
        }
    }

    /// Opens a request that does not expire while the test runs.
    async fn open(&self, number: u32) -> (PermissionRequest, Ticket) {
        let mut request = fixture::request(number, "git push");
        request.opened_at = SystemClock.now();
        request.deadline = request.opened_at.plus(pointsman_model::Millis(600_000));
        let ticket = self.requests.open(request.clone(), Showing::AtOnce).await;
        (request, ticket.unwrap())
    }

    async fn ask(&self, ask: Ask) -> Reply {
        let path = self.path.clone();
        let asked = tokio::task::spawn_blocking(move || Client::connect(&path).unwrap().ask(&ask));
        asked.await.unwrap().unwrap()
    }

    async fn say(&self, line: &[u8]) -> String {
        let (path, line) = (self.path.clone(), line.to_vec());
        let said = tokio::task::spawn_blocking(move || {
            let mut stream = BlockingStream::connect(path).unwrap();
            // A server that hangs up in the middle is part of what is looked at.
            let _ = stream.write_all(&line);
            let mut reply = String::new();
            let _ = BlockingReader::new(stream).read_line(&mut reply);
            reply
        });
        said.await.unwrap()
    }

    async fn stop(mut self) -> tempfile::TempDir {
        self.shutdown.cancel();
        while self.tasks.join_next().await.is_some() {}
        self.folder
    }
}

fn answer_to(request: &PermissionRequest, answer: AnswerWord) -> Ask {
    Ask::Answer {
        id: request.id,
        answer,
        text: None,
        always: None,
        digest: Some(request.digest),
    }
}

fn came_of(reply: Reply) -> Came {
    match reply {
        Reply::Answered { came, .. } => came,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn law_9_the_first_answer_wins_and_the_others_are_told() {
    let leader = Leader::start().await;
    let (request, mut ticket) = leader.open(17).await;
    let Reply::Queue { run, requests } = leader.ask(Ask::Queue).await else {
        panic!("no queue");
    };
    assert_eq!((run, requests.len()), (fixture::run(), 1));
    assert_eq!(requests[0].digest, request.digest);
    let mut came = Vec::new();
    for answer in [AnswerWord::Allow, AnswerWord::Allow, AnswerWord::Deny] {
        came.push(came_of(leader.ask(answer_to(&request, answer)).await));
    }
    assert_eq!(came, [Came::Won, Came::SameAgain, Came::Conflict]);
    let unknown = fixture::request(99, "ls");
    let reply = leader.ask(answer_to(&unknown, AnswerWord::Allow)).await;
    assert_eq!(came_of(reply), Came::NotFound);
    let verdict = ticket.verdict().await;
    let by = Answerer::Person {
        surface: Surface::Command,
    };
    assert_eq!(verdict.by, by);
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn always_grants_the_chosen_proposal() {
    let leader = Leader::start().await;
    let (request, mut ticket) = leader.open(17).await;
    let always = |proposal| Ask::Answer {
        id: request.id,
        answer: AnswerWord::Allow,
        text: None,
        always: Some(AlwaysWire {
            scope: SessionScope::Run,
            proposal,
        }),
        digest: Some(request.digest),
    };
    let reply = leader.ask(always(3)).await;
    assert!(matches!(reply, Reply::Error { .. }), "{reply:?}");
    assert_eq!(came_of(leader.ask(always(2)).await), Came::Won);
    let VerdictKind::Allow {
        grant: Some(grant), ..
    } = ticket.verdict().await.kind
    else {
        panic!("no grant");
    };
    assert_eq!(grant.rules[0].as_str(), "Bash(git push *)");
    assert_eq!(
        grant.scope,
        GrantScope::Run {
            run: fixture::run()
        }
    );
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_something_else_than_was_shown_does_not_count() {
    let leader = Leader::start().await;
    let (mut request, _ticket) = leader.open(17).await;
    request.digest = pointsman_model::Digest::of(b"something else");
    let reply = leader.ask(answer_to(&request, AnswerWord::Allow)).await;
    assert!(matches!(reply, Reply::Error { .. }), "{reply:?}");
    assert_eq!(leader.requests.list().len(), 1);
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_told_and_endless_lines_are_cut_off() {
    let leader = Leader::start().await;
    let reply = leader.say(b"allow everything\n").await;
    assert!(reply.contains("not understood"), "{reply}");
    let reply = leader.say(&vec![b'x'; 80 * 1024]).await;
    assert_eq!(reply, "");
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_is_its_owners_alone_and_goes_with_the_leader() {
    let leader = Leader::start().await;
    let mode = std::fs::metadata(&leader.path)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = ControlSocket::bind(&leader.path);
    assert!(matches!(again, Err(BindError::InUse(_))), "{again:?}");
    let path = leader.path.clone();
    let folder = leader.stop().await;
    assert!(!path.exists());
    // What a killed leader leaves is a file that nobody listens at.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    drop(ControlSocket::bind(&path).unwrap());
    drop(folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_are_listed_and_revoked_once() {
    let leader = Leader::start().await;
    let new = pointsman_approvals::NewGrant {
        rules: vec![pointsman_model::RuleText::new("Bash(git push *)")],
        scope: GrantScope::Run {
            run: fixture::run(),
        },
        anchor: AbsPath::parse("/w/proj").unwrap(),
        until: None,
        uses: pointsman_model::Uses::Unlimited,
        by: PERSON,
        request: None,
    };
    let id = leader.grants.add(new).await.unwrap()[0].id;
    let Reply::Grants { run, grants } = leader.ask(Ask::Grants).await else {
        panic!("no grants");
    };
    assert_eq!((run, grants.len()), (fixture::run(), 1));
    assert_eq!(grants[0].rule, "Bash(git push *)");
    assert_eq!((grants[0].scope.as_str(), grants[0].uses), ("run", None));
    let revoke = Ask::Revoke { id };
    assert_eq!(leader.ask(revoke.clone()).await, Reply::Revoked { id });
    let again = leader.ask(revoke).await;
    assert!(matches!(again, Reply::Error { .. }), "{again:?}");
    assert!(leader.grants.list().is_empty());
    leader.stop().await;
}
