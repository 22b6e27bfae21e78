//! The classifier and the explainer, as settings name them.

use super::loaded;
use crate::settings::{Amount, ClassifierBy, Loaded, ModelDialect};

const MODEL: &str = r#""model": "small", "dialect": "anthropic""#;

fn of_user(section: &str) -> Loaded {
    loaded(&[("own", &format!(r#"{{"pointsman": {{{section}}}}}"#))])
}

#[test]
fn a_model_with_all_that_can_be_said_of_it() {
    let loaded = of_user(
        r#""classifier": {"model": "small", "dialect": "openai", "base_url": "http://127.0.0.1:1/v1", "key_env": "K",
            "timeout_s": 7, "attempt_timeout_s": 2.5, "guidance": {"environment": ["e"], "allow": ["a"], "refuse": ["r", "s"]},
            "budget": {"tokens": 1000, "money": 2.5, "time_s": 60}, "prices": {"input": 0.25, "output": 1}},
        "explainer": {"model": "tiny", "dialect": "anthropic"}"#,
    );
    assert_eq!(loaded.problems, []);
    let classifier = loaded.pointsman.classifier.unwrap();
    assert_eq!(classifier.timeout.0, 7_000);
    assert_eq!(classifier.attempt_timeout.map(|limit| limit.0), Some(2_500));
    assert_eq!(classifier.guidance.refuse.len(), 2);
    let ClassifierBy::Model(model) = classifier.by else {
        panic!("{classifier:?}");
    };
    assert_eq!(
        (&*model.model, model.dialect),
        ("small", ModelDialect::OpenAi)
    );
    assert_eq!(model.key_env.as_deref(), Some("K"));
    assert_eq!(model.budget.tokens, Some(1_000));
    assert_eq!(model.budget.money, Some(Amount(2_500_000)));
    assert!((model.prices.unwrap().input.in_ones() - 0.25).abs() < f64::EPSILON);
    assert_eq!(&*loaded.pointsman.explainer.unwrap().model.model, "tiny");
}

/// Whatever of a section can't be read may have been to limit it, so there is none then, and it is told.
#[test]
fn a_section_with_a_fault_is_left_out_and_told() {
    let with = |more: &str| format!(r#""classifier": {{{MODEL}{more}}}"#);
    let cases = [
        r#""classifier": {}"#.to_owned(),
        r#""classifier": {"model": "small"}"#.into(),
        r#""classifier": {"model": "", "dialect": "anthropic"}"#.into(),
        r#""classifier": {"model": "small", "dialect": "english"}"#.into(),
        with(r#", "command": ["x"]"#),
        with(r#", "api_key": "sk-1""#),
        with(r#", "timeout_s": 0"#),
        with(r#", "attempt_timeout_s": 0"#),
        r#""classifier": {"command": ["x"], "attempt_timeout_s": 1}"#.into(),
        with(r#", "guidance": {"refuse": "all"}"#),
        with(r#", "guidance": {"refuse": [1]}"#),
        with(r#", "guidance": {"refuze": []}"#),
        with(r#", "budget": {"tokens": -1}"#),
        with(r#", "budget": {"tokens": 1.5}"#),
        with(r#", "budget": {"monny": 1}"#),
        with(r#", "budget": {"money": 1}"#),
        with(r#", "budget": 5"#),
        with(r#", "prices": {"input": 1}"#),
        with(r#", "prices": {"input": 1, "output": -2}"#),
    ];
    for section in cases {
        let loaded = of_user(&section);
        assert_eq!(loaded.pointsman.classifier, None, "{section}");
        assert!(!loaded.problems.is_empty(), "{section}");
        let explains = section.replace("classifier", "explainer");
        let loaded = of_user(&explains);
        assert_eq!(loaded.pointsman.explainer, None, "{explains}");
        assert!(!loaded.problems.is_empty(), "{explains}");
    }
}

#[test]
fn a_project_names_neither_though_it_is_trusted() {
    for key in ["classifier", "explainer"] {
        let text = format!(r#"{{"pointsman": {{"{key}": {{{MODEL}}}}}}}"#);
        for file in ["pointsman", "local"] {
            let loaded = super::loaded_trusted(&[(file, &text)]);
            assert_eq!(loaded.pointsman.classifier, None, "{file}");
            assert_eq!(loaded.pointsman.explainer, None, "{file}");
            assert!(!loaded.problems.is_empty(), "{file}");
        }
    }
}

#[test]
fn the_managed_settings_come_before_the_persons() {
    let naming = |model: &str| {
        format!(
            r#"{{"pointsman": {{"classifier": {{"model": "{model}", "dialect": "anthropic"}}}}}}"#
        )
    };
    let loaded = loaded(&[("own", &naming("mine")), ("managed", &naming("theirs"))]);
    let ClassifierBy::Model(model) = loaded.pointsman.classifier.unwrap().by else {
        panic!("a program");
    };
    assert_eq!(&*model.model, "theirs");
}
