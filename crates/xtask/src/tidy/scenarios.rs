//! `docs/scenarios.md`: a row for each reported scenario, and a test behind each word of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::{Fault, Kind, entries, read};

const CORPUS: &str = "tests/corpus/scenarios.jsonl";
const PAGE: &str = "docs/scenarios.md";

/// Marks the rows that asking itself has to get right.
const ASKING: &str = " ●";

/// How many of a hundred of those must be covered.
const COVERED_PERCENT: usize = 95;

/// How a row begins that no test covers, and why.
const UNCOVERED: [&str; 2] = ["waits for ", "does not apply: "];

pub(super) fn check(root: &Path) -> Result<Vec<Fault>> {
    if !root.join(CORPUS).exists() {
        return Ok(Vec::new());
    }
    let wanted = ids(&read(root, Path::new(CORPUS))?)?;
    let page = read(root, Path::new(PAGE))?;
    Ok(faults(&page, &wanted, &tests_of(root)?)
        .into_iter()
        .map(|text| Fault {
            file: PathBuf::from(PAGE),
            text,
        })
        .collect())
}

fn ids(corpus: &str) -> Result<BTreeSet<String>> {
    corpus
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line)?;
            let id = line.get("id").and_then(|id| id.as_str());
            id.map(Into::into).context("a line of the corpus has no id")
        })
        .collect()
}

fn faults(page: &str, wanted: &BTreeSet<String>, tests: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut asking, mut covered) = (0_usize, 0_usize);
    for line in page.lines() {
        let Some((name, text)) = row(line) else {
            continue;
        };
        let id = name.trim_end_matches(ASKING);
        *seen.entry(id).or_default() += 1;
        if !wanted.contains(id) {
            faults.push(format!("`{id}` is no line of the corpus"));
        }
        let named: Vec<&str> = names(text).collect();
        for name in &named {
            if !tests.contains(*name) {
                faults.push(format!(
                    "`{id}` names the test `{name}`, which does not exist"
                ));
            }
        }
        let is_covered = !UNCOVERED.iter().any(|begin| text.starts_with(begin));
        if is_covered && named.is_empty() {
            faults.push(format!("`{id}` names no test and says not why"));
        }
        if name.ends_with(ASKING) {
            asking += 1;
            covered += usize::from(is_covered);
        }
    }
    for id in wanted {
        match seen.get(id.as_str()) {
            Some(1) => {}
            None => faults.push(format!("`{id}` is missing")),
            Some(rows) => faults.push(format!("`{id}` has {rows} rows")),
        }
    }
    if covered * 100 < asking * COVERED_PERCENT {
        faults.push(format!(
            "of {asking} scenarios of asking only {covered} are covered; {COVERED_PERCENT} in a hundred have to be"
        ));
    }
    faults
}

/// The two cells of a row of a table, but for the tables' heads.
fn row(line: &str) -> Option<(&str, &str)> {
    let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let (name, text) = cells.split_once(" | ")?;
    (name != "line").then_some((name, text))
}

/// The names of tests in a cell: what is set as code and looks like one.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|code| {
        code.contains('_')
            && code
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
}

/// The names of all tests of the repository.
fn tests_of(root: &Path) -> Result<BTreeSet<String>> {
    let mut tests = BTreeSet::new();
    let mut folders = vec![PathBuf::from("crates"), PathBuf::from("tests")];
    while let Some(folder) = folders.pop() {
        for (path, kind) in entries(root, &folder)? {
            match kind {
                Kind::Folder => folders.push(path),
                Kind::File if path.extension().is_some_and(|ext| ext == "rs") => {
                    tests.extend(tests_in(&read(root, &path)?));
                }
                Kind::File => {}
            }
        }
    }
    Ok(tests)
}

/// The functions that stand behind an attribute of a test.
fn tests_in(source: &str) -> Vec<String> {
    let mut tests = Vec::new();
    let mut behind_attribute = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            behind_attribute = true;
        }
        let function = line
            .strip_prefix("async fn ")
            .or_else(|| line.strip_prefix("fn "));
        if let Some(name) = function.and_then(|function| function.split('(').next())
            && std::mem::take(&mut behind_attribute)
        {
            tests.push(name.into());
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn each_fault_of_the_page_of_scenarios_is_found() {
        let page = "\
| line | what became of it |
|---|---|
| good ● | `a_test_that_is_there` |
| later | waits for a thing; until then `a_test_that_is_there` |
| never | does not apply: no reason |
| wrong ● | `a_test_that_is_not` |
| bare | it is all right |
| twice | `a_test_that_is_there` |
| twice | `a_test_that_is_there` |
| strange | `a_test_that_is_there` |
| idle ● | waits for a thing |
";
        let wanted = set(&[
            "good", "later", "never", "wrong", "bare", "twice", "idle", "lost",
        ]);
        assert_eq!(
            faults(page, &wanted, &set(&["a_test_that_is_there"])),
            [
                "`wrong` names the test `a_test_that_is_not`, which does not exist",
                "`bare` names no test and says not why",
                "`strange` is no line of the corpus",
                "`lost` is missing",
                "`twice` has 2 rows",
                "of 3 scenarios of asking only 2 are covered; 95 in a hundred have to be",
            ]
        );
    }

    #[test]
    fn tests_are_told_from_other_functions() {
        let source = "\
#[test]
#[cfg(unix)]
fn one() {}
fn helper() {}
    #[tokio::test(start_paused = true)]
    async fn two() {}
";
        assert_eq!(tests_in(source), ["one", "two"]);
    }
}
