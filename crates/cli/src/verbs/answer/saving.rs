//! `answer --save`: the proposed rules of a yes, kept in a settings file for the runs to come.

use std::path::PathBuf;

use pointsman_approvals::save_rules;
use pointsman_model::{RuleBehavior, RuleText};
use pointsman_policy::settings::Whose;
use pointsman_surfaces::shown;
use pointsman_surfaces::socket::RequestCard;

use crate::arguments::SaveWhere;
use crate::failure::Failure;
use crate::place::Place;
use crate::verbs::rules;

/// Rules and the file that they will be added to.
#[derive(Debug)]
pub(super) struct Saving {
    /// Whose file it is.
    place: SaveWhere,
    /// The file.
    pub(super) file: PathBuf,
    /// The rules.
    pub(super) rules: Vec<RuleText>,
}

impl Saving {
    /// Works out what is to be saved, before the question is answered: what can't be saved is said
    /// while there is still a choice.
    pub(super) fn of(
        card: &RequestCard,
        number: usize,
        whose: SaveWhere,
        place: &Place,
    ) -> Result<Self, Failure> {
        let (places, loaded) = rules::settings(&[], place)?;
        if loaded.switches.allow_rules == Whose::ManagedOnly {
            return Err(Failure::bad_input(
                "the managed settings let their own allow rules count alone",
            )
            .hint("answer without `--save`"));
        }
        let chosen = number.checked_sub(1).and_then(|at| card.proposals.get(at));
        let rules = chosen.ok_or_else(|| {
            Failure::bad_input(format!(
                "{} has no proposed rule numbered {number}",
                card.id
            ))
            .hint(format!(
                "`pointsman queue {}` lists what it proposes",
                card.id
            ))
        })?;
        let file = match whose {
            SaveWhere::User => place.home.join(".claude/settings.json"),
            SaveWhere::Project => place.project.join(".claude/settings.json"),
            SaveWhere::Local => places.local_to_write(),
        };
        Ok(Self {
            place: whose,
            file: file.as_path().to_owned(),
            rules: rules.iter().map(|rule| RuleText::new(rule)).collect(),
        })
    }

    /// Saves them, and says so.
    pub(super) fn save(&self) -> Result<String, Failure> {
        save_rules(&self.file, RuleBehavior::Allow, &self.rules).map_err(|error| {
            Failure::failed(format!(
                "the answer counts, but its rule was not saved: {}",
                Failure::of(&error).what()
            ))
        })?;
        let rules: Vec<String> = self
            .rules
            .iter()
            .map(|rule| format!("`{}`", shown::line(rule.as_str())))
            .collect();
        let rules = rules.join(" and ");
        let file = self.file.display();
        Ok(match self.place {
            SaveWhere::User | SaveWhere::Local => format!("saved {rules} in {file}\n"),
            SaveWhere::Project => format!(
                "saved {rules} in {file}; it counts once `pointsman trust` was said yes to\n"
            ),
        })
    }
}
