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

/// What others wrote, and a pattern that looks far, take nothing from a project's own files.
#[test]
fn law_10_own_files_are_bound_beside_more_than_is_looked_at() {
    let scene = Scene::with_scripts();
    for folder in ["node_modules", "zz"] {
        for below in 0..26 {
            let folder = format!("{folder}/{below:02}");
            fs::create_dir_all(scene.root.join(&folder)).unwrap();
            (0..1_000).for_each(|file| scene.write(&format!("{folder}/{file}.x"), ""));
        }
    }
    let zz = scene.root.join("zz");
    let beside = format!(
        "find {0} -name '*.q' -exec sh {{}} \\; ; find {0} -name '*.r' -exec sh {{}} \\; ; \
         for f in t/*.sh; do bash $f; done",
        zz.parent().unwrap().display()
    );
    for (line, file) in [
        ("find . -name '*.sh' -exec play {} \\;", "t/in/c.sh"),
        (&*beside, "t/b.sh"),
    ] {
        scene.write(file, "one");
        let effects = scene.of_line(line);
        assert!(bound_files(&scene.folder, &effects).is_cut, "{line}");
        assert!(executed_on_disk(&scene.folder, &effects).is_err(), "{line}");
        let before = scene.bind_line(line);
        scene.write(file, "two");
        assert_ne!(before, scene.bind_line(line), "{line}");
    }
    let small = scene.of_line("find t -name '*.sh' -exec sh {} \\;");
    assert!(!bound_files(&scene.folder, &small).is_cut);
}

/// Where a path goes up from a link, the system goes up from where that leads.
#[test]
fn law_10_what_lies_above_where_a_link_leads_is_bound() {
    for line in [
        "play link/../x.sh",
        "mytool --conf=link/../x.sh",
        "CONF=link/../x.sh mytool",
        "sh link/../x.sh",
        "bash link/../*.sh",
        "sh */../x.s[h]",
        "cat link/../*.sh | sh",
        "for f in link/../*.sh; do bash $f; done",
        "find link/.. -name '*.sh' -exec sh {} \\;",
        "play link/../x*",
    ] {
        let scene = Scene::with_scripts();
        fs::create_dir_all(scene.root.join("other/real/in")).unwrap();
        symlink("other/real/in", scene.root.join("link")).unwrap();
        scene.write("other/real/x.sh", "one");
        let before = scene.bind_line(line);
        assert_eq!(before, scene.bind_line(line), "{line}");
        scene.write("other/real/x.sh", "two");
        assert_ne!(before, scene.bind_line(line), "{line}");
    }
    // Data may change there as elsewhere.
    let scene = Scene::with_scripts();
    fs::create_dir_all(scene.root.join("other/real/in")).unwrap();
    symlink("other/real/in", scene.root.join("link")).unwrap();
    let before = scene.bind_line("cat link/../x.sh");
    scene.write("other/real/x.sh", "one");
    assert_eq!(before, scene.bind_line("cat link/../x.sh"));
}

/// A search that follows links is followed there, and circles of them end.
#[test]
fn law_10_what_a_search_finds_behind_links_is_bound() {
    for line in [
        "find -L t -name '*.sh' -exec sh {} \\;",
        "find t -follow -name '*.sh' -exec sh {} +",
        "find -L t -name '*.sh' | xargs sh",
        "fd -L -e sh . t -x sh",
    ] {
        let scene = Scene::with_scripts();
        scene.write("other/x.sh", "one");
        symlink("../other", scene.root.join("t/far")).unwrap();
        symlink("..", scene.root.join("t/in/up")).unwrap();
        symlink("../t", scene.root.join("other/back")).unwrap();
        symlink("self.sh", scene.root.join("other/self.sh")).unwrap();
        let before = scene.bind_line(line);
        assert!(
            !bound_files(&scene.folder, &scene.of_line(line)).is_cut,
            "{line}"
        );
        scene.write("other/x.sh", "two");
        assert_ne!(before, scene.bind_line(line), "{line}");
    }
}

#[test]
fn law_10_a_file_whose_name_is_no_text_is_bound() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let scene = Scene::with_scripts();
    let odd = scene.root.join("t").join(OsStr::from_bytes(b"\xff.sh"));
    for line in [
        "bash t/*.sh",
        "find . -name '*.sh' -exec sh {} \\;",
        "play t/*",
    ] {
        fs::write(&odd, "one").unwrap();
        let before = scene.bind_line(line);
        fs::write(&odd, "two").unwrap();
        assert_ne!(before, scene.bind_line(line), "{line}");
    }
    let effects = scene.of_line("bash t/*.sh");
    assert!(executed_on_disk(&scene.folder, &effects).is_err());
}

/// Neither the stack nor the time is at the mercy of whoever writes the line.
#[test]
fn a_pattern_of_thousands_of_parts_is_no_way_to_end_the_leader() {
    let scene = Scene::with_scripts();
    let line = format!("bash {}*.sh", "**/".repeat(3_300));
    let before = scene.bind_line(&line);
    scene.write("t/in/c.sh", "two");
    assert_ne!(before, scene.bind_line(&line));
    for far in ["a*/".repeat(3_300), "**/a*/".repeat(1_700)] {
        let effects = scene.of_line(&format!("bash {far}*.sh"));
        assert!(bound_files(&scene.folder, &effects).is_cut);
    }
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
