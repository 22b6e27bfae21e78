//! The difference between two inputs of one call, field by field: what a hook rewrote on the way.

use std::collections::BTreeMap;

use pointsman_model::JsonText;
use serde_json::value::RawValue;

use crate::shown::{self, Apart, Extent};

/// Each field that differs, written so that the two tell apart, the earlier value behind `- `, the later one behind `+ `; empty when
/// none does. Inputs that can't be read field by field are shown whole.
#[must_use]
pub fn difference_text(before: &JsonText, after: &JsonText, extent: Extent) -> String {
    let (Some(earlier), Some(later)) = (fields(before), fields(after)) else {
        return both("", before.as_str(), after.as_str(), extent);
    };
    let mut names: Vec<&String> = earlier.keys().chain(later.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = String::new();
    for name in names {
        match (earlier.get(name), later.get(name)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) => text.push_str(&both(name, old, new, extent)),
            (Some(old), None) => text.push_str(&one(name, '-', old, extent)),
            (None, Some(new)) => text.push_str(&one(name, '+', new, extent)),
            (None, None) => {}
        }
    }
    text
}

fn both(name: &str, old: &str, new: &str, extent: Extent) -> String {
    let (old, new) = Apart::of(old, new).texts();
    one(name, '-', &old, extent) + &one(name, '+', &new, extent)
}

fn one(name: &str, sign: char, value: &str, extent: Extent) -> String {
    let bar = if name.is_empty() {
        format!("  {sign} ")
    } else {
        format!("  {sign} {}: ", shown::line(name))
    };
    shown::block(value, &bar, extent)
}

/// The fields of an object: texts without their quotes, other values as JSON.
fn fields(input: &JsonText) -> Option<BTreeMap<String, String>> {
    let raw: BTreeMap<String, Box<RawValue>> = serde_json::from_str(input.as_str()).ok()?;
    let plain = |value: &RawValue| {
        serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().into())
    };
    Some(
        raw.into_iter()
            .map(|(name, value)| {
                let value = plain(&value);
                let value = match name.as_str() {
                    "command" => shown::command(&value).into_owned(),
                    _ => value,
                };
                (name, value)
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expect: &str) {
        let before = JsonText::parse(before).unwrap();
        let after = JsonText::parse(after).unwrap();
        assert_eq!(difference_text(&before, &after, Extent::Screen), expect);
    }

    #[test]
    fn only_fields_that_differ_are_shown() {
        check(
            r#"{"command":"git push --force","timeout":5}"#,
            r#"{"timeout":5,"command":"git push"}"#,
            "  - command: git push --force\n  + command: git push\n",
        );
        check(r#"{"a":"b"}"#, r#"{ "a" : "b" }"#, "");
        check(r#"{"a":[1]}"#, r#"{"b":"x"}"#, "  - a: [1]\n  + b: x\n");
    }

    #[test]
    fn law_22_values_that_differ_look_different() {
        check(
            r#"{"a":"x\ny\n","command":"ls\n"}"#,
            r#"{"a":"x\r\ny \n","command":"ls\r\n"}"#,
            "  - a: x\n  - a: y\n  + a: x‹U+000D›\n  + a: y‹1 blank›\n  - command: ls\n  + command: ls‹U+000D›\n",
        );
    }

    #[test]
    fn a_value_can_t_fake_a_line_of_the_difference() {
        check(
            r#"{"a":"x"}"#,
            r#"{"a":"y\n- a: z\u001b"}"#,
            "  - a: x\n  + a: y\n  + a: - a: z‹U+001B›\n",
        );
    }
}
