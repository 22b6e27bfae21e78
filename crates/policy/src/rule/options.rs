//! Command rules whose options may stand in any order: `rm -rf *` is also `rm -fr x`, `rm -r -f x` and `rm x -rf`.
//!
//! For denies and asks alone (law 5): an allow means the order it is written in.

use crate::wild::{GAP, SEP};

/// Options of one program that are one another's other spelling.
const SAME: &[(&str, &[&str])] = &[
    ("rm", &["-r", "-R", "--recursive"]),
    ("rm", &["-f", "--force"]),
    ("cp", &["-r", "-R", "--recursive"]),
    ("chmod", &["-R", "--recursive"]),
    ("chown", &["-R", "--recursive"]),
    ("git", &["-f", "--force"]),
    ("git", &["-d", "--delete"]),
];

/// The shortest beginning of a long option that programs take for the whole.
const SHORTENED_BYTES_MIN: usize = 4;

/// A rule in the form `program sub-commands options operands`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OptionForm {
    /// The words in front of the first option.
    pub(crate) prefix: Box<[u8]>,
    options: Vec<Box<[u8]>>,
    operands: Vec<Box<[u8]>>,
    /// Whether more words may follow.
    open: bool,
}

/// How surely a command has the rule's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HasOptions {
    /// It may: a word is unknown, shortened, or a bundle holds more.
    May,
    /// It does.
    Sure,
}

impl OptionForm {
    /// The form of a pattern; nothing when it has no options, or a gap in another place than that of words
    /// behind the program or of the end of its last option: `git push * --force*` is any push with that option.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        // Most have none.
        if !text.windows(2).any(|pair| pair == [SEP, b'-']) {
            return None;
        }
        let mut words: Vec<&[u8]> = text.split(|byte| *byte == SEP).collect();
        if words.first() == Some(&[GAP].as_slice()) {
            return None;
        }
        let all = words.len();
        words.retain(|word| *word != [GAP]);
        let mut open = words.len() < all;
        if let Some(last) = words.last_mut()
            && is_option(last)
            && let Some(option) = last.strip_suffix(&[GAP])
            && option.iter().any(u8::is_ascii_alphanumeric)
        {
            *last = option;
            open = true;
        }
        if words.iter().any(|word| word.contains(&GAP)) {
            return None;
        }
        let first = words.iter().position(|word| is_option(word))?;
        let (before, after) = words.split_at_checked(first).filter(|_| first > 0)?;
        let program = before.first().copied().unwrap_or_default();
        let mut options: Vec<Box<[u8]>> = Vec::new();
        let mut operands = Vec::new();
        for word in after {
            if is_option(word) {
                options.extend(unbundled(word).map(|it| one_spelling(program, it)));
            } else {
                operands.push(Box::from(*word));
            }
        }
        Some(Self {
            prefix: before.join(&SEP).into(),
            options,
            operands,
            open,
        })
    }

    /// Whether a command, given by its words, has these options, in whatever order.
    pub(crate) fn matches(&self, text: &[u8]) -> Option<HasOptions> {
        let rest = text.strip_prefix(&*self.prefix)?;
        let rest = match rest.split_first() {
            None => &[],
            Some((&SEP, rest)) => rest,
            Some(_) => return None,
        };
        let program = self.prefix.split(|byte| *byte == SEP).next()?;
        let words: Vec<&[u8]> = rest
            .split(|byte| *byte == SEP)
            .filter(|it| !it.is_empty())
            .collect();
        let unknown = words.iter().any(|word| word.contains(&GAP));
        let hides_option = words.iter().any(|word| may_be_option(program, word));
        let mut sure = true;
        for wanted in &self.options {
            match words
                .iter()
                .filter_map(|word| self.has(program, word, wanted))
                .max()
            {
                Some(HasOptions::Sure) => {}
                Some(HasOptions::May) => sure = false,
                None if hides_option => sure = false,
                None => return None,
            }
        }
        let operands: Vec<&[u8]> = words
            .iter()
            .copied()
            .filter(|word| !is_option(word))
            .collect();
        let here = self
            .operands
            .iter()
            .all(|wanted| operands.contains(&&**wanted));
        if !here && !unknown {
            return None;
        }
        if !self.open && !unknown {
            let options = words
                .iter()
                .filter(|word| is_option(word))
                .flat_map(|it| unbundled(it));
            let fits =
                operands.len() == self.operands.len() && options.count() == self.options.len();
            return (fits && sure).then_some(HasOptions::Sure);
        }
        Some(if sure && here {
            HasOptions::Sure
        } else {
            HasOptions::May
        })
    }

    /// Whether the command is one of this program that surely has none of some option of the rule: whatever its
    /// unknown words stand for, no other reading of the rule matches it.
    pub(crate) fn lacks_an_option(&self, text: &[u8]) -> bool {
        let program = self.prefix.split(|byte| *byte == SEP).next();
        let Some(rest) = text.strip_prefix(&*self.prefix) else {
            return false;
        };
        let Some(program) = program.filter(|_| rest.first() == Some(&SEP)) else {
            return false;
        };
        let mut words = rest.split(|byte| *byte == SEP);
        !words.clone().any(|word| may_be_option(program, word))
            && self.options.iter().any(|wanted| {
                !words
                    .clone()
                    .any(|word| self.has(program, word, wanted).is_some())
            })
            && words.any(|word| word.contains(&GAP))
    }

    /// Whether a word is, or bundles, the wanted option.
    fn has(&self, program: &[u8], word: &[u8], wanted: &[u8]) -> Option<HasOptions> {
        if !is_option(word) {
            return None;
        }
        let parts: Vec<Box<[u8]>> = unbundled(word)
            .map(|it| one_spelling(program, it))
            .collect();
        if parts.iter().any(|part| **part == *wanted) {
            let known = parts.iter().all(|part| self.options.contains(part));
            return Some(if known {
                HasOptions::Sure
            } else {
                HasOptions::May
            });
        }
        // One that is written out was found above.
        let shortens = |whole: &[u8]| whole.starts_with(word);
        let shortened = word.len() >= SHORTENED_BYTES_MIN
            && word.starts_with(b"--")
            && (shortens(wanted)
                || same(program, wanted)
                    .is_some_and(|all| all.iter().any(|it| shortens(it.as_bytes()))));
        shortened.then_some(HasOptions::May)
    }
}

fn is_option(word: &[u8]) -> bool {
    matches!(word, [b'-', second, ..] if !(*second == b'-' && word.len() == 2))
}

/// Programs none of whose options has a value.
const WITHOUT_VALUES: [&[u8]; 2] = [b"rm", b"rmdir"];

/// Whether a word that is not known to the end may be an option: the names of files that a pattern stands for
/// begin as it does, and no program takes a bundle with a dot or a slash in it but for a value's.
fn may_be_option(program: &[u8], word: &[u8]) -> bool {
    if !word.contains(&GAP) {
        return false;
    }
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(*byte, b'-' | GAP);
    match word.first() {
        Some(&GAP) => !WITHOUT_VALUES.contains(&program) || word.iter().all(letter),
        first => first == Some(&b'-'),
    }
}

/// The options that a word holds: `-rf` is `-r` and `-f`; `--force=x` is `--force`.
fn unbundled(word: &[u8]) -> impl Iterator<Item = Box<[u8]>> {
    let long = word.starts_with(b"--");
    let name = word.split(|byte| *byte == b'=').next().unwrap_or(word);
    let whole = long.then(|| Box::from(name));
    let letters = word.get(1..).filter(|_| !long).unwrap_or_default();
    whole
        .into_iter()
        .chain(letters.iter().map(|letter| Box::from([b'-', *letter])))
}

/// An option in the first of its spellings.
fn one_spelling(program: &[u8], option: Box<[u8]>) -> Box<[u8]> {
    match same(program, &option).and_then(|all| all.first()) {
        Some(first) => first.as_bytes().into(),
        None => option,
    }
}

/// All spellings of a program's option, when it is known to have several.
fn same(program: &[u8], option: &[u8]) -> Option<&'static [&'static str]> {
    let name = program
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or(program);
    SAME.iter()
        .find(|(of, all)| of.as_bytes() == name && all.iter().any(|it| it.as_bytes() == option))
        .map(|(_, all)| *all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of words as commands are, with gaps for stars and question marks.
    fn bytes(text: &str) -> Vec<u8> {
        let map = |byte| match byte {
            b' ' => SEP,
            b'*' | b'?' => GAP,
            plain => plain,
        };
        text.bytes().map(map).collect()
    }

    #[track_caller]
    fn check(rule: &str, command: &str, expect: Option<HasOptions>) {
        let form = OptionForm::of(&bytes(rule)).unwrap();
        assert_eq!(
            form.matches(&bytes(command)),
            expect,
            "{rule} and {command}"
        );
    }

    #[test]
    fn the_order_of_options_never_matters() {
        let sure = Some(HasOptions::Sure);
        let may = Some(HasOptions::May);
        for command in [
            "rm -rf x",
            "rm -fr x",
            "rm -r -f x",
            "rm x -rf",
            "rm -R --force x",
            "rm -rf",
        ] {
            check("rm -rf *", command, sure);
        }
        check("rm -rf *", "rm -rfv x", may);
        check("rm -rf *", "rm -r ? x", may);
        check("rm -rf *", "rm --recurs -f x", may);
        check("rm -rf *", "rm -r x", None);
        check("rm -rf *", "rmdir -rf x", None);
        check("git push --force *", "git push origin -f", sure);
        check("git push --force *", "git push origin --force=x", sure);
        check("git push --force *", "git pull --force", None);
        check("git push --force *", "git push origin --tags", None);
        check("git push --force *", "git push origin --forced", None);
        check("rm -rf /", "rm / -fr", sure);
        check("rm -rf /", "rm -fr x", None);
        check("git push --force", "git push origin --force", None);
        for rule in ["git push * --force*", "git push --force*", "git * --force"] {
            check(rule, "git push origin --force", sure);
            check(rule, "git push -qf origin", may);
            check(rule, "git push --forc origin", may);
            check(rule, "git push origin --force-with-lease", None);
        }
    }

    #[test]
    fn a_name_of_a_file_is_an_option_only_where_it_may_begin_as_one() {
        let may = Some(HasOptions::May);
        for command in ["rm *", "rm ?", "rm -*", "rm -r*", "rm *x"] {
            check("rm -rf *", command, may);
        }
        for command in ["rm *.log", "rm x*", "rm build/*", "rm -f *.o", "rm ./*"] {
            check("rm -rf *", command, None);
        }
        check("tar -xf *", "tar *.tar", may);
    }

    #[test]
    fn a_command_lacks_an_option_whatever_its_unknown_words_are() {
        let lacks = |rule: &str, command: &str| {
            OptionForm::of(&bytes(rule))
                .unwrap()
                .lacks_an_option(&bytes(command))
        };
        for command in ["rm -f x*", "rm build/*", "rm -f x y*"] {
            assert!(lacks("rm -rf *", command), "{command}");
        }
        for command in [
            // All that it wants is there.
            "rm -rf x*",
            // What may be one.
            "rm *",
            "rm -f ?",
            "rm -* x",
            // Nothing is unknown: that is told elsewhere.
            "rm -f x",
            // Other programs.
            "rmdir x*",
            "ls -f x*",
            "rm",
        ] {
            assert!(!lacks("rm -rf *", command), "{command}");
        }
    }

    #[test]
    fn rules_without_options_have_no_such_form() {
        for rule in ["rm *", "rm", "* -f", "r* -f", "-f x"] {
            assert_eq!(OptionForm::of(&bytes(rule)), None, "{rule}");
        }
    }
}
