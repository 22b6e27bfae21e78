//! The lines between two `---` at the head of a file: the part of YAML that such files use, that is
//! one key a line with a text, a list in brackets, a list of `- ` lines, or a text of several lines
//! after `|` or `>`. Anything else is an error, not a guess.

/// One key with its value and where both begin, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) key_at: usize,
    pub(super) value: Value,
    pub(super) value_at: usize,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Nothing,
    Text(String),
    List(Vec<String>),
    /// Something with keys of its own; what it says is not read.
    Nested,
}

/// What can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontmatterError {
    pub(super) at: usize,
    pub(super) what: String,
}

/// A line with where it begins.
#[derive(Clone, Copy)]
struct Line<'t> {
    at: usize,
    text: &'t str,
}

/// The fields, and the text below them.
pub(super) fn fields(text: &str) -> Result<(Vec<Field>, &str), FrontmatterError> {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut body = None;
    for whole in text.split_inclusive('\n') {
        let line = Line {
            at,
            text: whole.trim_end_matches(['\n', '\r']),
        };
        at += whole.len();
        match (line.at, line.text.trim_end()) {
            (0, "---") => {}
            (0, _) => return Err(error(0, "the first line is not `---`")),
            (_, "---") => {
                body = text.get(at..);
                break;
            }
            _ => lines.push(line),
        }
    }
    match body {
        Some(body) => Ok((read(&lines)?, body)),
        None => Err(error(0, "the `---` that ends the head is missing")),
    }
}

fn read(lines: &[Line<'_>]) -> Result<Vec<Field>, FrontmatterError> {
    let mut fields: Vec<Field> = Vec::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if is_blank(line.text) {
            continue;
        }
        if line.text.starts_with([' ', '\t', '-']) {
            return Err(error(line.at, "this line belongs to no key"));
        }
        let Some((key, value)) = line.text.split_once(':') else {
            return Err(error(line.at, "here a `key: value` was expected"));
        };
        let key = key.trim().to_owned();
        if fields.iter().any(|field| field.key == key) {
            return Err(error(line.at, &format!("`{key}` is here twice")));
        }
        let value_at = line.at + line.text.len() - value.trim_start().len();
        let belongs = |line: &Line<'_>| {
            is_blank(line.text) || line.text.starts_with([' ', '\t']) || line.text.starts_with("- ")
        };
        let count = rest.iter().take_while(|line| belongs(line)).count();
        let (block, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        rest = after;
        let value = value_of(without_comment(value), block, value_at)?;
        fields.push(Field {
            key,
            key_at: line.at,
            value,
            value_at,
        });
    }
    Ok(fields)
}

/// The value after the colon, with the indented lines below it.
fn value_of(inline: &str, block: &[Line<'_>], at: usize) -> Result<Value, FrontmatterError> {
    let filled: Vec<&Line<'_>> = block.iter().filter(|line| !is_blank(line.text)).collect();
    match inline {
        "|" | "|-" | ">" | ">-" => {
            let joint = if inline.starts_with('|') { "\n" } else { " " };
            let texts: Vec<&str> = block.iter().map(|line| line.text.trim()).collect();
            Ok(Value::Text(texts.join(joint).trim().to_owned()))
        }
        "" if filled.is_empty() => Ok(Value::Nothing),
        "" if filled.iter().all(|line| is_item(line.text)) => {
            let items = filled.iter().map(|line| {
                let item = line
                    .text
                    .trim_start()
                    .strip_prefix("- ")
                    .unwrap_or_default();
                scalar(without_comment(item), line.at)
            });
            Ok(Value::List(items.collect::<Result<_, _>>()?))
        }
        "" => Ok(Value::Nested),
        _ if !filled.is_empty() => {
            let at = filled.first().map_or(at, |line| line.at);
            Err(error(
                at,
                "a text of several lines begins with `|` or `>` after its key",
            ))
        }
        list if list.starts_with('[') => {
            let Some(inner) = list
                .strip_prefix('[')
                .and_then(|list| list.strip_suffix(']'))
            else {
                return Err(error(at, "this list has no `]`"));
            };
            let items = super::outside_parentheses(inner);
            let items = items.iter().map(|item| scalar(item, at));
            Ok(Value::List(items.collect::<Result<_, _>>()?))
        }
        text => Ok(Value::Text(scalar(text, at)?)),
    }
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

/// A comment begins with `#` after a blank, outside of quotes.
fn without_comment(value: &str) -> &str {
    let value = value.trim();
    if value.starts_with(['"', '\'']) {
        return value;
    }
    value
        .find(" #")
        .and_then(|end| value.get(..end))
        .unwrap_or(value)
        .trim_end()
}

/// A text, its quotes taken off.
fn scalar(text: &str, at: usize) -> Result<String, FrontmatterError> {
    let Some(quote) = text
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\''))
    else {
        return match text.chars().next() {
            Some('{' | '&' | '*' | '!' | '%' | '@' | '`') if text != "*" => Err(error(
                at,
                &format!("`{text}` has a meaning of its own in YAML; put it in quotes"),
            )),
            _ => Ok(text.to_owned()),
        };
    };
    let inner = text
        .strip_prefix(quote)
        .and_then(|inner| inner.strip_suffix(quote))
        .filter(|_| text.len() > 1);
    match inner {
        None => Err(error(at, "this quote is not closed")),
        Some(inner) if quote == '\'' => Ok(inner.replace("''", "'")),
        Some(_) => serde_json::from_str(text)
            .map_err(|_| error(at, "this text in quotes has an escape that is not known")),
    }
}

fn error(at: usize, what: &str) -> FrontmatterError {
    FrontmatterError {
        at,
        what: what.to_owned(),
    }
}
