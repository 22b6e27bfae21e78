use super::*;

/// What reading a step comes to: its debug form in short, or the error.
#[track_caller]
fn check(step: &str, expect: Result<&str, &str>) {
    let read = serde_json::from_str::<Step>(step);
    match (read, expect) {
        (Ok(step), Ok(kind)) => {
            let is = match &step {
                Step::Call(call) => call.tool.to_string(),
                Step::Parallel(calls) => format!("{} at once", calls.len()),
            };
            assert_eq!(is, kind);
            let written = serde_json::to_string(&step).unwrap();
            assert_eq!(serde_json::from_str::<Step>(&written).unwrap(), step);
        }
        (Err(error), Err(part)) => {
            let error = error.to_string();
            assert!(error.contains(part), "no `{part}` in: {error}");
        }
        (read, _) => panic!("{read:?}, not {expect:?}"),
    }
}

#[test]
fn steps_are_read_in_both_forms() {
    check(r#"{"tool":"Bash","input":{"command":"ls"}}"#, Ok("Bash"));
    check(r#"{"tool":"Glob"}"#, Ok("Glob"));
    check(
        r#"{"parallel":[{"tool":"Read"},{"name":"n","tool":"Grep"}]}"#,
        Ok("2 at once"),
    );
    check(
        r#"{"tool":"Bash","on_refusal":[{"tool":"Read"}],"expect":{"outcome":"refused","text_matches":"a+"}}"#,
        Ok("Bash"),
    );
    for word in WORDS_OF_REFUSAL {
        check(
            &format!(r#"{{"tool":"Bash","on_refusal":"{word}"}}"#),
            Ok("Bash"),
        );
    }
}

const WORDS_OF_REFUSAL: [&str; 3] = ["continue", "fail", "stop"];

#[test]
fn what_is_wrong_with_a_step_is_told() {
    check("{}", Err("a step needs `tool`, or `parallel`"));
    check(
        r#"{"tool":"Bash","parallel":[]}"#,
        Err("a step has either `tool` or `parallel`"),
    );
    check(r#"{"parallel":[]}"#, Err("`parallel` is empty"));
    check(
        r#"{"parallel":[{"tool":"Read"}],"expect":{}}"#,
        Err("`expect` belongs to a single call"),
    );
    check(
        r#"{"tool":"Bash","inputs":{}}"#,
        Err("unknown field `inputs`"),
    );
    check(r#"{"tool":"Ba sh"}"#, Err("`Ba sh` is no tool name"));
    check(
        r#"{"tool":"Bash","on_refusal":"halt"}"#,
        Err("unknown variant `halt`"),
    );
    check(
        r#"{"tool":"Bash","on_refusal":[{"tol":"Bash"}]}"#,
        Err("unknown field `tol`"),
    );
    check(
        r#"{"tool":"Bash","on_refusal":3}"#,
        Err("or a list of steps"),
    );
    check(
        r#"{"tool":"Bash","expect":{"outcome":"good"}}"#,
        Err("unknown variant `good`"),
    );
    check(
        r#"{"tool":"Bash","expect":{"text_matches":"("}}"#,
        Err("`(` is no regular expression"),
    );
}

#[test]
fn the_schema_describes_every_field() {
    let schema = serde_json::to_value(schemars::schema_for!(Steps)).unwrap();
    let definitions = schema["$defs"].as_object().unwrap();
    for name in ["Step", "CallStep", "Expect", "OnRefusal"] {
        let definition = &definitions[name];
        assert!(
            definition["description"].is_string(),
            "{name}: {definition}"
        );
        for (field, part) in definition["properties"].as_object().into_iter().flatten() {
            assert!(part["description"].is_string(), "{name}.{field}: {part}");
        }
    }
    assert_eq!(definitions["Step"]["additionalProperties"], false);
}
