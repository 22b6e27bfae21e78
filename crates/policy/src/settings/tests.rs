//! What loading says of files, as text: one world of files in, one report out.

mod closed;
mod guards;
mod hooks;
mod judges;
mod large;
mod law_7;
mod linting;
mod modes;
mod notify;
mod trust;

use std::fmt::Write as _;

use pointsman_model::AbsPath;

use super::{DiskFiles, Loaded, MemoryFiles, SettingsPlaces, Standing, lint, load};

pub(super) fn path(text: &str) -> AbsPath {
    AbsPath::parse(text).unwrap()
}

/// Places of the test world: project `/p`, home `/h`, managed settings in `/m`.
pub(super) fn places() -> SettingsPlaces {
    SettingsPlaces {
        managed: Some(path("/m")),
        pointsman_user: Some(path("/h/.config/pointsman/settings.json")),
        ..SettingsPlaces::of_project(path("/p"), path("/h"))
    }
}

/// Short names of the files of the test world.
pub(super) fn file(name: &str) -> AbsPath {
    path(match name {
        "managed" => "/m/managed-settings.json",
        "user" => "/h/.claude/settings.json",
        "own" => "/h/.config/pointsman/settings.json",
        "project" => "/p/.claude/settings.json",
        "pointsman" => "/p/.pointsman/settings.json",
        "local" => "/p/.claude/settings.local.json",
        other => other,
    })
}

pub(super) fn world(files: &[(&str, &str)]) -> MemoryFiles {
    files
        .iter()
        .fold(MemoryFiles::new(), |world, (name, text)| {
            world.with(file(name), *text)
        })
}

pub(super) fn loaded(files: &[(&str, &str)]) -> Loaded {
    load(&places(), &world(files))
}

/// Loaded with a yes to what is there now.
pub(super) fn loaded_trusted(files: &[(&str, &str)]) -> Loaded {
    let content = loaded(files).project_content;
    let mut places = places();
    places.trust = Some(super::TrustRecord::of_project(path("/p")).with(content));
    load(&places, &world(files))
}

/// What counts, as lines of text.
pub(super) fn told(loaded: &Loaded) -> String {
    let mut out = String::new();
    if loaded.standing == Standing::AskEverything {
        out.push_str("asks everything\n");
    }
    for rule in &loaded.rules {
        let _ = writeln!(out, "{rule}");
    }
    if let Some(mode) = &loaded.default_mode {
        let _ = writeln!(out, "mode {} ({}, {})", mode.mode, mode.source, mode.place);
    }
    for directory in &loaded.additional_directories {
        let _ = writeln!(out, "folder {} ({})", directory.folder, directory.source);
    }
    for hook in &loaded.hooks.hooks {
        let _ = writeln!(
            out,
            "hook {} {:?} {:?} {:?} {} ms {:?} {:?} ({})",
            hook.event.as_str(),
            hook.matcher,
            hook.condition,
            hook.run,
            hook.timeout.0,
            hook.duty,
            hook.life,
            hook.source
        );
    }
    for line in &loaded.untrusted {
        let _ = writeln!(
            out,
            "untrusted {:?} {} ({})",
            line.kind, line.what, line.place
        );
    }
    for problem in &loaded.problems {
        out.push_str(&loaded.draw(problem));
    }
    out
}

#[track_caller]
pub(super) fn check(files: &[(&str, &str)], expect: &str) {
    assert_text(&told(&loaded(files)), expect);
}

#[track_caller]
pub(super) fn check_trusted(files: &[(&str, &str)], expect: &str) {
    assert_text(&told(&loaded_trusted(files)), expect);
}

#[track_caller]
pub(super) fn check_lint(rules: &str, expect: &str) {
    let loaded = loaded(&[("user", rules)]);
    let drawn: String = lint(&loaded)
        .iter()
        .map(|problem| loaded.draw(problem))
        .collect();
    assert_text(&drawn, expect);
}

#[track_caller]
fn assert_text(found: &str, expect: &str) {
    let expect = expect.trim_start_matches('\n');
    assert!(found == expect, "found:\n{found}\nexpected:\n{expect}");
}

#[test]
fn no_files_say_nothing() {
    check(&[], "");
}

#[test]
fn rules_of_all_files_add_up_with_their_places_and_anchors() {
    let allow = r#"{"permissions": {"allow": ["Bash(a)"]}}"#;
    let deny = "{\n  // comment\n  \"permissions\": {\n    \"deny\": [\"Bash(b)\",],\n  },\n}";
    let loaded = loaded_trusted(&[
        ("managed", deny),
        ("/m/managed-settings.d/20-b.json", allow),
        ("/m/managed-settings.d/10-a.json", allow),
        ("/m/managed-settings.d/.hidden.json", allow),
        ("/m/managed-settings.d/README", "not json"),
        ("user", allow),
        ("own", allow),
        ("project", deny),
        ("pointsman", allow),
        ("local", allow),
    ]);
    let mut out = String::new();
    for rule in &loaded.rules {
        let _ = writeln!(out, "{rule} at {}", rule.anchor);
    }
    assert_text(
        &out,
        "
allow Bash(a) (userSettings, /h/.claude/settings.json:1:28) at /h/.claude
allow Bash(a) (userSettings, /h/.config/pointsman/settings.json:1:28) at /h/.config/pointsman
deny Bash(b) (projectSettings, /p/.claude/settings.json:4:14) at /p
allow Bash(a) (projectSettings, /p/.pointsman/settings.json:1:28) at /p
allow Bash(a) (localSettings, /p/.claude/settings.local.json:1:28) at /p
deny Bash(b) (policySettings, /m/managed-settings.json:4:14) at /m
allow Bash(a) (policySettings, /m/managed-settings.d/10-a.json:1:28) at /m
allow Bash(a) (policySettings, /m/managed-settings.d/20-b.json:1:28) at /m
",
    );
    assert_eq!(loaded.problems, []);
}

#[test]
fn a_named_file_and_the_command_line_add_rules_too() {
    let mut places = places();
    places.flag = vec![path("/x/extra.json")];
    let world = world(&[(
        "/x/extra.json",
        r#"{"permissions": {"ask": ["Bash(c)"]}, "pointsman": {"deadline_s": 1.5}}"#,
    )]);
    let mut loaded = load(&places, &world);
    let given = |behavior, text: &str| pointsman_model::PermissionRule {
        behavior,
        text: pointsman_model::RuleText::new(text),
        source: pointsman_model::RuleSource::CliArg,
        place: None,
        anchor: path("/p"),
    };
    loaded.add_rules([
        given(pointsman_model::RuleBehavior::Allow, "Bash(d)"),
        given(pointsman_model::RuleBehavior::Allow, "Bash(d"),
    ]);
    assert_text(
        &told(&loaded),
        "
ask Bash(c) (flagSettings, /x/extra.json:1:26)
allow Bash(d) (cliArg)
warning: `Bash(d` is no rule: its parenthesis is not closed at the end
  = hint: write `Bash(d)`; this rule alone is left out
",
    );
    assert_eq!(
        loaded.pointsman.deadline,
        Some(pointsman_model::Millis(1500))
    );
    loaded.add_rules([given(pointsman_model::RuleBehavior::Deny, "Bash(d")]);
    assert_eq!(loaded.standing, Standing::AskEverything);
}

#[test]
fn files_of_the_disk_are_read_and_odd_ones_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = path(folder.path().to_str().unwrap());
    let claude = folder.path().join(".claude");
    std::fs::create_dir(&claude).unwrap();
    std::fs::write(
        claude.join("settings.json"),
        r#"{"permissions": {"deny": ["Read(.env)"]}}"#,
    )
    .unwrap();
    std::fs::create_dir(claude.join("settings.local.json")).unwrap();
    let loaded = load(
        &SettingsPlaces::of_project(root.clone(), root.join("nobody")),
        &DiskFiles,
    );
    assert_eq!(loaded.rules.len(), 2);
    assert_eq!(loaded.standing, Standing::AskEverything);
    assert_eq!(loaded.problems.len(), 1);
    assert!(
        loaded.problems[0].message.contains("no plain file"),
        "{:?}",
        loaded.problems
    );
}
