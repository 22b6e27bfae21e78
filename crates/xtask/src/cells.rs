//! Cells of a terminal as SVG: text, colours, bold and reversed, nothing else is used.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// Width of a column and height of a row, in pixels, for 13 px of the common monospace fonts.
const COLUMN: f32 = 7.8;
const ROW: u16 = 18;
/// Room around the text, in pixels.
const MARGIN: u16 = 14;
/// The terminal's own colours, as a dark theme has them.
const GROUND: &str = "#14171c";
const TEXT: &str = "#d5dae1";
const SIXTEEN: [&str; 16] = [
    "#2b303b", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
    "#6b7280", "#f28b93", "#b5d99c", "#f0d49b", "#8cc8ff", "#dd9bf0", "#7fd3dd", "#ffffff",
];

/// How a stretch of cells looks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Style {
    text: String,
    ground: Option<String>,
    weight: Weight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Usual,
    Bold,
    Faint,
}

/// What stands one below the other in a picture.
pub(crate) enum Part {
    /// A command as it was typed.
    Command(&'static str),
    /// What is on a screen, rows at its end that hold nothing left out.
    Screen(Screen),
}

impl Part {
    /// How many rows it takes.
    fn rows(&self) -> u16 {
        match self {
            Self::Command(_) => 1,
            Self::Screen(screen) => {
                let (rows, columns) = screen.size();
                (0..rows)
                    .rev()
                    .find(|row| (0..columns).any(|column| is_drawn(screen.cell(*row, column))))
                    .map_or(1, |last| last + 1)
            }
        }
    }
}

/// Draws the parts with a row between them. `instead` is written in place of texts that are no part of a picture, like
/// the folder of this checkout.
pub(crate) fn draw(parts: &[Part], instead: &[(&str, &str)]) -> String {
    let columns = |part: &Part| match part {
        Part::Command(_) => 0,
        Part::Screen(screen) => screen.size().1,
    };
    let widest = parts.iter().map(columns).max().unwrap_or(0);
    let width = f32::from(widest) * COLUMN + 2.0 * f32::from(MARGIN);
    let between = u16::try_from(parts.len()).unwrap_or(1).saturating_sub(1);
    let rows = parts.iter().map(Part::rows).sum::<u16>() + between;
    let height = rows * ROW + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{GROUND}\"/>\n"
    );
    let mut top = MARGIN;
    for part in parts {
        match part {
            Part::Command(command) => {
                // Writing into a String can't fail.
                let _ = writeln!(
                    svg,
                    "<text x=\"{MARGIN}\" y=\"{}\" xml:space=\"preserve\" fill=\"{TEXT}\" opacity=\"0.6\">{}</text>",
                    top + ROW - 5,
                    escaped(command)
                );
            }
            Part::Screen(screen) => {
                for row in 0..part.rows() {
                    draw_row(screen, row, top + row * ROW, instead, &mut svg);
                }
            }
        }
        top += (part.rows() + 1) * ROW;
    }
    svg.push_str("</svg>\n");
    svg
}

fn is_drawn(cell: Option<&Cell>) -> bool {
    cell.is_some_and(|cell| !cell.contents().trim().is_empty() || cell.inverse())
}

fn draw_row(screen: &Screen, row: u16, top: u16, instead: &[(&str, &str)], svg: &mut String) {
    let (_, columns) = screen.size();
    let mut stretches: Vec<(u16, u16, Style, String)> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        if cell.is_wide_continuation() {
            if let Some((_, wide, ..)) = stretches.last_mut() {
                *wide += 1;
            }
            continue;
        }
        let style = style_of(cell);
        let text = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        match stretches.last_mut() {
            Some((_, wide, last, written)) if *last == style => {
                written.push_str(text);
                *wide += 1;
            }
            _ => stretches.push((column, 1, style, text.to_owned())),
        }
    }
    for (column, wide, style, text) in stretches {
        let x = f32::from(MARGIN) + f32::from(column) * COLUMN;
        let span = f32::from(wide) * COLUMN;
        // Writing into a String can't fail.
        if let Some(ground) = &style.ground {
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{top}\" width=\"{span:.1}\" height=\"{ROW}\" fill=\"{ground}\"/>"
            );
        }
        if text.trim().is_empty() {
            continue;
        }
        let (shown, span) = in_place(&text, span, instead);
        let weight = match style.weight {
            Weight::Usual => "",
            Weight::Bold => " font-weight=\"bold\"",
            Weight::Faint => " opacity=\"0.6\"",
        };
        // Fonts differ in width; columns don't.
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" xml:space=\"preserve\" textLength=\"{:.1}\" fill=\"{}\"{weight}>{}</text>",
            top + ROW - 5,
            span,
            style.text,
            escaped(&shown)
        );
    }
}

/// The text as it is shown, and its width: that of its cells, or of what stands in its place.
fn in_place(text: &str, span: f32, instead: &[(&str, &str)]) -> (String, f32) {
    let shown = instead
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    if shown == text {
        return (shown, span);
    }
    // What fills the row up would go beyond its end.
    let shown = shown.trim_end().to_owned();
    let columns = u16::try_from(shown.chars().count()).unwrap_or(u16::MAX);
    (shown, f32::from(columns) * COLUMN)
}

fn style_of(cell: &Cell) -> Style {
    let text = colour(cell.fgcolor());
    let ground = colour(cell.bgcolor());
    let (text, ground) = if cell.inverse() {
        (
            ground.unwrap_or_else(|| GROUND.into()),
            Some(text.unwrap_or_else(|| TEXT.into())),
        )
    } else {
        (text.unwrap_or_else(|| TEXT.into()), ground)
    };
    let weight = match (cell.bold(), cell.dim()) {
        (true, _) => Weight::Bold,
        (false, true) => Weight::Faint,
        (false, false) => Weight::Usual,
    };
    Style {
        text,
        ground,
        weight,
    }
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(index) => SIXTEEN
            .get(usize::from(index))
            .map(|colour| (*colour).to_owned()),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_place_of_a_longer_or_a_shorter_text_is_as_wide_as_it_is() {
        let check = |text: &str, from: &str, shown: &str, columns: f32| {
            let cells = f32::from(u16::try_from(text.chars().count()).unwrap()) * COLUMN;
            let expect = (shown.to_owned(), columns * COLUMN);
            assert_eq!(in_place(text, cells, &[(from, "/home/me")]), expect);
        };
        check("in /w    ", "/w", "in /home/me", 11.0);
        check("in /tmp/.tmpAbCdEf", "/tmp/.tmpAbCdEf", "in /home/me", 11.0);
        check("in it    ", "/w", "in it    ", 9.0);
        assert_eq!(
            in_place("漢字", 4.0 * COLUMN, &[]),
            ("漢字".into(), 4.0 * COLUMN)
        );
    }
}
