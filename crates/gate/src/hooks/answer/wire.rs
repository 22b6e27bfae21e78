//! The JSON that hooks write. Keys that don't concern us are passed over, as other hosts do; a known
//! key with a wrong value makes the whole answer unreadable.

use std::collections::BTreeMap;

use pointsman_model::{JsonText, RuleText};
use pointsman_policy::settings::HookEvent;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::strict::{self, Object};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    #[serde(rename = "continue")]
    pub(super) goes_on: Option<bool>,
    pub(super) stop_reason: Option<String>,
    pub(super) system_message: Option<String>,
    pub(super) decision: Option<String>,
    pub(super) reason: Option<String>,
    hook_specific_output: Option<Object<Specific>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Specific {
    hook_event_name: Option<String>,
    pub(super) permission_decision: Option<String>,
    pub(super) permission_decision_reason: Option<String>,
    pub(super) updated_input: Option<Box<RawValue>>,
    pub(super) updated_permissions: Option<Vec<Object<Update>>>,
    pub(super) decision: Option<Object<RequestDecision>>,
    pub(super) additional_context: Option<String>,
    pub(super) updated_tool_output: Option<Box<RawValue>>,
    pub(super) retry: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestDecision {
    pub(super) behavior: String,
    pub(super) message: Option<String>,
    pub(super) interrupt: Option<bool>,
    pub(super) updated_input: Option<Box<RawValue>>,
    pub(super) updated_permissions: Option<Vec<Object<Update>>>,
}

#[derive(Deserialize)]
pub(super) struct Update {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) rules: Vec<Object<UpdateRule>>,
    pub(super) behavior: Option<String>,
    pub(super) mode: Option<String>,
    #[serde(default)]
    pub(super) directories: Vec<String>,
    pub(super) destination: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateRule {
    tool_name: String,
    rule_content: Option<String>,
}

impl UpdateRule {
    pub(super) fn text(&self) -> RuleText {
        match &self.rule_content {
            None => RuleText::new(&self.tool_name),
            Some(content) => RuleText::new(&format!("{}({content})", self.tool_name)),
        }
    }
}

impl Output {
    /// The part that is for this event; an error when it is for another, or for none.
    pub(super) fn specific(&self, event: HookEvent) -> Result<Option<&Specific>, String> {
        let Some(Object(specific)) = &self.hook_specific_output else {
            return Ok(None);
        };
        let expected = event.as_str();
        match specific.hook_event_name.as_deref() {
            Some(name) if name == expected => Ok(Some(specific)),
            Some(name) => Err(format!("it answers to `{name}`, not to {expected}")),
            None => Err(format!("its answer does not name its event, {expected}")),
        }
    }
}

/// What a command gave, as a hook would have it told.
#[derive(Deserialize)]
struct Streams {
    stdout: String,
    #[serde(default)]
    stderr: String,
}

/// The text that an agent is told in place of a tool's own.
pub(super) fn tool_output(raw: Option<&RawValue>) -> Result<Option<Box<str>>, String> {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else {
        return Ok(None);
    };
    if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
        return Ok(Some(text.into()));
    }
    strict::object(raw.get().as_bytes())
        .map(|Streams { stdout, stderr }| Some(format!("{stdout}{stderr}").into()))
        .map_err(|_| "its updatedToolOutput is neither a text nor has it a `stdout`".into())
}

/// Keys of every answer. `turn` is of hooks that stay.
const TOP: [&str; 8] = [
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "decision",
    "reason",
    "hookSpecificOutput",
    "turn",
];

/// Keys of the part for PreToolUse.
const PRE_TOOL_USE: [&str; 6] = [
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "updatedPermissions",
    "additionalContext",
];

/// Keys of the part for PermissionRequest.
const PERMISSION_REQUEST: [&str; 3] = ["hookEventName", "decision", "additionalContext"];

/// The first key of an answer that nobody reads at an event at which answers decide. It may have been to.
pub(super) fn stray_key(event: HookEvent, text: &[u8]) -> Option<String> {
    type Keys<T> = BTreeMap<String, T>;
    let specific: &[&str] = match event {
        HookEvent::PreToolUse => &PRE_TOOL_USE,
        HookEvent::PermissionRequest => &PERMISSION_REQUEST,
        HookEvent::PermissionDenied
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::SessionStart
        | HookEvent::SessionEnd
        | HookEvent::Stop => return None,
    };
    // The old form answers no question.
    let old_form =
        |key: &str| event == HookEvent::PermissionRequest && matches!(key, "decision" | "reason");
    let top: Keys<&RawValue> = serde_json::from_slice(text).ok()?;
    let within: Keys<IgnoredAny> = top
        .get("hookSpecificOutput")
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    let strays = top
        .keys()
        .filter(|key| !TOP.contains(&&***key) || old_form(key));
    let strays = strays.chain(within.keys().filter(|key| !specific.contains(&&***key)));
    strays.min().cloned()
}

/// An input as a hook would have it.
pub(super) fn object(raw: Option<&RawValue>) -> Result<Option<JsonText>, String> {
    raw.filter(|raw| raw.get() != "null")
        .map(|raw| JsonText::parse(raw.get()))
        .transpose()
        .map_err(|error| format!("its updatedInput is of no use: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::value::Error;
    use serde::de::{Error as _, Visitor};
    use serde::{Deserializer, forward_to_deserialize_any};

    use super::*;

    /// Gives nothing to read, and keeps which fields were wanted.
    struct Wanted<'a>(&'a mut BTreeSet<&'static str>);

    impl<'de> Deserializer<'de> for Wanted<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("no struct"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            Err(Error::custom("nothing more is wanted"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    /// The keys that a part of an answer is read from.
    fn keys_of<T: for<'de> Deserialize<'de>>() -> BTreeSet<&'static str> {
        let mut keys = BTreeSet::new();
        assert!(T::deserialize(Wanted(&mut keys)).is_err());
        assert!(!keys.is_empty());
        keys
    }

    /// A key that is read and stands in no list would count as a stray one, and one that is in a list and is read by
    /// nobody would be passed over.
    #[test]
    fn each_key_that_is_read_is_known() {
        // Read by nobody, and no decision either; the second by the pipe to hooks that stay.
        let unread = ["suppressOutput", "turn"];
        let read = keys_of::<Output>().into_iter().chain(unread);
        assert_eq!(BTreeSet::from(TOP), read.collect());
        // Of events at which an answer decides nothing about a call.
        let elsewhere = ["updatedToolOutput", "retry"];
        let known = PRE_TOOL_USE.into_iter().chain(PERMISSION_REQUEST);
        assert_eq!(keys_of::<Specific>(), known.chain(elsewhere).collect());
    }
}
