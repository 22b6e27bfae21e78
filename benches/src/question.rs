//! The rules and the calls.

/// What rules say, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Nothing,
    Allow,
    Ask,
    Deny,
}

/// One rule: calls that begin so.
pub struct Rule {
    pub verdict: Verdict,
    pub scope: Scope,
}

/// What a rule is for.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Commands that begin with these words.
    Words(Vec<String>),
    /// Edits below this folder of the project.
    Folder(Vec<String>),
}

/// One call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its place among the calls it is asked with.
    pub number: usize,
    /// What it is.
    pub kind: Kind,
    /// The words of the command, or the names on the way to the file from the project down.
    pub words: Vec<String>,
    /// As one text that rules' texts begin.
    pub text: String,
}

/// What a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A command.
    Shell,
    /// An edit of a file of the project.
    Path,
}

impl Kind {
    /// What stands behind a word of the text.
    pub fn end(self) -> char {
        match self {
            Self::Shell => ' ',
            Self::Path => '/',
        }
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).into()).collect()
}

impl Call {
    fn new(number: usize, kind: Kind, words: Vec<String>) -> Self {
        let text = match kind {
            Kind::Shell => format!("$ {} ", words.join(" ")),
            Kind::Path => words.join("/"),
        };
        Self {
            number,
            kind,
            words,
            text,
        }
    }

    /// `git push origin main`: one rule asks.
    pub fn shell() -> Self {
        Self::new(0, Kind::Shell, texts(&["git", "push", "origin", "main"]))
    }

    /// An edit of `src/lib.rs`: one rule allows.
    pub fn path() -> Self {
        Self::new(0, Kind::Path, texts(&["src", "lib.rs"]))
    }

    /// All texts of rules that would fit.
    pub fn starts(&self) -> impl Iterator<Item = &str> {
        let ends = self.text.match_indices(self.kind.end());
        ends.filter_map(|(at, _)| self.text.get(..=at))
    }
}

/// An engine with rules in it.
pub trait Engine {
    /// Takes the calls that it will be asked about in the form of its own that reading gives.
    fn read(&mut self, _calls: &[Call]) {}

    fn decide(&self, call: &Call) -> Verdict;
}

/// N rules: 70 % on commands, 30 % on paths; 60 % allow, 20 % ask, 20 % deny; a few programs have most of them.
pub struct Rules {
    pub rules: Vec<Rule>,
}

impl Rules {
    pub fn new(count: usize) -> Self {
        let known = [
            Rule {
                verdict: Verdict::Ask,
                scope: Scope::Words(texts(&["git", "push"])),
            },
            Rule {
                verdict: Verdict::Allow,
                scope: Scope::Folder(texts(&["src"])),
            },
        ];
        let made = (0..count - known.len()).map(Self::rule);
        Self {
            rules: known.into_iter().chain(made).collect(),
        }
    }

    fn rule(n: usize) -> Rule {
        let verdict = match n % 5 {
            0 => Verdict::Deny,
            1 => Verdict::Ask,
            _ => Verdict::Allow,
        };
        let scope = if n % 10 < 7 {
            // Half of the commands are of three programs.
            let program = if n % 2 == 0 { n / 2 % 3 } else { n / 2 % 53 };
            Scope::Words(vec![format!("prog{program}"), format!("sub{n}")])
        } else {
            Scope::Folder(vec![format!("area{}", n % 97), format!("part{n}")])
        };
        Rule { verdict, scope }
    }

    /// Calls drawn over all rules, in no order; every eighth fits none.
    pub fn drawn(&self, count: usize) -> Vec<Call> {
        let mut state = 1_usize;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        (0..count)
            .map(|n| {
                let rule = &self.rules[next() % self.rules.len()];
                let stray = if n % 8 == 7 { "x" } else { "" };
                match &rule.scope {
                    Scope::Words(words) => {
                        let mut words = words.clone();
                        words[1].push_str(stray);
                        words.push("main".into());
                        Call::new(n, Kind::Shell, words)
                    }
                    Scope::Folder(names) => {
                        let mut names = names.clone();
                        let last = names.len() - 1;
                        names[last].push_str(stray);
                        names.push("a.rs".into());
                        Call::new(n, Kind::Path, names)
                    }
                }
            })
            .collect()
    }
}
