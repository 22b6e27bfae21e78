//! Files that a pattern or a search finds.

use pointsman_shell::{NameCase, Surroundings, analyse};

use super::*;

impl Scene {
    fn bind_line(&self, line: &str) -> Digest {
        let call = sample::bash(CallId::new(sample::run(), 1), line);
        let (agent, context) = (sample::lineage(&[1]), Digest::of(b"context"));
        bind(&call, &self.folder, &agent, context, &self.of_line(line)).unwrap()
    }

    fn of_line(&self, line: &str) -> Effects {
        let at = Surroundings {
            home: self.folder.clone(),
            folder: self.folder.clone(),
            case: NameCase::Counts,
        };
        analyse(line, &at).effects
    }

    /// A scene with scripts below `t`, and something beside them.
    fn with_scripts() -> Self {
        let scene = Self::new();
        for folder in ["t", "t/in", "t/.hidden", "other"] {
            fs::create_dir(scene.root.join(folder)).unwrap();
        }
        for file in [
            "t/a.sh",
            "t/b.sh",
            "t/in/c.sh",
            "t/in/Makefile",
            "t/x",
            "n",
            "t/in/main.go",
            "t/main.tf",
            "t/.gitconfig",
        ] {
            scene.write(file, "one");
        }
        scene
    }

    /// Whether a line's digest is another one when something has been done.
    fn notices(line: &str, change: impl FnOnce(&Self)) -> bool {
        let scene = Self::with_scripts();
        let before = scene.bind_line(line);
        assert_eq!(before, scene.bind_line(line), "{line}");
        change(&scene);
        before != scene.bind_line(line)
    }
}

/// Lines that run what a pattern finds: a script of it.
const RUN_BY_PATTERN: &[(&str, &str)] = &[
    ("bash t/*.sh", "t/a.sh"),
    ("bash t/[ab].sh", "t/b.sh"),
    ("bash -x t/*.sh", "t/a.sh"),
    ("cd t && bash *.sh", "t/b.sh"),
    ("for f in t/*.sh; do bash $f; done", "t/b.sh"),
    ("for f in t/*.sh; do bash \"$f\"; done", "t/b.sh"),
    ("for f in t/*; do sh $f; done", "t/a.sh"),
    ("for f in t/*.sh; do . $f; done", "t/b.sh"),
    ("for f in t/*.sh; do ./$f; done", "t/b.sh"),
    ("for f in $(ls t/*.sh); do sh $f; done", "t/b.sh"),
    ("./t/*.sh", "t/a.sh"),
    ("cat t/*.sh | sh", "t/a.sh"),
    ("cat t/*.sh | python3", "t/b.sh"),
    ("cat t/*.sh > o.sh; sh o.sh", "t/b.sh"),
    ("ls t/*.sh | xargs -n1 sh", "t/b.sh"),
    ("find . -name '*.sh' -exec sh {} \\;", "t/in/c.sh"),
    ("find t -name '*.sh' | xargs sh", "t/a.sh"),
    (
        "find t -name '*.sh' -print0 | xargs -0 -n1 bash",
        "t/in/c.sh",
    ),
    (
        "find t -type f -exec sh -c 'sh \"$1\"' _ {} \\;",
        "t/in/c.sh",
    ),
    ("fd -e sh -x sh", "t/in/c.sh"),
    ("make -f t/in/Make*", "t/in/Makefile"),
    ("for d in t/*/; do (cd $d && make); done", "t/in/Makefile"),
    ("for d in t/*; do make -C $d; done", "t/in/Makefile"),
    ("play t/*.sh", "t/a.sh"),
    ("for f in t/*.sh; do play $f; done", "t/a.sh"),
    ("sh < t/a*", "t/a.sh"),
    ("git -c core.hooksPath=t commit", "t/a.sh"),
    ("go run ./t/in", "t/in/main.go"),
    ("terraform -chdir=t apply", "t/main.tf"),
    ("HOME=t git commit", "t/.gitconfig"),
    ("cp t/*.sh o; for f in o/*.sh; do sh $f; done", "t/a.sh"),
    ("cp -r t o; sh o/in/*.sh", "t/in/c.sh"),
    ("mv t o; find o -name '*.sh' -exec sh {} +", "t/in/c.sh"),
];

#[test]
fn law_10_what_a_pattern_finds_is_bound() {
    let is_missed = |(line, file): &&(&str, &str)| {
        let changed = Scene::notices(line, |scene| scene.write(file, "two"));
        let gone = Scene::notices(line, |scene| {
            fs::remove_file(scene.root.join(file)).unwrap();
        });
        !(changed && gone)
    };
    let missed: Vec<_> = RUN_BY_PATTERN.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn law_10_what_a_pattern_finds_later_alone_is_noticed() {
    for (line, new) in [
        ("bash t/*.sh", "t/0.sh"),
        ("for f in t/*.sh; do bash $f; done", "t/new.sh"),
        ("cat t/*.sh | sh", "t/new.sh"),
        ("find . -name '*.sh' -exec sh {} \\;", "other/new.sh"),
        ("find . -name '*.sh' -exec sh {} \\;", "t/.hidden/new.sh"),
        ("sh none/*.sh t/*.y", "t/new.y"),
        ("for d in */; do (cd $d && make); done", "other/Makefile"),
        ("play t/*.sh", "t/new.sh"),
    ] {
        let noticed = Scene::notices(line, |scene| scene.write(new, "new"));
        assert!(noticed, "{line}: {new}");
    }
}

/// What is data surely, and what the pattern does not find, may change.
#[test]
fn what_a_pattern_leaves_out_or_a_line_only_reads_binds_nothing() {
    for (line, file) in [
        ("bash t/*.sh", "t/x"),
        ("bash t/*.sh", "t/in/c.sh"),
        ("find t -name '*.py' -exec python3 {} \\;", "t/a.sh"),
        ("cat t/*.sh", "t/a.sh"),
        ("grep -r x t/*", "t/a.sh"),
        ("rm t/*.sh", "t/a.sh"),
        ("sed -i s/a/b/ t/*.sh", "t/a.sh"),
        ("find . -name '*.sh'", "t/a.sh"),
        ("find . -name '*.sh' -exec grep x {} +", "t/a.sh"),
        ("find . -name '*.sh' | xargs wc -l", "t/a.sh"),
        ("for f in t/*.sh; do cp $f $f.old; done", "t/a.sh"),
    ] {
        let noticed = Scene::notices(line, |scene| scene.write(file, "two"));
        assert!(!noticed, "{line}: {file}");
    }
}

/// Links lead on where a pattern asks for a name, and no circle of them holds anybody up.
#[test]
fn what_links_lead_to_is_found_and_circles_end() {
    let link = |scene: &Scene| {
        symlink("t/in", scene.root.join("link")).unwrap();
        symlink("..", scene.root.join("t/in/up")).unwrap();
    };
    for line in [
        "sh link/*.sh",
        "sh l*/*.sh",
        "find . -name '*.sh' -exec sh {} +",
    ] {
        let scene = Scene::with_scripts();
        link(&scene);
        let before = scene.bind_line(line);
        scene.write("t/in/c.sh", "two");
        assert_ne!(before, scene.bind_line(line), "{line}");
    }
}

/// What lies near and was written by people is found first.
#[test]
fn a_tree_that_is_too_large_to_search_is_searched_up_to_a_bound() {
    let scene = Scene::with_scripts();
    fs::create_dir(scene.root.join(".git")).unwrap();
    for folder in 0..11 {
        let folder = format!(".git/{folder:02}");
        fs::create_dir(scene.root.join(&folder)).unwrap();
        (0..1_000).for_each(|file| scene.write(&format!("{folder}/{file}.sh"), ""));
    }
    let line = "find . -name '*.sh' -exec play {} \\;";
    let before = scene.bind_line(line);
    assert_eq!(before, scene.bind_line(line));
    scene.write("t/in/c.sh", "two");
    assert_ne!(before, scene.bind_line(line));
}

/// What a line puts into the code that it runs is bound as that is.
#[test]
fn law_10_what_a_line_makes_its_code_of_is_bound() {
    let lines = [
        ("sed s/a/b/ n > m.py; python3 m.py", "n"),
        ("git apply n && sh t/a.sh", "n"),
        ("patch -p1 < n && make", "n"),
        ("tar xf n && sh t/a.sh", "n"),
        ("unzip -o n && make", "n"),
        ("jq .x n > package.json && npm test", "n"),
        ("cat n t/x > o.py; python3 o.py", "t/x"),
        ("base64 -d n > o && ./o", "n"),
        ("cat t/*.sh > Makefile; make", "t/a.sh"),
        ("gcc n -o p && ./p", "n"),
        (
            "envsubst < n > docker-compose.yml && docker compose up",
            "n",
        ),
    ];
    let is_missed =
        |(line, file): &&(&str, &str)| !Scene::notices(line, |scene| scene.write(file, "two"));
    let missed: Vec<_> = lines.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
