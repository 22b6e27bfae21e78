//! Both gears and the second opinion read a line in the same way.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let line = String::from_utf8_lossy(bytes);
    if let Err(what) = pointsman_shell::checks::gears_agree(&line) {
        panic!("{line:?}\n{what}");
    }
});
