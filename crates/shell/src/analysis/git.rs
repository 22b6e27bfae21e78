//! What git changes besides its own store, as the effects of a line.

use pointsman_model::AbsPath;

use crate::{Surroundings, analyse};

#[track_caller]
fn check(rows: &[(&str, bool)], effect: &str, used: &str) {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    };
    for (line, wanted) in rows {
        let got = analyse(line, &at).to_string();
        let has = got
            .lines()
            .any(|line| line.contains(effect) && line.contains(used));
        assert_eq!(has, *wanted, "{line}\n{got}");
    }
}

#[test]
fn git_config_that_sets_writes_the_protected_settings_and_one_that_shows_does_not() {
    check(
        &[
            ("git config core.hooksPath x", true),
            ("git config alias.z '!rm x'", true),
            ("git config --global core.pager x", true),
            ("git config set core.hooksPath x", true),
            ("git config --unset core.pager", true),
            ("git config -e", true),
            ("git -C . config core.hooksPath x", true),
            ("git --git-dir=.git config a.b c", true),
            ("git config \"$@\"", true),
            ("git config --list", false),
            ("git config user.name", false),
            ("git config --get user.name x", false),
            ("git config list", false),
        ],
        "/w/proj/.git/config",
        "write",
    );
}

#[test]
fn git_output_options_write_the_file_they_name() {
    check(
        &[
            ("git log --output=f", true),
            ("git diff --output f", true),
            ("git archive -o f HEAD", true),
            ("git archive -of HEAD", true),
            ("git bundle create f HEAD", true),
            ("git checkout f", true),
            ("git checkout -b f", false),
            ("git log -- --output=f", false),
        ],
        "/w/proj/f",
        "write",
    );
}

#[test]
fn git_blame_reads_the_file_that_it_takes_for_the_contents() {
    check(
        &[
            ("git blame --contents=/etc/shadow x", true),
            ("git blame --contents /etc/shadow x", true),
            ("git blame x", false),
        ],
        "/etc/shadow",
        "read",
    );
}
