//! Money, and what tokens cost.

use std::fmt;

use crate::Usage;

/// An amount in billionths of the currency that the prices are in. Cheap tokens cost fractions of
/// millionths, so nothing coarser would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(pub u64);

impl Money {
    /// Billionths in one.
    const ONE: f64 = 1_000_000_000.0;

    /// An amount as people write it, `2.50`. Nothing for what is negative, no number, or more than
    /// a machine could spend.
    #[must_use]
    pub fn of(amount: f64) -> Option<Self> {
        if !(amount.is_finite() && (0.0..=1_000_000_000.0).contains(&amount)) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked just above"
        )]
        let billionths = (amount * Self::ONE).round() as u64;
        Some(Self(billionths))
    }

    /// The sum, or the largest amount there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left, or nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    /// Like `1.2500`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded up, so that what was spent is never shown as nothing.
        let shown = self.0.div_ceil(100_000);
        write!(f, "{}.{:04}", shown / 10_000, shown % 10_000)
    }
}

/// What a million tokens cost, as price lists say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

/// A price that is none.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("`{0}` is no price for a million tokens: write a number from 0 to 1000000")]
pub struct PriceError(f64);

/// Dearer than any model; keeps products within their type.
const PER_MILLION_MAX: f64 = 1_000_000.0;

/// What a cache read and a cache write cost, in tenths of a plain input token: the dearest write of
/// the dialects at hand, and the read as if there were no discount.
const CACHE_WRITE_TENTHS: u64 = 20;

impl Prices {
    /// Prices for a million tokens. Tokens read from a cache cost as other input, and those written to
    /// one twice as much, until [`Self::with_cache`] says better: a budget is rather met too early.
    ///
    /// # Errors
    /// When one is no price.
    pub fn per_million(input: f64, output: f64) -> Result<Self, PriceError> {
        let input = per_token(input)?;
        Ok(Self {
            input,
            output: per_token(output)?,
            cache_read: input,
            cache_write: input.saturating_mul(CACHE_WRITE_TENTHS) / 10,
        })
    }

    /// The same with prices for tokens read from and written to a cache.
    ///
    /// # Errors
    /// When one is no price.
    pub fn with_cache(self, read: f64, write: f64) -> Result<Self, PriceError> {
        Ok(Self {
            cache_read: per_token(read)?,
            cache_write: per_token(write)?,
            ..self
        })
    }

    /// What so many tokens cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Money {
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        parts
            .into_iter()
            .map(|(tokens, price)| Money(tokens.saturating_mul(price)))
            .fold(Money::default(), Money::plus)
    }

    /// How many output tokens so much money buys.
    pub(crate) fn output_for(&self, money: Money) -> u64 {
        money.0.checked_div(self.output).unwrap_or(u64::MAX)
    }
}

/// Billionths a token: a price for a million in one currency unit is a thousand of them.
fn per_token(per_million: f64) -> Result<u64, PriceError> {
    if !(per_million.is_finite() && (0.0..=PER_MILLION_MAX).contains(&per_million)) {
        return Err(PriceError(per_million));
    }
    Money::of(per_million / 1_000_000.0)
        .map(|money| money.0)
        .ok_or(PriceError(per_million))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cost_what_the_list_says() {
        let prices = Prices::per_million(3.0, 15.0).unwrap();
        let usage = Usage {
            input: 1_000_000,
            output: 2_000,
            ..Usage::default()
        };
        assert_eq!(prices.cost(&usage).to_string(), "3.0300");
        let cached = prices.with_cache(0.3, 3.75).unwrap();
        let usage = Usage {
            cache_read: 1_000_000,
            cache_write: 1_000_000,
            ..Usage::default()
        };
        assert_eq!(cached.cost(&usage).to_string(), "4.0500");
        assert_eq!(prices.cost(&usage).to_string(), "9.0000");
    }

    #[test]
    fn a_price_is_a_plain_number() {
        for price in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(Prices::per_million(price, 1.0).is_err(), "{price}");
            assert!(Prices::per_million(1.0, price).is_err(), "{price}");
        }
    }

    #[test]
    fn what_was_spent_is_never_shown_as_nothing() {
        assert_eq!(Money(1).to_string(), "0.0001");
        assert_eq!(Money(0).to_string(), "0.0000");
        assert_eq!(Money::of(2.5).unwrap().to_string(), "2.5000");
    }
}
