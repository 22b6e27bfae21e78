//! The word somebody probably meant.

/// The one of `known` that is nearest to `word`; `None` when none is near enough to be meant.
///
/// Near enough is a third of the word's characters wrong, one at the least: `timout` for `timeout`, not `x` for `y`.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let wrong_max = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, candidate)| {
            *distance <= wrong_max && *distance < candidate.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint for an unknown word: the nearest known one, or all of them when none is near.
pub(super) fn hint_for(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it is one of: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let known = ["timeout_s", "tools", "mode", "needs"];
        assert_eq!(nearest("timout_s", known), Some("timeout_s"));
        assert_eq!(nearest("Tools", known), Some("tools"));
        assert_eq!(nearest("tool", known), Some("tools"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
