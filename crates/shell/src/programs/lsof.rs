//! `lsof`: which process holds a file or a port.

use pointsman_model::Reach;

use super::{Asked, Facts};
use crate::options::{Arg, Options, Order, read};

/// Options that choose and show. Not `-D`, which writes a file, `-r`, which never ends, and those with a sign `+`.
const LSOF: Options = Options {
    short: "alnPRtw",
    short_value: "cipsu",
    short_glued: "",
    long: &[],
    long_value: &[],
};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if name != "lsof" {
        return None;
    }
    let mut facts = Facts::reader();
    for arg in read(asked.args(), &LSOF, Order::Mixed) {
        match arg {
            // Alone it is every connection of the machine, and the name of a host is looked up elsewhere.
            Arg::Option("i", value) => {
                let port = value.as_ref().and_then(|value| value.text());
                if !port.is_some_and(is_port) {
                    facts.spoil();
                }
            }
            Arg::Option(..) => {}
            Arg::Operand(field) => {
                facts.spoil();
                facts.might(field, super::UseKind::Read(Reach::Itself));
            }
            Arg::Stranger(_) => facts.spoil(),
        }
    }
    Some(facts)
}

/// `:3000`, `tcp:80,443`, `4TCP`: with no host in it.
fn is_port(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b',' | b'-');
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(plain)
}
