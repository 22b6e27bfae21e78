//! Laws of the analysis, tried on generated lines.

use pointsman_model::{AbsPath, EffectKind, EffectView, Run, RunNature, WordValue};
use proptest::prelude::*;

use crate::syntax::{parse, scan};
use crate::{Analysis, Surroundings, analyse};

pub(super) fn at() -> Surroundings {
    Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    }
}

pub(super) fn runs(analysis: &Analysis) -> impl Iterator<Item = (&Run, EffectView)> {
    analysis
        .effects
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some((run, effect.view)),
            _ => None,
        })
}

/// Whether something can't be told, which a rule that denies takes for a possible match.
pub(super) fn is_opaque(analysis: &Analysis) -> bool {
    let mut effects = analysis.effects.list.iter();
    effects.any(|effect| matches!(effect.kind, EffectKind::Opaque(_)))
}

/// Whether a deny on these words would be met, or the line says that it can't be told.
pub(super) fn is_seen(line: &str, words: &[&str]) -> bool {
    let analysis = analyse(line, &at());
    is_opaque(&analysis)
        || runs(&analysis).any(|(run, _)| {
            [Some(&run.argv), run.canonical.as_ref()]
                .into_iter()
                .flatten()
                .any(|argv| begins(argv.iter().map(|word| &word.value), words))
        })
}

/// Whether the words may begin with these; the program by its last name.
fn begins<'r>(argv: impl Iterator<Item = &'r WordValue>, words: &[&str]) -> bool {
    let mut argv = argv;
    words
        .iter()
        .enumerate()
        .all(|(at, word)| match argv.next() {
            Some(WordValue::Literal(text)) if at == 0 => text.rsplit('/').next() == Some(*word),
            Some(WordValue::Literal(text)) => **text == **word,
            Some(WordValue::Glob(_) | WordValue::Unknown) => true,
            None => false,
        })
}

/// Spellings that run `X`, where `X` stands for a whole command.
pub(super) const SPELLINGS: [&str; 96] = [
    "X",
    "  X  ",
    "\tX",
    "X;",
    "X &",
    "X\n",
    "\nX",
    ": ; X",
    "true && X",
    "false || X",
    "a | X",
    "X | a",
    "a |& X",
    "! X",
    "time X",
    "time -p X",
    "(X )",
    "( X )",
    "{ X; }",
    "if X; then :; fi",
    "if :; then X; fi",
    "if false; then :; else X; fi",
    "while X; do :; done",
    "until :; do X; done",
    "for i in 1; do X; done",
    "for ((;;)); do X; done",
    "case a in a) X;; esac",
    "case a in b) ;; *) X ;; esac",
    "select i in a; do X; done",
    "f() { X; }; f",
    "function f { X; }; f",
    "f() (X); f",
    "coproc X",
    "coproc N { X; }",
    "echo $(X)",
    "echo \"$(X)\"",
    "echo `X`",
    "echo \"`X`\"",
    "echo ${y:-$(X)}",
    "echo \"${y:-$(X)}\"",
    "y=$(X)",
    "y=$(X) a",
    "export y=$(X)",
    "a=($(X))",
    "cat <(X)",
    "tee >(X)",
    "echo $(( $(X) ))",
    "[[ -n $(X) ]]",
    "[ -n \"$(X)\" ]",
    "cat <<E\n$(X)\nE",
    "cat <<< $(X)",
    "a > $(X)",
    "a[$(X)]=1",
    "# note\nX",
    "ls # note\nX",
    "a \\\n&& X",
    "a &&\\\n X",
    "env X",
    "env -i Y=1 X",
    "env -u Y X",
    "sudo X",
    "sudo -u root X",
    "sudo -E -- X",
    "doas X",
    "nohup X",
    "nice X",
    "nice -n 5 X",
    "nice -5 X",
    "timeout 5 X",
    "timeout -k 1 5s X",
    "timeout --signal=KILL 5 X",
    "stdbuf -oL X",
    "setsid X",
    "setsid -w X",
    "ionice -c 3 X",
    "command X",
    "command -p X",
    "builtin X",
    "exec X",
    "exec -a y X",
    "xargs X",
    "xargs -0 -n 1 X",
    "xargs -I{} X {}",
    "busybox X",
    "watch -n 1 X",
    "strace -f X",
    "find . -exec X \\;",
    "find . -execdir X {} +",
    "flock f X",
    "chroot d X",
    "Y=1 X",
    "> f X",
    "a &\\\n& X",
    "a |\\\n|X",
    "a |\\\n\\\n& X",
    "echo \"$(a &\\\n& X)\"",
];

/// Texts that a shell runs; `X` stands between quotes.
const SCRIPTS: [&str; 24] = [
    "sh -c 'X'",
    "bash -c 'X'",
    "bash -lc 'X'",
    "bash -ec 'X'",
    "bash -xec 'X'",
    "bash -o pipefail -c 'X'",
    "zsh -c 'X'",
    "dash -c 'X'",
    "/bin/sh -c 'X'",
    "env sh -c 'X'",
    "sudo sh -c 'X'",
    "eval 'X'",
    "eval : \\; 'X'",
    "trap 'X' EXIT",
    "su -c 'X'",
    "su root -c 'X'",
    "watch 'X'",
    "sh <<E\nX\nE",
    "sh <<'E'\nX\nE",
    "bash <<< 'X'",
    "echo 'X' | sh",
    "printf '%s' 'X' | bash",
    "timeout 5 sh -c 'X'",
    "ssh h 'X'",
];

/// Spellings of the program's name; `N` is the name, whose first letter is `A` and the rest `B`.
const NAMES: [&str; 14] = [
    "N",
    "\\N",
    "'N'",
    "\"N\"",
    "A''B",
    "A\"B\"",
    "''N",
    "A\\B",
    "/bin/N",
    "./N",
    "$'N'",
    "\"A\"'B'",
    "A\\\nB",
    "$(echo N)",
];

/// Commands that rules deny.
pub(super) const DENIED: [&[&str]; 5] = [
    &["rm", "-rf"],
    &["git", "push"],
    &["curl", "x"],
    &["npm", "publish"],
    &["dd", "if=x"],
];

pub(super) fn named(words: &[&str], name: &str) -> String {
    let (program, rest) = words.split_first().unwrap();
    let (first, others) = program.split_at(1);
    let mut text = name
        .replace('N', program)
        .replace('A', first)
        .replace('B', others);
    for word in rest {
        text.push(' ');
        text.push_str(word);
    }
    text
}

#[test]
fn law_5_no_spelling_hides_a_command() {
    for words in DENIED {
        let plain = named(words, "N");
        for spelling in SPELLINGS {
            let line = spelling.replace('X', &plain);
            assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
        }
        for script in SCRIPTS {
            let line = script.replace('X', &plain);
            assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
        }
        for name in NAMES {
            let line = named(words, name);
            assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
        }
    }
}

#[test]
fn law_5_nesting_hides_no_command() {
    let words = DENIED[0];
    let plain = named(words, "N");
    for (number, outer) in SPELLINGS.iter().enumerate() {
        for inner in SPELLINGS.iter().skip(number % 4).step_by(4) {
            // A here-document's end must stand on a line of its own.
            let inside = inner.replace('X', &plain);
            let line = outer.replace('X', &inside);
            // Two parentheses together are arithmetic.
            let arithmetic = outer.contains("(X") && inner.starts_with('(');
            // The second backtick ends the first.
            let backticks = outer.contains('`') && inner.contains('`');
            if arithmetic || backticks {
                continue;
            }
            assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
        }
    }
    for (number, outer) in SCRIPTS.iter().enumerate() {
        for middle in SPELLINGS.iter().skip(number % 3).step_by(3) {
            for inner in SPELLINGS.iter().skip(number % 5).step_by(13) {
                let inside = middle.replace('X', &inner.replace('X', &plain));
                if inside.contains('\'') || inside.contains("((") {
                    continue;
                }
                let line = outer.replace('X', &inside);
                assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
            }
        }
    }
}

/// Law 4: every simple command is a sure run, or Opaque, or behind a wrapper that is sure.
fn every_part_is_covered(analysis: &Analysis) -> Result<(), String> {
    for (number, part) in analysis.parts.iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        let mut sure = false;
        let mut any = false;
        for effect in analysis
            .effects
            .list
            .iter()
            .filter(|effect| effect.part == number)
        {
            let counts = matches!(effect.kind, EffectKind::Run(_) | EffectKind::Opaque(_));
            any |= counts;
            sure |= counts && effect.view == EffectView::Sure;
        }
        if !any {
            return Err(format!("nothing is said of part {number} {:?}", part.text));
        }
        // A possible part hangs on something that is sure.
        let mut above = part.within;
        let mut steps = 0;
        while !sure && steps < 100 {
            let Some(outer) = above else { break };
            sure = analysis.effects.list.iter().any(|effect| {
                effect.part == outer
                    && effect.view == EffectView::Sure
                    && matches!(effect.kind, EffectKind::Run(_) | EffectKind::Opaque(_))
            });
            above = analysis.parts[outer as usize].within;
            steps += 1;
        }
        let definition = runs(analysis).any(|(run, view)| {
            view == EffectView::Might && run.span == part.span && run.nature != RunNature::Wrapper
        });
        let words = part.text.starts_with("time") || definition;
        if !sure && !words {
            return Err(format!("part {number} {:?} is nowhere sure", part.text));
        }
    }
    Ok(())
}

#[test]
fn law_4_every_part_is_sure_or_hangs_on_what_is() {
    for spelling in SPELLINGS.iter().chain(&SCRIPTS) {
        let line = spelling.replace('X', "rm -rf x");
        let analysis = analyse(&line, &at());
        assert_eq!(
            every_part_is_covered(&analysis),
            Ok(()),
            "{line:?}\n{analysis}"
        );
    }
}

/// Pieces of lines, so that generated ones have some sense in them.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-c=\\-./~*?]{1,3}",
        Just(" ".to_owned()),
        prop::sample::select(vec![
            "'",
            "\"",
            "\\",
            "$",
            "$(",
            ")",
            "`",
            "{",
            "}",
            ";",
            "&",
            "|",
            "<",
            ">",
            "\n",
            "\\\n",
            "#",
            "!",
            "((",
            "))",
            "[[ ",
            " ]]",
            "<<E\n",
            "\nE\n",
            "<<<",
            " && ",
            " || ",
            "<(",
            ">(",
            "$'",
            "${x",
            "${",
            "{a,b}",
            "x=",
            "if ",
            "; then ",
            "; fi",
            "for x in ",
            "; do ",
            "; done",
            "while ",
            "case x in ",
            ";;",
            " esac",
            "f() ",
            "function ",
            "coproc ",
            "time ",
            "eval ",
            "sh -c ",
            "sudo ",
            "cd ",
            "2>&1",
            " > ",
            "$x",
            "\"$x\"",
            "$((",
            "a[",
            "]=",
            "xargs ",
            "find . -exec ",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Lines for the first gear.
fn plain_lines() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z_\\-./:@%+=,*?{}\\[\\]^!#~]{1,4}",
        "'[ a-z;|$\"#]{0,4}'",
        "\"[ a-z;|'#]{0,4}\"",
    ];
    let joint = prop::sample::select(vec![
        "", " ", "  ", "\t", ";", " ; ", " && ", "||", " | ", "|", "\n", "&",
    ]);
    prop::collection::vec((word, joint), 1..12).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(word, joint)| word + joint)
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_any_text(line in any::<String>()) {
        let _ = analyse(&line, &at()).to_string();
    }

    #[test]
    fn nothing_panics_on_shell_like_text(line in pieces()) {
        let analysis = analyse(&line, &at());
        let _ = analysis.to_string();
        prop_assert_eq!(every_part_is_covered(&analysis), Ok(()));
        for effect in &analysis.effects.list {
            prop_assert!((effect.part as usize) < analysis.parts.len().max(1));
        }
        for part in &analysis.parts {
            prop_assert!(line.get(part.span.start as usize..part.span.end as usize).is_some());
        }
    }

    #[test]
    fn both_gears_make_the_same_tree(line in plain_lines()) {
        if let Some(tree) = scan(&line) {
            prop_assert_eq!(Ok(tree), parse(&line));
        }
    }

    #[test]
    fn law_5_blanks_and_comments_change_nothing(words in prop::collection::vec("[a-z]{1,5}w", 1..6), blanks in "[ \t]{1,3}") {
        let plain = analyse(&words.join(" "), &at());
        for line in [
            words.join(&blanks),
            format!("{blanks}{}{blanks}", words.join(&blanks)),
            format!("{} # rm -rf x", words.join(" ")),
            format!("# it's\n{}", words.join(" ")),
            format!("{};", words.join(" ")),
            format!("\n{}\n", words.join(" ")),
        ] {
            let spaced = analyse(&line, &at());
            prop_assert_eq!(spaced.to_string(), plain.to_string(), "{:?}", line);
            prop_assert_eq!(&spaced.parts[0].text, &plain.parts[0].text);
        }
    }

    #[test]
    fn law_5_quoting_style_changes_nothing(words in prop::collection::vec("[a-z]{1,5}w", 2..6)) {
        let plain = analyse(&words.join(" "), &at()).to_string();
        let (program, rest) = words.split_first().unwrap();
        for quoted in [
            |word: &String| format!("'{word}'"),
            |word: &String| format!("\"{word}\""),
            |word: &String| format!("\\{word}"),
            |word: &String| format!("$'{word}'"),
            |word: &String| format!("{word}''"),
        ] {
            let rest: Vec<String> = rest.iter().map(quoted).collect();
            let line = format!("{program} {}", rest.join(" "));
            prop_assert_eq!(analyse(&line, &at()).to_string(), plain.clone(), "{:?}", line);
        }
    }

    #[test]
    fn words_come_out_as_they_went_into_quotes(text in "[ -~]{0,12}") {
        let line = format!("x '{}'", text.replace('\'', "'\\''"));
        let analysis = analyse(&line, &at());
        let (run, _) = runs(&analysis).next().unwrap();
        prop_assert_eq!(run.argv[1].literal(), Some(text.as_str()));
    }
}

#[test]
fn time_is_bounded_by_length() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("a {}{}", open.repeat(count), close.repeat(count))
    };
    for line in [
        deep("$(", ")", 5_000),
        deep("\"$(", ")\"", 5_000),
        deep("$((", "))", 5_000),
        deep("${x:-", "}", 5_000),
        format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("{}a{}", "{ ".repeat(5_000), "; }".repeat(5_000)),
        "if ".repeat(5_000),
        "a;".repeat(5_000),
        "a|".repeat(5_000),
        "!".repeat(20_000),
        "! ".repeat(10_000),
        "time ".repeat(5_000),
        "{".repeat(30_000),
        "{a,".repeat(10_000),
        "`".repeat(30_000),
        "<<E ".repeat(5_000),
        "x=a ".repeat(5_000),
        "'".repeat(1_000_001),
        "\u{0}\u{1b}".repeat(500_000),
        "a$(".repeat(300_000),
        "find . -exec ".repeat(2_400),
        "fd x -x ".repeat(3_900),
        "npx ".repeat(6_000),
        "xargs ".repeat(5_000),
        "sudo ".repeat(5_000),
        "sh -c ".repeat(4_000),
        "eval ".repeat(5_000),
        format!("{}a", "git -c a.b=c ".repeat(2_400)),
    ] {
        let _ = analyse(&line, &at());
    }
}

#[test]
fn texts_in_texts_need_little_stack() {
    let mut line = "rm x".to_owned();
    for level in 0..9 {
        let groups = 60;
        line = format!(
            "{}sh <<'E{level}'\n{line}\nE{level}\n{}",
            "{ ".repeat(groups),
            "}\n".repeat(groups)
        );
    }
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let thread = small.spawn(move || analyse(&line, &at()).to_string());
    let text = thread.unwrap().join().unwrap();
    assert!(text.contains("opaque TooDeep"), "{text}");
}
