//! What a line changes before it runs it, with the files on a disk.

use super::super::{by_gravest_role, check_seen, executed};
use super::*;
use crate::DiskTree;
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

    /// Whether a line that is told in a folder of the ground changes what it runs.
    #[track_caller]
    fn changes_in(&self, folder: &str, line: &str) -> bool {
        let folder = self.folder.path().join(folder);
        let folder = AbsPath::parse(folder.to_str().unwrap()).unwrap();
        let at = Surroundings {
            folder: folder.clone(),
            home: AbsPath::parse("/home/dev").unwrap(),
            case: NameCase::Counts,
        };
        let effects = analyse(line, &at).effects;
        let files = by_gravest_role(executed(&folder, &effects).unwrap());
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
