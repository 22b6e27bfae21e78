//! What reading a command line costs, beside the bare parsers in the same run.
//!
//! `analyse` is everything: both gears, the second opinion, the walk, the tables. `rable` and
//! `tree_sitter` only parse. Allocations are counted beside the time.

#![expect(
    clippy::expect_used,
    reason = "a bench that can not be set up has nothing to measure"
)]

use std::hint::black_box;

use divan::{AllocProfiler, Bencher};
use pointsman_model::AbsPath;
use pointsman_shell::{Surroundings, analyse};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const NAMES: [&str; 8] = [
    "plain 60 B",
    "quoted 60 B",
    "expanding 60 B",
    "compound 400 B",
    "nested 12 deep",
    "nested 64 deep",
    "500 parts",
    "garbage 1 MiB",
];

fn main() {
    divan::main();
}

fn line(name: &str) -> String {
    match name {
        "plain 60 B" => "cargo test --workspace --all-features -- --test-threads=8 -q".into(),
        "quoted 60 B" => "git commit -m 'model: say what a run is' -m \"and why\" -- src/a".into(),
        "expanding 60 B" => "grep -rn \"$PATTERN\" src/*.rs 2>/dev/null | head -n 20 > out.txt".into(),
        "compound 400 B" => concat!(
            "set -e; cd crates/shell && for f in src/*.rs; do if grep -q \"fn main\" \"$f\"; then echo \"== $f\"; ",
            "wc -l < \"$f\"; fi; done; VERSION=$(git describe --tags 2>/dev/null || echo none) && echo \"at $VERSION\"; ",
            "cargo build --release 2>&1 | tail -n 20; [ -f target/release/tool ] && ./target/release/tool --check || exit 1; ",
            "find . -name '*.orig' -print0 | xargs -0 grep -l conflict; git status --short | sed -n '1,5p'; echo done"
        )
        .into(),
        "nested 12 deep" => format!("{}a{}", "echo \"$(".repeat(12), ")\"".repeat(12)),
        "nested 64 deep" => format!("{}a{}", "echo \"$(".repeat(64), ")\"".repeat(64)),
        "500 parts" => "ls -la; ".repeat(500),
        _ => "$(`'\"{<&;|\n".repeat(100_000),
    }
}

#[divan::bench(args = NAMES)]
fn analysed(bencher: Bencher<'_, '_>, name: &str) {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj").expect("an absolute path"),
        home: AbsPath::parse("/home/dev").expect("an absolute path"),
        case: pointsman_shell::NameCase::Counts,
    };
    let line = line(name);
    bencher.bench(|| analyse(black_box(&line), &at));
}

/// The second parser alone; it needs minutes for garbage.
#[divan::bench(args = NAMES.into_iter().filter(|name| !name.starts_with("garbage")))]
fn rable(bencher: Bencher<'_, '_>, name: &str) {
    let line = line(name);
    bencher.bench(|| rable::parse(black_box(&line), false));
}

#[divan::bench(args = NAMES)]
fn tree_sitter(bencher: Bencher<'_, '_>, name: &str) {
    let line = line(name);
    let mut parser = ::tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .expect("the grammar fits the library");
    bencher.bench_local(|| parser.parse(black_box(&line), None));
}
