//! The text of a rule, read with the shell's quoting, so that quoting style never decides.

/// A word of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleWord {
    /// Its pieces, joined without anything between.
    pub pieces: Vec<RulePiece>,
}

/// A piece of a rule's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulePiece {
    /// This very text, quotes and escapes undone.
    Text(Box<str>),
    /// A star, which stands for any text.
    Star,
}

/// Splits a rule's text into words as a shell would: quotes and escapes undone, an unescaped star
/// kept apart, inside quotes too. `None` for a text that is no plain list of words: one with an open
/// quote, an operator, an expansion or a control character. Such a rule is compared as text.
#[must_use]
pub fn rule_words(specifier: &str) -> Option<Vec<RuleWord>> {
    let mut words = Vec::new();
    let mut word: Option<Builder> = None;
    let mut chars = specifier.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' => words.extend(word.take().map(Builder::finish)),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        '*' => word.star(),
                        plain => word.text.push(plain),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '*' => word.star(),
                        '$' | '`' => return None,
                        '\\' => match chars.next()? {
                            escaped @ ('"' | '\\' | '$' | '`' | '*') => word.text.push(escaped),
                            other => word.text.extend(['\\', other]),
                        },
                        plain => word.text.push(plain),
                    }
                }
            }
            '\\' => word.get_or_insert_default().text.push(chars.next()?),
            '*' => word.get_or_insert_default().star(),
            '$' | '`' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => return None,
            control if control.is_control() => return None,
            plain => word.get_or_insert_default().text.push(plain),
        }
    }
    words.extend(word.take().map(Builder::finish));
    Some(words)
}

/// A word in the making.
#[derive(Default)]
struct Builder {
    pieces: Vec<RulePiece>,
    text: String,
}

impl Builder {
    fn star(&mut self) {
        self.flush();
        if self.pieces.last() != Some(&RulePiece::Star) {
            self.pieces.push(RulePiece::Star);
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.pieces.push(RulePiece::Text(text.into()));
        }
    }

    fn finish(mut self) -> RuleWord {
        self.flush();
        RuleWord {
            pieces: self.pieces,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words, each on its own between bars, stars as `*`, literal stars as `\*`.
    #[track_caller]
    fn check(specifier: &str, expect: Option<&str>) {
        let got = rule_words(specifier).map(|words| {
            words
                .iter()
                .map(|word| {
                    word.pieces
                        .iter()
                        .map(|piece| match piece {
                            RulePiece::Text(text) => text.replace('*', "\\*"),
                            RulePiece::Star => "*".to_owned(),
                        })
                        .collect::<String>()
                })
                .collect::<Vec<_>>()
                .join("|")
        });
        assert_eq!(got.as_deref(), expect, "{specifier:?}");
    }

    #[test]
    fn quoting_style_is_undone() {
        check("git commit -m *", Some("git|commit|-m|*"));
        check("x 'a b'", Some("x|a b"));
        check("x \"a b\"", Some("x|a b"));
        check("x a\\ b", Some("x|a b"));
        check("r''m  x", Some("rm|x"));
        check("CFLAGS=\"-O2\" make all", Some("CFLAGS=-O2|make|all"));
        check("x ''", Some("x|"));
        check("", Some(""));
    }

    #[test]
    fn stars_are_kept_apart_from_literal_ones() {
        check("a*b **", Some("a*b|*"));
        check("mt9 \\*", Some("mt9|\\*"));
        check("x \"*.rs\"", Some("x|*.rs"));
    }

    #[test]
    fn what_is_no_list_of_words_is_left_to_others() {
        for text in [
            "a && b", "x $Y", "x `y`", "x > out", "x 'a", "x \"a", "x\\", "(a)",
        ] {
            check(text, None);
        }
    }
}
