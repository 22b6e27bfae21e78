//! Job files as people write them, right and wrong. What is told of wrong ones is kept as snapshots.

use super::*;

/// The problems of a file as a person reads them, one a line.
fn problems(text: &str) -> String {
    match JobFile::parse(text, "jobs.toml") {
        Ok(_) => "nothing is wrong".into(),
        Err(problems) => told(&problems),
    }
}

fn told(problems: &[JobFileProblem]) -> String {
    let line = |problem: &JobFileProblem| match problem.hint() {
        Some(hint) => format!("{problem} ({hint})"),
        None => problem.to_string(),
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn parsed(text: &str) -> JobFile {
    JobFile::parse(text, "jobs.toml").unwrap_or_else(|problems| panic!("{}", told(&problems)))
}

const WHOLE: &str = r#"
slots = 2
depth_max = 2
agents_max = 10
answer_within_s = 90
failure = "stop"

[defaults]
mode = "plan"
allow = ["Bash(ls *)"]
timeout_s = 30
retry = 1

[[job]]
name = "look"
step = [{ tool = "Bash", input = { command = "ls -l" } }]

[[job]]
name = "mend"
task = "mend what look found"
needs = ["look"]
mode = "acceptEdits"
folder = "src"
directories = ["docs"]
allow = ["Edit(src/**)"]
deny = ["Bash(rm *)"]
tools = ["Edit", "Read", "Task"]
timeout_s = 5
retry = { times = 2, wait_s = 3 }
on_failure = "continue"

[[job.step]]
tool = "Read"
input = { file_path = "a.rs" }

[[job.step]]
tool = "Agent"
input = { subagent_type = "checker", prompt = "check it" }

[agents.checker]
mode = "plan"
tools = ["Read", "Grep"]
step = [{ tool = "Grep", input = { pattern = "fn main" } }]
"#;

#[test]
fn a_whole_file_says_what_it_says() {
    let file = parsed(WHOLE);
    assert_eq!((file.slots, file.depth_max, file.agents_max), (2, 2, 10));
    assert_eq!(file.answer_within, Some(Duration::from_secs(90)));
    let [look, mend] = &file.jobs[..] else {
        panic!("two jobs")
    };
    assert_eq!((look.name.as_ref(), &*look.task), ("look", "look"));
    assert_eq!(look.mode, Some(PermissionMode::Plan));
    assert_eq!(look.time_max, Duration::from_secs(30));
    assert_eq!(
        look.retry,
        Retry {
            times: 1,
            wait: Duration::from_secs(1)
        }
    );
    assert_eq!(look.on_failure, FailurePolicy::Stop);
    assert_eq!((look.tools.clone(), &*look.folder), (ToolSet::All, "."));

    assert_eq!(mend.needs, [0]);
    assert_eq!(&*mend.task, "mend what look found");
    assert_eq!(mend.mode, Some(PermissionMode::AcceptEdits));
    assert_eq!(mend.time_max, Duration::from_secs(5));
    assert_eq!(
        mend.retry,
        Retry {
            times: 2,
            wait: Duration::from_secs(3)
        }
    );
    assert_eq!(mend.on_failure, FailurePolicy::Continue);
    let rules: Vec<String> = mend
        .rules
        .iter()
        .map(|rule| format!("{} {} {}", rule.behavior, rule.text, rule.place))
        .collect();
    assert_eq!(
        rules,
        [
            "allow Bash(ls *) jobs.toml:10:10",
            "allow Edit(src/**) jobs.toml:25:10",
            "deny Bash(rm *) jobs.toml:26:9"
        ]
    );
    let ToolSet::Only(tools) = &mend.tools else {
        panic!("a limit")
    };
    let tools: Vec<&str> = tools.iter().map(|tool| tool.as_str()).collect();
    assert_eq!(tools, ["Edit", "Read", "Agent"]);

    let checker = &file.agents[&AgentName::new("checker")];
    assert_eq!(
        (checker.mode, steps_of(&checker.work)),
        (Some(PermissionMode::Plan), 1)
    );
}

fn steps_of(work: &Work) -> usize {
    match work {
        Work::Steps(steps) => steps.steps.len(),
        Work::Model(_) | Work::Replay(_) => 0,
    }
}

const MODEL: &str =
    r#"model = { model = "m", dialect = "openai", base_url = "http://127.0.0.1:1" }"#;

#[test]
fn a_model_works_on_a_task() {
    let file = parsed(&format!(
        r#"
[defaults]
agent = "llm"
{MODEL}

[[job]]
name = "one"
task = "do it"

[[job]]
name = "two"
task = "do that"
model = {{ model = "other", dialect = "anthropic", turns_max = 3 }}

[[job]]
name = "three"
agent = "steps"
step = [{{ tool = "Bash", input = {{ command = "ls" }} }}]

[agents.helper]
agent = "llm"
description = "helps"
"#
    ));
    let model = |work: &Work| match work {
        Work::Model(model) => model.settings.model.clone(),
        Work::Steps(_) => "steps".into(),
        Work::Replay(worker) => worker.to_string(),
    };
    let works: Vec<String> = file.jobs.iter().map(|job| model(&job.work)).collect();
    assert_eq!(works, ["m", "other", "steps"]);
    let helper = &file.agents[&AgentName::new("helper")];
    assert_eq!(
        (&*model(&helper.work), &*helper.description),
        ("m", "helps")
    );
}

#[test]
fn what_a_model_lacks_is_told() {
    #[track_caller]
    fn check(job: &str, expect: &str) {
        let text = format!("[[job]]\nname = \"a\"\n{job}");
        let problems = JobFile::parse(&text, "jobs.toml").unwrap_err();
        assert!(told(&problems).contains(expect), "{}", told(&problems));
    }
    let task = "task = \"t\"\nagent = \"llm\"";
    check(task, "the job `a` has no model");
    check(&format!("agent = \"llm\"\n{MODEL}"), "a model needs a task");
    check(&format!("{task}\n{MODEL}\nstep = []"), "takes no steps");
    check(
        &format!("step = []\n{MODEL}"),
        "a scripted agent has no model",
    );
    let unknown = MODEL.replace("base_url", "api_key");
    check(
        &format!("{task}\n{unknown}"),
        "`api_key` is no key of a model",
    );
    let unpriced = MODEL.replace(" }", ", budget = { money = 1.0 } }");
    check(&format!("{task}\n{unpriced}"), "needs the prices");
}

#[test]
fn rules_of_a_job_file_are_of_source_flag() {
    let file = parsed(WHOLE);
    let project = AbsPath::parse("/w/p").unwrap();
    let rule = file.jobs[0].rules[0].rule(&project);
    assert_eq!(
        rule.to_string(),
        "allow Bash(ls *) (flagSettings, jobs.toml:10:10)"
    );
    assert_eq!(rule.anchor, project);
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    insta::assert_snapshot!(problems(
        r#"
slot = 2
depth_max = 0
failure = "halt"

[defaults]
mode = "planning"
allow = ["Bash(ls *", 7]

[[job]]
name = "a b"
timeout_s = "5"
tools = ["bash", "Reed"]
needs = ["c", "d", "a b"]
step = [{ tool = "Bash", input = { command = "ls", cmd = "x" } }, { tol = "Bash" }]

[[job]]
name = "d"
needs = ["e"]
retry = { time = 2 }
step = [{ tool = "Bsh", input = {} }, { tool = "Agent", input = { subagent_type = "chekker", prompt = "look" } }]

[[job]]
name = "e"
needs = ["d"]
folder = ["x"]

[[job]]
name = "e"
step = 5

[agents.checker]
modes = "plan"
"#
    ));
}

#[test]
fn a_text_that_is_no_toml_is_told_with_its_places() {
    insta::assert_snapshot!(problems("slots = \n[[job]\nname = \"a\nx = 1\n"));
}

/// Of one step, one expectation, one model too, and with the word that was meant.
#[test]
fn all_that_is_wrong_with_one_step_or_model_is_told_at_once() {
    insta::assert_snapshot!(problems(
        r#"
[[job]]
name = ""
needs = ["x"]

[[job.step]]
name = 5
tool = "Bash"
input = { comand = "ls", timeout = "x" }
expect = { outcome = "refuse", text_matches = "(", exit_code = 1.5, text_contain = "x" }
on_refusal = "continu"

[[job.step]]
expect = 1
parallel = [{ tool = "Rad", parallel = [], expect = { exit_code = 9999999999 } }, 7]

[[job.step]]
tool = "Read"
input = "x"
on_refusal = [{ tool = "Bash", expect = { outcome = "eror" } }]
parallel = 3

[[job.step]]
parallel = []

[[job]]
agent = "lm"
model = { dialect = "openia", turns_max = -1, temperature = "hot", budget = { money = "x", token = 1 }, prices = { input = 1 } }
"#
    ));
}

/// Of many circles some are told, of a long one its ends.
#[test]
fn circles_without_number_are_told_in_bounds() {
    let job = |name: usize, needs: &[usize]| {
        let needs: Vec<String> = needs.iter().map(|need| format!("\"j{need}\"")).collect();
        let needs = needs.join(", ");
        format!("[[job]]\nname = \"j{name}\"\nneeds = [{needs}]\nstep = []\n")
    };
    let ring: String = (0..1_000).map(|at| job(at, &[(at + 1) % 1_000])).collect();
    assert_eq!(
        problems(&ring),
        "jobs.toml:2:8: 1000 jobs wait for each other: j0 → j1 → j2 → j3 → j4 → j5 → j6 → j7 → j8 → j9 → … → j0 \
         (take one of these `needs` away)"
    );
    let all: Vec<usize> = (0..200).collect();
    let knot: String = all.iter().map(|at| job(*at, &all)).collect();
    assert_eq!(problems(&knot).lines().count(), 16);
}

#[test]
fn a_file_that_is_no_text_says_where() {
    let bytes = b"slots = 2\n# \xc3\xa4 \xff\n".to_vec();
    let problem = JobFile::text(bytes, "jobs.toml").unwrap_err();
    assert_eq!(
        told(&[problem]),
        "jobs.toml:2:5: this is no UTF-8 text from here on (a job file is a text: save it as UTF-8)"
    );
    let problem = JobFile::text(vec![b'#'; JobFile::BYTES_MAX + 1], "jobs.toml").unwrap_err();
    assert!(told(&[problem]).contains("more than the 16777216 that are read"));
}

#[test]
fn an_empty_file_says_how_to_begin() {
    insta::assert_snapshot!(problems(""), @"jobs.toml:1:1: there is no job in this file (add a `[[job]]`; `pointsman init` writes a file to start from)");
}

#[test]
fn a_fault_in_a_rule_is_found_inside_its_quotes() {
    let job = "[[job]]\nname = \"a\"\nstep = [{ tool = \"Bash\", input = { command = \"ls\" } }]\n";
    let told = problems(&format!("{job}deny = ['Read', 'Bash(rm']\n"));
    assert!(told.starts_with("jobs.toml:4:"), "{told}");
    let column: usize = told.split(':').nth(2).unwrap().parse().unwrap();
    assert!((18..26).contains(&column), "{told}");
}

#[test]
fn folders_are_looked_for_from_the_projects_root() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir(temp.path().join("src")).unwrap();
    let project = AbsPath::parse(temp.path().to_str().unwrap()).unwrap();
    let job = |folder: &str| {
        format!(
            "[[job]]\nname = \"a\"\nfolder = \"{folder}\"\nstep = [{{ tool = \"Bash\", input = {{ command = \"ls\" }} }}]\n"
        )
    };
    assert!(JobFile::parse_in(&job("src"), "j", &project, &[]).is_ok());
    let problems = JobFile::parse_in(&job("scr"), "j", &project, &[]).unwrap_err();
    assert_eq!(problems[0].place().line, 3);
    assert_eq!(
        problems[0].message(),
        format!("there is no folder `{project}/scr`")
    );
    // Without a project nothing is looked at.
    assert!(JobFile::parse(&job("scr"), "j").is_ok());
}

/// The keys of the schema's objects are those that the reader takes.
#[test]
fn the_schema_has_the_readers_keys() {
    let schema: serde_json::Value = serde_json::from_str(&JobFile::schema()).unwrap();
    let keys = |object: &serde_json::Value| {
        let mut keys: Vec<String> = object["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        keys.sort();
        keys
    };
    let sorted = |lists: &[&[&str]]| {
        let mut keys: Vec<String> = lists
            .iter()
            .flat_map(|list| list.iter().map(|key| (*key).to_owned()))
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&schema), sorted(&[read::FILE_KEYS]));
    assert_eq!(
        keys(&schema["$defs"]["Job"]),
        sorted(&[read::JOB_KEYS, settings::KEYS])
    );
    assert_eq!(
        keys(&schema["$defs"]["Defaults"]),
        sorted(&[settings::KEYS])
    );
    assert_eq!(keys(&schema["$defs"]["Agent"]), sorted(&[read::AGENT_KEYS]));
    // What the schema has the reader takes.
    let every_key = |name: &str, table: &str| {
        for key in keys(&schema["$defs"][name]) {
            let text = table.replace("KEY", &format!("{key} = {{}}"));
            let told = problems(&format!("[[job]]\nname = \"a\"\n{text}\n"));
            assert!(!told.contains("is no key"), "{told}");
        }
    };
    every_key("Step", "step = [{ KEY }]");
    every_key("Expect", "step = [{ expect = { KEY } }]");
    every_key("ModelSettings", "model = { KEY }");
    every_key("BudgetSettings", "model = { budget = { KEY } }");
    every_key("PriceSettings", "model = { prices = { KEY } }");
}

#[test]
fn the_schema_is_as_published() {
    insta::assert_snapshot!(JobFile::schema());
}

/// The job files that are handed out with pointsman are right.
#[test]
fn the_examples_have_no_problem() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            if let Err(problems) = JobFile::parse(&text, path.to_str().unwrap()) {
                panic!("{}", told(&problems));
            }
            read += 1;
        }
    }
    assert!(read > 0, "no example was read");
}

/// `stop` and `pause` take both, and mean the id.
#[test]
fn the_id_of_a_run_or_an_agent_names_no_job() {
    let named = |name: &str| {
        problems(&format!(
            "[[job]]\nname = \"{name}\"\nstep = [{{ tool = \"Bash\", input = {{ command = \"ls\" }} }}]\n"
        ))
    };
    for (name, whose) in [
        ("run-1", "a run"),
        ("w1-1", "an agent"),
        ("w12-3", "an agent"),
    ] {
        assert_eq!(
            named(name),
            format!(
                "jobs.toml:2:8: `{name}` can't name a job: it is the id of {whose} (`pointsman stop {name}` would mean \
                 {whose}; give the job another name)"
            )
        );
    }
    for fine in ["1", "run-a", "run-01", "w1", "w1-", "r1-1", "w1-1-again"] {
        assert_eq!(named(fine), "nothing is wrong", "{fine}");
    }
}
