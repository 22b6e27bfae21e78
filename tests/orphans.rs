//! What an agent's command leaves behind: it sheds its environment, its session and its parents, and is still no person.

use nix::sys::signal::Signal;

use crate::ground::{Project, program, until};

const JOBS: &str = r#"
slots = 2
[[job]]
name = "leaves"
allow = ["Bash"]
[[job.step]]
tool = "Bash"
input = { command = "bash leave.sh" }
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

/// Leaves a process that tries to answer, writes down how that went, and stays. The command ends once that process has a
/// session of its own: in the command's group it would end with it.
fn leaver() -> String {
    let program = program().display();
    format!(
        r#"env -i PATH="$PATH" HOME="$HOME" setsid -f bash -c '
  : > left.txt
  until "{program}" queue | grep -q r1-1; do ((looks++ < 3)) || break; done
  "{program}" answer r1-1 allow > said.txt 2>&1
  echo $$ > stays.txt
  exec sleep 600' < /dev/null > /dev/null 2>&1
until [ -e left.txt ]; do sleep 0.05; done"#
    )
}

/// Waits until the process has tried to answer. Its number.
fn stays(project: &Project) -> String {
    until("the orphan stays", || {
        let text = project.read("stays.txt")?;
        Some(text.strip_suffix('\n')?.to_owned())
    })
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn project() -> Project {
    let project = Project::with_job(JOBS);
    project.write("leave.sh", &leaver());
    project
}

#[test]
fn law_2_a_process_that_shed_its_parents_answers_nothing() {
    let project = project();
    let leader = project.start(["run", "--attended", "job.toml"]);
    project.questions(1);
    let pid = stays(&project);
    assert!(lives(&pid));
    assert_eq!(project.questions(1), ["r1-1"]);
    assert_ne!(project.read("said.txt"), None);
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("asked.txt"), None);
    assert!(!lives(&pid), "law 21: it outlived the run");
}

#[test]
fn law_21_a_stop_ends_what_shed_its_parents() {
    let project = project();
    let leader = project.start(["run", "--attended", "job.toml"]);
    let pid = stays(&project);
    leader.signal(Signal::SIGINT);
    leader.wait().expect_code(130);
    assert!(!lives(&pid));
}

/// Another run's agent is no person either, with its leader's mark or without.
#[test]
fn law_2_no_agent_of_another_run_answers() {
    let project = project();
    project.write(
        "asks.toml",
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Write\"\n\
         input = { file_path = \"asked.txt\", content = \"x\" }\n",
    );
    let program = program().display();
    let tries = [
        format!("\"{program}\" answer r1-1 allow"),
        format!("exec env -i PATH=\"$PATH\" HOME=\"$HOME\" \"{program}\" answer r1-1 allow"),
        format!("\"{program}\" grants tighten deny Bash --run run-1"),
    ];
    let mut other = "[[job]]\nname = \"answers\"\nallow = [\"Bash\"]\n".to_owned();
    for (at, line) in tries.iter().enumerate() {
        project.write(
            &format!("{at}.sh"),
            &format!("({line}) > {at}.txt 2>&1\n:\n"),
        );
        other +=
            &format!("[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"bash {at}.sh\" }}\n");
    }
    project.write("other.toml", &other);
    let leader = project.start(["run", "--attended", "asks.toml"]);
    project.questions(1);
    project
        .run(["run", "--unattended", "other.toml"])
        .expect_code(0);
    for at in 0..tries.len() {
        let said = project.read(&format!("{at}.txt")).unwrap();
        assert!(said.contains("no agent answers questions"), "{at}: {said}");
    }
    assert_eq!(project.questions(1), ["r1-1"]);
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    leader.wait().expect_code(0);
    assert_eq!(project.read("asked.txt"), None);
}
