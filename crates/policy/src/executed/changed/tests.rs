//! What a line changes before it runs it, with the files on a disk.

use super::super::{by_gravest_role, check_seen, executed};
use super::*;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::{DiskTree, EntryKind, FileId, Hops, Kept};
use pointsman_shell::{NameCase, Surroundings, analyse};

/// The files that stand in the folder of each line, empty but for those that say something.
const THERE: &[&str] = &["x.py", "x.js", "x.sh", "f.vim", "f.el", "x.c", "Makefile"];

struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ground = Self { folder };
        for name in THERE {
            ground.holds(name, b"text\n");
        }
        ground
    }

    fn holds(&self, name: &str, content: &[u8]) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn path(&self, name: &str) -> AbsPath {
        let path = self.folder.path().join(name);
        AbsPath::parse(path.to_str().unwrap()).unwrap()
    }

    /// What a line does that is told in a folder of the ground, and what it runs.
    fn read(&self, folder: &str, line: &str) -> (Effects, BTreeMap<AbsPath, Role>) {
        let folder = self.path(folder);
        let at = Surroundings {
            folder: folder.clone(),
            home: AbsPath::parse("/home/dev").unwrap(),
            case: NameCase::Counts,
        };
        let effects = analyse(line, &at).effects;
        let files = by_gravest_role(executed(&folder, &effects).unwrap());
        (effects, files)
    }

    /// Whether a line that is told in a folder of the ground changes what it runs.
    #[track_caller]
    fn changes_in(&self, folder: &str, line: &str) -> bool {
        let (effects, files) = self.read(folder, line);
        let folder = self.path(folder);
        match check_seen(&folder, &effects, &files, &DiskTree) {
            Ok(()) => false,
            Err(super::super::Unseen::Changed(_)) => true,
            Err(other) => panic!("{line}: {other}"),
        }
    }

    #[track_caller]
    fn check(&self, changing: &[&str], others: &[&str]) {
        let wrong = |lines: &[&str], wanted: bool| {
            let wrong = lines
                .iter()
                .filter(|line| self.changes_in("", line) != wanted);
            wrong.map(|line| (*line).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(wrong(changing, true), [""; 0], "change what they run");
        assert_eq!(wrong(others, false), [""; 0], "change nothing of it");
    }
}

/// What code in a word names may be written and then run; a script has been read when it is changed, but not for the last
/// time where a loop comes back to it.
#[test]
fn only_a_script_that_is_read_once_may_be_changed_by_its_own_run() {
    Ground::new().check(
        &[
            "python3 -c \"open('x.py','w').write('a'); import x\"",
            "node -e \"fs.writeFileSync('x.js','a'); require('./x')\"",
            "vim -c 'w x.sh' -c '!sh x.sh'",
            "for i in 1 2; do emacs --script f.el; done",
            "while sleep 1; do vim -S f.vim; done",
            "watch emacs --script f.el",
            "repeat 2 nice emacs --script f.el",
        ],
        &[
            "vim -S f.vim",
            "vim -S f.vim x.c",
            "emacs --script f.el",
            "nice emacs --script f.el",
            "python3 -c \"import x\"",
            "python3 -c \"print(open('x.py').read())\"",
            "python3 -c \"open('out.txt','w').write('a')\"",
            "for f in a b; do python3 x.py $f; done",
            "for i in 1 2 3; do sh x.sh; done",
            "while sleep 1; do make; done",
        ],
    );
}

/// What stands where a wrapper's command does is what runs.
#[test]
fn what_is_built_is_run_by_wrappers_too() {
    Ground::new().check(
        &[
            "gcc x.c && ./a.out",
            "gcc x.c && sudo ./a.out",
            "gcc x.c && env A=1 ./a.out",
            "gcc x.c && exec ./a.out",
            "gcc x.c && strace -f -o log ./a.out",
            "gcc -g x.c && valgrind --leak-check=full ./a.out",
            "gcc x.c && sudo -u bob nice ./a.out",
            "make && find . -name in -exec ./a.out {} \\;",
            "tsc && env A=1 node dist/y.js",
        ],
        &[
            "gcc x.c && docker run image ./a.out",
            "gcc x.c && ssh host ./a.out",
            "gcc x.c && mytool ./a.out",
            "make && sudo make install",
            "make && sudo ./x.sh",
            "make && env A=1 python3 x.py",
            "gcc x.c && sudo cp a.out /usr/local/bin",
        ],
    );
}

/// What the folder that a line is told in lies in says nothing of its files.
#[test]
fn only_folders_below_where_a_line_works_hold_what_was_built() {
    let ground = Ground::new();
    for name in [
        "build/app/scripts/test.sh",
        "build/app/Makefile",
        "build/app/out/gen.sh",
    ] {
        ground.holds(name, b"text\n");
    }
    ground.holds("build/other/x.sh", b"text\n");
    let told = |folder: &str, line: &str| ground.changes_in(folder, line);
    assert!(!told("build/app", "make && ./scripts/test.sh"));
    assert!(!told("build/app", "make && ../other/x.sh"));
    assert!(!told("build/app/scripts", "make -C .. && ./test.sh"));
    assert!(told("build/app", "make && ./out/gen.sh"));
    assert!(told("build/app", "make && ./new"));
    assert!(told("build/app/scripts", "make -C .. && ../out/gen.sh"));
    assert!(told("", "make && ./build/other/x.sh"));
    assert!(told("", "cd build && make && ./other/x.sh"));
}

/// The disk, and how often it was looked where paths lead.
struct Counted(AtomicUsize);

impl Tree for Counted {
    fn hops(&self, path: &AbsPath) -> Hops {
        self.0.fetch_add(1, Relaxed);
        DiskTree.hops(path)
    }
    fn kind(&self, path: &AbsPath) -> EntryKind {
        DiskTree.kind(path)
    }
    fn folds_case(&self, path: &AbsPath) -> bool {
        DiskTree.folds_case(path)
    }
    fn list(&self, folder: &AbsPath, max: usize) -> Option<Vec<String>> {
        DiskTree.list(folder, max)
    }
    fn read_small(&self, file: &AbsPath, bytes_max: u64) -> Option<String> {
        DiskTree.read_small(file, bytes_max)
    }
    fn file_id(&self, file: &AbsPath) -> Option<FileId> {
        DiskTree.file_id(file)
    }
    fn kept_by_git(&self, folder: &AbsPath) -> Kept {
        DiskTree.kept_by_git(folder)
    }
}

/// A module may lie in each of many places, most of which are not there.
#[test]
fn folders_that_are_not_there_are_looked_for_once() {
    let ground = Ground::new();
    let link = ground.folder.path().join("link");
    std::os::unix::fs::symlink("real", link).unwrap();
    let words = |each: &dyn Fn(usize) -> String| (0..1_500).map(each).collect::<String>();
    let many = words(&|at| format!("none/d/{at} "));
    let folder = ground.path("");
    let (effects, files) = ground.read("", &format!("echo > out; sh {many}"));
    let tree = Counted(AtomicUsize::new(0));
    assert!(files.len() >= 1_500, "{}", files.len());
    assert_eq!(check_seen(&folder, &effects, &files, &tree), Ok(()));
    let looks = tree.0.into_inner();
    assert!(looks < 200, "{looks}");
    // Where a link leads counts for what is not there, too.
    ground.check(
        &[
            "echo > real/none.sh; sh link/none.sh",
            "tar xf x.tar -C real/d; sh link/d/none.sh",
        ],
        &[
            "echo > none.sh; sh link/none.sh",
            "tar xf x.tar -C real/d; sh link/e/none.sh",
        ],
    );
}
