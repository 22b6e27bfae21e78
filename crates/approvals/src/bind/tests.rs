use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use pointsman_model::{CallId, Effect, Reach, Run, RunNature, Span, Word, WordValue};

use super::*;
use crate::sample;

mod patterns;

struct Scene {
    _folder: tempfile::TempDir,
    root: PathBuf,
    folder: AbsPath,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        Self {
            folder: sample::path_of(root.to_str().unwrap()),
            root,
            _folder: folder,
        }
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.root.join(name), content).unwrap();
    }

    fn bind(&self, command: &str) -> Digest {
        self.try_bind(command).unwrap()
    }

    fn try_bind(&self, command: &str) -> io::Result<Digest> {
        let call = sample::bash(CallId::new(sample::run(), 1), command);
        bind(
            &call,
            &self.folder,
            &sample::lineage(&[1]),
            Digest::of(b"context"),
            &self.effects(command),
        )
    }

    /// A run of the command's words; quotes are not for these tests.
    fn effects(&self, command: &str) -> Effects {
        let span = Span { start: 0, end: 0 };
        let argv = command.split(' ').map(|word| Word {
            value: WordValue::Literal(word.into()),
            source: word.into(),
            span,
        });
        let nature = match command.split(' ').next() {
            Some("cat") => RunNature::KnownReader,
            _ => RunNature::Program,
        };
        let run = Run {
            argv: argv.collect(),
            canonical: None,
            assignments: Vec::new(),
            text: command.into(),
            folder: PathValue::Known(self.folder.clone()),
            nature,
            span,
            risks: Vec::new(),
        };
        only(EffectKind::Run(run))
    }
}

fn only(kind: EffectKind) -> Effects {
    Effects {
        list: vec![Effect {
            kind,
            view: EffectView::Sure,
            part: 0,
        }],
        ..Effects::default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Differs,
    IsTheSame,
}

/// What a change does to the digest of a command.
#[track_caller]
fn check(command: &str, change: impl FnOnce(&Scene), then: Then) {
    let scene = Scene::new();
    scene.write("run.sh", "echo one");
    scene.write("other.sh", "echo two");
    let before = scene.bind(command);
    assert_eq!(before, scene.bind(command), "the same gives another digest");
    change(&scene);
    let differs = before != scene.bind(command);
    assert_eq!(differs, then == Then::Differs, "{command}");
}

#[test]
fn law_10_a_script_swapped_after_the_question_is_noticed() {
    let swap = |scene: &Scene| scene.write("run.sh", "echo oNe");
    for command in [
        "./run.sh",
        "sh run.sh",
        "bash -x run.sh now",
        "/usr/bin/python3 run.sh",
        "python3.12 run.sh",
        "source run.sh",
        ". ./run.sh",
    ] {
        check(command, swap, Then::Differs);
    }
    check("cat run.sh", swap, Then::IsTheSame);
    check("sh other.sh", swap, Then::IsTheSame);
}

#[test]
fn law_10_what_a_build_tool_runs_is_bound() {
    let swap = |name: &'static str| move |scene: &Scene| scene.write(name, "other");
    for (command, file) in [
        ("make", "Makefile"),
        ("make test", "GNUmakefile"),
        ("gmake -j4 all", "makefile"),
        ("npm run build", "package.json"),
        ("yarn test", "package.json"),
        ("cargo run", "build.rs"),
        ("just deploy", "justfile"),
    ] {
        check(command, swap(file), Then::Differs);
    }
    let inside = |scene: &Scene| {
        fs::create_dir(scene.root.join("sub")).unwrap();
        scene.write("sub/Makefile", "all:");
    };
    check("make -C sub", inside, Then::Differs);
    check("makeinfo", swap("Makefile"), Then::IsTheSame);
    check("cat package.json", swap("package.json"), Then::IsTheSame);
}

#[test]
fn law_10_what_is_fed_to_a_program_is_bound() {
    let scene = Scene::new();
    scene.write("x.sh", "echo one");
    let fed = only(EffectKind::Read(PathUse {
        path: PathValue::Known(scene.folder.join("x.sh")),
        by: PathRole::Redirect,
        reach: Reach::Itself,
        span: None,
    }));
    let call = sample::bash(CallId::new(sample::run(), 1), "bash < x.sh");
    let bound = || {
        let (agent, context) = (sample::lineage(&[1]), Digest::of(b"context"));
        bind(&call, &scene.folder, &agent, context, &fed).unwrap()
    };
    let before = bound();
    assert_eq!(before, bound());
    scene.write("x.sh", "echo two");
    assert_ne!(before, bound());
}

#[test]
fn law_10_a_script_that_comes_goes_or_is_linked_elsewhere_is_noticed() {
    check(
        "sh run.sh",
        |s| fs::remove_file(s.root.join("run.sh")).unwrap(),
        Then::Differs,
    );
    check("sh new.sh", |s| s.write("new.sh", ""), Then::Differs);
    // The same content by another way: the link may lead elsewhere a moment later.
    check(
        "sh run.sh",
        |s| {
            fs::rename(s.root.join("run.sh"), s.root.join("real.sh")).unwrap();
            symlink(s.root.join("real.sh"), s.root.join("run.sh")).unwrap();
        },
        Then::Differs,
    );
}

#[test]
fn law_10_another_folder_of_the_same_name_is_noticed() {
    let swap = |scene: &Scene| {
        let aside = scene.root.with_file_name("aside");
        fs::rename(&scene.root, &aside).unwrap();
        fs::create_dir(&scene.root).unwrap();
        for file in ["run.sh", "other.sh"] {
            fs::copy(aside.join(file), scene.root.join(file)).unwrap();
        }
    };
    check("make", swap, Then::Differs);
}

#[test]
fn law_10_a_large_file_counts_by_its_inode_size_and_time() {
    let scene = Scene::new();
    let big = "x".repeat(2 << 20);
    scene.write("big.sh", &big);
    let before = scene.bind("sh big.sh");
    assert_eq!(before, scene.bind("sh big.sh"));
    let copy = scene.root.join("copy");
    fs::copy(scene.root.join("big.sh"), &copy).unwrap();
    fs::rename(copy, scene.root.join("big.sh")).unwrap();
    assert_ne!(before, scene.bind("sh big.sh"), "another file in its place");
}

#[test]
fn law_10_a_file_that_an_edit_changes_is_bound() {
    let scene = Scene::new();
    scene.write("a.txt", "one");
    let effects = only(EffectKind::Write {
        target: PathUse {
            path: PathValue::Known(scene.folder.join("a.txt")),
            by: PathRole::Tool,
            reach: Reach::Itself,
            span: None,
        },
        change: Change::Content,
    });
    let call = sample::bash(CallId::new(sample::run(), 1), "edit");
    let digest = || {
        let agent = sample::lineage(&[1]);
        bind(&call, &scene.folder, &agent, Digest::of(b"c"), &effects).unwrap()
    };
    let before = digest();
    scene.write("a.txt", "two");
    assert_ne!(before, digest());
}

#[test]
fn law_10_call_input_folder_agent_and_context_all_count() {
    let scene = Scene::new();
    let digest = |call: u32, command: &str, folder: &AbsPath, agent: u32, context: &[u8]| {
        let call = sample::bash(CallId::new(sample::run(), call), command);
        let agent = sample::lineage(&[agent]);
        let effects = Effects::default();
        bind(&call, folder, &agent, Digest::of(context), &effects).unwrap()
    };
    let base = digest(1, "make", &scene.folder, 1, b"c");
    let others = [
        digest(2, "make", &scene.folder, 1, b"c"),
        digest(1, "make all", &scene.folder, 1, b"c"),
        digest(1, "make", &AbsPath::root(), 1, b"c"),
        digest(1, "make", &scene.folder, 2, b"c"),
        digest(1, "make", &scene.folder, 1, b"d"),
    ];
    assert!(others.iter().all(|other| *other != base));
}

#[test]
fn a_pipe_in_a_scripts_place_holds_nobody_up_and_is_noticed() {
    let scene = Scene::new();
    scene.write("run.sh", "echo one");
    let before = scene.bind("sh run.sh");
    let path = scene.root.join("run.sh");
    fs::remove_file(&path).unwrap();
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_ne!(before, scene.bind("sh run.sh"));
}

#[test]
fn what_a_program_is_handed_counts_by_content_up_to_a_bound_and_unread_else() {
    check(
        "play run.sh other.sh",
        |s| s.write("other.sh", "echo 2"),
        Then::Differs,
    );
    check("play new.sh", |s| s.write("new.sh", ""), Then::Differs);
    // A folder is no file, whatever becomes of it.
    check(
        "play build",
        |s| fs::create_dir(s.root.join("build")).unwrap(),
        Then::IsTheSame,
    );
    let scene = Scene::new();
    let names: Vec<String> = (100..=100 + HANDED_READ_MAX)
        .map(|number| format!("f{number}"))
        .collect();
    names.iter().for_each(|name| scene.write(name, "one"));
    let command = format!("play {}", names.join(" "));
    let before = scene.bind(&command);
    assert_eq!(before, scene.bind(&command));
    // The last of them is one more than are read: another file in its place is noticed all the same.
    let last = scene.root.join(names.last().unwrap());
    fs::remove_file(&last).unwrap();
    fs::write(&last, "two!").unwrap();
    assert_ne!(before, scene.bind(&command));
}

#[test]
fn words_that_name_no_file_are_no_error() {
    let scene = Scene::new();
    let long = format!("sh -c {}", "x".repeat(5000));
    assert!(scene.try_bind(&long).is_ok());
    scene.write("file", "");
    assert!(scene.try_bind("sh file/below").is_ok());
}
