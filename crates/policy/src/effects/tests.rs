use pointsman_model::{GlobInput, JsonText, OtherInput, PathValue, ReadInput, SpawnInput};

use super::*;
use crate::sample::path;

fn at() -> Surroundings {
    Surroundings {
        folder: path("/w/proj"),
        home: path("/home/dev"),
        case: pointsman_shell::NameCase::Counts,
    }
}

fn other(tool: &str, input: &str) -> Effects {
    let raw = JsonText::parse(input).unwrap();
    let input = ToolInput::Other(OtherInput { raw });
    effects_of(&ToolName::parse(tool).unwrap(), &input, &at())
}

/// Effects, one a line: `read /x`, `?write /x` for what might be.
fn text(effects: &Effects) -> String {
    let path = |used: &PathUse| match &used.path {
        PathValue::Known(path) => format!("{path} {:?}", used.reach),
        PathValue::Pattern { base, glob } => format!("{base} {glob}"),
        PathValue::Unknown(spelling) => format!("unknown {spelling}"),
    };
    let lines = effects.list.iter().map(|effect| {
        let might = match effect.view {
            EffectView::Sure => "",
            EffectView::Might => "?",
            EffectView::Inferred => "~",
            EffectView::Guessed => "*",
        };
        let what = match &effect.kind {
            EffectKind::Run(run) => format!("run {}", run.text),
            EffectKind::Read(used) => format!("read {}", path(used)),
            EffectKind::Write { target, .. } => format!("write {}", path(target)),
            EffectKind::Connect(host) => match &host.host {
                Some(host) => format!("connect {}", host.as_str()),
                None => "connect".into(),
            },
            EffectKind::Spawn(spawn) => format!("spawn {}", spawn.agent),
            EffectKind::Opaque(opaque) => format!("opaque {:?}", opaque.why),
        };
        format!("{might}{what}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn file_tools_use_what_they_name() {
    let read = |file: &str| {
        let input = ToolInput::Read(ReadInput {
            file_path: file.into(),
            offset: None,
            limit: None,
        });
        text(&effects_of(
            &ToolName::parse("Read").unwrap(),
            &input,
            &at(),
        ))
    };
    assert_eq!(read("src/../.env"), "read /w/proj/.env Itself");
    assert_eq!(read("~/x"), "read /home/dev/x Itself");
    assert_eq!(read("~"), "read /home/dev Itself");
    assert_eq!(read("~x"), "read /w/proj/~x Itself");
    for elsewhere in ["C:\\x", "C:x", "a\\b"] {
        assert_eq!(read(elsewhere), format!("read unknown {elsewhere}"));
    }
    assert_eq!(
        read("a\u{200b}b"),
        "opaque HiddenCharacter\nread /w/proj/a\u{200b}b Itself"
    );
    let notebook = other("NotebookEdit", r#"{"notebook_path": "n.ipynb"}"#);
    assert_eq!(text(&notebook), "write /w/proj/n.ipynb Itself");
    assert_eq!(text(&other("NotebookEdit", "{}")), "opaque UnknownTool");
}

#[test]
fn a_search_looks_where_its_pattern_begins() {
    let glob = |pattern: &str, folder: Option<&str>| {
        let input = ToolInput::Glob(GlobInput {
            pattern: pattern.into(),
            path: folder.map(Into::into),
        });
        text(&effects_of(
            &ToolName::parse("Glob").unwrap(),
            &input,
            &at(),
        ))
    };
    assert_eq!(glob("**/*.rs", None), "read /w/proj NamesBelow");
    assert_eq!(glob("src/*.rs", Some("a")), "read /w/proj/a/src NamesBelow");
    assert_eq!(glob("../x/*", None), "read /w/x NamesBelow");
    assert_eq!(glob("/etc/*", None), "read /etc NamesBelow");
    assert_eq!(glob("~/.ssh/*", None), "read /home/dev/.ssh NamesBelow");
    assert_eq!(glob("*/../../x", None), "read unknown */../../x");
    assert_eq!(glob("a/b", None), "read /w/proj/a NamesBelow");
    assert_eq!(glob("src/../..", None), "read /w NamesBelow");
    assert_eq!(
        glob("{/etc,src}/*.{c,h}", None),
        "read /etc NamesBelow\nread /etc NamesBelow\nread /w/proj/src NamesBelow\nread /w/proj/src NamesBelow"
    );
    assert_eq!(
        glob("{..,src}/*", None),
        "read /w NamesBelow\nread /w/proj/src NamesBelow"
    );
    let many = "{a,b}".repeat(9);
    assert_eq!(glob(&many, None), format!("read unknown */../{many}"));
}

#[test]
fn a_tool_that_says_nothing_is_opaque_and_may_use_what_it_names() {
    let effects = other(
        "mcp__fs__write_file",
        r#"{"path": "x", "content": "a/b", "mode": 1}"#,
    );
    assert_eq!(
        text(&effects),
        "opaque UnknownTool\n?read /w/proj/x Itself\n?write /w/proj/x Itself"
    );
    let effects = other("mcp__fs__read_files", r#"{"paths": ["~/x", "y"]}"#);
    assert_eq!(
        text(&effects),
        "opaque UnknownTool\n?read /home/dev/x Itself\n?read /w/proj/y Itself"
    );
    let effects = other(
        "mcp__web__get",
        r#"{"q": "https://a.test/x", "at": "file:///etc/x"}"#,
    );
    assert_eq!(
        text(&effects),
        "opaque UnknownTool\n?read /etc/x Itself\n?connect a.test"
    );
}

#[test]
fn what_looks_like_a_path_is_one_whatever_its_field_is_called() {
    for (given, path) in [
        ("/etc/x", "/etc/x"),
        ("~/x", "/home/dev/x"),
        ("./x", "/w/proj/x"),
        ("../x", "/w/x"),
        ("file:///etc/x", "/etc/x"),
    ] {
        let effects = other("mcp__a__get", &format!(r#"{{"note": "{given}"}}"#));
        let expect = format!("opaque UnknownTool\n?read {path} Itself");
        assert_eq!(text(&effects), expect, "{given}");
    }
    let effects = other("mcp__a__get", r#"{"note": "a/b", "more": "x"}"#);
    assert_eq!(text(&effects), "opaque UnknownTool");
}

#[test]
fn agents_and_the_web_are_told() {
    let spawn = ToolInput::Spawn(SpawnInput {
        description: None,
        prompt: "x".into(),
        subagent_type: Some("Explore".into()),
        run_in_background: None,
    });
    let spawn = effects_of(&ToolName::parse("Task").unwrap(), &spawn, &at());
    assert_eq!(text(&spawn), "spawn Explore");
    assert_eq!(
        text(&other("WebFetch", r#"{"url": "https://u@A.test:1/"}"#)),
        "connect a.test"
    );
    assert_eq!(
        text(&other("WebFetch", r#"{"url": "file:///etc/passwd"}"#)),
        "connect"
    );
    assert_eq!(text(&other("TodoWrite", "{}")), "");
}

#[test]
fn a_search_with_a_pattern_reads_files_of_such_names() {
    let grep = |glob: Option<&str>| {
        let input = ToolInput::Grep(pointsman_model::GrepInput {
            pattern: "x".into(),
            path: Some("src".into()),
            glob: glob.map(Into::into),
            ..serde_json::from_str(r#"{"pattern":"x"}"#).unwrap()
        });
        text(&effects_of(
            &ToolName::parse("Grep").unwrap(),
            &input,
            &at(),
        ))
    };
    assert_eq!(grep(None), "read /w/proj/src ContentBelow");
    assert_eq!(
        grep(Some("*.rs")),
        "read /w/proj/src **/*.rs\nread /w/proj/src Itself"
    );
    assert_eq!(
        grep(Some("**/*.{ts,tsx}")),
        "read /w/proj/src **/*.ts\nread /w/proj/src **/*.tsx\nread /w/proj/src Itself"
    );
    assert_eq!(grep(Some("!*.rs")), "read /w/proj/src ContentBelow");
    assert_eq!(grep(Some("a/*.rs")), "read /w/proj/src ContentBelow");
}

#[test]
fn what_an_address_of_a_file_names_is_a_path_wherever_it_stands() {
    let call = other("mcp__x__get", r#"{"note": "file://.env"}"#);
    assert!(
        text(&call).contains("?read /w/proj/.env Itself"),
        "{}",
        text(&call)
    );
}

#[test]
fn braces_stand_for_so_many_patterns_and_for_any_when_there_are_more() {
    let glob = |pattern: &str| {
        let input = ToolInput::Glob(GlobInput {
            pattern: pattern.into(),
            path: None,
        });
        text(&effects_of(
            &ToolName::parse("Glob").unwrap(),
            &input,
            &at(),
        ))
    };
    let known = glob("{a,b}/{a,b}/{a,b}/{a,b}/{a,b}/x");
    assert_eq!(known.lines().count(), 32);
    assert!(!known.contains("unknown"), "{known}");
    let many = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    assert!(glob(&format!("{{{many}}}/x")).contains("read unknown"));
}
