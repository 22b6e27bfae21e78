//! Writes what the fuzzer starts from: `seeds lines FOLDER` or `seeds settings FOLDER`.
//!
//! Command lines and settings of the corpora, kept lines of the analyser's own tests, and all that
//! was found before. One file a seed.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::Value;

const CORPORA: [&str; 5] = ["documented", "observed", "probes", "read_only", "reported"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(kind), Some(folder)) = (args.next(), args.next()) else {
        return Err("say `lines` or `settings`, and a folder".into());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seeds = Vec::new();
    for corpus in CORPORA {
        let text = fs::read_to_string(root.join(format!("tests/corpus/{corpus}.jsonl")))?;
        for line in text.lines() {
            let case: Value = serde_json::from_str(line)?;
            seeds.extend(match kind.as_str() {
                "lines" => command(&case),
                _ => case
                    .get("settings")
                    .map(|settings| settings.to_string().into_bytes()),
            });
        }
    }
    if kind == "lines" {
        let shell = root.join("crates/shell/src");
        let kept = fs::read_to_string(shell.join("truth/seeds.txt"))?;
        let lines = fs::read_to_string(shell.join("analysis/lines.txt"))?;
        let lines = lines.lines().filter_map(|line| line.strip_prefix("$ "));
        let lines = kept.lines().chain(lines);
        seeds.extend(lines.map(|line| line.replace("\\n", "\n").into_bytes()));
    }
    let kept = if kind == "lines" { "line" } else { "settings" };
    for entry in fs::read_dir(root.join("fuzz/kept").join(kept))? {
        seeds.push(fs::read(entry?.path())?);
    }
    seeds.sort();
    seeds.dedup();
    fs::create_dir_all(&folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(Path::new(&folder).join(format!("seed-{number:05}")), seed)?;
    }
    Ok(())
}

fn command(case: &Value) -> Option<Vec<u8>> {
    let command = case.get("input")?.get("command")?.as_str()?;
    Some(command.as_bytes().to_vec())
}
