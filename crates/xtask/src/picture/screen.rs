//! From the bytes that a terminal was sent to what stood on it in the end: lines of coloured text.
//!
//! It knows the three things that pointsman sends: a carriage return, the clearing of a line, colours.

/// A stretch of text in one colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) text: String,
    pub(super) colour: Colour,
}

/// The colours that pointsman uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Plain,
    Dim,
    Red,
    Green,
    Yellow,
}

/// The lines in the end.
pub(super) fn lines(sent: &str) -> Vec<Vec<Stretch>> {
    let mut lines = vec![Vec::new()];
    let mut colour = Colour::Plain;
    let mut rest = sent;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        let line = match lines.last_mut() {
            Some(line) => line,
            None => return lines,
        };
        match char {
            '\n' => lines.push(Vec::new()),
            '\r' if rest.starts_with('\n') => {}
            '\r' if rest.starts_with("\u{1b}[K") => line.clear(),
            '\u{1b}' => {
                let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
                let (code, after) = rest.split_at(end);
                colour = match (code, after.chars().next()) {
                    ("[0", Some('m')) => Colour::Plain,
                    ("[2", Some('m')) => Colour::Dim,
                    ("[31", Some('m')) => Colour::Red,
                    ("[32", Some('m')) => Colour::Green,
                    ("[33", Some('m')) => Colour::Yellow,
                    _ => colour,
                };
                rest = after.get(1..).unwrap_or_default();
            }
            plain => push(line, plain, colour),
        }
    }
    lines
}

fn push(line: &mut Vec<Stretch>, char: char, colour: Colour) {
    match line.last_mut() {
        Some(last) if last.colour == colour => last.text.push(char),
        Some(_) | None => line.push(Stretch {
            text: char.into(),
            colour,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redrawn_line_stands_once_and_colours_are_kept() {
        let sent = "r1-1> al\r\u{1b}[Kdocs  \u{1b}[32mallow\u{1b}[0m  ls\r\nr1-1> \r\u{1b}[Kend";
        let stretch = |text: &str, colour| Stretch {
            text: text.into(),
            colour,
        };
        assert_eq!(
            lines(sent),
            [
                vec![
                    stretch("docs  ", Colour::Plain),
                    stretch("allow", Colour::Green),
                    stretch("  ls", Colour::Plain)
                ],
                vec![stretch("end", Colour::Plain)],
            ]
        );
    }
}
