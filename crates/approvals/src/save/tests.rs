use std::os::unix::fs::symlink;

use super::*;

fn rules(texts: &[&str]) -> Vec<RuleText> {
    texts.iter().map(|text| RuleText::new(text)).collect()
}

#[test]
fn a_rule_is_added_and_all_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let old = "{\n  // ours\n  \"model\": \"x\",\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\"]\n  }\n}\n";
    fs::write(&file, old).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    save_rules(&file, RuleBehavior::Allow, &rules(&["Bash(make *)"])).unwrap();
    let new = fs::read_to_string(&file).unwrap();
    for part in ["// ours", "\"model\": \"x\"", "Bash(rm *)", "Bash(make *)"] {
        assert!(new.contains(part), "{part} is missing in {new}");
    }
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640, "the file's rights were changed");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "something was left beside the file");
}

#[test]
fn a_new_file_is_made_with_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".claude").join("settings.local.json");
    save_rules(&file, RuleBehavior::Deny, &rules(&["Bash(rm *)"])).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("Bash(rm *)"));
}

#[test]
fn a_file_that_does_not_parse_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    for broken in [
        "{\"permissions\": {\"deny\": [\"Bash(rm *)\"",
        "[]",
        "{\"permissions\": {\"allow\": \"Bash(rm *)\"}}",
    ] {
        fs::write(&file, broken).unwrap();
        let refused = save_rules(&file, RuleBehavior::Allow, &rules(&["Bash(make *)"]));
        assert!(matches!(refused, Err(SaveError::Rules { .. })), "{broken}");
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
    fs::write(&file, [b'{', 0xff, b'}']).unwrap();
    let refused = save_rules(&file, RuleBehavior::Allow, &rules(&["Bash(make *)"]));
    assert!(matches!(refused, Err(SaveError::File { .. })));
    assert_eq!(fs::read(&file).unwrap(), [b'{', 0xff, b'}']);
}

#[test]
fn of_many_who_save_at_the_same_time_none_loses_a_rule() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let file = &file;
            scope.spawn(move || {
                let rule = format!("Bash(make t{number} *)");
                save_rules(file, RuleBehavior::Allow, &rules(&[&rule])).unwrap();
            });
        }
    });
    let text = fs::read_to_string(&file).unwrap();
    for number in 0..16 {
        assert!(text.contains(&format!("make t{number} *")), "{text}");
    }
}

#[test]
fn through_a_link_the_file_it_leads_to_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("dotfiles").join("settings.json");
    fs::create_dir(real.parent().unwrap()).unwrap();
    fs::write(&real, "{}").unwrap();
    let link = folder.path().join("settings.json");
    symlink(&real, &link).unwrap();
    save_rules(&link, RuleBehavior::Allow, &rules(&["Bash(make *)"])).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("make"));
}
