//! Rego, by regorus: rules as data, looked through by a policy, or looked up in an index that a person made for it.

use std::cell::RefCell;
use std::fmt::Write as _;

use regorus::{Engine as Regorus, Value};

use crate::floor;
use crate::question::{Call, Engine, Rules, Verdict};

/// The strongest of the verdicts found.
const STRONGEST: &str = r#"
default decision := "nothing"
decision := "deny" if "deny" in hits
else := "ask" if "ask" in hits
else := "allow" if "allow" in hits
"#;

const SCAN: &str = r#"
package agent
import rego.v1
hits contains rule.verdict if {
    some rule in data.rules
    startswith(input.text, rule.start)
}
"#;

const INDEX: &str = r#"
package agent
import rego.v1
hits contains verdict if {
    some start in input.starts
    some verdict in data.rules[start]
}
"#;

struct Rego {
    engine: RefCell<Regorus>,
    input: fn(&Call) -> Value,
}

pub fn scanning(rules: &Rules) -> Box<dyn Engine> {
    let each = rules.rules.iter().map(|rule| {
        let (start, verdict) = (floor::start(&rule.scope), name(rule.verdict));
        format!(r#"{{"start":"{start}","verdict":"{verdict}"}}"#)
    });
    let list = each.collect::<Vec<_>>().join(",");
    make(SCAN, &format!(r#"{{"rules":[{list}]}}"#), |call| {
        let text = &call.text;
        Value::from_json_str(&format!(r#"{{"text":"{text}"}}"#)).expect("an object")
    })
}

pub fn indexed(rules: &Rules) -> Box<dyn Engine> {
    let mut map = String::new();
    for rule in &rules.rules {
        let comma = if map.is_empty() { "" } else { "," };
        let (start, verdict) = (floor::start(&rule.scope), name(rule.verdict));
        let _ = write!(map, r#"{comma}"{start}":["{verdict}"]"#);
    }
    make(INDEX, &format!(r#"{{"rules":{{{map}}}}}"#), |call| {
        let starts: Vec<String> = call.starts().map(|start| format!("\"{start}\"")).collect();
        let input = format!(r#"{{"starts":[{}]}}"#, starts.join(","));
        Value::from_json_str(&input).expect("an object")
    })
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Nothing => "nothing",
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

fn make(policy: &str, data: &str, input: fn(&Call) -> Value) -> Box<dyn Engine> {
    let mut engine = Regorus::new();
    let policy = format!("{policy}{STRONGEST}");
    engine
        .add_policy("agent.rego".into(), policy)
        .expect("a policy");
    engine.add_data_json(data).expect("data");
    Box::new(Rego {
        engine: RefCell::new(engine),
        input,
    })
}

impl Engine for Rego {
    fn decide(&self, call: &Call) -> Verdict {
        let mut engine = self.engine.borrow_mut();
        engine.set_input((self.input)(call));
        let value = engine
            .eval_rule("data.agent.decision".into())
            .expect("it decides");
        match value.as_string().map(|text| &**text) {
            Ok("deny") => Verdict::Deny,
            Ok("ask") => Verdict::Ask,
            Ok("allow") => Verdict::Allow,
            Ok("nothing") => Verdict::Nothing,
            other => panic!("{other:?}"),
        }
    }
}
