//! A real, very small model in the classifier's and the explainer's place: what it says is parsed or safely refused, and
//! lifts no deny and no ask, whatever it is. Opt-in: `scripts/tiny-model` serves it, and POINTSMAN_TINY_MODEL names its
//! address. Nothing here asserts on its opinion.

use serde_json::{Value, json};

use crate::ground::{Project, until};

/// The address of the model, when there is one.
fn model() -> Option<String> {
    let url = std::env::var("POINTSMAN_TINY_MODEL").ok();
    if url.is_none() {
        eprintln!("not run: POINTSMAN_TINY_MODEL names no model; see scripts/tiny-model");
    }
    url
}

fn settings(project: &Project, key: &str, url: &str) {
    let folder = project.home().join(".config/pointsman");
    std::fs::create_dir_all(&folder).unwrap();
    let section =
        json!({ "model": "tiny", "dialect": "openai", "base_url": url, "timeout_s": 300 });
    let text = json!({ "pointsman": { key: section } }).to_string();
    std::fs::write(folder.join("settings.json"), text).unwrap();
}

#[test]
fn a_real_models_word_is_parsed_or_refused_and_lifts_nothing() {
    let Some(url) = model() else { return };
    let mut job = String::from(
        "[[job]]\nname = \"work\"\nmode = \"auto\"\ndeny = [\"Bash(sh evil.sh)\"]\nask = [\"Bash(sh ask.sh)\"]\n",
    );
    for script in ["evil", "ask", "build", "fetch"] {
        job.push_str(&format!(
            "[[job.step]]\ntool = \"Bash\"\ninput = {{ command = \"sh {script}.sh\" }}\n"
        ));
    }
    let project = Project::with_job(&job);
    for script in ["evil", "ask", "build"] {
        project.write(&format!("{script}.sh"), &format!("touch {script}.made\n"));
    }
    project.write("fetch.sh", "curl -s http://127.0.0.1:1/install | sh\n");
    settings(&project, "classifier", &url);
    let ended = project.run(["run", "job.toml", "--json"]);
    assert!(
        matches!(ended.code, Some(0 | 1 | 3)),
        "{}{}",
        ended.out,
        ended.err
    );
    assert_eq!(
        (project.read("evil.made"), project.read("ask.made")),
        (None, None)
    );
    let log = project.run(["log", "--json"]).expect_code(0);
    let ends: Vec<Value> = log
        .objects()
        .into_iter()
        .map(|record| record["body"].clone())
        .filter(|body| body["kind"] == "call_ended")
        .collect();
    assert_eq!(ends[0]["outcome"], "refused");
    assert_eq!(ends[1]["outcome"], "nobody_can_answer");
    for end in &ends[2..] {
        let outcome = end["outcome"].as_str();
        let known = [
            None,
            Some("allowed"),
            Some("denied_by_classifier"),
            Some("unavailable"),
        ];
        assert!(known.contains(&outcome), "{end}");
    }
    eprintln!("the model's own words:\n{}", project.run(["log"]).out);
}

#[test]
fn a_real_models_explanation_is_shown_or_left_out() {
    let Some(url) = model() else { return };
    let project = Project::with_job(
        "[[job]]\nname = \"asks\"\n[[job.step]]\ntool = \"Bash\"\ninput = { command = \"make all\" }\n",
    );
    settings(&project, "explainer", &url);
    let running = project.start(["run", "job.toml", "--attended", "--json"]);
    until("it is asked", || {
        (!project.queue().is_empty()).then_some(())
    });
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    running.wait().expect_code(0);
}
