//! The row of a dialog that a person is at already: what a hook says then does not count.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{ASKED, yes};
use crate::ground::{Project, until};

const ASKS: &str = "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"touch made\" }\n";

/// The control socket of the only leader, below a folder.
fn socket(folder: &Path) -> Option<PathBuf> {
    for entry in std::fs::read_dir(folder).ok()?.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            if let Some(found) = socket(&path) {
                return Some(found);
            }
        } else if path.extension().is_some_and(|end| end == "sock") {
            return Some(path);
        }
    }
    None
}

/// How often something is on record.
fn recorded(project: &Project, kind: &str) -> usize {
    let log = project.run(["log", "--json"]).expect_code(0);
    let objects = log.objects();
    objects
        .iter()
        .filter(|record| record["body"]["kind"] == kind)
        .count()
}

#[test]
fn law_13_a_hook_that_answers_a_question_that_a_person_is_at_is_not_heard() {
    for (touched, end) in [(false, "success"), (true, "cancelled")] {
        let project = Project::with_job(ASKS);
        let go = project.root().join("go");
        let line = format!(
            "while ! test -e '{}'; do sleep 0.02; done; {}",
            go.display(),
            yes()
        );
        let hook = json!({ "type": "command", "command": line });
        let settings = json!({ "hooks": { ASKED: [{ "hooks": [hook] }] } });
        std::fs::create_dir_all(project.home().join(".claude")).unwrap();
        let file = project.home().join(".claude/settings.json");
        std::fs::write(file, settings.to_string()).unwrap();
        let running = project.start(["run", "--attended", "--json", "job.toml"]);
        project.questions(1);
        // The hook has its turn, so the question is on no screen yet.
        assert_eq!(recorded(&project, "request_shown"), 0);
        if touched {
            let leader = until("the leader listens", || socket(&project.home()));
            let mut leader = UnixStream::connect(leader).unwrap();
            leader
                .write_all(b"{\"ask\":\"touch\",\"id\":\"r1-1\"}\n")
                .unwrap();
            let mut told = String::new();
            BufReader::new(leader).read_line(&mut told).unwrap();
            assert!(told.contains("a person is at r1-1"), "{told}");
        }
        std::fs::write(&go, "").unwrap();
        if touched {
            until("the question is asked all the same", || {
                (recorded(&project, "request_shown") == 1).then_some(())
            });
            project.run(["answer", "r1-1", "deny"]).expect_code(0);
        }
        running.wait();
        let log = project.run(["log", "--json"]).expect_code(0);
        let objects = log.objects();
        let ended = objects
            .iter()
            .find(|record| record["body"]["kind"] == "call_ended");
        assert_eq!(ended.unwrap()["body"]["state"], end, "{}", log.out);
        assert_eq!(project.read("made").is_some(), !touched);
    }
}
