//! Time and memory grow with the line and no faster: work, allocations and bytes are counted for lines
//! of one kind and growing length, of every kind that could make somebody walk in circles.
//!
//! Each line runs on a thread with little stack, so that depth is bounded too.

use std::fmt::Write as _;

use allocation_counter::measure;

use super::surroundings;
use crate::{analyse, work};

/// The lengths that are compared, in bytes. The last one is near the full parser's limit.
const LENGTHS: [usize; 3] = [1_900, 7_600, 30_400];

/// How much more a byte of a long line may cost than a byte of a short one.
const GROWTH: u64 = 2;

/// What counts as nothing: costs of a line that do not come of its length.
const FIXED: u64 = 60_000;

/// A kind of lines: what it repeats, between what opens and what closes it.
struct Family {
    name: &'static str,
    front: &'static str,
    /// `#` becomes a number, another one each time.
    each: &'static str,
    middle: &'static str,
    close: &'static str,
    back: &'static str,
}

const fn flat(name: &'static str, each: &'static str) -> Family {
    nested(name, each, "", "")
}

const fn nested(
    name: &'static str,
    each: &'static str,
    middle: &'static str,
    close: &'static str,
) -> Family {
    Family {
        name,
        front: "",
        each,
        middle,
        close,
        back: "",
    }
}

const fn within(
    name: &'static str,
    front: &'static str,
    each: &'static str,
    back: &'static str,
) -> Family {
    Family {
        name,
        front,
        each,
        middle: "",
        close: "",
        back,
    }
}

const FAMILIES: [Family; 72] = [
    flat("parts", "ls -la; "),
    flat("and", "ls && "),
    within("pipeline", "ls", " | wc -l", ""),
    within("words", "echo", " a", ""),
    within("one long word", "echo ", "a", ""),
    within("quoted word", "echo \"", "a ", "\" $x"),
    within("quotes", "echo $x", " 'a'\"b\"", ""),
    within("glued quotes", "echo $x", "'a'\"b\"", ""),
    within("escapes", "echo ", "\\a", ""),
    within("decoded", "echo $'", "\\n", "'"),
    within("redirects", "ls", " >f#", ""),
    within("copies", "ls", " 2>&1", ""),
    flat("documents", "cat <<E\nx\nE\n"),
    within("documents of one line", "cat", " <<E", "\n"),
    within("a document", "cat <<E\n", "a $x b\n", "E\n"),
    within("a document with backslashes", "cat <<E\n", "a\\\n", "E\n"),
    within("a quoted document", "cat <<'E'\n", "a $x b\n", "E\n"),
    within("here-strings", "cat", " <<< $x", ""),
    nested("substitutions", "echo \"$(", "a", ")\""),
    nested("substitutions of programs", "ls $(", "a", ")"),
    nested("counting substitutions", "wc -l $(ls | wc -l $(", "a", "))"),
    nested("process substitutions", "cat <(", "a", ")"),
    nested("subshells", "( ", "a", " )"),
    nested("tight subshells", "(", "a", ")"),
    nested("groups", "{ ", "a", "; }"),
    nested("ifs", "if ", "a", "; then b; fi"),
    nested("loops", "while ", "a", "; do b; done"),
    nested("bodies", "while :; do x=#; ", "a", "; done"),
    nested("for", "for i in a b; do ", "a $i", "; done"),
    nested("cases", "case x in y) ", "a", ";; esac"),
    nested("functions", "f() { ", "a", "; }"),
    nested("negations", "! ", "a", ""),
    nested("times", "time ", "a", ""),
    nested("defaults", "echo ${x:-", "a", "}"),
    nested("arithmetic", "echo $((1+", "1", "))"),
    nested("no arithmetic", "echo $((a); ", "a", " )"),
    nested("commands that are no arithmetic", "((a); ", "a", " )"),
    nested("subscripts", "a[$(", "a", ")]=1"),
    nested("subscripts of nothing", "a[$(", "a", ")]b"),
    nested("declared", "declare a=$(", "a", ")"),
    nested("declared subscripts", "declare a[$(", "a", ")]=1"),
    within("assignments", "", "x=1 ", "ls"),
    flat("variables", "x=a; echo $x; "),
    flat("many variables", "x#=a; "),
    flat("growing variables", "x=$x$x; "),
    within("a variable in words", "x=abcdefghijklmnop; echo", " $x", ""),
    within("a list in words", "x=(a b c d); echo", " \"${x[@]}\"", ""),
    within("arrays", "x=(", "a ", ")"),
    within("braces", "echo", " {a,b}", ""),
    within("counted braces", "echo", " {1..200}", ""),
    within("glued braces", "echo ", "{a,b}", ""),
    within("open braces", "echo ", "{a,", ""),
    nested("nested braces", "{a,", "b", "}"),
    flat("calls of a function", "f() { echo a; }; f; "),
    within(
        "calls of one function",
        "f() { echo \"aaaaaaaaaaaaaaaaaaaaaaaaaa\"; }; ",
        "f; ",
        "",
    ),
    within("a loop's body", "for i in 1 2 3; do ", "ls a#; ", "done"),
    within("a loop's words", "for i in 1 2 3; do ls", " a#", "; done"),
    within("names in an expression", "((", "a#=1,", "1))"),
    Family {
        name: "sums in an expression",
        front: "a=1; ((a=1",
        each: "+1",
        middle: "",
        close: ",a=1",
        back: "))",
    },
    within("functions of code", "perl -e '", "systemq(", "'"),
    within("closed functions of code", "perl -e '", "systemq(", ")'"),
    within("strings of code", "perl -e '", "\"rm\",", "'"),
    within("a condition", "[[ a", " && b", " ]]"),
    within("pushed folders", "", "pushd a; ", ""),
    within("wrappers", "", "sudo ", "rm x"),
    within(
        "wrappers with unknown options",
        "",
        "sudo --what x ",
        "rm x",
    ),
    within(
        "a wrapped word",
        "sudo -Q xargs -Q timeout -Q env -Q nice -Q echo ",
        "a",
        " b",
    ),
    flat("open everything", "$(`'\"{<&;|\n"),
    flat("open substitutions", "$("),
    flat("open arithmetic", "$(("),
    flat("open parentheses", "(("),
    flat("continued lines", "a\\\n"),
];

/// Constructs inside each other in one block of the lines that have many blocks.
const BLOCK_DEPTH: usize = 30;

/// The line of that kind and about that length: as deep as it gets.
fn line(family: &Family, length: usize) -> String {
    let round = family.each.len() + family.close.len();
    let rounds = length.saturating_sub(family.front.len() + family.back.len()) / round;
    block(family, rounds)
}

/// The line that repeats what is as deep as people may write it.
fn blocks(family: &Family, length: usize) -> String {
    let block = block(family, BLOCK_DEPTH) + "\n";
    block.repeat(length / block.len())
}

fn block(family: &Family, rounds: usize) -> String {
    let mut line = family.front.to_owned();
    for number in 0..rounds {
        write!(line, "{}", family.each.replace('#', &number.to_string())).unwrap();
    }
    line.push_str(family.middle);
    line.push_str(&family.close.repeat(rounds));
    line.push_str(family.back);
    line
}

/// Units of work, allocations, bytes held at the same time.
fn cost(line: String) -> [u64; 3] {
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let thread = small.spawn(move || {
        let at = surroundings();
        let _ = work::take();
        let memory = measure(|| drop(analyse(&line, &at)));
        [work::take(), memory.count_total, memory.bytes_max]
    });
    thread.unwrap().join().unwrap()
}

#[track_caller]
fn check(make: fn(&Family, usize) -> String) {
    let mut faults = String::new();
    for family in &FAMILIES {
        let mut costs = Vec::new();
        for length in LENGTHS {
            let line = make(family, length);
            costs.push((line.len() as u64, cost(line)));
        }
        if std::env::var_os("POINTSMAN_GROWTH").is_some() {
            println!("{:32} {costs:?}", family.name);
        }
        for (what, number) in [("work", 0), ("allocations", 1), ("bytes", 2)] {
            let (short, of_short) = (costs[0].0, costs[0].1[number]);
            for (long, of_long) in &costs[1..] {
                let got = of_long[number];
                if got > FIXED + GROWTH * of_short.max(short) * long / short {
                    let name = family.name;
                    writeln!(
                        faults,
                        "{name}: {got} {what} for {long} bytes, {of_short} for {short}"
                    )
                    .unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn time_and_memory_grow_no_faster_than_the_line() {
    check(line);
}

#[test]
fn time_and_memory_grow_no_faster_than_lines_of_deep_blocks() {
    check(blocks);
}
