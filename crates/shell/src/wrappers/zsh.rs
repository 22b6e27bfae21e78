//! What the Z shell has by itself: its own `rm` and kin, and functions that work on many files at once.
//!
//! To other shells these are names like any other, so that nothing here lets a call pass.

use pointsman_model::EffectView;

use super::table::Kind;
use super::{outer, unknown_script};
use crate::field::Field;
use crate::state::State;
use crate::walk::{Called, Scene, Walker};

/// The commands of its module `zsh/files`: `zf_rm` does what `rm` does.
const FILES: [&str; 9] = [
    "chgrp", "chmod", "chown", "ln", "mkdir", "mv", "rm", "rmdir", "sync",
];

/// Calls the command, if it is one of these.
pub(super) fn call(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &State,
) -> bool {
    let plain = name.strip_prefix("zf_").filter(|it| FILES.contains(it));
    if let Some(plain) = plain
        && let Some((first, args)) = called.fields.split_first()
    {
        outer(walker, called, Kind::Runner, state);
        let program = Field {
            source: first.source.clone(),
            ..Field::made(plain, first.span)
        };
        let fields: Vec<Field> = std::iter::once(program)
            .chain(args.iter().cloned())
            .collect();
        let view = EffectView::Might;
        walker.call_inner(scene, called, &fields, view, &mut state.clone());
        return true;
    }
    if matches!(name, "zmv" | "zcp" | "zln" | "zargs") {
        // What is run stands in patterns, in a text that is expanded for each file, and behind the files.
        outer(walker, called, Kind::Loud, state);
        unknown_script(walker, called, None);
        return true;
    }
    false
}

/// Whether something stands in the text that this shell reads in another way than Bash, which would have other commands or
/// other files in it: what is quoted there is not told apart.
pub(crate) fn reads_otherwise(text: &str) -> bool {
    // A list is all its words, a file is made of what a command prints, and `>!` writes to what stands behind it.
    let signs = ["=(", ">!", "alias -s"];
    // What tells of the shell's own tables may change them.
    let tables = ["functions", "aliases", "commands"];
    signs.iter().any(|it| text.contains(it))
        || tables.iter().any(|it| text.contains(&format!("{it}[")))
        || text.split('$').skip(1).any(expands_otherwise)
        || text.split('<').skip(1).any(is_range)
}

/// Whether a sign stands in the text that is part of a pattern where `extendedglob` is set, as it often is in what a shell
/// that talks or logs in reads first: `^x` and `x~y` for "all but", `x#` for "often".
pub(crate) fn has_signs_of_settings(text: &str) -> bool {
    // What is read anew between quotes, or ends where no quote tells, is looked at as it stands.
    let anew = text.contains('"') && (text.contains("$(") || text.contains('`'));
    let tangled = anew || text.contains("<<") || text.contains("$'");
    let plain = (!tangled).then(|| without_quoted(text)).flatten();
    let bare = plain.unwrap_or_else(|| text.to_owned());
    bare.char_indices().any(|(at, sign)| {
        let before = bare.get(..at).and_then(|it| it.chars().next_back());
        match sign {
            '^' => true,
            '#' if begins_remark(&bare, at) => false,
            // `$#` and `${#x}` count.
            '#' => !matches!(before, Some('$' | '{')),
            // In front of a word it is a home.
            '~' => before.is_some_and(|it| !it.is_whitespace() && !";&|(=:".contains(it)),
            _ => false,
        }
    })
}

/// Whether the `#` there stands between blanks, as in front of a remark.
fn begins_remark(text: &str, at: usize) -> bool {
    let front = text.get(..at).unwrap_or("");
    let behind = text.get(at + 1..).unwrap_or("");
    let blank = |char: Option<char>| char.is_none_or(char::is_whitespace);
    blank(front.chars().next_back()) && blank(behind.chars().next())
}

/// The text with a letter for all that is quoted; nothing where a quote in a remark leaves open what is.
fn without_quoted(text: &str) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '#' if begins_remark(text, text.len() - chars.as_str().len() - 1) => {
                let rest = chars.as_str();
                let remark = rest.split('\n').next().unwrap_or(rest);
                if remark.contains(['\'', '"', '\\', '`']) {
                    return None;
                }
                bare.push(char);
            }
            '\\' => {
                chars.next();
                bare.push('_');
            }
            '\'' | '"' => {
                while let Some(inner) = chars.next()
                    && inner != char
                {
                    if inner == '\\' && char == '"' {
                        chars.next();
                    }
                }
                bare.push('_');
            }
            plain => bare.push(plain),
        }
    }
    Some(bare)
}

/// `$=x`, `$x[1]`, `$x:t` and the same between braces, by what stands behind the dollar.
fn expands_otherwise(behind: &str) -> bool {
    let inner = behind.strip_prefix('{');
    let text = inner.unwrap_or(behind);
    // `${${x}}` ends at the second dollar.
    let nests = behind == "{" || inner.is_some_and(|it| it.starts_with(['(', ':']));
    if nests || text.starts_with(['=', '~', '^', '+']) {
        return true;
    }
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let rest = text.trim_start_matches(is_name);
    let mut signs = rest.chars();
    let named = rest.len() < text.len();
    match (signs.next(), signs.next()) {
        (Some('['), _) => named && inner.is_none(),
        (Some(':'), Some(letter)) => named && letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// `<1-9>`, which stands for numbers in names of files, by what stands behind its begin.
fn is_range(behind: &str) -> bool {
    behind.split_once('>').is_some_and(|(range, _)| {
        range.contains('-')
            && range
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_z_shell_reads_otherwise_is_found() {
        for text in [
            "x=(rm y); $x",
            "cat =(rm x)",
            "echo x >! .env",
            "alias -s txt=rm; ./x.txt",
            "functions[f]=rm; f",
            "aliases[f]=rm",
            "commands[f]=/bin/rm; f x",
            "$=x y",
            "$~x",
            "$^x",
            "${=x} y",
            "${(z)x}",
            "${${x}}",
            "${:-rm} x",
            "$x[2,3] y",
            "$x:t y",
            "${x:t} y",
            "rm <1-9>",
            "rm a<->.txt",
        ] {
            assert!(reads_otherwise(text), "{text}");
        }
        for text in [
            "rm x && echo \"$x\" ${x} ${x:-y} ${x[1]} ${#x} $((1+2)) $(ls)",
            "cat < x > y 2>&1 | grep a-b",
            "echo a: $x: b",
            "cat <<< a-b > c",
        ] {
            assert!(!reads_otherwise(text), "{text}");
        }
    }

    #[test]
    fn signs_that_settings_give_a_meaning_are_found() {
        for text in [
            "rm ^b* y",
            "rm a*~b y",
            "rm a#[x] y",
            "echo 'a' ^b",
            "echo \\' ^b '",
            "echo \"$(rm ^b)\"",
            "cat <<E\nit's\nE\nrm ^b",
            "echo $'\\'' ^b '",
            "echo a # it's\nrm ^b* y\necho 's",
            "echo ${x:- # '} \n' && rm ^b* y",
            "rm a#",
            "rm #[x]",
        ] {
            assert!(has_signs_of_settings(text), "{text}");
        }
        for text in [
            "cd ~/x && make; ls ~",
            "grep '^x' \"a#b~c^\" f",
            "echo $# ${#x} a\\^b",
            "PATH=~/bin:~/x npm test",
            "echo done # ok",
            "# first\nls",
        ] {
            assert!(!has_signs_of_settings(text), "{text}");
        }
    }
}
