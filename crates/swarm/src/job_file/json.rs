//! TOML values as JSON, for the inputs of tools.

use serde_json::{Map, Number, Value as Json};
use toml::de::{DeTable, DeValue};

use super::reader::Value;

/// A table as a JSON object. Dates become texts; numbers that JSON can't hold become null, which no tool takes.
pub(super) fn object(table: &DeTable<'_>) -> Map<String, Json> {
    table
        .iter()
        .map(|(key, value)| (key.get_ref().to_string(), json(value)))
        .collect()
}

fn json(value: &Value<'_>) -> Json {
    match value.get_ref() {
        DeValue::String(text) => Json::String(text.to_string()),
        DeValue::Boolean(flag) => Json::Bool(*flag),
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
            .map_or(Json::Null, |number| Json::Number(number.into())),
        DeValue::Float(digits) => digits
            .as_str()
            .parse::<f64>()
            .ok()
            .and_then(Number::from_f64)
            .map_or(Json::Null, Json::Number),
        DeValue::Datetime(moment) => Json::String(moment.to_string()),
        DeValue::Array(list) => list.iter().map(json).collect(),
        DeValue::Table(table) => Json::Object(object(table)),
    }
}
