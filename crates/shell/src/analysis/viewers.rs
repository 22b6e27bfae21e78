//! Pagers and editors, as the effects of a line.

use pointsman_model::AbsPath;

use crate::{Surroundings, analyse};

#[track_caller]
fn check(line: &str, effects: &[&str]) {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    };
    let got = analyse(line, &at).to_string();
    for effect in effects {
        assert!(got.contains(effect), "{line}: {effect}\n{got}");
    }
}

#[test]
fn pagers_and_editors_list_the_file_that_they_show_or_change() {
    check("less .env", &["read /w/proj/.env"]);
    check("bat -p .env", &["read /w/proj/.env"]);
    check(
        "vim .git/config",
        &["read /w/proj/.git/config", "write /w/proj/.git/config"],
    );
}

#[test]
fn a_command_that_a_pager_or_editor_is_told_to_start_is_listed() {
    for line in [
        "less '+!rm x' y",
        "vim '+!rm x' y",
        "vim -c ':!rm x' y",
        "ex -c '!rm x' y",
    ] {
        check(line, &["files rm x"]);
    }
}

#[test]
fn base64_that_writes_a_file_is_no_reader() {
    for line in ["base64 x -o y", "base64 -i x --output=y", "base64 -oy x"] {
        check(line, &["0 run base64"]);
    }
    check("base64 -d x", &["0 reader base64"]);
}
