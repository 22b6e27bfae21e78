//! The options of `declare` and kin.

use crate::state::Attribute;

/// What the options of a command that declares variables make of them.
#[derive(Debug)]
pub(super) struct Declares {
    pub(super) attributes: Vec<Attribute>,
    /// Whether programs see them from now on; nothing where that stays as it is.
    pub(super) exports: Option<Exports>,
    pub(super) whose: Whose,
    pub(super) names: Names,
}

/// What programs see of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exports {
    Yes,
    NoMore,
}

/// Whose variable is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The function's.
    Own,
    /// The one that is found under the name.
    Found,
    /// The one outside of all functions.
    Outermost,
}

/// What the names behind the options are names of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Variables,
    /// Of variables, where the command does anything.
    VariablesAtMost,
    /// Of functions, or they are only shown.
    Others,
}

impl Declares {
    pub(super) fn by(program: &str) -> Self {
        let exports = (program == "export").then_some(Exports::Yes);
        let fixed = (program == "readonly").then_some(Attribute::Fixed);
        Self {
            attributes: fixed.into_iter().collect(),
            exports,
            whose: match program {
                "export" | "readonly" => Whose::Found,
                _ => Whose::Own,
            },
            names: Names::Variables,
        }
    }

    /// Takes in options: `-lx`, `+i`.
    pub(super) fn take(&mut self, program: &str, options: &str) {
        let more = options.starts_with('-');
        let is_declare = !matches!(program, "export" | "readonly");
        for letter in options.chars().skip(1) {
            let attribute = match letter {
                'i' => Some(Attribute::Computed),
                'l' => Some(Attribute::Lower),
                'u' => Some(Attribute::Upper),
                'c' => Some(Attribute::Capital),
                _ => None,
            };
            match (letter, attribute) {
                (_, Some(attribute)) if is_declare && more => {
                    // Bash has two spellings in one command cancel each other.
                    let cancels = |it: &Attribute| it.respells() && *it != attribute;
                    let plain = attribute.respells() && self.attributes.iter().any(cancels);
                    self.attributes.push(attribute);
                    self.attributes.extend(plain.then_some(Attribute::Plain));
                }
                (_, Some(_)) if is_declare => self.attributes.push(Attribute::Plain),
                ('r', _) if is_declare && more => self.attributes.push(Attribute::Fixed),
                ('r', _) if is_declare => {}
                ('x', _) if is_declare => {
                    self.exports = Some(match more {
                        true => Exports::Yes,
                        false => Exports::NoMore,
                    });
                }
                ('n', _) if program == "export" => self.exports = Some(Exports::NoMore),
                ('g', _) if is_declare => self.whose = Whose::Outermost,
                ('f' | 'F', _) => self.names = Names::Others,
                ('p', _) if is_declare => self.names = Names::Others,
                ('a' | 'A' | 'p' | '-', _) => {}
                ('I' | 'n' | 't', _) if is_declare => {}
                // Bash refuses the command, and other shells take it for something else.
                _ if self.names == Names::Variables => self.names = Names::VariablesAtMost,
                _ => {}
            }
        }
    }
}
