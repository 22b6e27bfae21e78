//! Blanks, line feeds and comments change nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let line = String::from_utf8_lossy(bytes);
    if let Err(what) = pointsman_shell::checks::spacing_changes_nothing(&line) {
        panic!("{line:?}\n{what}");
    }
});
