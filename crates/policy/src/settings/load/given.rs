//! Rules and problems that come to what was loaded: those that weigh on everything else.

use super::*;

impl Loaded {
    /// Keeps problems; the first that leaves something unguarded makes everything asked for, by an
    /// ask rule for every tool that stands where the problem does.
    pub(super) fn keep(&mut self, problems: Vec<Problem>, source: RuleSource, anchor: &AbsPath) {
        for problem in problems {
            if problem.severity == Severity::StopsUnattended && self.standing == Standing::Clean {
                self.standing = Standing::AskEverything;
                self.rules.push(PermissionRule {
                    behavior: RuleBehavior::Ask,
                    text: RuleText::new("*"),
                    source,
                    place: problem.place.clone(),
                    anchor: anchor.clone(),
                });
            }
            self.problems.push(problem);
        }
    }

    /// Whether a lock of the managed settings takes the rule away.
    pub(super) fn is_locked(&self, rule: &PermissionRule) -> bool {
        self.switches.allow_rules == Whose::ManagedOnly
            && rule.behavior == RuleBehavior::Allow
            && rule.source != RuleSource::PolicySettings
    }

    /// Adds rules that come from no settings file: of the command line, a job file, a command. They
    /// are read and judged as those of files are (law 7), and locks of the managed settings hold for
    /// them too.
    pub fn add_rules(&mut self, rules: impl IntoIterator<Item = PermissionRule>) {
        for rule in rules {
            let problem = match parse_rule(rule.text.as_str()) {
                Err(error) => {
                    let (message, hint) = told(&error, rule.behavior);
                    (lost(rule.behavior), message, hint)
                }
                Ok(_) if self.is_locked(&rule) => (
                    Severity::DroppedAllow,
                    format!("the allow rule `{}` doesn't count", rule.text),
                    Some("the managed settings let their own allow rules count alone".into()),
                ),
                Ok(parsed) => {
                    self.problems.extend(lint::at_load(&rule, &parsed));
                    self.parsed.keep(&rule.text, parsed);
                    self.rules.push(rule);
                    continue;
                }
            };
            let (severity, message, hint) = problem;
            let problem = Problem {
                severity,
                place: rule.place,
                message,
                hint,
            };
            self.keep(vec![problem], rule.source, &rule.anchor);
        }
    }
}
