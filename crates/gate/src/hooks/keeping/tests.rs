//! What hooks want changed, carried out into a real book and real files.

use pointsman_ledger::RecordBody;
use pointsman_model::{Attended, Lineage, PermissionMode, RuleBehavior, RuleSource, RuleText};

use super::*;
use crate::fixture::Ground;

fn rules(behavior: RuleBehavior, text: &str) -> HookUpdate {
    HookUpdate::AddRules {
        behavior,
        rules: vec![RuleText::new(text)],
    }
}

/// Carries out a wish, and says what came of it: grants, tightenings, the file.
async fn carried_out(
    source: RuleSource,
    update: HookUpdate,
    file: Option<RuleSource>,
    mode: PermissionMode,
) -> String {
    let ground = Ground::new().await;
    let wish = HookWish {
        hook: "h".into(),
        hook_source: source,
        update,
        file,
    };
    let root = ground.root();
    let asker = Asker {
        worker: ground.worker(1).worker,
        mode,
        folder: &root,
        directories: std::slice::from_ref(&root),
    };
    let hooks = ground.hooks(Vec::new(), Attended::Yes);
    hooks
        .carry_out(&wish, &asker, &ground.grants)
        .await
        .unwrap();
    let mut came = Vec::new();
    for grant in ground.grants.list() {
        let scope = match grant.scope {
            GrantScope::Run { .. } => "run",
            GrantScope::Worker { .. } => "worker",
            GrantScope::Call { .. } | GrantScope::Job { .. } => "other",
        };
        came.push(format!("{scope} {}", grant.rule.text));
    }
    let lineage = Lineage::root(ground.worker(9));
    let overlay = ground.grants.overlay_for(&lineage, ground.clock.now());
    for rule in overlay.tightenings {
        came.push(format!("all {} {}", rule.behavior, rule.text));
    }
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let records = reader
        .records(&pointsman_ledger::Filter::default())
        .unwrap();
    for record in records.records {
        if let RecordBody::RulesSaved(saved) = record.body {
            assert_eq!(saved.failure, None);
            let text = std::fs::read_to_string(&*saved.file).unwrap();
            let text: String = text.split_whitespace().collect();
            let file = saved.file.strip_prefix(root.as_str()).unwrap();
            came.push(format!("{file} {text}"));
        }
    }
    came.join("; ").replace(root.as_str(), "~")
}

#[tokio::test]
async fn rules_go_into_the_book_for_whom_their_hook_speaks() {
    let default = PermissionMode::Default;
    let allow = || rules(RuleBehavior::Allow, "Bash(ls *)");
    let of = |source| carried_out(source, allow(), None, default);
    assert_eq!(of(RuleSource::ProjectSettings).await, "worker Bash(ls *)");
    assert_eq!(of(RuleSource::UserSettings).await, "run Bash(ls *)");
    assert_eq!(of(RuleSource::PolicySettings).await, "run Bash(ls *)");
    let deny = rules(RuleBehavior::Deny, "Bash(rm *)");
    let came = carried_out(RuleSource::ProjectSettings, deny, None, default).await;
    assert_eq!(came, "all deny Bash(rm *)");
}

#[tokio::test]
async fn rules_are_written_to_the_file_that_the_persons_hook_names() {
    for (file, name) in [
        (RuleSource::UserSettings, "/.claude/settings.json"),
        (RuleSource::ProjectSettings, "/.claude/settings.json"),
        (RuleSource::LocalSettings, "/.claude/settings.local.json"),
    ] {
        let ask = rules(RuleBehavior::Ask, "Bash(git push *)");
        let came = carried_out(
            RuleSource::UserSettings,
            ask,
            Some(file),
            PermissionMode::Default,
        );
        assert_eq!(
            came.await,
            format!(
                r#"all ask Bash(git push *); {name} {{"permissions":{{"ask":["Bash(gitpush*)"]}}}}"#
            )
        );
    }
}

#[tokio::test]
async fn a_mode_and_folders_become_grants_to_the_agent_alone() {
    let users = RuleSource::UserSettings;
    let edits = HookUpdate::SetMode(PermissionMode::AcceptEdits);
    let came = carried_out(users, edits, None, PermissionMode::Default).await;
    assert_eq!(came, "worker Edit(/~/**)");
    let folders =
        || HookUpdate::AddDirectories(vec!["/data".into(), "~/notes".into(), "/a[b]".into()]);
    let came = carried_out(users, folders(), None, PermissionMode::Default).await;
    assert_eq!(came, "worker Read(//data/**); worker Read(/~/notes/**)");
    let came = carried_out(users, folders(), None, PermissionMode::AcceptEdits).await;
    assert_eq!(
        came,
        "worker Read(//data/**); worker Read(/~/notes/**); worker Edit(//data/**); worker Edit(/~/notes/**)"
    );
}

#[tokio::test]
async fn a_rule_that_is_none_is_an_error_and_the_others_count() {
    let ground = Ground::new().await;
    let wish = HookWish {
        hook: "h".into(),
        hook_source: RuleSource::ProjectSettings,
        update: HookUpdate::AddRules {
            behavior: RuleBehavior::Deny,
            rules: vec![RuleText::new("Bash(rm *"), RuleText::new("Bash(dd *)")],
        },
        file: None,
    };
    let root = ground.root();
    let asker = Asker {
        worker: ground.worker(1).worker,
        mode: PermissionMode::Default,
        folder: &root,
        directories: &[],
    };
    let hooks = ground.hooks(Vec::new(), Attended::Yes);
    let failed = hooks.carry_out(&wish, &asker, &ground.grants).await;
    assert!(matches!(failed, Err(GrantsError::NoRule { .. })));
    let lineage = Lineage::root(ground.worker(1));
    let overlay = ground.grants.overlay_for(&lineage, ground.clock.now());
    assert_eq!(overlay.tightenings.len(), 1);
}

#[tokio::test]
async fn where_managed_allow_rules_count_alone_no_other_hook_allows_and_none_is_kept() {
    for (source, granted) in [
        (RuleSource::UserSettings, 0),
        (RuleSource::ProjectSettings, 0),
        (RuleSource::PolicySettings, 1),
    ] {
        let ground = Ground::new().await;
        let wish = HookWish {
            hook: "h".into(),
            hook_source: source,
            update: rules(RuleBehavior::Allow, "Bash(ls *)"),
            file: Some(RuleSource::UserSettings),
        };
        let root = ground.root();
        let asker = Asker {
            worker: ground.worker(1).worker,
            mode: PermissionMode::Default,
            folder: &root,
            directories: std::slice::from_ref(&root),
        };
        let mut place = ground.hook_place(Attended::Yes);
        place.allow_rules = Whose::ManagedOnly;
        let hooks = Hooks::new(pointsman_policy::settings::HookSettings::default(), place);
        hooks
            .carry_out(&wish, &asker, &ground.grants)
            .await
            .unwrap();
        assert_eq!(ground.grants.list().len(), granted, "{source}");
        assert!(!root.join(".claude/settings.json").as_path().exists());
        // What tightens is kept as ever.
        let wish = HookWish {
            update: rules(RuleBehavior::Deny, "Bash(rm *)"),
            ..wish
        };
        hooks
            .carry_out(&wish, &asker, &ground.grants)
            .await
            .unwrap();
        assert!(root.join(".claude/settings.json").as_path().exists());
    }
}
