//! Lines of coloured text as an SVG of a terminal window.

use std::fmt::Write as _;

use super::screen::{Colour, Stretch};

/// Characters a line may have; longer ones are cut with a mark.
const COLUMNS: usize = 102;
/// Width of a character and height of a line, in pixels, for 13 px of the common monospace fonts.
const CHAR_WIDTH: f32 = 7.8;
const LINE_HEIGHT: usize = 18;
/// Room around the text, in pixels.
const MARGIN: usize = 16;

/// Draws the lines below the command that led to them.
pub(super) fn draw(command: &str, lines: &[Vec<Stretch>]) -> String {
    let mut rows = vec![vec![Stretch {
        text: command.into(),
        colour: Colour::Dim,
    }]];
    rows.extend(lines.iter().cloned());
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    let height = rows.len() * LINE_HEIGHT + 2 * MARGIN;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a line has a few hundred characters"
    )]
    let width = COLUMNS as f32 * CHAR_WIDTH + 2.0 * MARGIN as f32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#14171c\"/>\n"
    );
    for (at, row) in rows.iter().enumerate() {
        let y = MARGIN + LINE_HEIGHT * at + LINE_HEIGHT - 5;
        // Writing into a String can't fail.
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{}</text>",
            spans(row)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn spans(row: &[Stretch]) -> String {
    let mut spans = String::new();
    let mut room = COLUMNS;
    for stretch in row {
        let count = stretch.text.chars().count();
        let kept: String = if count > room {
            let cut = stretch.text.chars().take(room.saturating_sub(1));
            cut.chain(['…']).collect()
        } else {
            stretch.text.clone()
        };
        room = room.saturating_sub(count);
        // Writing into a String can't fail.
        let _ = write!(
            spans,
            "<tspan fill=\"{}\">{}</tspan>",
            fill(stretch.colour),
            escaped(&kept)
        );
        if room == 0 {
            break;
        }
    }
    spans
}

fn fill(colour: Colour) -> &'static str {
    match colour {
        Colour::Plain => "#d7dae0",
        Colour::Dim => "#7d8590",
        Colour::Red => "#ff7b72",
        Colour::Green => "#7ee787",
        Colour::Yellow => "#e3b341",
        Colour::Blue => "#79c0ff",
        Colour::Strong => "#ffffff",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
