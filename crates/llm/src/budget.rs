//! Budgets: what talking to models may cost in tokens, money and time; and the book of what it did.
//!
//! One [`Spending`] may be shared by many clients: what one has reserved, another can't spend. A call
//! is charged what its server says; one whose cost is not known, what it was reserved for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::fault::BudgetPart;
use crate::{ClientError, Money, Prices};

/// Tokens that a call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read, and neither from a cache nor written to one.
    pub input: u64,
    /// Answered with.
    pub output: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
}

impl Usage {
    /// All tokens together.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(self.input, u64::saturating_add)
    }

    fn minus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tokens, in and out together.
    pub tokens: Option<u64>,
    /// Money.
    pub money: Option<Money>,
    /// Time spent waiting for models, of all calls together.
    pub time: Option<Duration>,
}

impl Budget {
    /// No limit at all.
    pub const UNLIMITED: Self = Self {
        tokens: None,
        money: None,
        time: None,
    };
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls that were answered or failed, attempts counted each.
    pub calls: u64,
    /// Tokens; estimates where a server did not say.
    pub usage: Usage,
    /// Money; nothing where no prices are known.
    pub money: Money,
    /// Time spent waiting.
    pub time: Duration,
}

impl Spent {
    /// What was spent of it since it was that much.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(before.calls),
            usage: self.usage.minus(before.usage),
            money: self.money.minus(before.money),
            time: self.time.saturating_sub(before.time),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            usage: self.usage.plus(other.usage),
            money: self.money.plus(other.money),
            time: self.time.saturating_add(other.time),
        }
    }
}

/// The book of what is spent of a budget. A cheap handle of one book.
#[derive(Debug, Clone)]
pub struct Spending {
    budget: Budget,
    prices: Option<Prices>,
    book: Arc<Mutex<Book>>,
    /// What was spent by this handle and its clones alone.
    own: Arc<Mutex<Spent>>,
}

#[derive(Debug, Default)]
struct Book {
    spent: Spent,
    reserved_tokens: u64,
    reserved_money: Money,
}

impl Spending {
    /// An empty book.
    ///
    /// # Errors
    /// When money is limited and no prices are known: such a limit would hold nothing.
    pub fn new(budget: Budget, prices: Option<Prices>) -> Result<Self, ClientError> {
        if budget.money.is_some() && prices.is_none() {
            return Err(ClientError::NoPrices);
        }
        Ok(Self {
            budget,
            prices,
            book: Arc::default(),
            own: Arc::default(),
        })
    }

    /// A book without limits.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            budget: Budget::UNLIMITED,
            prices: None,
            book: Arc::default(),
            own: Arc::default(),
        }
    }

    /// A handle of the same book for one of those who share it, that tells apart what was spent by it.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self {
            own: Arc::default(),
            ..self.clone()
        }
    }

    /// What was spent by this handle and its clones, whoever else shares the book.
    #[must_use]
    pub fn spent_apart(&self) -> Spent {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes into the book what was spent before it was opened. Its price is worked out anew.
    pub fn carry_over(&self, before: Spent) {
        let money = self.cost(&before.usage);
        let mut book = self.book();
        book.spent = book.spent.plus(Spent { money, ..before });
    }

    /// What was spent so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.book().spent
    }

    /// Sets aside what a call may cost. The answer is cut to what is left.
    pub(crate) fn reserve(&self, input: u64, output_max: u32) -> Result<Reservation, BudgetPart> {
        let mut book = self.book();
        let time = match self.budget.time {
            None => None,
            Some(limit) => Some(
                limit
                    .checked_sub(book.spent.time)
                    .filter(|left| !left.is_zero())
                    .ok_or(BudgetPart::Time(limit))?,
            ),
        };
        let mut output = u64::from(output_max);
        if let Some(limit) = self.budget.tokens {
            let taken = book
                .spent
                .usage
                .total()
                .saturating_add(book.reserved_tokens);
            let left = limit.saturating_sub(taken).saturating_sub(input);
            output = output.min(left);
            if output == 0 {
                return Err(BudgetPart::Tokens(limit));
            }
        }
        if let (Some(limit), Some(prices)) = (self.budget.money, self.prices) {
            let taken = book.spent.money.plus(book.reserved_money);
            // Written to a cache, as it may be, input is at its dearest.
            let dearest = Usage {
                cache_write: input,
                ..Usage::default()
            };
            let left = limit.minus(taken).minus(prices.cost(&dearest));
            output = output.min(prices.output_for(left));
            if output == 0 || left == Money::default() {
                return Err(BudgetPart::Money(limit));
            }
        }
        let usage = Usage {
            input,
            output,
            ..Usage::default()
        };
        let money = self.cost(&usage);
        book.reserved_tokens = book.reserved_tokens.saturating_add(usage.total());
        book.reserved_money = book.reserved_money.plus(money);
        drop(book);
        Ok(Reservation {
            spending: self.clone(),
            set_aside: usage,
            money,
            charge: usage,
            begun: Instant::now(),
            time,
        })
    }

    fn cost(&self, usage: &Usage) -> Money {
        self.prices
            .map_or_else(Money::default, |prices| prices.cost(usage))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is set aside for one call. Its end, by whatever way, settles it.
#[derive(Debug)]
pub(crate) struct Reservation {
    spending: Spending,
    set_aside: Usage,
    money: Money,
    charge: Usage,
    begun: Instant,
    time: Option<Duration>,
}

impl Reservation {
    /// How many tokens the answer may have.
    pub(crate) fn output_max(&self) -> u32 {
        u32::try_from(self.set_aside.output).unwrap_or(u32::MAX)
    }

    /// How long the call may take; nothing for no limit of the budget's.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.time
    }

    /// The server said what it cost.
    pub(crate) fn costs(&mut self, usage: Usage) {
        self.charge = usage;
    }

    /// It was turned away before the model saw it.
    pub(crate) fn costs_nothing(&mut self) {
        self.charge = Usage::default();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let money = self.spending.cost(&self.charge);
        let mut book = self.spending.book();
        book.reserved_tokens = book.reserved_tokens.saturating_sub(self.set_aside.total());
        book.reserved_money = book.reserved_money.minus(self.money);
        let spent = Spent {
            calls: 1,
            usage: self.charge,
            money,
            time: self.begun.elapsed(),
        };
        book.spent = book.spent.plus(spent);
        drop(book);
        let mut own = self
            .spending
            .own
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *own = own.plus(spent);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(limit: u64) -> Spending {
        let budget = Budget {
            tokens: Some(limit),
            ..Budget::UNLIMITED
        };
        Spending::new(budget, None).unwrap()
    }

    fn used(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn an_answer_is_cut_to_what_is_left() {
        let spending = tokens(1_000);
        let mut first = spending.reserve(300, 500).unwrap();
        assert_eq!(first.output_max(), 500);
        let second = spending.reserve(100, 500).unwrap();
        assert_eq!(second.output_max(), 100);
        assert_eq!(
            spending.reserve(100, 500).unwrap_err(),
            BudgetPart::Tokens(1_000)
        );
        first.costs(used(300, 10));
        drop(first);
        drop(second);
        // The second never said what it cost, so it is charged all that was set aside.
        assert_eq!(spending.spent().usage, used(400, 110));
        assert_eq!(spending.reserve(100, 500).unwrap().output_max(), 390);
    }

    #[test]
    fn what_was_spent_before_the_book_was_opened_counts_and_each_knows_its_own() {
        let spending = tokens(1_000);
        let (one, other) = (spending.apart(), spending.apart());
        for (handle, output) in [(&one, 100), (&other, 200), (&one, 50)] {
            let mut call = handle.reserve(10, output).unwrap();
            call.costs(used(10, u64::from(output)));
        }
        assert_eq!(one.spent_apart().usage, used(20, 150));
        assert_eq!(other.spent_apart().usage, used(10, 200));
        assert_eq!(spending.spent().usage, used(30, 350));
        assert_eq!(one.spent_apart().since(other.spent_apart()).calls, 1);
        // The same under another leader, and with a price.
        let budget = Budget {
            tokens: Some(1_000),
            ..Budget::UNLIMITED
        };
        let prices = Prices::per_million(0.0, 10.0).unwrap();
        let next = Spending::new(budget, Some(prices)).unwrap();
        next.carry_over(spending.spent());
        assert_eq!(next.reserve(20, 9_999).unwrap().output_max(), 600);
        assert!(next.spent().money > Money::default());
    }

    #[test]
    fn what_was_turned_away_costs_nothing() {
        let spending = tokens(1_000);
        let mut call = spending.reserve(300, 500).unwrap();
        call.costs_nothing();
        drop(call);
        assert_eq!(spending.spent().usage.total(), 0);
        assert_eq!(spending.spent().calls, 1);
    }

    #[test]
    fn money_is_limited_by_prices_or_not_at_all() {
        let budget = Budget {
            money: Money::of(0.01),
            ..Budget::UNLIMITED
        };
        assert!(matches!(
            Spending::new(budget, None),
            Err(ClientError::NoPrices)
        ));
        let prices = Prices::per_million(0.0, 10.0).unwrap();
        let spending = Spending::new(budget, Some(prices)).unwrap();
        assert_eq!(spending.reserve(5, 9_999).unwrap().output_max(), 1_000);
        // Its end charged the whole reservation.
        assert_eq!(
            spending.reserve(5, 1).unwrap_err(),
            BudgetPart::Money(Money::of(0.01).unwrap())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn time_is_what_all_calls_took_together() {
        let limit = Duration::from_secs(10);
        let budget = Budget {
            time: Some(limit),
            ..Budget::UNLIMITED
        };
        let spending = Spending::new(budget, None).unwrap();
        let first = spending.reserve(1, 1).unwrap();
        let second = spending.reserve(1, 1).unwrap();
        tokio::time::advance(Duration::from_secs(4)).await;
        drop(first);
        drop(second);
        let third = spending.reserve(1, 1).unwrap();
        assert_eq!(third.time(), Some(Duration::from_secs(2)));
        tokio::time::advance(Duration::from_secs(2)).await;
        drop(third);
        assert_eq!(spending.reserve(1, 1).unwrap_err(), BudgetPart::Time(limit));
    }

    proptest! {
        /// Whatever is reserved and however it ends, honest servers never lead over the limit.
        #[test]
        fn the_limit_is_never_passed(calls in proptest::collection::vec((0_u64..400, 1_u32..400, 0_u64..400), 1..40)) {
            let spending = tokens(1_000);
            let mut open = Vec::new();
            for (input, output, answered) in calls {
                if let Ok(mut call) = spending.reserve(input, output) {
                    call.costs(used(input, answered.min(u64::from(call.output_max()))));
                    open.push(call);
                }
                if open.len() > 3 {
                    open.remove(0);
                }
                prop_assert!(spending.spent().usage.total() <= 1_000);
            }
            open.clear();
            prop_assert!(spending.spent().usage.total() <= 1_000);
        }
    }
}
