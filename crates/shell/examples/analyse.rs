//! Prints what each line of standard input would do. `\n` in a line stands for a line feed when
//! `--escaped` is given.

use std::io::BufRead as _;

use pointsman_model::AbsPath;
use pointsman_shell::{Surroundings, analyse};

#[expect(clippy::print_stdout, reason = "a program for people")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = Surroundings {
        folder: AbsPath::parse("/w/proj")?,
        home: AbsPath::parse("/home/dev")?,
        case: pointsman_shell::NameCase::Counts,
    };
    let escaped = std::env::args().any(|arg| arg == "--escaped");
    for line in std::io::stdin().lock().lines() {
        let mut line = line?;
        if escaped {
            line = line.replace("\\n", "\n");
        }
        println!("{line}\n{}", analyse(&line, &at));
    }
    Ok(())
}
