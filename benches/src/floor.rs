//! The floors: what only finding the strongest rule costs.

use rustc_hash::FxHashMap;

use crate::question::{Call, Engine, Kind, Rules, Scope, Verdict};
use crate::strongest;

/// Compares with every rule.
struct Walk {
    /// The text that a call begins with, a blank or a slash at its end.
    rules: Vec<(String, Verdict)>,
}

pub fn walk(rules: &Rules) -> Box<dyn Engine> {
    let rules = rules
        .rules
        .iter()
        .map(|rule| (start(&rule.scope), rule.verdict));
    Box::new(Walk {
        rules: rules.collect(),
    })
}

/// The text that calls begin with which the rule is for.
pub fn start(scope: &Scope) -> String {
    match scope {
        Scope::Words(words) => format!("$ {} ", words.join(" ")),
        Scope::Folder(names) => format!("{}/", names.join("/")),
    }
}

impl Engine for Walk {
    fn decide(&self, call: &Call) -> Verdict {
        let hits = self
            .rules
            .iter()
            .filter(|(start, _)| call.text.starts_with(start));
        strongest(hits.map(|(_, verdict)| *verdict))
    }
}

/// Words are interned, a node and a word lead to a node, a node holds a verdict.
#[derive(Default)]
struct Trie {
    words: FxHashMap<Box<str>, u32>,
    nodes: FxHashMap<(u32, u32), u32>,
    verdicts: Vec<Verdict>,
}

/// Where commands and paths begin.
const SHELL: u32 = 0;
const PATH: u32 = 1;

pub fn trie(rules: &Rules) -> Box<dyn Engine> {
    let mut trie = Trie {
        verdicts: vec![Verdict::Nothing; 2],
        ..Trie::default()
    };
    for rule in &rules.rules {
        let (mut node, words) = match &rule.scope {
            Scope::Words(words) => (SHELL, words),
            Scope::Folder(names) => (PATH, names),
        };
        for word in words {
            let next = trie.words.len() as u32;
            let word = *trie.words.entry(word.as_str().into()).or_insert(next);
            let fresh = trie.verdicts.len() as u32;
            node = *trie.nodes.entry((node, word)).or_insert(fresh);
            if node == fresh {
                trie.verdicts.push(Verdict::Nothing);
            }
        }
        let there = &mut trie.verdicts[node as usize];
        *there = (*there).max(rule.verdict);
    }
    Box::new(trie)
}

impl Engine for Trie {
    fn decide(&self, call: &Call) -> Verdict {
        let mut node = match call.kind {
            Kind::Shell => SHELL,
            Kind::Path => PATH,
        };
        let mut found = Verdict::Nothing;
        for word in &call.words {
            let Some(word) = self.words.get(word.as_str()) else {
                break;
            };
            let Some(next) = self.nodes.get(&(node, *word)) else {
                break;
            };
            node = *next;
            found = found.max(self.verdicts[node as usize]);
        }
        found
    }
}
