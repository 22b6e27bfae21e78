//! The leader's side, asked by real clients.

mod orders;
mod panic;
mod watching;

use std::io::{BufRead as _, BufReader as BlockingReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::PathBuf;

use std::sync::Arc;

use pointsman_approvals::{Epoch, Grants, Requests, Ticket};
use pointsman_ledger::{Clock, Ledger, RunStart, Showing, SystemClock};
use pointsman_model::{
    AbsPath, Answerer, Attended, GrantScope, PermissionRequest, Surface, VerdictKind, WorkerId,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{MemoryFiles, SettingsPlaces, load};
use pointsman_process::Environment;
use pointsman_swarm::{JobFile, Leader, LeaderHandle, LeaderOptions, StatePlace};
use pointsman_tools::Toolbox;
use tokio::task::JoinSet;

use super::answering::PERSON;

use super::*;
use crate::fixture;
use crate::session::SessionScope;
use crate::socket::{
    AlwaysWire, AnswerWord, Came, Client, CourseWord, Seat, StatusWire, TightenWord,
};

/// A leader behind a socket. It has two jobs, which start when it is let go.
struct Desk {
    requests: Requests,
    grants: Grants,
    leader: LeaderHandle,
    waiting: Option<Leader>,
    path: PathBuf,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
    folder: tempfile::TempDir,
}

const JOBS: &str = r#"
[[job]]
name = "docs"
deny = ["Bash(rm *)"]
[[job.step]]
tool = "Bash"
input = { command = "true" }
[[job]]
name = "late"
needs = ["docs"]
allow = ["Bash(sleep *)"]
[[job.step]]
tool = "Bash"
input = { command = "sleep 600" }
"#;

impl Desk {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(folder.path().to_str().unwrap()).unwrap();
        let place = StatePlace::in_folder(root.clone());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (ledger, _) = Ledger::open(&place.ledger(), Arc::clone(&clock)).unwrap();
        let start = RunStart {
            project: root.clone(),
            job_file: None,
            job_file_digest: None,
            job_file_at: None,
            attended: Attended::Yes,
            version: "0".into(),
        };
        // The leader's run is that of the fixtures.
        for _ in 1..fixture::run().number() {
            ledger.begin_run(start.clone()).await.unwrap();
        }
        ledger.close().await;
        drop(ledger);
        let places = SettingsPlaces::of_project(root.clone(), root.clone());
        let options = LeaderOptions {
            job_file: JobFile::parse(JOBS, "jobs.toml").unwrap(),
            project: root.clone(),
            home: root,
            place,
            attended: Attended::Yes,
            loaded: load(&places, &MemoryFiles::new()),
            mode: None,
            clock,
            tree: Arc::new(DiskTree),
            environment: Environment::without_secrets(std::env::vars_os()),
            toolbox: Arc::new(Toolbox::built_in()),
            classifier: None,
            explainer: None,
            models: None,
            version: "0".into(),
            resume: None,
        };
        let (leader, waiting) = Leader::start(options).await.unwrap();
        assert_eq!(leader.run(), fixture::run());
        let path = folder.path().join("run.sock");
        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let served = Served {
            leader: leader.clone(),
        };
        let socket = ControlSocket::bind(&path).unwrap();
        tasks.spawn(socket.run(served, shutdown.clone()));
        Self {
            requests: leader.requests().clone(),
            grants: leader.grants().clone(),
            leader,
            waiting: Some(waiting),
            path,
            shutdown,
            tasks,
            folder,
        }
    }

    /// Lets the leader's jobs start.
    fn goes(&mut self) {
        let leader = self.waiting.take().unwrap();
        self.tasks.spawn(async move {
            leader.finish().await;
        });
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

    /// Writes a job file, and gives the order to add it.
    fn add(&self, text: &str) -> Ask {
        let lies_at = self.folder.path().join("more.toml");
        std::fs::write(&lies_at, text).unwrap();
        Ask::Add {
            file: "more.toml".into(),
            at: AbsPath::parse(lies_at.to_str().unwrap()).unwrap(),
            digest: pointsman_model::Digest::of(text.as_bytes()),
        }
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
        self.leader.stop(pointsman_swarm::StopReason::Signal {
            name: "SIGTERM".into(),
        });
        self.shutdown.cancel();
        while self.tasks.join_next().await.is_some() {}
        self.folder
    }
}

/// The records of the fixtures' run, a line each.
fn lines_of(folder: &tempfile::TempDir) -> Vec<String> {
    let reader = pointsman_ledger::LedgerReader::open(&folder.path().join("ledger.db")).unwrap();
    let filter = pointsman_ledger::Filter::of_run(fixture::run());
    let records = reader.records(&filter).unwrap().records;
    records.iter().map(crate::render::record_line).collect()
}

fn answer_to(request: &PermissionRequest, answer: AnswerWord) -> Ask {
    Ask::Answer {
        id: request.id,
        answer,
        text: None,
        always: None,
        edited: None,
        at: Seat::Command,
        digest: Some(request.digest),
        epoch: Some(Epoch::FIRST),
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
    let leader = Desk::start().await;
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
    let leader = Desk::start().await;
    let (request, mut ticket) = leader.open(17).await;
    let always = |proposal| Ask::Answer {
        id: request.id,
        answer: AnswerWord::Allow,
        text: None,
        always: Some(AlwaysWire {
            scope: SessionScope::Run,
            proposal,
            rules: None,
            lasts: None,
            uses: None,
        }),
        edited: None,
        at: Seat::Command,
        digest: Some(request.digest),
        epoch: Some(Epoch::FIRST),
    };
    let reply = leader.ask(always(3)).await;
    assert!(matches!(reply, Reply::BadInput { .. }), "{reply:?}");
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
    let leader = Desk::start().await;
    let (mut request, _ticket) = leader.open(17).await;
    request.digest = pointsman_model::Digest::of(b"something else");
    let reply = leader.ask(answer_to(&request, AnswerWord::Allow)).await;
    assert!(matches!(reply, Reply::Error { .. }), "{reply:?}");
    assert_eq!(leader.requests.list().len(), 1);
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn law_10_an_answer_that_names_only_an_id_counts_for_nothing_that_is_open() {
    let leader = Desk::start().await;
    let (request, mut ticket) = leader.open(17).await;
    let bare = |digest: Option<_>, epoch: Option<Epoch>| {
        let mut ask = answer_to(&request, AnswerWord::Allow);
        if let Ask::Answer {
            digest: its_digest,
            epoch: its_epoch,
            ..
        } = &mut ask
        {
            (*its_digest, *its_epoch) = (digest, epoch);
        }
        ask
    };
    let (digest, epoch) = (Some(request.digest), Some(Epoch::FIRST));
    for ask in [bare(None, None), bare(digest, None), bare(None, epoch)] {
        let reply = leader.ask(ask).await;
        assert!(
            matches!(&reply, Reply::BadInput { text } if text.contains("`digest`")),
            "{reply:?}"
        );
    }
    assert_eq!(leader.requests.list().len(), 1);
    assert_eq!(came_of(leader.ask(bare(digest, epoch)).await), Came::Won);
    let _ = ticket.verdict().await;
    // Of one that has ended anybody may hear the end.
    let came = came_of(leader.ask(bare(None, None)).await);
    assert_eq!(came, Came::SameAgain);
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_told_and_endless_lines_are_cut_off() {
    let leader = Desk::start().await;
    let reply = leader.say(b"allow everything\n").await;
    assert!(reply.contains("not understood"), "{reply}");
    let reply = leader.say(&vec![b'x'; 5 * 1024 * 1024]).await;
    assert_eq!(reply, "");
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_is_its_owners_alone_and_goes_with_the_leader() {
    let leader = Desk::start().await;
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
    let leader = Desk::start().await;
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
    assert!(matches!(again, Reply::NotFound { .. }), "{again:?}");
    assert!(leader.grants.list().is_empty());
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_may_carry_another_input_and_another_rule() {
    let leader = Desk::start().await;
    let (request, mut ticket) = leader.open(17).await;
    let always = |rule: &str| Ask::Answer {
        id: request.id,
        answer: AnswerWord::Allow,
        text: None,
        always: Some(AlwaysWire {
            scope: SessionScope::Worker,
            proposal: 1,
            rules: Some(vec![rule.into()]),
            lasts: None,
            uses: None,
        }),
        edited: Some(r#"{"command":"git push --dry-run"}"#.into()),
        at: Seat::Screen,
        digest: Some(request.digest),
        epoch: Some(Epoch::FIRST),
    };
    let reply = leader.ask(always("Bash(git")).await;
    assert!(matches!(reply, Reply::BadInput { .. }), "{reply:?}");
    assert_eq!(
        came_of(leader.ask(always("Bash(git push)")).await),
        Came::Won
    );
    let verdict = ticket.verdict().await;
    let VerdictKind::Allow { edited, grant } = verdict.kind else {
        panic!("no yes");
    };
    assert!(edited.unwrap().as_str().contains("--dry-run"));
    assert_eq!(grant.unwrap().rules[0].as_str(), "Bash(git push)");
    assert!(
        verdict.by.to_string().contains("terminal"),
        "{}",
        verdict.by
    );
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_what_another_leader_showed_does_not_count() {
    let leader = Desk::start().await;
    let (request, _ticket) = leader.open(1).await;
    let Reply::Queue { requests, .. } = leader.ask(Ask::Queue).await else {
        panic!("no queue");
    };
    let shown = requests[0].epoch;
    assert_eq!(shown, leader.requests.epoch());
    let seen_in = |number| match answer_to(&request, AnswerWord::Allow) {
        Ask::Answer {
            id,
            answer,
            text,
            always,
            edited,
            digest,
            at,
            ..
        } => Ask::Answer {
            id,
            answer,
            text,
            always,
            edited,
            digest,
            epoch: Some(number),
            at,
        },
        other => other,
    };
    let other = leader.ask(seen_in(Epoch::new(shown.number() + 1))).await;
    assert!(
        matches!(&other, Reply::Error { text } if text.contains("asked anew by another leader")),
        "{other:?}"
    );
    let answered = leader.ask(seen_in(shown)).await;
    assert!(
        matches!(
            &answered,
            Reply::Answered {
                came: Came::Won,
                ..
            }
        ),
        "{answered:?}"
    );
    leader.stop().await;
}
