//! Saying yes: once, once to each of equal requests, or with a grant whose rule is shown in full and
//! may be edited.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::{GrantRequest, PermissionRequest, RuleText, VerdictKind};

use super::{End, Form, SEND, Turn, gone_lines};
use crate::screen::field::{Field, Lines, Pasted, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Ink, Line, Tone, rule_lines, wrap};
use crate::session::{SessionScope, fault_of, grant_for};
use crate::shown;

/// What is said yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The drawn request.
    Once,
    /// Each of the equal ones.
    EachOnce,
    /// The drawn request, and what the rules cover from now on.
    Grant(SessionScope),
}

/// Whether keys go into the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typing {
    Rules,
    Nothing,
}

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct AllowPanel {
    equal: Vec<Arc<OpenRequest>>,
    choices: Vec<Choice>,
    at: usize,
    /// Which proposal, from 0.
    proposal: usize,
    /// The rules as the person wrote them, a line each.
    rules: Option<Field>,
    typing: Typing,
    /// Those of the equal ones that have ended meanwhile.
    gone: Vec<End>,
}

impl AllowPanel {
    /// A yes to the first of these equal requests.
    pub(super) fn new(equal: &[Arc<OpenRequest>]) -> Self {
        let mut choices = vec![Choice::Once];
        if equal.len() > 1 {
            choices.push(Choice::EachOnce);
        }
        if equal
            .first()
            .is_some_and(|open| !open.request.proposals.is_empty())
        {
            let scopes = [SessionScope::Worker, SessionScope::Job, SessionScope::Run];
            choices.extend(scopes.map(Choice::Grant));
        }
        Self {
            equal: equal.to_vec(),
            choices,
            at: 0,
            proposal: 0,
            rules: None,
            typing: Typing::Nothing,
            gone: Vec::new(),
        }
    }

    /// One of the equal ones has ended.
    pub(super) fn ended(&mut self, end: &End) {
        if self.equal.iter().any(|open| open.request.id == end.id) {
            self.gone.push(end.clone());
        }
    }

    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        match (self.typing, &mut self.rules) {
            (Typing::Rules, Some(field)) => field.paste(text),
            (_, _) => Pasted::Nowhere,
        }
    }

    fn choice(&self) -> Choice {
        self.choices.get(self.at).copied().unwrap_or(Choice::Once)
    }

    fn request(&self) -> Option<&Arc<PermissionRequest>> {
        self.equal.first().map(|open| &open.request)
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        if key == SEND {
            return self.send();
        }
        if let (Typing::Rules, Some(field)) = (self.typing, &mut self.rules) {
            return match (key, field.take(key)) {
                (_, Took::Taken) => Turn::Stay,
                (Key::Esc | Key::Enter, Took::Left) => {
                    self.typing = Typing::Nothing;
                    Turn::Changed
                }
                (_, Took::Left) => Turn::Other,
            };
        }
        let last = self.choices.len().saturating_sub(1);
        let grants = matches!(self.choice(), Choice::Grant(_));
        match key {
            Key::Esc | Key::Char('q') => return Turn::Close,
            Key::Up | Key::Char('k') => self.at = self.at.saturating_sub(1),
            Key::Down | Key::Char('j') => self.at = self.at.saturating_add(1).min(last),
            Key::Left if grants => self.turn_to(self.proposal.checked_sub(1)),
            Key::Right if grants => self.turn_to(self.proposal.checked_add(1)),
            Key::Char('e') if grants => self.write_rules(),
            _ => return Turn::Other,
        }
        Turn::Changed
    }

    /// Another width of the rules; what was written by hand is dropped with it.
    fn turn_to(&mut self, proposal: Option<usize>) {
        let count = self.request().map_or(0, |request| request.proposals.len());
        if let Some(proposal) = proposal.filter(|at| *at < count) {
            self.proposal = proposal;
            self.rules = None;
        }
    }

    fn write_rules(&mut self) {
        let rules = self.granted();
        let lines = match rules.len() {
            0 | 1 => Lines::One,
            _ => Lines::Many,
        };
        let text: Vec<&str> = rules.iter().map(RuleText::as_str).collect();
        self.rules = Some(Field::new(lines, &text.join("\n")));
        self.typing = Typing::Rules;
    }

    /// The rules that would be granted, as they are shown.
    fn granted(&self) -> Vec<RuleText> {
        match &self.rules {
            Some(field) => {
                let lines = field.text().lines().filter(|line| !line.trim().is_empty());
                lines.map(RuleText::new).collect()
            }
            None => self
                .request()
                .and_then(|request| request.proposals.get(self.proposal))
                .map(|proposal| proposal.rules.clone())
                .unwrap_or_default(),
        }
    }

    fn send(&self) -> Turn {
        let Some(open) = self.equal.first() else {
            return Turn::Close;
        };
        let once = VerdictKind::Allow {
            edited: None,
            grant: None,
        };
        match self.choice() {
            Choice::Once => Turn::Send(vec![(Arc::clone(open), once)]),
            Choice::EachOnce => {
                let each = self.equal.iter();
                let answers = each.map(|open| (Arc::clone(open), once.clone()));
                Turn::Send(answers.collect())
            }
            Choice::Grant(scope) => match self.grant(&open.request, scope) {
                Err(why) => Turn::Fault(format!("{why}; nothing was sent")),
                Ok(grant) => {
                    let kind = VerdictKind::Allow {
                        edited: None,
                        grant: Some(grant),
                    };
                    Turn::Send(vec![(Arc::clone(open), kind)])
                }
            },
        }
    }

    fn grant(
        &self,
        request: &PermissionRequest,
        scope: SessionScope,
    ) -> Result<GrantRequest, String> {
        let number = self.proposal.saturating_add(1);
        let grant = grant_for(request, number, scope).map_err(|error| error.to_string())?;
        if self.rules.is_none() {
            return Ok(grant);
        }
        let rules = self.granted();
        if rules.is_empty() {
            return Err("there is no rule".into());
        }
        for rule in &rules {
            if let Some(fault) = fault_of(rule) {
                return Err(format!("`{}`: {fault}", shown::line(rule.as_str())));
            }
        }
        Ok(GrantRequest { rules, ..grant })
    }

    pub(super) fn form(&self, covered: &[Arc<OpenRequest>], width: u16) -> Form {
        let mut lines = Vec::new();
        for (at, choice) in self.choices.iter().enumerate() {
            let (mark, tone) = if at == self.at {
                ("(•) ", Tone::Heading)
            } else {
                ("( ) ", Tone::Plain)
            };
            lines.push(Line::mixed(
                Ink::new(tone, mark),
                vec![Ink::new(tone, self.words(*choice, covered))],
            ));
        }
        lines.extend(gone_lines(&self.gone));
        let mut keys = vec![("Ctrl-Y", "run it"), ("↑↓", "choose")];
        let mut field = None;
        if matches!(self.choice(), Choice::Grant(_)) {
            let count = self.request().map_or(0, |request| request.proposals.len());
            lines.push(self.rules_heading(count));
            match (&self.rules, self.typing) {
                (Some(rules), Typing::Rules) => field = Some(("", rules.drawn(width))),
                (_, _) => lines.extend(rule_lines(&self.granted())),
            }
            if self.rules.is_some() {
                lines.extend(self.rule_remarks());
            }
            match self.typing {
                Typing::Rules => keys = vec![("Ctrl-Y", "run it"), ("Esc", "done with the rule")],
                Typing::Nothing => {
                    keys.push(("e", "edit the rule"));
                    if count > 1 {
                        keys.push(("←→", "narrower, wider"));
                    }
                }
            }
        }
        if self.typing == Typing::Nothing {
            keys.push(("Esc", "back"));
        }
        Form {
            title: self.title(),
            body: wrap(&lines, width),
            field,
            keys,
        }
    }

    fn title(&self) -> String {
        let id = self.request().map(|request| request.id.to_string());
        format!("let {} run", id.unwrap_or_default())
    }

    fn rules_heading(&self, count: usize) -> Line {
        let which = match (&self.rules, count) {
            (Some(_), _) => "the rule, as you wrote it:".to_owned(),
            (None, 0 | 1) => "the rule:".to_owned(),
            (None, count) => format!(
                "the rule, {} of {count} from narrow to wide:",
                self.proposal.saturating_add(1)
            ),
        };
        Line::told(Tone::Quiet, which)
    }

    fn rule_remarks(&self) -> Vec<Line> {
        let faults = self
            .granted()
            .iter()
            .filter_map(fault_of)
            .collect::<Vec<_>>();
        if faults.is_empty() {
            let text = "nobody has tried whether it covers this call; this call runs anyway";
            return vec![Line::plain(Tone::Notice, text)];
        }
        faults
            .into_iter()
            .map(|fault| Line::told(Tone::Danger, fault))
            .collect()
    }

    /// What a choice would do.
    fn words(&self, choice: Choice, covered: &[Arc<OpenRequest>]) -> String {
        let id = self
            .request()
            .map_or_else(String::new, |request| request.id.to_string());
        match choice {
            Choice::Once if covered.len() > 1 => format!("once: {id} alone"),
            Choice::Once => "once: nothing is granted for later".into(),
            Choice::EachOnce if self.gone.is_empty() => {
                format!(
                    "once each: these {} that are listed above",
                    self.equal.len()
                )
            }
            Choice::EachOnce => format!(
                "once each: those {} of the {} listed above that are open still",
                self.equal.len().saturating_sub(self.gone.len()),
                self.equal.len()
            ),
            Choice::Grant(SessionScope::Worker) => {
                "and for this agent, whatever the rule covers until it ends".into()
            }
            Choice::Grant(SessionScope::Job) => {
                "and for its whole job, with all agents below it".into()
            }
            Choice::Grant(SessionScope::Run) => "and for all agents of this run".into(),
        }
    }
}
