//! Settings and rules of any bytes are read, and survive being printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pointsman_policy::checks::{rules_survive_printing, settings_survive_printing};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let both = rules_survive_printing(&text).and_then(|()| settings_survive_printing(bytes));
    if let Err(what) = both {
        panic!("{text:?}\n{what}");
    }
});
