//! A model as settings name it: for the classifier and the explainer. No key ever stands in a file:
//! the file names the variable that holds it.

use pointsman_model::Millis;
use serde::Serialize;

use crate::Severity;
use crate::settings::document::{Json, Located, Member};
use crate::settings::keys;
use crate::settings::reading::Reader;

/// How a model's server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelDialect {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat completions, as OpenAI and many other servers speak them.
    OpenAi,
}

/// A model, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelSetting {
    /// The model, as its server names it.
    pub model: Box<str>,
    /// How its server is spoken to.
    pub dialect: ModelDialect,
    /// The address of its server; its maker's own when nothing is said.
    pub base_url: Option<Box<str>>,
    /// The variable that holds the key; the usual one of the dialect when nothing is said.
    pub key_env: Option<Box<str>>,
    /// What it may cost a run.
    pub budget: ModelBudget,
    /// What tokens cost; a budget in money needs it.
    pub prices: Option<ModelPrices>,
}

/// What a model may cost a run. Nothing is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ModelBudget {
    /// Tokens, read and written together.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub money: Option<Amount>,
    /// Time spent waiting for it.
    pub time: Option<Millis>,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ModelPrices {
    /// Read.
    pub input: Amount,
    /// Written.
    pub output: Amount,
    /// Read from the server's cache.
    pub cache_read: Option<Amount>,
    /// Written to the server's cache.
    pub cache_write: Option<Amount>,
}

/// An amount of money in millionths of its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Amount(pub u64);

impl Amount {
    const ONE: f64 = 1_000_000.0;

    /// More than any model costs, and small enough to be exact.
    const MAX: f64 = 1_000_000.0;

    /// An amount as people write it, `2.50`.
    fn read(text: &str) -> Option<Self> {
        let amount: f64 = text.parse().ok()?;
        if !(0.0..=Self::MAX).contains(&amount) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked just above"
        )]
        let millionths = (amount * Self::ONE).round() as u64;
        Some(Self(millionths))
    }

    /// The amount in whole ones.
    #[must_use]
    pub fn in_ones(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "an amount is small enough to be exact"
        )]
        let millionths = self.0 as f64;
        millionths / Self::ONE
    }
}

/// A section that names a model, while it is read.
#[derive(Default)]
pub(super) struct ModelDraft {
    model: Option<Box<str>>,
    dialect: Option<ModelDialect>,
    base_url: Option<Box<str>>,
    key_env: Option<Box<str>>,
    budget: ModelBudget,
    prices: Option<ModelPrices>,
    /// Whether something of it can't be read. What was to limit it may be lost, so there is no model then.
    pub(super) broken: bool,
}

/// The three keys of a budget in one word, for messages.
const BUDGET: &str = "`budget`";
const PRICES: &str = "`prices`";

impl ModelDraft {
    /// Whether any key of a model was there.
    pub(super) fn is_begun(&self) -> bool {
        self.model.is_some() || self.dialect.is_some() || self.base_url.is_some()
    }

    /// The model, when all that it needs was said.
    pub(super) fn finish(self) -> Result<ModelSetting, &'static str> {
        let Some(model) = self.model else {
            return Err("it has no `model`");
        };
        let Some(dialect) = self.dialect else {
            return Err("it has no `dialect`: \"anthropic\" or \"openai\"");
        };
        if self.budget.money.is_some() && self.prices.is_none() {
            return Err("its budget in money needs `prices`");
        }
        Ok(ModelSetting {
            model,
            dialect,
            base_url: self.base_url,
            key_env: self.key_env,
            budget: self.budget,
            prices: self.prices,
        })
    }
}

impl Reader<'_> {
    /// Takes a key of a model; whether it is one.
    pub(super) fn model_key(&mut self, member: &Member, draft: &mut ModelDraft) -> bool {
        match &*member.key {
            "model" => draft.model = self.word(member, draft),
            "base_url" => draft.base_url = self.word(member, draft),
            "key_env" => draft.key_env = self.word(member, draft),
            "dialect" => {
                draft.dialect = match self.word(member, draft).as_deref() {
                    Some("anthropic") => Some(ModelDialect::Anthropic),
                    Some("openai") => Some(ModelDialect::OpenAi),
                    Some(_) => {
                        let message = "`dialect` is \"anthropic\" or \"openai\"".into();
                        self.spoilt(draft, member.value.at, message);
                        None
                    }
                    None => None,
                };
            }
            "budget" => self.budget(member, draft),
            "prices" => self.prices(member, draft),
            _ => return false,
        }
        true
    }

    /// Reports what spoils a model.
    pub(super) fn spoilt(&mut self, draft: &mut ModelDraft, at: usize, message: String) {
        draft.broken = true;
        self.report(
            Severity::Warning,
            at,
            message,
            Some("this section counts as left out until it is mended"),
        );
    }

    /// A text that is not empty.
    fn word(&mut self, member: &Member, draft: &mut ModelDraft) -> Option<Box<str>> {
        match &member.value.json {
            Json::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            json => {
                let message = format!("`{}` is a string, and this is {}", member.key, json.kind());
                self.spoilt(draft, member.value.at, message);
                None
            }
        }
    }

    fn budget(&mut self, member: &Member, draft: &mut ModelDraft) {
        for member in self.members(member, draft) {
            match &*member.key {
                "tokens" => draft.budget.tokens = self.count(&member, draft),
                "money" => draft.budget.money = self.amount(&member, draft),
                "time_s" => {
                    draft.budget.time = self.seconds(&member);
                    draft.broken |= draft.budget.time.is_none();
                }
                _ => {
                    draft.broken = true;
                    self.unknown_key(&member, BUDGET, &[keys::MODEL_BUDGET]);
                }
            }
        }
    }

    fn prices(&mut self, member: &Member, draft: &mut ModelDraft) {
        let (mut input, mut output, mut cache_read, mut cache_write) = (None, None, None, None);
        let at = member.value.at;
        for member in self.members(member, draft) {
            match &*member.key {
                "input" => input = self.amount(&member, draft),
                "output" => output = self.amount(&member, draft),
                "cache_read" => cache_read = self.amount(&member, draft),
                "cache_write" => cache_write = self.amount(&member, draft),
                _ => {
                    draft.broken = true;
                    self.unknown_key(&member, PRICES, &[keys::MODEL_PRICES]);
                }
            }
        }
        match (input, output) {
            (Some(input), Some(output)) => {
                draft.prices = Some(ModelPrices {
                    input,
                    output,
                    cache_read,
                    cache_write,
                });
            }
            _ => {
                let message = "`prices` has `input` and `output`, for a million tokens".into();
                self.spoilt(draft, at, message);
            }
        }
    }

    fn members(&mut self, member: &Member, draft: &mut ModelDraft) -> Vec<Member> {
        match &member.value.json {
            Json::Object(members) => {
                self.doubles(members);
                members.clone()
            }
            json => {
                let message = format!("`{}` is an object, and this is {}", member.key, json.kind());
                self.spoilt(draft, member.value.at, message);
                Vec::new()
            }
        }
    }

    fn count(&mut self, member: &Member, draft: &mut ModelDraft) -> Option<u64> {
        let count = number(&member.value).and_then(|text| text.parse().ok());
        if count.is_none() {
            let message = format!("`{}` is a whole number", member.key);
            self.spoilt(draft, member.value.at, message);
        }
        count
    }

    fn amount(&mut self, member: &Member, draft: &mut ModelDraft) -> Option<Amount> {
        let amount = number(&member.value).and_then(Amount::read);
        if amount.is_none() {
            let message = format!("`{}` is an amount of money, like 2.50", member.key);
            self.spoilt(draft, member.value.at, message);
        }
        amount
    }
}

fn number(value: &Located) -> Option<&str> {
    match &value.json {
        Json::Number(text) => Some(text),
        _ => None,
    }
}
