//! The parts of a command line as a tree, each with what it would do.

use pointsman_model::Effects;
use pointsman_shell::{Nesting, Part};
use pointsman_surfaces::render::effect_line;
use pointsman_surfaces::shown;
use serde_json::{Value, json};

/// Deepest indentation; what is nested deeper is drawn there.
const DEPTH_MAX: usize = 16;

/// The tree, ending in a line feed.
pub(super) fn text(parts: &[Part], effects: &Effects) -> String {
    let mut text = String::new();
    for (number, part) in parts.iter().enumerate() {
        let indent = "  ".repeat(depth(parts, part).saturating_add(1));
        let how = match part.nesting {
            Nesting::Line => "",
            Nesting::Substitution => "in a substitution: ",
            Nesting::Wrapped => "which starts: ",
            Nesting::Script => "which runs as a script: ",
            Nesting::Function => "in the function: ",
        };
        text.push_str(&format!("{indent}{how}{}\n", shown::line(&part.text)));
        let its = effects
            .list
            .iter()
            .filter(|effect| usize::try_from(effect.part) == Ok(number));
        for effect in its {
            text.push_str(&format!("{indent}  · {}\n", effect_line(effect)));
        }
    }
    text
}

/// The parts for a program.
pub(super) fn objects(parts: &[Part]) -> Vec<Value> {
    parts
        .iter()
        .map(|part| {
            let nesting = match part.nesting {
                Nesting::Line => "line",
                Nesting::Substitution => "substitution",
                Nesting::Wrapped => "wrapped",
                Nesting::Script => "script",
                Nesting::Function => "function",
            };
            json!({
                "text": &*part.text,
                "span": part.span,
                "within": part.within,
                "nesting": nesting,
            })
        })
        .collect()
}

/// How many parts this one is nested in.
fn depth(parts: &[Part], part: &Part) -> usize {
    let mut depth = 0;
    let mut at = part;
    while let Some(outer) = at
        .within
        .and_then(|number| parts.get(usize::try_from(number).ok()?))
    {
        depth += 1;
        at = outer;
        if depth >= DEPTH_MAX {
            break;
        }
    }
    depth
}
