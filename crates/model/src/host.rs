//! Names of hosts in the one spelling that clients connect to.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

/// The name of a host, as a client asks for it: lower case, no port, no user, no trailing dot; other scripts in their
/// ASCII form (`xn--`); an address as four decimal numbers, or in brackets in its shortest form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostName(Box<str>);

impl HostName {
    /// The host of that name, brought into its one spelling.
    #[must_use]
    pub fn new(name: &str) -> Self {
        if let Some(address) = six(name) {
            // The same host as the plain address that it wraps.
            return Self(match address.to_ipv4_mapped() {
                Some(four) => four.to_string().into(),
                None => format!("[{address}]").into(),
            });
        }
        let plain = name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*'));
        let ascii = if plain && !name.contains("xn--") {
            name.into()
        } else {
            idna::domain_to_ascii_cow(name.as_bytes(), idna::AsciiDenyList::EMPTY)
                .unwrap_or_else(|_| name.to_lowercase().into())
        };
        let name = ascii.strip_suffix('.').unwrap_or(&ascii);
        Self(match four(name) {
            Some(address) => address.to_string().into(),
            None => name.into(),
        })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether letters beyond the plain ones are in it, which may look like those of another host.
    #[must_use]
    pub fn may_look_alike(&self) -> bool {
        let coded = |label: &str| label.starts_with("xn--");
        !self.0.is_ascii() || self.0.split('.').any(coded)
    }
}

/// An address of eight groups, in brackets or not, its zone left out.
fn six(name: &str) -> Option<Ipv6Addr> {
    let bare = match name.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']')?,
        None => name,
    };
    let address = bare.split('%').next()?;
    address.contains(':').then(|| address.parse().ok())?
}

/// An address in any spelling that clients take: up to four numbers, each decimal, octal (`0177`) or hexadecimal
/// (`0x7f`), the last one for all that is left.
fn four(name: &str) -> Option<Ipv4Addr> {
    let mut bytes = 0_u64;
    let parts: Vec<&str> = name.split('.').collect();
    let (last, front) = parts.split_last()?;
    let left = 4_u32.checked_sub(u32::try_from(front.len()).ok()?)?;
    for part in front {
        let byte = number(part).filter(|byte| *byte < 256)?;
        bytes = (bytes << 8) | byte;
    }
    let last = number(last)?;
    if left == 0 || last >= 1 << (8 * left) {
        return None;
    }
    u32::try_from((bytes << (8 * left)) | last)
        .ok()
        .map(Ipv4Addr::from_bits)
}

fn number(text: &str) -> Option<u64> {
    if !text.starts_with(|char: char| char.is_ascii_digit()) {
        return None;
    }
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match (hexadecimal, text.strip_prefix('0')) {
        (Some(""), _) => Some(0),
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        (None, _) => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_like_others_are_told() {
        for (name, alike) in [
            ("github.com", false),
            ("g\u{456}thub.com", true),
            ("docs.xn--gthub-n2e.com", true),
            ("XN--GTHUB-N2E.com", true),
            ("not-xn--a.com", false),
            ("127.0.0.1", false),
            ("[::1]", false),
        ] {
            assert_eq!(HostName::new(name).may_look_alike(), alike, "{name}");
        }
    }

    #[test]
    fn a_host_has_one_spelling() {
        for (host, spellings) in [
            (
                "example.com",
                &[
                    "Example.COM",
                    "example.com.",
                    "ｅxample.com",
                    "example。com",
                ][..],
            ),
            (
                "xn--mnchen-3ya.de",
                &["münchen.de", "MÜNCHEN.de.", "xn--mnchen-3ya.de"],
            ),
            (
                "127.0.0.1",
                &[
                    "2130706433",
                    "0x7f000001",
                    "0x7F.1",
                    "0177.0.0.1",
                    "127.1",
                    "127.0.1",
                    "127.0.0.1.",
                    "[::ffff:127.0.0.1]",
                    "::ffff:7f00:1",
                ],
            ),
            ("[::1]", &["::1", "[0:0:0:0:0:0:0:1]", "[::1%lo]"]),
            ("*.example.com", &["*.Example.com"]),
            ("my_host", &["MY_HOST"]),
        ] {
            for spelling in spellings {
                assert_eq!(HostName::new(spelling).as_str(), host, "{spelling}");
            }
            assert_eq!(HostName::new(host).as_str(), host);
        }
    }

    #[test]
    fn what_is_no_address_stays_a_name() {
        for name in [
            "1.2.3.4.5",
            "256.1.1.1",
            "08.1",
            "1.2.3.x",
            "4294967296",
            "a.1",
            "",
        ] {
            assert_eq!(HostName::new(name).as_str(), name);
        }
    }
}
