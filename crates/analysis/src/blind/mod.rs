//! Blind tests: whether a listener hears a difference between two versions, and how well versions sound beside each other.
//!
//! ```text
//! plan     (versions, passages, rule, seed: fixed beforehand)
//!   -> session  (what is presented next, answers, the file)
//!   -> outcomes (A against B: p-value, interval, power)   ranking (scores: means, quartiles, p-values)
//!   -> report   (all that a reader needs, as Markdown, CSV or JSON)
//! ```
//!
//! Nothing here plays sound: the interface plays what [`Session::next`] presents, and must not show what it is.

mod order;
mod outcomes;
mod plan;
mod ranking;
mod report;
mod rule;
mod session;
mod signed_ranks;

pub use outcomes::{CONFIDENCE, expected_trials, pass_rate};
pub use plan::{MAX_PASSAGES, MAX_VERSIONS, Passage, Plan, Stimulus, Test, Version};
pub use ranking::{Excluded, Preference, Ranking, Role, Scored, Scores, rank};
pub use report::Report;
pub use rule::{MAX_TRIALS, Rule, Standing};
pub use session::{AbxResult, Answer, Said, Session, Trial};
