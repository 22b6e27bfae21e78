//! Being told: the person's own program gets each request once.

use crate::ground::{Project, until};

const ASKS_TWICE: &str = r#"
[[job]]
name = "asks"
[[job.step]]
tool = "Write"
input = { file_path = "one.txt", content = "1" }
[[job.step]]
tool = "Write"
input = { file_path = "two.txt", content = "2" }
"#;

fn told(project: &Project) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(project.home().join("told")).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn a_program_of_the_person_is_told_of_each_request_once_and_escalation_comes_after() {
    let project = Project::with_job(ASKS_TWICE);
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("settings.json"),
        r#"{"pointsman": {"notify": {
            "command": "{ cat; echo; } >> \"$HOME/told\"",
            "desktop": false,
            "escalate": {"after_s": 0.2, "command": ["sh", "-c", "{ cat; echo; } >> \"$HOME/told\""]}
        }}}"#,
    )
    .unwrap();
    let running = project.start(["run", "--attended", "--json", "job.toml"]);
    let first = project.questions(1).remove(0);
    let of_first = until("the first is told and escalated", || {
        let told = told(&project);
        (told.len() == 2).then_some(told)
    });
    assert_eq!(of_first[0]["occasion"], "waits");
    assert_eq!(of_first[0]["request"]["id"], first.as_str());
    assert_eq!(of_first[0]["request"]["tool"], "Write");
    assert_eq!(of_first[1]["occasion"], "escalated");
    project.run(["answer", &first, "deny"]).expect_code(0);
    let second = project.questions(1).remove(0);
    assert_ne!(first, second);
    until("the second is told and escalated", || {
        (told(&project).len() == 4).then_some(())
    });
    project.run(["answer", &second, "deny"]).expect_code(0);
    running.wait();
    let all = told(&project);
    let of = |id: &str| {
        all.iter()
            .filter(|notice| notice["request"]["id"] == id)
            .count()
    };
    assert_eq!((of(&first), of(&second), all.len()), (2, 2, 4));
}
