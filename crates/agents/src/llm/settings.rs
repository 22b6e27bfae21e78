//! How a job file names a model. These types are what it holds; their comments become the descriptions
//! in its JSON schema. No key ever stands in a file: the file names the variable that holds it.

use std::time::Duration;

use pointsman_llm::{
    ApiKey, BaseUrl, BaseUrlError, Budget, ClientError, Dialect, Endpoint, ModelName, Money,
    PriceError, Prices, Spending,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LlmLimits;

/// Turns of a model, when nothing is said.
const TURNS_MAX: u32 = 200;

/// Tokens of a turn, when nothing is said: what all models at hand can write.
const OUTPUT_TOKENS_MAX: u32 = 8_192;

/// How a model's server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelDialect {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat completions, as OpenAI and many other servers speak them.
    #[serde(rename = "openai")]
    OpenAi,
}

impl ModelDialect {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    /// The variable that holds the key where settings name none.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
        }
    }

    /// The word for it in job files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}

/// The model of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The model, as its server names it.
    pub model: String,
    /// How its server is spoken to: "anthropic" or "openai".
    pub dialect: ModelDialect,
    /// The address of its server. Left out: the variable `base_url_env`, and then the maker's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The variable that holds the address. Left out: `ANTHROPIC_BASE_URL` or `OPENAI_BASE_URL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url_env: Option<String>,
    /// The variable that holds the key. Left out: `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// What the agent is told beside its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How many turns the model may take; 200 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_max: Option<u32>,
    /// How many tokens one turn may have; 8192 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
    /// How many tokens the model reads. The conversation is shortened before it is that long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// How freely the model picks its words, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// What it may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetSettings>,
    /// What tokens cost; needed for a budget in money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceSettings>,
}

/// What talking to a model may cost. The agent is halted where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSettings {
    /// Tokens, read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    /// Seconds spent waiting for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<u64>,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceSettings {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from the server's cache; as others if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Written to the server's cache; twice as others if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// Why a model can't be talked to as the settings say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelSettingsError {
    /// There is no key.
    #[error("there is no key for the model `{model}`: set the variable `{variable}`")]
    NoKey {
        /// The model.
        model: Box<str>,
        /// The variable.
        variable: Box<str>,
    },
    /// The key can't be one.
    #[error("what the variable `{variable}` holds can't be a key")]
    NotAKey {
        /// The variable.
        variable: Box<str>,
    },
    /// The address can't be used.
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    /// A price is none.
    #[error(transparent)]
    Price(#[from] PriceError),
    /// A budget in money is none.
    #[error("`{0}` is no amount of money")]
    Money(f64),
    /// There can be no client.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl ModelSettings {
    /// The variable that holds the key. Nothing that agents start may see it.
    #[must_use]
    pub fn key_variable(&self) -> &str {
        self.key_env
            .as_deref()
            .unwrap_or_else(|| self.dialect.key_variable())
    }

    /// Where the model is. `variable` looks a variable up; nothing here reads the environment.
    ///
    /// # Errors
    /// When there is no key, or the address is none. A server on this machine needs no key.
    pub fn endpoint(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, ModelSettingsError> {
        let (dialect, url, url_variable) = match self.dialect {
            ModelDialect::Anthropic => (
                Dialect::Anthropic,
                "https://api.anthropic.com",
                "ANTHROPIC_BASE_URL",
            ),
            ModelDialect::OpenAi => (
                Dialect::OpenAi,
                "https://api.openai.com/v1",
                "OPENAI_BASE_URL",
            ),
        };
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let url_variable = self.base_url_env.as_deref().unwrap_or(url_variable);
        let url = self
            .base_url
            .clone()
            .or_else(|| set(url_variable))
            .unwrap_or_else(|| url.into());
        let base_url = BaseUrl::parse(&url)?;
        let key_variable = self.key_variable();
        let key = match set(key_variable) {
            Some(text) => Some(ApiKey::new(&text).ok_or(ModelSettingsError::NotAKey {
                variable: key_variable.into(),
            })?),
            None if base_url.is_loopback() => None,
            None => {
                return Err(ModelSettingsError::NoKey {
                    model: self.model.as_str().into(),
                    variable: key_variable.into(),
                });
            }
        };
        Ok(Endpoint {
            dialect,
            base_url,
            key,
            model: ModelName::new(&self.model),
        })
    }

    /// The book of what is spent on it. One book may be shared by agents that share a budget.
    ///
    /// # Errors
    /// When a price or an amount is none, or money is limited without prices.
    pub fn spending(&self) -> Result<Spending, ModelSettingsError> {
        let prices = self.prices.map(|prices| prices.read()).transpose()?;
        let budget = match self.budget {
            None => Budget::UNLIMITED,
            Some(budget) => Budget {
                tokens: budget.tokens,
                money: budget
                    .money
                    .map(|money| Money::of(money).ok_or(ModelSettingsError::Money(money)))
                    .transpose()?,
                time: budget.time_s.map(Duration::from_secs),
            },
        };
        Ok(Spending::new(budget, prices)?)
    }

    /// How far its agent goes.
    #[must_use]
    pub fn limits(&self) -> LlmLimits {
        LlmLimits {
            turns_max: self.turns_max.unwrap_or(TURNS_MAX),
            output_tokens_max: self.output_tokens_max.unwrap_or(OUTPUT_TOKENS_MAX),
            context_tokens: self.context_tokens,
            temperature: self.temperature,
        }
    }
}

impl PriceSettings {
    fn read(self) -> Result<Prices, PriceError> {
        let prices = Prices::per_million(self.input, self.output)?;
        if self.cache_read.is_none() && self.cache_write.is_none() {
            return Ok(prices);
        }
        prices.with_cache(
            self.cache_read.unwrap_or(self.input),
            self.cache_write.unwrap_or(self.input * 2.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(more: &str) -> ModelSettings {
        toml::from_str(&format!("model = \"m\"\n{more}")).unwrap()
    }

    /// What the settings come to in an environment, in words.
    #[track_caller]
    fn check(more: &str, environment: &[(&str, &str)], expect: &str) {
        let found = settings(more).endpoint(|name| {
            let found = environment.iter().find(|(set, _)| *set == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        let found = match found {
            Ok(endpoint) => format!(
                "{} {}",
                endpoint.base_url,
                endpoint.key.map_or("without key", |_| "with key")
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn address_and_key_come_from_file_and_variables() {
        let key = ("ANTHROPIC_API_KEY", "sk-1");
        let anthropic = "dialect = \"anthropic\"";
        check(anthropic, &[key], "https://api.anthropic.com/ with key");
        let base = ("ANTHROPIC_BASE_URL", "https://x.y");
        check(anthropic, &[key, base], "https://x.y/ with key");
        let own = "dialect = \"openai\"\nbase_url = \"http://127.0.0.1:8\"";
        check(own, &[key, base], "http://127.0.0.1:8/ without key");
        let named = "dialect = \"openai\"\nkey_env = \"K\"\nbase_url_env = \"B\"";
        check(
            named,
            &[("K", "k"), ("B", "https://b")],
            "https://b/ with key",
        );
    }

    #[test]
    fn a_missing_key_is_told_by_the_name_of_its_variable() {
        let anthropic = "dialect = \"anthropic\"";
        let no_key = "there is no key for the model `m`: set the variable `ANTHROPIC_API_KEY`";
        check(anthropic, &[], no_key);
        check(anthropic, &[("ANTHROPIC_API_KEY", " ")], no_key);
        check(
            anthropic,
            &[("ANTHROPIC_API_KEY", "a b")],
            "what the variable `ANTHROPIC_API_KEY` holds can't be a key",
        );
    }

    #[test]
    fn a_budget_in_money_needs_prices() {
        let budget = "dialect = \"openai\"\nbudget = { money = 2.5 }";
        assert!(settings(budget).spending().is_err());
        let priced = format!("{budget}\nprices = {{ input = 1.0, output = 2.0 }}");
        assert!(settings(&priced).spending().is_ok());
        let negative = priced.replace("2.5", "-1.0");
        assert!(settings(&negative).spending().is_err());
    }

    #[test]
    fn an_unknown_key_is_no_settings() {
        let read: Result<ModelSettings, _> =
            toml::from_str("model = \"m\"\ndialect = \"openai\"\napi_key = \"sk-1\"");
        assert!(read.is_err());
    }
}
