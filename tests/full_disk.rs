//! A ledger that can't grow any more: nothing runs unrecorded, nothing of it is hidden, and the next run says it right.

use std::process::Command;

use crate::ground::{Ended, Project, program};

/// How far a file may grow in such a run, in blocks of 512 bytes: a few calls fit, the rest does not.
const BLOCKS_MAX: u32 = 512;

const CALLS: u64 = 40;

/// One job whose calls are large on record.
fn large_calls() -> Project {
    let project = Project::new();
    let content = "x".repeat(10_000);
    let mut job = "[[job]]\nname = \"a\"\nallow = [\"Edit(/out/**)\"]\n".to_owned();
    for step in 0..CALLS {
        job.push_str(&format!(
            "[[job.step]]\ntool = \"Write\"\ninput = {{ file_path = \"out/{step}\", content = \"{content}\" }}\n"
        ));
    }
    project.write("job.toml", &job);
    project
}

/// Runs the program where files may grow so far and no further. That ends a program unless it wants to be told, as a full
/// disk does.
fn run_bounded(project: &Project, arguments: &[&str]) -> Ended {
    let bounded = format!("trap '' XFSZ; ulimit -f {BLOCKS_MAX}; exec \"$0\" \"$@\"");
    run_by(project, &["sh", "-c", &bounded], arguments)
}

/// Runs the program by another one, in the project and its environment.
fn run_by(project: &Project, starter: &[&str], arguments: &[&str]) -> Ended {
    let plain = project.command([]);
    let mut command = Command::new(starter[0]);
    command.args(&starter[1..]).arg(program()).args(arguments);
    command.current_dir(project.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ended::of(command.stdin(std::process::Stdio::null()).output().unwrap())
}

#[test]
fn calls_that_can_t_be_recorded_are_not_run_and_the_exit_code_and_the_counts_say_so() {
    let project = large_calls();
    let ended = run_bounded(&project, &["run", "job.toml", "--json"]).expect_code(3);
    let summary = ended.summary();
    let count = |name: &str| summary["counts"][name].as_u64().unwrap();
    assert_eq!(count("calls"), CALLS, "{summary}");
    assert_eq!(count("succeeded") + count("unanswered"), CALLS, "{summary}");
    let written = std::fs::read_dir(project.root().join("out")).unwrap();
    assert_eq!(written.count() as u64, count("succeeded"));
    let remarks = summary["remarks"].to_string();
    assert!(
        remarks.contains("not on record, though counted here"),
        "{remarks}"
    );
    let told = ended.err.matches("nothing can be recorded").count();
    assert!((1..=3).contains(&told), "{}", ended.err);

    // There is space again: the next run says what became of this one, and goes its way.
    let next = project.run(["run", "job.toml", "--json"]).expect_code(0);
    let next = next.summary();
    assert_eq!(next["counts"]["succeeded"], CALLS);
    let remarks = next["remarks"].to_string();
    assert!(remarks.contains("or could not record its end"), "{remarks}");
    project.run(["log", "verify"]).expect_code(0);
    let runs = project.run(["runs", "--json"]).expect_code(0);
    assert_eq!(runs.objects()[0]["state"], "interrupted", "{}", runs.out);
}

/// Whether a file system can be mounted that nobody else sees.
fn may_mount() -> bool {
    let mut trial = Command::new("unshare");
    trial.args([
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "none",
        "/mnt",
    ]);
    trial.output().is_ok_and(|ended| ended.status.success())
}

#[test]
fn the_doctor_and_a_check_before_a_run_say_that_there_is_no_room_for_records() {
    if !may_mount() {
        eprintln!("not tried: nobody may mount a disk of his own here (unshare)");
        return;
    }
    let project = large_calls();
    let small = project.root().join("small");
    std::fs::create_dir(&small).unwrap();
    let on_a_disk_of = |size: &str, arguments: &[&str]| {
        let small = small.to_str().unwrap();
        let mounted = format!(
            "mount -t tmpfs -o size={size} none {small} && XDG_STATE_HOME={small} exec \"$0\" \"$@\""
        );
        run_by(
            &project,
            &[
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                &mounted,
            ],
            arguments,
        )
    };
    let full = on_a_disk_of("64k", &["doctor"]).expect_code(1);
    assert!(
        full.out.contains("its disk has 64 KiB left"),
        "{}{}",
        full.out,
        full.err
    );
    let little = on_a_disk_of("20m", &["doctor"]).expect_code(0);
    assert!(
        little.out.contains("its disk has 20 MiB left"),
        "{}",
        little.out
    );
    let enough = on_a_disk_of("200m", &["doctor"]).expect_code(0);
    assert!(!enough.out.contains("its disk"), "{}", enough.out);

    let checked = on_a_disk_of("64k", &["run", "--check", "job.toml"]).expect_code(0);
    assert!(
        checked.err.contains("its disk has 64 KiB left"),
        "{}{}",
        checked.out,
        checked.err
    );
    assert!(
        checked.out.contains("with the warning above"),
        "{}",
        checked.out
    );
}
