//! Tags that the words behind a program's name earn: what is removed on other machines, in databases, by inline code.

use pointsman_model::{RiskTag, Run, RunNature, Span, Word};

/// Words that earn a tag wherever they stand behind the program: options of any kind may come before them.
static WORDS: [(RiskTag, &str, &[&str]); 25] = [
    (RiskTag::Destructive, "aws", &["rm", "rb", "--delete"]),
    (
        RiskTag::Destructive,
        "az",
        &["delete", "purge", "delete-batch"],
    ),
    (RiskTag::Destructive, "gcloud", &["delete"]),
    (RiskTag::Destructive, "gsutil", &["rm", "rb"]),
    (
        RiskTag::Destructive,
        "gh",
        &["delete", "DELETE", "-XDELETE"],
    ),
    (
        RiskTag::Destructive,
        "glab",
        &["delete", "DELETE", "-XDELETE"],
    ),
    (RiskTag::Destructive, "curl", &["DELETE", "-XDELETE"]),
    (
        RiskTag::Destructive,
        "rclone",
        &["delete", "purge", "sync", "deletefile", "rmdirs"],
    ),
    (RiskTag::Destructive, "doctl", &["delete", "rm"]),
    (RiskTag::Destructive, "helm", &["uninstall", "delete"]),
    // What others may have taken by then can't be called back.
    (RiskTag::Destructive, "npm", &["publish", "unpublish"]),
    (RiskTag::Destructive, "pnpm", &["publish", "unpublish"]),
    (RiskTag::Destructive, "yarn", &["publish"]),
    (RiskTag::Destructive, "bun", &["publish"]),
    (RiskTag::Destructive, "cargo", &["publish", "yank"]),
    (RiskTag::Destructive, "poetry", &["publish"]),
    (RiskTag::Destructive, "uv", &["publish"]),
    (RiskTag::Destructive, "twine", &["upload"]),
    (RiskTag::Destructive, "gem", &["push", "yank"]),
    (
        RiskTag::Destructive,
        "systemctl",
        &["poweroff", "reboot", "halt", "kexec"],
    ),
    (
        RiskTag::Destructive,
        "redis-cli",
        &["flushall", "flushdb", "FLUSHALL", "FLUSHDB"],
    ),
    (
        RiskTag::Destructive,
        "heroku",
        &["apps:destroy", "pg:reset", "addons:destroy"],
    ),
    (
        RiskTag::Persistence,
        "systemctl",
        &[
            "enable",
            "reenable",
            "link",
            "edit",
            "preset",
            "set-default",
            "add-wants",
            "add-requires",
        ],
    ),
    (
        RiskTag::Persistence,
        "launchctl",
        &["load", "bootstrap", "enable", "submit"],
    ),
    (RiskTag::Persistence, "loginctl", &["enable-linger"]),
];

/// Programs whose subcommands say by how they begin that something goes (`delete-stack`, `terminate-instances`).
const CLOUDS: [&str; 2] = ["aws", "aliyun"];
const GOES: [&str; 4] = ["delete-", "terminate-", "deregister-", "purge-"];

/// Programs that are given what a database is to do.
const DATABASES: [&str; 8] = [
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlcmd",
    "duckdb",
    "cockroach",
    "clickhouse-client",
];
/// What of it can't be had back.
const STATEMENTS: [&str; 8] = [
    "drop table",
    "drop database",
    "drop schema",
    "drop view",
    "drop index",
    "truncate",
    "delete from",
    "dropdatabase",
];

/// What removes files or folders in inline code of the usual interpreters.
const REMOVALS: [&str; 13] = [
    "rmtree",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "removedirs",
    ".unlink(",
    "unlink ",
    "rmSync",
    "rmdirSync",
    "fs.rm",
    "FileUtils.rm",
    "File.delete",
    "remove_tree",
];

/// What the words behind the program's name earn, wherever they stand.
pub(super) fn by_words(name: &str, words: &[Word]) -> Option<(RiskTag, Span)> {
    let mut behind = words
        .iter()
        .skip(1)
        .filter_map(|word| Some((word.literal()?, word.span)));
    if name == "git" {
        let subcommand = words.get(1).and_then(Word::literal)?;
        let mut behind = behind.skip(1);
        let has = |wanted: &[&str]| {
            let mut literals = words.iter().filter_map(Word::literal);
            literals.any(|word| wanted.contains(&word))
        };
        // What is committed comes back into the index alone.
        let index_alone = has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]);
        if subcommand == "restore" && index_alone {
            return None;
        }
        let (_, span) = behind.find(|(text, _)| git_loses(subcommand, text))?;
        return Some((RiskTag::Destructive, span));
    }
    if name == "kill" {
        // The first process, with which the machine or the container ends, and all processes; in front it is a signal.
        let (at, last) = words.iter().enumerate().next_back()?;
        let all = matches!((at, last.literal()?), (1.., "1") | (2.., "-1"));
        return all.then_some((RiskTag::Destructive, last.span));
    }
    let cloud = CLOUDS.contains(&name);
    if matches!(name, "cargo" | "npm" | "pnpm" | "yarn" | "bun") && runs_words(words) {
        return None;
    }
    if !cloud && !WORDS.iter().any(|(_, of, _)| *of == name) {
        return None;
    }
    behind.find_map(|(text, span)| {
        if cloud && GOES.iter().any(|start| text.starts_with(start)) {
            return Some((RiskTag::Destructive, span));
        }
        let earns =
            |(_, of, wanted): &&(RiskTag, &str, &[&str])| *of == name && wanted.contains(&text);
        WORDS.iter().find(earns).map(|(tag, ..)| (*tag, span))
    })
}

/// Whether what stands behind the subcommand is handed on to a program of the project (`cargo test publish`).
fn runs_words(words: &[Word]) -> bool {
    let first = words
        .iter()
        .skip(1)
        .filter_map(Word::literal)
        .find(|word| !word.starts_with('-'));
    matches!(
        first,
        Some(
            "test"
                | "t"
                | "run"
                | "run-script"
                | "exec"
                | "x"
                | "bench"
                | "b"
                | "build"
                | "nextest"
        )
    )
}

/// Whether that word of a git subcommand says that work or history goes for good: commits that nothing leads to any more,
/// or what was changed and never committed.
fn git_loses(subcommand: &str, word: &str) -> bool {
    match subcommand {
        // A branch without a source goes; one behind a plus is put over whatever is there.
        "push" => {
            word.starts_with([':', '+'])
                || word.starts_with("--force-with-lease=")
                || matches!(word, "--delete" | "-d" | "--prune")
        }
        // Files are put back as they were committed. A branch has no such name.
        "checkout" => {
            matches!(
                word,
                "--" | "." | ":/" | "-p" | "--patch" | "--ours" | "--theirs"
            ) || word.starts_with("./")
                || word.starts_with(":(")
        }
        "switch" => word == "--discard-changes",
        "restore" => !word.starts_with('-'),
        "stash" => matches!(word, "drop" | "clear"),
        "reflog" => matches!(word, "expire" | "delete"),
        "tag" => matches!(word, "-d" | "--delete"),
        "update-ref" => word == "-d",
        "worktree" => word == "remove",
        _ => false,
    }
}

/// What a text that an interpreter or a database is given earns.
pub(super) fn by_code(run: &Run, name: &str) -> Option<(RiskTag, Span)> {
    let told = |word: &Word| {
        let text = word.literal()?;
        let goes = if DATABASES.contains(&name) {
            let text = text.to_ascii_lowercase();
            STATEMENTS.iter().any(|statement| text.contains(statement))
        } else {
            run.nature == RunNature::InlineCode && REMOVALS.iter().any(|it| text.contains(it))
        };
        goes.then_some((RiskTag::Destructive, word.span))
    };
    run.argv.iter().skip(1).find_map(told)
}
