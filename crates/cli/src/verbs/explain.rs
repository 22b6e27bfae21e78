//! `pointsman explain`: the page of a reason.

use serde_json::json;

use crate::arguments::ExplainArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;

/// Each reason and its page.
const PAGES: [(&str, &str); 14] = [
    ("rule", include_str!("../../../../docs/reasons/rule.md")),
    (
        "ruleMayMatch",
        include_str!("../../../../docs/reasons/ruleMayMatch.md"),
    ),
    (
        "covered",
        include_str!("../../../../docs/reasons/covered.md"),
    ),
    ("mode", include_str!("../../../../docs/reasons/mode.md")),
    (
        "protectedPath",
        include_str!("../../../../docs/reasons/protectedPath.md"),
    ),
    (
        "criticalRemoval",
        include_str!("../../../../docs/reasons/criticalRemoval.md"),
    ),
    (
        "needsPerson",
        include_str!("../../../../docs/reasons/needsPerson.md"),
    ),
    (
        "outsideDirectories",
        include_str!("../../../../docs/reasons/outsideDirectories.md"),
    ),
    ("opaque", include_str!("../../../../docs/reasons/opaque.md")),
    ("hook", include_str!("../../../../docs/reasons/hook.md")),
    (
        "classifier",
        include_str!("../../../../docs/reasons/classifier.md"),
    ),
    (
        "nothingDecided",
        include_str!("../../../../docs/reasons/nothingDecided.md"),
    ),
    (
        "dontAsk",
        include_str!("../../../../docs/reasons/dontAsk.md"),
    ),
    (
        "nobodyCanAnswer",
        include_str!("../../../../docs/reasons/nobodyCanAnswer.md"),
    ),
];

/// Prints the page of the reason, or the list of all.
pub(super) fn run(arguments: &ExplainArguments, output: &mut Output) -> Result<Code, Failure> {
    match &arguments.reason {
        None => {
            for (name, page) in PAGES {
                output.text(&format!("{name:<20} {}\n", title(page)));
                output.object(&json!({ "reason": name, "title": title(page) }));
            }
        }
        Some(wanted) => {
            let (name, page) = page_of(wanted)?;
            output.text(page);
            output.object(&json!({ "reason": name, "title": title(page), "page": page }));
        }
    }
    Ok(Code::Done)
}

/// The page of that name; how it is capitalised does not matter.
fn page_of(wanted: &str) -> Result<(&'static str, &'static str), Failure> {
    PAGES
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .ok_or_else(|| {
            Failure::bad_input(format!("there is no reason `{wanted}`"))
                .hint("`pointsman explain` lists them")
        })
}

/// What the page's first line says behind the name.
fn title(page: &'static str) -> &'static str {
    let first = page.lines().next().unwrap_or_default();
    first.split_once(": ").map_or(first, |(_, title)| title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::{DecisionReason, PermissionMode};
    use pointsman_surfaces::render::reason_kind;

    #[test]
    fn each_page_says_in_its_first_line_what_it_is_about() {
        for (name, page) in PAGES {
            assert!(page.starts_with(&format!("# {name}: ")), "{name}");
            assert!(!title(page).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_reason_is_found_by_the_name_that_decisions_carry() {
        let reason = DecisionReason::DontAsk {
            question: Box::new(DecisionReason::Mode {
                mode: PermissionMode::Plan,
            }),
        };
        assert_eq!(page_of(reason_kind(&reason)).unwrap().0, "dontAsk");
        assert!(page_of("nonsense").is_err());
    }
}
