use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pointsman_model::{AbsPath, GroupFacts};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{Reaped, reap};

/// Long enough that no test reaches it unless it means to.
const LONG: Duration = Duration::from_secs(600);

fn spec(folder: &Path, line: &str) -> CommandSpec {
    CommandSpec {
        program: "sh".into(),
        args: vec!["-c".into(), line.into()],
        folder: AbsPath::parse(folder.to_str().unwrap()).unwrap(),
        env: Environment::empty().with("PATH", std::env::var_os("PATH").unwrap()),
        stdin: None,
        output_bytes_max: 64 * 1024,
        time_max: LONG,
        kill_grace: LONG,
    }
}

async fn ran(spec: CommandSpec) -> Finished {
    run(spec, &CancellationToken::new(), &mut |_| ())
        .await
        .unwrap()
}

/// A pipe with a name in `folder`: opening it for reading waits until the script opens it for
/// writing, and reading it to the end waits until all who hold it are dead.
fn fifo(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

/// What the script wrote to the pipe until everyone who held it was dead.
fn read_to_end(fifo: PathBuf) -> tokio::task::JoinHandle<String> {
    tokio::task::spawn_blocking(move || fs::read_to_string(fifo).unwrap())
}

/// The first line that the script wrote to the pipe; gives the rest to read until all are dead.
async fn first_line(fifo: PathBuf) -> (String, tokio::task::JoinHandle<usize>) {
    use std::io::{BufRead as _, BufReader, Read as _};
    let opened = tokio::task::spawn_blocking(move || {
        let mut file = BufReader::new(fs::File::open(fifo).unwrap());
        let mut line = String::new();
        file.read_line(&mut line).unwrap();
        (line, file)
    });
    let (line, mut file) = opened.await.unwrap();
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).unwrap()
    });
    (line, rest)
}

#[tokio::test]
async fn a_program_gets_its_input_and_gives_both_outputs_and_its_code() {
    let folder = TempDir::new().unwrap();
    let mut spec = spec(folder.path(), "cat; echo oops >&2; exit 3");
    spec.stdin = Some(b"in".to_vec());
    let finished = ran(spec).await;
    assert_eq!(finished.end, End::Exited(3));
    assert_eq!(finished.stdout.text(), "in");
    assert_eq!(finished.stderr.text(), "oops\n");
    assert_eq!(finished.cut(), 0);
}

#[tokio::test]
async fn a_full_pipe_on_either_side_blocks_nobody() {
    let folder = TempDir::new().unwrap();
    // Writes much more than a pipe holds to both outputs, before it reads anything.
    let line = "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; cat";
    let mut spec = spec(folder.path(), line);
    spec.stdin = Some(vec![b'x'; 1_000_000]);
    spec.output_bytes_max = 1_000;
    let finished = ran(spec).await;
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(finished.cut(), 3_000_000 - 2_000);
}

#[tokio::test]
async fn a_program_that_never_reads_its_input_ends_all_the_same() {
    let folder = TempDir::new().unwrap();
    let mut spec = spec(folder.path(), "exit 0");
    spec.stdin = Some(vec![b'x'; 1_000_000]);
    assert_eq!(ran(spec).await.end, End::Exited(0));
}

#[tokio::test]
async fn the_environment_and_the_folder_are_those_of_the_spec_alone() {
    let folder = TempDir::new().unwrap();
    let mut spec = spec(folder.path(), "/usr/bin/env; pwd");
    spec.env = spec.env.with("ONLY", "this");
    let text = ran(spec).await.stdout.text();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .filter(|name| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"))
        .collect();
    assert_eq!(names.len(), 3, "{text}");
    for name in ["ONLY", "PATH", "POINTSMAN_PROCESS"] {
        assert!(names.contains(&name), "{text}");
    }
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(text.lines().last(), folder.to_str());
}

#[tokio::test]
async fn what_can_not_be_started_is_a_clear_error() {
    let folder = TempDir::new().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "no program").unwrap();
    let error = |spec: CommandSpec| async {
        let never = CancellationToken::new();
        run(spec, &never, &mut |_| ())
            .await
            .unwrap_err()
            .to_string()
    };
    let with = |program: &str| CommandSpec {
        program: program.into(),
        ..spec(folder.path(), "")
    };
    assert_eq!(
        error(with("no-such-one")).await,
        "there is no program `no-such-one`"
    );
    assert_eq!(
        error(with("./no-such-one")).await,
        "there is no program `./no-such-one`"
    );
    assert_eq!(
        error(with("./plain")).await,
        "`./plain` could not be started"
    );
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        error(with("./plain")).await,
        "`./plain` could not be started"
    );
    let nowhere = spec(&folder.path().join("gone"), "true");
    assert!(
        error(nowhere)
            .await
            .ends_with("gone` is no folder that a program can run in")
    );
}

#[tokio::test]
async fn a_signal_from_elsewhere_is_told() {
    let folder = TempDir::new().unwrap();
    assert_eq!(
        ran(spec(folder.path(), "kill -9 $$")).await.end,
        End::Signalled(9)
    );
}

#[tokio::test]
async fn a_background_job_that_keeps_the_pipes_open_neither_hangs_the_run_nor_outlives_it() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let dead = read_to_end(alive);
    let line = "(exec 3>alive; echo up >&3; while :; do sleep 600; done) & exec 3>alive; echo done";
    let finished = ran(spec(folder.path(), line)).await;
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(finished.stdout.text(), "done\n");
    dead.await.unwrap();
}

#[tokio::test]
async fn a_stop_reaches_the_whole_group() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let line = "exec 3>alive; (sleep 600) & (sleep 600 | sleep 600) & echo up >&3; wait";
    let spec = spec(folder.path(), line);
    let stop = CancellationToken::new();
    let running = {
        let stop = stop.clone();
        tokio::spawn(async move { run(spec, &stop, &mut |_| ()).await.unwrap() })
    };
    let (line, dead) = first_line(alive).await;
    assert_eq!(line, "up\n");
    stop.cancel();
    assert_eq!(running.await.unwrap().end, End::Stopped);
    dead.await.unwrap();
}

#[tokio::test]
async fn the_first_signal_lets_a_program_clean_up() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let line =
        "trap 'echo cleaned; exit 0' TERM; exec 3>alive; echo up >&3; while :; do sleep 0.01; done";
    let spec = spec(folder.path(), line);
    let stop = CancellationToken::new();
    let running = {
        let stop = stop.clone();
        tokio::spawn(async move { run(spec, &stop, &mut |_| ()).await.unwrap() })
    };
    let (_, dead) = first_line(alive).await;
    stop.cancel();
    let finished = running.await.unwrap();
    assert_eq!(
        (finished.end, finished.stdout.text().as_str()),
        (End::Stopped, "cleaned\n")
    );
    dead.await.unwrap();
}

#[tokio::test]
async fn a_group_that_ignores_the_first_signal_is_killed_after_the_grace() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let line = "trap '' TERM; exec 3>alive; sleep 600 & echo up >&3; while :; do sleep 600; done";
    let mut spec = spec(folder.path(), line);
    spec.kill_grace = Duration::from_millis(1);
    let stop = CancellationToken::new();
    let running = {
        let stop = stop.clone();
        tokio::spawn(async move { run(spec, &stop, &mut |_| ()).await.unwrap() })
    };
    let (_, dead) = first_line(alive).await;
    stop.cancel();
    assert_eq!(running.await.unwrap().end, End::Stopped);
    dead.await.unwrap();
}

/// The clock stands still but jumps to the next timer when nothing else can go on, so the time limit
/// comes at once and no time is measured.
#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_it() {
    let folder = TempDir::new().unwrap();
    let mut spec = spec(folder.path(), "sleep 600");
    spec.time_max = LONG;
    assert_eq!(ran(spec).await.end, End::TimedOut);
}

#[tokio::test]
async fn a_stray_that_left_the_group_is_killed_with_it() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let line = "setsid sh -c 'exec 3>alive; echo up >&3; sleep 600' & wait";
    let mut spec = spec(folder.path(), line);
    spec.kill_grace = Duration::from_millis(1);
    let stop = CancellationToken::new();
    let running = {
        let stop = stop.clone();
        tokio::spawn(async move { run(spec, &stop, &mut |_| ()).await.unwrap() })
    };
    let (_, dead) = first_line(alive).await;
    stop.cancel();
    assert_eq!(running.await.unwrap().end, End::Stopped);
    dead.await.unwrap();
}

#[tokio::test]
async fn law_21_dropping_the_future_kills_the_group() {
    let folder = TempDir::new().unwrap();
    let alive = fifo(folder.path(), "alive");
    let line = "trap '' TERM; exec 3>alive; sleep 600 & echo up >&3; while :; do sleep 600; done";
    let spec = spec(folder.path(), line);
    let running = tokio::spawn(async move {
        let never = CancellationToken::new();
        run(spec, &never, &mut |_| ()).await
    });
    let (_, dead) = first_line(alive).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    dead.await.unwrap();
}

/// A group as a killed leader leaves it: started by nobody who waits for it.
async fn orphans(folder: &Path, line: &str) -> (ProcessGroup, tokio::task::JoinHandle<usize>) {
    let alive = fifo(folder, "alive");
    let (group, known) = tokio::sync::oneshot::channel();
    let spec = spec(folder, line);
    let mut group = Some(group);
    let running = tokio::spawn(async move {
        let never = CancellationToken::new();
        run(spec, &never, &mut |started| {
            let _ = group.take().unwrap().send(started);
        })
        .await
    });
    let (_, dead) = first_line(alive).await;
    // Only this test's record of the group is used from here on; the run sees its program die.
    drop(running);
    (known.await.unwrap(), dead)
}

#[tokio::test]
async fn law_21_a_dead_leaders_group_is_reaped_by_its_record() {
    let folder = TempDir::new().unwrap();
    let line = "exec 3>alive; sleep 600 & echo up >&3; wait";
    let (group, dead) = orphans(folder.path(), line).await;
    let record = ProcessGroup::recorded(group.facts().clone());
    assert!(matches!(reap(&record), Reaped::Killed { .. }));
    dead.await.unwrap();
    // The run that still waits for it takes a moment to clear the dead away.
    while reap(&record) != Reaped::Gone {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stranger_with_the_same_number_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let line = "exec 3>alive; echo up >&3; sleep 600";
    let (group, dead) = orphans(folder.path(), line).await;
    let facts = group.facts();
    for stranger in [
        GroupFacts {
            started_ticks: facts.started_ticks + 1,
            mark: "another".into(),
            ..facts.clone()
        },
        GroupFacts {
            boot: "another boot".into(),
            ..facts.clone()
        },
    ] {
        let stranger = ProcessGroup::recorded(stranger);
        assert_eq!(reap(&stranger), Reaped::Gone, "{stranger:?}");
    }
    assert!(!dead.is_finished());
    assert!(matches!(reap(&group), Reaped::Killed { .. }));
    dead.await.unwrap();
}

#[tokio::test]
async fn a_program_in_the_folder_takes_the_place_of_none_by_its_name() {
    let folder = TempDir::new().unwrap();
    let planted = folder.path().join("sh");
    fs::write(&planted, "#!/bin/true\n").unwrap();
    fs::set_permissions(&planted, fs::Permissions::from_mode(0o755)).unwrap();
    let with_path = |env: Environment| CommandSpec {
        env,
        ..spec(folder.path(), "exit 0")
    };
    for env in [
        Environment::empty(),
        Environment::empty().with("PATH", ""),
        Environment::empty().with("PATH", ":."),
    ] {
        let told = run(with_path(env), &CancellationToken::new(), &mut |_| ()).await;
        assert!(matches!(told, Err(RunError::NotFound { .. })));
    }
}

#[tokio::test]
async fn law_9_a_program_has_no_terminal_to_type_an_answer_into() {
    let folder = TempDir::new().unwrap();
    // Number, session and terminal of the first process and of one that it starts.
    let line = r#"
        tell() { read -r stat < /proc/self/stat; set -- ${stat##*)}; echo "$3 $4 $5"; }
        tell; echo $$; (tell) | cat; : < /dev/tty"#;
    let finished = run(
        CommandSpec {
            program: "/bin/bash".into(),
            args: vec!["-c".into(), line.into()],
            ..spec(folder.path(), "")
        },
        &CancellationToken::new(),
        &mut |_| (),
    )
    .await
    .unwrap();
    let stdout = finished.stdout.text();
    let [own, id, child] = stdout.lines().collect::<Vec<_>>()[..] else {
        panic!("{stdout}")
    };
    for told in [own, child] {
        assert_eq!(told, format!("{id} {id} 0"));
    }
    assert!(finished.stderr.text().contains("/dev/tty"));
    assert_ne!(finished.end, End::Exited(0));
}

#[tokio::test]
async fn a_text_with_a_nul_starts_nothing() {
    let folder = TempDir::new().unwrap();
    let spec = CommandSpec {
        args: vec!["-c".into(), "echo \0".into()],
        ..spec(folder.path(), "")
    };
    let error = run(spec, &CancellationToken::new(), &mut |_| {
        panic!("it was started")
    })
    .await
    .unwrap_err();
    assert!(matches!(error, RunError::Start { .. }), "{error:?}");
}
