//! The usual forms of plain wrappers: those behind which an allow rule for the inner command holds.
//!
//! In any other form what they start is looked up by deny and ask rules alone, as behind `sudo`.

use crate::field::Field;

/// Whether the wrapper steps aside for allow rules, called like this.
pub(super) fn steps_aside(name: &str, args: &[Field]) -> bool {
    let options: Vec<&str> = args
        .iter()
        .map_while(Field::text)
        .take_while(|text| text.starts_with('-'))
        .collect();
    match name {
        // `nocorrect` is a word of zsh alone; elsewhere it is whatever program has that name.
        "nocorrect" => false,
        "time" | "gtime" => options.is_empty(),
        "stdbuf" => match options.as_slice() {
            [one] => !one.starts_with("--"),
            _ => false,
        },
        "nice" => options.iter().all(|option| !option.starts_with("--")),
        "timeout" | "gtimeout" => args.iter().filter_map(Field::text).any(is_duration),
        _ => true,
    }
}

/// `10`, `0.5`, `10s`, `2m`.
fn is_duration(text: &str) -> bool {
    let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    number.starts_with(|char: char| char.is_ascii_digit())
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}
