//! Law 5: how a line is spelled never decides.

use super::*;

/// One word in some spelling that the shell reads as that word.
fn any_spelling(word: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        Just(word.to_owned()),
        Just(format!("'{word}'")),
        Just(format!("\"{word}\"")),
        (1..word.len()).prop_map(move |at| format!("{}\\{}", &word[..at], &word[at..])),
        (1..word.len()).prop_map(move |at| format!("{}''{}", &word[..at], &word[at..])),
        (1..word.len()).prop_map(move |at| format!("{}\\\n{}", &word[..at], &word[at..])),
    ]
}

fn any_blank() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![" ", "  ", "\t", " \\\n "]).prop_map(String::from)
}

proptest! {
    #[test]
    fn law_5_spacing_and_quoting_never_decide(
        words in (any_spelling("npm"), any_spelling("run"), any_spelling("build")),
        blanks in (any_blank(), any_blank()),
    ) {
        let line = format!("{}{}{}{}{}", words.0, blanks.0, words.1, blanks.1, words.2);
        let call = bash_line(&line);
        for (rules, expect) in [
            ("allow Bash(npm run *)", Allow),
            ("allow Bash(npm run build)", Allow),
            ("allow Bash(\"npm\" run 'build')", Allow),
            ("allow Bash(npm runs *)", Ask),
            ("allow Bash\ndeny Bash(npm run:*)", Deny),
            ("allow Bash\nask Bash(npm * build)", Ask),
        ] {
            let judgement = Sample::new().with(rules).judge(&call);
            prop_assert_eq!(judgement.decision, expect, "{} under {}: {:?}", line, rules, judgement.reason);
        }
    }

    #[test]
    fn law_5_wrappers_nesting_and_order_never_hide_a_deny(
        around in proptest::collection::vec(
            proptest::sample::select(vec![
                "timeout 5 {}", "nice {}", "env {}", "sudo {}", "nohup {}", "X=1 {}", "( {} )", "{ {}; }",
                "if true; then {}; fi", "echo \"$( {})\"", "true && {}", "{} || true", "! {}", "{} | cat",
                "ls; {}", "command {}", "for i in 1; do {}; done",
            ]),
            0..3,
        ),
    ) {
        let mut line = "rm -f x".to_owned();
        // A wrapper stands in front of a command, so what makes a list comes last.
        let (lists, wrappers): (Vec<&str>, Vec<&str>) = around.iter().partition(|it| {
            it.contains([';', '&', '|', '(', '!']) || it.starts_with(['{', '(', '!'])
        });
        for form in wrappers.into_iter().chain(lists) {
            line = form.replace("{}", &line);
        }
        let judgement = Sample::new().with("allow Bash\ndeny Bash(rm -f *)").judge(&bash_line(&line));
        prop_assert_ne!(judgement.decision, Allow, "{}", line);
    }
}
