//! What a refusal leads to.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Step;

/// What a refusal leads to. Written as a word, or as a list of steps.
#[derive(Debug, Clone, PartialEq)]
pub enum OnRefusal {
    /// The script goes on. The agent's summary tells of the refusal.
    Continue,
    /// The agent fails.
    Fail,
    /// The script ends here; the agent is done, and its summary tells why so early.
    Stop,
    /// These steps are taken, then the script goes on.
    Steps(Vec<Step>),
}

impl OnRefusal {
    /// The words that it may be written as.
    pub const WORDS: [&str; 3] = ["continue", "fail", "stop"];
}

impl Serialize for OnRefusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Continue => serializer.serialize_str("continue"),
            Self::Fail => serializer.serialize_str("fail"),
            Self::Stop => serializer.serialize_str("stop"),
            Self::Steps(steps) => steps.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OnRefusal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrSteps)
    }
}

/// Reads either form, so that what is wrong inside a step is told as such.
struct WordOrSteps;

impl<'de> Visitor<'de> for WordOrSteps {
    type Value = OnRefusal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"continue\", \"fail\", \"stop\" or a list of steps")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<OnRefusal, E> {
        match word {
            "continue" => Ok(OnRefusal::Continue),
            "fail" => Ok(OnRefusal::Fail),
            "stop" => Ok(OnRefusal::Stop),
            other => Err(E::unknown_variant(other, &OnRefusal::WORDS)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, steps: A) -> Result<OnRefusal, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(steps)).map(OnRefusal::Steps)
    }
}

impl JsonSchema for OnRefusal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OnRefusal".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let steps = generator.subschema_for::<Vec<Step>>();
        json_schema!({
            "description": "What a refusal leads to: the script goes on, the agent fails, the script ends, or these \
                            steps are taken.",
            "oneOf": [{ "type": "string", "enum": OnRefusal::WORDS }, steps],
        })
    }
}
