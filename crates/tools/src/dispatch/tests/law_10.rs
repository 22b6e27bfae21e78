//! Law 10: what an answer was given for is what runs.

use std::os::unix::fs::PermissionsExt as _;

use pointsman_model::{
    Answerer, CallState, Digest, JsonText, Outcome, PermissionRequest, VerdictKind,
};
use serde_json::json;

use super::bench::{Layout, person, yes};

/// Answers the first question with yes, and each one after it so.
fn yes_then(
    no: VerdictKind,
) -> impl FnMut(&PermissionRequest) -> Option<(VerdictKind, Answerer)> + Send + 'static {
    let mut kind = Some(yes());
    move |_| Some((kind.take().unwrap_or_else(|| no.clone()), person()))
}

#[tokio::test]
async fn law_10_a_script_swapped_after_the_answer_is_asked_anew_with_the_difference() {
    let bench = Layout::rules(&[]).build().await;
    let script = bench.write("run.sh", "#!/bin/sh\necho good\n");
    std::fs::set_permissions(script.as_path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let call = bench
        .admitted("Bash", json!({ "command": "./run.sh" }))
        .await;
    let [first] = bench.questions().try_into().unwrap();
    bench.write("run.sh", "#!/bin/sh\necho evil\n");
    let end = bench.dispatch.execute(call).await;
    let [second] = bench.questions().try_into().unwrap();
    let superseded = second.supersedes.unwrap();
    assert_eq!(superseded.request, Some(first.id));
    let difference = superseded.difference;
    assert!(
        difference.contains("run.sh` is not as it was"),
        "{difference}"
    );
    assert!(
        difference.contains("-echo good\n+echo evil"),
        "{difference}"
    );
    assert_ne!(first.digest, second.digest);
    assert_eq!(end.text, "evil");
}

#[tokio::test]
async fn law_10_a_script_that_a_pattern_finds_since_the_answer_is_asked_for_by_its_name() {
    let bench = Layout::rules(&[]).build().await;
    bench.write("t/a.sh", "echo good\n");
    let command = "for f in t/*.sh; do bash $f; done";
    let call = bench.admitted("Bash", json!({ "command": command })).await;
    let [first] = bench.questions().try_into().unwrap();
    bench.write("t/b.sh", "echo evil\n");
    let end = bench.dispatch.execute(call).await;
    let [second] = bench.questions().try_into().unwrap();
    let difference = second.supersedes.unwrap().difference;
    assert!(
        difference.contains("t/b.sh` is among what it runs"),
        "{difference}"
    );
    assert_ne!(first.digest, second.digest);
    assert_eq!(end.text, "good\nevil");
}

/// More than can be looked at is no reason to refuse a call, and is no secret of the leader's either.
#[tokio::test]
async fn law_10_a_question_says_what_a_yes_does_not_hold() {
    let far = format!("bash t/{}*.sh", "a*/".repeat(70));
    for (command, is_held) in [(&*far, false), ("bash t/*.sh", true)] {
        let bench = Layout::rules(&[]).build().await;
        bench.write("t/a.sh", "echo good\n");
        let _call = bench.admitted("Bash", json!({ "command": command })).await;
        let [question] = bench.questions().try_into().unwrap();
        assert_eq!(question.unheld.is_none(), is_held, "{command}");
    }
}

#[tokio::test]
async fn law_10_a_refused_second_answer_leaves_the_swapped_file_unrun() {
    let bench = Layout::rules(&[])
        .answer(yes_then(VerdictKind::Deny {
            text: Some("that is another script".into()),
        }))
        .build()
        .await;
    bench.write("run.sh", "touch good\n");
    let call = bench
        .admitted("Bash", json!({ "command": "sh run.sh" }))
        .await;
    bench.write("run.sh", "touch evil\n");
    let end = bench.dispatch.execute(call).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByPerson));
    assert!(end.text.contains("that is another script"));
    assert!(!bench.root.join("evil").as_path().exists());
    assert!(!bench.kinds().await.contains(&"call_started"));
}

#[tokio::test]
async fn law_10_an_edited_file_is_shown_as_it_was_and_as_it_is() {
    let bench = Layout::rules(&[]).build().await;
    bench.write("f", "one\ntwo\n");
    bench.call("Read", json!({ "file_path": "f" })).await;
    let edit = json!({ "file_path": "f", "old_string": "one", "new_string": "1" });
    let call = bench.admitted("Edit", edit).await;
    bench.questions();
    bench.write("f", "one\nTWO\n");
    let end = bench.dispatch.execute(call).await;
    let [again] = bench.questions().try_into().unwrap();
    let difference = again.supersedes.unwrap().difference;
    assert!(
        difference.contains("-two") && difference.contains("+TWO"),
        "{difference}"
    );
    // The person said yes; that the agent has not seen the change is another matter.
    assert_eq!(end.state, CallState::Error);
    assert!(end.text.contains("changed since"), "{}", end.text);
    assert_eq!(bench.read("f"), "one\nTWO\n");
}

#[tokio::test]
async fn law_10_code_is_bound_however_a_line_names_it() {
    let asked_anew: &[(&str, &str)] = &[
        ("make -fx.mk", "x.mk"),
        ("make --file=x.mk", "x.mk"),
        ("gmake -f x.mk", "x.mk"),
        ("just -f x go", "x"),
        ("just --justfile=x", "x"),
        ("task -t x.yml go", "x.yml"),
        ("rake -fx", "x"),
        ("gradle --init-script x.gradle build", "x.gradle"),
        ("cmake -P x.cmake", "x.cmake"),
        ("nox -f x.py", "x.py"),
        ("awk -fprog.awk in", "prog.awk"),
        ("awk --file=prog.awk in", "prog.awk"),
        ("sed -n -f s.sed in", "s.sed"),
        ("sed -nfs.sed in", "s.sed"),
        ("python3 -m modx", "modx.py"),
        ("python3 -mpkg.sub now", "pkg/__init__.py"),
        ("python3 -um modx", "modx.py"),
        ("python3 -Bmmodx", "modx.py"),
        ("PYTHONPATH=lib python3 -m mody", "lib/mody.py"),
        ("python3 good.py data.txt", "data.txt"),
        ("perl -I. -Mmodp -e 1", "modp.pm"),
        ("perl -w -Ilib -wMmodq -e 1", "lib/modq.pm"),
        ("PERL5LIB=lib perl -Mmodr -e 1", "lib/modr.pm"),
        ("perl -Ilib -MA::B=c -e 1", "lib/A/B.pm"),
        ("ruby -r./r.rb -e 1", "r.rb"),
        ("node --require=./r.js -e 1", "r.js"),
        ("node -r ./r -e 1", "r.js"),
        // Each under all of its names.
        ("pypy3 -m modx", "modx.py"),
        ("ipython -m modx", "modx.py"),
        ("nodejs -r ./r -e 1", "r.js"),
        ("nodejs run", "package.json"),
        ("bun --preload ./r run x.ts", "r.js"),
        ("lua -l modl -e 1", "modl.lua"),
        ("luajit -lpkg.l -e 1", "pkg/l/init.lua"),
        ("env BASH_ENV=./rc bash -c true", "rc"),
        ("BASH_ENV=./rc bash -c true", "rc"),
        ("PATH=.:$PATH s.sh", "s.sh"),
        ("PATH=bin:/usr/bin tool x", "bin/tool"),
        ("GIT_EXTERNAL_DIFF=./d git diff", "d"),
        // What an interpreter is fed.
        ("python3 < m.py", "m.py"),
        ("python3 - < m.py", "m.py"),
        ("cat m.py | python3", "m.py"),
        ("cat m.py | timeout 5 python3.12 -u -", "m.py"),
        ("cat m.py | python3 /dev/stdin", "m.py"),
        ("cat in m.js | node", "m.js"),
        ("cat < m.pl | tee copy | perl -w", "m.pl"),
        ("cat m.rb | ruby -", "m.rb"),
        ("cat m.php | php", "m.php"),
        ("cat m.lua | lua -", "m.lua"),
        ("cat m.ts | deno run -", "m.ts"),
        ("cat m.ts | bun run -", "m.ts"),
        ("{ cat; } < m.py | python3", "m.py"),
        ("cat s.sh | sh", "s.sh"),
        ("(cat s.sh) | bash -s now", "s.sh"),
        ("grep -v never s.sh | sh", "s.sh"),
        ("sed s/a/b/ m.py | python3", "m.py"),
        ("python3 <(cat m.py)", "m.py"),
        ("sh -c \"$(cat s.sh)\"", "s.sh"),
        // What it finds behind the name of its script.
        ("python3 d", "d/__main__.py"),
        ("cd d && python3 .", "d/__main__.py"),
        ("python3 z.zip", "z.zip"),
        ("node d", "d/index.js"),
        ("node check", "check.js"),
        // What the line itself puts there.
        ("cp s.sh o.sh && sh o.sh", "s.sh"),
        ("cp s.sh d; sh d/s.sh", "s.sh"),
        ("cp -r d e && python3 e/m.py", "d/m.py"),
        ("cp d/* e && sh e/s.sh", "d/s.sh"),
        ("cp a b && cp b c && sh c", "a"),
        ("cp -r d/. . && sh s.sh", "d/s.sh"),
        ("cp m.py e.py && python3 -m e", "m.py"),
        ("cp x.mk Makefile && make", "x.mk"),
        ("cp s.sh o.sh && sh < o.sh", "s.sh"),
        ("cat s.sh > o.sh && sh o.sh", "s.sh"),
        ("cat s.sh | tee o.sh && sh o.sh", "s.sh"),
        ("sed s/a/b/ m.py > o.py && python3 o.py", "m.py"),
        ("dd if=s.sh of=o.sh; sh o.sh", "s.sh"),
        ("install -m 755 s.sh o && ./o", "s.sh"),
        ("rsync -a d/ e/ && sh e/s.sh", "d/s.sh"),
        ("rsync -a d e && sh e/d/s.sh", "d/s.sh"),
        ("ln -s s.sh o.sh && sh o.sh", "s.sh"),
        ("ln -s d e && perl e/m.pl", "d/m.pl"),
        ("mv m.pl q.pl; perl q.pl", "m.pl"),
        ("git mv s.sh o.sh && ./o.sh", "s.sh"),
        ("tar xf a.tar && python3 o.py", "a.tar"),
        ("unzip a.zip -d e && sh e/s.sh", "a.zip"),
        ("gunzip s.sh.gz && sh s.sh", "s.sh.gz"),
        ("curl -o o.py http://127.0.0.1:9/o && python3 o.py", "o.py"),
        ("play site.yml", "site.yml"),
        ("play --config=c.toml", "c.toml"),
    ];
    let data: &[(&str, &str)] = &[
        ("cat in", "in"),
        ("awk '{ print }' in", "in"),
        ("sed -n 1p in", "in"),
        ("cp in out", "in"),
        ("zip out.zip in", "in"),
        ("cat in | grep one", "in"),
        ("cat in | python3 -c 'pass'", "in"),
        ("cat in | python3 -m json.tool", "in"),
        ("cp in out && cat out", "in"),
        ("tar xf a.tar", "in"),
        ("python3 << END\nprint(1)\nEND", "in"),
    ];
    let rows = asked_anew.iter().map(|row| (row, 2));
    for ((command, file), asked) in rows.chain(data.iter().map(|row| (row, 1))) {
        let bench = Layout::rules(&["ask Bash"])
            .answer(yes_then(VerdictKind::Deny { text: None }))
            .build()
            .await;
        bench.write("in", "");
        bench.write(file, "one");
        let call = bench.admitted("Bash", json!({ "command": command })).await;
        bench.write(file, "two");
        bench.dispatch.execute(call).await;
        let questions = bench.questions();
        assert_eq!(questions.len(), asked, "{command}");
    }
}

/// A line that may load more files than anybody can look at is bound to nothing, and does not run.
#[tokio::test]
async fn law_10_what_names_too_much_to_look_at_is_refused() {
    let many = |option: &str| {
        (0..100)
            .map(|number| format!(" {option}m{number}"))
            .collect::<String>()
    };
    let deep = "a.".repeat(30_000);
    for (command, runs) in [
        (format!("perl{}{} -e 1", many("-I"), many("-M")), false),
        (format!("python3 -m {deep}b"), true),
    ] {
        let bench = Layout::rules(&["ask Bash"]).build().await;
        let end = bench.call("Bash", json!({ "command": command })).await;
        let asked = !bench.questions().is_empty();
        assert_eq!(asked, runs, "{}", end.text);
        if !runs {
            assert!(
                end.text.contains("more files than are looked at"),
                "{}",
                end.text
            );
        }
    }
}

#[tokio::test]
async fn law_10_a_link_turned_elsewhere_after_the_answer_is_asked_anew() {
    for command in [
        "echo x > link/pre-commit",
        "cp one link/pre-commit",
        "cat link/pre-commit",
    ] {
        let bench = Layout::rules(&["ask Bash(cat *)"])
            .answer(yes_then(VerdictKind::Deny { text: None }))
            .build()
            .await;
        bench.write("one", "x");
        bench.write("a/pre-commit", "");
        bench.write(".git/hooks/pre-commit", "hook");
        let link = bench.root.join("link");
        std::os::unix::fs::symlink("a", link.as_path()).unwrap();
        let call = bench.admitted("Bash", json!({ "command": command })).await;
        let [first] = bench.questions().try_into().unwrap();
        std::fs::remove_file(link.as_path()).unwrap();
        std::os::unix::fs::symlink(".git/hooks", link.as_path()).unwrap();
        let end = bench.dispatch.execute(call).await;
        assert_eq!(end.outcome, Some(Outcome::DeniedByPerson), "{command}");
        let [second] = bench.questions().try_into().unwrap();
        let superseded = second.supersedes.unwrap();
        assert_eq!(superseded.request, Some(first.id), "{command}");
        let told = superseded.difference;
        assert!(
            told.contains("a/pre-commit` and leads to `")
                && told.contains(".git/hooks/pre-commit` now"),
            "{command}: {told}"
        );
        assert_eq!(bench.read(".git/hooks/pre-commit"), "hook", "{command}");
    }
}

#[tokio::test]
async fn law_10_a_script_swapped_while_the_question_is_open_is_asked_anew() {
    let folder = std::sync::Arc::new(std::sync::OnceLock::<pointsman_model::AbsPath>::new());
    let place = std::sync::Arc::clone(&folder);
    let bench = Layout::rules(&[])
        .answer(move |_| {
            std::fs::write(place.get().unwrap().join("run.sh").as_path(), "echo evil").unwrap();
            Some((yes(), person()))
        })
        .build()
        .await;
    folder.set(bench.root.clone()).unwrap();
    bench.write("run.sh", "echo good");
    bench.call("Bash", json!({ "command": "sh run.sh" })).await;
    let [first, second] = bench.questions().try_into().unwrap();
    assert_eq!(second.supersedes.unwrap().request, Some(first.id));
}

#[tokio::test]
async fn law_10_a_script_swapped_under_an_edited_answer_is_asked_anew() {
    let mut answers = 0;
    let bench = Layout::rules(&[])
        .answer(move |request| {
            answers += 1;
            if answers > 1 {
                return Some((VerdictKind::Deny { text: None }, person()));
            }
            // The person has the other script before them.
            let script = request.folder.join("run.sh");
            std::fs::write(script.as_path(), "touch evil\n").unwrap();
            let edited = JsonText::parse(r#"{"command":"sh run.sh again"}"#).unwrap();
            let kind = VerdictKind::Allow {
                edited: Some(edited),
                grant: None,
            };
            Some((kind, person()))
        })
        .build()
        .await;
    bench.write("run.sh", "touch good\n");
    let end = bench.call("Bash", json!({ "command": "sh run.sh" })).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByPerson));
    let [first, second] = bench.questions().try_into().unwrap();
    let superseded = second.supersedes.unwrap();
    assert_eq!(superseded.request, Some(first.id));
    let difference = superseded.difference;
    assert!(
        difference.contains("-touch good\n+touch evil"),
        "{difference}"
    );
    assert!(second.call.text.as_str().contains("run.sh again"));
    assert!(!bench.root.join("evil").as_path().exists());
}

#[tokio::test]
async fn law_10_a_verdict_for_something_else_lets_nothing_pass() {
    let bench = Layout {
        digest: Some(Digest::of(b"something else")),
        ..Layout::rules(&[])
    }
    .build()
    .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Cancelled, Some(Outcome::Superseded))
    );
    assert!(!bench.root.join("x").as_path().exists());
}
