//! The options of shells: what a shell is told to run, and what may make it read that in another way than Bash does.

use crate::builtins::{Setting, by_letter, by_name, is_plain_shopt};
use crate::field::Field;

/// Where a shell takes its commands from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Its first operand is the text.
    Text,
    /// Its first operand is a file, if it has one.
    File,
    /// Its input, whatever the operands.
    Input,
}

/// What the options come to.
#[derive(Debug)]
pub(super) struct Told<'f> {
    pub(super) takes: Takes,
    /// Where the operands begin.
    pub(super) operands: usize,
    /// Options, or their values, with which it may run something else, or read its commands in another way.
    pub(super) odd: Vec<&'f Field>,
    /// The option by which it takes itself to talk to a person: then `!!` and `^a^b` in a file or in its input are
    /// earlier lines.
    pub(super) talks: Option<&'f Field>,
    /// The option by which it begins as the first shell of a person, with the settings for such.
    pub(super) logs_in: Option<&'f Field>,
}

/// Whose options a shell has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// The name of a setting is the next word, wherever in a bundle the letter stands.
    Bash,
    /// It may be glued to the letter too.
    Kindred,
    /// Options and language of its own.
    Foreign,
}

fn family(name: &str) -> Family {
    match name {
        "bash" | "rbash" | "sh" | "dash" | "ash" => Family::Bash,
        "fish" | "pwsh" | "powershell" | "csh" | "tcsh" => Family::Foreign,
        _ => Family::Kindred,
    }
}

/// Whether the text of the shell's language reads as Bash's does, as far as we list commands.
pub(super) fn speaks_bash(name: &str) -> bool {
    family(name) != Family::Foreign
}

/// Reads the options of a shell; the word that may be one and is not known, where there is such a word.
pub(super) fn read<'f>(name: &str, args: &'f [Field]) -> Result<Told<'f>, &'f Field> {
    let mut reading = Reading {
        family: family(name),
        args,
        at: 0,
        takes: Takes::File,
        odd: Vec::new(),
        talks: None,
        logs_in: None,
    };
    while let Some(field) = args.get(reading.at) {
        let Some(word) = field.text() else {
            if field.may_be_option() {
                return Err(field);
            }
            break;
        };
        if !word.starts_with(['-', '+']) || word == "+" {
            break;
        }
        reading.at += 1;
        match word.strip_prefix("--") {
            _ if word == "-" => break,
            Some("") => break,
            Some(long) => reading.long(field, long),
            None if reading.family == Family::Foreign => reading.foreign(word),
            None => reading.letters(field, word),
        }
    }
    Ok(Told {
        takes: reading.takes,
        operands: reading.at,
        odd: reading.odd,
        talks: reading.talks,
        logs_in: reading.logs_in,
    })
}

struct Reading<'f> {
    family: Family,
    args: &'f [Field],
    at: usize,
    takes: Takes,
    odd: Vec<&'f Field>,
    talks: Option<&'f Field>,
    logs_in: Option<&'f Field>,
}

impl<'f> Reading<'f> {
    fn next(&mut self) -> Option<&'f Field> {
        self.at += 1;
        self.args.get(self.at - 1)
    }

    fn take(&mut self, takes: Takes) {
        // A text goes before the input.
        if self.takes != Takes::Text {
            self.takes = takes;
        }
    }

    fn long(&mut self, field: &'f Field, long: &str) {
        match long {
            // It runs what stands there first.
            "rcfile" | "init-file" => {
                let file = self.next();
                self.odd.extend(file);
            }
            "emulate" => {
                self.odd.push(field);
                self.at += 1;
            }
            "interactive" => self.talks = Some(field),
            "login" => self.logs_in = Some(field),
            "norc" | "noprofile" | "no-rcs" | "norcs" | "no-config" | "private" | "no-execute"
            | "noediting" | "restricted" | "dump-strings" | "dump-po-strings" | "pretty-print"
            | "version" | "help" => {}
            _ if by_name(long) == Setting::Odd => self.odd.push(field),
            _ => {}
        }
    }

    fn foreign(&mut self, word: &str) {
        if word.contains('c') || word.starts_with("-C") {
            self.take(Takes::Text);
        } else if word.contains('s') {
            self.take(Takes::Input);
        }
        if matches!(word, "-o" | "+o") {
            self.at += 1;
        }
    }

    fn letters(&mut self, field: &'f Field, word: &str) {
        let sets = word.starts_with('-');
        for (place, letter) in word.char_indices().skip(1) {
            match letter {
                'c' if sets => self.take(Takes::Text),
                's' if sets => self.take(Takes::Input),
                'i' => self.talks = Some(field),
                'l' => self.logs_in = Some(field),
                'r' | 's' => {}
                'o' => {
                    let glued = word.get(place + 1..).unwrap_or("");
                    if self.family == Family::Kindred && !glued.is_empty() {
                        self.named(field, by_name(glued));
                        return;
                    }
                    if let Some(name) = self.next() {
                        self.named(name, name.text().map_or(Setting::Odd, by_name));
                    }
                }
                'O' if self.family == Family::Bash => {
                    let name = self.next();
                    let plain = |name: &&Field| name.text().is_some_and(is_plain_shopt);
                    self.odd.extend(name.filter(|name| !plain(name)));
                }
                // Elsewhere it says where `cd` may lead.
                'T' if self.family == Family::Kindred => self.odd.push(field),
                letter => self.named(field, by_letter(letter)),
            }
        }
    }

    fn named(&mut self, field: &'f Field, setting: Setting) {
        if setting == Setting::Odd && !self.odd.contains(&field) {
            self.odd.push(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use pointsman_model::Span;

    use super::*;

    fn check(line: &str, takes: Takes, operands: &[&str], odd: &[&str]) {
        let span = Span { start: 0, end: 0 };
        let fields: Vec<Field> = line.split(' ').map(|it| Field::made(it, span)).collect();
        let (shell, args) = fields.split_first().unwrap();
        let told = read(shell.text().unwrap(), args).unwrap();
        let texts = |fields: &[Field]| -> Vec<String> {
            fields.iter().map(|it| it.source.to_string()).collect()
        };
        assert_eq!(told.takes, takes, "{line}");
        assert_eq!(
            texts(&args[told.operands.min(args.len())..]),
            operands,
            "{line}"
        );
        let found: Vec<&str> = told.odd.iter().filter_map(|it| it.text()).collect();
        assert_eq!(found, odd, "{line}");
    }

    #[test]
    fn what_a_shell_runs_is_found_behind_its_options() {
        check("bash -c x y", Takes::Text, &["x", "y"], &[]);
        check("bash -euxo pipefail -c x", Takes::Text, &["x"], &[]);
        check("bash -oc pipefail x", Takes::Text, &["x"], &[]);
        check("bash -oe pipefail x", Takes::File, &["x"], &[]);
        check("bash -c -x x", Takes::Text, &["x"], &[]);
        check("bash -O extglob -c x", Takes::Text, &["x"], &[]);
        check("bash -cO nullglob x", Takes::Text, &["x"], &["nullglob"]);
        check("bash --norc --posix -lc x", Takes::Text, &["x"], &[]);
        check("bash --rcfile f -i", Takes::File, &[], &["f"]);
        check("bash -s -- x", Takes::Input, &["x"], &[]);
        check("bash -kc x", Takes::Text, &["x"], &["-kc"]);
        check("zsh -fc x", Takes::Text, &["x"], &[]);
        check("zsh -Gc x", Takes::Text, &["x"], &["-Gc"]);
        check("zsh -onullglob -c x", Takes::Text, &["x"], &["-onullglob"]);
        check("zsh -o err_exit -c x", Takes::Text, &["x"], &[]);
        check(
            "zsh --null-glob -c x",
            Takes::Text,
            &["x"],
            &["--null-glob"],
        );
        check("zsh --emulate sh -c x", Takes::Text, &["x"], &["--emulate"]);
        check("ksh -o nullglob x", Takes::File, &["x"], &["nullglob"]);
        check("pwsh -nologo -c x", Takes::Text, &["x"], &[]);
        check("fish --command x", Takes::File, &["x"], &["--command"]);
        check("sh - x", Takes::File, &["x"], &[]);
    }
}
