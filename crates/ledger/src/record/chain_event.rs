//! Records of what happened to the ledger itself.

use pointsman_model::{Digest, RunId};
use serde::{Deserialize, Serialize};

use super::ChainPoint;

/// A damaged record was found, which stays where it is; or one that was recorded is not there any more. In the chain of
/// the run that it belongs to it says that the run has lost what came from there on, for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DamageFound {
    /// The run it belongs to.
    pub run: RunId,
    /// Its place in the run's chain.
    pub number: u64,
    /// What is wrong with it.
    pub why: Box<str>,
    /// The fingerprint that stands beside it.
    pub stored_hash: Option<Digest>,
    /// The damaged database that it went with, when that was set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub went_with: Option<Box<str>>,
}

/// A database that could not be read through was set aside; what could be read was carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Where the damaged file lies now.
    pub file: Box<str>,
    /// What is wrong with it.
    pub why: Box<str>,
    /// How many records were carried over.
    pub records_kept: u64,
    /// The newest record that was carried over: the old head.
    pub head: Option<ChainPoint>,
}

/// Records that were only queued could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsLost {
    /// How many.
    pub count: u64,
    /// Why.
    pub why: Box<str>,
}

/// Runs are removed from the database. Written before they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsPruned {
    /// The runs.
    pub runs: Vec<RunId>,
    /// How many records they had.
    pub records: u64,
    /// Points of their chains, and of those pruned before, that other chains go on to follow; their heads among them.
    pub points: Vec<ChainPoint>,
}
