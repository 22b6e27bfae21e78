//! Reading options as `getopt_long` does: bundles, values glued or apart, `--`.

use crate::field::Field;

/// The options that a program, or one table of it, knows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Letters without a value.
    pub(crate) short: &'static str,
    /// Letters with a value, glued or in the next word.
    pub(crate) short_value: &'static str,
    /// Letters with a value that is glued or missing.
    pub(crate) short_glued: &'static str,
    /// Long options without a value, or with one behind `=` at will.
    pub(crate) long: &'static [&'static str],
    /// Long options with a value, behind `=` or in the next word.
    pub(crate) long_value: &'static [&'static str],
}

/// Whether the letter is among these, all of which are ASCII.
fn has(letters: &str, letter: char) -> bool {
    u8::try_from(letter).is_ok_and(|letter| letters.as_bytes().contains(&letter))
}

/// One argument, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arg<'f> {
    /// A known option by its letter or name, and its value.
    Option(&'f str, Option<Field>),
    /// What may be an option that the table does not have.
    Stranger(&'f Field),
    Operand(&'f Field),
}

/// How far options reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Options may stand behind operands.
    Mixed,
    /// The first operand ends them.
    OptionsFirst,
}

/// Reads arguments.
pub(crate) fn read<'f>(args: &'f [Field], options: &Options, order: Order) -> Vec<Arg<'f>> {
    let mut read = Vec::with_capacity(args.len());
    let mut at = 0;
    while let Some(field) = args.get(at) {
        at += 1;
        let text = match field.text() {
            Some("--") => {
                read.extend(args.get(at..).unwrap_or_default().iter().map(Arg::Operand));
                break;
            }
            Some(text) if field.may_be_option() => text,
            None if field.may_be_option() => {
                // `--file=$x` is one option whose value is unknown.
                match glued_unknown(field, options) {
                    Some(arg) => read.push(arg),
                    None => letters_known(field, options, &mut read),
                }
                continue;
            }
            _ => {
                read.push(Arg::Operand(field));
                if order == Order::OptionsFirst {
                    read.extend(args.get(at..).unwrap_or_default().iter().map(Arg::Operand));
                    break;
                }
                continue;
            }
        };
        at += if text.starts_with("--") {
            long(field, text, args.get(at), options, &mut read)
        } else {
            short(field, text, args.get(at), options, &mut read)
        };
    }
    read
}

fn glued_unknown<'f>(field: &'f Field, options: &Options) -> Option<Arg<'f>> {
    let prefix = field.prefix();
    let (name, _) = prefix.split_once('=')?;
    let long = name.strip_prefix("--")?;
    // A pattern is the name of files that look like this option, or the option itself.
    let one = !field.is_many() || matches!(field.known, crate::field::Known::Glob(_));
    let known = options.long.contains(&long) || options.long_value.contains(&long);
    (one && known).then(|| Arg::Option(name, Some(field.tail(name.len() + 1))))
}

/// `-i$x`, `-rf$x`: the letters that are known, and a value or more letters that are not.
fn letters_known<'f>(field: &'f Field, options: &Options, read: &mut Vec<Arg<'f>>) {
    let prefix = field.prefix();
    let letters = prefix.strip_prefix('-').filter(|it| !it.starts_with('-'));
    for (at, char) in letters.unwrap_or("").char_indices() {
        let behind = 1 + at + char.len_utf8();
        let letter = prefix.get(1 + at..behind).unwrap_or("");
        if has(options.short, char) {
            read.push(Arg::Option(letter, None));
        } else if has(options.short_glued, char) || has(options.short_value, char) {
            read.push(Arg::Option(letter, Some(field.tail(behind))));
            break;
        } else {
            break;
        }
    }
    read.push(Arg::Stranger(field));
}

/// Reads a long option; how many further arguments it takes.
fn long<'f>(
    field: &'f Field,
    text: &'f str,
    next: Option<&'f Field>,
    options: &Options,
    read: &mut Vec<Arg<'f>>,
) -> usize {
    let (name, value) = match text.split_once('=') {
        Some((name, _)) => (name, Some(field.tail(name.len() + 1))),
        None => (text, None),
    };
    let bare = name.get(2..).unwrap_or("");
    if options.long.contains(&bare) {
        read.push(Arg::Option(name, value));
        return 0;
    }
    if !options.long_value.contains(&bare) {
        read.push(Arg::Stranger(field));
        return 0;
    }
    match (value, next) {
        (Some(value), _) => {
            read.push(Arg::Option(name, Some(value)));
            0
        }
        (None, Some(next)) if !next.is_many() => {
            read.push(Arg::Option(name, Some(next.clone())));
            1
        }
        // The first of the words that it becomes is the value.
        (None, Some(next)) if !next.prefix().is_empty() => {
            read.push(Arg::Option(name, Some(next.clone())));
            read.push(Arg::Stranger(field));
            1
        }
        _ => {
            read.push(Arg::Stranger(field));
            0
        }
    }
}

/// Reads a bundle of letters; how many further arguments it takes.
fn short<'f>(
    field: &'f Field,
    text: &'f str,
    next: Option<&'f Field>,
    options: &Options,
    read: &mut Vec<Arg<'f>>,
) -> usize {
    for (at, char) in text.char_indices().skip(1) {
        let behind = at + char.len_utf8();
        let letter = text.get(at..behind).unwrap_or("");
        let glued = behind < text.len();
        if has(options.short, char) {
            read.push(Arg::Option(letter, None));
        } else if has(options.short_glued, char) {
            read.push(Arg::Option(letter, glued.then(|| field.tail(behind))));
            return 0;
        } else if has(options.short_value, char) {
            if glued {
                read.push(Arg::Option(letter, Some(field.tail(behind))));
                return 0;
            }
            return match next {
                Some(next) if !next.is_many() => {
                    read.push(Arg::Option(letter, Some(next.clone())));
                    1
                }
                Some(next) if !next.prefix().is_empty() => {
                    read.push(Arg::Option(letter, Some(next.clone())));
                    read.push(Arg::Stranger(field));
                    1
                }
                _ => {
                    read.push(Arg::Stranger(field));
                    0
                }
            };
        } else {
            read.push(Arg::Stranger(field));
            return 0;
        }
    }
    0
}

/// Where the first operand stands among `args`, by these options; `Err` with the place of the first
/// argument that may be an option not in the table.
pub(crate) fn first_operand(args: &[Field], options: &Options) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(field) = args.get(at) {
        match field.text() {
            Some("--") => return Ok(at + 1),
            Some(text) if field.may_be_option() => {
                let mut read = Vec::new();
                let next = args.get(at + 1);
                let taken = if text.starts_with("--") {
                    long(field, text, next, options, &mut read)
                } else {
                    short(field, text, next, options, &mut read)
                };
                if read.iter().any(|arg| matches!(arg, Arg::Stranger(_))) {
                    return Err(at);
                }
                at += 1 + taken;
            }
            None if field.may_be_option() => return Err(at),
            _ => return Ok(at),
        }
    }
    Ok(at)
}
