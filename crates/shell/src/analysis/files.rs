//! Files that arguments name, links that a line makes, and what lies below a folder, as the effects of
//! a line.

use pointsman_model::AbsPath;

use crate::{Surroundings, analyse};

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    };
    for (line, effect) in rows {
        let got = analyse(line, &at).to_string();
        let (effect, wanted) = match effect.strip_prefix('!') {
            Some(effect) => (effect, false),
            None => (*effect, true),
        };
        let has = got.lines().any(|line| line.ends_with(effect));
        assert_eq!(has, wanted, "{line}: {effect}\n{got}");
    }
}

#[test]
fn options_that_name_files_read_and_write_them() {
    check(&[
        ("node --env-file=.env x.js", "read /w/proj/.env"),
        ("docker run --env-file .env i", "read /w/proj/.env"),
        ("docker run -v .git:/g i", "write /w/proj/.git"),
        ("make -f x.mk", "read /w/proj/x.mk"),
        ("openssl enc -in a -out b", "write /w/proj/b"),
        ("gpg -o b -d a", "write /w/proj/b"),
        ("gcc -o b a.c", "write /w/proj/b"),
        ("iconv --output=b a", "write /w/proj/b"),
        ("yq -i .a x.yaml", "write /w/proj/x.yaml"),
        ("ssh-keygen -f k", "write /w/proj/k"),
        ("strace -o b x", "write /w/proj/b"),
        ("xargs -a list echo", "read /w/proj/list"),
        ("split x .git/hooks/p", "write /w/proj/.git/hooks <p*>"),
        ("csplit -f p x 1", "write /w/proj/p"),
        ("npm config set a b", "write /w/proj/.npmrc"),
        ("npm config get a", "!write /w/proj/.npmrc"),
        ("curl -F a=@b http://h", "read /w/proj/b"),
        ("curl FILE:///w/b", "read /w/b"),
        ("http POST h a@b", "read /w/proj/b"),
        ("perl -i -pe s/a/b/ x", "write /w/proj/x"),
        ("perl -pe s/a/b/ x", "read /w/proj/x"),
        ("perl -Mstrict -e 1 x", "!write /w/proj/x"),
        ("ruby -i -pe 1 x", "write /w/proj/x"),
        ("gawk -i inplace 1 x", "write /w/proj/x"),
        ("awk -v f=b '{print > f}' x", "write /w/proj/b"),
        (
            "awk 'BEGIN{while((getline l < \"b\")>0) print l}'",
            "read /w/proj/b",
        ),
        ("git show :b", "read /w/proj/b tracked content below"),
        ("git hash-object b", "read /w/proj/b content below"),
        ("python3 -c 'open(\"b.txt\",\"w\")'", "write /w/proj/b.txt"),
        (
            "python3 -c 'print(open(\"b.txt\"))'",
            "!write /w/proj/b.txt",
        ),
    ]);
}

#[test]
fn what_lies_below_a_folder_is_told() {
    let below = "write /w/proj <**> content below";
    check(&[
        ("git checkout .", below),
        ("git reset --hard", below),
        (
            "git reset --soft HEAD~1",
            "!write /w/proj <**> content below",
        ),
        ("git stash", below),
        ("git stash list", "!write /w/proj <**> content below"),
        ("git apply x", below),
        ("tar xf a.tar", below),
        ("unzip a.zip", below),
        ("patch -p1 < x", below),
        ("black .", "write /w/proj <**/*.py>"),
        ("black --check .", "!write /w/proj <**/*.py>"),
        ("cargo fmt", "write /w/proj <**/*.rs>"),
        ("cargo fmt --check", "!write /w/proj <**/*.rs>"),
        ("find . -exec sed -i 1d {} +", "write /w/proj <**>"),
        (
            "find src -name '*.rs' -exec sed -i 1d {} +",
            "write /w/proj/src <**/*.rs>",
        ),
        (
            "find src -name '*.rs' | xargs sed -i 1d",
            "write /w/proj/src <**/*.rs>",
        ),
        ("xargs rm -rf <<< /", "remove /"),
        ("echo / | xargs -n1 rm -rf", "remove /"),
        ("echo x | xargs -I{} cp y {}", "write /w/proj/x"),
        ("find . -name '*.o' -delete", "!remove /w/proj"),
        ("find . -delete", "remove /w/proj"),
    ]);
}

#[test]
fn names_that_the_line_makes_lead_to_what_they_stand_for() {
    check(&[
        (
            "ln -s .git/config l && echo x > l",
            "write /w/proj/.git/config by redirect",
        ),
        (
            "ln -s .git d; echo x > d/config",
            "write /w/proj/.git/config by redirect",
        ),
        (
            "mkdir d; ln -s ../.git d; echo x > d/.git/config",
            "write /w/proj/.git/config by redirect",
        ),
        (
            "cp -l .git/config l; echo x > l",
            "write /w/proj/.git/config by redirect",
        ),
        (
            "cp .git/config l; echo x > l",
            "!write /w/proj/.git/config by redirect",
        ),
        ("cat /proc/self/cwd/.env", "read /w/proj/.env"),
        ("cat /proc/self/root/etc/x", "read /etc/x"),
        ("cat ~root/x", "read /root/x"),
        ("cat ~dev/x", "read /home/dev/x"),
        ("D=.git sh -c 'cat $D/config'", "read /w/proj/.git/config"),
        (
            "export D=.git; sh -c 'cat $D/config'",
            "read /w/proj/.git/config",
        ),
        ("D=.git; sh -c 'cat $D/config'", "!read /w/proj/.git/config"),
    ]);
}

#[test]
fn a_word_of_unknown_value_does_not_hide_the_folder_it_begins_with() {
    check(&[
        ("echo x > .git/$F", "write /w/proj/.git <*> by redirect"),
        ("cp x .git/hooks/$F", "write /w/proj/.git/hooks <*>"),
        ("cd .git && tee $F", "write /w/proj/.git <*>"),
        ("rm -rf /$X", "remove / <*>"),
        ("rm -rf ~/$X", "remove /home/dev <*>"),
        ("rm -rf /tmp/$X/y", "remove /tmp <*/y>"),
        ("curl -d @secrets/$F h", "read /w/proj/secrets <*>"),
        ("cp \"$S\" docs/", "write /w/proj/docs <**> content below"),
        ("cat $F", "!read /w/proj <*>"),
        ("rm ./$F", "!remove /w/proj <*>"),
    ]);
}

#[test]
fn a_subcommand_is_found_behind_options() {
    check(&[
        ("docker --context x run i", "run docker run i"),
        ("npm -w web publish", "run npm publish !Network"),
        ("cargo +nightly publish", "run cargo publish !Network"),
        (
            "kubectl -n a --context b delete c",
            "run kubectl delete c !Destructive !Network",
        ),
        ("sudo $X y", "opaque UnknownProgram \"$X\""),
        ("nice -n $N $P x", "opaque UnknownProgram \"$N\""),
        ("kubectl exec $P -- ls", "!opaque UnknownProgram \"$P\""),
    ]);
}
