//! The analysis of any bytes ends, within its bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let line = String::from_utf8_lossy(bytes);
    if let Err(what) = pointsman_shell::checks::stays_within_bounds(&line) {
        panic!("{line:?}\n{what}");
    }
});
