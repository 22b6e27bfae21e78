use pointsman_model::{AbsPath, PermissionMode, RuleSource, ToolName, WhoSetMode};

use super::AgentFile;
use crate::Problem;
use crate::settings::SourceTexts;

fn read(head: &str) -> (Option<AgentFile>, Vec<Problem>) {
    let path = AbsPath::parse("/p/.claude/agents/a.md").unwrap();
    AgentFile::read(&path, head, RuleSource::UserSettings)
}

#[track_caller]
fn check_agent(head: &str) -> AgentFile {
    let (agent, problems) = read(head);
    assert_eq!(problems, []);
    agent.unwrap()
}

#[track_caller]
fn check_broken(head: &str, expect: &str) {
    let (agent, problems) = read(head);
    assert_eq!(agent, None);
    let mut texts = SourceTexts::default();
    texts.keep("/p/.claude/agents/a.md".into(), head.into());
    let drawn: String = problems.iter().map(|problem| texts.draw(problem)).collect();
    assert!(drawn == expect, "found:\n{drawn}");
}

fn texts(rules: &[pointsman_model::RuleText]) -> Vec<&str> {
    rules
        .iter()
        .map(pointsman_model::RuleText::as_str)
        .collect()
}

#[test]
fn an_agent_file_is_read_whole() {
    let agent = check_agent(
        "---\nname: code-reviewer # short\ndescription: \"Reviews: \\\"all\\\"\"\ntools: Read, Grep, Agent(a, b)\n\
         disallowedTools:\n  - Bash(rm *)\n  - mcp__github\nmodel: opus\npermissionMode: plan\ncolor: red\n\
         skills:\n  - one\n---\n\nReview it.\n---\nAll of it.\n",
    );
    assert_eq!(agent.name.as_str(), "code-reviewer");
    assert_eq!(agent.description, "Reviews: \"all\"");
    assert_eq!(
        texts(&agent.tools.unwrap()),
        ["Read", "Grep", "Agent(a, b)"]
    );
    assert_eq!(
        texts(&agent.disallowed_tools),
        ["Bash(rm *)", "mcp__github"]
    );
    assert_eq!(agent.model.as_deref(), Some("opus"));
    assert_eq!(agent.mode, Some(PermissionMode::Plan));
    assert_eq!(agent.who_set_mode, WhoSetMode::Person);
    assert_eq!(agent.prompt, "Review it.\n---\nAll of it.");
}

#[test]
fn texts_of_several_lines_and_lists_in_brackets_are_read() {
    let agent = check_agent(
        "---\r\nname: a\r\ndescription: >\r\n  one\r\n  two\r\ntools: [Read, \"Grep\"]\r\n---\r\n",
    );
    assert_eq!(agent.description, "one two");
    assert_eq!(texts(&agent.tools.unwrap()), ["Read", "Grep"]);
    let without = check_agent("---\nname: a\n---\n");
    assert_eq!((without.tools, without.mode), (None, None));
}

#[test]
fn an_empty_list_of_tools_is_none_and_not_all() {
    let agent = check_agent("---\nname: a\ntools:\n---\n");
    assert_eq!(agent.tools, Some(Vec::new()));
    assert_eq!(agent.offered(&[ToolName::parse("Read").unwrap()]), []);
}

#[test]
fn offered_tools_are_those_of_the_pool_within_the_limits() {
    let pool: Vec<ToolName> = [
        "Read",
        "Bash",
        "Agent",
        "mcp__github__get",
        "mcp__githubx__get",
    ]
    .map(|name| ToolName::parse(name).unwrap())
    .to_vec();
    let offered = |head: &str| {
        let agent = check_agent(&format!("---\nname: a\n{head}\n---\n"));
        agent
            .offered(&pool)
            .iter()
            .map(|tool| tool.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(offered("model: x").len(), 5);
    assert_eq!(
        offered("tools: Read, mcp__github, Write"),
        ["Read", "mcp__github__get"]
    );
    assert_eq!(
        offered("tools: Read, Bash\ndisallowedTools: Bash"),
        ["Read"]
    );
    assert_eq!(offered("disallowedTools: mcp__*, Task"), ["Read", "Bash"]);
    assert_eq!(
        offered("tools: Bash(git *)\ndisallowedTools: Bash(rm *)"),
        ["Bash"]
    );
}

#[test]
fn what_can_not_be_read_defines_no_agent() {
    check_broken(
        "---\nname: a\npermissionMode: Plan\n---\n",
        "warning: `Plan` is no permission mode\n --> /p/.claude/agents/a.md:3:17\n  |\n3 | permissionMode: Plan\n  |                 ^^^^\n  = hint: did you mean `plan`? this file defines no agent until it is mended\n",
    );
    check_broken(
        "---\nname: a\ntols: Read\n---\n",
        "warning: unknown key `tols`\n --> /p/.claude/agents/a.md:3:1\n  |\n3 | tols: Read\n  | ^^^^\n  = hint: did you mean `tools`?\n",
    );
    check_broken(
        "---\nname: a\ntools: Read, Bash(\n---\n",
        "warning: `Bash(` is no rule: its parenthesis is not closed at the end\n --> /p/.claude/agents/a.md:3:8\n  |\n3 | tools: Read, Bash(\n  |        ^^^^\n  = hint: this file defines no agent until it is mended\n",
    );
}

#[test]
fn each_fault_says_where_it_is() {
    for (head, line, message) in [
        ("name: a\n", 1, "the first line is not `---`"),
        (
            "---\nname: a\n",
            1,
            "the `---` that ends the head is missing",
        ),
        ("---\nname: a\nname: b\n---\n", 3, "`name` is here twice"),
        ("---\ndescription: x\n---\n", 1, "this agent has no `name`"),
        ("---\nname: a b\n---\n", 2, "this can't name an agent"),
        (
            "---\nname: a\n  more\n---\n",
            3,
            "a text of several lines begins with `|` or `>` after its key",
        ),
        (
            "---\nname: a\nmodel: &x y\n---\n",
            3,
            "`&x y` has a meaning of its own in YAML; put it in quotes",
        ),
        (
            "---\nname: a\ntools: [Read\n---\n",
            3,
            "this list has no `]`",
        ),
        (
            "---\nname: a\nmodel: \"x\n---\n",
            3,
            "this quote is not closed",
        ),
        (
            "---\nname: a\ntools:\n  x: y\n---\n",
            3,
            "`tools` is a list of tools",
        ),
        ("---\n  name: a\n---\n", 2, "this line belongs to no key"),
        ("---\nname\n---\n", 2, "here a `key: value` was expected"),
    ] {
        let (agent, problems) = read(head);
        assert_eq!(agent, None, "{head}");
        let place = problems[0].place.as_ref().unwrap();
        assert_eq!(
            (place.line, problems[0].message.as_str()),
            (line, message),
            "{head}"
        );
    }
}

#[track_caller]
fn check_told(head: &str, severity: crate::Severity, expect: &[&str]) {
    let (agent, problems) = read(&format!("---\nname: a\n{head}\n---\n"));
    assert!(agent.is_some(), "{head}");
    let told: Vec<String> = problems
        .iter()
        .map(|problem| {
            format!(
                "{}; {}",
                problem.message,
                problem.hint.as_deref().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(told, expect, "{head}");
    assert!(
        problems.iter().all(|problem| problem.severity == severity),
        "{head}"
    );
}

/// An agent that people limited so would run without its limit, and nobody there to see it.
#[test]
fn limits_that_nobody_keeps_here_stop_an_unattended_run() {
    use crate::Severity::StopsUnattended;
    check_told(
        "maxTurns: 5",
        StopsUnattended,
        &[
            "`maxTurns` limits this agent, and has no effect here; take it out; what an agent may spend is limited by the job file",
        ],
    );
    check_told(
        "hooks:\n  PreToolUse:\n    - matcher: x",
        StopsUnattended,
        &[
            "`hooks` limits this agent, and has no effect here; write the hooks into a settings file, where they are asked for every agent",
        ],
    );
    check_told(
        "isolation: worktree",
        StopsUnattended,
        &[
            "`isolation` limits this agent, and has no effect here; take it out; the agent works in the folder of the one that starts it",
        ],
    );
    check_told("hooks:", StopsUnattended, &[]);
    check_told(
        "color: red\nskills: [a]\nmemory: user",
        StopsUnattended,
        &[],
    );
}

#[test]
fn tools_that_nobody_knows_are_told_with_the_nearest() {
    use crate::Severity::Warning;
    check_told(
        "tools: Raed, Grep",
        Warning,
        &["no tool is named `Raed`; did you mean `Read`?"],
    );
    check_told(
        "disallowedTools: Bsh, Wrte(x)",
        Warning,
        &[
            "no tool is named `Bsh`; did you mean `Bash`?",
            "no tool is named `Wrte`; did you mean `Write`?",
        ],
    );
    check_told(
        "tools: Read, mcp__x, Task, Agent(a)\ndisallowedTools: Bash(rm *), mcp__*",
        Warning,
        &[],
    );
}
