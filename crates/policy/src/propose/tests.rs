use pointsman_model::PermissionDecision::{Allow, Ask};
use proptest::prelude::*;

use super::*;
use crate::sample::{Call, Sample, any_call, any_sample, rule};

/// The proposals of a call, each rule list as one text.
fn proposals(sample: &Sample, call: &Call) -> Vec<String> {
    let judgement = sample.judge(call);
    let proposals = sample.ask(call, |q| propose(q, &judgement));
    let text = |it: &RuleProposal| {
        it.rules
            .iter()
            .map(RuleText::as_str)
            .collect::<Vec<_>>()
            .join(" + ")
    };
    proposals.iter().map(text).collect()
}

#[track_caller]
fn check(words: &[&str], expect: &[&str]) {
    assert_eq!(
        proposals(&Sample::new(), &Call::bash(&[words])),
        expect,
        "{words:?}"
    );
}

#[test]
fn widths_go_from_exact_to_prefix() {
    check(&["npm", "test"], &["Bash(npm test)", "Bash(npm test *)"]);
    check(
        &["npm", "run", "build", "--x"],
        &["Bash(npm run build --x)", "Bash(npm run build *)"],
    );
    check(
        &["git", "push", "origin"],
        &["Bash(git push origin)", "Bash(git push *)"],
    );
    check(
        &["gh", "pr", "list"],
        &["Bash(gh pr list)", "Bash(gh pr list *)"],
    );
    check(&["make", "-j4"], &["Bash(make -j4)"]);
}

#[test]
fn nothing_that_would_widen_to_everything_is_a_prefix() {
    check(&["bash", "x.sh"], &["Bash(bash x.sh)"]);
    check(&["npx", "prettier"], &["Bash(npx prettier)"]);
    check(&["poetry", "run", "x"], &["Bash(poetry run x)"]);
    check(&["/usr/bin/env", "x"], &["Bash(/usr/bin/env x)"]);
    check(&["sudo", "ls"], &["Bash(sudo ls)"]);
    check(&["npm", "run", "?"], &[]);
    check(&["ls"], &[]);
}

/// A line through the real analyser.
fn line(text: &str) -> Call {
    let at = pointsman_shell::Surroundings {
        folder: crate::sample::path("/w/proj"),
        home: crate::sample::path("/home/dev"),
        case: pointsman_shell::NameCase::Counts,
    };
    let mut call = Call::bash(&[]);
    call.effects = pointsman_shell::analyse(text, &at).effects;
    call
}

#[track_caller]
fn check_line(text: &str, expect: &[&str]) {
    assert_eq!(proposals(&Sample::new(), &line(text)), expect, "{text}");
}

#[test]
fn what_runs_its_words_is_no_prefix_whatever_its_name() {
    for text in [
        "pyenv exec x",
        "rbenv exec x",
        "asdf exec x",
        "nvm exec x",
        "opam exec x",
        "conda run x",
        "hatch run x",
        "pipenv run x",
        "volta run x",
        "lerna exec x",
        "rustup run nightly x",
        "aws-vault exec x",
        "oc exec x",
        "toolbox run x",
        "distrobox enter x",
        "guix shell x",
        "env-cmd x",
        "watchexec x",
        "heroku run x",
        "flyctl ssh x",
        "ansible all x",
        "deno run x.ts",
        "ed x",
        "wsl x",
        "concurrently x",
        "sqlite3 db",
        "jenv exec x",
        "fnm exec x",
        "dune exec x",
        "foreman run x",
        "honcho run x",
        "yarn workspace a b",
        "uv tool run x",
        "gcloud compute ssh x",
        "new-tool exec x",
        "curl https://a.test/x",
    ] {
        for proposal in proposals(&Sample::new(), &line(text)) {
            assert!(!proposal.contains(" *)"), "{text}: {proposal}");
        }
    }
}

#[test]
fn a_prefix_keeps_the_whole_sub_command() {
    for (text, expect) in [
        ("php artisan migrate", "Bash(php artisan migrate *)"),
        ("python manage.py test", "Bash(python manage.py test *)"),
        ("nx run app:build", "Bash(nx run app:build *)"),
        ("turbo run build", "Bash(turbo run build *)"),
        ("uv pip list", "Bash(uv pip list *)"),
        ("argocd app get", "Bash(argocd app get *)"),
        ("git svn rebase", "Bash(git svn rebase *)"),
        ("git lfs ls-files", "Bash(git lfs ls-files *)"),
        (
            "terraform workspace list",
            "Bash(terraform workspace list *)",
        ),
        ("vault kv get", "Bash(vault kv get *)"),
        ("gh run list", "Bash(gh run list *)"),
    ] {
        let proposals = proposals(&Sample::new(), &line(text));
        assert_eq!(proposals.last().map(String::as_str), Some(expect), "{text}");
    }
}

#[test]
fn what_connects_or_reads_outside_has_its_rule() {
    check_line(
        "git push origin main",
        &["Bash(git push origin main)", "Bash(git push *)"],
    );
    check_line("curl https://a.test/x", &["Bash(curl https://a.test/x)"]);
    check_line(
        "gh pr create",
        &["Bash(gh pr create)", "Bash(gh pr create *)"],
    );
    check_line("kubectl get pods", &["Bash(kubectl get pods)"]);
    check_line("cat /etc/hosts", &["Bash(cat /etc/hosts)"]);
    check_line(
        "cat /var/log/app/x",
        &["Bash(cat /var/log/app/x)", "Read(//var/log/app/**)"],
    );
}

#[test]
fn no_rule_opens_what_lies_around_the_project() {
    for text in [
        "tar xf x.tar",
        "unzip x.zip",
        "cat ../x > ../y",
        "cp a ../b",
    ] {
        for proposal in proposals(&Sample::new(), &line(text)) {
            assert!(!proposal.contains("(//w/**)"), "{text}: {proposal}");
        }
    }
}

/// What starts others, in a use of it and in another one that no rule kept of the first may allow.
const STARTERS: [(&str, &str); 36] = [
    ("bash x.sh", "bash y.sh"),
    ("bash -c 'npm test'", "bash -c 'rm x'"),
    ("sh x.sh a", "sh -c 'rm x'"),
    ("zsh -lc 'make all'", "zsh -lc 'rm x'"),
    ("sudo npm test", "sudo rm x"),
    ("doas make all", "doas rm x"),
    ("su -c 'make all'", "su -c 'rm x'"),
    ("env A=1 npm test", "env A=1 rm x"),
    ("xargs -n1 npm test", "xargs -n1 rm x"),
    ("timeout 5 npm test", "timeout 5 rm x"),
    ("nice npm test", "nice rm x"),
    ("nohup npm test", "nohup rm x"),
    ("setsid make all", "setsid rm x"),
    ("watch make all", "watch rm x"),
    ("find . -exec make {} \\;", "find . -exec rm {} \\;"),
    ("parallel make all", "parallel rm x"),
    ("ssh host make all", "ssh host rm x"),
    ("docker run a make all", "docker run a rm x"),
    ("docker exec a make all", "docker exec a rm x"),
    ("kubectl exec a -- make all", "kubectl exec a -- rm x"),
    ("npx tool a", "npx evil a"),
    ("pnpm dlx tool", "pnpm dlx evil"),
    ("yarn dlx tool", "yarn dlx evil"),
    ("uvx tool", "uvx evil"),
    ("uv run tool", "uv run rm x"),
    ("poetry run tool", "poetry run rm x"),
    ("python3 -c 'print(1)'", "python3 -c 'import os'"),
    ("python3 x.py", "python3 -c 'import os'"),
    ("node -e 1", "node -e 2"),
    ("perl -e 1", "perl -e 2"),
    ("ruby x.rb", "ruby -e 1"),
    ("awk 'BEGIN{system(\"a\")}'", "awk 'BEGIN{system(\"b\")}'"),
    ("eval make all", "eval rm x"),
    ("source ./a", "source ./b"),
    ("strace make all", "strace rm x"),
    ("/usr/bin/env npm test", "/usr/bin/env rm x"),
];

#[test]
fn no_proposal_widens_to_what_a_program_starts() {
    let sample = Sample::new();
    for (first, other) in STARTERS {
        for (first, other) in [
            (first.to_owned(), other.to_owned()),
            (format!("tool && {first}"), format!("tool && {other}")),
            (format!("NO_COLOR=1 {first}"), format!("NO_COLOR=1 {other}")),
        ] {
            let call = line(&first);
            let judgement = sample.judge(&call);
            assert_eq!(judgement.decision, Ask, "{first}");
            for proposal in sample.ask(&call, |q| propose(q, &judgement)) {
                let mut ruled = sample.clone();
                let kept = proposal.rules.iter();
                ruled
                    .rules
                    .extend(kept.map(|it| rule(&format!("local: allow {it}"))));
                assert_eq!(
                    ruled.judge(&call).decision,
                    Allow,
                    "{first}: {:?}",
                    proposal.rules
                );
                let judged = ruled.judge(&line(&other));
                assert_eq!(
                    judged.decision, Ask,
                    "{first}: {:?} for {other}",
                    proposal.rules
                );
            }
        }
    }
}

#[test]
fn each_part_that_asked_has_its_rule() {
    let sample = Sample::new().with("allow Bash(git push *)");
    let call = Call::bash(&[
        &["git", "push"],
        &["npm", "test"],
        &["ls"],
        &["make", "all"],
    ]);
    assert_eq!(
        proposals(&sample, &call),
        [
            "Bash(npm test) + Bash(make all)",
            "Bash(npm test *) + Bash(make all *)"
        ]
    );
    let many: Vec<&[&str]> = vec![&["a1"], &["a2"], &["a3"], &["a4"], &["a5"], &["a6"]];
    assert_eq!(proposals(&sample, &Call::bash(&many)), Vec::<String>::new());
}

#[test]
fn other_tools_have_theirs() {
    let sample = Sample::new();
    assert_eq!(
        proposals(&sample, &Call::write("src/a[1].rs")),
        ["Edit(//w/proj/src/a\\[1\\].rs)", "Edit(//w/proj/src/**)"]
    );
    assert_eq!(
        proposals(&sample, &Call::read("/etc/hosts")),
        ["Read(//etc/hosts)"]
    );
    assert_eq!(
        proposals(&sample, &Call::fetch("a.test")),
        ["WebFetch(domain:a.test)"]
    );
    assert_eq!(
        proposals(
            &sample,
            &Call::opaque("mcp__s__get", OpaqueWhy::UnknownTool)
        ),
        ["mcp__s__get"]
    );
}

#[test]
fn where_a_person_has_to_be_asked_nothing_is_proposed() {
    let ruled = Sample::new().with("ask Bash(npm *)");
    assert_eq!(
        proposals(&ruled, &Call::bash(&[&["npm", "test"]])),
        Vec::<String>::new()
    );
    assert_eq!(
        proposals(&Sample::new(), &Call::write(".git/config")),
        Vec::<String>::new()
    );
    let opaque = Call::opaque("Bash", OpaqueWhy::UnknownScript);
    assert_eq!(proposals(&Sample::new(), &opaque), Vec::<String>::new());
}

#[test]
fn the_census_names_the_narrowest_rule() {
    let narrowest = |call: &Call| {
        Sample::new()
            .ask(call, narrowest_rule)
            .map(|it| it.to_string())
    };
    assert_eq!(
        narrowest(&Call::bash(&[&["npm", "test"]])),
        Some("Bash(npm test)".into())
    );
    assert_eq!(
        narrowest(&Call::write("a")),
        Some("Edit(//w/proj/a)".into())
    );
    let mut two = Call::bash(&[&["a", "x"], &["b", "x"]]);
    assert_eq!(narrowest(&two), None);
    two.effects.line = Some("a x && b x".into());
    assert_eq!(narrowest(&two), Some("Bash(a x && b x)".into()));
}

proptest! {
    #[test]
    fn applying_a_proposal_allows_this_call(sample in any_sample(5), call in any_call()) {
        let judgement = sample.judge(&call);
        for proposal in sample.ask(&call, |q| propose(q, &judgement)) {
            prop_assert_eq!(judgement.decision, Ask);
            let mut ruled = sample.clone();
            ruled.rules.extend(proposal.rules.iter().map(|it| rule(&format!("local: allow {it}"))));
            prop_assert_eq!(ruled.judge(&call).decision, Allow);
        }
    }

    #[test]
    fn applying_a_proposal_allows_no_sibling_subcommand(
        program in "[a-z]{2,4}",
        sub in "[a-z]{2,4}",
        sibling in "[a-z]{2,4}",
        rest in proptest::collection::vec("[a-z-]{1,3}", 0..2),
    ) {
        prop_assume!(sub != sibling);
        let words = |sub: &str| {
            let mut words = vec![program.clone(), sub.to_owned()];
            words.extend(rest.iter().cloned());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            Call::bash(&[&words])
        };
        let (call, other) = (words(&sub), words(&sibling));
        let sample = Sample::new();
        let judgement = sample.judge(&call);
        prop_assume!(sample.judge(&other).decision == Ask);
        for proposal in sample.ask(&call, |q| propose(q, &judgement)) {
            let mut ruled = sample.clone();
            ruled.rules.extend(proposal.rules.iter().map(|it| rule(&format!("local: allow {it}"))));
            prop_assert_eq!(ruled.judge(&other).decision, Ask);
        }
    }
}
