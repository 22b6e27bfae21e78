//! Programs of the same user that hold the control socket, in whatever way: the operator gets through all the same.
//!
//! Each is a process of its own, a child of this test that is no child of the leader.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::ground::{ASKS, Project};

/// What a child is told to do, and where.
const KIND: &str = "POINTSMAN_TEST_HOLDS_THE_SOCKET";
const SOCKET: &str = "POINTSMAN_TEST_SOCKET";
/// More than there are places.
const PROCESSES: usize = 80;

/// How a program holds on to a connection.
#[derive(Debug, Clone, Copy)]
enum Holds {
    /// It says nothing.
    Silent,
    /// It watches and reads.
    Watches,
    /// It asks without an end and reads nothing.
    Pipelines,
    /// The same, and it comes again as soon as it is sent away.
    ComesAgain,
    /// It asks for what may wait for the disk, and reads nothing.
    Orders,
}

impl Holds {
    const ALL: [Self; 5] = [
        Self::Silent,
        Self::Watches,
        Self::Pipelines,
        Self::ComesAgain,
        Self::Orders,
    ];

    fn named(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|holds| format!("{holds:?}") == name).unwrap()
    }

    /// What it says again and again, or once.
    fn words(self) -> &'static [u8] {
        match self {
            Self::Silent => b"",
            Self::Watches => b"{\"ask\":\"watch\"}\n",
            Self::Pipelines | Self::ComesAgain => b"{\"ask\":\"queue\"}\n",
            Self::Orders => b"{\"ask\":\"touch\",\"id\":\"r1-1\"}\n",
        }
    }

    /// Holds one connection until it is sent away; tells once that it has one.
    fn hold(self, socket: &Path, ready: &mut Option<impl FnOnce()>) -> std::io::Result<()> {
        let mut stream = UnixStream::connect(socket)?;
        let words = self.words();
        match self {
            Self::Silent | Self::Watches => {
                stream.write_all(words)?;
                ready.take().into_iter().for_each(|ready| ready());
                std::io::copy(&mut stream, &mut std::io::sink())?;
            }
            Self::Pipelines | Self::ComesAgain | Self::Orders => {
                stream.write_all(words)?;
                ready.take().into_iter().for_each(|ready| ready());
                loop {
                    stream.write_all(words)?;
                }
            }
        }
        Ok(())
    }
}

/// The child's part; nothing in the test itself.
#[test]
fn the_child_that_holds_the_socket() {
    let (Ok(kind), Some(socket)) = (std::env::var(KIND), std::env::var_os(SOCKET)) else {
        return;
    };
    let holds = Holds::named(&kind);
    let socket = PathBuf::from(socket);
    let mut ready = Some(|| eprintln!("holds"));
    std::thread::spawn(move || {
        loop {
            // Being sent away is what is looked at; a leader that has ended takes nobody in.
            let _ = holds.hold(&socket, &mut ready);
            match holds {
                Holds::ComesAgain if socket.exists() => {}
                _ => break,
            }
        }
    });
    // Goes with the test.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

/// Programs that hold the socket; they end when this is dropped.
struct Crowd(Vec<Child>);

impl Crowd {
    /// Comes back when each of them has a connection.
    fn holding(socket: &Path, holds: Holds) -> Self {
        let start = || {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "lockout::the_child_that_holds_the_socket"])
                .args(["--nocapture"])
                .env(KIND, format!("{holds:?}"))
                .env(SOCKET, socket)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let mut crowd = Self((0..PROCESSES).map(|_| start()).collect());
        for child in &mut crowd.0 {
            let mut lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
            let holds = |line: &str| line.ends_with("holds");
            assert!(lines.any(|line| holds(&line.unwrap())));
        }
        crowd
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn whatever_other_programs_do_with_the_socket_the_operator_gets_through() {
    for holds in Holds::ALL {
        let project = Project::with_job(ASKS);
        let running = project.start(["run", "--attended", "--json", "job.toml"]);
        let id = project.questions(1).remove(0);
        let socket = project.state_folder().join("run-1.sock");
        let crowd = Crowd::holding(&socket, holds);
        for _ in 0..3 {
            let queue = project.run(["queue", "--json"]);
            assert_eq!(queue.code, Some(0), "{holds:?}: {}", queue.err);
            assert_eq!(queue.objects()[0]["id"], id.as_str(), "{holds:?}");
        }
        let answered = project.run(["answer", &id, "allow", "--json"]);
        assert_eq!(answered.code, Some(0), "{holds:?}: {}", answered.err);
        assert_eq!(answered.objects()[0]["came"], "won", "{holds:?}");
        let ended = running.wait().expect_code(0);
        assert_eq!(ended.summary()["jobs"][0]["end"], "done", "{holds:?}");
        drop(crowd);
    }
}

#[test]
fn whoever_watched_first_goes_on_watching_however_many_come() {
    let project = Project::with_job(ASKS);
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    let id = project.questions(1).remove(0);
    let mut watching = project.command(["queue", "--watch", "--json"]);
    watching.stdout(Stdio::piped());
    let mut watching = watching.spawn().unwrap();
    let news = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut news = news.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert_eq!(news.next().unwrap()["reply"], "queue");
    let socket = project.state_folder().join("run-1.sock");
    let crowd = Crowd::holding(&socket, Holds::Watches);
    project.run(["answer", &id, "deny"]).expect_code(0);
    let closed = news.next().unwrap();
    assert_eq!(
        (&closed["reply"], &closed["id"]),
        (&"closed".into(), &id.into())
    );
    drop(crowd);
    running.wait();
    watching.wait().unwrap();
}
