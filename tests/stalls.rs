//! Readers that stall, and a terminal that is lent to the shell: the run goes on, and stops when it is told to.

use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};

use expectrl::session::OsSession;
use expectrl::{Eof, Expect as _, Regex};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

use crate::ground::{Project, Running, until};

/// Pauses a terminal's output, as Ctrl-S does.
const XOFF: &str = "\u{13}";
const CTRL_Z: &str = "\u{1a}";

/// More than every queue and pipe on the way to a reader holds.
const CALLS: usize = 400;

/// Asks, tells much, and asks again.
fn talks() -> String {
    let mut job = String::from(
        "[[job]]\nname = \"talks\"\nallow = [\"Edit(/out/**)\"]\n\
         [[job.step]]\ntool = \"Write\"\ninput = { file_path = \"first.txt\", content = \"1\" }\n",
    );
    for _ in 0..CALLS {
        job.push_str("[[job.step]]\ntool = \"Read\"\ninput = { file_path = \"pointsman.md\" }\n");
    }
    for file in ["out/told.txt", "last.txt"] {
        job.push_str(&format!(
            "[[job.step]]\ntool = \"Write\"\ninput = {{ file_path = \"{file}\", content = \"2\" }}\n"
        ));
    }
    job
}

fn project() -> Project {
    let project = Project::with_job(&talks());
    project.write("pointsman.md", "words\n");
    project
}

fn pid(session: &OsSession) -> Pid {
    Pid::from_raw(session.get_process().pid().as_raw())
}

/// Lets the first question pass from elsewhere, and waits until the run has come to its last one.
fn goes_on(project: &Project) {
    project.run(["answer", "r1-1", "allow"]).expect_code(0);
    until("the run goes on", || project.read("out/told.txt"));
    assert_eq!(project.questions(1), ["r1-2"]);
}

#[test]
fn a_paused_terminal_holds_up_neither_the_run_nor_its_stop() {
    let project = project();
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect(Regex("r1-1> $")).unwrap();
    terminal.send(XOFF).unwrap();
    goes_on(&project);
    kill(pid(&terminal), Signal::SIGINT).unwrap();
    let end = format!("{:?}", terminal.get_process().wait().unwrap());
    assert!(end.contains("130"), "{end}");
    assert_eq!(project.read("last.txt"), None);
    // The terminal was given back, paused as it is.
    assert!(reads_lines(&terminal));
}

#[test]
fn a_stalled_reader_holds_up_neither_the_run_nor_its_stop() {
    let project = project();
    let run = project.start(["run", "--attended", "--json", "job.toml"]);
    assert_eq!(project.questions(1), ["r1-1"]);
    goes_on(&project);
    run.signal(Signal::SIGINT);
    assert_eq!(run.code_unread(), Some(130));
    let log = project.run(["log", "--json"]).expect_code(0);
    let ended = log.objects().into_iter().last().unwrap();
    assert_eq!(ended["body"]["kind"], "run_ended");
}

#[test]
fn a_slow_reader_gets_all_of_it() {
    let project = project();
    let run: Running = project.start(["run", "--attended", "--json", "job.toml"]);
    assert_eq!(project.questions(1), ["r1-1"]);
    goes_on(&project);
    project.run(["answer", "r1-2", "allow"]).expect_code(0);
    until("the run has ended", || {
        project.queue().is_empty().then_some(())
    });
    let ended = run.wait().expect_code(0);
    assert_eq!(ended.summary()["counts"]["calls"], CALLS + 3);
    let ends = ended.objects();
    let ends = ends
        .iter()
        .filter(|object| object["body"]["kind"] == "call_ended");
    assert_eq!(ends.count(), CALLS + 3);
}

/// Whether the terminal works as a shell wants it: whole lines.
fn reads_lines(session: &OsSession) -> bool {
    let handle = session.get_process().get_raw_handle().unwrap();
    let modes = tcgetattr(handle.as_fd()).unwrap().local_flags;
    modes.contains(LocalFlags::ICANON)
}

/// The letter for a process's state: `T` when it is stopped.
fn state(pid: Pid) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(") ").next().unwrap()[..1].to_owned()
}

/// Stops the program and lets it go on; it has the terminal again then.
#[track_caller]
fn is_lent_and_taken_back(session: &OsSession) {
    let pid = pid(session);
    until("it stops", || (state(pid) == "T").then_some(()));
    assert!(reads_lines(session));
    kill(pid, Signal::SIGCONT).unwrap();
    until("it has the terminal again", || {
        (!reads_lines(session)).then_some(())
    });
}

#[test]
fn ctrl_z_lends_the_terminal_of_the_prompt_and_fg_takes_it_back() {
    let project = project();
    let mut terminal = project.at_terminal(["run", "--plain", "job.toml"]);
    terminal.expect(Regex("r1-1> $")).unwrap();
    for _ in 0..2 {
        terminal.send(CTRL_Z).unwrap();
        is_lent_and_taken_back(&terminal);
        terminal.expect(Regex("r1-1> $")).unwrap();
    }
    terminal.send("deny not this\r").unwrap();
    terminal.expect("r1-2> ").unwrap();
    terminal.send("deny\r").unwrap();
    terminal.expect(Eof).unwrap();
    assert!(reads_lines(&terminal));
}

#[test]
fn the_full_screen_is_left_while_the_program_is_stopped() {
    let project = project();
    let mut terminal = project.at_terminal(["run", "job.toml"]);
    terminal.get_process_mut().set_window_size(80, 24).unwrap();
    let (enters, leaves) = ("\u{1b}[?1049h", "\u{1b}[?1049l");
    terminal.expect(enters).unwrap();
    kill(pid(&terminal), Signal::SIGTSTP).unwrap();
    is_lent_and_taken_back(&terminal);
    terminal.expect(leaves).unwrap();
    terminal.expect(enters).unwrap();
    terminal.expect("waits for you").unwrap();
    kill(pid(&terminal), Signal::SIGTERM).unwrap();
    terminal.expect(leaves).unwrap();
    terminal.expect(Eof).unwrap();
    assert!(reads_lines(&terminal));
}

#[test]
fn what_libraries_warn_of_goes_to_standard_error_alone() {
    let project = project();
    let mut command: Command = project.command(["run", "--unattended", "--json", "job.toml"]);
    let output = command
        .env("POINTSMAN_LOG", "pointsman_nothing=info,nonsense=loud")
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("`POINTSMAN_LOG` is"), "{err}");
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.lines().all(|line| line.starts_with('{')), "{out}");
}
