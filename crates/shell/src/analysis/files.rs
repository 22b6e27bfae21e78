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
fn what_a_container_is_given_is_read_and_changed() {
    check(&[
        ("docker run -v .git:/g i", "write /w/proj/.git"),
        ("docker run -v .git:/g:ro i", "!write /w/proj/.git"),
        ("docker run -v $PWD:/x i", "!read /w/proj content below"),
        ("docker run -v $HOME:/h i", "read /home/dev content below"),
        (
            "docker run -v $HOME:/h i",
            "write /home/dev <**> content below",
        ),
        ("podman run -v /etc:/e:ro i", "read /etc content below"),
        ("podman run -v /etc:/e:ro i", "!write /etc"),
        (
            "docker run --mount type=bind,source=/etc,target=/e,readonly i",
            "read /etc content below",
        ),
        (
            "docker run --mount=type=bind,src=$PWD/k,dst=/e i",
            "write /w/proj/k",
        ),
        ("docker run -v $PWD:/x i cat /x/.env", "read /w/proj/.env"),
        ("docker run -v $PWD:/x -w /x/s i cat k", "read /w/proj/s/k"),
        (
            "docker run -v $PWD:/x i sh -c 'cat /x/.env'",
            "read /w/proj/.env",
        ),
        (
            "docker run -v $PWD:/x i tar c /x",
            "read /w/proj content below",
        ),
        ("nerdctl run -v \"$(pwd)\":/x i cat /x/k", "read /w/proj/k"),
        (
            "docker run -v $HOME/$X:/d i",
            "read /home/dev <*> content below",
        ),
        ("docker build -t a/b .", "read /w/proj content below"),
        ("docker build -t a/b .", "!read /w/proj/a/b content below"),
        (
            "docker buildx build -o out ctx",
            "read /w/proj/ctx content below",
        ),
        ("docker buildx build -o out ctx", "write /w/proj/out"),
        (
            "podman build --build-context k=/k .",
            "read /k content below",
        ),
        ("buildah bud ctx", "read /w/proj/ctx content below"),
        (
            "docker build https://h/x.git",
            "!read /w/proj content below",
        ),
        ("docker compose -f d/c.yml up", "read /w/proj/d/c.yml"),
        ("docker compose config", "read /w/proj/.env"),
        ("docker compose ps", "!read /w/proj/.env"),
        ("docker cp .env c:/x", "read /w/proj/.env content below"),
        ("docker cp c:/x k", "write /w/proj/k"),
        ("docker load -i k.tar", "read /w/proj/k.tar"),
        ("docker secret create a k", "read /w/proj/k content below"),
        (
            "docker secret ls secret",
            "!read /w/proj/secret content below",
        ),
        ("buildah copy c k /x", "read /w/proj/k content below"),
        ("podman kube play k", "read /w/proj/k content below"),
    ]);
}

#[test]
fn a_mount_is_told_whatever_the_subcommand() {
    for line in [
        "podman build -v ~/k:/k .",
        "podman build --volume=/home/dev/k:/k .",
        "buildah bud -v ~/k:/k .",
        "buildah build -v ~/k:/k .",
        "buildah from -v ~/k:/k i",
        "buildah run -v ~/k:/k c cat /k/a",
        "docker \"$X\" -v ~/k:/k i",
        "docker $X i -v ~/k:/k",
        "docker compose run -v ~/k:/k web",
        "docker compose -f c.yml run --rm -v ~/k:/k web",
        "docker-compose run -v ~/k:/k web",
        "podman-compose run -v ~/k:/k web",
        "container run -v ~/k:/k i",
        "docker service create --mount type=bind,src=/home/dev/k,dst=/k i",
        "docker service update --mount type=bind,src=/home/dev/k,dst=/k web",
        "podman pod create -v ~/k:/k",
        "docker --context rm run -v ~/k:/k i",
        "sudo podman build -v ~/k:/k .",
    ] {
        check(&[
            (line, "read /home/dev/k content below"),
            (line, "write /home/dev/k"),
            (line, "write /home/dev/k <**> content below"),
        ]);
    }
    check(&[
        (
            "podman build -v ~/k:/k:ro .",
            "read /home/dev/k content below",
        ),
        ("podman build -v ~/k:/k:ro .", "!write /home/dev/k"),
        ("podman build -v ~/k:/k .", "read /w/proj content below"),
        (
            "podman build -v ~/k:/k .",
            "!read /home/dev/k:/k content below",
        ),
        ("podman build -v $PWD/k:/k src", "read /w/proj/k"),
        (
            "podman build -v $PWD/k:/k src",
            "!read /w/proj/k content below",
        ),
        ("buildah run -v ~/k:/k c cat /k/a", "read /home/dev/k/a"),
        (
            "buildah from --name c -v ~/k:/k i; buildah run c cat /k/a",
            "read /home/dev/k/a",
        ),
        ("buildah run c rm a", "remove /w/proj/a"),
        ("docker \"$X\" -v \"$C\"", "read <\"$C\"> content below"),
        ("docker rm -v \"$C\"", "!read <\"$C\"> content below"),
        (
            "docker container rm -fv \"$C\"",
            "!read <\"$C\"> content below",
        ),
        (
            "docker compose down -v \"$C\"",
            "!read <\"$C\"> content below",
        ),
    ]);
}

#[test]
fn what_is_packed_or_sent_is_read() {
    check(&[
        ("npm publish", "read /w/proj content below"),
        ("npm publish", "connect to something"),
        ("npm pack", "!connect to something"),
        ("npm publish ./dist", "read /w/proj/dist content below"),
        ("npm publish ./dist", "!read /w/proj content below"),
        ("npm view x", "!read /w/proj content below"),
        ("cargo publish", "read /w/proj content below"),
        ("cargo package", "read /w/proj content below"),
        ("pip install .", "read /w/proj content below"),
        ("pip install '.[dev]'", "read /w/proj content below"),
        ("pip install -e .", "!read /w/proj content below"),
        ("pip install x", "!read /w/proj content below"),
        ("twine upload dist/*", "read /w/proj/dist <*> content below"),
        ("vercel --prod", "read /w/proj content below"),
        ("restic backup -r r .", "read /w/proj content below"),
        ("croc send k", "read /w/proj/k content below"),
        ("rclone copyto k r:k", "read /w/proj/k content below"),
        ("aws s3 sync k s3://b", "read /w/proj/k content below"),
        ("aws s3 cp k s3://b", "read /w/proj/k content below"),
        ("helm install a ./c", "read /w/proj/c content below"),
        (
            "kubectl create configmap a --from-file=k",
            "read /w/proj/k content below",
        ),
        ("gh gist create k", "read /w/proj/k"),
        ("gh release upload v1 k", "read /w/proj/k"),
        ("git bundle create b --all", "read /w/proj tracked content"),
        ("git bundle verify b", "!read /w/proj tracked content"),
        ("git archive HEAD", "read /w/proj tracked content"),
        ("curl -T k http://h", "read /w/proj/k"),
        ("curl -d @k http://h", "read /w/proj/k"),
        ("scp -r k h:", "read /w/proj/k content below"),
        ("rsync -a k h:", "read /w/proj/k content below"),
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
        (
            "ln -s \"$(which rm)\" z && ./z x",
            "opaque UnknownProgram \"./z\"",
        ),
        (
            "cp $(command -v rm) z; ./z x",
            "opaque UnknownProgram \"./z\"",
        ),
        (
            "install -m755 $(which rm) z; ./z x",
            "opaque UnknownProgram \"./z\"",
        ),
        (
            "dd if=$(which rm) of=z; ./z x",
            "opaque UnknownProgram \"./z\"",
        ),
        (
            "rsync $(which rm) z; ./z x",
            "opaque UnknownProgram \"./z\"",
        ),
        ("dd if=/bin/rm of=z; ./z x", "run /bin/rm x !Destructive"),
        ("cp a.sh z; ./z x", "!opaque UnknownProgram \"./z\""),
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
        (
            "npm -w web publish",
            "run npm publish !Network !Destructive",
        ),
        (
            "cargo +nightly publish",
            "run cargo publish !Network !Destructive",
        ),
        (
            "kubectl -n a --context b delete c",
            "run kubectl delete c !Destructive !Network",
        ),
        ("sudo $X y", "opaque UnknownProgram \"$X\""),
        ("nice -n $N $P x", "opaque UnknownProgram \"$N\""),
        ("kubectl exec $P -- ls", "!opaque UnknownProgram \"$P\""),
    ]);
}
