//! Reading answers by the letter: an object where an object was asked for, a word where a word was.
//!
//! Derived readers also take a list for an object, its fields by their order, and an object with one key
//! for a word. What programs and models answer decides what passes, so neither counts here.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, IntoDeserializer, MapAccess, Visitor,
};

/// A value that stands as an object, and as nothing else.
pub(crate) struct Object<T>(pub(crate) T);

/// A variant that stands as a string, and as nothing else.
pub(crate) struct Spelled<T>(pub(crate) T);

/// Reads one object and nothing around it.
pub(crate) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(text).map(|Object(value)| value)
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        T::deserialize(word.into_deserializer()).map(Spelled)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Answer {
        #[serde(default)]
        word: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Yes {
        Allow,
    }

    #[test]
    fn only_an_object_is_an_object() {
        let read = |text: &str| object::<Answer>(text.as_bytes());
        let word = Some("x".to_owned());
        assert_eq!(read(r#"{"word":"x"}"#).unwrap(), Answer { word });
        assert_eq!(read("{}").unwrap(), Answer { word: None });
        for text in [
            r#"["x"]"#,
            "[]",
            "null",
            r#""x""#,
            "1",
            r#"{"word":"x"} {}"#,
            r#"{"word":"x","word":"y"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_a_string_is_a_word() {
        let read = |text: &str| serde_json::from_str(text).map(|Spelled::<Yes>(word)| word);
        assert_eq!(read(r#""allow""#).unwrap(), Yes::Allow);
        for text in [
            r#"{"allow":null}"#,
            r#"["allow"]"#,
            "0",
            "true",
            r#""Allow""#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
