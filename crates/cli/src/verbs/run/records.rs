//! The records of a run as they are written: the one source of what is told while it is on.

use std::collections::HashMap;

use pointsman_agents::{AgentSaid, SaidWhat};
use pointsman_ledger::{LedgerRecord, RecordBody};
use pointsman_model::{CallState, Outcome, PermissionDecision, WorkerId};
use pointsman_surfaces::render::{call_line, reason_line, verdict_line};
use pointsman_surfaces::shown;

/// A line that is longer than this is told in parts.
const SAID_BYTES_MAX: usize = 4_096;

/// Whether words are set off by colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Colour,
    Plain,
}

/// Whether questions and their verdicts are told here; the prompt tells them by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdicts {
    Told,
    AtPrompt,
}

/// Turns records into lines for a person, those that matter while the run is on.
pub(super) struct Teller {
    agents: HashMap<WorkerId, String>,
    /// What agents are in the middle of saying: the line that is not at its end.
    saying: HashMap<WorkerId, String>,
    paint: Paint,
    verdicts: Verdicts,
}

impl Teller {
    /// A teller that has heard of no agent yet.
    pub(super) fn new(paint: Paint, verdicts: Verdicts) -> Self {
        Self {
            agents: HashMap::new(),
            saying: HashMap::new(),
            paint,
            verdicts,
        }
    }

    /// The line for a record; nothing for most.
    pub(super) fn line(&mut self, record: &LedgerRecord) -> Option<String> {
        let agent = |teller: &Self, worker: WorkerId| {
            let name = teller.agents.get(&worker);
            name.map_or_else(|| worker.to_string(), Clone::clone)
        };
        match &record.body {
            RecordBody::WorkerSpawned(spawned) => {
                let name = shown::line(&spawned.lineage.to_string());
                let line = self.row(&name, "starts", &format!("mode {}", spawned.mode.mode()));
                self.agents.insert(spawned.lineage.agent().worker, name);
                Some(line)
            }
            RecordBody::CallDecided(decided)
                if self.verdicts == Verdicts::AtPrompt
                    && decided.judgement.decision == PermissionDecision::Ask =>
            {
                None
            }
            RecordBody::CallDecided(decided) => {
                let what = format!(
                    "{}  {} ({})",
                    decided.call.id,
                    call_line(&decided.call),
                    reason_line(&decided.judgement.reason)
                );
                let word = match decided.judgement.decision {
                    PermissionDecision::Allow => "allow",
                    PermissionDecision::Deny => "deny",
                    PermissionDecision::Ask => "ask",
                };
                Some(self.row(&agent(self, decided.worker), word, &what))
            }
            // What only its leader's death has ended is asked again, or its run is over.
            RecordBody::RequestClosed(closed)
                if closed.verdict.outcome() == Outcome::Interrupted =>
            {
                None
            }
            RecordBody::RequestClosed(closed) if self.verdicts == Verdicts::Told => {
                let what = format!("{}  {}", closed.call, verdict_line(&closed.verdict));
                Some(self.row(&closed.request.to_string(), "answer", &what))
            }
            RecordBody::CallEnded(ended) => {
                let ran = matches!(ended.outcome, None | Some(Outcome::Allowed));
                let failed = matches!(ended.state, CallState::Error | CallState::Cancelled);
                (ran && failed).then(|| {
                    let first = ended.text.lines().next().unwrap_or_default();
                    let what = format!("{}  {}", ended.call, shown::line(first));
                    self.row(&agent(self, ended.worker), "failed", &what)
                })
            }
            RecordBody::WorkerEnded(ended) => {
                let first = ended.text.lines().next().unwrap_or_default();
                let what = shown::line(first);
                Some(self.row(&agent(self, ended.worker), "ends", &what))
            }
            _ => None,
        }
    }

    /// The lines that have come to their end with this piece of an agent's words.
    pub(super) fn said(&mut self, said: &AgentSaid) -> Vec<String> {
        let open = self.saying.entry(said.worker).or_default();
        let ended: Vec<String> = match &said.what {
            SaidWhat::Piece(piece) => {
                open.push_str(piece);
                let at = match open.rfind('\n') {
                    Some(at) => at + 1,
                    None if open.len() > SAID_BYTES_MAX => open.len(),
                    None => 0,
                };
                open.drain(..at)
                    .collect::<String>()
                    .lines()
                    .map(str::to_owned)
                    .collect()
            }
            SaidWhat::TakenBack => {
                open.clear();
                vec!["(the stream broke, so this turn is said anew)".into()]
            }
            SaidWhat::TurnEnds => std::mem::take(open).lines().map(str::to_owned).collect(),
        };
        if let SaidWhat::TurnEnds = said.what {
            self.saying.remove(&said.worker);
        }
        let name = self.agents.get(&said.worker);
        let name = name.map_or_else(|| said.worker.to_string(), Clone::clone);
        ended
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| self.row(&name, "says", &shown::line(line)))
            .collect()
    }

    fn row(&self, who: &str, word: &str, what: &str) -> String {
        let colour = match (self.paint, word) {
            (Paint::Plain, _) => None,
            (Paint::Colour, "allow") => Some("32"),
            (Paint::Colour, "deny" | "failed") => Some("31"),
            (Paint::Colour, "ask" | "answer") => Some("33"),
            (Paint::Colour, _) => Some("2"),
        };
        let word = match colour {
            Some(colour) => format!("\u{1b}[{colour}m{word:<6}\u{1b}[0m"),
            None => format!("{word:<6}"),
        };
        format!("{who:<20}  {word}  {what}\n")
    }
}
