//! What a real Bash starts, beside what the analysis lists.
//!
//! Lines run under Bash in a root folder of their own that holds nothing but Bash, with an empty
//! `PATH`: every command is "not found", and the handler for that writes down its words. Each
//! command that Bash would have started must be among the runs of the analysis, unless that says that
//! it can't tell. Lines are kept as seeds; mutants of them look where nobody thought of looking.
//!
//! A sample runs with the other tests; `scripts/shell-truth.sh` runs them all. Where the machine has
//! no Bash, or lets nobody make a root folder of his own, there is nothing to compare with: a test says
//! so on standard error, and fails where `POINTSMAN_TRUTH_REQUIRED` is set, as the script sets it.

mod opened;
mod printed;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pointsman_model::{AbsPath, EffectKind, EffectView, Run, WordValue};

use crate::{Analysis, Surroundings, analyse};

const SEEDS: &str = include_str!("truth/seeds.txt");

/// Mutants in the sample.
const MUTANTS: usize = 200;

/// What Bash does first: write down each command that is not found.
const PREAMBLE: &str = r#"
command_not_found_handle() {
    if [[ $1 = cat && $# = 1 ]]; then IFS= read -r -d "" x; builtin printf %s "$x"; fi
    { builtin printf '%s\0' "$#" "$@" >> "/log/$__N"; } 2>/dev/null
    return "$__R"
}
"#;

/// Runs all lines, each with commands that succeed and with commands that fail.
const DRIVER: &str = r#"
ulimit -t 1
cd /w/proj
N=0
while IFS= read -r -d '' line; do
    for R in 0 1; do
        __N=$N.$R __R=$R BASH_ENV=/preamble HOME=/home/dev PATH=/none /bash --norc -c "$line" </dev/null >/dev/null 2>&1
    done
    N=$((N+1))
done < /lines
wait
"#;

/// Numbers for mutants; the same ones in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }
}

fn seeds() -> Vec<String> {
    SEEDS
        .lines()
        .map(|line| {
            let mut text = String::new();
            let mut chars = line.chars();
            while let Some(char) = chars.next() {
                match (char, char == '\\') {
                    (_, true) => match chars.next() {
                        Some('n') => text.push('\n'),
                        Some(other) => text.push(other),
                        None => text.push('\\'),
                    },
                    (other, false) => text.push(other),
                }
            }
            text
        })
        .collect()
}

/// A line near one that people write.
fn mutant(seeds: &[String], dice: &mut Dice) -> String {
    const INSERTED: [&str; 42] = [
        "'", "\"", "\\", "$", "$(", ")", "`", "{", "}", ";", "&", "|", "<", ">", "\n", "\\\n", " ",
        "#", "!", "*", "~", "=", "$(x)", "`y`", "${z}", "((", "))", "[[", "]]", "<<E\n", "\nE\n",
        "<<<", "&&", "||", " & ", "<(q)", "$'", "$((1+1))", "{a,b}", "x=v ", "; do ", "\t",
    ];
    let mut line: Vec<char> = seeds[dice.below(seeds.len())].chars().collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(line.len() + 1);
        match dice.below(6) {
            0 if at < line.len() => {
                line.remove(at);
            }
            1 if at < line.len() => {
                let char = line[at];
                line.insert(at, char);
            }
            2 if at + 1 < line.len() => line.swap(at, at + 1),
            3 => {
                let other: Vec<char> = seeds[dice.below(seeds.len())].chars().collect();
                let from = dice.below(other.len() + 1);
                line.truncate(at);
                line.extend(&other[from..]);
            }
            _ => {
                let piece = INSERTED[dice.below(INSERTED.len())];
                line.splice(at..at, piece.chars());
            }
        }
    }
    line.truncate(400);
    line.into_iter().filter(|char| *char != '\0').collect()
}

/// The root folder that holds Bash alone.
struct Jail {
    root: tempfile::TempDir,
}

impl Jail {
    /// `None` where there is no Bash, or no right to make a root folder.
    fn new() -> Option<Self> {
        let bash = Path::new("/bin/bash");
        if !bash.exists() {
            return None;
        }
        let root = tempfile::tempdir().unwrap();
        for folder in ["w/proj", "home/dev", "log", "dev", "tmp"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("dev/null"), "").unwrap();
        std::fs::copy(bash, root.path().join("bash")).ok()?;
        let listed = Command::new("ldd").arg(bash).output().ok()?;
        for word in String::from_utf8_lossy(&listed.stdout).split_whitespace() {
            if let Some(inside) = word.strip_prefix('/') {
                let target = root.path().join(inside);
                std::fs::create_dir_all(target.parent().unwrap()).unwrap();
                std::fs::copy(word, target).ok()?;
            }
        }
        let jail = Self { root };
        let works = jail.command("exit 7").status().ok()?.code() == Some(7);
        works.then_some(jail)
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["-rmpn", "--fork", "chroot"])
            .arg(self.root.path())
            .args(["/bash", "--norc", "-c", script])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// The commands that each line started.
    fn run(&self, lines: &[String]) -> Vec<Vec<Vec<String>>> {
        let mut text = String::new();
        for line in lines {
            text.push_str(line);
            text.push('\0');
        }
        std::fs::write(self.root.path().join("lines"), text).unwrap();
        std::fs::write(self.root.path().join("preamble"), PREAMBLE).unwrap();
        self.command(DRIVER).status().unwrap();
        let log = self.root.path().join("log");
        (0..lines.len())
            .map(|number| {
                let mut commands = read_log(&log.join(format!("{number}.0")));
                commands.extend(read_log(&log.join(format!("{number}.1"))));
                commands
            })
            .collect()
    }
}

fn read_log(path: &PathBuf) -> Vec<Vec<String>> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut fields = text.split('\0');
    let mut commands = Vec::new();
    while let Some(count) = fields.next() {
        let Ok(count) = count.parse::<usize>() else {
            break;
        };
        commands.push(fields.by_ref().take(count).map(str::to_owned).collect());
    }
    commands
}

/// Whether the run's words may be these.
fn may_be(run: &Run, words: &[String]) -> bool {
    fits(
        &run.argv.iter().map(|word| &word.value).collect::<Vec<_>>(),
        words,
    )
}

fn fits(argv: &[&WordValue], words: &[String]) -> bool {
    match argv.split_first() {
        None => words.is_empty(),
        Some((WordValue::Literal(text), rest)) => {
            words.first().is_some_and(|word| **word == **text) && fits(rest, &words[1..])
        }
        Some((WordValue::Glob(_), rest)) => {
            (1..=words.len()).any(|taken| fits(rest, &words[taken..]))
        }
        Some((WordValue::Unknown, rest)) => {
            (0..=words.len()).any(|taken| fits(rest, &words[taken..]))
        }
    }
}

/// Whether the analysis says that it can't tell.
fn is_opaque(analysis: &Analysis) -> bool {
    analysis.effects.list.iter().any(|effect| {
        effect.view == EffectView::Sure && matches!(effect.kind, EffectKind::Opaque(_))
    })
}

fn lists(analysis: &Analysis, words: &[String]) -> bool {
    analysis
        .effects
        .list
        .iter()
        .any(|effect| match &effect.kind {
            EffectKind::Run(run) => may_be(run, words),
            _ => false,
        })
}

/// What a comparison came to.
#[derive(Debug, Default)]
struct Tally {
    lines: usize,
    opaque: usize,
    /// Lines that Bash refuses, or that start nothing.
    quiet: usize,
    commands: usize,
    misses: Vec<String>,
    /// Lines that start something and that nobody could tell, by reason.
    unknown: Vec<String>,
}

fn compare(jail: &Jail, lines: &[String]) -> Tally {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").unwrap(),
        home: AbsPath::parse("/home/dev").unwrap(),
        case: crate::NameCase::Counts,
    };
    let mut tally = Tally::default();
    for (line, commands) in lines.iter().zip(jail.run(lines)) {
        tally.lines += 1;
        let analysis = analyse(line, &at);
        if is_opaque(&analysis) {
            tally.opaque += 1;
            if !commands.is_empty() {
                let why = analysis
                    .effects
                    .list
                    .iter()
                    .find_map(|effect| match &effect.kind {
                        EffectKind::Opaque(opaque) => Some(opaque.why),
                        _ => None,
                    });
                tally.unknown.push(format!("{why:?} {line:?}"));
            }
            continue;
        }
        if commands.is_empty() {
            tally.quiet += 1;
        }
        for words in commands {
            tally.commands += 1;
            if !lists(&analysis, &words) {
                let mut miss = String::new();
                write!(miss, "{line:?} starts {words:?}, listed:\n{analysis}").unwrap();
                tally.misses.push(miss);
            }
        }
    }
    tally
}

/// Says that nothing can be compared; nobody who asks for the comparison gets a pass for it.
fn is_missing(why: &str) {
    assert!(
        std::env::var_os("POINTSMAN_TRUTH_REQUIRED").is_none(),
        "not compared: {why}"
    );
    eprintln!("not compared: {why}");
}

#[test]
fn bash_starts_nothing_that_is_not_listed() {
    let Some(jail) = Jail::new() else {
        is_missing(
            "there is no Bash here, or nobody may make a root folder of his own (unshare, chroot)",
        );
        return;
    };
    let count = std::env::var("POINTSMAN_TRUTH_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MUTANTS);
    let seeds = seeds();
    let mut dice = Dice(
        std::env::var("POINTSMAN_TRUTH_DICE")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0x9e37_79b9_7f4a_7c15),
    );
    let mut lines: Vec<String> = if count > MUTANTS {
        seeds.clone()
    } else {
        seeds.iter().step_by(7).cloned().collect()
    };
    lines.extend((0..count).map(|_| mutant(&seeds, &mut dice)));
    let tally = compare(&jail, &lines);
    if let Ok(path) = std::env::var("POINTSMAN_TRUTH_UNKNOWN") {
        std::fs::write(path, tally.unknown.join("\n")).unwrap();
    }
    let report = format!(
        "{} lines, {} commands; {} opaque ({} of them start something), {} quiet; {} misses\n{}",
        tally.lines,
        tally.commands,
        tally.opaque,
        tally.unknown.len(),
        tally.quiet,
        tally.misses.len(),
        tally.misses.join("\n")
    );
    if let Ok(path) = std::env::var("POINTSMAN_TRUTH_REPORT") {
        std::fs::write(path, &report).unwrap();
    }
    assert!(tally.commands > 200, "too little happened: {report}");
    assert!(tally.misses.is_empty(), "{report}");
}
