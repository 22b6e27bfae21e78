//! From the text of a job file to the jobs in it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use pointsman_model::{AbsPath, AgentName, Digest, RunId, ToolSet, WorkerId, first_hidden};
use toml::de::DeTable;

use super::nearest::nearest;
use super::reader::{Reader, Section, Text};
use super::settings::{FAILURE, RETRY_WAIT_S, Settings, TIME_S_MAX, settings};
use super::work::{ModelText, Worker, earlier, work};
use super::{
    AgentDefinition, FailurePolicy, Job, JobFile, JobFileProblem, Retry, Work, graph,
    settings as shared,
};

/// How many jobs run at once when the file does not say: enough to be a swarm, few enough to watch.
const SLOTS: u32 = 4;
/// The most slots; each is a task, not a thread, so the bound is on memory alone.
const SLOTS_MAX: u32 = 100_000;
/// How deep agents may be nested when the file does not say.
const DEPTH: u32 = 3;
/// The deepest nesting: a lineage has to stay readable.
const DEPTH_MAX: u32 = 64;
/// How many agents a run may start when the file does not say.
const AGENTS: u32 = 1_000;
/// The most agents of one run.
const AGENTS_MAX: u32 = 1_000_000;
/// How long one try of a job may take when nothing is said, in seconds.
const TIME_S: u32 = 60 * 60;
/// The longest name of a job or agent, so that a lineage fits a line.
const NAME_CHARS_MAX: usize = 48;

/// The most names that are told of a cycle; the ways to break it are found at each of them.
const CYCLE_NAMES_MAX: usize = 12;

/// The keys of the file itself.
pub(super) const FILE_KEYS: &[&str] = &[
    "slots",
    "depth_max",
    "agents_max",
    "answer_within_s",
    "failure",
    "defaults",
    "job",
    "agents",
];
/// The keys that a job has beside those it shares with `[defaults]`.
pub(super) const JOB_KEYS: &[&str] = &["name", "task", "needs", "step", "resumes", "replays"];
/// The keys of an agent.
pub(super) const AGENT_KEYS: &[&str] = &["agent", "mode", "model", "description", "tools", "step"];

/// Reads the file; looks at folders only when told where the project is.
pub(super) fn read(
    text: &str,
    path: &str,
    project: Option<&AbsPath>,
    others: &[AgentName],
) -> Result<JobFile, Vec<JobFileProblem>> {
    let file: Arc<str> = path.into();
    let mut reader = Reader::new(text, Arc::clone(&file));
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = error.span().map_or(0, |span| span.start);
        reader.report(at, &one_line(error.message()), None);
    }
    let root = Section::new(root.get_ref(), "a job file");
    let named = (file, Digest::of(text.as_bytes()));
    // A torn text yields sections that nobody wrote; what is said of them would only mislead.
    let job_file = errors
        .is_empty()
        .then(|| whole_file(&mut reader, root, named, (project, others)));
    match (job_file, reader.into_problems()) {
        (Some(job_file), problems) if problems.is_empty() => Ok(job_file),
        (_, problems) => Err(problems),
    }
}

/// The parser's messages may have several lines.
fn one_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join(", ")
}

fn whole_file<'t>(
    reader: &mut Reader<'t>,
    root: Section<'_, 't>,
    (path, digest): (Arc<str>, Digest),
    (project, others): (Option<&AbsPath>, &[AgentName]),
) -> JobFile {
    reader.only_known(root, FILE_KEYS);
    let slots = reader.number(root, "slots", 1..=SLOTS_MAX);
    let depth_max = reader.number(root, "depth_max", 1..=DEPTH_MAX);
    let agents_max = reader.number(root, "agents_max", 1..=AGENTS_MAX);
    let answer_s = reader.number(root, "answer_within_s", 1..=TIME_S_MAX);
    let failure = reader.choice(root, "failure", FAILURE);
    let defaults = defaults(reader, root, project);
    let (agents, mut spawned) = agents(reader, root, &defaults);
    let sections = reader.sections(root, "job", "a job");
    if sections.is_empty() && root.get("job").is_none() {
        let hint = "add a `[[job]]`; `pointsman init` writes a file to start from";
        reader.report(0, "there is no job in this file", Some(hint));
    }
    let mut drafts: Vec<Draft> = Vec::new();
    for (section, span) in sections {
        let (draft, spawns) = job(reader, section, span, &defaults, failure, project);
        spawned.extend(spawns);
        drafts.push(draft);
    }
    let model = defaults.model.as_ref().map(ModelText::work);
    for draft in &mut drafts {
        draft.job.model_below.clone_from(&model);
    }
    for (agent, at) in spawned {
        known_agent(reader, &agents, others, (&agent, at));
    }
    JobFile {
        path,
        at: None,
        digest,
        slots: slots.unwrap_or(SLOTS),
        depth_max: depth_max.unwrap_or(DEPTH),
        agents_max: agents_max.unwrap_or(AGENTS),
        answer_within: answer_s.map(seconds),
        jobs: resolve_needs(reader, drafts),
        agents,
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}

fn known_agent(
    reader: &mut Reader<'_>,
    agents: &BTreeMap<AgentName, AgentDefinition>,
    others: &[AgentName],
    (agent, at): (&str, usize),
) {
    let name = AgentName::new(agent);
    if agents.contains_key(&name) || others.contains(&name) {
        return;
    }
    let message = format!("there is no agent `{agent}` in this file");
    let hint = match nearest(agent, agents.keys().chain(others).map(AgentName::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("add `[agents.{agent}]` with its steps"),
    };
    reader.report(at, &message, Some(&hint));
}

fn defaults<'t>(
    reader: &mut Reader<'t>,
    root: Section<'_, 't>,
    project: Option<&AbsPath>,
) -> Settings {
    let section = root
        .get("defaults")
        .and_then(|value| reader.section("defaults", value, "`[defaults]`"));
    let Some(section) = section else {
        return Settings::default();
    };
    reader.only_known(section, shared::KEYS);
    let settings = settings(reader, section);
    folders(reader, &settings, project);
    settings
}

/// Checks that the folders a section names are there.
fn folders(reader: &mut Reader<'_>, settings: &Settings, project: Option<&AbsPath>) {
    let Some(project) = project else { return };
    for text in settings.folder.iter().chain(&settings.directories) {
        let folder = project.join(&text.text);
        if !folder.as_path().is_dir() {
            let message = format!("there is no folder `{folder}`");
            let hint = "a relative folder starts at the project's root";
            reader.report(text.span.start, &message, Some(hint));
        }
    }
}

/// The agents of the file by type, and the types that their steps spawn.
type Agents = (BTreeMap<AgentName, AgentDefinition>, Vec<(String, usize)>);

fn agents<'t>(reader: &mut Reader<'t>, root: Section<'_, 't>, defaults: &Settings) -> Agents {
    let section = root
        .get("agents")
        .and_then(|value| reader.section("agents", value, "`[agents]`"));
    let mut agents = BTreeMap::new();
    let mut spawned = Vec::new();
    for (name, span, value) in section.map(|found| found.entries()).unwrap_or_default() {
        good_name(reader, name, span.start, "an agent");
        let Some(section) = reader.section(name, value, "an agent") else {
            continue;
        };
        reader.only_known(section, AGENT_KEYS);
        let own = settings(reader, section);
        let worker = Worker {
            what: "the agent",
            name,
            at: span.start,
            hint: &format!("add `[[agents.{name}.step]]`"),
        };
        // An agent is of its own kind; what it may take from the defaults is the model.
        let model_alone = Settings {
            model: defaults.model.clone(),
            ..Settings::default()
        };
        let (work, spawns) = work(reader, section, &worker, &own, &model_alone);
        let description = reader.text(section, "description");
        let definition = AgentDefinition {
            description: description
                .map_or_else(String::new, |text| text.text)
                .into(),
            work,
            mode: own.mode,
            tools: own.tools.unwrap_or(ToolSet::All),
        };
        agents.insert(AgentName::new(name), definition);
        spawned.extend(spawns);
    }
    (agents, spawned)
}

/// A job whose `needs` are names still.
struct Draft {
    job: Job,
    at: usize,
    needs: Vec<Text>,
}

fn job<'t>(
    reader: &mut Reader<'t>,
    section: Section<'_, 't>,
    span: Range<usize>,
    defaults: &Settings,
    failure: Option<FailurePolicy>,
    project: Option<&AbsPath>,
) -> (Draft, Vec<(String, usize)>) {
    let keys: Vec<&str> = JOB_KEYS.iter().chain(shared::KEYS).copied().collect();
    reader.only_known(section, &keys);
    let own = settings(reader, section);
    folders(reader, &own, project);
    let name = reader.text(section, "name");
    match &name {
        Some(name) => {
            good_name(reader, &name.text, name.span.start, "a job");
            no_id(reader, &name.text, name.span.start);
        }
        None if section.get("name").is_some() => {}
        None => reader.report(
            span.start,
            "a job has no `name`",
            Some("add `name = \"...\"`"),
        ),
    }
    let is_named = name.as_ref().is_some_and(|name| !name.text.is_empty());
    let worker = Worker {
        what: if is_named { "the job" } else { "a job" },
        name: name.as_ref().map_or("", |name| &name.text),
        at: span.start,
        hint: "add `[[job.step]]` below it",
    };
    let (work, spawned) = work(reader, section, &worker, &own, defaults);
    if matches!(work, Work::Model(_)) && section.get("task").is_none() {
        let hint = "add `task = \"...\"`: it is all that the model is told of its work";
        reader.report(span.start, "a model needs a task", Some(hint));
    }
    let at = name.as_ref().map_or(span.start, |name| name.span.start);
    let name: Arc<str> = name.map_or_else(String::new, |name| name.text).into();
    let task = reader.text(section, "task");
    let resumes = earlier(reader, section, "resumes");
    if let (Some(_), Work::Steps(_) | Work::Replay(_)) = (resumes, &work) {
        let hint = "only a thinking agent goes on with a conversation: write `agent = \"llm\"`";
        reader.report(
            at,
            "this job's agent has no conversation to resume",
            Some(hint),
        );
    }
    let needs = reader.texts(section, "needs");
    let folder = own.folder.as_ref().or(defaults.folder.as_ref());
    let directories = own.directories.iter().chain(&defaults.directories);
    let job = Job {
        task: task.map_or_else(|| name.as_ref().into(), |task| task.text.into()),
        name,
        work,
        resumes,
        folder: folder.map_or(".", |folder| folder.text.as_str()).into(),
        directories: directories.map(|text| text.text.as_str().into()).collect(),
        mode: own.mode.or(defaults.mode),
        rules: defaults.rules.iter().chain(&own.rules).cloned().collect(),
        tools: own
            .tools
            .or_else(|| defaults.tools.clone())
            .unwrap_or(ToolSet::All),
        time_max: seconds(own.time_s.or(defaults.time_s).unwrap_or(TIME_S)),
        needs: Vec::new(),
        retry: own.retry.or(defaults.retry).unwrap_or_else(no_retry),
        on_failure: own
            .on_failure
            .or(defaults.on_failure)
            .or(failure)
            .unwrap_or(FailurePolicy::Continue),
        model_below: None,
    };
    (Draft { job, at, needs }, spawned)
}

fn no_retry() -> Retry {
    Retry {
        times: 0,
        wait: seconds(RETRY_WAIT_S),
    }
}

/// Names stand in lineages, on the command line and in file names.
fn good_name(reader: &mut Reader<'_>, name: &str, at: usize, whose: &str) {
    let hint = format!("letters, digits, `-`, `_` and `.` only, at most {NAME_CHARS_MAX}");
    if name.is_empty() {
        reader.report(at, &format!("the name of {whose} is empty"), Some(&hint));
        return;
    }
    let fits = name.chars().count() <= NAME_CHARS_MAX;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !fits || !name.chars().all(plain) || first_hidden(name).is_some() {
        let message = format!("`{}` can't name {whose}", pointsman_model::visible(name));
        reader.report(at, &message, Some(&hint));
    }
}

/// A job is paused and stopped by its name, where runs and agents are by their ids.
fn no_id(reader: &mut Reader<'_>, name: &str, at: usize) {
    let whose = if name.starts_with("run-") && name.parse::<RunId>().is_ok() {
        "a run"
    } else if name.parse::<WorkerId>().is_ok() {
        "an agent"
    } else {
        return;
    };
    let message = format!("`{name}` can't name a job: it is the id of {whose}");
    let hint = format!("`pointsman stop {name}` would mean {whose}; give the job another name");
    reader.report(at, &message, Some(&hint));
}

/// Names become places; unknown ones, doubled ones and cycles are reported.
fn resolve_needs(reader: &mut Reader<'_>, drafts: Vec<Draft>) -> Vec<Job> {
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    let mut lines = Vec::new();
    for (index, draft) in drafts.iter().enumerate() {
        lines.push(draft.at);
        if draft.job.name.is_empty() {
            continue;
        }
        if let Some(first) = places.insert(Arc::clone(&draft.job.name), index) {
            let line = lines.get(first).map_or(0, |at| reader.place(*at).line);
            let message = format!("there are two jobs `{}`", draft.job.name);
            let hint = format!("the first one is in line {line}");
            reader.report(draft.at, &message, Some(&hint));
            places.insert(Arc::clone(&draft.job.name), first);
        }
    }
    let mut jobs = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let mut job = draft.job;
        for need in draft.needs {
            match places.get(need.text.as_str()) {
                Some(place) if !job.needs.contains(place) => job.needs.push(*place),
                Some(_) => {}
                None => {
                    let message = match job.name.as_ref() {
                        "" => format!("a job needs `{}`, which is none", need.text),
                        name => format!("`{name}` needs `{}`, which is no job", need.text),
                    };
                    let meant = nearest(&need.text, places.keys().map(AsRef::as_ref));
                    let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
                    reader.report(need.span.start, &message, hint.as_deref());
                }
            }
        }
        jobs.push(job);
    }
    report_cycles(reader, &jobs, &lines);
    jobs
}

fn report_cycles(reader: &mut Reader<'_>, jobs: &[Job], lines: &[usize]) {
    let needs: Vec<Vec<usize>> = jobs.iter().map(|job| job.needs.clone()).collect();
    for cycle in graph::cycles(&needs) {
        let names = cycle.iter().chain(cycle.first());
        let names: Vec<&str> = names
            .filter_map(|job| jobs.get(*job).map(|job| job.name.as_ref()))
            .collect();
        let message = match &names[..] {
            [job, _] => format!("the job `{job}` needs itself"),
            [first, .., last] if names.len() > CYCLE_NAMES_MAX => format!(
                "{} jobs wait for each other: {} → … → {last}",
                names.len() - 1,
                names
                    .get(..CYCLE_NAMES_MAX - 2)
                    .unwrap_or(&[first])
                    .join(" → ")
            ),
            names => format!("jobs wait for each other: {}", names.join(" → ")),
        };
        let at = cycle.first().and_then(|job| lines.get(*job)).copied();
        reader.report(
            at.unwrap_or(0),
            &message,
            Some("take one of these `needs` away"),
        );
    }
}
