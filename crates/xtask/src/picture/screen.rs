//! From the cells of a terminal to lines of coloured text.

use vt100::{Cell, Color, Screen};

/// A stretch of text in one colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) text: String,
    pub(super) colour: Colour,
}

/// The looks that pointsman uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Plain,
    Dim,
    Strong,
    Red,
    Green,
    Yellow,
    Blue,
}

/// The lines of a screen, without the empty ones at its end.
pub(super) fn lines(screen: &Screen) -> Vec<Vec<Stretch>> {
    let (rows, columns) = screen.size();
    let mut lines: Vec<Vec<Stretch>> = (0..rows)
        .map(|row| {
            let mut line = Vec::new();
            for column in 0..columns {
                if let Some(cell) = screen.cell(row, column)
                    && !cell.is_wide_continuation()
                {
                    push(&mut line, cell);
                }
            }
            trim(&mut line);
            line
        })
        .collect();
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn push(line: &mut Vec<Stretch>, cell: &Cell) {
    let text = if cell.has_contents() {
        cell.contents()
    } else {
        " "
    };
    let colour = colour_of(cell);
    match line.last_mut() {
        // Blanks have no colour that could be seen.
        Some(last) if last.colour == colour || text == " " => last.text.push_str(text),
        Some(_) | None => line.push(Stretch {
            text: text.into(),
            colour,
        }),
    }
}

fn colour_of(cell: &Cell) -> Colour {
    match cell.fgcolor() {
        Color::Idx(1 | 9) => Colour::Red,
        Color::Idx(2 | 10) => Colour::Green,
        Color::Idx(3 | 11) => Colour::Yellow,
        Color::Idx(4 | 6 | 12 | 14) => Colour::Blue,
        Color::Idx(8) => Colour::Dim,
        Color::Idx(_) | Color::Default | Color::Rgb(..) => match (cell.dim(), cell.bold()) {
            (true, _) => Colour::Dim,
            (false, true) => Colour::Strong,
            (false, false) if cell.inverse() => Colour::Strong,
            (false, false) => Colour::Plain,
        },
    }
}

/// Takes the blanks at the end away.
fn trim(line: &mut Vec<Stretch>) {
    while let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            return;
        }
        line.pop();
    }
}

/// Puts another folder in the place of one in a line, and keeps what stands to its right where it is.
pub(super) fn moved(line: &mut [Stretch], from: &str, to: &str) {
    let mut shift = 0_usize;
    for stretch in line {
        let before = stretch.text.chars().count();
        stretch.text = stretch.text.replace(from, to);
        shift += stretch.text.chars().count().saturating_sub(before);
        // A run of blanks makes up for what became longer.
        while shift > 0 && stretch.text.contains("   ") {
            stretch.text = stretch.text.replacen("   ", "  ", 1);
            shift -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(text: &str, colour: Colour) -> Stretch {
        Stretch {
            text: text.into(),
            colour,
        }
    }

    #[test]
    fn cells_of_one_look_are_one_stretch_and_blanks_at_the_end_are_none() {
        let mut parser = vt100::Parser::new(3, 20, 0);
        parser.process(b"docs \x1b[32mallow\x1b[0m ls\r\nend   ");
        assert_eq!(
            lines(parser.screen()),
            [
                vec![
                    stretch("docs ", Colour::Plain),
                    stretch("allow ", Colour::Green),
                    stretch("ls", Colour::Plain)
                ],
                vec![stretch("end", Colour::Plain)],
            ]
        );
    }

    #[test]
    fn what_stands_to_the_right_of_a_folder_stays_there() {
        let mut line = [stretch("in /a/b       │", Colour::Plain)];
        moved(&mut line, "/a/b", "/home/me");
        assert_eq!(line, [stretch("in /home/me   │", Colour::Plain)]);
    }
}
