//! What people read, as pure functions from facts to text: an open request, the ladder's trail, the
//! story of a call, the end of a run.
//!
//! Nothing here prints, colours or decides. Whatever an agent wrote comes through [`crate::shown`].

mod context;
mod difference;
mod effects;
mod explanation;
mod moment;
mod reason;
mod record;
mod request;
mod story;
mod summary;
mod trail;
mod verdict;

pub use context::context_text;
pub use difference::difference_text;
pub use effects::{effect_line, effect_lines, run_notes};
pub use explanation::{explanation_lines, risk_line};
pub use moment::{length, minute_of_day, moment, time_of_day};
pub use reason::{cover_line, reason_kind, reason_line};
pub use record::{ended_line, record_line};
pub use request::{call_line, call_text, is_grave, proposal_line, request_text};
pub use story::story_text;
pub use summary::summary_text;
pub use trail::{judgement_text, trail_text};
pub use verdict::{answers_text, scope_words, verdict_line};
pub(crate) use verdict::{verdict_line_by, verdict_words_by};
