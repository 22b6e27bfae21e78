//! What the text of a filter of `jq` may do besides filtering.

use std::collections::BTreeSet;

/// Words and filters of the language, in ASCII order. `env`, `modulemeta` and `get_search_list` are left out.
#[rustfmt::skip]
static KNOWN: [&str; 221] = [
    "IN", "INDEX", "JOIN", "__loc__", "abs", "acos", "acosh", "add", "all", "and", "any", "arrays",
    "as", "ascii", "ascii_downcase", "ascii_upcase", "asin", "asinh", "atan", "atan2", "atanh",
    "booleans", "break", "bsearch", "builtins", "capture", "catch", "cbrt", "ceil", "combinations",
    "contains", "copysign", "cos", "cosh", "date", "dateadd", "dateiso8601", "datesub", "debug",
    "def", "del", "delpaths", "drem", "elif", "else", "empty", "end", "endswith", "erf", "erfc",
    "error", "exp", "exp10", "exp2", "explode", "expm1", "fabs", "false", "fdim", "finites",
    "first", "flatten", "floor", "fma", "fmax", "fmin", "fmod", "foreach", "format", "frexp",
    "from_entries", "fromdate", "fromdateiso8601", "fromjson", "fromstream", "gamma", "getpath",
    "gmtime", "group_by", "gsub", "halt", "halt_error", "has", "have_decnum",
    "have_literal_numbers", "hypot", "if", "implode", "in", "index", "indices", "infinite", "input",
    "input_filename", "input_line_number", "inputs", "inside", "isempty", "isfinite", "isinfinite",
    "isnan", "isnormal", "isvalid", "iterables", "j0", "j1", "jn", "join", "keys", "keys_unsorted",
    "label", "last", "ldexp", "leaf_paths", "length", "lgamma", "lgamma_r", "limit", "localtime",
    "log", "log10", "log1p", "log2", "logb", "ltrim", "ltrimstr", "map", "map_values", "match",
    "max", "max_by", "min", "min_by", "mktime", "modf", "nan", "nearbyint", "nextafter",
    "nexttoward", "normals", "not", "now", "nth", "null", "nulls", "numbers", "objects", "or",
    "path", "paths", "pick", "pow", "pow10", "range", "recurse", "recurse_down", "reduce",
    "remainder", "repeat", "reverse", "rindex", "rint", "round", "rtrim", "rtrimstr", "scalars",
    "scalars_or_empty", "scalb", "scalbln", "scan", "select", "setpath", "significand", "sin",
    "sinh", "skip", "sort", "sort_by", "split", "splits", "sqrt", "startswith", "stderr",
    "strflocaltime", "strftime", "strings", "strptime", "sub", "tan", "tanh", "test", "tgamma",
    "then", "to_entries", "toarray", "toboolean", "todate", "todateiso8601", "tojson", "tonumber",
    "tostream", "tostring", "transpose", "trim", "trimstr", "true", "trunc", "truncate_stream",
    "try", "type", "unique", "unique_by", "until", "utf8bytelength", "values", "walk", "while",
    "with_entries", "y0", "y1", "yn",
];

/// Filters that show what the list above leaves out: a definition of the same name does not hide them everywhere.
const SHOWING: [&str; 3] = ["env", "get_search_list", "modulemeta"];

/// A word of a filter, by what stands around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word<'f> {
    /// A filter that is called, or a word of the language.
    Called(&'f str),
    /// Behind `$`, with or without blanks between: a variable.
    Variable(&'f str),
    /// A name that `def` gives a filter, or one of its parameters.
    Defined(&'f str),
    /// What versions of the program read in different ways.
    Doubtful,
}

/// Whether the filter does no more than filter: it calls what is known, and shows nothing of the environment or of
/// files that no operand names.
pub(super) fn is_plain(text: &str) -> bool {
    let words = words(text);
    let defined: BTreeSet<&str> = words
        .iter()
        .filter_map(|word| match word {
            Word::Defined(name) if !SHOWING.contains(name) => Some(*name),
            Word::Defined(_) | Word::Called(_) | Word::Variable(_) | Word::Doubtful => None,
        })
        .collect();
    words.iter().all(|word| match word {
        Word::Called(name) => KNOWN.binary_search(name).is_ok() || defined.contains(name),
        Word::Variable(name) => *name != "ENV" && !name.starts_with("__prog"),
        Word::Defined(_) => true,
        Word::Doubtful => false,
    })
}

/// What a bracket is around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// `{…}`: names in it are keys.
    Object,
    /// `[…]` or `(…)`.
    Filter,
    /// `\(…)` in a text, which goes on behind it.
    Text,
    /// The parameters of a definition.
    Parameters,
    /// `if … end`.
    Branches,
}

struct Reader<'f> {
    text: &'f str,
    at: usize,
    open: Vec<Around>,
    words: Vec<Word<'f>>,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut reader = Reader {
        text,
        at: 0,
        open: Vec::new(),
        words: Vec::new(),
    };
    // The character in front, of those that count.
    let mut before = ' ';
    let mut defines = false;
    while let Some(char) = reader.peek() {
        match char {
            ' ' | '\t' | '\r' | '\n' => reader.skip(char),
            '#' => reader.comment(),
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = reader.name();
                let inside = reader.open.last().copied();
                let word = match (before, inside) {
                    ('.' | '@', _) => None,
                    ('{' | ',', Some(Around::Object)) => None,
                    ('$', _) => Some(Word::Variable(name)),
                    (_, Some(Around::Parameters)) => Some(Word::Defined(name)),
                    _ if defines => Some(Word::Defined(name)),
                    _ => Some(Word::Called(name)),
                };
                reader.branches(word);
                let names = word == Some(Word::Called("def"));
                reader.words.extend(word);
                before = if defines { 'd' } else { 'n' };
                defines = names;
                continue;
            }
            '0'..='9' => reader.number(),
            '"' => {
                reader.skip(char);
                reader.string();
            }
            '(' => {
                reader.skip(char);
                let parameters = before == 'd';
                reader.open.push(if parameters {
                    Around::Parameters
                } else {
                    Around::Filter
                });
            }
            '[' | '{' => {
                reader.skip(char);
                let object = char == '{';
                reader.open.push(if object {
                    Around::Object
                } else {
                    Around::Filter
                });
            }
            ')' | ']' | '}' => {
                reader.skip(char);
                if reader.open.pop() == Some(Around::Text) {
                    reader.string();
                }
            }
            _ => reader.skip(char),
        }
        if !matches!(char, ' ' | '\t' | '\r' | '\n' | '#') {
            before = char;
        }
    }
    reader.words
}

impl<'f> Reader<'f> {
    fn rest(&self) -> &'f str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, char: char) {
        self.at += char.len_utf8();
    }

    /// Takes the characters for which this holds.
    fn take(&mut self, is: impl Fn(char) -> bool) -> &'f str {
        let rest = self.rest();
        let end = rest.find(|char| !is(char)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// `name` or `module::name`.
    fn name(&mut self) -> &'f str {
        let start = self.at;
        self.take(of_name);
        while self.rest().starts_with("::") {
            self.at += 2;
            self.take(of_name);
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    /// `if … end` is around what stands in it, as brackets are.
    fn branches(&mut self, word: Option<Word<'f>>) {
        match (word, self.open.last()) {
            (Some(Word::Called("if")), _) => self.open.push(Around::Branches),
            (Some(Word::Called("end")), Some(Around::Branches)) => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn number(&mut self) {
        self.take(|char| char.is_ascii_digit() || char == '.');
        let rest = self.rest();
        let power = rest.strip_prefix(['e', 'E']);
        let digits = power.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if digits.is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit())) {
            self.at += 2;
            self.take(|char| char.is_ascii_digit());
        }
    }

    /// Versions differ on whether a backslash at its end continues a comment.
    fn comment(&mut self) {
        let comment = self.take(|char| char != '\n');
        if comment.trim_end_matches('\r').ends_with('\\') {
            self.words.push(Word::Doubtful);
        }
    }

    /// A text, behind its quote or behind an expression in it, up to its end or the next expression.
    fn string(&mut self) {
        while let Some(char) = self.peek() {
            self.skip(char);
            match char {
                '"' => return,
                '\\' => {
                    let Some(next) = self.peek() else { return };
                    self.skip(next);
                    if next == '(' {
                        self.open.push(Around::Text);
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}

fn of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, is_plain};

    #[test]
    fn the_list_is_sorted() {
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn a_filter_that_shows_the_environment_is_seen_however_it_is_spelled() {
        for text in [
            "env",
            "$ENV.A",
            "$ ENV.A",
            "$# x\nENV.A",
            "if 1 then$ENV.A else 1 end",
            "{a: env}",
            "{a: .b, $ENV}",
            "{(env.A): 1}",
            "[env]",
            "\"\\(env.A)\"",
            "\"a\\(\"b\" + env.A)c\"",
            "1e5|env",
            "# \"\nenv",
            "modulemeta",
            "$__prog_args",
            "include \"m\"; .",
            "import \"m\" as m; m::f",
            "unheard_of",
            "def f(env): 1; env",
            "(def env: 1; .) | env",
            "def modulemeta: 1; modulemeta",
            "# \\\n\"\nenv #\"",
            "# \\\r\n\"\nenv #\"",
            "{a: if true then 1,env else 2 end}",
            "{a: if . then {b, c: if . then 1,env else 1 end} else 2 end}",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn everyday_filters_are_plain() {
        for text in [
            ".",
            ".env",
            ".a.env[\"env\"]",
            "{env, name: .x, ENV: 1}",
            "{\"env\": .b, id}",
            ".[] | select(.state == \"env $ENV\") | {number, title}",
            "map({(.key): .value}) | add",
            "to_entries[] | \"\\(.key)=\\(.value)\"",
            ". as {env: $x} | $x",
            "def f(g; $n): g + $n; f(.a; 2)",
            "reduce .[] as $item (0; . + $item)",
            ".[1e3:2.5] | @base64 \"x\\(.a)\"",
            ".a // empty, ..|.b?",
            "[.[]|{a:.b|length,c}] | sort_by(.a) | first",
            "{a: if .b then 1 else 2 end, env}",
            "{if: 1, end: 2, env}",
            "if .a then {env} elif .b then [1] else {c: .d, env} end",
            "# all of it \\ here\n.a",
            "def f: 1; def g(f): f; f | g(.)",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }
}
