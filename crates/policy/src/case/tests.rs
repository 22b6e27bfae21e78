use super::*;

/// Where the corpora lie.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus");

fn results(file: &str) -> Vec<(CaseResult, String)> {
    let text = std::fs::read_to_string(format!("{CORPUS}/{file}.jsonl")).unwrap();
    text.lines()
        .map(|line| (run_case(line).unwrap(), line.to_owned()))
        .collect()
}

#[test]
fn report() {
    for file in ["documented", "reported", "probes", "read_only", "observed"] {
        let all = results(file);
        let bad: Vec<_> = all.iter().filter(|(it, _)| !it.ok).collect();
        println!(
            "== {file}: {} of {} agree",
            all.len() - bad.len(),
            all.len()
        );
        for (it, line) in bad {
            let raw: serde_json::Value = serde_json::from_str(line).unwrap();
            println!(
                "{} | {} for {:?} | {} {} | {} | {}",
                it.id,
                it.decision,
                it.expected,
                raw["mode"],
                raw["input"],
                raw["settings"]["permissions"],
                serde_json::to_string(&it.reason)
                    .unwrap()
                    .chars()
                    .take(200)
                    .collect::<String>()
            );
        }
    }
}
