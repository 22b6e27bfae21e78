use pointsman_model::Millis;

use super::super::answer::Said;
use super::super::wish::HookUpdate;
use super::*;

const RAW: &str = r#"{"command":"ls","timeout":5}"#;

struct Hook {
    turn: Turn,
}

fn said(number: u32, came: HookCame) -> Hook {
    Hook {
        turn: Turn {
            hook: format!("hook-{number}").into(),
            source: RuleSource::ProjectSettings,
            duty: HookDuty::Plain,
            said: Said::plain(came, &format!("text-{number}")),
            wishes: Vec::new(),
            took: Millis(1),
        },
    }
}

impl Hook {
    fn guard(mut self) -> Self {
        self.turn.duty = HookDuty::Guard;
        self
    }

    fn rewriting(mut self, text: &str) -> Self {
        self.turn.said.updated = Some(JsonText::parse(text).unwrap());
        self
    }
}

/// The vote and what became of the input, as one line.
#[track_caller]
fn check(hooks: Vec<Hook>, expect: &str) {
    let turns = hooks.into_iter().map(|hook| hook.turn).collect();
    let merged = pre_tool_use(&JsonText::parse(RAW).unwrap(), turns);
    let mut line = match merged.vote {
        PreToolUseVote::Ladder(HookVote::None) => "none".to_owned(),
        PreToolUseVote::Ladder(HookVote::Ask { hook, text }) => format!("ask {hook}: {text}"),
        PreToolUseVote::Ladder(HookVote::Allow { hook, text }) => format!("allow {hook}: {text}"),
        PreToolUseVote::Deny { hook, text } => format!("deny {hook}: {text}"),
        PreToolUseVote::Halt { hook, text } => format!("halt {hook}: {text}"),
    };
    if let Some(rewritten) = merged.rewritten {
        line.push_str(&format!(" -> {}", rewritten.as_str()));
    }
    assert_eq!(line, expect);
}

#[test]
fn the_strictest_vote_counts_in_any_order() {
    use HookCame::{Allow, Ask, Deny, Halt, Nothing};
    let ranked = [Nothing, Allow, Ask, Deny, Halt];
    for (weak, weaker) in ranked.iter().enumerate() {
        for stronger in ranked.iter().skip(weak + 1) {
            for order in [[*weaker, *stronger], [*stronger, *weaker]] {
                let hooks = order.map(|came| said(1, came));
                let expect = match stronger {
                    Nothing => "none",
                    Allow => "allow hook-1: text-1",
                    Ask => "ask hook-1: text-1",
                    Deny => "deny hook-1: text-1",
                    _ => "halt hook-1: text-1",
                };
                check(hooks.into(), expect);
            }
        }
    }
}

#[test]
fn among_equals_the_first_in_the_configuration_is_named() {
    check(
        vec![said(1, HookCame::Allow), said(2, HookCame::Allow)],
        "allow hook-1: text-1",
    );
}

#[test]
fn law_15_a_failed_hook_has_no_vote_and_a_failed_guard_asks_in_its_name() {
    use HookCame::{Allow, Deny, Failed};
    check(vec![said(1, Failed)], "none");
    check(
        vec![said(1, Failed), said(2, Allow)],
        "allow hook-2: text-2",
    );
    let guard = "ask hook-1: the guard failed: text-1";
    check(vec![said(1, Failed).guard()], guard);
    check(vec![said(1, Failed).guard(), said(2, Allow)], guard);
    check(
        vec![said(1, Failed).guard(), said(2, Deny)],
        "deny hook-2: text-2",
    );
}

#[test]
fn one_rewrite_is_taken_as_written() {
    use HookCame::{Allow, Nothing};
    check(
        vec![said(1, Allow).rewriting(r#"{"timeout":5,  "command":"ls -l"}"#)],
        r#"allow hook-1: text-1 -> {"timeout":5,  "command":"ls -l"}"#,
    );
    check(
        vec![said(1, Nothing).rewriting(r#"{"command":"ls -l","timeout":5}"#)],
        r#"none -> {"command":"ls -l","timeout":5}"#,
    );
    // The same fields in another spelling are no rewrite.
    check(
        vec![said(1, Allow).rewriting(r#"{ "timeout": 5, "command": "ls" }"#)],
        "allow hook-1: text-1",
    );
}

#[test]
fn rewrites_of_different_fields_go_together() {
    use HookCame::{Allow, Nothing};
    check(
        vec![
            said(1, Allow).rewriting(r#"{"command":"ls -l","timeout":5}"#),
            said(2, Nothing).rewriting(r#"{"command":"ls","timeout":9}"#),
            said(3, Nothing).rewriting(r#"{"command":"ls","timeout":5,"description":"d"}"#),
        ],
        r#"allow hook-1: text-1 -> {"command":"ls -l","description":"d","timeout":9}"#,
    );
    check(
        vec![
            said(1, Allow).rewriting(r#"{"command":"ls"}"#),
            said(2, Allow).rewriting(r#"{"command":"ls -l","timeout":5}"#),
        ],
        r#"allow hook-1: text-1 -> {"command":"ls -l"}"#,
    );
}

#[test]
fn rewrites_that_contradict_each_other_ask() {
    use HookCame::{Allow, Deny};
    let two = |came| {
        vec![
            said(1, came).rewriting(r#"{"command":"ls -l","timeout":5}"#),
            said(2, Allow).rewriting(r#"{"command":"ls -a","timeout":5}"#),
        ]
    };
    check(
        two(Allow),
        r#"ask hook-2: `hook-1` and it rewrite `command` differently -> {"command":"ls -a","timeout":5}"#,
    );
    check(
        two(Deny),
        r#"deny hook-1: text-1 -> {"command":"ls -a","timeout":5}"#,
    );
    // The same change twice is none.
    check(
        vec![
            said(1, Allow).rewriting(r#"{"command":"ls -l","timeout":5}"#),
            said(2, Allow).rewriting(r#"{"timeout":5,"command":"ls -l"}"#),
        ],
        r#"allow hook-1: text-1 -> {"command":"ls -l","timeout":5}"#,
    );
}

#[test]
fn wishes_of_all_hooks_come_with_their_votes() {
    let wish = |hook: &str| HookWish {
        hook: hook.into(),
        hook_source: RuleSource::ProjectSettings,
        update: HookUpdate::AddRules {
            behavior: RuleBehavior::Deny,
            rules: vec![RuleText::new("Bash(rm *)")],
        },
        file: None,
    };
    let hooks = ["hook-1", "hook-2"].map(|name| {
        let mut hook = said(1, HookCame::Nothing);
        hook.turn.wishes = vec![wish(name)];
        hook.turn
    });
    let merged = pre_tool_use(&JsonText::parse(RAW).unwrap(), hooks.into());
    assert_eq!(merged.wishes, [wish("hook-1"), wish("hook-2")]);
}
