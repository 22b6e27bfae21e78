//! Lines over a real socket, with real processes at their ends.

use std::io::{BufRead as _, BufReader as StdReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use pointsman_ledger::{Filter, RecordKind, Showing};
use pointsman_model::{Outcome, PermissionRequest, RequestId, VerdictKind};
use tokio::net::UnixListener;
use tokio::task::{JoinHandle, JoinSet};

use super::*;
use crate::mailbox::line::{Pass, Stamp, ToLeader, ToWorker, VERSION};
use crate::sample::{self, Place};
use crate::{
    Answered, Epoch, ForwardError, Generation, Letter, Mailbox as _, RemoteMailbox, Requests,
    RequestsOptions, RequestsService, Undelivered, in_process, post_office, remote,
};

/// A leader that listens at a socket, with a table of requests over a real ledger.
struct Leader {
    place: Place,
    requests: Requests,
    office: PostOfficeHandle,
    path: PathBuf,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Leader {
    async fn new() -> Self {
        let place = Place::new().await;
        let path = place._folder.path().join("workers.sock");
        let clock = Arc::new(place.clock.clone());
        let options = RequestsOptions::default();
        let (requests, service) = RequestsService::new(place.ledger.clone(), clock, &options);
        let (mailbox, mut inbox) = in_process(64);
        let (office, service_of_office) = post_office(Epoch::FIRST, mailbox);
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(service.run(stop.clone()));
        tasks.spawn(service_of_office.run(stop.clone()));
        let socket = PostSocket::bind(&path).unwrap();
        tasks.spawn(socket.run(office.clone(), stop.clone()));
        let (desk, desk_stop) = (requests.clone(), stop.clone());
        tasks.spawn(async move {
            let mut letters = JoinSet::new();
            loop {
                let letter = tokio::select! {
                    () = desk_stop.cancelled() => return,
                    letter = inbox.next() => letter,
                };
                let Some(letter) = letter else { return };
                letters.spawn(adjudicate(desk.clone(), letter));
            }
        });
        Self {
            place,
            requests,
            office,
            path,
            stop,
            tasks,
        }
    }

    async fn worker(&self, number: u32) -> (RemoteMailbox, JoinHandle<()>, Pass) {
        let pass = self
            .office
            .admit(sample::step(number).worker)
            .await
            .unwrap();
        let (mailbox, task) = self.dial(pass.clone());
        (mailbox, task, pass)
    }

    fn dial(&self, pass: Pass) -> (RemoteMailbox, JoinHandle<()>) {
        let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&self.path)));
        let task = tokio::spawn(service.run(self.stop.clone()));
        (mailbox, task)
    }

    async fn say(&self, id: RequestId, kind: VerdictKind) -> Answered {
        let answer = sample::answer(kind, sample::person());
        self.requests.answer(id, answer).await.unwrap()
    }

    /// Waits until so many requests are open.
    async fn open(&self, count: usize) {
        let mut events = self.requests.subscribe();
        while self.requests.list().len() != count {
            events.next().await.unwrap();
        }
    }

    fn closings(&self, id: RequestId) -> usize {
        let filter = Filter {
            request: Some(id),
            kinds: vec![RecordKind::RequestClosed],
            ..Filter::default()
        };
        let reader = self.place.ledger.reader().unwrap();
        reader.records(&filter).unwrap().records.len()
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

/// What a leader's desk does with a letter, without any answerer of its own.
async fn adjudicate(requests: Requests, mut letter: Letter) {
    let request = letter.request().clone();
    let mut ticket = match requests.open(request, Showing::AtOnce).await {
        Ok(ticket) => ticket,
        Err(error) => return letter.refuse(Undelivered::NotStored(error.to_string().into())),
    };
    letter.queued();
    let verdict = tokio::select! {
        verdict = ticket.verdict() => verdict,
        () = letter.withdrawn() => return,
    };
    letter.deliver(verdict);
}

fn of(worker: u32, number: u32) -> PermissionRequest {
    sample::request_of(number, sample::lineage(&[worker]))
}

fn id(number: u32) -> RequestId {
    RequestId::new(sample::run(), number)
}

#[tokio::test]
async fn law_11_a_request_goes_over_the_socket_and_its_verdict_comes_back() {
    let leader = Leader::new().await;
    let (mailbox, _task, _) = leader.worker(1).await;
    for depth in [1_u32, 2, 3, 5] {
        let lineage = sample::lineage(&(1..=depth).collect::<Vec<_>>());
        let request = sample::request_of(depth, lineage.clone());
        let mut sent = mailbox.forward(request).await.unwrap();
        let open = leader.requests.get(id(depth)).expect("told before stored");
        assert_eq!(open.request.lineage, lineage, "law 18");
        let (kind, expected) = if depth % 2 == 0 {
            (sample::allow(), Outcome::Allowed)
        } else {
            (sample::deny(), Outcome::DeniedByPerson)
        };
        assert!(matches!(
            leader.say(id(depth), kind).await,
            Answered::Won(_)
        ));
        let outcome = sent.verdict().await.unwrap().outcome();
        assert_eq!(outcome, expected);
    }
    leader.end().await;
}

#[tokio::test]
async fn lines_that_are_only_held_keep_no_worker_out() {
    let leader = Leader::new().await;
    let mut held = Vec::new();
    for _ in 0..1_100 {
        let (said, incoming) = flume::bounded(1);
        let (outgoing, heard) = flume::bounded::<ToWorker>(1);
        held.push((said, heard));
        let line = Line {
            incoming,
            outgoing,
            drive: std::future::pending().boxed(),
        };
        leader.office.attach(line).await.unwrap();
    }
    assert!(held[0].1.recv_async().await.is_err(), "the oldest gave way");
    let (mailbox, _task, _) = leader.worker(1).await;
    let mut sent = mailbox.forward(of(1, 1)).await.unwrap();
    assert!(matches!(
        leader.say(id(1), sample::allow()).await,
        Answered::Won(_)
    ));
    assert_eq!(sent.verdict().await.unwrap().outcome(), Outcome::Allowed);
    leader.end().await;
}

#[tokio::test]
async fn the_socket_is_this_users_alone_and_goes_with_its_leader() {
    let leader = Leader::new().await;
    let mode = std::fs::metadata(&leader.path)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = PostSocket::bind(&leader.path);
    assert!(matches!(second, Err(BindError::InUse(_))));
    let path = leader.path.clone();
    let _folder_stays = leader.place._folder.path().to_path_buf();
    leader.stop.cancel();
    let mut leader = leader;
    while leader.tasks.join_next().await.is_some() {}
    assert!(!path.exists());
    // What a killed leader leaves there keeps nobody out.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    drop(PostSocket::bind(&path).unwrap());
}

/// Speaks raw bytes to the leader, and returns what it says until it breaks the line off.
async fn raw(leader: &Leader, said: &[u8]) -> String {
    let stream = UnixStream::connect(&leader.path).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    // The leader may break off before it has read everything.
    let _ = write.write_all(said).await;
    drop(write);
    let mut heard = String::new();
    let _ = read.read_to_string(&mut heard).await;
    heard
}

fn json(frame: &ToLeader) -> String {
    serde_json::to_string(frame).unwrap() + "\n"
}

fn hello(pass: &Pass) -> String {
    json(&ToLeader::Hello {
        version: VERSION,
        pass: pass.clone(),
    })
}

#[tokio::test]
async fn nonsense_on_a_line_breaks_that_line_and_nothing_else() {
    let leader = Leader::new().await;
    let (mailbox, _task, _) = leader.worker(1).await;
    let stranger = leader.office.admit(sample::step(2).worker).await.unwrap();
    let at = Stamp {
        epoch: Epoch::FIRST,
        generation: Generation::FIRST,
    };
    let in_its_name = |request| {
        json(&ToLeader::Request {
            at,
            request: Box::new(request),
        })
    };
    let hello = hello(&stranger);
    let cases: [(&str, Vec<u8>); 11] = [
        ("nothing", Vec::new()),
        ("no frame", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        ("no text", vec![0xff, 0x00, 0xfe, b'\n']),
        ("half a frame", hello.as_bytes()[..hello.len() / 2].to_vec()),
        (
            "a frame without its end",
            hello.trim_end().as_bytes().to_vec(),
        ),
        ("a first frame without an end", vec![b'x'; 100_000]),
        (
            "a field too many",
            b"{\"frame\":\"hello\",\"version\":1,\"admin\":true}\n".to_vec(),
        ),
        ("a request first", in_its_name(of(2, 50)).into_bytes()),
        ("deep nesting", [b"[".repeat(3000), b"\n".to_vec()].concat()),
        (
            "another worker's question",
            (hello.clone() + &in_its_name(of(1, 51))).into_bytes(),
        ),
        ("two greetings", (hello.clone() + &hello).into_bytes()),
    ];
    for (what, said) in cases {
        let heard = raw(&leader, &said).await;
        assert!(!heard.contains("queued"), "{what}: {heard}");
    }
    assert!(leader.requests.list().is_empty());
    let mut sent = mailbox.forward(of(1, 1)).await.unwrap();
    let _ = leader.say(id(1), sample::allow()).await;
    assert_eq!(sent.verdict().await.unwrap().outcome(), Outcome::Allowed);
    leader.end().await;
}

#[tokio::test]
async fn a_pass_is_good_for_one_life_and_can_not_be_guessed() {
    let leader = Leader::new().await;
    let worker = sample::step(1).worker;
    let first = leader.office.admit(worker).await.unwrap();
    let second = leader.office.admit(worker).await.unwrap();
    assert_eq!(
        (first.generation, second.generation),
        (Generation::FIRST, Generation::FIRST.next())
    );
    let guessed = Pass::new(worker, second.generation).unwrap();
    let unknown = Pass::new(sample::step(9).worker, Generation::FIRST).unwrap();
    let mut forged = serde_json::to_value(&second).unwrap();
    forged["generation"] = serde_json::json!(1);
    let forged: Pass = serde_json::from_value(forged).unwrap();
    for pass in [&first, &guessed, &unknown, &forged] {
        let heard = raw(&leader, hello(pass).as_bytes()).await;
        assert!(heard.contains("turned_away"), "{pass:?}: {heard}");
        let (mailbox, _task) = leader.dial(pass.clone());
        let sent = mailbox.forward(of(1, 1)).await.map(drop);
        assert_eq!(sent, Err(ForwardError::Closed), "{pass:?}");
    }
    let heard = raw(&leader, hello(&second).as_bytes()).await;
    assert!(heard.contains("welcome"), "{heard}");
    assert!(
        !format!("{second:?}")
            .contains(&*serde_json::to_value(&second).unwrap()["secret"].to_string())
    );
    leader.end().await;
}

#[tokio::test]
async fn frames_of_another_epoch_or_life_are_dropped_and_counted() {
    let leader = Leader::new().await;
    let pass = leader.office.admit(sample::step(1).worker).await.unwrap();
    let mut said = hello(&pass);
    for (epoch, generation) in [(7, pass.generation), (1, pass.generation.next())] {
        let at = Stamp {
            epoch: Epoch::new(epoch),
            generation,
        };
        let request = Box::new(of(1, 1));
        said += &json(&ToLeader::Request { at, request });
        said += &json(&ToLeader::Withdraw { at, id: id(1) });
        said += &json(&ToLeader::Got { at, id: id(1) });
    }
    let heard = raw(&leader, said.as_bytes()).await;
    assert!(
        heard.contains("welcome") && !heard.contains("queued"),
        "{heard}"
    );
    // The line may have ended before all that came over it was looked at.
    while leader.office.stale_frames().await < 6 {
        tokio::task::yield_now().await;
    }
    assert!(leader.requests.list().is_empty());
    leader.end().await;
}

#[tokio::test]
async fn law_21_a_dropped_wait_withdraws_its_request_over_the_socket() {
    let leader = Leader::new().await;
    let (mailbox, _task, _) = leader.worker(1).await;
    let one = mailbox.forward(of(1, 1)).await.unwrap();
    let mut two = mailbox.forward(of(1, 2)).await.unwrap();
    drop(one);
    leader.open(1).await;
    assert!(matches!(
        leader.say(id(1), sample::allow()).await,
        Answered::Conflict { .. }
    ));
    let _ = leader.say(id(2), sample::allow()).await;
    assert_eq!(two.verdict().await.unwrap().outcome(), Outcome::Allowed);
    leader.end().await;
}

#[tokio::test]
async fn law_20_a_line_that_breaks_comes_again_and_every_request_has_one_verdict() {
    let leader = Leader::new().await;
    let pass = leader.office.admit(sample::step(1).worker).await.unwrap();
    // The worker's line goes through a door that the test shuts.
    let door = leader.path.with_extension("door");
    let listener = UnixListener::bind(&door).unwrap();
    let behind = leader.path.clone();
    let (shut, mut shut_now) = tokio::sync::mpsc::channel::<()>(1);
    let keeper = tokio::spawn(async move {
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            let mut far = UnixStream::connect(&behind).await.unwrap();
            tokio::select! {
                _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                shut = shut_now.recv() => if shut.is_none() { return },
            }
        }
    });
    let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&door)));
    let worker = tokio::spawn(service.run(leader.stop.clone()));
    let mut sent = Vec::new();
    for number in 1..=30 {
        sent.push(mailbox.forward(of(1, number)).await.unwrap());
        if number % 10 == 0 {
            shut.send(()).await.unwrap();
        }
        if number % 3 == 0 {
            let _ = leader.say(id(number), sample::allow()).await;
        }
    }
    for number in (1..=30).filter(|number| number % 3 != 0) {
        let _ = leader.say(id(number), sample::allow()).await;
    }
    for (number, mut sent) in (1..).zip(sent) {
        assert_eq!(sent.verdict().await.unwrap().outcome(), Outcome::Allowed);
        assert_eq!(leader.closings(id(number)), 1);
    }
    keeper.abort();
    leader.end().await;
    worker.await.unwrap();
}

#[tokio::test]
async fn law_19_a_leader_that_is_busy_makes_workers_wait_and_loses_nothing() {
    // A leader that takes no letter until it is told to.
    let place = Place::new().await;
    let path = place._folder.path().join("workers.sock");
    let (mailbox, mut inbox) = in_process(1);
    let (office, service) = post_office(Epoch::FIRST, mailbox);
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    tasks.spawn(service.run(stop.clone()));
    let socket = PostSocket::bind(&path).unwrap();
    tasks.spawn(socket.run(office.clone(), stop.clone()));
    let mut waiting = JoinSet::new();
    for worker in [1_u32, 2] {
        let pass = office.admit(sample::step(worker).worker).await.unwrap();
        let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&path)));
        tasks.spawn(service.run(stop.clone()));
        // The first is noisy, the second asks once.
        for number in 0..if worker == 1 { 500 } else { 1 } {
            let mailbox = mailbox.clone();
            let request = of(worker, worker * 1000 + number);
            waiting.spawn(async move { mailbox.forward(request).await.map(drop) });
        }
    }
    let mut taken = 0;
    let mut quiet_at = None;
    while taken < 501 {
        let mut letter = inbox.next().await.unwrap();
        if letter.request().lineage.agent().worker.number() == 2 {
            quiet_at = Some(taken);
        }
        letter.queued();
        taken += 1;
    }
    while let Some(told) = waiting.join_next().await {
        told.unwrap().unwrap();
    }
    assert!(
        quiet_at.unwrap() < 300,
        "the quiet worker came at {quiet_at:?}"
    );
    stop.cancel();
    while tasks.join_next().await.is_some() {}
}

/// Tells a child that it is a worker, where its leader listens, and its pass.
const WORKER: &str = "POINTSMAN_TEST_WORKER";

/// A worker's process that asks `1..=count`, beginning at `first`.
fn start_worker(
    leader: &Leader,
    pass: &Pass,
    first: u32,
    count: u32,
) -> (Child, StdReader<ChildStdout>) {
    let told = serde_json::json!({
        "socket": leader.path, "pass": pass, "first": first, "count": count,
    });
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "mailbox::socket::tests::a_killed_workers_questions_are_withdrawn_and_its_next_life_asks_anew"])
        .arg("--nocapture")
        .env(WORKER, told.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = StdReader::new(child.stdout.take().unwrap());
    (child, out)
}

fn be_a_worker(told: &str) -> ! {
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    let pass: Pass = serde_json::from_value(told["pass"].clone()).unwrap();
    let worker = pass.worker.number();
    let number = |key: &str| u32::try_from(told[key].as_u64().unwrap()).unwrap();
    let (first, count) = (number("first"), number("count"));
    let socket = PathBuf::from(told["socket"].as_str().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&socket)));
        tokio::spawn(service.run(CancellationToken::new()));
        let mut asking = JoinSet::new();
        for number in first..first + count {
            let mailbox = mailbox.clone();
            asking.spawn(async move {
                let mut sent = mailbox.forward(of(worker, number)).await.unwrap();
                println!("\nqueued {number}");
                let outcome = sent.verdict().await.unwrap().outcome();
                println!("\nverdict {number} {outcome:?}");
            });
        }
        asking.join_all().await;
    });
    std::process::exit(0);
}

#[test]
fn a_killed_workers_questions_are_withdrawn_and_its_next_life_asks_anew() {
    if let Ok(told) = std::env::var(WORKER) {
        be_a_worker(&told);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let leader = Leader::new().await;
        let worker = sample::step(1).worker;
        for life in 0..3_u32 {
            let pass = leader.office.admit(worker).await.unwrap();
            let first = life * 10 + 1;
            let (mut child, out) = start_worker(&leader, &pass, first, 5);
            // All five are on disk before the worker hears so; then it is killed while it waits.
            let told = tokio::task::spawn_blocking(move || {
                let lines = out.lines().map_while(Result::ok);
                lines
                    .filter(|line| line.starts_with("queued"))
                    .take(5)
                    .count()
            });
            assert_eq!(told.await.unwrap(), 5);
            leader.open(5).await;
            child.kill().unwrap();
            child.wait().unwrap();
            // Its next life has another number; what the last one asked is nobody's any more.
            leader.office.admit(worker).await.unwrap();
            leader.open(0).await;
            for number in first..first + 5 {
                let late = leader.say(id(number), sample::allow()).await;
                let Answered::Conflict { winner } = late else {
                    panic!("{late:?}");
                };
                assert_eq!(winner.outcome(), Outcome::Cancelled);
            }
        }
        let pass = leader.office.admit(worker).await.unwrap();
        let (mut child, out) = start_worker(&leader, &pass, 100, 5);
        leader.open(5).await;
        for number in 100..105 {
            let _ = leader.say(id(number), sample::allow()).await;
        }
        let told = tokio::task::spawn_blocking(move || {
            let lines = out.lines().map_while(Result::ok);
            lines
                .filter(|line| line.starts_with("verdict") && line.ends_with("Allowed"))
                .count()
        });
        assert_eq!(told.await.unwrap(), 5);
        assert!(child.wait().unwrap().success());
        leader.end().await;
    });
}

#[tokio::test(start_paused = true)]
async fn law_19_a_leader_out_of_reach_is_told_of_and_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = folder.path().join("nobody.sock");
    let pass = Pass::new(sample::step(1).worker, Generation::FIRST).unwrap();
    let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&nobody)));
    let stop = CancellationToken::new();
    let task = tokio::spawn(service.run(stop.clone()));
    let sent = mailbox.forward(of(1, 1)).await.map(drop);
    assert_eq!(sent, Err(ForwardError::Unreachable));
    stop.cancel();
    task.await.unwrap();
    let sent = mailbox.forward(of(1, 1)).await.map(drop);
    assert_eq!(sent, Err(ForwardError::Closed));
}

#[test]
fn frames_read_back_as_they_were_written() {
    let at = Stamp {
        epoch: Epoch::new(3),
        generation: Generation::FIRST,
    };
    let frames = [
        ToWorker::Welcome { at },
        ToWorker::Queued { at, id: id(1) },
        ToWorker::Refused {
            at,
            id: id(1),
            why: Some("full".into()),
        },
    ];
    for frame in frames {
        let text = serde_json::to_string(&frame).unwrap();
        assert_eq!(serde_json::from_str::<ToWorker>(&text).unwrap(), frame);
    }
    let request = ToLeader::Request {
        at,
        request: Box::new(of(1, 1)),
    };
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<ToLeader>(&text).unwrap(), request);
}
